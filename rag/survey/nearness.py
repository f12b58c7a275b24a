"""Near my abstract: which papers share its problem, its method or its claim, sentence by sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rag.errors import InputError
from rag.library.chunking import quote
from rag.survey.roles import Role, parts
from rag.survey.tables import quote_dict
from rag.text.tex import readable
from rag.text.titles import derive_title
from rag.text.words import STOPWORDS, fold, stem, tokens
from rag.types import Paper, Quote

Sameness = Literal["problem", "method", "claim"]
Similarity = Callable[[Sequence[str], Sequence[str]], Any]

SAMENESS: tuple[Sameness, ...] = ("problem", "method", "claim")
_ROLES: dict[Sameness, tuple[Role, ...]] = {
    "problem": ("problem",),
    "method": ("idea",),
    "claim": ("evidence", "figures"),
}
# How near two sentences have to be: their cosine and a little for each word that both have. Below, even neighbours in
# one field say different things (seeds against the 5,452 papers of a larger library, read by hand).
_LEAST: dict[Sameness, float] = {"problem": 0.6, "method": 0.58, "claim": 0.62}
_A_WORD, _MOST_WORDS = 0.03, 6
_SHARED = 2  # words that two sentences must have in common to overlap
_PAIRS = 2  # pairs shown of one paper
MOST_NEAR = 5  # papers of a kind
CANDIDATES = 30  # papers whose sentences are read
_SHORTEST = 40  # characters
MOST_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class Overlap:
    """A sentence of the draft, one of a paper, their cosine and the words that both have."""

    draft: Quote
    paper: Quote
    cosine: float
    words: tuple[str, ...]

    @property
    def nearness(self) -> float:
        """Return the cosine, raised by the words that both sentences have."""
        return self.cosine + _A_WORD * min(len(self.words), _MOST_WORDS)

    def to_dict(self) -> dict[str, Any]:
        """Return the pair as plain JSON values."""
        shown = {"draft": quote_dict(self.draft), "paper": quote_dict(self.paper)}
        return {**shown, "cosine": round(self.cosine, 4), "shared_words": list(self.words)}


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A paper near the draft, with the pairs of sentences that show it, nearest first; at least one."""

    paper: Paper
    overlaps: tuple[Overlap, ...]

    @property
    def nearness(self) -> float:
        """Return the nearness of its nearest pair."""
        return self.overlaps[0].nearness


@dataclass(frozen=True, slots=True)
class Near:
    """The neighbours of a draft by what they share, then the `nearest` of those that can't be shown to share it.

    `read` papers were compared, `same` have the draft's own text.
    """

    draft: Paper
    groups: dict[Sameness, tuple[Neighbour, ...]]
    read: int
    same: tuple[Paper, ...] = ()
    nearest: tuple[Neighbour, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the neighbours as plain JSON values; offsets of the draft count in `draft`."""
        return {
            "draft": self.draft.abstract,
            "compared": self.read,
            "same_text": [paper.id for paper in self.same],
            **{f"same_{kind}": [_neighbour_dict(row) for row in self.groups[kind]] for kind in SAMENESS},
            "nearest": [_neighbour_dict(row) for row in self.nearest],
        }


def _neighbour_dict(row: Neighbour) -> dict[str, Any]:
    return {
        "paper_id": row.paper.id,
        "title": row.paper.title,
        "nearness": round(row.nearness, 4),
        "overlaps": [overlap.to_dict() for overlap in row.overlaps],
    }


def draft_paper(text: str) -> Paper:
    """Return a draft as a paper of its own; raises `InputError` for one that is too short or too long to compare."""
    abstract = readable(text.strip())
    if len(abstract) < _SHORTEST:
        raise InputError(f"The draft has {len(abstract)} characters, but an abstract is wanted; paste it whole.")
    if len(abstract) > MOST_CHARACTERS:
        raise InputError(f"The draft has {len(abstract)} characters, but at most {MOST_CHARACTERS} are compared.")
    return Paper("draft", derive_title(abstract), True, abstract, text)


def neighbours(draft: Paper, candidates: Sequence[Paper], similarity: Similarity) -> Near:
    """Split candidate papers, the nearest first, by what they share with a draft.

    `similarity(texts, others)` returns a matrix of cosines. Only sentences of one kind show what is shared. The first
    candidates of which nothing can be shown are still the nearest there are: each comes with its nearest sentence.
    """
    same = tuple(p for p in candidates if _plain(p.abstract) == _plain(draft.abstract))
    others = [p for p in candidates if p not in same]
    groups = {kind: _group(kind, draft, others, similarity) for kind in SAMENESS}
    shown = {row.paper.id for rows in groups.values() for row in rows}
    rest = [p for p in others if p.id not in shown][:MOST_NEAR]
    return Near(draft, groups, len(candidates), same, tuple(_as_a_whole(draft, paper, similarity) for paper in rest))


def _plain(text: str) -> str:
    return " ".join(fold(text).split())


def _group(kind: Sameness, draft: Paper, papers: Sequence[Paper], similarity: Similarity) -> tuple[Neighbour, ...]:
    drafted = parts(draft.abstract)
    # A sentence alone may be a problem, a method or a claim: nothing around it tells, unless its authors do something.
    alone = len(drafted) == 1 and not (kind == "problem" and drafted[0].role != "problem")
    mine = [p.sentence for p in drafted if alone or p.role in _ROLES[kind]]
    theirs = [(paper, p.sentence) for paper in papers for p in parts(paper.abstract) if p.role in _ROLES[kind]]
    if not mine or not theirs:
        return ()
    cosines = similarity([s.text for s in mine], [s.text for _, s in theirs])
    pairs: dict[str, list[Overlap]] = {}
    for column, (paper, sentence) in enumerate(theirs):
        for row, own in enumerate(mine):
            cosine = float(cosines[row][column])
            if cosine < _LEAST[kind] - _A_WORD * _MOST_WORDS:
                continue
            here, there = quote(draft, own.start, own.end), quote(paper, sentence.start, sentence.end)
            pair = Overlap(here, there, cosine, shared_words(own.text, sentence.text))
            if len(pair.words) >= _SHARED and pair.nearness >= _LEAST[kind]:
                pairs.setdefault(paper.id, []).append(pair)
    found = [
        Neighbour(paper, tuple(sorted(pairs[paper.id], key=lambda o: (-o.nearness, o.paper.start))[:_PAIRS]))
        for paper in papers
        if paper.id in pairs
    ]
    return tuple(sorted(found, key=lambda n: (-n.nearness, n.paper.id))[:MOST_NEAR])


def _as_a_whole(draft: Paper, paper: Paper, similarity: Similarity) -> Neighbour:
    """Return a paper with the pair of sentences, of whatever kind, that comes nearest."""
    mine, theirs = ([part.sentence for part in parts(p.abstract)] for p in (draft, paper))
    cosines = similarity([s.text for s in mine], [s.text for s in theirs])
    pairs = (
        Overlap(
            quote(draft, own.start, own.end),
            quote(paper, other.start, other.end),
            float(cosines[row][column]),
            shared_words(own.text, other.text),
        )
        for row, own in enumerate(mine)
        for column, other in enumerate(theirs)
    )
    return Neighbour(paper, (max(pairs, key=lambda pair: pair.nearness),))


def shared_words(text: str, other: str) -> tuple[str, ...]:
    """Return the words of a text that stand, in some form, in another one too; words of every paper do not count."""
    known = {stem(t.text) for t in tokens(other)}
    found: dict[str, str] = {}
    for token in tokens(text):
        root = stem(token.text)
        if root in known and root not in _EVERYWHERE and token.text not in STOPWORDS and not token.is_number:
            found.setdefault(root, token.text)
    return tuple(found.values())


_EVERYWHERE = frozenset(
    stem(word)
    for word in """
propose introduce present paper work method approach model models framework novel new experiments results show
demonstrate achieve performance existing however based using use extensive across improve improves outperforms
learning data task tasks state art methods significantly problem address study training which while large
language llm llms mllms capability moreover furthermore comprising recent multi real world two three important
""".split()
)


def by_words(texts: Sequence[str], others: Sequence[str]) -> list[list[float]]:
    """Return how much of their words sentences share (cosine of word sets): for libraries without vectors."""
    sets = [[{stem(t.text) for t in tokens(s) if t.text not in STOPWORDS} for s in row] for row in (texts, others)]
    return [[len(a & b) / max(1.0, (len(a) * len(b)) ** 0.5) for b in sets[1]] for a in sets[0]]
