"""The values that flow through the system: frozen, and importing nothing of ours.

indexing   file -> Paper -> Chunk -> vector in Chroma (+ lexical index)
asking     question -> ScoredChunk -> Statement -> Answer -> page | terminal | evaluation
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Outcome = Literal["answered", "not_in_corpus", "abstract_silent", "false_premise", "too_vague", "smalltalk"]
Mode = Literal["extractive", "llm"]
Source = Literal["dense", "lexical", "both"]

OUTCOMES: tuple[Outcome, ...] = (
    "answered",
    "not_in_corpus",
    "abstract_silent",
    "false_premise",
    "too_vague",
    "smalltalk",
)
REFUSALS: frozenset[Outcome] = frozenset({"not_in_corpus", "abstract_silent", "too_vague"})


@dataclass(frozen=True, slots=True)
class Paper:
    """One abstract with what is known about it; `abstract` is the text everything quotes from."""

    id: str
    title: str
    title_derived: bool
    abstract: str
    source_text: str
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the paper as plain JSON values."""
        return {
            "id": self.id,
            "title": self.title,
            "title_derived": self.title_derived,
            "abstract": self.abstract,
            "source_text": self.source_text,
            "metadata": dict(self.metadata),
        }


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a paper: `text == paper.abstract[start:end]`, offsets in code points."""

    id: str
    paper_id: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ScoredChunk:
    """A chunk that retrieval found, its score (higher is better) and which side found it."""

    chunk: Chunk
    paper: Paper
    score: float
    source: Source

    def to_dict(self) -> dict[str, Any]:
        """Return the row of an answer's `evidence`."""
        return {
            "paper_id": self.paper.id,
            "chunk_id": self.chunk.id,
            "text": self.chunk.text,
            "score": round(self.score, 6),
            "source": self.source,
        }


@dataclass(frozen=True, slots=True)
class Hit:
    """One row of a search: the paper, and its best passage."""

    paper_id: str
    title: str
    score: float
    source: Source
    passage: str
    paper: Paper

    def to_dict(self) -> dict[str, Any]:
        """Return the hit as plain JSON values."""
        return {
            "paper_id": self.paper_id,
            "title": self.title,
            "score": round(self.score, 6),
            "source": self.source,
            "passage": self.passage,
            "paper": self.paper.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Quote:
    """A verbatim span of one paper's abstract that stands behind a statement."""

    paper: Paper
    chunk_id: str
    start: int
    end: int

    @property
    def text(self) -> str:
        """Return the words themselves."""
        return self.paper.abstract[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Statement:
    """One piece of an answer, already verified: literal text, with a `Quote` where its marker goes.

    `factual` is False for framing that claims nothing about a paper ("Here is what I found:").
    """

    parts: tuple[str | Quote, ...]
    factual: bool = True

    @property
    def quotes(self) -> tuple[Quote, ...]:
        """Return the quotes in order."""
        return tuple(part for part in self.parts if isinstance(part, Quote))


@dataclass(frozen=True, slots=True)
class Rejected:
    """A mark or sentence of a draft that did not resolve or verify, and why."""

    marker: str
    claim: str
    reason: str

    def to_dict(self) -> dict[str, str]:
        """Return the row of an answer's `rejected`."""
        return {"marker": self.marker, "claim": self.claim, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Citation:
    """A marker in an answer, tied to `quote == paper.abstract[start:end]` of one paper."""

    marker: int
    paper_id: str
    chunk_id: str
    title: str
    quote: str
    start: int
    end: int

    def to_dict(self) -> dict[str, Any]:
        """Return the row of an answer's `citations`."""
        return {
            "marker": self.marker,
            "paper_id": self.paper_id,
            "chunk_id": self.chunk_id,
            "title": self.title,
            "quote": self.quote,
            "start": self.start,
            "end": self.end,
        }


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Verified text of an answer in the making; `marks` is where our own markers begin in it."""

    text: str
    marks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model was asked to do for one answer, in tokens and calls."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Return what two uses took together."""
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    def to_dict(self) -> dict[str, int]:
        """Return the counts as plain JSON values."""
        return {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question got: text with markers, the citations behind them, and the outcome.

    `marks` is where our own markers begin in `text`: a paper's own "[1]" inside a quote is none of them. It is for
    Python alone and not part of the JSON.
    """

    question: str
    standalone_question: str
    text: str
    outcome: Outcome
    citations: tuple[Citation, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    evidence: tuple[ScoredChunk, ...] = ()
    confidence: float = 0.0
    confidence_note: str = ""
    mode: Mode = "extractive"
    model: str | None = None
    usage: Usage = Usage()
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    marks: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object that `rag ask --json` prints."""
        return {
            "question": self.question,
            "standalone_question": self.standalone_question,
            "text": self.text,
            "outcome": self.outcome,
            "citations": [citation.to_dict() for citation in self.citations],
            "rejected": [row.to_dict() for row in self.rejected],
            "evidence": [scored.to_dict() for scored in self.evidence],
            "confidence": round(self.confidence, 4),
            "confidence_note": self.confidence_note,
            "mode": self.mode,
            "model": self.model,
            "usage": self.usage.to_dict(),
            "seconds": round(self.seconds, 3),
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier exchange of a conversation: the question, and the answer where it is known."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that was not taken in: its name or number, and why."""

    record: str
    reason: str


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one indexing run did, by paper id; `notes` are remarks on records that were taken in."""

    added: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[Skipped, ...] = ()
    embedded: int = 0
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain JSON values."""
        return {
            "added": list(self.added),
            "updated": list(self.updated),
            "unchanged": list(self.unchanged),
            "removed": list(self.removed),
            "skipped": [{"record": row.record, "reason": row.reason} for row in self.skipped],
            "notes": [{"record": row.record, "reason": row.reason} for row in self.notes],
            "embedded": self.embedded,
            "warnings": list(self.warnings),
        }

    def summary(self) -> str:
        """Return the counts as one line."""
        return (
            f"{len(self.added):,} added, {len(self.updated):,} updated, {len(self.unchanged):,} unchanged, "
            f"{len(self.removed):,} removed, {len(self.skipped):,} skipped"
        )


@dataclass(frozen=True, slots=True)
class Checked:
    """What the checker says of one sentence: supported by these quotes, or why not."""

    sentence: str
    verdict: Literal["supported", "unsupported", "not_checkable"]
    reason: str
    quotes: tuple[Quote, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the row that `rag check --json` prints."""
        return {
            "sentence": self.sentence,
            "verdict": self.verdict,
            "reason": self.reason,
            "quotes": [{"paper_id": q.paper.id, "quote": q.text, "start": q.start, "end": q.end} for q in self.quotes],
        }


class ChatModel(Protocol):
    """A chat model that streams text; `usage` holds the last call's token counts."""

    name: str
    usage: Usage

    def stream(self, system: str, user: str) -> Iterator[str]:
        """Yield the pieces of a reply; closing the iterator ends the request."""
        ...


class Embedder(Protocol):
    """Texts to unit vectors; `fingerprint` names the model and its weights."""

    name: str
    dimensions: int
    fingerprint: str

    def embed(self, texts: Iterable[str]) -> Any:
        """Return a float32 array of shape (number of texts, dimensions), rows of length 1."""
        ...
