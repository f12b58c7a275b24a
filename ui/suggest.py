"""Questions to go on with: what the cited papers' own abstracts hold and the answer did not quote."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from rag.text.sentences import sentences
from rag.text.words import content_stems
from rag.types import Answer, Paper

_WANTED = 3
_PAPERS_LOOKED_AT = 2

# How a question is asked of a paper, and the words that a sentence must hold to answer it.
_FACETS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "How much does {name} improve?",
        re.compile(
            r"\b(?:improv|outperform|gain|speed-?up|faster|reduc|surpass)\w*\b.{0,80}\d|\d.{0,60}\b(?:faster|improv|gain|speed-?up)",
            re.IGNORECASE,
        ),
    ),
    ("Is the code of {name} available?", re.compile(r"\bcode\b.{0,60}\b(?:available|released|at http)", re.IGNORECASE)),
    ("What does {name} propose?", re.compile(r"\bwe (?:propose|introduce|present)\b", re.IGNORECASE)),
)


def next_questions(answer: Answer, paper: Callable[[str], Paper | None]) -> tuple[str, ...]:
    """Return up to three questions about the papers of an answer that their abstracts can answer."""
    # A refusal is about the paper that came nearest; what came next has nothing to do with the question.
    near = answer.evidence if answer.outcome == "answered" else answer.evidence[:1]
    ids = list(dict.fromkeys([c.paper_id for c in answer.citations] + [e.paper.id for e in near]))
    if answer.outcome in ("smalltalk", "too_vague") or not ids:
        return ()
    asked = set(content_stems(f"{answer.question} {answer.standalone_question}"))
    found: list[str] = []
    for paper_id in ids[:_PAPERS_LOOKED_AT]:
        known = paper(paper_id)
        if known:
            found += list(_open_questions(known, answer, asked))[: _WANTED - 1]
    return tuple(dict.fromkeys(found))[:_WANTED]


def short_name(paper: Paper) -> str:
    """Return how to name a paper in a question: its coined name, else its title in quotation marks."""
    coined = re.match(r"([A-Z][\w+^-]{1,19}):\s", paper.title)
    return coined[1] if coined else f"“{paper.title}”"


def _open_questions(paper: Paper, answer: Answer, asked: set[str]) -> Iterator[str]:
    quoted = [(c.start, c.end) for c in answer.citations if c.paper_id == paper.id]
    for question, pattern in _FACETS:
        words = set(content_stems(question.replace("{name}", "")))
        if words & asked:
            continue
        for sentence in sentences(paper.abstract):
            new = not any(start < sentence.end and sentence.start < end for start, end in quoted)
            if new and pattern.search(sentence.text):
                yield question.replace("{name}", short_name(paper))
                break
