"""The front door: a `Library` holds the parts and wires them; `rag.opening` finds or makes one."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rag.answering.assembly import Assembly
from rag.answering.confidence import Uncalibrated, packaged_calibration
from rag.answering.draft import Draft, is_sure, quoted, refusal, used_first, verdict_of
from rag.answering.notices import of_cost, of_limits, of_translation
from rag.answering.reply import answer_extractively
from rag.answering.selection import MAX_SENTENCES
from rag.config import Config
from rag.errors import InputError, LibraryError
from rag.library import indexing, proving
from rag.library.corpus import Reading, read_file
from rag.library.embedding import MiniLM, Remembering
from rag.library.embedding_service import make_embedder
from rag.library.keeping import NO_WEIGHTS, Approve, Keeper, Progress, source_name
from rag.library.sentence_vectors import SentenceVectors
from rag.parts import Parts
from rag.retrieval.chosen import chosen
from rag.retrieval.conversation import standalone
from rag.retrieval.evidence import Evidence
from rag.retrieval.history import turns
from rag.retrieval.hybrid import hits
from rag.retrieval.limits import Limits, limits_of
from rag.retrieval.question import points_back
from rag.retrieval.requests import without_orders
from rag.retrieval.searcher import Searcher
from rag.survey.asked import asked_of_collection
from rag.text.given import given_text
from rag.text.language import is_english
from rag.text.sentences import sentences
from rag.types import (
    Answer,
    ChatModel,
    Embedder,
    Hit,
    IndexReport,
    Paper,
    Rejected,
    Statement,
    TextPiece,
    Turn,
    Usage,
)

if TYPE_CHECKING:
    from rag.census.judging import Census
    from rag.model.judgements import Judgements
    from rag.model.judging import ModelJudge
    from rag.model.translation import Translation
    from rag.survey.collection import Summary
    from rag.survey.mapping import Map
    from rag.survey.nearness import Near
    from rag.survey.records import Record, Records, Replay
    from rag.survey.tables import Comparison, Table

_KEPT_CENSUSES = 7
_WAIT_FOR_ANSWERS = 0.1  # seconds between two looks whether somebody is still being answered
_COLLECTION = 0.8  # how sure a sum over all papers is, as a census states it
_MOST_ASKED = 400  # abstracts that a model is asked about unbidden, in chat; more takes a command of its own


class Library:
    """A named set of abstracts that can be indexed, searched and asked; safe to use from several threads."""

    def __init__(
        self,
        folder: Path,
        name: str,
        config: Config,
        *,
        chroma: str | None = None,
        embedder: Embedder | None = None,
        mode: str | None = None,
        model: ChatModel | None = None,
        calibrated: bool = True,
    ) -> None:
        self.name, self.folder = name, folder
        self._config, self._model = config, model
        self._mode = config.resolve_mode(mode) if model is None else (mode if mode in ("extractive", "llm") else "llm")
        self._calibration = packaged_calibration() if calibrated else Uncalibrated()
        self._embedder = embedder if embedder is not None else make_embedder(config)
        self._keeper = Keeper(folder, name, self._embedder, chroma, config.chroma_token, home=config.home)
        self._catalog = self._keeper.catalog
        self._remembering = Remembering(self._embedder) if self._embedder is not None else None
        self._sentences = SentenceVectors(folder, self._embedder) if self._embedder is not None else None
        self._parts = Parts(folder, self._keeper, self._remembering, self._sentences)
        self._asking = 0
        self._prepared: Any = None
        self._guard = threading.RLock()
        self._drawn: tuple[Any, Map] | None = None
        self._remembered: Judgements | None = None
        self._counted: dict[tuple[str, tuple[str, ...], Any], Census] = {}

    def __enter__(self) -> Library:
        """Return the library itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the library."""
        self.close()

    def close(self) -> None:
        """Release the files of the library."""
        self._keeper.close()
        if self._sentences is not None:
            self._sentences.close()

    # What is in it

    @property
    def count(self) -> int:
        """Return the number of papers."""
        return self._catalog.count()

    @property
    def mode(self) -> str:
        """Return how this library answers: `extractive` or `llm`."""
        return self._mode

    @property
    def model(self) -> str | None:
        """Return the name of the model that answers, or None in extractive mode."""
        if self._mode != "llm":
            return None
        return getattr(self._model, "name", None) or self._config.model

    def papers(self) -> Iterator[Paper]:
        """Yield every paper, in the order it was read."""
        return self._catalog.papers()

    def paper(self, paper_id: str) -> Paper | None:
        """Return one paper by id, or None."""
        return self._catalog.get([paper_id]).get(paper_id)

    def chosen(self, typed: str) -> Paper:
        """Return the paper that an id, a title, a part of one or the name of a method means.

        Raises `InputError` where no paper is meant, or more than one.
        """
        return self._named([typed])[0]

    @property
    def keeper(self) -> Keeper:
        """Return what keeps the texts and both indexes in step, for `rag doctor` and `rag index --rebuild`."""
        return self._keeper

    def health(self) -> dict[str, Any]:
        """Return the counts on both sides and what is missing, for `rag doctor`."""
        return self._keeper.health()

    def settings(self) -> dict[str, Any]:
        """Return the settings in force, secrets masked."""
        return self._config.shown()

    # Filling it

    def index(self, source: str | Path, *, keep: bool = False, progress: Progress | None = None) -> IndexReport:
        """Read a file, a folder, or standard input (`-`) into the library and embed what is new or changed.

        The records of an earlier reading of the same source that are no longer in it are removed, unless `keep`. Raises
        `InputError` for a file that can't be read, `NothingIndexed` where it holds no abstract, `LibraryError` where
        another process is writing.
        """
        return self.add(read_file(source), source_name(source), keep=keep, progress=progress)

    def add(
        self,
        reading: Reading,
        source: str,
        *,
        keep: bool = False,
        progress: Progress | None = None,
        approve: Approve | None = None,
    ) -> IndexReport:
        """Store a reading under a source name; see `index`. `approve` is asked before a run that costs money."""
        return self._keeper.add(reading, source, keep=keep, progress=progress, approve=approve)

    def remove(self, ids: Sequence[str]) -> list[str]:
        """Remove papers by id; return the ids that were there."""
        if isinstance(ids, str):
            raise InputError(f"ids is one text, but it must be a list of ids; give [{ids!r}].")
        return self._keeper.remove(ids)

    def complete(self, progress: Progress | None = None) -> int:
        """Finish an interrupted indexing; return how many chunks were embedded."""
        return self._keeper.complete(progress)

    def rebuild(self, progress: Progress | None = None) -> int:
        """Make chunks, names and both indexes anew from the texts as read; return how many chunks were embedded."""
        return self._keeper.rebuild(progress)

    def by_words(self, text: str) -> dict[str, float]:
        """Return the passages that a text's words find, best first, with their scores."""
        index = self._parts.words()
        return index.top(index.scores(text), proving.DEPTH)

    def prepare(self, wanted: Callable[[], bool]) -> int:
        """Embed the sentences of abstracts ahead of the questions, while `wanted` and nobody asks; return of how many.

        An answer about one of them then takes about half the time. Nothing is done where embedding costs money.
        """
        version = self._catalog.version()
        if self._sentences is None or not isinstance(self._embedder, MiniLM) or self._prepared == version:
            return 0

        def undisturbed() -> bool:
            while self._asking and wanted():
                time.sleep(_WAIT_FOR_ANSWERS)
            return wanted()

        texts = (tuple(s.text for s in sentences(paper.abstract)) for paper in self.papers())
        made = self._sentences.fill(texts, undisturbed)
        self._prepared = version if wanted() else None
        return made

    def prove(self) -> dict[str, Any]:
        """Search every passage by its own text through each index; mend what does not find itself."""
        return self._keeper.prove(self.by_words)

    # Asking it

    def search(self, query: str, k: int = 10, filters: Mapping[str, Any] | None = None) -> list[Hit]:
        """Return the k best papers for a query, one row a paper, best first.

        `filters` maps venue, year, author or keyword to a value or a list of values, compared without case. Raises
        `InputError` for a value that no paper has.
        """
        if k < 1:
            raise InputError(f"k is {k}, but it must be at least 1.")
        query = given_text(query, "query")
        if not query.strip():
            return []
        allowed = self._parts.filters().papers(filters) if filters else None
        if allowed is not None and not allowed:
            return []
        self._keeper.check_fingerprint()
        return hits(self.searcher().find(query, allowed), k)

    def understood(self, question: str) -> Limits:
        """Return the filters that a question asks for in words ("at AISTATS 2025"), and the question without them."""
        return limits_of(given_text(question), self._parts.filters())

    def ask(self, question: str, history: Sequence[Any] | None = None, mode: str | None = None) -> Answer:
        """Answer a question from the abstracts; `history` are earlier questions or turns."""
        answer: Answer | None = None
        for piece in self.stream(question, history, mode):
            if isinstance(piece, Answer):
                answer = piece
        if answer is None:
            raise LibraryError("The answer broke off before it was complete; ask again.")
        return answer

    def stream(
        self, question: str, history: Sequence[Any] | None = None, mode: str | None = None
    ) -> Iterator[TextPiece | Answer]:
        """Yield verified text as it becomes known, last the `Answer`; closing the iterator stops the model."""
        with self._guard:
            self._asking += 1
        try:
            yield from self._answers(question, history, mode)
        finally:
            with self._guard:
                self._asking -= 1

    def _answers(self, question: str, history: Sequence[Any] | None, mode: str | None) -> Iterator[TextPiece | Answer]:
        started = time.monotonic()
        question = given_text(question)
        self._keeper.check_fingerprint()
        earlier = turns(history)
        chosen = self._resolve(mode)
        searcher = self.searcher()
        translation = self._in_english(question) if chosen == "llm" and not is_english(question) else None
        english = (translation.lines[0] if translation else None) or question
        request = without_orders(english)
        # An order may name what the question then calls "it".
        meant = request.orders and points_back(request.question)
        before = (*earlier, Turn(request.orders)) if meant else earlier
        asked = standalone(request.question, before, searcher)
        limits = self.understood(asked.asked)
        within = self._parts.filters().papers(limits.filters) if limits.filters else []
        limited = bool(limits.filters)
        evidence = (
            searcher.gather(limits.rest, None, within)
            if limited
            else searcher.gather(limits.rest, asked.carried.id if asked.carried else None)
        )
        verdict = verdict_of(evidence, english)
        told = () if translation is None else of_translation(translation)
        warnings = (*told, *self._warnings(evidence, english), *of_limits(limits, len(within), self.count))
        summed = None if evidence.names_paper or asked.carried else self._summed(limits.rest, within, limited)
        if summed is not None:
            yield from self._told(question, asked.text, summed, warnings, started)
            return
        of_library = evidence.question.kind == "census" and asked.carried is None and bool(within or not limited)
        if of_library and verdict.reason not in ("greeting", "empty", "language"):
            text = limits.rest if within or limits.nowhere else asked.text
            yield from self._whole(question, text, warnings, started, within, chosen)
            return
        reply = answer_extractively(evidence, verdict, searcher, request.sentences or MAX_SENTENCES)
        usage = translation.usage if translation else Usage()
        draft = Draft(question, asked.text, reply, warnings, started, self._calibration, usage)
        if chosen == "llm" and reply.verdict.outcome == "answered":
            yield from self._written(draft, evidence, earlier)
        else:
            yield from quoted(draft, evidence)

    def _resolve(self, mode: str | None) -> str:
        if mode in (None, "auto"):
            return self._mode
        return mode if self._model is not None and mode in ("extractive", "llm") else self._config.resolve_mode(mode)

    def _written(self, draft: Draft, evidence: Evidence, earlier: Sequence[Turn]) -> Iterator[TextPiece | Answer]:
        """Yield the answer in the model's words, as far as they hold; the quotes where none do."""
        from rag.model.writing import Outcome, Waiting, write

        model = self._chat_model()
        draft.assembly.model, sources = model.name, used_first(evidence.chunks, draft.reply.papers)
        own, held = not is_english(draft.question), list[Statement]()
        for event in write(model, draft.standalone, earlier, sources):
            if isinstance(event, Waiting):
                yield TextPiece("")
            elif isinstance(event, Statement) and own:
                held.append(event)
                yield TextPiece("")
            elif isinstance(event, Statement):
                yield draft.assembly.add(event)
            elif isinstance(event, Rejected):
                draft.assembly.rejected.append(event)
            elif isinstance(event, Outcome):
                spoken, usage = self._in_language_of(draft.question, held)
                draft = replace(
                    draft, usage=draft.usage + event.usage + usage, warnings=(*draft.warnings, *event.warnings)
                )
                yield from draft.assembly.extend(spoken)
                refused = event.no_answer and not event.kept and not is_sure(evidence)
                if refused:
                    draft = replace(draft, reply=refusal(evidence))
                if event.kept:
                    yield draft.answer(evidence, "llm")
                else:
                    yield from quoted(draft, evidence, "llm" if refused else "extractive")

    def _in_english(self, question: str) -> Translation:
        from rag.model.translation import in_english

        return in_english(self._chat_model(), question)

    def _in_language_of(self, question: str, statements: Sequence[Statement]) -> tuple[list[Statement], Usage]:
        from rag.model.translation import in_language_of

        spoken, made = in_language_of(self._chat_model(), question, statements)
        return spoken, made.usage

    def _chat_model(self) -> ChatModel:
        with self._guard:
            if self._model is None:
                from rag.model.drafting import make_model

                self._model = make_model(self._config)
            return self._model

    def census(
        self,
        question: str,
        within: Sequence[str] = (),
        mode: str | None = "extractive",
        progress: Progress | None = None,
    ) -> Census:
        """Judge every abstract by the condition in a question: yes, no or unsure, with the quote that shows it.

        `within` are the ids of the papers to look at, where not all are meant. With `mode="llm"` the model judges them
        too: see `second_judge`, which also tells what that will cost. `progress(read, all)` is told of the abstracts.
        """
        census = self._by_words(question, within, progress)
        if self._resolve(mode) != "llm":
            return census
        judge = self.second_judge(question, within)
        for _ in judge.run():
            pass
        return self._judged(census, judge)

    def second_judge(self, question: str, within: Sequence[str] = ()) -> ModelJudge:
        """Return the model as the judge of a question: its `estimated` cost, its `run` batch by batch, what it `used`.

        What it judged before is remembered in the library's folder and costs nothing.
        """
        from rag.census.rendering import understood
        from rag.model.judging import ModelJudge

        census = self._by_words(question, within)
        papers = [finding.paper for finding in census.findings]
        return ModelJudge(self._chat_model(), f"abstracts that {understood(census)}", papers, self._judgements())

    def _judged(self, census: Census, judge: ModelJudge) -> Census:
        from rag.census.second import judged_again

        similarity = self._similarity if self._remembering is not None else None
        failed = f"; {judge.error}" if judge.error is not None else ""
        return replace(judged_again(census, judge.found, similarity), cost=f"{judge.used}{failed}")

    def _judgements(self) -> Judgements:
        from rag.model.judgements import Judgements

        with self._guard:
            if self._remembered is None:
                self._remembered = Judgements(self.folder)
            return self._remembered

    def _by_words(self, question: str, within: Sequence[str], progress: Progress | None = None) -> Census:
        question = given_text(question)
        key = (question, tuple(within), self._catalog.version())
        with self._guard:
            kept = self._counted.get(key)
        if kept is None:
            wanted = set(within)
            papers = [paper for paper in self.papers() if not wanted or paper.id in wanted]
            # Its forms are a hundred patterns to compile: only a whole-corpus question pays for them.
            from rag.census.judging import judge_all

            similarity = self._similarity if self._remembering is not None else None
            kept = judge_all(question, papers, similarity, self._parts.dictionary().__contains__, progress)
            with self._guard:
                # A few at a time: a table, an export and the page ask for the same census again.
                self._counted = {**dict(list(self._counted.items())[-_KEPT_CENSUSES:]), key: kept}
        return kept

    # Looking at many papers side by side

    def table(self, columns: str, ids: Sequence[str] | None = None) -> Table:
        """Read the named columns ("method, headline number, code link") from papers chosen as for `compare`, or all."""
        from rag.survey.tables import extract

        return extract(columns, self._named(ids))

    def compare(self, ids: Sequence[str]) -> Comparison:
        """Lay two to five papers side by side, by aspect, and say what can't be compared.

        A paper is given by its id, its title or a part of it that no other has, or the name of its method.
        """
        from rag.survey.tables import compare

        return compare(self._named(ids))

    def near(self, draft: str) -> Near:
        """Return the papers near a draft, split by whether they share its problem, its method or its claim."""
        from rag.survey.nearness import CANDIDATES, by_words, draft_paper, neighbours

        paper = draft_paper(draft)
        found = [hit.paper for hit in self.search(paper.abstract, CANDIDATES)]
        return neighbours(paper, found, by_words if self._remembering is None else self._cosines)

    def map(self, topics: int | None = None) -> Map:
        """Return the topics of the library and a place in a plane for each paper; `topics` is how many to make."""
        key = (topics, self._catalog.version())
        with self._guard:
            kept = self._drawn
        if kept is None or kept[0] != key:
            from rag.survey.mapping import draw_map

            papers, store = list(self.papers()), self._keeper.vectors()
            ids = [paper.id for paper in papers]
            vectors = {} if store is None else indexing.paper_vectors(self._catalog, store, ids)
            kept = (key, draw_map(papers, vectors, topics))
            with self._guard:
                # The page colours it anew, and its topics are a filter: the same map is asked for again and again.
                self._drawn = kept
        return kept[1]

    def _named(self, ids: Sequence[str] | None) -> list[Paper]:
        if ids is None:
            return list(self.papers())
        found = self._catalog.get(ids)
        if len(found) < len(set(ids)):
            titles = {paper.id: paper.title for paper in self.papers()}
            ids = [chosen(typed, titles, self._named_so) for typed in ids]
            found = self._catalog.get(ids)
        return [found[identity] for identity in ids]

    def _named_so(self, text: str) -> Sequence[str]:
        """Return the papers whose own name a text is, all of it."""
        found = [m for m in self.searcher().mentions(text) if m.typed == text.strip() and not m.misspelt]
        return found[0].papers if found else ()

    def _cosines(self, texts: Sequence[str], others: Sequence[str]) -> Any:
        assert self._remembering is not None
        return self._remembering.embed(texts) @ self._remembering.embed(others).T

    # Writing answers down, and asking again

    def record(self, answer: Answer, history: Sequence[Any] | None = None, mode: str | None = None) -> Record:
        """Write an answer down in the library's folder, to be replayed by its id; nothing is recorded unasked."""
        return self._records().save(answer, turns(history), self._resolve(mode), self._setup(), self.papers())

    def records(self) -> list[Record]:
        """Return what was written down, the newest first."""
        return self._records().all()

    def replay(self, identity: str) -> Replay:
        """Ask a recorded question again and compare the answers; raises `InputError` for an unknown id."""
        return self._records().replay(
            identity,
            lambda record: self.ask(record.question, record.history, record.mode),
            self._setup(),
            self.papers(),
        )

    def _records(self) -> Records:
        from rag.survey.records import Records

        return Records(self.folder)

    def _setup(self) -> dict[str, Any]:
        from rag.survey.setup import setup

        return setup(self._config, self.model, self._embedder.fingerprint if self._embedder else None)

    def _similarity(self, query: str, texts: Sequence[str]) -> list[float]:
        assert self._remembering is not None
        vectors = self._remembering.embed([query, *texts])
        return [float(cosine) for cosine in vectors[1:] @ vectors[0]]

    def _whole(
        self,
        question: str,
        asked: str,
        warnings: Sequence[str],
        started: float,
        within: Sequence[str],
        mode: str,
    ) -> Iterator[TextPiece | Answer]:
        census, assembly, usage = self._by_words(asked, within), Assembly(), Usage()
        from rag.census.judging import evidence_of
        from rag.census.rendering import statements

        if mode == "llm":
            judge = self.second_judge(asked, within)
            estimated, wide = judge.estimated, judge.open_papers > _MOST_ASKED
            if not wide:
                for _ in judge.run():
                    # The reader may leave between two requests.
                    yield TextPiece("")
                census, usage = self._judged(census, judge), judge.usage
                assembly.model = judge.name if judge.found else None
            warnings = (*warnings, *of_cost(judge, str(estimated), wide))
        for statement in statements(census):
            yield assembly.add(statement)
        confidence = self._calibration.confidence("census", census.certainty)
        yield Answer(
            question=question,
            standalone_question=asked,
            text=assembly.text,
            outcome="not_in_corpus" if census.nothing_here else "answered",
            citations=assembly.citations,
            evidence=evidence_of(census),
            confidence=confidence.value,
            confidence_note=confidence.note,
            mode="llm" if assembly.model else "extractive",
            model=assembly.model,
            usage=usage,
            seconds=time.monotonic() - started,
            warnings=tuple(warnings),
            marks=assembly.marks,
        )

    def _summed(self, asked: str, within: Sequence[str], limited: bool) -> Summary | None:
        """Return what answers a question about the collection itself; None where it is none, or nothing answers it."""
        wanted = asked_of_collection(asked)
        if wanted is None or (limited and not within) or not self.count:
            return None
        if limited and wanted.aspect in ("contents", "topics"):
            return None  # a census lists the papers that are meant
        from rag.survey.collection import answer

        chosen = set(within)
        papers = [paper for paper in self.papers() if not chosen or paper.id in chosen]
        return answer(wanted, papers, self.map)

    def _told(
        self, question: str, asked: str, summary: Summary, warnings: Sequence[str], started: float
    ) -> Iterator[TextPiece | Answer]:
        assembly = Assembly()
        for statement in summary.statements:
            yield assembly.add(statement)
        confidence = self._calibration.confidence("census", _COLLECTION)
        yield Answer(
            question=question,
            standalone_question=asked,
            text=assembly.text,
            outcome="answered",
            citations=assembly.citations,
            evidence=summary.evidence,
            confidence=confidence.value,
            confidence_note=confidence.note,
            mode="extractive",
            model=None,
            usage=Usage(),
            seconds=time.monotonic() - started,
            warnings=tuple(warnings),
            marks=assembly.marks,
        )

    def _warnings(self, evidence: Evidence, question: str) -> list[str]:
        found = []
        if self._embedder is None:
            found.append(NO_WEIGHTS)
        pending = self._catalog.pending_count() if self._embedder is not None else 0
        if evidence.by_words and self._keeper.trouble:
            found.append(self._keeper.trouble)
        if pending:
            found.append(f"{pending} passages are not embedded yet; for now they are found by their words only.")
        for mention in evidence.mentions:
            if mention.misspelt:
                found.append(f"Taking “{mention.typed}” as “{mention.name}”.")
        if not is_english(question):
            found.append("The embedded search reads English; ask in English for the best results.")
        return found

    def searcher(self) -> Searcher:
        """Return what gathers evidence from this library, as it stands now."""
        return self._parts.searcher()
