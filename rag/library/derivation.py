"""What a library derives from the texts as read: when it is stale, how it is made anew, and whose an edited text is."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from rag.library.corpus import derived_id
from rag.text.tex import readable
from rag.text.titles import derive_title
from rag.text.words import content_stems
from rag.types import Paper

# The modules whose output is stored: a change in any of them makes what is stored stale.
SOURCES = (
    "text/markup.py",
    "text/tex.py",
    "text/titles.py",
    "text/words.py",
    "text/names.py",
    "text/sentences.py",
    "library/chunking.py",
    "library/rows.py",
)
_DERIVED = re.compile(r"(p[0-9a-f]{12})(?:-\d+)?")
_ALIKE = 0.5  # share of their words (Dice) that two versions of one abstract have in common, at least
_RARE = 40  # a word in more missing abstracts than this tells none of them from the others
_CANDIDATES = 5


@lru_cache(maxsize=1)
def code_version() -> str:
    """Return a hash of the code that derives what a library stores."""
    package = Path(__file__).resolve().parent.parent
    mark = hashlib.sha256()
    for name in SOURCES:
        mark.update(package.joinpath(name).read_bytes())
    return mark.hexdigest()[:16]


def reread(paper: Paper) -> Paper:
    """Return a paper as today's code reads it; ids, given titles and metadata stay."""
    abstract = readable(paper.source_text)
    return replace(paper, abstract=abstract, title=derive_title(abstract) if paper.title_derived else paper.title)


def has_derived_id(paper: Paper) -> bool:
    """Tell whether a paper's id was made from its text, because its form gives none."""
    match = _DERIVED.fullmatch(paper.id)
    return match is not None and match[1] == derived_id(paper.abstract)


def resembling(new: Sequence[Paper], missing: Sequence[Paper]) -> dict[str, str]:
    """Return, by the id of a new paper, the id of the missing one of which it is an edition; each is taken once."""
    words = {paper.id: Counter(content_stems(f"{paper.title} {paper.abstract}")) for paper in missing}
    holders: dict[str, list[str]] = defaultdict(list)
    for identity, counts in words.items():
        for word in counts:
            holders[word].append(identity)
    pairs: list[tuple[float, str, str]] = []
    for paper in new:
        own = Counter(content_stems(f"{paper.title} {paper.abstract}"))
        shared = Counter(i for word in own for i in holders.get(word, ()) if len(holders[word]) <= _RARE)
        for identity, _ in shared.most_common(_CANDIDATES):
            likeness = 2 * (own & words[identity]).total() / (own.total() + words[identity].total())
            if likeness >= _ALIKE:
                pairs.append((-likeness, identity, paper.id))
    taken: dict[str, str] = {}
    used: set[str] = set()
    for _, identity, fresh in sorted(pairs):
        if fresh not in taken and identity not in used:
            taken[fresh] = identity
            used.add(identity)
    return taken
