"""The copy of the lexical index on disk: used where it is that of the texts as they stand, never where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.library.catalog import Catalog
from rag.retrieval.kept import KEPT_FILE, kept_index
from rag.retrieval.lexical import LexicalIndex
from tests.fakes import make_paper

PASSAGES = [("a:0", "tidal mill turn | tidalmill"), ("b:0", "ferri cross sound"), ("c:0", "tidal lock")]


class Building:
    """Builds the index of these passages, and counts how often."""

    def __init__(self, passages: list[tuple[str, str]]) -> None:
        self.passages, self.count = passages, 0

    def __call__(self) -> LexicalIndex:
        self.count += 1
        return LexicalIndex(self.passages)


def test_a_copy_finds_what_the_index_found_and_nothing_is_built_again(tmp_path: Path) -> None:
    build = Building(PASSAGES)
    first = kept_index(tmp_path, "mark", build, 1)
    again = kept_index(tmp_path, "mark", build, 1)

    assert build.count == 1
    for query in ("tidal mills", "TidalMill", "ferries cross the sound", "unknown"):
        assert again.top(again.scores(query), 10) == first.top(first.scores(query), 10)
    assert (again.count("tidal"), again.has_phrase(["tidal", "mill"]), again.holding("tidal lock")) == (2, True, 1)


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 cut off", b"no archive"])
def test_a_damaged_copy_is_built_anew(tmp_path: Path, damage: bytes) -> None:
    build = Building(PASSAGES)
    kept_index(tmp_path, "mark", build, 1)
    (tmp_path / KEPT_FILE).write_bytes(damage)

    index = kept_index(tmp_path, "mark", build, 1)

    assert build.count == 2
    assert list(index.top(index.scores("ferries"), 10)) == ["b:0"]


def test_half_a_copy_is_built_anew(tmp_path: Path) -> None:
    build = Building(PASSAGES)
    kept_index(tmp_path, "mark", build, 1)
    whole = (tmp_path / KEPT_FILE).read_bytes()
    (tmp_path / KEPT_FILE).write_bytes(whole[: len(whole) // 2])

    kept_index(tmp_path, "mark", build, 1)

    assert build.count == 2


def test_other_texts_are_built_anew_and_leave_one_copy(tmp_path: Path) -> None:
    kept_index(tmp_path, "before", Building(PASSAGES), 1)
    (tmp_path / f"{KEPT_FILE}.4711").write_bytes(b"of a process that was killed")
    index = kept_index(tmp_path, "after", Building(PASSAGES[1:]), 1)

    assert index.ids == ["b:0", "c:0"]
    assert [path.name for path in tmp_path.iterdir()] == [KEPT_FILE]


def test_a_small_index_and_one_that_cannot_be_written_keep_no_copy(tmp_path: Path) -> None:
    assert len(kept_index(tmp_path, "mark", Building(PASSAGES), 4)) == 3
    assert len(kept_index(tmp_path / "nowhere", "mark", Building(PASSAGES), 1)) == 3
    assert list(tmp_path.iterdir()) == []


def test_every_change_of_the_texts_changes_the_mark(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path)
    marks = [catalog.mark()]
    for text in ("Mills turn at night.", "Mills turn at noon."):
        catalog.sync("a.txt", [make_paper(text, "a")], remove_missing=True)
        marks.append(catalog.mark())
    catalog.remove(["a"])

    assert len({*marks, catalog.mark()}) == 4
    catalog.close()
