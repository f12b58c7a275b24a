"""Which words of a passage a query matched, for marking them. Pure."""

from __future__ import annotations

from rag.text.words import STOPWORDS, content_stems, name_forms, stem, tokens

Span = tuple[int, int]


def matched_spans(query: str, passage: str) -> tuple[Span, ...]:
    """Return (start, end) of the words of a passage that the lexical side counts as words of the query."""
    wanted = set(content_stems(query)) | {form for forms in name_forms(query).values() for form in forms}
    forms = name_forms(passage)
    found: list[Span] = []
    for token in tokens(passage):
        if token.text in STOPWORDS:
            continue
        own = stem(token.text)
        if own in wanted or any(part in wanted for part in forms.get(own, ())):
            found.append((token.start, token.end))
    return tuple(found)
