"""Question + library -> evidence: looks a question up as a whole, by its names and part by part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar

from rag.library.catalog import Catalog
from rag.library.sentence_vectors import SentenceVectors
from rag.retrieval.evidence import EVIDENCE_PAPERS, Evidence, Nearest, PaperEvidence, Place
from rag.retrieval.hybrid import CROWD, Candidates, Retriever, first_of_copies, paper_of, without_crowding
from rag.retrieval.memory import Memory
from rag.retrieval.mentions import Mention, NameIndex
from rag.retrieval.order import bonus_of, in_context, lead_of, order_of, with_copy
from rag.retrieval.question import Question, parts, points_back, understand
from rag.retrieval.reading import Reader
from rag.retrieval.unknown import Strangers
from rag.text.dictionary import Dictionary, forms
from rag.text.language import is_english, without_function_words
from rag.text.matching import rarity
from rag.text.names import coined_names, spelt_out
from rag.text.words import stem, tokens
from rag.types import Embedder, ScoredChunk

T = TypeVar("T")
_REMEMBERED = 48  # questions, of some 75 KB each: one answer gathers the same evidence several times
_NOTED = 2048  # small facts about questions, of some 2 KB each: a follow-up looks at what the turns before it found
_PARTS = 4  # of a question that are looked up for themselves
_OF_A_PART, _PART_DEPTH = 2, 6  # papers of a part that are among the first of the evidence; those they are chosen from
_LEEWAY = 10  # papers read beyond those that are wanted: some passages found may be of papers just withdrawn
_LEAST_WEIGHT = 0.3  # of a word that every paper holds


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
        self._reader, self._strangers = Reader(embedder, sentences), Strangers(retriever, words)
        self._names = names
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
        bonus = bonus_of(text, mentions, carried, self._together(mentions))
        candidates = self._retriever.candidates(
            self._query(text, mentions),
            within,
            dense=is_english(text),
            first=None if first is None else first + _LEEWAY,
            also={*bonus, *also},
        )
        return candidates, order_of(candidates.by_paper(), bonus, self._catalog, within)

    def _together(self, mentions: Sequence[Mention]) -> list[str]:
        """Return the papers with two or more of the names that a question mentions, where none is a paper's own."""
        if any(m.owned and m.tells for m in mentions):
            return []
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
        lead = lead_of([scored.score for scored in order[:EVIDENCE_PAPERS]])
        order = with_copy(self._with_sides(sides, named, order))
        frequency = self._retriever.document_frequency(question.focus)
        rarities = self._rarities(frequency)
        cosine = _by_paper(candidates.cosine)
        if len(order) == 1 and points_back(text):
            carried = order[0].paper.id
        best = self._reader.read(order[0], question, mentions, rarities, cosine) if order else None
        rest = [value for paper_id, value in cosine.items() if best and paper_id != best.paper.id]
        gap = best.cosine - max(rest, default=0.0) if best else 0.0
        unknown = self._strangers.find(text, mentions, [scored.paper for scored in order[:EVIDENCE_PAPERS]])
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
        rows = [in_context(side.places, whole)[:_OF_A_PART] for side in sides]
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
        self._reader.prepare([s.paper for s in wanted])
        return {
            s.paper.id: self._reader.read(s, evidence.question, evidence.mentions, rarities, evidence.cosine)
            for s in wanted
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


def _by_paper(cosine: Mapping[str, float]) -> dict[str, float]:
    best: dict[str, float] = {}
    for chunk_id, value in cosine.items():
        paper_id = paper_of(chunk_id)
        best[paper_id] = max(best.get(paper_id, value), value)
    return best


def _spelt(text: str, mentions: Sequence[Mention]) -> str:
    """Return the question with misspelt names put right, for retrieval."""
    for mention in reversed(mentions):
        if mention.misspelt:
            text = text[: mention.start] + mention.name + text[mention.end :]
    return text
