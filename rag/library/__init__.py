"""A library on disk: files of abstracts -> papers -> chunks -> the catalog, and vectors in Chroma."""
