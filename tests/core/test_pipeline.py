"""The front door: filling a library, searching it, asking it, and what must hold while others do the same."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rag.config import Config, load_config
from rag.errors import InputError, LibraryError, NothingIndexed
from rag.library.catalog import Catalog
from rag.library.embedding import MiniLM
from rag.library.store import ChromaStore
from rag.opening import open_library
from rag.pipeline import Library
from rag.types import Answer, Paper, TextPiece
from tests.core.conftest import OpenAt
from tests.fakes import GaveUpError, WordEmbedder, make_paper, make_reading, write_abstracts, write_lines

MILL = "MILLNET models tidal mills in harbours. It gains 4.2 points."
FERRY = "FERRYQ plans ferry routes by night. It saves 7 minutes a trip."
DIALECT = "We record nine dialects of one valley. The corpus holds 300 hours."


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def library(open_at: OpenAt, embedder: WordEmbedder, tmp_path: Path) -> Library:
    return open_at(tmp_path / "library", embedder)


def rows(*abstracts: str) -> list[dict[str, str]]:
    return [{"id": f"m{n}", "abstract": abstract} for n, abstract in enumerate(abstracts, 1)]


def found(library: Library, query: str) -> list[str]:
    return [hit.paper_id for hit in library.search(query)]


# Filling


def test_a_first_run_adds_and_a_second_embeds_nothing(library: Library, embedder: WordEmbedder, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", *rows(MILL, FERRY, DIALECT))
    first = library.index(path)
    paid = len(embedder.texts)
    second = library.index(path)

    assert (first.added, first.embedded) == (("m1", "m2", "m3"), 3)
    assert (second.unchanged, second.added, second.updated, second.removed) == (("m1", "m2", "m3"), (), (), ())
    assert second.embedded == 0
    assert len(embedder.texts) == paid == 3
    assert library.health()["vectors"] == 3


def test_what_was_skipped_is_reported(library: Library, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", *rows(MILL, "  "), "{broken")

    report = library.index(path)

    assert [row.record for row in report.skipped] == ["line 2 (m2)", "line 3"]
    assert report.summary() == "1 added, 0 updated, 0 unchanged, 0 removed, 2 skipped"


def test_a_changed_abstract_replaces_the_old_one(library: Library, embedder: WordEmbedder, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", *rows(MILL, FERRY))
    library.index(path)
    write_lines(path, *rows(MILL, "FERRYQ plans bus routes by day. It saves 9 minutes a trip."))

    report = library.index(path)

    assert (report.updated, report.unchanged, report.embedded) == (("m2",), ("m1",), 1)
    assert embedder.texts[2:] == ["FERRYQ plans bus routes by day. It saves 9 minutes a trip."]
    assert library.health()["vectors"] == 2
    assert not any("7 minutes" in hit.passage for hit in library.search("ferry routes by night, minutes"))
    assert found(library, "bus routes")[0] == "m2"


def test_a_record_that_is_gone_from_its_source_goes(library: Library, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", *rows(MILL, FERRY, DIALECT))
    library.index(path)
    write_lines(path, *rows(MILL), {"id": "m3", "abstract": DIALECT})

    assert library.index(path).removed == ("m2",)
    assert "m2" not in found(library, "ferry routes")
    assert (library.count, library.health()["vectors"], library.paper("m2")) == (2, 2, None)


def test_gone_records_can_be_kept(library: Library, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", *rows(MILL, FERRY))
    library.index(path)
    write_lines(path, *rows(MILL))

    assert library.index(path, keep=True).removed == ()
    assert library.count == 2


def test_another_source_only_adds(library: Library, tmp_path: Path) -> None:
    library.index(write_lines(tmp_path / "a.jsonl", *rows(MILL)))

    report = library.index(write_lines(tmp_path / "b.jsonl", {"id": "d", "abstract": DIALECT}))

    assert (report.added, report.removed) == (("d",), ())
    assert {p.id for p in library.papers()} == {"m1", "d"}


@pytest.mark.parametrize("text", ["", "\n\n", '{"id": "m1", "abstract": ""}\n', "{broken\n"])
def test_a_source_without_abstracts_removes_nothing_and_says_so(library: Library, tmp_path: Path, text: str) -> None:
    path = write_lines(tmp_path / "a.jsonl", *rows(MILL, FERRY))
    library.index(path)
    path.write_text(text, encoding="utf-8")

    with pytest.raises(NothingIndexed, match=r"a\.jsonl holds no abstract.*nothing was changed"):
        library.index(path)

    assert library.count == library.health()["vectors"] == 2


def test_removed_papers_are_found_no_more(library: Library, tmp_path: Path) -> None:
    library.index(write_lines(tmp_path / "a.jsonl", *rows(MILL, FERRY)))

    assert library.remove(["m1", "unknown"]) == ["m1"]
    assert found(library, "tidal mills in harbours") == ["m2"]
    assert library.health()["vectors"] == 1


def test_an_interrupted_run_is_completed_without_paying_twice(open_at: OpenAt, tmp_path: Path) -> None:
    papers = [make_paper(f"Mill number {n} turns under load {n * 7} at night.", f"m{n:03}") for n in range(400)]
    failing = WordEmbedder(fail_after=300)
    first = open_at(tmp_path / "library", failing)
    with pytest.raises(GaveUpError):
        first.add(make_reading(*papers), "a.txt")
    paid = list(failing.texts)
    first.close()

    going_on = WordEmbedder()
    second = open_at(tmp_path / "library", going_on)
    assert second.health()["pending"] == 400 - len(paid) < 400
    report = second.add(make_reading(*papers), "a.txt")

    assert len(report.unchanged) == second.health()["vectors"] == 400
    assert second.health()["pending"] == 0
    assert len(set(paid + going_on.texts)) == len(paid) + len(going_on.texts) == 400


def test_a_filter_narrows_a_search_while_vectors_are_still_missing(open_at: OpenAt, tmp_path: Path) -> None:
    old = make_paper("Kilns glow at dawn beside tidal mills.", "k", "Kilns", year=2030)
    new = make_paper("Tidal mills turn at night.", "m", "Mills", year=2031)
    first = open_at(tmp_path / "library", WordEmbedder())
    first.add(make_reading(old), "a.txt")
    first.close()
    failing = open_at(tmp_path / "library", WordEmbedder(fail_after=0))
    with pytest.raises(GaveUpError):
        failing.add(make_reading(old, new), "a.txt")
    failing.close()

    library = open_at(tmp_path / "library", WordEmbedder())

    assert [(h.paper_id, h.source) for h in library.search("tidal mills", 5, {"year": 2031})] == [("m", "lexical")]
    assert {h.paper_id for h in library.search("tidal mills", 5, {"year": [2030, 2031]})} == {"k", "m"}


def test_vectors_stored_before_a_crash_are_recognised(open_at: OpenAt, tmp_path: Path) -> None:
    """A process that dies between storing vectors and noting it pays nothing again."""
    embedder = WordEmbedder()
    library = open_at(tmp_path / "library", embedder)
    library.add(make_reading(make_paper(identity="m1")), "a.txt")
    catalog = Catalog(tmp_path / "library")
    catalog.forget_vectors()
    catalog.close()

    assert library.complete() == 0
    assert len(embedder.texts) == 1
    assert library.health()["pending"] == 0


def test_lost_vectors_are_noticed_and_only_they_are_embedded_again(
    library: Library, embedder: WordEmbedder, tmp_path: Path
) -> None:
    path = write_lines(tmp_path / "a.jsonl", *rows(MILL, FERRY, DIALECT))
    library.index(path)
    ChromaStore(tmp_path / "library").delete(["m1:0", "m3:0"])

    report = library.index(path)

    assert (len(report.unchanged), report.embedded, library.health()["vectors"]) == (3, 2, 3)
    assert embedder.texts[3:] == [MILL, DIALECT]


def test_questions_before_completion_are_answered_by_words_with_a_warning(open_at: OpenAt, tmp_path: Path) -> None:
    failing = open_at(tmp_path / "library", WordEmbedder(fail_after=0))
    with pytest.raises(GaveUpError):
        failing.add(make_reading(make_paper(MILL, "m1"), make_paper(FERRY, "m2")), "a.txt")
    failing.close()

    answer = open_at(tmp_path / "library", WordEmbedder()).ask("How many points does MILLNET gain?")

    assert any("2 passages are not embedded yet" in warning for warning in answer.warnings)
    assert [c.paper_id for c in answer.citations][:1] == ["m1"]


def test_what_a_question_found_is_remembered_until_the_texts_or_their_vectors_change(
    open_at: OpenAt, tmp_path: Path
) -> None:
    failing = open_at(tmp_path / "library", WordEmbedder(fail_after=0))
    with pytest.raises(GaveUpError):
        failing.add(make_reading(make_paper(MILL, "m1")), "a.txt")
    failing.close()
    library, asked = open_at(tmp_path / "library", WordEmbedder()), "tidal mills in harbours"

    by_words = library.searcher().gather(asked)
    assert library.searcher().gather(asked) is by_words and not by_words.cosine
    library.complete()
    embedded = library.searcher().gather(asked)
    assert embedded.cosine.keys() == {"m1"}
    library.add(make_reading(make_paper(FERRY, "m2")), "b.txt")
    assert library.searcher().gather(asked).cosine.keys() == {"m1", "m2"}


def test_progress_is_told_from_nothing_to_everything(library: Library, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    library.index(write_lines(tmp_path / "a.jsonl", *rows(MILL, FERRY)), progress=lambda *step: told.append(step))

    assert (told[0], told[-1]) == ((0, 2), (2, 2))


# One writer at a time, many readers


def test_a_second_writer_is_told_who_writes(library: Library, open_at: OpenAt, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", *rows(MILL, FERRY))
    entered, leave = threading.Event(), threading.Event()

    class Slow(WordEmbedder):
        def embed(self, texts):  # type: ignore[no-untyped-def]
            entered.set()
            leave.wait(20)
            return super().embed(texts)

    slow = open_at(tmp_path / "library", Slow())
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(slow.index, path)
        assert entered.wait(20)
        with pytest.raises(LibraryError, match=r"'library' is being written by process \d+; wait until it is done"):
            library.index(path)
        assert {p.id for p in library.papers()} == {"m1", "m2"}
        leave.set()
        assert writing.result().added == ("m1", "m2")

    assert library.index(path).unchanged == ("m1", "m2")


def test_a_writer_that_was_killed_does_not_hold_the_library(library: Library, tmp_path: Path) -> None:
    script = "import os, sys; from filelock import FileLock; FileLock(sys.argv[1]).acquire(); os._exit(9)"
    killed = subprocess.run([sys.executable, "-c", script, str(tmp_path / "library" / "writer.lock")], check=False)

    assert killed.returncode == 9
    assert library.index(write_lines(tmp_path / "a.jsonl", *rows(MILL))).added == ("m1",)


def test_a_reader_sees_what_another_process_wrote(library: Library, open_at: OpenAt, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", *rows(MILL))
    library.index(path)
    assert library.ask("What is DIALECTA?").outcome != "answered"

    open_at(tmp_path / "library", WordEmbedder()).index(
        write_lines(path, *rows(MILL, "DIALECTA records nine dialects of one valley. It holds 300 hours."))
    )

    assert [c.paper_id for c in library.ask("What is DIALECTA?").citations][:1] == ["m2"]


def test_eight_threads_get_the_answers_that_one_gets(seeds: Library) -> None:
    questions = [
        "How much faster does PBS-Attn make prefilling?",
        "What is GEMQ?",
        "Which benchmark does AutoTool use?",
        "What is the capital of Norway?",
    ]
    alone = {question: seeds.ask(question) for question in questions}

    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(seeds.ask, questions * 4))

    for question, answer in zip(questions * 4, together, strict=True):
        assert _lasting(answer) == _lasting(alone[question])


def _lasting(answer: Answer) -> dict[str, object]:
    return {key: value for key, value in answer.to_dict().items() if key != "seconds"}


# Another embedder than the one it was filled with


@pytest.mark.parametrize("deed", ["ask", "search", "index"])
def test_a_library_filled_with_another_embedder_is_refused(deed: str, open_at: OpenAt, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", *rows(MILL, FERRY))
    first = open_at(tmp_path / "library", WordEmbedder(8))
    first.index(path)
    first.close()
    changed = WordEmbedder(16)
    library = open_at(tmp_path / "library", changed)
    write_lines(path, *rows(MILL, FERRY, DIALECT))

    with pytest.raises(LibraryError) as caught:
        getattr(library, deed)(path if deed == "index" else "What does MILLNET gain?")

    message = str(caught.value)
    assert "was embedded with words/8, the setting is words/16" in message
    assert "rag index --rebuild" in message and "\n" not in message
    assert (library.count, changed.calls) == (2, [])


# Searching


def test_filters_narrow_a_search_without_case_and_leave_out_what_lacks_the_field(library: Library) -> None:
    library.add(
        make_reading(
            make_paper(MILL, "m1", year=2031, venue="HARBOUR", authors=["A. Reed", "B. Holt"], keywords=["tides"]),
            make_paper(FERRY, "m2", year=2030, venue="Harbour", authors=["C. Dale"]),
            make_paper(DIALECT, "m3"),
        ),
        "a.txt",
    )

    def ids(**filters: object) -> set[str]:
        return {hit.paper_id for hit in library.search("minutes points hours", 10, filters)}

    assert ids(venue="harbour") == {"m1", "m2"}
    assert ids(year=2031) == ids(year="2031") == ids(author="b. holt") == ids(keyword="Tides") == {"m1"}
    assert ids(year=[2030, 2031]) == {"m1", "m2"}
    assert ids(venue="HARBOUR", year=2030) == {"m2"}
    assert ids(venue="HARBOUR", author="C. Dale", year=2031) == set()
    with pytest.raises(InputError, match="No paper here has the year '1999'; there are 2030 and 2031"):
        ids(year=1999)
    with pytest.raises(InputError, match="'colour' is no filter; filters are venue, year, author and keyword"):
        ids(colour="red")


@pytest.mark.parametrize("query", ["sparse attention", "reinforcement learning for UI code", "GEMQ", "image"])
def test_a_larger_k_only_appends_one_row_a_paper(seeds: Library, query: str) -> None:
    full = seeds.search(query, 19)

    assert len({hit.paper_id for hit in full}) == len(full) == 19
    assert [hit.score for hit in full] == sorted((hit.score for hit in full), reverse=True)
    assert all(seeds.search(query, k) == full[:k] for k in (1, 2, 5, 10, 50))
    assert all(hit.passage in hit.paper.abstract for hit in full)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("block-sparse attention for long contexts", "PBS-Attn"),
        ("erasing watermarks by averaging models", "WASH"),
        ("GEMQ", "GEMQ"),
        ("finding formulas from data with an LLM", "DE"),
    ],
)
def test_a_search_finds_the_paper_by_words_meaning_or_name(seeds: Library, query: str, name: str) -> None:
    assert seeds.search(query, 1)[0].title.split(":")[0] == name


def test_a_blank_search_finds_nothing_and_k_has_a_least_value(seeds: Library) -> None:
    assert seeds.search("  ") == []
    with pytest.raises(InputError, match="k is 0, but it must be at least 1"):
        seeds.search("mills", 0)


# Asking

QUESTIONS = (
    "How much faster does PBS-Attn make prefilling?",
    "How many tasks are in SciPredict?",
    "Compare GEMQ and DREAM-R.",
    "Why do watermarks fail when users have several models?",
    "Which papers use reinforcement learning?",
    "How does LaViD train a student without images?",
    "Why does GEMQ need 500 GPUs?",
    "Is the code of WASH on GitHub?",
    "what is seprod",
    "what is the capital of Norway",
    "and now?",
    "hello",
    "Wie schnell ist PBS-Attn?",
)


@pytest.fixture(scope="module")
def answers(seeds: Library) -> dict[str, list[TextPiece | Answer]]:
    return {question: list(seeds.stream(question)) for question in QUESTIONS}


@pytest.mark.parametrize("question", QUESTIONS)
def test_pieces_joined_are_the_text_and_the_answer_comes_last(answers: dict[str, list], question: str) -> None:
    *pieces, answer = answers[question]

    assert isinstance(answer, Answer) and answer.question == question
    assert "".join(piece.text for piece in pieces) == answer.text != ""


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_quote_stands_in_its_abstract_and_markers_count_without_gaps(
    seeds: Library, answers: dict[str, list], question: str
) -> None:
    answer = answers[question][-1]

    assert [c.marker for c in answer.citations] == list(range(1, len(answer.citations) + 1))
    positions = [answer.text.index(f"[{c.marker}]") for c in answer.citations]
    assert positions == sorted(positions)
    for citation in answer.citations:
        paper = seeds.paper(citation.paper_id)
        assert paper is not None and paper.abstract[citation.start : citation.end] == citation.quote
        assert (citation.title, citation.quote in answer.text) == (paper.title, True)
        assert any(row.paper.id == citation.paper_id for row in answer.evidence)


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_tells_its_outcome_with_a_share_and_no_model(answers: dict[str, list], question: str) -> None:
    answer = answers[question][-1]

    assert bool(answer.citations) == (answer.outcome in ("answered", "false_premise"))
    assert 0 < answer.confidence <= 1
    assert (answer.mode, answer.model, answer.usage.calls) == ("extractive", None, 0)


def test_the_same_question_gets_the_same_answer(seeds: Library, answers: dict[str, list]) -> None:
    for question in QUESTIONS[:4]:
        assert _lasting(seeds.ask(question)) == _lasting(answers[question][-1])


# Opening


def test_a_library_is_found_again_by_name_and_by_folder(config: Config, tmp_path: Path) -> None:
    with open_library("harbour", config=config, embedder=WordEmbedder()) as library:
        library.index(write_abstracts(tmp_path / "a.txt", MILL))
    with open_library("harbour", config=config, embedder=WordEmbedder(), create=False) as again:
        assert [p.abstract for p in again.papers()] == [MILL]
    with open_library(store=config.home / "harbour", config=config, embedder=WordEmbedder()) as folder:
        assert folder.count == 1


@pytest.mark.parametrize("name", ["../up", "a/b", "", ".hidden", "a b", "n" * 65])
def test_a_name_that_is_no_file_name_is_refused(config: Config, name: str) -> None:
    with pytest.raises(InputError, match="is no library name; use letters, digits"):
        open_library(name, config=config, embedder=WordEmbedder())


def test_a_library_that_is_not_there_is_named_with_how_to_make_it(config: Config) -> None:
    with pytest.raises(
        InputError, match="There is no library 'nowhere'; make it with: rag index FILE --library nowhere"
    ):
        open_library("nowhere", config=config, embedder=WordEmbedder(), create=False)
    assert not (config.home / "nowhere").exists()


def test_the_default_library_holds_the_seeds_after_an_interruption_too(tmp_path: Path) -> None:
    own = load_config({"RAG_HOME": str(tmp_path / "home")}, tmp_path)
    with pytest.raises(GaveUpError):
        open_library(config=own, embedder=WordEmbedder(fail_after=0))

    embedder = WordEmbedder()
    with open_library(config=own, embedder=embedder) as library:
        assert (library.count, library.health()["pending"]) == (19, 0)
    paid = len(embedder.texts)
    with open_library(config=own, embedder=embedder) as library:
        assert library.health()["vectors"] == paid == len(embedder.texts)


def test_the_default_library_follows_the_packaged_model_of_itself(minilm: MiniLM, tmp_path: Path) -> None:
    own = load_config({"RAG_HOME": str(tmp_path / "home")}, tmp_path)
    with open_library(config=own, embedder=minilm) as library:
        library.keeper.catalog.set_meta("embedder", f"{minilm.name}/384/an earlier version")

    with open_library(config=own, embedder=minilm) as library:
        assert library.keeper.catalog.meta("embedder") == minilm.fingerprint
        assert library.search("sparse attention", 1)[0].source == "both"

    with (
        open_library(config=own, embedder=WordEmbedder()) as library,
        pytest.raises(LibraryError, match="restore that"),
    ):
        library.search("sparse attention")


def test_papers_come_in_the_order_they_were_read(seeds: Library, seed_papers: tuple[Paper, ...]) -> None:
    assert tuple(seeds.papers()) == seed_papers
