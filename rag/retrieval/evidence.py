"""Question + library -> evidence: which papers it is about, their sentences ranked, and how well they cover it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from rag.library.catalog import Catalog
from rag.library.sentence_vectors import SentenceVectors
from rag.retrieval.hybrid import (
    CROWD,
    Candidates,
    Retriever,
    are_copies,
    first_of_copies,
    paper_of,
    without_crowding,
    words_of,
)
from rag.retrieval.memory import Memory
from rag.retrieval.mentions import Mention, NameIndex
from rag.retrieval.question import Question, parts, points_back, questions_in, understand
from rag.retrieval.ranking import Cosines, Facts, Ranked, rank_sentences, sentence_facts, sentence_texts
from rag.text.dictionary import Dictionary, forms, spellings
from rag.text.language import is_english, without_function_words
from rag.text.matching import coverage, match_strength, rarity, same_word, stands_for
from rag.text.names import coined_names, long_names, name_key, spelt_out
from rag.text.words import STOPWORDS, Token, content_stems, stem, tokens
from rag.types import Embedder, Paper, ScoredChunk, Source

T = TypeVar("T")
EVIDENCE_PAPERS = 10
_REMEMBERED = 48  # questions, of some 75 KB each: one answer gathers the same evidence several times
_NOTED = 2048  # small facts about questions, of some 2 KB each: a follow-up looks at what the turns before it found
# What a name adds to the fused scores, which are 0-1: a paper's own outweighs nearly any similarity, one that it only
# uses moves it ahead of others that are about as near; one shared by two tips the scale.
_OWN_BONUS, _NAME_BONUS = {1: 0.6, 2: 0.3}, {1: 0.3, 2: 0.1}
_TOGETHER = 0.3  # of a paper that has two of the names, where neither tells it alone
_CARRIED_BONUS = 1.1  # the paper that a follow-up is about outweighs any similarity
_ORDINARY_WORD = 0.4  # share of the bonus where the typed word is an ordinary one too; none for a name only used
_IN_PASSING = 6  # content words from which on a name is less and less what the query is about
_PARTS = 4  # of a question that are looked up for themselves
_OF_A_PART, _PART_DEPTH = 2, 6  # papers of a part that are among the first of the evidence; those they are chosen from
_CONTEXT = 0.3  # what the whole question says of a paper, beside what one part of it says
_COPY_PLACE = 4  # in the evidence, of a near-copy of the best paper
_LEEWAY = 10  # papers read beyond those that are wanted: some passages found may be of papers just withdrawn
_STRANGE = 5  # shorter words that no dictionary has are more often typos than names
_FEW = 0.34  # share of the passages that may hold a word which still tells one from another
_LETTERS_AND_DIGITS = re.compile(r"(?=.*\d)[a-z][a-z\d]{2,}")
_LEAST_WEIGHT = 0.3  # of a word that every paper holds
_JOINING = frozenset(
    """
        and or vs versus with against between to from than the a what what's is are compare compared comparing
        comparison contrast difference differences different both
    """.split()
)
_OPENING = "“„«‘\"'"
_GENERIC = frozenset(
    """
        ai ml nlp cv pc ok faq pdf url us uk eu tldr id sota api qa ram cpu gpu tpu gb
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
        words = [t for t, share in self.spread.items() if len(t) >= _STRANGE and 0 < share <= _FEW]
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


class Searcher:
    """Gathers evidence from one library; holds the parts."""

    def __init__(
        self,
        catalog: Catalog,
        retriever: Retriever,
        embedder: Embedder | None,
        names: NameIndex,
        words: Dictionary,
        sentences: SentenceVectors | None = None,
        misses: Callable[[], int] = lambda: 0,
    ) -> None:
        """`misses` tells how often the vectors were not to be reached so far."""
        self._catalog, self._retriever, self._embedder = catalog, retriever, embedder
        self._sentences = sentences
        self._names, self._words = names, words
        self._share = words.share
        self._misses = misses
        self._gathered = Memory(_REMEMBERED, lambda: catalog.meta("vectors"), misses)
        self._noted = Memory(_NOTED, lambda: catalog.meta("vectors"), misses)

    def remember(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """Return what `make` returns, made once for this key while the texts and their vectors stay as they are.

        For small things only: thousands are kept.
        """
        return self._noted.recall(key, make)

    def mentions(self, text: str) -> list[Mention]:
        """Return the library's names that a text mentions."""
        return list(self.remember(("mentions", text), lambda: tuple(self._names.find(text))))

    def title(self, paper_id: str) -> str:
        """Return the title of a paper."""
        paper = self._catalog.get([paper_id]).get(paper_id)
        return paper.title if paper else ""

    def is_name_of(self, mention: Mention, paper_id: str, *, strictly: bool = True) -> bool:
        """Tell whether a mention is what a paper calls itself: in its title, or its own name that it uses repeatedly.

        Not `strictly`, any name that it uses repeatedly will do; a part that it introduces once never does.
        """
        repeated = any(u.paper_id == paper_id and u.count >= 2 for u in self._names.users(mention.key))
        return mention.names(self.title(paper_id)) or (repeated and (mention.owned or not strictly))

    def distinct(self, paper_ids: Sequence[str]) -> Sequence[str]:
        """Return these papers without the near-copies of an earlier one; of a crowd, all."""
        if len(paper_ids) > CROWD:
            return paper_ids
        papers = self._catalog.get(paper_ids)
        return first_of_copies({i: papers[i].abstract for i in paper_ids if i in papers})

    def find(self, text: str, within: Sequence[str] | None = None) -> list[ScoredChunk]:
        """Return the best passage of each paper found, best first, of all papers or of those with these ids."""
        return without_crowding(self._find(text, self.mentions(text), None, within)[1])

    def nearest(self, phrase: str) -> Nearest | None:
        """Return the paper nearest to a part of a question, None in an empty library."""
        return self.remember(("nearest", phrase), lambda: self._nearest(phrase, None))

    def _nearest(self, phrase: str, within: Sequence[str] | None) -> Nearest | None:
        candidates, order = self._find(phrase, self.mentions(phrase), None, within, first=_PART_DEPTH)
        cosine = _by_paper(candidates.cosine)
        if not order:
            return None
        first = order[0].paper.id
        rest = max((value for paper_id, value in cosine.items() if paper_id != first), default=0.0)
        places = tuple(Place(s.paper.id, s.chunk.id, s.source, s.score) for s in order[:_PART_DEPTH])
        return Nearest(first, cosine.get(first), rest, places)

    def _find(
        self,
        text: str,
        mentions: Sequence[Mention],
        carried: str | None,
        within: Sequence[str] | None,
        first: int | None = None,
        also: Collection[str] = (),
    ) -> tuple[Candidates, list[ScoredChunk]]:
        """Return what was found and its papers, best first: all, or the `first` ones and those with the ids `also`."""
        bonus = _bonus(text, mentions, carried, self._together(mentions))
        candidates = self._retriever.candidates(
            self._query(text, mentions),
            within,
            dense=is_english(text),
            first=None if first is None else first + _LEEWAY,
            also={*bonus, *also},
        )
        return candidates, _order(candidates.by_paper(), bonus, self._catalog, within)

    def _together(self, mentions: Sequence[Mention]) -> list[str]:
        """Return the papers with two or more of the names that a question mentions, their own or not."""
        users = {m.key: {use.paper_id for use in self._names.users(m.key)} for m in mentions if m.certain}
        counts = Counter(paper for papers in users.values() for paper in papers)
        return [paper for paper, count in counts.items() if count > 1]

    def _query(self, text: str, mentions: Sequence[Mention]) -> str:
        """Return what is looked up for a text: names spelt as the library does, acronyms also in full."""
        query = _spelt(text, mentions) if is_english(text) else without_function_words(text)
        return " ".join([query, *self._spelt_out(text, mentions)])

    def _embed_sides(self, text: str, mentions: Sequence[Mention]) -> None:
        """Embed a question and the parts that are looked up for themselves in one call; the embedder remembers them."""
        sides = [phrase for _, phrase in parts(text)][:_PARTS]
        if self._embedder is not None and len(sides) > 1 and is_english(text):
            queries = [self._query(side, self.mentions(side)) for side in sides if is_english(side)]
            self._embedder.embed([self._query(text, mentions), *queries])

    def gather(self, text: str, carried: str | None = None, within: Sequence[str] | None = None) -> Evidence:
        """Return the evidence for a question, of all papers or of those with the ids `within`.

        `carried` is the id of the paper that a follow-up is about.
        """
        if within is not None:
            return self._gather(text, carried, within)
        return self._gathered.recall((text, carried), lambda: self._gather(text, carried))

    def _gather(self, text: str, carried: str | None, within: Sequence[str] | None = None) -> Evidence:
        mentions, missed = tuple(self.mentions(text)), self._misses()
        self._embed_sides(text, mentions)
        sides = self._sides(text, within)
        named = {paper for m in mentions if m.tells for paper in m.papers}
        also = named | {place.paper_id for side in sides for place in side.places}
        candidates, order = self._find(text, mentions, carried, within, max(CROWD, EVIDENCE_PAPERS), also)
        order = without_crowding(order)
        question = understand(text, tuple((m.start, m.end) for m in mentions if m.tells))
        lead = _lead([scored.score for scored in order[:EVIDENCE_PAPERS]])
        order = _with_copy(self._with_sides(sides, named, order))
        frequency = self._retriever.document_frequency(question.focus)
        rarities = self._rarities(frequency)
        cosine = _by_paper(candidates.cosine)
        if len(order) == 1 and points_back(text):
            carried = order[0].paper.id
        best = self._read(order[0], question, mentions, rarities, cosine) if order else None
        rest = [value for paper_id, value in cosine.items() if best and paper_id != best.paper.id]
        gap = best.cosine - max(rest, default=0.0) if best else 0.0
        unknown = self._unknown_names(text, mentions, [scored.paper for scored in order[:EVIDENCE_PAPERS]])
        strange = tuple(name for name in unknown if name.islower())
        return Evidence(
            question,
            mentions,
            best,
            tuple(order[:EVIDENCE_PAPERS]),
            tuple(name for name in unknown if name not in strange),
            strange,
            {t: n / max(1, self._retriever.passages) for t, n in frequency.items()},
            cosine,
            gap,
            carried,
            {i: score / candidates.reach for i, score in _by_paper(candidates.bm25).items()}
            if candidates.reach
            else {},
            lead,
            self._ordinary(question),
            self._retriever.passages,
            self._misses() > missed,
        )

    def _ordinary(self, question: Question) -> dict[str, float]:
        """Return the share of passages of general English that would hold each focus word, by its typed forms."""
        typed = {stem(token.text): token.text for token in reversed(list(tokens(question.text)))}
        return {t: self._share((t, *forms(typed.get(t, t)))) for t in question.focus}

    def _sides(self, text: str, within: Sequence[str] | None) -> list[Nearest]:
        """Return what is nearest to each part of a question ("A against B"), nothing where it has but one."""
        sides = [phrase for _, phrase in parts(text)][:_PARTS]
        found = (self.nearest(side) if within is None else self._nearest(side, within) for side in sides)
        return [near for near in found if near] if len(sides) > 1 else []

    def _with_sides(
        self, sides: Sequence[Nearest], named: Collection[str], order: Sequence[ScoredChunk]
    ) -> list[ScoredChunk]:
        """Return the papers with the best two of each part of a question behind those that it names."""
        if not sides:
            return list(order)
        first = [scored for n, scored in enumerate(order) if n == 0 or scored.paper.id in named]
        known = {scored.paper.id: scored for scored in order}
        whole = {identity: scored.score for identity, scored in known.items()}
        rows = [_in_context(side.places, whole)[:_OF_A_PART] for side in sides]
        places = [row[rank] for rank in range(_OF_A_PART) for row in rows if rank < len(row)]
        missing = [place for place in places if place.paper_id not in known]
        passages = self._catalog.passages([place.chunk_id for place in missing])
        for place in missing:
            if place.chunk_id in passages:
                paper, chunk = passages[place.chunk_id]
                # Its score is of another query, which compares with none of these.
                known[place.paper_id] = ScoredChunk(chunk, paper, 0.0, place.source)
        added = [known[place.paper_id] for place in places if place.paper_id in known]
        return list({scored.paper.id: scored for scored in (*first, *added, *order)}.values())

    def read(self, evidence: Evidence, paper_ids: Sequence[str]) -> dict[str, PaperEvidence]:
        """Return what these papers say to a question that was gathered before, by paper id."""
        frequency = self._retriever.document_frequency(evidence.question.focus)
        rarities = self._rarities(frequency)
        found = {s.paper.id: s for s in evidence.chunks}
        missing = [i for i in paper_ids if i not in found]
        papers = self._catalog.get(missing)
        for chunk in self._catalog.chunks_of(missing):
            found.setdefault(chunk.paper_id, ScoredChunk(chunk, papers[chunk.paper_id], 0.0, "lexical"))
        wanted = [found[i] for i in paper_ids if i in found]
        if self._sentences is not None:
            self._sentences.of([sentence_texts(s.paper.abstract) for s in wanted])  # in one go: both cores are used
        return {
            s.paper.id: self._read(s, evidence.question, evidence.mentions, rarities, evidence.cosine) for s in wanted
        }

    def _spelt_out(self, text: str, mentions: Sequence[Mention]) -> list[str]:
        """Return the words behind the question's common acronyms that the library writes in full only."""
        taken = {t for m in mentions for t in range(m.start, m.end)}
        names = [n for n in coined_names(text) if n.start not in taken and spelt_out(n.text)]
        return [spelt_out(n.text) for n in names if not any(self._retriever.document_frequency([n.key]).values())]

    def _rarities(self, frequency: Mapping[str, int]) -> dict[str, float]:
        """Return the weight of each word, by how few passages hold it; a word that none holds weighs most."""
        documents = max(1, self._retriever.passages)
        return {t: max(_LEAST_WEIGHT, rarity(n, documents)) for t, n in frequency.items()}

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
        telling = tuple(m for m in names if m.tells)
        stems = frozenset().union(*(f.stems for f in facts))
        keys = {m.key for m in names if not m.names(paper.title)}
        cosines = self._cosines(paper, facts, question, text, telling, weights)
        ranked = tuple(rank_sentences(question, facts, cosines, weights, keys))
        parts = [
            tuple(rank_sentences(part, facts, self._cosines(paper, facts, part, part.text, (), weights), weights, keys))
            for part in _asked(question, [m for m in mentions if m.tells])
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
            tuple(parts) or (ranked,),
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

    def _unknown_names(self, text: str, mentions: Sequence[Mention], papers: Sequence[Paper]) -> tuple[str, ...]:
        """Return names of the question that the library does not know, then its lower-case words that nobody knows."""
        taken = [(m.start, m.end) for m in mentions]
        candidates = (
            [] if text.isupper() else [(n.text, n.start, n.end) for n in (*long_names(text), *coined_names(text))]
        )
        candidates += [(text[t.start : t.end], t.start, t.end) for t in tokens(text) if self._is_strange(text, t)]
        unknown: dict[str, None] = {}
        for name, start, end in candidates:
            explained = any(stands_for(name, paper.abstract) for paper in papers)
            inside = any(a < end and start < b for a, b in taken)
            if not (inside or explained or name_key(name) in _GENERIC or self._knows(name)):
                unknown[name] = None
                taken.append((start, end))
        return tuple(unknown)

    def _knows(self, name: str) -> bool:
        """Tell whether the library holds a name: as one word, as these words side by side, or spelt out."""
        words = [stem(t.text) for t in tokens(name) if t.text not in STOPWORDS]
        # An ordinary word is looked up as any word is: "probabilities" stands in an index of stems.
        ordinary = len(words) == 1 and (name.islower() or name.istitle())
        alone = [name_key(name), *(words if ordinary else ())]
        if ordinary:
            alone += [stem(other) for other in spellings(name.casefold())]
        if any(self._retriever.document_frequency(alone).values()):
            return True
        if len(words) > 1 and self._retriever.has_phrase(words):
            return True
        meaning = content_stems(spelt_out(name))
        return bool(meaning) and all(self._retriever.document_frequency(meaning).values())

    def _is_strange(self, text: str, token: Token) -> bool:
        """Tell whether a word is no English word that we know, nor one with a slip of the finger."""
        word = token.text
        if _LETTERS_AND_DIGITS.fullmatch(word):
            return True
        if len(word) < _STRANGE or not word.isascii() or not word.isalpha() or word in STOPWORDS:
            return False
        # The first word of a sentence, or of a title in quotation marks, has its capital from where it stands.
        first = token.start < 2 or text[token.start - 2] in ".!?:" or text[token.start - 1] in _OPENING
        capital = text[token.start].isupper() and not first
        if self._words.explains(word):
            # "the Perspective API": an ordinary word that is a name here, unless every word is capitalised.
            return capital and not _is_title_case(text)
        return capital or not self._words.resembles(word)


def _asked(question: Question, names: Sequence[Mention]) -> list[Question]:
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


def _is_title_case(text: str) -> bool:
    words = [t for t in tokens(text) if t.text not in STOPWORDS]
    return 2 * sum(text[t.start].isupper() for t in words) > len(words)


def _by_paper(cosine: Mapping[str, float]) -> dict[str, float]:
    best: dict[str, float] = {}
    for chunk_id, value in cosine.items():
        paper_id = paper_of(chunk_id)
        best[paper_id] = max(best.get(paper_id, value), value)
    return best


def _bonus(text: str, mentions: Collection[Mention], carried: str | None, together: Sequence[str]) -> dict[str, float]:
    """Return what each named paper gets on top of its fused score, and the one that a follow-up is about.

    So do those with several of the names `together`, however many papers have each of them.

    A long query is about more than the names in it: beyond `_IN_PASSING` words each counts for less.
    """
    share = min(1.0, _IN_PASSING / max(1, len(content_stems(text))))
    bonus: dict[str, float] = {carried: _CARRIED_BONUS} if carried else {}
    for mention in mentions:
        bonuses = _OWN_BONUS if mention.owned else _NAME_BONUS
        weight = 0.0 if mention.common else share * bonuses.get(len(mention.papers), 0.0)
        weight *= 1.0 if mention.certain else _ORDINARY_WORD * mention.owned
        for paper_id in mention.papers if weight else ():
            bonus[paper_id] = max(bonus.get(paper_id, 0.0), weight) + 0.1 * (paper_id in bonus)
    for paper_id in together:
        bonus[paper_id] = max(bonus.get(paper_id, 0.0), share * _TOGETHER)
    return bonus


def _order(
    found: Sequence[ScoredChunk],
    bonus: Mapping[str, float],
    catalog: Catalog,
    within: Sequence[str] | None = None,
) -> list[ScoredChunk]:
    """Put named papers first; one that retrieval missed is added."""
    there = {s.paper.id for s in found}
    allowed = None if within is None else set(within)
    added = [i for i in bonus if i not in there and (allowed is None or i in allowed)]
    papers = catalog.get(added)
    firsts = {c.paper_id: c for c in reversed(catalog.chunks_of(added))}
    rows = [*found, *(ScoredChunk(firsts[i], papers[i], 0.0, "lexical") for i in added if i in firsts)]
    scored = [ScoredChunk(s.chunk, s.paper, s.score + bonus.get(s.paper.id, 0.0), s.source) for s in rows]
    return sorted(scored, key=lambda s: (-s.score, s.paper.id))


def _in_context(places: Sequence[Place], whole: Mapping[str, float]) -> list[Place]:
    """Order what one part of a question found, with a share of what the whole question says of the same papers."""
    return sorted(places, key=lambda p: (-p.score - _CONTEXT * whole.get(p.paper_id, 0.0), p.paper_id))


def _with_copy(order: Sequence[ScoredChunk]) -> list[ScoredChunk]:
    """Put a near-copy of the best paper, which stands behind the other papers, among the first of the evidence."""
    best = words_of(order[0].chunk.text) if order else frozenset()
    copy = next((s for s in order[_COPY_PLACE:CROWD] if are_copies(best, words_of(s.chunk.text))), None)
    if copy is None:
        return list(order)
    rest = [scored for scored in order if scored is not copy]
    return [*rest[: _COPY_PLACE - 1], copy, *rest[_COPY_PLACE - 1 :]]


def _lead(scores: Sequence[float]) -> float:
    """Return how far the first of some scores stands above the mean of the others; all of it where there are none."""
    return scores[0] - sum(scores[1:]) / max(1, len(scores) - 1) if scores else 0.0


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
