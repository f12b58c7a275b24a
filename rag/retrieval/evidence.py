"""What retrieval found for one question: which papers it is about, their sentences ranked, how well they cover it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rag.retrieval.mentions import Mention
from rag.retrieval.question import Question
from rag.retrieval.ranking import Ranked
from rag.text.words import tokens
from rag.types import Paper, ScoredChunk, Source

EVIDENCE_PAPERS = 10
_LONGER = 5  # letters of a word that tells one paper from another
_FEW = 0.34  # share of the passages that may hold a word which still tells one from another
_JOINING = frozenset(
    """
        and or vs versus with against between to from than the a what what's is are compare compared comparing
        comparison contrast difference differences different both
    """.split()
)


@dataclass(frozen=True, slots=True)
class PaperEvidence:
    """One paper as evidence: its sentences, likeliest answer first, and what links it to the question."""

    paper: Paper
    question: Question
    chunk: ScoredChunk
    ranked: tuple[Ranked, ...]
    names: tuple[Mention, ...]  # mentions that are names of this paper
    covered: float  # share of the question's words that the abstract speaks of, by rarity
    missing: tuple[str, ...]  # words of the question that it does not speak of, as typed
    cosine: float  # best passage to the whole question
    sentence_cosine: float  # best sentence to the question without the paper's names
    parts: tuple[tuple[Ranked, ...], ...]  # `ranked` by each thing that the question asks, one or more


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that retrieval found for one question."""

    question: Question
    mentions: tuple[Mention, ...]
    best: PaperEvidence | None  # the best paper, read sentence by sentence; None in an empty library
    chunks: tuple[ScoredChunk, ...]  # the best passage of each of the first papers, best first
    unknown_names: tuple[str, ...]  # coined names of the question that occur nowhere in the library
    strange: tuple[str, ...]  # words in lower case that neither the library nor the dictionary has
    spread: Mapping[str, float]  # focus word -> share of the library's passages that hold it
    cosine: Mapping[str, float]  # paper id -> cosine of its nearest passage
    gap: float  # cosine of the best paper above the next one
    carried: str | None = None  # the paper that a follow-up is about
    # Paper id -> BM25 of its best passage, as a share of what one with every word of the question would have.
    words: Mapping[str, float] = field(default_factory=dict)
    lead: float = 0.0  # fused score of the best paper above the mean of the next ones
    ordinary: Mapping[str, float] = field(default_factory=dict)  # focus word -> share of general English with it
    passages: int = 0  # in the library
    by_words: bool = False  # the vectors were not to be reached

    def shares_rare_word(self) -> bool:
        """Tell whether the best paper holds a number of the question, or a longer word of it that few passages hold."""
        if self.best is None:
            return False
        facts = [r.facts for r in self.best.ranked]
        words = [t for t, share in self.spread.items() if len(t) >= _LONGER and 0 < share <= _FEW]
        numbers = set(self.question.numbers)
        return any(numbers & f.numbers or set(words) & f.stems for f in facts)

    @property
    def foreign(self) -> tuple[Mention, ...]:
        """Return the names in the question that point to other papers than the best one."""
        top = self.best.paper.id if self.best else ""
        return tuple(m for m in self.mentions if m.tells and top not in m.papers)

    @property
    def names_alone(self) -> bool:
        """Tell whether a question is made of two or more names of the library, and the best paper has one of them."""
        names = [m for m in self.mentions if m.certain]
        words = [t for t in tokens(self.question.text) if t.text not in _JOINING]
        alone = all(any(m.start <= t.start < m.end for m in names) for t in words)
        return len(names) > 1 and alone and self.best is not None and any(m.certain for m in self.best.names)

    @property
    def names_paper(self) -> bool:
        """Tell whether the question names its best paper, or goes on about the one before."""
        best = self.best
        return best is not None and (best.paper.id == self.carried or any(m.tells for m in best.names))


@dataclass(frozen=True, slots=True)
class Place:
    """A paper that a part of a question found: its passage, and its score in that search."""

    paper_id: str
    chunk_id: str
    source: Source
    score: float


@dataclass(frozen=True, slots=True)
class Nearest:
    """The paper nearest to a part of a question, how near it is, and the first papers found, best first."""

    paper_id: str
    cosine: float | None  # None where its words alone found it
    next_cosine: float  # of the paper that comes nearest besides
    places: tuple[Place, ...]
