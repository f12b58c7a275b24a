"""What is exported parses with third-party parsers and gives the quotes back."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import pytest
import rispy
from pybtex.database import parse_string

from rag.errors import InputError
from rag.library.chunking import quote
from rag.survey import export
from rag.survey.bibliography import Entry, bibtex, ris
from rag.survey.tables import compare, extract
from rag.types import Paper

HOSTILE = Paper(
    "x{1}, @misc{evil",
    'Braces } and { "quotes" 100% & $x_1^2$ #1 \\input{x} ~\nnew line\r\nER  - ',
    False,
    "=cmd|' /C calc'!A0 holds 50% of $a_b$, {unbalanced. A second | sentence\nwith `code` and <b>tags</b>.",
    "",
    {"authors": ["Ann {Lee", "Bo & Co."], "venue": "V%", "year": 2024, "url": "https://a.example/x_y?b={c}&d#e"},
)


def entries_of(text: str):
    return list(parse_string(text, "bibtex").entries.values())


def sheets(library):
    papers = list(library.papers())[:4]
    answer = library.ask("How much faster does PBS-Attn make prefilling?")
    return {
        "answer": export.of_answer(answer, {p.id: p for p in library.papers()}),
        "census": export.of_census(library.census("Which papers release their code?")),
        "papers": export.of_papers(papers),
        "hits": export.of_hits(library.search("sparse attention", 3)),
        "table": export.of_table(extract("method, headline number, code link", papers)),
        "comparison": export.of_comparison(compare(papers)),
        "near": export.of_near(library.near(papers[2].abstract.replace("PBS-Attn", "ReBlock"))),
    }


def test_everything_parses_in_every_format_and_keeps_its_quotes(library):
    for name, sheet in sheets(library).items():
        assert sheet.entries, name
        entries = entries_of(export.write(sheet, "bibtex"))
        rows = rispy.loads(export.write(sheet, "ris"))
        assert len(entries) == len(rows) == len(sheet.entries), name
        for wanted, record in zip(sheet.entries, rows, strict=True):
            assert record["title"] == wanted.paper.title
            assert record["id"] == wanted.paper.id
            notes = record.get("notes", [])
            for kept in wanted.quotes:
                assert any(kept.text in note for note in notes), name
        table = list(csv.reader(io.StringIO(export.write(sheet, "csv"), newline=""), strict=True))
        assert len(table) > 1 and len({len(row) for row in table}) == 1, name
        assert json.loads(export.write(sheet, "json")) == json.loads(json.dumps(sheet.value))
        assert export.write(sheet, "md").strip(), name


def test_the_quotes_of_an_answer_stand_in_its_bibtex_note(library):
    sheet = sheets(library)["answer"]
    entry = entries_of(export.write(sheet, "bibtex"))[0]
    assert entry.type == "inproceedings" and entry.fields["year"] == "2026" and entry.fields["booktitle"] == "ICML"
    assert "2.75×" in entry.fields["note"] and "characters 1357–1493 of the abstract" in entry.fields["note"]
    assert "title was made from the abstract" in entry.fields["note"]


def test_hostile_text_stays_inside_its_field():
    entry = Entry(HOSTILE, (quote(HOSTILE, 0, 52),))
    found = entries_of(bibtex([entry, entry]))
    assert [row.type for row in found] == ["inproceedings", "inproceedings"]
    assert len({row.key for row in found}) == 2
    assert [str(name) for name in found[0].persons["author"]] == ["\\textbraceleft{}Lee, Ann", "Co., Bo \\&"]
    assert "50\\% of \\$a\\_b\\$" in found[0].fields["note"]
    rows = rispy.loads(ris([entry, entry]))
    assert len(rows) == 2
    assert rows[0]["title"].endswith("new line ER -") and rows[0]["authors"] == ["Ann {Lee", "Bo & Co."]
    assert rows[0]["urls"] == ["https://a.example/x_y?b=%7Bc%7D&d#e"]


def test_no_cell_is_a_formula_and_no_cell_breaks_its_table():
    sheet = export.of_table(extract("title, holds a_b", [HOSTILE]))
    row = next(csv.DictReader(io.StringIO(export.write(sheet, "csv"), newline="")))
    assert row["holds a_b"].startswith("'=cmd")
    lines = export.write(sheet, "md").splitlines()
    assert len(lines) == 3
    assert all(line.replace("\\|", "").count("|") == 4 for line in lines)
    assert "<b>" not in lines[2]


def test_the_markdown_of_an_answer_holds_no_markup_of_a_paper(library):
    said = "says: “<img src=x onerror=y> ![z](http://a.example/z.png) costs $5, *a*, `b` and #c | d” [1]"
    answer = replace(library.ask("How much faster does PBS-Attn make prefilling?"), text=f"{said}\n\n- {said}")
    first, _, second = export.write(export.of_answer(answer, {}), "md").split("\n")[2:5]
    assert second == f"- {first}"
    assert re.sub(r"\\(.)", r"\1", first) == said
    assert not set("<>[]*`#|$") & set(re.sub(r"\\.", "", first))


def test_a_figure_has_columns_of_its_own(library):
    papers = [p for p in library.papers() if p.title.startswith("AutoTool")]
    sheet = export.of_table(extract("headline number", papers))
    row = next(csv.DictReader(io.StringIO(export.write(sheet, "csv"), newline="")))
    assert row["headline number: number"] == "21.8%"
    assert row["headline number: unit"] == "%"
    assert row["headline number: baseline"] == "the base model"


def test_an_address_that_is_none_is_left_out():
    paper = Paper("p", "T", False, "A.", "", {"url": "javascript:alert(1)"})
    assert "url" not in entries_of(bibtex([Entry(paper)]))[0].fields


def test_an_unknown_format_is_an_error():
    with pytest.raises(InputError):
        export.write(export.of_papers([HOSTILE]), "docx")


def test_a_readers_note_is_in_every_form_and_changes_no_field_of_a_list_without(library):
    papers = list(library.papers())[:3]
    note = "=Ask the authors; 10:30, `room` 5"
    sheet = export.of_papers(papers, {papers[1].id: note})

    assert note.replace("`", "\\`") in sheet.markdown.replace("\\=", "=")
    rows = list(csv.DictReader(io.StringIO(export.write(sheet, "csv").removeprefix("\ufeff"))))
    assert [row["note"].lstrip("'") for row in rows] == ["", note, ""]
    assert [row["note"] for row in json.loads(export.write(sheet, "json"))] == ["", note, ""]
    assert note in rispy.loads(export.write(sheet, "ris"))[1]["notes"]
    assert "room" in entries_of(export.write(sheet, "bibtex"))[1].fields["note"]
    assert "note" not in export.write(export.of_papers(papers), "csv").splitlines()[0]
