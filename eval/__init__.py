"""Measure a library's answers against gold questions; it imports `rag`, and shares no judgement with it."""
