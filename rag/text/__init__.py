"""Text of papers and questions: markup, sentences, words, names. Nothing here knows of libraries or answers."""
