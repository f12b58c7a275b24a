"""Does an abstract say this sentence? The checker, and what it looks at."""
