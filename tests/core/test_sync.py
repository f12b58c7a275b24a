"""Keeping a library in step with its sources: what is edited, given twice, cut off, piped in, or made by other code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag.config import Config
from rag.errors import InputError, LibraryError, NothingIndexed
from rag.library.catalog import Catalog
from rag.library.chunking import chunk
from rag.opening import delete_library, libraries, move_library, open_library
from rag.pipeline import Library
from tests.core.conftest import OpenAt
from tests.fakes import WordEmbedder, make_paper, make_reading, write_abstracts, write_lines

MILL = "MILLNET models tidal mills in harbours with gauges and tide tables. It gains 4.2 points over the best model."
FERRY = "FERRYQ plans ferry routes by night for islands without bridges. It saves 7 minutes a trip on average."
DIALECT = "We record nine dialects of one alpine valley. The corpus holds 300 hours from 120 speakers of all ages."


@pytest.fixture
def library(open_at: OpenAt, vectors_in: str | None, tmp_path: Path) -> Library:
    return open_at(tmp_path / "library", WordEmbedder(64), vectors_in)


def ids(library: Library) -> dict[str, str]:
    return {paper.abstract: paper.id for paper in library.papers()}


def test_an_edited_abstract_without_an_id_keeps_the_one_it_had(library: Library, tmp_path: Path) -> None:
    path = write_abstracts(tmp_path / "a.txt", MILL, FERRY, DIALECT)
    library.index(path)
    before = ids(library)
    edited = FERRY.replace("7 minutes", "9 minutes")

    first = library.index(write_abstracts(path, DIALECT, edited, MILL))
    second = library.index(path)

    assert (first.updated, first.added, first.removed) == ((before[FERRY],), (), ())
    assert ids(library) == {MILL: before[MILL], edited: before[FERRY], DIALECT: before[DIALECT]}
    assert (len(second.unchanged), second.updated, second.added) == (3, (), ())


def test_an_abstract_that_resembles_none_is_new_and_the_one_it_replaced_goes(library: Library, tmp_path: Path) -> None:
    path = write_abstracts(tmp_path / "a.txt", MILL, FERRY)
    library.index(path)
    old = ids(library)[FERRY]

    report = library.index(write_abstracts(path, MILL, DIALECT))

    assert (len(report.added), report.removed, report.updated) == (1, (old,), ())


def test_two_edited_abstracts_keep_each_its_own_id(library: Library, tmp_path: Path) -> None:
    path = write_abstracts(tmp_path / "a.txt", MILL, FERRY)
    library.index(path)
    before = ids(library)
    mill, ferry = MILL.replace("4.2", "4.4"), FERRY.replace("night", "day")

    library.index(write_abstracts(path, ferry, mill))

    assert ids(library) == {mill: before[MILL], ferry: before[FERRY]}


def test_another_source_neither_changes_nor_removes_what_the_first_gave(library: Library, tmp_path: Path) -> None:
    library.index(write_lines(tmp_path / "a.jsonl", {"id": "m", "abstract": MILL}))

    report = library.index(
        write_lines(tmp_path / "b.jsonl", {"id": "m", "abstract": FERRY}, {"id": "d", "abstract": DIALECT})
    )

    assert (report.added, report.updated) == (("d",), ())
    assert [(row.record, "only that source changes it" in row.reason) for row in report.skipped] == [("m", True)]
    assert library.paper("m").abstract == MILL  # type: ignore[union-attr]


def test_a_paper_that_two_sources_give_goes_when_both_have_dropped_it(library: Library, tmp_path: Path) -> None:
    first = write_lines(tmp_path / "a.jsonl", {"id": "m", "abstract": MILL}, {"id": "f", "abstract": FERRY})
    second = write_lines(tmp_path / "b.jsonl", {"id": "m", "abstract": MILL}, {"id": "d", "abstract": DIALECT})
    library.index(first)
    library.index(second)
    write_lines(first, {"id": "f", "abstract": FERRY})
    write_lines(second, {"id": "d", "abstract": DIALECT})

    assert library.index(first).removed == ()
    assert library.index(second).removed == ("m",)


def test_a_source_that_is_broken_in_part_removes_nothing_and_says_so(library: Library, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", {"id": "m", "abstract": MILL}, {"id": "f", "abstract": FERRY})
    library.index(path)
    path.write_text(json.dumps({"id": "m", "abstract": MILL}) + '\n{"id": "f", "abstr', encoding="utf-8")

    report = library.index(path)

    assert (report.removed, library.count) == ((), 2)
    assert "was taken for withdrawn, because 1 of its records could not be read" in report.warnings[0]


def test_standard_input_adds_and_never_removes(library: Library) -> None:
    library.add(make_reading(make_paper(MILL, "m")), "standard input")
    report = library.add(make_reading(make_paper(FERRY, "f")), "standard input")

    assert (report.added, report.removed, library.count) == (("f",), (), 2)


def test_a_folder_is_one_source(library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    write_lines(folder / "a.jsonl", {"id": "m", "abstract": MILL})
    write_lines(folder / "b.jsonl", {"id": "f", "abstract": FERRY})
    library.index(folder)
    (folder / "b.jsonl").unlink()

    assert library.index(folder).removed == ("f",)


def test_what_other_code_derived_is_made_anew_from_the_texts_as_read(
    config: Config, vectors_in: str | None, tmp_path: Path
) -> None:
    embedder = WordEmbedder(64)
    with open_library(store=tmp_path, chroma=vectors_in, config=config, embedder=embedder) as first:
        first.index(write_abstracts(tmp_path / "a.txt", MILL, FERRY))
        before = list(first.papers())
        with first.keeper.catalog._transaction() as db:
            db.execute("UPDATE meta SET value = 'older' WHERE key = 'code'")
            db.execute("DELETE FROM names")
            db.execute("UPDATE papers SET source_text = abstract, abstract = 'As older code read it.'")
    paid = len(embedder.texts)

    with open_library(store=tmp_path, chroma=vectors_in, config=config, embedder=embedder) as again:
        assert list(again.papers()) == before
        assert {use.text for use in again.keeper.catalog.names()} >= {"MILLNET", "FERRYQ"}
        assert again.complete() == 0
    assert len(embedder.texts) == paid


def test_a_library_is_built_again_with_another_embedder(config: Config, vectors_in: str | None, tmp_path: Path) -> None:
    with open_library(store=tmp_path, chroma=vectors_in, config=config, embedder=WordEmbedder(16)) as first:
        first.index(write_abstracts(tmp_path / "a.txt", MILL, FERRY))
    with open_library(store=tmp_path, chroma=vectors_in, config=config, embedder=WordEmbedder(32)) as other:
        with pytest.raises(LibraryError, match="rag index --rebuild"):
            other.search("mills")

        assert other.rebuild() == 2
        assert other.search("tidal mills in harbours", 1)[0].source == "both"
        assert not (tmp_path / "chroma-before-rebuild").exists()


def as_of_format(catalog: Catalog, number: str) -> None:
    """Give a catalog the shape of an older format: 2 kept its words in FTS5, 1 knew one source a paper."""
    with catalog._transaction() as db:
        for statement in (
            "DROP INDEX papers_unnamed",
            "ALTER TABLE papers DROP COLUMN named",
            "DROP TABLE lexical",
            "CREATE VIRTUAL TABLE lexical USING fts5(terms)",
            "CREATE VIRTUAL TABLE vocabulary USING fts5vocab(lexical, 'row')",
            *(["DROP TABLE given"] if number == "1" else []),
        ):
            db.execute(statement)
        db.execute("UPDATE meta SET value = ? WHERE key = 'schema'", (number,))


@pytest.mark.parametrize("number", ["1", "2"])
def test_a_library_of_an_older_format_is_brought_up_without_embedding(
    config: Config, tmp_path: Path, number: str
) -> None:
    embedder = WordEmbedder(64)
    with open_library(store=tmp_path, config=config, embedder=embedder) as first:
        source = write_abstracts(tmp_path / "a.txt", MILL, FERRY)
        first.index(source)
        as_of_format(first.keeper.catalog, number)
    paid = len(embedder.texts)

    with open_library(store=tmp_path, config=config, embedder=embedder) as again:
        assert again.keeper.catalog.sources() == [str(source)]
        assert {use.text for use in again.keeper.catalog.names()} >= {"MILLNET", "FERRYQ"}
        assert all(again.by_words(text) for text in (MILL, FERRY))
        assert again.index(source).embedded == 0
    assert len(embedder.texts) == paid


def test_an_indexing_that_died_before_the_names_were_found_is_completed_when_opened(
    config: Config, tmp_path: Path
) -> None:
    catalog = Catalog(tmp_path)
    catalog.sync("a.txt", [make_paper(MILL, "m"), make_paper(FERRY, "f")], remove_missing=True)
    assert (catalog.names(), catalog.is_named) == ([], False)
    catalog.close()

    with open_library(store=tmp_path, config=config, embedder=WordEmbedder(64)) as library:
        assert {use.text for use in library.keeper.catalog.names()} >= {"MILLNET", "FERRYQ"}
        assert library.keeper.catalog.is_named


@pytest.mark.parametrize(("written", "message"), [("99.0.0", "were written by Chroma 99.0.0, this is"), ("0.1.0", "")])
def test_vectors_of_another_chroma_are_recognised(config: Config, tmp_path: Path, written: str, message: str) -> None:
    with open_library(store=tmp_path, config=config, embedder=WordEmbedder(16)) as first:
        first.index(write_abstracts(tmp_path / "a.txt", MILL, FERRY))
        first.keeper.catalog.set_meta("chroma", written)
    with open_library(store=tmp_path, config=config, embedder=WordEmbedder(16)) as library:
        if message:
            with pytest.raises(LibraryError, match=message):
                library.search("mills")
            library.rebuild()
        else:
            assert library.search("mills")
            assert (tmp_path / "chroma-0.1.0" / "chroma.sqlite3").is_file()
        assert library.health()["vectors"] == 2


def planted(library: Library, damage: str, identity: str) -> None:
    """Damage one of the things that a library derives from its texts, for one paper."""
    keeper = library.keeper
    number = "(SELECT number FROM chunks WHERE paper_id = ?)"
    statements = {
        "words gone": f"DELETE FROM lexical WHERE number IN {number}",
        "other words": f"UPDATE lexical SET terms = 'wheel dusk' WHERE number IN {number}",
        "passage gone": "DELETE FROM chunks WHERE paper_id = ?",
        "passage cut": 'UPDATE chunks SET "end" = start + 9 WHERE paper_id = ?',
        "names gone": "DELETE FROM names WHERE paper_id = ?",
    }
    if damage in statements:
        with keeper.catalog._transaction() as db:
            db.execute(statements[damage], (identity,))
            db.execute("UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'revision'")
    elif damage == "vector gone":
        keeper.vectors().delete([f"{identity}:0"])
    else:
        paper = library.paper(identity) if damage == "another vector" else make_paper("Kilns glow at dawn.", "stray")
        rows = [(paper, piece, "d") for piece in chunk(paper)]
        keeper.vectors().upsert(rows, WordEmbedder(64).embed(["Kilns glow at dawn."]))


@pytest.mark.parametrize(
    ("damage", "kind"),
    [
        ("words gone", "lexical"),
        ("other words", "lexical"),
        ("passage gone", "misread"),
        ("passage cut", "misread"),
        ("names gone", "misread"),
        ("vector gone", "vectors"),
        ("another vector", "vectors"),
        ("a stray vector", "strays"),
    ],
)
def test_damage_in_each_index_is_found_named_and_mended(
    library: Library, tmp_path: Path, damage: str, kind: str
) -> None:
    library.index(write_abstracts(tmp_path / "a.txt", MILL, FERRY, DIALECT))
    before, identity = list(library.papers()), ids(library)[MILL]
    planted(library, damage, identity)

    proof = library.prove()

    assert proof[kind] == [{"misread": identity, "strays": "stray:0"}.get(kind, f"{identity}:0")]
    assert proof["unmended"] == []
    assert list(library.papers()) == before
    assert not any(found for what, found in library.prove().items() if what != "chunks")
    assert [(hit.passage, hit.source) for hit in library.search(MILL, 1)] == [(MILL, "both")]
    assert library.ask("What does MILLNET gain?").citations[0].paper_id == identity
    assert library.health()["vectors"] == library.health()["chunks"] == 3


def test_more_copies_than_are_looked_at_find_themselves(library: Library) -> None:
    copies = [make_paper(MILL, f"m{n:02}", "Mills", year=2000 + n) for n in range(15)]
    library.add(make_reading(*copies, make_paper(FERRY, "f")), "a.txt")

    assert library.prove()["unmended"] == []


# Libraries by name


def test_libraries_are_listed_moved_and_deleted(tmp_path: Path) -> None:
    from rag.config import load_config

    config = load_config({"RAG_HOME": str(tmp_path / "home")}, tmp_path)
    path = write_abstracts(tmp_path / "a.txt", MILL, FERRY)
    with open_library("one", config=config, embedder=WordEmbedder()) as library:
        library.index(path)

    assert [(f.name, f.papers, f.pending, f.sources) for f in libraries(config)] == [("one", 2, 0, (str(path),))]
    move_library(config, "one", "two")
    assert [found.name for found in libraries(config)] == ["two"]
    with pytest.raises(InputError, match=r"There is no library 'tow' \(is 'two' meant\?\)"):
        delete_library(config, "tow")
    delete_library(config, "two")
    assert libraries(config) == []


def test_a_library_that_is_written_is_not_deleted(tmp_path: Path) -> None:
    from rag.config import load_config

    config = load_config({"RAG_HOME": str(tmp_path)}, tmp_path)
    with open_library("one", config=config, embedder=WordEmbedder()) as library, library.keeper.writing():
        with pytest.raises(LibraryError, match="is being written by process"):
            delete_library(config, "one")
        with pytest.raises(LibraryError, match="is being written by process"):
            library.index(write_abstracts(tmp_path / "a.txt", MILL))


def test_a_mistyped_folder_makes_no_library(config: Config, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"There is no library in .*; make it with: rag index FILE --store"):
        open_library(store=tmp_path / "typo", config=config, embedder=WordEmbedder(), create=False)

    assert not (tmp_path / "typo").exists()


# Several processes


def test_what_another_process_indexed_is_found_without_opening_again(
    open_at: OpenAt, vectors_in: str | None, tmp_path: Path
) -> None:
    from tests.core.crashes import worker

    page = open_at(tmp_path / "library", WordEmbedder(128), vectors_in)
    page.index(write_abstracts(tmp_path / "a.txt", MILL))
    assert [hit.source for hit in page.search(MILL)] == ["both"]
    other = write_abstracts(tmp_path / "b.txt", FERRY)

    assert worker(tmp_path / "library", other, tmp_path / "log").wait() == 0

    assert [(hit.passage, hit.source) for hit in page.search(FERRY, 1)] == [(FERRY, "both")]
    assert page.count == 2


def test_a_folder_that_was_deleted_and_built_again_is_noticed(open_at: OpenAt, tmp_path: Path) -> None:
    import shutil

    from tests.core.crashes import worker

    page = open_at(tmp_path / "library", WordEmbedder(128))
    page.index(write_abstracts(tmp_path / "a.txt", MILL))
    assert page.search(MILL)
    shutil.rmtree(tmp_path / "library")
    with pytest.raises(LibraryError, match="was deleted while it was open; index its source again"):
        page.search(MILL)
    other = write_abstracts(tmp_path / "b.txt", FERRY, DIALECT)
    assert worker(tmp_path / "library", other, tmp_path / "log").wait() == 0

    assert [(hit.passage, hit.source) for hit in page.search(FERRY, 1)] == [(FERRY, "both")]
    assert page.ask("What does FERRYQ save?").citations[0].quote.startswith("FERRYQ plans") or page.count == 2


def test_an_empty_source_of_a_folder_removes_nothing(library: Library, tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    write_lines(folder / "a.jsonl", {"id": "m", "abstract": MILL})
    library.index(folder)
    (folder / "a.jsonl").write_text("", encoding="utf-8")

    with pytest.raises(NothingIndexed):
        library.index(folder)

    assert library.count == 1
