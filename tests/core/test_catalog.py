"""The source of truth on disk: papers, what is pending, what is withdrawn, names and lexical search."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.errors import LibraryError
from rag.library.catalog import Catalog
from rag.library.chunking import chunk
from rag.library.rows import digest, embedded_text
from rag.retrieval.lexical import LexicalIndex
from rag.types import Chunk, Paper
from tests.fakes import make_paper

LONG = " ".join(f"Mill number {n} turns under a light load at night." for n in range(60))


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    opened = Catalog(tmp_path)
    yield opened
    opened.close()


def found(catalog: Catalog, query: str) -> list[str]:
    """Return the ids of the chunks that the words of a query find, best first."""
    index = LexicalIndex(catalog.terms())
    return list(index.top(index.scores(query), 10))


def sync(catalog: Catalog, *papers: Paper, source: str = "a.txt", remove_missing: bool = True) -> dict[str, list[str]]:
    done = dict(catalog.sync(source, papers, remove_missing=remove_missing))
    catalog.derive_names()
    return done


def embed_all(catalog: Catalog) -> None:
    catalog.mark_embedded(catalog.pending(1000))


def test_papers_come_back_as_they_were_stored(tmp_path: Path) -> None:
    paper = make_paper("Mills “turn” at 4 °C in 語.", "m1", "Mills", authors=["A. Reed"], year=2031, venue="HARBOUR")
    first = Catalog(tmp_path)
    sync(first, paper, make_paper(identity="m0"))
    first.close()

    again = Catalog(tmp_path)

    assert list(again.papers()) == [paper, make_paper(identity="m0")]
    assert again.get(["m1", "unknown"]) == {"m1": paper}
    assert (again.count(), again.sources()) == (2, ["a.txt"])
    again.close()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no list of this process's open files")
def test_a_thread_that_ends_takes_its_connection_along(catalog: Catalog) -> None:
    def open_files() -> int:
        return sum(os.path.realpath(file) == str(catalog.path.resolve()) for file in Path("/proc/self/fd").iterdir())

    seen = []
    for _ in range(5):
        reader = threading.Thread(target=catalog.count)
        reader.start()
        reader.join()
        seen.append(open_files())

    assert len(set(seen)) == 1


def test_an_update_says_what_was_added_updated_unchanged_and_removed(catalog: Catalog) -> None:
    sync(catalog, make_paper(identity="a"), make_paper(identity="b"), make_paper(identity="c"))

    done = sync(
        catalog, make_paper("Another text about mills.", "b"), make_paper(identity="c"), make_paper(identity="d")
    )

    assert done == {"added": ["d"], "updated": ["b"], "unchanged": ["c"], "removed": ["a"], "foreign": []}
    assert [p.id for p in catalog.papers()] == ["b", "c", "d"]


def test_a_changed_title_or_metadata_is_a_change(catalog: Catalog) -> None:
    sync(catalog, make_paper(identity="a", title="One"), make_paper(identity="b", year=2030))

    done = sync(catalog, make_paper(identity="a", title="Two"), make_paper(identity="b", year=2031))

    assert done["updated"] == ["a", "b"]


def test_another_source_removes_nothing_and_missing_records_can_be_kept(catalog: Catalog) -> None:
    sync(catalog, make_paper(identity="a"), make_paper(identity="b"))
    sync(catalog, make_paper(identity="c"), source="b.txt")
    kept = sync(catalog, make_paper(identity="b"), remove_missing=False)

    assert kept["removed"] == []
    assert [p.id for p in catalog.papers()] == ["a", "b", "c"]


def test_a_write_that_fails_half_way_leaves_the_state_before(catalog: Catalog) -> None:
    sync(catalog, make_paper(identity="a"))
    broken = Paper("b", "B", False, "Words that can be stored.", "", {"year": {2031}})

    with pytest.raises(TypeError):
        sync(catalog, make_paper("Changed words about mills.", "a"), broken)

    assert list(catalog.papers()) == [make_paper(identity="a")]
    assert found(catalog, "change") == []
    assert sync(catalog, make_paper(identity="c"), remove_missing=False)["added"] == ["c"]


def test_chunks_are_pending_until_they_are_marked(catalog: Catalog) -> None:
    paper = make_paper(LONG, "a")
    sync(catalog, paper)
    rows = catalog.pending(1)

    assert rows == [("a:0", digest(embedded_text(paper, chunk(paper)[0])))]
    assert catalog.pending_count() == catalog.chunk_count() == len(chunk(paper)) > 1

    catalog.mark_embedded(rows)

    assert catalog.pending_count() == catalog.chunk_count() - 1
    assert "a:0" not in dict(catalog.pending(10))


def test_a_text_that_changed_while_it_was_embedded_stays_pending(catalog: Catalog) -> None:
    sync(catalog, make_paper(identity="a"))
    rows = catalog.pending(10)
    sync(catalog, make_paper("Changed words about mills.", "a"))

    catalog.mark_embedded(rows)

    assert [identity for identity, _ in catalog.pending(10)] == ["a:0"]


def test_only_chunks_whose_text_changed_become_pending(catalog: Catalog) -> None:
    sync(catalog, make_paper(LONG, "a", year=2030))
    embed_all(catalog)

    sync(catalog, make_paper(LONG + " It ends here.", "a", year=2030))
    changed = [identity for identity, _ in catalog.pending(10)]

    assert 0 < len(changed) < catalog.chunk_count() or catalog.chunk_count() == 1


def test_a_paper_with_new_metadata_only_is_not_embedded_again(catalog: Catalog) -> None:
    sync(catalog, make_paper(identity="a", year=2030))
    embed_all(catalog)

    assert sync(catalog, make_paper(identity="a", year=2031))["updated"] == ["a"]
    assert catalog.pending_count() == 0


def test_a_derived_title_is_no_part_of_what_is_embedded() -> None:
    piece = Chunk("a:0", "a", "Mills turn.", 0, 11)

    assert embedded_text(make_paper("Mills turn.", "a", "Mills", derived=True), piece) == "Mills turn."
    assert embedded_text(make_paper("Mills turn.", "a", "Mills"), piece) == "Mills. Mills turn."


def test_vectors_of_removed_chunks_are_withdrawn_until_they_are_deleted(catalog: Catalog) -> None:
    sync(catalog, make_paper(LONG, "a"), make_paper(identity="b"))
    expected = [c.id for c in chunk(make_paper(LONG, "a"))]

    assert catalog.remove(["a", "unknown"]) == ["a"]
    assert catalog.withdrawn() == expected

    catalog.mark_deleted(expected[:1])

    assert catalog.withdrawn() == expected[1:]
    assert catalog.chunks(["a:0", "b:0"]).keys() == {"b:0"}


def test_a_paper_that_comes_back_is_not_withdrawn(catalog: Catalog) -> None:
    sync(catalog, make_paper(identity="a"))
    embed_all(catalog)
    catalog.remove(["a"])
    sync(catalog, make_paper(identity="a"))

    assert catalog.withdrawn() == []
    assert catalog.pending_count() == 1


def test_a_paper_that_gets_shorter_withdraws_the_chunks_it_no_longer_has(catalog: Catalog) -> None:
    sync(catalog, make_paper(LONG, "a"))
    sync(catalog, make_paper(identity="a"))

    assert catalog.withdrawn() == [c.id for c in chunk(make_paper(LONG, "a"))[1:]]


def test_lost_vectors_make_everything_pending_again(catalog: Catalog) -> None:
    sync(catalog, make_paper(identity="a"), make_paper("Other words about tides.", "b"))
    embed_all(catalog)
    catalog.forget_vectors()

    assert catalog.pending_count() == 2


def test_matches_come_best_first_and_equal_ones_by_id(catalog: Catalog) -> None:
    same = "The tidal mill turns at night."
    sync(
        catalog,
        make_paper(same, "b", "M"),
        make_paper(same, "a", "M"),
        make_paper("The tidal mill and the tidal lock.", "c", "M"),
    )

    index = LexicalIndex(catalog.terms())
    scores = index.scores("tidal")
    best = index.top(scores, 10)

    assert list(best) == ["c:0", "a:0", "b:0"]
    assert best["c:0"] > best["a:0"] == best["b:0"] > 0
    assert list(index.top(scores, 2)) == ["c:0", "a:0"]


@pytest.mark.parametrize(
    "query", ['tidal" OR "', "NEAR(a b)", "*", "col:tidal", "AND OR NOT", "-", "", "'; DROP TABLE papers"]
)
def test_what_is_typed_is_never_search_syntax(catalog: Catalog, query: str) -> None:
    sync(catalog, make_paper("Quiet water rises slowly.", "a", "Water"))

    assert not LexicalIndex(catalog.terms()).has_phrase([query])
    assert found(catalog, query) == []
    assert catalog.count() == 1


def test_old_words_are_no_longer_found(catalog: Catalog) -> None:
    sync(catalog, make_paper("Ferries cross the sound.", "a", "T"))
    sync(catalog, make_paper("Mills turn in the sound.", "a", "T"))

    assert found(catalog, "ferries") == []
    index = LexicalIndex(catalog.terms())
    assert (index.count("ferri"), index.count("mill")) == (0, 1)


def test_names_are_kept_with_their_papers_and_counts(catalog: Catalog) -> None:
    sync(
        catalog,
        make_paper("TideNet beats KLM-Net. TideNet is small.", "a", "TideNet at Night"),
        make_paper("We use KLM-Net.", "b", "T"),
    )

    uses = {(use.key, use.paper_id): (use.text, use.count) for use in catalog.names()}

    assert uses["tidenet", "a"] == ("TideNet", 3)
    assert uses["klmnet", "a"] == uses["klmnet", "b"] == ("KLM-Net", 1)
    catalog.remove(["a"])
    assert {use.paper_id for use in catalog.names()} == {"b"}


@pytest.mark.parametrize(
    ("paper", "own", "others"),
    [
        (make_paper("TideNet beats KLM-Net by 2 points.", "a", "TideNet: Mills at Night"), "tidenet", "klmnet"),
        (
            make_paper("We introduce TideNet. It beats KLM-Net.", "a", "Mills at Night", derived=True),
            "tidenet",
            "klmnet",
        ),
        (make_paper("TideNet (a net for tides) is run on HARBOURBENCH.", "a"), "tidenet", "harbourbench"),
    ],
)
def test_a_papers_own_name_is_told_from_those_it_mentions(
    catalog: Catalog, paper: Paper, own: str, others: str
) -> None:
    sync(catalog, paper)

    owned = {use.key: use.owned for use in catalog.names()}

    assert (owned[own], owned[others]) == (True, False)


def test_every_change_by_this_or_another_process_changes_the_version(catalog: Catalog, tmp_path: Path) -> None:
    before = catalog.version()
    assert catalog.version() == before
    sync(catalog, make_paper(identity="a"))
    mine = catalog.version()
    other = Catalog(tmp_path)
    other.remove(["a"])
    other.close()

    assert len({before, mine, catalog.version()}) == 3


def test_a_library_of_another_format_is_refused_with_what_to_do(tmp_path: Path) -> None:
    Catalog(tmp_path).close()
    with sqlite3.connect(tmp_path / "library.db") as db:
        db.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    db.close()

    with pytest.raises(LibraryError, match=r"has format 99, this version reads 3; .*rag index FILE --rebuild --store "):
        Catalog(tmp_path)


def test_a_file_that_is_no_library_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "library.db").write_bytes(b"no database " * 100)

    with pytest.raises(LibraryError, match="library's file is damaged \\(file is not a database\\); set it aside"):
        Catalog(tmp_path)
