"""A library with five invented abstracts and canned answers, streamed sentence by sentence."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rag.census.judging import Census, judge_all
from rag.errors import InputError, ModelError
from rag.library.corpus import Reading
from rag.survey.mapping import Map, draw_map
from rag.survey.nearness import Near, by_words, draft_paper, neighbours
from rag.survey.tables import Comparison, Table, compare, extract
from rag.text.words import content_stems
from rag.types import Answer, Citation, Hit, IndexReport, Paper, Rejected, TextPiece, Turn


def bag_of_words(text: str) -> list[float]:
    """A vector that is the same on each run: how often a text's words fall into each of 16 places."""
    places = [sum(map(ord, word)) % 16 for word in content_stems(text)]
    return [float(places.count(place)) for place in range(16)]


HOSTILE_TITLE = "<img src=x onerror=\"document.title='hit'\">"
HOSTILE_ABSTRACT = (
    "Tokens <unk> and <mask>, p<0.05, file_name_v2, 2*3*4, ## counts "
    "<style>body{display:none}</style> and %%%LATEX_BLOCK_0%%% stay as they are. "
    "<script>document.title='hit'</script> [link](javascript:alert(1)) `code` is text."
)


def paper(paper_id: str, title: str, abstract: str, **metadata: object) -> Paper:
    return Paper(paper_id, title, not metadata, abstract, abstract, metadata)


PAPERS = (
    paper(
        "spar",
        "SPAR: sparse pairwise attention routing",
        "Long documents make attention the dominant cost of reading. We present SPAR, which routes every query to the "
        "few key blocks that matter to it. SPAR cuts attention cost from $O(N^2)$ to $O(N \\log N)$ and keeps 99.1% of "
        "accuracy on long documents. Training cost fell from $3,000 to $1,200 a run. On the OAKMOOR benchmark it reads "
        "books of 400,000 tokens in 2.4 seconds. Code is available at https://example.org/spar_attention.",
        authors=["A. Reed", "B. Holt"],
        venue={"name": "Hollow Conference on Reading"},
        year=2026,
    ),
    paper(
        "tarnlex",
        "TARNLEX: parsing legal text with clause graphs",
        "Legal sentences run long and nest deeply, and general parsers lose their subjects. TARNLEX parses legal text "
        "by growing a graph of clauses before it attaches words. On the OAKMOOR benchmark it scores 71.4 F1, against "
        "68.9 for the best earlier system. An ablation shows that the clause graph brings 1.8 of the 2.5 points.",
        authors=["C. Ilves"],
        year=2026,
    ),
    paper(
        "wexle",
        "WEXLE: a parser for clinical notes",
        "WEXLE parses clinical notes. On the OAKMOOR benchmark it scores 74.1 F1 with half of TARNLEX's parameters. "
        "Abbreviations are expanded from the note's own context rather than from a dictionary.",
    ),
    paper(
        "yoruba",
        "A corpus of annotated Yoruba dialogues",
        "We release a corpus of 12,000 annotated dialogues in Yoruba, collected from 240 volunteers. Every dialogue "
        "was checked by two annotators, who agree on 93% of the labels.",
        authors=["D. Adeyemi"],
        year=None,
    ),
    paper("hostile", HOSTILE_TITLE, HOSTILE_ABSTRACT),
)
_BY_ID = {p.id: p for p in PAPERS}


def cite(marker: int, paper_id: str, quote: str) -> Citation:
    start = _BY_ID[paper_id].abstract.index(quote)
    return Citation(marker, paper_id, f"{paper_id}:0", _BY_ID[paper_id].title, quote, start, start + len(quote))


SPAR_COST = "SPAR cuts attention cost from $O(N^2)$ to $O(N \\log N)$ and keeps 99.1% of accuracy on long documents."
TARNLEX_SCORE = "On the OAKMOOR benchmark it scores 71.4 F1, against 68.9 for the best earlier system."
WEXLE_SCORE = "On the OAKMOOR benchmark it scores 74.1 F1 with half of TARNLEX's parameters."
YORUBA_SIZE = "We release a corpus of 12,000 annotated dialogues in Yoruba, collected from 240 volunteers."


def answer(question: str, text: str, *citations: Citation, **fields: object) -> Answer:
    known = {"standalone_question": question, "outcome": "answered", "confidence": 0.93, "seconds": 0.4} | fields
    cited = "|".join(str(citation.marker) for citation in citations)
    known.setdefault("marks", tuple(m.start() for m in re.finditer(rf"\[(?:{cited})\]", text)) if cited else ())
    return Answer(question=question, text=text, citations=citations, **known)  # type: ignore[arg-type]


def canned(question: str, history: Sequence[Turn]) -> Answer:
    """Choose an answer by a word of the question."""
    asked = question.lower()
    note = "Of answers like this, 93 in 100 were right in the evaluation."
    if "they compare" in asked and history:
        return answer(
            question,
            "Both are measured on OAKMOOR:\n"
            f"- TARNLEX: {TARNLEX_SCORE} [1]\n"
            f"- WEXLE: {WEXLE_SCORE} [2]\n\n"
            "Neither abstract gives a run on the other's kind of text.",
            cite(1, "tarnlex", TARNLEX_SCORE),
            cite(2, "wexle", WEXLE_SCORE),
            standalone_question="How do TARNLEX and WEXLE compare on the OAKMOOR benchmark?",
            confidence=0.71,
            rejected=(Rejected("[2]", "WEXLE is twice as fast.", "no abstract mentions its speed"),),
        )
    if "spar" in asked:
        return answer(
            question,
            f"From the abstract of “SPAR: sparse pairwise attention routing”: {SPAR_COST} [1] "
            "It does so because it “routes every query to the few key blocks that matter to it”. [2] "
            "Training became cheaper as well: Training cost fell from $3,000 to $1,200 a run. [3]",
            cite(1, "spar", SPAR_COST),
            cite(2, "spar", "routes every query to the few key blocks that matter to it"),
            cite(3, "spar", "Training cost fell from $3,000 to $1,200 a run."),
            confidence_note=note,
        )
    if "tarnlex" in asked:
        return answer(question, f"{TARNLEX_SCORE} [1]", cite(1, "tarnlex", TARNLEX_SCORE), confidence_note=note)
    if "yoruba" in asked:
        return answer(question, f"{YORUBA_SIZE} [1] The bracketed [7] is nobody's.", cite(1, "yoruba", YORUBA_SIZE))
    if "hostile" in asked:
        quote = HOSTILE_ABSTRACT[: HOSTILE_ABSTRACT.index(" stay")]
        return answer(question, f"{HOSTILE_TITLE} says: {quote} [1]", cite(1, "hostile", quote))
    if asked.startswith(("hi", "thanks")):
        return answer(question, "Hello! Ask me anything about these papers.", outcome="smalltalk", confidence=0.0)
    return answer(question, "None of the 5 abstracts here is about that.", outcome="not_in_corpus", confidence=0.88)


@dataclass
class FakeLibrary:
    """Answers from `canned`, one sentence after `delay` seconds each; records what it was asked."""

    delay: float = 0.02
    name: str = "Hollow Conference 2026"
    asked: list[tuple[str, tuple[Turn, ...], str | None]] = field(default_factory=list)
    closed: int = 0
    failures: int = 0
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="fake-library-")))
    added: dict[str, Paper] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return len(PAPERS) + len(self.added)

    def prepare(self, wanted: Callable[[], bool]) -> int:
        return 0

    def papers(self) -> Iterator[Paper]:
        return iter((*PAPERS, *self.added.values()))

    def paper(self, paper_id: str) -> Paper | None:
        return _BY_ID.get(paper_id) or self.added.get(paper_id)

    def search(self, query: str, k: int = 10, filters: Mapping[str, Any] | None = None) -> list[Hit]:
        if k < 1:
            raise InputError(f"k is {k}, but it must be at least 1.")
        if "slow" in query:
            time.sleep(2)
        wanted = set(content_stems(query))
        rows = []
        for one in self.papers():
            common = wanted & set(content_stems(f"{one.title} {one.abstract}"))
            fits = all(str(one.metadata.get(key)) == str(value) for key, value in (filters or {}).items())
            if common and fits:
                rows.append(Hit(one.id, one.title, len(common) / len(wanted), "lexical", one.abstract, one))
        return sorted(rows, key=lambda hit: -hit.score)[:k]

    def census(self, question: str, *, progress: Callable[[int, int], None] | None = None) -> Census:
        if "crash" in question:
            raise ZeroDivisionError("a bug that the page must not show")

        def told(read: int, every: int) -> None:
            if progress:
                progress(read, every)
            if "slow" in question:
                time.sleep(1)

        return judge_all(question, list(self.papers()), progress=told)

    def table(self, columns: str, ids: Sequence[str] | None = None) -> Table:
        return extract(columns, [one for one in self.papers() if ids is None or one.id in ids])

    def compare(self, ids: Sequence[str]) -> Comparison:
        return compare([one for paper_id in ids if (one := self.paper(paper_id))])

    def near(self, draft: str) -> Near:
        pasted = draft_paper(draft)
        return neighbours(pasted, [hit.paper for hit in self.search(pasted.abstract)], by_words)

    def map(self) -> Map:
        return draw_map(list(self.papers()), {one.id: bag_of_words(one.abstract) for one in self.papers()})

    def health(self) -> dict[str, Any]:
        return {"papers": self.count, "chunks": 5, "vectors": 5, "pending": 0, "embedder": "fake"}

    def settings(self) -> dict[str, Any]:
        return {"mode": "auto", "api_key": "***"}

    def add(self, reading: Reading, source: str, *, keep: bool = False, progress: Any = None) -> IndexReport:
        self.added |= {one.id: one for one in reading.papers}
        return IndexReport(added=tuple(self.added), skipped=reading.skipped, embedded=len(self.added))

    def stream(
        self, question: str, history: Sequence[Turn] = (), mode: str | None = None
    ) -> Iterator[TextPiece | Answer]:
        self.asked.append((question, tuple(history), mode))
        try:
            if "word a second" in question:
                for number in range(600):
                    yield TextPiece(f"Sentence {number}. ")
                    time.sleep(max(self.delay, 0.05))
            if "unreachable" in question and self.failures == 0:
                self.failures += 1
                yield TextPiece("It begins well. ")
                raise ModelError("The model's server at http://model.example did not answer; check that it runs.")
            if "crash" in question:
                raise ZeroDivisionError("a bug that the page must not show")
            reply = canned(question, history)
            for sentence in reply.text.split(" [")[:-1] or [reply.text]:
                time.sleep(self.delay)
                yield TextPiece(sentence + " ")
            time.sleep(self.delay)
            yield reply
        finally:
            self.closed += 1
