"""The library inside other frameworks; each module imports its framework, and nothing of ours imports them."""
