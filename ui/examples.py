"""Questions to start with that the library at hand can answer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from rag.types import Paper

_LOOKED_AT = 300  # enough to find examples; a large library is not read through for them
_WANTED = 4

# A question, and the words one abstract must hold for it to make sense here.
_KNOWN: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Which method averages several models to wash out watermarks?", ("watermark", "averag")),
    ("How much faster does PBS-Attn make prefilling?", ("PBS-Attn", "prefilling")),
    ("Why does SOMA need spatial memory?", ("SOMA", "spatial memory")),
)
_COUNTING = ("How many papers release their code?", ("code", "available"))


def example_questions(papers: Iterable[Paper]) -> tuple[str, ...]:
    """Return up to four questions that fit the papers: known ones where they apply, else from the titles."""
    looked_at = tuple(islice(papers, _LOOKED_AT))
    known = [question for question, words in _KNOWN if _some_paper_has(looked_at, words)]
    counting = [_COUNTING[0]] if _some_paper_has(looked_at, _COUNTING[1]) else []
    from_titles = (_about(paper) for paper in looked_at)
    fill = islice(from_titles, max(0, _WANTED - len(known) - len(counting)))
    return tuple([*known, *fill, *counting][:_WANTED])


def _some_paper_has(papers: Iterable[Paper], words: tuple[str, ...]) -> bool:
    return any(all(word.lower() in paper.abstract.lower() for word in words) for paper in papers)


def _about(paper: Paper) -> str:
    coined = re.match(r"([A-Z][\w+-]{1,19}):\s", paper.title)
    return f"What does {coined[1]} do?" if coined else f"What does “{paper.title}” find?"
