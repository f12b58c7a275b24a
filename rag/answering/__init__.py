"""Evidence -> statements, without a model: is there an answer, and in which form."""
