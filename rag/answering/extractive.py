"""The answerer without a model: chooses, orders and frames sentences of abstracts, word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.answering.asking import asked_words
from rag.answering.judgement import Verdict
from rag.answering.selection import MAX_SENTENCES, chosen, shown
from rag.retrieval.evidence import Evidence, PaperEvidence
from rag.types import Chunk, Paper, Quote, Statement

_CHOICES = 3
_NAMES = 4  # that the library does not have, told in an answer


@dataclass(frozen=True, slots=True)
class Reply:
    """What the answerer says: its verdict, the statements, and the papers behind them in order."""

    verdict: Verdict
    statements: tuple[Statement, ...]
    papers: tuple[PaperEvidence, ...] = ()


def compose(evidence: Evidence, verdict: Verdict, most: int = MAX_SENTENCES) -> list[Statement]:
    """Return the statements of an answer with this verdict, of at most so many sentences."""
    if verdict.outcome == "smalltalk":
        return [_say(_greet(evidence.question.text))]
    if verdict.outcome == "too_vague":
        return [_say(_ask_back(evidence, verdict))]
    if verdict.outcome == "not_in_corpus":
        return [_say(_nothing_here(evidence))]
    if verdict.outcome == "abstract_silent":
        return [_say(_silent(evidence)), *_nearest(evidence)]
    overview = evidence.question.expects == "overview" or not (evidence.question.focus or evidence.question.numbers)
    return [quoted(evidence.best, most, overview=overview)] if evidence.best else []


def quoted(evidence: PaperEvidence, most: int = MAX_SENTENCES, lead: str = "", *, overview: bool = False) -> Statement:
    """Return what a paper's abstract says to the question: its best sentences, framed with who says them."""
    parts: list[str | Quote] = [lead or f"{lead_for(evidence.paper)} "]
    for n, ranked in enumerate(chosen(evidence, most, overview=overview)):
        span = shown(ranked, evidence.question)
        quote = quote_of(evidence.paper, span.start, span.end, evidence.chunk.chunk)
        parts += [f"{' ' if n else ''}“{span.before}{quote.text}{span.after}” ", quote]
    return Statement(tuple(parts))


def lead_for(paper: Paper) -> str:
    """Return the words that say who is quoted."""
    return f"The abstract of “{paper.title}” says:"


def quote_of(paper: Paper, start: int, end: int, chunk: Chunk) -> Quote:
    """Return the quote of a span; its chunk is the one it lies in, as ids count chunks from the beginning."""
    from rag.library.chunking import chunk as split

    pieces: Sequence[Chunk] = split(paper)
    home = next((c for c in pieces if c.start <= start < c.end), chunk)
    return Quote(paper, home.id, start, end)


def _greet(text: str) -> str:
    if re.search(r"\b(?:thanks?|thank you|thx|ty|cheers|appreciated|helpful|helped)\b", text, re.IGNORECASE):
        return "You are welcome."
    if re.search(r"\b(?:bye|goodbye|see you|good night|later)\b", text, re.IGNORECASE):
        return "Goodbye."
    return "Hello! Ask me anything about the abstracts in this library, and I will quote what they say."


def _say(text: str) -> Statement:
    return Statement((text,), factual=False)


def _ask_back(evidence: Evidence, verdict: Verdict) -> str:
    if verdict.reason == "language":
        return (
            "I could not match this question to an abstract: the embedded search reads English. "
            "Please ask in English, or name the paper or method you mean."
        )
    choices = [f"“{s.paper.title}”" for s in evidence.chunks[:_CHOICES]]
    if not choices or verdict.reason == "empty":
        return "What would you like to know? Name a paper, a method or a topic."
    listed = choices[0] if len(choices) == 1 else f"{', '.join(choices[:-1])} or {choices[-1]}"
    return f"I can't tell which paper you mean. Do you mean {listed}?"


def _nothing_here(evidence: Evidence) -> str:
    if evidence.best is None:
        return "This library holds no abstracts that match; there is nothing to answer from."
    names = evidence.unknown_names
    missing = f" ({', '.join(names)} occurs in none of them)" if names else ""
    near = [f"“{s.paper.title}”" for s in evidence.chunks[:2]]
    return f"No abstract in this library is about that{missing}. The nearest are {' and '.join(near)}."


def _silent(evidence: Evidence) -> str:
    top = evidence.best
    if top is None:
        return _nothing_here(evidence)
    what = asked_words(evidence.question.text, [(m.start, m.end) for m in top.names if m.tells]) or "that"
    # A word of the reader's own is no lack of the abstract's; a name that no abstract has is.
    names = list(evidence.unknown_names)[:_NAMES]
    missing = f" It does not mention {_listed(names)}." if names else ""
    return f"The abstract of “{top.paper.title}” does not say {what}.{missing} The full paper may."


def _nearest(evidence: Evidence) -> list[Statement]:
    """Return the sentence that comes nearest to what an abstract does not say, if one speaks of the question at all."""
    top = evidence.best
    if top is None or top.ranked[0].values["covers_here"] <= 0:
        return []
    return [quoted(top, 1, lead="What comes nearest in it: ")]


def _listed(words: Sequence[str]) -> str:
    quoted_words = [f"“{w}”" for w in words]
    return quoted_words[0] if len(quoted_words) == 1 else f"{', '.join(quoted_words[:-1])} or {quoted_words[-1]}"
