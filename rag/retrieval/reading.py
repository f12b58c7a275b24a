"""A paper read for a question: its sentences ranked by how likely they answer it, and what it does not speak of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rag.library.sentence_vectors import SentenceVectors
from rag.retrieval.evidence import PaperEvidence
from rag.retrieval.mentions import Mention
from rag.retrieval.question import Question, questions_in, understand
from rag.retrieval.ranking import Cosines, Facts, rank_sentences, sentence_facts, sentence_texts
from rag.text.matching import coverage, match_strength, same_word
from rag.text.words import stem, tokens
from rag.types import Embedder, Paper, ScoredChunk


class Reader:
    """Reads papers by the vectors of their sentences; without an embedder, by shared words."""

    def __init__(self, embedder: Embedder | None, sentences: SentenceVectors | None) -> None:
        self._embedder, self._sentences = embedder, sentences

    def prepare(self, papers: Sequence[Paper]) -> None:
        """Embed the sentences of papers that are read next in one go: both cores are used."""
        if self._sentences is not None:
            self._sentences.of([sentence_texts(paper.abstract) for paper in papers])

    def read(
        self,
        scored: ScoredChunk,
        question: Question,
        mentions: Sequence[Mention],
        weights: Mapping[str, float],
        cosine: Mapping[str, float],
    ) -> PaperEvidence:
        """Return what a paper says to a question; `weights` are of its words, `cosine` is of papers to the whole."""
        text = question.text
        paper, facts = scored.paper, sentence_facts(scored.paper.abstract)
        names = tuple(m for m in mentions if paper.id in m.papers)
        telling = tuple(m for m in names if m.tells)
        stems = frozenset().union(*(f.stems for f in facts))
        keys = {m.key for m in names if not m.names(paper.title)}
        cosines = self._cosines(paper, facts, question, text, telling, weights)
        ranked = tuple(rank_sentences(question, facts, cosines, weights, keys))
        asked = [
            tuple(rank_sentences(part, facts, self._cosines(paper, facts, part, part.text, (), weights), weights, keys))
            for part in asked_in(question, [m for m in mentions if m.tells])
        ]
        known = stems.union(stem(t.text) for t in tokens(paper.title))
        missing = [t for t in question.focus if match_strength(t, known) == 0]
        return PaperEvidence(
            paper,
            question,
            scored,
            ranked,
            names,
            coverage(question.focus, weights, stems),
            tuple(_typed(missing, text)),
            cosine.get(paper.id, max(cosines.whole, default=0.0)),
            max(cosines.bare, default=0.0),
            tuple(asked) or (ranked,),
        )

    def _cosines(
        self,
        paper: Paper,
        facts: Sequence[Facts],
        question: Question,
        text: str,
        names: Sequence[Mention],
        weights: Mapping[str, float],
    ) -> Cosines:
        """Return how near each sentence is to a question, whole and without the names in it."""
        if self._embedder is None or self._sentences is None:
            # Without vectors the shared words say it.
            shares = [coverage(question.focus, weights, f.stems) for f in facts]
            return Cosines(shares, shares)
        asked = self._embedder.embed([text, _without(text, names)])
        vectors = self._sentences.of([sentence_texts(paper.abstract)])[0]
        whole, bare = vectors @ asked[0], vectors @ asked[1]
        return Cosines([float(c) for c in whole], [float(c) for c in bare])


def asked_in(question: Question, names: Sequence[Mention]) -> list[Question]:
    """Return the things that a question asks, each as a question of its own; none where it asks one."""
    found = questions_in(question.text)
    if len(found) < 2:
        return []
    spans = tuple((m.start, m.end) for m in names)
    parts_ = [
        understand(text, tuple((a - start, b - start) for a, b in spans if start <= a and b <= start + len(text)))
        for start, text in found
    ]
    # A word that is part of a name in the whole question is none to look for in one of its parts.
    return [replace(part, focus=tuple(t for t in part.focus if t in question.focus)) for part in parts_]


def _without(text: str, mentions: Sequence[Mention]) -> str:
    for mention in reversed(mentions):
        text = text[: mention.start] + text[mention.end :]
    return re.sub(r"\s+", " ", text).strip() or text


def _typed(stems: Sequence[str], text: str) -> list[str]:
    """Return the words of the question behind these stems, as typed."""
    words = re.findall(r"[^\W_]+(?:[-'’][^\W_]+)*", text)
    return [next((w for w in words if same_word(s, w.casefold()) or w.casefold().startswith(s)), s) for s in stems]
