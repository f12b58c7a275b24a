"""Questions about the whole corpus: every abstract is judged, never the top few."""
