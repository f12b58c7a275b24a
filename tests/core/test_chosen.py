"""Which paper is meant by an id, a title, a part of one or the name of a method."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from rag.cli import main
from rag.errors import InputError
from rag.retrieval.chosen import chosen
from tests.core.conftest import OpenAt
from tests.fakes import WordEmbedder, make_paper, make_reading

TITLES = {
    "a1": "OAKENET: Parsing of Tides",
    "a2": "Parsing of Tides in Harbours",
    "a3": "Crème of Ferries",
    "a4": "Night Ferries",
    "Night Ferries": "An id that is a title",
}
NAMES = {"oakenet": ["a1"], "fen": ["a3", "a4"]}


def named(text: str) -> Sequence[str]:
    return NAMES.get(text.casefold(), [])


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("a2", "a2"),
        ("Night Ferries", "Night Ferries"),
        ("parsing of tides in harbours", "a2"),
        ("OAKENET:  parsing of tides", "a1"),
        ("OakeNet", "a1"),
        ("creme of ferries", "a3"),
        ("in harbours", "a2"),
    ],
)
def test_the_paper_that_is_meant(typed: str, meant: str) -> None:
    assert chosen(typed, TITLES, named) == meant


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("Parsing of Tides", "'Parsing of Tides' may be a1 “OAKENET: Parsing of Tides” or a2 “Parsing of"),
        ("FEN", "'FEN' may be a3 “Crème of Ferries” or a4 “Night Ferries”; give the id of the one you mean."),
        ("Nigth Feries", "There is no paper 'Nigth Feries' in this library (is a4 “Night Ferries” meant?"),
        ("?", "There is no paper '?' in this library; list them with: rag papers"),
    ],
)
def test_no_paper_or_more_than_one_is_said(typed: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        chosen(typed, TITLES, named)

    assert str(error.value).startswith(said)


def test_papers_are_compared_and_shown_by_title_or_name(
    open_at: OpenAt, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = open_at(tmp_path / "lib", WordEmbedder())
    oak = make_paper(
        "We propose OAKENET, a parser of tides. OAKENET scores 71.4 F1.", "x1", "OAKENET: Parsing of Tides"
    )
    fen = make_paper("We study night ferries. They gain 3 points.", "x2", "Night Ferries")
    library.add(make_reading(oak, fen), "a.txt")

    assert [paper.id for paper in library.compare(["oakenet", "night ferries"]).papers] == ["x1", "x2"]
    assert library.chosen("Parsing of Tides").id == "x1"
    library.close()
    assert main(["papers", "OAKENET", "--store", str(tmp_path / "lib")]) == 0
    assert "scores 71.4 F1" in capsys.readouterr().out
