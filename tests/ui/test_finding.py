"""Result lists, filters, exports, suggestions, dropped files and votes, without Gradio."""

from __future__ import annotations

import gzip
import html
import io
import json
import re
import zipfile
from pathlib import Path

import pytest

from rag.errors import InputError, NothingIndexed
from rag.opening import name_after
from rag.survey.bibliography import Entry, bibtex
from rag.survey.export import of_papers, write
from tests.ui.fakes import HOSTILE_TITLE, PAPERS, FakeLibrary, canned, paper
from ui import cards, feedback, reports
from ui.conversation import Conversation
from ui.exports import conversation_markdown
from ui.finding import Filters, Found, Results, choices, find_papers, matched_words, nearest
from ui.intake import Refused, take_in
from ui.library import Shelf
from ui.suggest import next_questions


def ids(results: Results) -> list[str]:
    return [row.paper.id for row in results.shown]


def test_an_empty_query_browses_in_order_and_a_query_ranks():
    library = FakeLibrary()
    everything = find_papers(library, "  ", Filters(), 2)
    assert ids(everything) == ["spar", "tarnlex"] and everything.total == 5
    assert ids(find_papers(library, "annotated dialogues", Filters())) == ["yoruba"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(year="2026"), ["spar", "tarnlex"]),
        (Filters(venue="nowhere"), []),
        (Filters(code=True), ["spar"]),
        (Filters(year="2026", code=True), ["spar"]),
    ],
)
def test_filters_narrow_both_browsing_and_searching(filters, expected):
    assert ids(find_papers(FakeLibrary(), "", filters)) == expected
    assert set(ids(find_papers(FakeLibrary(), "OAKMOOR benchmark code", filters))) == set(expected)


def test_choices_are_what_occurs():
    assert choices([paper("a", "A", "x", venue="B", year=2025), paper("b", "B", "x", venue="a", year=2026)]) == (
        ["a", "B"],
        ["2026", "2025"],
    )


def test_nearest_leaves_the_paper_itself_out():
    near = nearest(FakeLibrary(), PAPERS[1])
    assert "tarnlex" not in [p.id for p in near] and "wexle" in [p.id for p in near]


def test_words_of_the_query_are_marked_in_whatever_form():
    text = "Parsers parse the parsed café."
    assert [text[a:b] for a, b in matched_words(text, "parsing the cafe")] == ["parse", "parsed", "café"]


def test_cards_escape_what_papers_hold_and_mark_what_matched():
    markup = cards.results_html(Results("tokens", (Found(PAPERS[4], "Tokens <unk> $x_1$"),), 1), ())
    assert '<mark class="hit">Tokens</mark>' in markup and "<unk>" not in markup and "<img" not in markup
    assert HOSTILE_TITLE in html.unescape(re.sub(r"<[^>]*>", "", markup))
    assert "No paper fits" in cards.results_html(Results("x", (), 0), ())


def test_a_paper_and_a_saved_list_have_one_and_the_same_bibtex():
    odd = paper("a b", "On {x} & 5% }of", "x", authors=["Ann Lee"], venue={"name": "ICML"}, year=2026)
    entry = bibtex([Entry(odd)])
    assert cards.copy_button("Copy BibTeX", entry) in cards.paper_html(odd)
    assert "booktitle = {ICML}" in entry and write(of_papers([odd]), "bibtex") == entry


def test_a_conversation_is_taken_away_whole():
    reply = canned("Tell me about SPAR", ())
    text = conversation_markdown(Conversation().asked("SPAR?").with_last(reply.text, "done", reply), "Notes")
    assert "# Notes" in text and "## SPAR?" in text and f"> {reply.citations[0].quote}" in text


def test_what_to_ask_next_is_about_the_cited_papers_and_was_not_asked():
    library = FakeLibrary()
    reply = canned("Tell me about SPAR", ())
    found = next_questions(reply, library.paper)
    assert found and all("SPAR" in question for question in found)
    assert "Is the code of SPAR available?" in found
    assert not any("code" in q for q in next_questions(canned("Is there code for SPAR?", ()), library.paper))
    assert next_questions(canned("hi", ()), library.paper) == ()
    assert next_questions(canned("Who won the regatta?", ()), library.paper) == ()


ABSTRACT = "We present HERON, a method that counts birds on lakes from a single photograph taken at dawn."


def shelf() -> tuple[Shelf, dict[str, FakeLibrary]]:
    made: dict[str, FakeLibrary] = {}

    def open_named(name: str) -> FakeLibrary:
        return made.setdefault(name, FakeLibrary(name=name))

    return Shelf(FakeLibrary(), open_named, lambda: list(made)), made


def test_a_dropped_file_becomes_a_library_of_its_own_and_says_what_was_skipped(tmp_path: Path):
    file = tmp_path / "birds 2026.jsonl"
    rows = [{"id": "h", "title": "HERON", "abstract": ABSTRACT}, {"id": "x", "title": "No abstract"}]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    libraries, made = shelf()
    name, report = take_in(libraries, file)
    assert name == "birds-2026" and list(made["birds-2026"].added) == ["h"]
    assert libraries.names() == ["Hollow Conference 2026", "birds-2026"]
    markup = reports.indexed_html(name, report)
    assert "1</span> added" in markup and "1</span> skipped" in markup and "it has no abstract" in markup


def test_files_that_cannot_be_taken_in_say_why(tmp_path: Path):
    libraries, made = shelf()
    picture = tmp_path / "talk.png"
    picture.write_bytes(b"x")
    with pytest.raises(InputError, match=r"talk\.png is no file of abstracts"):
        take_in(libraries, picture)
    empty = tmp_path / "stubs.jsonl"
    empty.write_text('{"id": "x", "title": "Only a title"}', encoding="utf-8")
    with pytest.raises(Refused, match="holds no abstract") as refused:
        take_in(libraries, empty)
    assert isinstance(refused.value, NothingIndexed) and len(refused.value.skipped) == 1
    huge = tmp_path / "huge.txt"
    with huge.open("wb") as sparse:
        sparse.truncate(50_000_001)
    with pytest.raises(InputError, match="at most 50 MB"):
        take_in(libraries, huge)
    assert made == {}


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("icml 2026.jsonl.gz", "icml-2026"),
        ("seeds.txt", "seeds-library"),
        ("..jsonl", "library"),
        ("v1.2.txt", "v1.2"),
        ("export.dat", "export"),
        ("v1.2", "v1.2"),
        ("x" * 300 + ".bib", "x" * 60),
    ],
)
def test_libraries_are_named_after_files(file, name):
    assert name_after(file) == name


@pytest.mark.parametrize("ending", ["csv", "tsv", "bib", "ris", "zip", "xml"])
def test_a_file_of_every_form_can_be_dropped(tmp_path: Path, ending: str):
    file = tmp_path / f"birds.{ending}"
    file.write_bytes(written_as(ending))

    name, report = take_in(shelf()[0], file)

    assert (name, len(report.added)) == ("birds", 1)


def written_as(ending: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.txt", ABSTRACT)
    feed = f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><summary>{ABSTRACT}</summary></entry></feed>'
    return {
        "csv": f'id,abstract\nh,"{ABSTRACT}"\n'.encode(),
        "tsv": f"id\tabstract\nh\t{ABSTRACT}\n".encode(),
        "bib": f"@misc{{h, abstract = {{{ABSTRACT}}}}}".encode(),
        "ris": f"TY  - JOUR\nAB  - {ABSTRACT}\nER  - ".encode(),
        "zip": buffer.getvalue(),
        "xml": feed.encode(),
    }[ending]


def test_a_packed_file_is_read_too(tmp_path: Path):
    file = tmp_path / "birds.jsonl.gz"
    file.write_bytes(gzip.compress(json.dumps({"id": "h", "title": "H", "abstract": ABSTRACT}).encode()))
    assert take_in(shelf()[0], file)[0] == "birds"


def test_a_vote_is_a_candidate_for_the_gold_and_the_last_one_counts(tmp_path: Path):
    reply = canned("Tell me about SPAR", ())
    feedback.store(tmp_path, feedback.candidate(reply, (), "up", ""))
    feedback.store(tmp_path, feedback.candidate(reply, (), "down", " misses <the> cost "))
    feedback.store(tmp_path, feedback.candidate(canned("hi", ()), (), "up", ""))
    (tmp_path / feedback.CANDIDATES_FILE).open("a").write('{"cut')
    rows = feedback.stored(tmp_path)
    assert [(row["question"], row["vote"], row["note"]) for row in rows] == [
        ("hi", "up", ""),
        ("Tell me about SPAR", "down", "misses <the> cost"),
    ]
    assert rows[1]["papers"] == ["spar"] and rows[1]["answers"] == []
    assert "misses &lt;the&gt; cost" in reports.votes_html(rows)


def test_a_census_gives_counts_with_their_denominator_and_quotes():
    markup = reports.census_html(FakeLibrary().census("Which papers release their code?"))
    text = html.unescape(re.sub(r"<[^>]*>", " ", markup))
    assert "Read 5 abstracts" in text and "of 5, 20.0 %" in text and "Code is available at" in text


def test_an_evaluation_is_shown_with_its_intervals_and_its_red_floors():
    row = {"metric": "hit_at_1", "value": 0.91, "low": 0.85, "high": 0.95, "n": 80}
    gate = [{"metric": "a", "status": "green", "line": "fine"}, {"metric": "b", "status": "red", "line": "b fell <"}]
    markup = reports.evaluation_html({"summary": "run <1>", "figures": {"dev": [row], "test": []}, "gate": gate}, "f")
    assert "0.910" in markup and "0.850 to 0.950" in markup and "1 of 2 floors are not held" in markup
    assert "b fell &lt;" in markup and "run &lt;1&gt;" in markup
    assert "rag eval --json f" in reports.evaluation_html(None, "f")
