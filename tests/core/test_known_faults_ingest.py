"""Faults that users of such tools have reported: reading and indexing (S01 to S06, S08, S10 to S14, S38).

S03's embedding service that refuses a batch with a blank text is `WordEmbedder(refuses_blank=True)`; a real one and
S07's rate limits are in `test_embedding_service.py`. S09's second process and its deleted folder are in `test_sync.py`,
damaged catalogs and full disks, which are of S11's kind, in `test_disks.py`.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from rag.config import load_config
from rag.errors import ConfigError, LibraryError, NothingIndexed
from rag.library.catalog import Catalog
from rag.library.indexing import complete
from rag.library.store import ChromaStore, folder_state
from rag.pipeline import Library
from tests.core.conftest import OpenAt
from tests.fakes import GaveUpError, WordEmbedder, make_paper, make_reading, write_abstracts, write_lines

OAKEN = (
    "OAKENET parses tax forms. On the HARROWDEN benchmark it reaches 63.8 F1, against 60.1 for the best earlier parser."
)
ORBEX = "ORBEX parses lab notes in a café. On the “HARROWDEN” benchmark it reaches 66.5 F1 with half the memory."
MANX = "We translate between Manx and Cornish with 4,700 sentence pairs. Data cleaning adds 3.1 BLEU."


def rows(**abstracts: str) -> list[dict[str, str]]:
    return [{"id": identity, "abstract": abstract} for identity, abstract in abstracts.items()]


# S01


@pytest.mark.parametrize(
    ("encoding", "mark"), [("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"), ("utf-16-le", b""), ("cp1252", b"")]
)
def test_s01_files_of_windows_tools_are_read_and_found(
    open_at: OpenAt, tmp_path: Path, encoding: str, mark: bytes
) -> None:
    path = tmp_path / "a.jsonl"
    lines = [json.dumps(row, ensure_ascii=False) for row in rows(k1=OAKEN, k2=ORBEX, k3=MANX)]
    path.write_bytes(mark + "\r\n".join(lines).encode(encoding))
    library = open_at(tmp_path / "library", WordEmbedder())

    library.index(path)

    papers = list(library.papers())
    assert [p.id for p in papers] == ["k1", "k2", "k3"]
    assert papers[1].abstract == ORBEX
    fields = [value for p in papers for value in (p.id, p.title, p.abstract, p.source_text)]
    assert not any(c in value for value in fields for c in "\ufeff\x00\ufffd\r")
    assert library.ask("What does OAKENET score?").citations[0].paper_id == "k1"


# S02


def test_s02_a_broken_line_costs_only_itself_and_the_last_needs_no_line_end(open_at: OpenAt, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    first, second, third = map(json.dumps, rows(k1=OAKEN, k2=ORBEX, k3=MANX))
    path.write_text(f'{first}\n\n{second}\n{{"id": "x9", "abstract": "cut off he\n{third}', encoding="utf-8")

    report = open_at(tmp_path / "library", WordEmbedder()).index(path)

    assert report.added == ("k1", "k2", "k3")
    assert [(row.record, row.reason) for row in report.skipped] == [("line 4", "the JSON is broken or cut off")]
    assert report.summary() == "3 added, 0 updated, 0 unchanged, 0 removed, 1 skipped"


def test_s02_one_record_without_a_line_end_is_read(open_at: OpenAt, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(rows(k1=OAKEN)[0]), encoding="utf-8")

    assert open_at(tmp_path / "library", WordEmbedder()).index(path).added == ("k1",)


def test_s02_a_file_of_no_bytes_is_an_error_and_leaves_the_library_alone(open_at: OpenAt, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", *rows(k1=OAKEN))
    library = open_at(tmp_path / "library", WordEmbedder())
    library.index(path)
    path.write_bytes(b"")

    with pytest.raises(NothingIndexed, match="holds no abstract; nothing was changed") as caught:
        library.index(path)

    assert caught.value.exit_code != 0
    assert library.ask("What does OAKENET score?").citations[0].paper_id == "k1"


# S03


def test_s03_blank_texts_are_skipped_by_id_and_their_neighbours_survive(open_at: OpenAt, tmp_path: Path) -> None:
    texts = [f"Mill number {n} turns under load {n * 3} at night." for n in range(10)]
    texts[2], texts[4], texts[7] = "", "   ", "\n\n"
    embedder = WordEmbedder(refuses_blank=True)
    library = open_at(tmp_path / "library", embedder)

    report = library.index(write_lines(tmp_path / "a.jsonl", *rows(**{f"r{n}": t for n, t in enumerate(texts)})))

    assert len(report.added) == library.health()["vectors"] == 7
    assert [(row.record, row.reason) for row in report.skipped] == [
        ("line 3 (r2)", "it has no abstract"),
        ("line 5 (r4)", "it has no abstract"),
        ("line 8 (r7)", "it has no abstract"),
    ]
    assert all(text.strip() for text in embedder.texts)


# S04


def test_s04_control_strings_are_ordinary_text_everywhere(invented: Callable[..., Library]) -> None:
    library = invented("Adding <|endoftext|> or <|im_start|> to a prompt lowers the refusal rate by 7 points.", MANX)
    question = "What does <|endoftext|> do to the refusal rate?"

    for history in ([], ["What is <|im_start|>?"], [{"question": "[MASK] <|im_end|>?", "answer": "<|endoftext|>"}]):
        answer = library.ask(question, history)
        assert (answer.question, answer.outcome) == (question, "answered")
        assert "<|endoftext|> or <|im_start|>" in answer.citations[0].quote
        assert "<|endoftext|> or <|im_start|>" in answer.text
    assert library.search("<|im_start|>", 1)[0].passage.startswith("Adding <|endoftext|>")


# S05

TEX = {
    "id": "g1",
    "title": r"$L^3$ limits on K\"{u}sten grids",
    "abstract": r"We save 17\% with \textit{TideLogs} in \knotbar units (code: \url{https://example.org/t_i_de}), "
    r"extending Proki\'{c}.",
}


@pytest.mark.parametrize("name", ["Küsten", "Kusten", "küsten"])
def test_s05_tex_is_read_without_loss_and_found_with_or_without_accents(
    open_at: OpenAt, tmp_path: Path, minilm: Any, name: str
) -> None:
    library = open_at(tmp_path / "library", minilm)
    library.index(write_lines(tmp_path / "a.jsonl", TEX, *rows(k3=MANX)))

    answer = library.ask(f"Whom does the {name} grids paper extend, and what is the saving?")

    assert library.paper("g1").title == "$L^3$ limits on Küsten grids"  # type: ignore[union-attr]
    assert answer.citations[0].quote == (
        "We save 17% with TideLogs in \\knotbar units (code: https://example.org/t_i_de), extending Prokić."
    )


@pytest.mark.parametrize("typed", ["Prokić", "prokic"])
def test_s05_a_name_with_an_accent_is_found_however_it_is_typed(open_at: OpenAt, tmp_path: Path, typed: str) -> None:
    library = open_at(tmp_path / "library", WordEmbedder())
    library.index(write_lines(tmp_path / "a.jsonl", TEX, *rows(k3=MANX)))

    hit = library.search(typed, 1)[0]

    assert (hit.paper_id, hit.source) == ("g1", "both")


# S06


def test_s06_the_same_records_in_another_order_cost_nothing(
    open_at: OpenAt, vectors_in: str | None, tmp_path: Path
) -> None:
    texts = [OAKEN, ORBEX, MANX, "We record nine dialects of one valley.", "Choirs drift in pitch over time."]
    embedder = WordEmbedder()
    library = open_at(tmp_path / "library", embedder, vectors_in)
    library.index(write_abstracts(tmp_path / "a.txt", *texts))
    paid = len(embedder.texts)

    report = library.index(write_abstracts(tmp_path / "a.txt", *texts[::-1]))

    assert (library.count, library.health()["vectors"], len(report.unchanged)) == (5, 5, 5)
    assert len(embedder.texts) == paid


def test_s06_a_copy_is_stored_once_and_said_so(open_at: OpenAt, tmp_path: Path) -> None:
    library = open_at(tmp_path / "library", WordEmbedder())

    report = library.index(write_abstracts(tmp_path / "a.txt", OAKEN, ORBEX, OAKEN + " "))

    assert library.count == 2
    assert [(row.record, row.reason) for row in report.skipped] == [("line 5", "it repeats line 1")]


def test_s06_one_id_for_two_texts_is_refused_and_said_so(open_at: OpenAt, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", {"id": "k", "abstract": OAKEN}, {"id": "k", "abstract": ORBEX})
    library = open_at(tmp_path / "library", WordEmbedder())

    report = library.index(path)

    assert [p.abstract for p in library.papers()] == [OAKEN]
    assert report.skipped[0].reason == "its id 'k' is that of line 1 (k), with another text"


def test_s06_versions_that_differ_by_a_word_do_not_crowd_out_another_paper(
    open_at: OpenAt, tmp_path: Path, minilm: Any
) -> None:
    versions = [OAKEN.replace("tax", word) for word in ("tax", "levy", "toll", "customs", "duty")]
    library = open_at(tmp_path / "library", minilm)
    library.index(write_abstracts(tmp_path / "a.txt", *versions, ORBEX))

    answer = library.ask("Which parsers are tested on HARROWDEN?")

    assert {"OAKENET", "ORBEX"} <= {quote.split()[0] for quote in (c.title for c in answer.citations)}
    assert "ORBEX" in " ".join(hit.passage for hit in library.search("parsers tested on HARROWDEN", 4))


# S08


class RefusingStore:
    """A store that refuses the second upsert it is given."""

    def __init__(self, store: ChromaStore) -> None:
        self._store, self.upserts = store, 0

    def upsert(self, batch: Any, vectors: Any) -> None:
        self.upserts += 1
        if self.upserts == 2:
            raise ConnectionError("the second slice was refused")
        self._store.upsert(batch, vectors)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def test_s08_a_slice_that_fails_does_not_cost_those_before_it_again(vectors_in: str | None, tmp_path: Path) -> None:
    catalog, store = Catalog(tmp_path), ChromaStore(tmp_path, vectors_in, f"s08-{tmp_path.name}")
    papers = [make_paper(f"Mill number {n} turns under load {n * 3} at night.", f"m{n:03}") for n in range(700)]
    catalog.sync("a.txt", papers, remove_missing=True)
    first, second = WordEmbedder(), WordEmbedder()

    with pytest.raises(ConnectionError):
        complete(catalog, RefusingStore(store), first)  # type: ignore[arg-type]
    kept = store.count()
    embedded = complete(catalog, store, second)

    assert 0 < kept < 700
    assert embedded == len(second.texts) == 700 - kept
    assert set(first.texts[:kept]).isdisjoint(second.texts)
    assert (store.count(), catalog.pending_count()) == (700, 0)
    catalog.close()


# S10


def test_s10_another_embedder_is_refused_before_anything_is_asked_or_written(open_at: OpenAt, tmp_path: Path) -> None:
    first = open_at(tmp_path / "library", WordEmbedder(8))
    first.index(write_lines(tmp_path / "a.jsonl", *rows(k1=OAKEN, k2=ORBEX)))
    first.close()
    changed = WordEmbedder(16)
    library = open_at(tmp_path / "library", changed)
    more = write_lines(tmp_path / "b.jsonl", *rows(k3=MANX))

    for deed in (lambda: library.ask("What does OAKENET score?"), lambda: library.index(more)):
        with pytest.raises(LibraryError) as caught:
            deed()
        assert "embedded with words/8, the setting is words/16; restore that setting, or build" in str(caught.value)

    assert (changed.calls, library.count) == ([], 2)
    library.close()
    assert open_at(tmp_path / "library", WordEmbedder(8)).ask("What does OAKENET score?").outcome == "answered"


# S11

_SCHEMAS = {
    "0.4.24": {"embeddings_queue": 1, "metadb": 3, "sysdb": 4},
    "0.5.23": {"embeddings_queue": 2, "metadb": 4, "sysdb": 9},
}


def older_chroma(folder: Path, steps: dict[str, int]) -> None:
    """Make a Chroma folder as an older release left it: the steps of its schema up to these, and an empty collection.

    Chroma ships the SQL of each step; what releases 0.4.24 and 0.5.23 leave was looked up in folders that they made.
    """
    migrations = Path(str(importlib.resources.files("chromadb.migrations")))
    folder.mkdir()
    with closing(sqlite3.connect(folder / "chroma.sqlite3")) as db:
        db.execute("CREATE TABLE migrations(dir TEXT, version INTEGER, filename TEXT, sql TEXT, hash TEXT)")
        for part, last in steps.items():
            for file in sorted((migrations / part).glob("*.sql"))[:last]:
                text = file.read_text(encoding="utf-8")
                mark = hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
                db.executescript(text)
                db.execute(
                    "INSERT INTO migrations VALUES (?, ?, ?, ?, ?)", (part, int(file.name[:5]), file.name, text, mark)
                )
        db.commit()


@pytest.mark.parametrize("release", list(_SCHEMAS))
def test_s11_a_store_of_an_older_chroma_is_copied_before_it_changes_and_never_looks_empty(
    open_at: OpenAt, tmp_path: Path, release: str
) -> None:
    """Seen with real releases: 1.5.9 opens a folder of 0.4.24 or 0.5.23, brings its schema up without a word, and finds
    what it held; 0.4.24 then fails on it with "no such column: collections.topic", and on a folder of 1.5.9 as well;
    0.5.23 still reads the folder that it made, but fails on one of 1.5.9 with a bare KeyError.
    """
    path = write_lines(tmp_path / "a.jsonl", *rows(k1=OAKEN, k2=ORBEX))
    first = open_at(tmp_path / "library", WordEmbedder())
    first.index(path)
    first.keeper.catalog.set_meta("chroma", release)
    first.close()
    shutil.rmtree(tmp_path / "library" / "chroma")
    older_chroma(tmp_path / "library" / "chroma", _SCHEMAS[release])

    library = open_at(tmp_path / "library", WordEmbedder())
    found = library.ask("What does OAKENET score?")

    assert folder_state(tmp_path / "library" / f"chroma-{release}") == _SCHEMAS[release]
    assert folder_state(tmp_path / "library" / "chroma")["sysdb"] > _SCHEMAS[release]["sysdb"]
    assert found.citations[0].paper_id == "k1"
    assert any("The vectors of 2 passages are gone from" in w and "rag index --rebuild" in w for w in found.warnings)
    assert library.rebuild() == 2
    assert (library.search("OAKENET")[0].source, library.keeper.trouble) == ("both", "")


def test_s11_a_store_that_a_newer_chroma_has_changed_is_refused_with_both_versions(
    open_at: OpenAt, tmp_path: Path
) -> None:
    path = write_lines(tmp_path / "a.jsonl", *rows(k1=OAKEN))
    first = open_at(tmp_path / "library", WordEmbedder())
    first.index(path)
    first.close()
    with closing(sqlite3.connect(tmp_path / "library" / "chroma" / "chroma.sqlite3")) as db:
        db.execute("INSERT INTO migrations VALUES ('sysdb', 99, '00099-x.sqlite.sql', 'SELECT 1', 'x')")
        db.commit()

    library = open_at(tmp_path / "library", WordEmbedder())
    now = version("chromadb")
    with pytest.raises(
        LibraryError, match=rf"were written by Chroma a newer version, this is {now}: .* rag index --rebuild"
    ):
        library.search("OAKENET")

    assert library.rebuild() == 1
    assert library.search("OAKENET")[0].source == "both"


@pytest.mark.parametrize("damage", ["no database", "no file", "another schema"])
def test_s11_vectors_that_can_not_be_read_are_told_and_made_again(open_at: OpenAt, tmp_path: Path, damage: str) -> None:
    first = open_at(tmp_path / "library", WordEmbedder())
    first.index(write_lines(tmp_path / "a.jsonl", *rows(k1=OAKEN, k2=ORBEX)))
    first.close()
    file = tmp_path / "library" / "chroma" / "chroma.sqlite3"
    if damage == "no database":
        file.write_bytes(b"no database at all " * 500)
    elif damage == "no file":
        shutil.rmtree(file.parent)
    else:
        with closing(sqlite3.connect(file)) as db:
            db.execute("ALTER TABLE collections DROP COLUMN schema_str")
            db.commit()

    library = open_at(tmp_path / "library", WordEmbedder())
    try:
        library.search("OAKENET")
        told = library.keeper.trouble
    except LibraryError as error:
        told = str(error)

    assert "rag index --rebuild" in told and "\n" not in told
    assert library.rebuild() == 2
    assert library.search("OAKENET")[0].source == "both"


# S12


def test_s12_an_edited_record_answers_anew_and_a_withdrawn_one_no_more(
    open_at: OpenAt, vectors_in: str | None, tmp_path: Path, minilm: Any
) -> None:
    path = write_lines(tmp_path / "a.jsonl", *rows(k1=OAKEN, k2=ORBEX, k3=MANX))
    library = open_at(tmp_path / "library", minilm, vectors_in)
    library.index(path)
    assert "3.1" in library.ask("How much BLEU does data cleaning add?").text
    write_lines(path, *rows(k1=OAKEN, k3=MANX.replace("3.1 BLEU", "3.4 BLEU")))

    report = library.index(path)

    assert (report.updated, report.removed, report.unchanged) == (("k3",), ("k2",), ("k1",))
    edited = library.ask("How much BLEU does data cleaning add?")
    assert "3.4" in edited.text and "3.1" not in edited.text
    withdrawn = library.ask("What does ORBEX score?")
    assert withdrawn.outcome in ("not_in_corpus", "abstract_silent")
    assert "66.5" not in withdrawn.text and "ORBEX" in withdrawn.text
    assert "k2" not in [hit.paper_id for hit in library.search("ORBEX lab notes", 10)]


# S13


def test_s13_ordinary_metadata_is_stored_whatever_its_shape(
    open_at: OpenAt, vectors_in: str | None, tmp_path: Path
) -> None:
    crowd = [f"Author Number{n} von Langname" for n in range(180)]
    embedder = WordEmbedder()
    library = open_at(tmp_path / "library", embedder, vectors_in)
    path = write_lines(
        tmp_path / "a.jsonl",
        {
            "id": "k1",
            "abstract": OAKEN,
            "authors": ["A. Reed", "B. Holt"],
            "year": None,
            "keywords": [],
            "venue": {"name": "QUAY"},
        },
        {"id": "k2", "abstract": ORBEX, "authors": crowd, "year": 2031},
    )

    report = library.index(path)

    assert report.added == ("k1", "k2")
    one, two = library.papers()
    assert one.metadata == {"authors": ["A. Reed", "B. Holt"], "venue": "QUAY"}
    assert two.metadata["authors"] == crowd
    assert not any("Langname" in text or "None" in text for text in embedder.texts)
    assert [hit.paper_id for hit in library.search("parses", 10, {"year": 2031})] == ["k2"]


def test_s13_a_missing_field_is_no_none_in_the_store(tmp_path: Path) -> None:
    store = ChromaStore(tmp_path)
    from rag.library.chunking import chunk

    paper = make_paper(OAKEN, "k1", venue=None, year=None, url="")
    store.upsert([(paper, piece, "d") for piece in chunk(paper)], WordEmbedder().embed([OAKEN]))

    assert store.digests(["k1:0"]) == {"k1:0": "d"}


# S14


def test_s14_words_are_found_the_same_after_a_restart(open_at: OpenAt, vectors_in: str | None, tmp_path: Path) -> None:
    first = open_at(tmp_path / "library", WordEmbedder(), vectors_in)
    first.add(make_reading(make_paper(OAKEN, "k1"), make_paper(ORBEX, "k2"), make_paper(MANX, "k3")), "a.txt")
    before = [(h.paper_id, h.score, h.source) for h in first.search("HARROWDEN")]
    first.close()

    again = open_at(tmp_path / "library", WordEmbedder())

    assert [(h.paper_id, h.score, h.source) for h in again.search("HARROWDEN")] == before
    assert {identity for identity, _, source in before if source == "both"} == {"k1", "k2"}
    assert (again.health()["papers"], again.health()["chunks"], again.health()["vectors"]) == (3, 3, 3)


def test_s14_words_are_found_while_no_vector_is_stored_yet(open_at: OpenAt, tmp_path: Path) -> None:
    library = open_at(tmp_path / "library", WordEmbedder(fail_after=0))
    with pytest.raises(GaveUpError):
        library.add(make_reading(make_paper(OAKEN, "k1"), make_paper(MANX, "k3")), "a.txt")
    library.close()

    hits = open_at(tmp_path / "library", WordEmbedder()).search("HARROWDEN")

    assert [(h.paper_id, h.source) for h in hits] == [("k1", "lexical")]


# S38


@pytest.mark.parametrize("name", ["OPENAI_BASE_URL", "RAG_EMBEDDING_BASE_URL"])
@pytest.mark.parametrize(
    "typed",
    [
        "http://host:9/v1",
        "http://host:9/v1/",
        "http://host:9",
        "http://host:9/v1/chat/completions",
        "  http://host:9/v1 ",
        "http://host:9/v1/embeddings/",
        "http://host:9/v1//",
        "http://host:9/v1//chat/completions",
    ],
)
def test_s38_small_differences_in_an_address_make_none(tmp_path: Path, name: str, typed: str) -> None:
    config = load_config({name: typed}, tmp_path)

    assert (config.base_url if name == "OPENAI_BASE_URL" else config.embedding_base_url) == "http://host:9/v1"


@pytest.mark.parametrize("typed", ["host:9/v1", "localhost", "ftp://host/v1", "http://"])
def test_s38_what_is_no_address_is_refused_with_an_example_before_anything_is_read(tmp_path: Path, typed: str) -> None:
    with pytest.raises(ConfigError, match=r"must be an address such as http://localhost:8000/v1"):
        load_config({"RAG_EMBEDDING_BASE_URL": typed}, tmp_path)
