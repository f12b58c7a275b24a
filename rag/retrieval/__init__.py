"""Question -> evidence: what is asked, which papers it is about, which of their sentences answer."""
