"""Question + library -> evidence: which papers it is about, their sentences ranked, and how well they cover it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from rag.catalog import Catalog
from rag.matching import coverage, match_strength, rarity, same_word, stands_for
from rag.mentions import Mention, NameIndex
from rag.names import coined_names
from rag.question import Question, understand
from rag.ranking import Facts, Ranked, rank_sentences, sentence_facts
from rag.retrieval import Retriever
from rag.types import Embedder, Paper, ScoredChunk

EVIDENCE_PAPERS = 10
_RANKED_PAPERS = 4  # papers whose sentences are read: the answer's and the nearest misses
_OWNERS = 2  # a name that more papers use than this tells none of them
# A name of one paper outweighs any similarity (fused scores are at most 1); one shared by two only tips the scale.
_NAME_BONUS = {1: 1.0, 2: 0.4}
_ORDINARY_WORD = 0.4  # share of the bonus where the typed word is also an ordinary one
_LEAST_WEIGHT = 0.3  # of a word that every paper holds
_GENERIC = frozenset("ai ml nlp cv pc ok faq pdf url us uk eu tldr id sota api qa".split())


@dataclass(frozen=True, slots=True)
class PaperEvidence:
    """One paper as evidence: its sentences, likeliest answer first, and what links it to the question."""

    paper: Paper
    chunk: ScoredChunk
    ranked: tuple[Ranked, ...]
    names: tuple[Mention, ...]  # mentions that are names of this paper
    covered: float  # share of the question's words that the abstract speaks of, by rarity
    missing: tuple[str, ...]  # words of the question that it does not speak of, as typed
    cosine: float  # best passage to the whole question
    sentence_cosine: float  # best sentence to the question without the paper's names


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that retrieval found for one question, the papers best first."""

    question: Question
    mentions: tuple[Mention, ...]
    papers: tuple[PaperEvidence, ...]
    chunks: tuple[ScoredChunk, ...]
    unknown_names: tuple[str, ...]  # coined names of the question that occur nowhere in the library
    rarest: float  # the rarity of the question's most telling word that the library knows
    specificity: float  # the sum of the rarities of the words that it knows
    gap: float  # cosine of the best paper above the next one
    carried: str | None = None  # the paper that a follow-up is about

    @property
    def names_paper(self) -> bool:
        """Tell whether the question names its best paper, or goes on about the one before."""
        if not self.papers:
            return False
        top = self.papers[0]
        return top.paper.id == self.carried or any(tells(m) for m in top.names)


class Searcher:
    """Gathers evidence from one library; holds the parts."""

    def __init__(
        self,
        catalog: Catalog,
        retriever: Retriever,
        embedder: Embedder | None,
        names: NameIndex,
        known_word: Callable[[str], bool],
    ) -> None:
        self._catalog, self._retriever, self._embedder = catalog, retriever, embedder
        self._names, self._known_word = names, known_word

    def mentions(self, text: str) -> list[Mention]:
        """Return the library's names that a text mentions."""
        return self._names.find(text)

    def gather(self, text: str, carried: str | None = None) -> Evidence:
        """Return the evidence for a question; `carried` is the id of the paper that a follow-up is about."""
        mentions = tuple(self._names.find(text))
        candidates = self._retriever.candidates(_spelt(text, mentions))
        order = _order(candidates.by_paper(), mentions, carried, self._catalog)
        question = understand(text, tuple((m.start, m.end) for m in mentions if tells(m)))
        rarities, known = self._rarities(question)
        self._warm(order[:_RANKED_PAPERS])
        papers = tuple(
            self._read(scored, question, mentions, rarities, candidates.cosine) for scored in order[:_RANKED_PAPERS]
        )
        gap = papers[0].cosine - max((p.cosine for p in papers[1:]), default=0.0) if papers else 0.0
        unknown = self._unknown_names(text, mentions, papers[0].paper if papers else None)
        return Evidence(
            question,
            mentions,
            papers,
            tuple(order[:EVIDENCE_PAPERS]),
            unknown,
            max(known, default=0.0),
            sum(known),
            gap,
            carried,
        )

    def read(self, text: str, evidence: Evidence, paper_ids: Sequence[str]) -> dict[str, PaperEvidence]:
        """Return the evidence in these papers for a question that was gathered before."""
        there = {p.paper.id: p for p in evidence.papers}
        missing = [i for i in paper_ids if i not in there]
        papers = self._catalog.get(missing)
        firsts = {c.paper_id: c for c in reversed(self._catalog.chunks_of(missing))}
        rarities, _ = self._rarities(evidence.question)
        for identity in missing:
            if identity in firsts:
                scored = ScoredChunk(firsts[identity], papers[identity], 0.0, "lexical")
                there[identity] = self._read(scored, evidence.question, evidence.mentions, rarities, {})
        return {identity: there[identity] for identity in paper_ids if identity in there}

    def _rarities(self, question: Question) -> tuple[dict[str, float], list[float]]:
        """Return the weight of each focus word, and the rarities of those that the library knows."""
        frequency = self._catalog.document_frequency(question.focus)
        documents = max(1, self._catalog.chunk_count())
        weights = {t: max(_LEAST_WEIGHT, rarity(n, documents)) for t, n in frequency.items()}
        return weights, [rarity(n, documents) for n in frequency.values() if n]

    def _warm(self, scored: Sequence[ScoredChunk]) -> None:
        """Embed the sentences of several papers in one call, which uses both cores; the embedder remembers them."""
        if self._embedder is not None:
            self._embedder.embed([f.sentence.text for s in scored for f in sentence_facts(s.paper.abstract)])

    def _read(
        self,
        scored: ScoredChunk,
        question: Question,
        mentions: Sequence[Mention],
        weights: Mapping[str, float],
        cosine: Mapping[str, float],
    ) -> PaperEvidence:
        text = question.text
        paper, facts = scored.paper, sentence_facts(scored.paper.abstract)
        names = tuple(m for m in mentions if paper.id in m.papers)
        telling = tuple(m for m in names if tells(m))
        stems = frozenset().union(*(f.stems for f in facts))
        whole, bare = self._cosines(paper, facts, text, _without(text, telling))
        if not whole:
            whole = bare = [coverage(question.focus, weights, f.stems) for f in facts]
        ranked = rank_sentences(question, facts, whole, weights, {m.key for m in names})
        missing = [t for t in question.focus if match_strength(t, stems) == 0]
        cosines = [v for k, v in cosine.items() if k.rpartition(":")[0] == paper.id]
        return PaperEvidence(
            paper,
            scored,
            tuple(ranked),
            names,
            coverage(question.focus, weights, stems),
            tuple(_typed(missing, text)),
            max(cosines, default=max(whole, default=0.0)),
            max(bare, default=0.0),
        )

    def _cosines(
        self, paper: Paper, facts: Sequence[Facts], text: str, bare: str
    ) -> tuple[list[float], list[float]]:
        """Return the cosine of each sentence to the question, and to the question without the paper's names."""
        if self._embedder is None:
            return [], []
        vectors = self._embedder.embed([text, bare, *(f.sentence.text for f in facts)])
        whole, stripped = vectors[2:] @ vectors[0], vectors[2:] @ vectors[1]
        return [float(c) for c in whole], [float(c) for c in stripped]

    def _unknown_names(
        self, text: str, mentions: Sequence[Mention], paper: Paper | None
    ) -> tuple[str, ...]:
        """Return names of the question that nothing in the library explains: not a name, an acronym or a word of it."""
        taken = [(m.start, m.end) for m in mentions]
        unknown = []
        for name in coined_names(text):
            inside = any(start < name.end and name.start < end for start, end in taken)
            if inside or name.key in _GENERIC or text.isupper():
                continue
            if paper is not None and stands_for(name.text, paper.abstract):
                continue
            if any(count for count in self._catalog.document_frequency([name.key]).values()):
                continue
            unknown.append(name.text)
        return tuple(dict.fromkeys(unknown))


def tells(mention: Mention) -> bool:
    """Tell whether a name points to one paper or two, rather than to a whole field."""
    return len(mention.papers) <= _OWNERS and mention.certain


def _order(
    found: Sequence[ScoredChunk], mentions: Collection[Mention], carried: str | None, catalog: Catalog
) -> list[ScoredChunk]:
    """Put papers whose names the question mentions first; a named paper that retrieval missed is added."""
    bonus: dict[str, float] = {carried: _NAME_BONUS[1]} if carried else {}
    for mention in mentions:
        weight = _NAME_BONUS.get(len(mention.papers), 0.0) * (1.0 if mention.certain else _ORDINARY_WORD)
        for paper_id in mention.papers if weight else ():
            bonus[paper_id] = max(bonus.get(paper_id, 0.0), weight) + 0.1 * (paper_id in bonus)
    there = {s.paper.id for s in found}
    added = [i for i in bonus if i not in there]
    papers = catalog.get(added)
    firsts = {c.paper_id: c for c in reversed(catalog.chunks_of(added))}
    rows = [*found, *(ScoredChunk(firsts[i], papers[i], 0.0, "lexical") for i in added if i in firsts)]
    scored = [ScoredChunk(s.chunk, s.paper, s.score + bonus.get(s.paper.id, 0.0), s.source) for s in rows]
    return sorted(scored, key=lambda s: (-s.score, s.paper.id))


def _spelt(text: str, mentions: Sequence[Mention]) -> str:
    """Return the question with misspelt names put right, for retrieval."""
    for mention in reversed(mentions):
        if mention.misspelt:
            text = text[: mention.start] + mention.name + text[mention.end :]
    return text


def _without(text: str, mentions: Sequence[Mention]) -> str:
    for mention in reversed(mentions):
        text = text[: mention.start] + text[mention.end :]
    return re.sub(r"\s+", " ", text).strip() or text


def _typed(stems: Sequence[str], text: str) -> list[str]:
    """Return the words of the question behind these stems, as typed."""
    words = re.findall(r"[^\W_]+(?:[-'’][^\W_]+)*", text)
    return [next((w for w in words if same_word(s, w.casefold()) or w.casefold().startswith(s)), s) for s in stems]
