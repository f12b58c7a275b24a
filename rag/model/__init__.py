"""Answers in a model's words: the server, the prompt, the draft, and what of it stands."""
