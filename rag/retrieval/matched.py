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


def marked(query: str, passage: str, width: int = 160) -> str:
    """Return the stretch of a passage with the most matched words, these between asterisks."""
    spans = matched_spans(query, passage)
    if not spans:
        return ""
    start = max((a for a, _ in spans), key=lambda a: (len({passage[b:c] for b, c in spans if a <= b < a + width}), -a))
    begin = passage.rfind(" ", 0, max(0, start - 20)) + 1 if start > 20 else 0
    end = passage.find(" ", begin + width)
    end = len(passage) if end < 0 else end
    pieces, at = [], begin
    for a, b in spans:
        if begin <= a and b <= end:
            pieces += [passage[at:a], "*", passage[a:b], "*"]
            at = b
    text = "".join([*pieces, passage[at:end]])
    return f"{'… ' if begin else ''}{' '.join(text.split())}{' …' if end < len(passage) else ''}"
