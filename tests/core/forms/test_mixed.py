"""Several forms in one text: each part is read in its own, and what belongs to none is named."""

from __future__ import annotations

import itertools
import json

import pytest

from rag.library.corpus import read_bytes

LEGAL = (
    "We propose TARNLEX, a parser of legal text that runs on one processor. It scores 71.4 F1 on the OAKMOOR benchmark."
)
CLINIC = (
    "We propose WEXLE, a parser of clinical notes with half of the parameters. It scores 74.1 F1 and needs no labels."
)
WELSH = "We translate between Welsh and Breton with 3,200 sentence pairs. Back-translation adds 2.6 BLEU to a strong system."
YORUBA = (
    "We release a corpus of 12,000 annotated dialogues in Yoruba, collected from 240 volunteers over two whole years."
)
FORMS = {
    "bibtex": f"@inproceedings{{reed24,\n  title = {{Legal}},\n  abstract = {{{LEGAL}}}\n}}\n",
    "ris": f"TY  - CONF\nTI  - Clinic\nAB  - {CLINIC}\nER  - \n",
    "jsonl": json.dumps({"id": "w", "title": "Welsh", "abstract": WELSH}) + "\n",
    "json": json.dumps([{"id": "w", "title": "Welsh", "abstract": WELSH}], indent=2) + "\n",
    "medline": f"PMID- 123\nTI  - Yoruba\nAB  - {YORUBA[:60]}\n      {YORUBA[61:]}\n\n",
}
TEXTS = {"bibtex": LEGAL, "ris": CLINIC, "jsonl": WELSH, "json": WELSH, "medline": YORUBA}
OTHER = (
    "Night ferries cross the sound by the light of lanterns. They gain seven minutes a trip over the best earlier plan."
)


@pytest.mark.parametrize("pair", [p for p in itertools.permutations(FORMS, 2) if set(p) != {"json", "jsonl"}], ids=str)
@pytest.mark.parametrize("between", ["", "\n\n"])
def test_two_forms_in_one_text_are_both_read(pair: tuple[str, str], between: str) -> None:
    reading = read_bytes((FORMS[pair[0]] + between + FORMS[pair[1]]).encode(), "x")

    assert [p.abstract for p in reading.papers] == [TEXTS[form] for form in pair]
    assert not reading.skipped and not reading.partial


def test_all_forms_in_one_text_keep_the_numbers_of_their_lines() -> None:
    text = "".join(FORMS[form] for form in ("medline", "bibtex", "ris")) + '{"id": "s", "title": "x", "abstract": ""}\n'
    reading = read_bytes(text.encode(), "x")

    assert len(reading.papers) == 3
    (skipped,) = reading.skipped
    assert skipped.record == f"line {text.count(chr(10))} (s)"


@pytest.mark.parametrize("form", ["ris", "jsonl", "json", "medline"])
def test_plain_abstracts_below_another_form_are_read(form: str) -> None:
    reading = read_bytes(f"{FORMS[form]}\n{OTHER}\n".encode(), "x")

    assert [p.abstract for p in reading.papers] == [TEXTS[form], OTHER]
    assert not reading.skipped


def test_plain_abstracts_above_references_are_read() -> None:
    assert [p.abstract for p in read_bytes(f"{OTHER}\n\n{FORMS['ris']}".encode(), "x").papers] == [OTHER, CLINIC]


@pytest.mark.parametrize("text", [f"{FORMS['bibtex']}\n{OTHER}\n", f"{OTHER}\n\n{FORMS['bibtex']}"])
def test_a_text_beside_bibtex_is_named_since_it_may_be_a_comment(text: str) -> None:
    reading = read_bytes(text.encode(), "x")

    assert [p.id for p in reading.papers] == ["reed24"]
    (skipped,) = reading.skipped
    assert "stands outside of the BibTeX entries" in skipped.reason and not reading.partial


def test_what_exporters_say_between_entries_is_no_record() -> None:
    text = f"% Encoding: UTF-8\nThis file was made by a manager.\n{FORMS['bibtex']}\n@comment{{x}}\n% {OTHER}\n"

    assert [p.id for p in read_bytes(text.encode(), "x").papers] == ["reed24"]
    assert not read_bytes(text.encode(), "x").skipped


def test_json_that_is_cut_off_stays_a_broken_record() -> None:
    for form in (FORMS["jsonl"], FORMS["json"].rstrip().rstrip("]") + ","):
        cut = form + '\n{"id": "x9", "abstract": "It goes on for many words and ends in the middle of a very long sen'
        reading = read_bytes(cut.encode(), "x")

        assert [p.abstract for p in reading.papers] == [WELSH]
        assert "cut off" in reading.skipped[0].reason and reading.partial


@pytest.mark.parametrize("where", ["above", "below"])
def test_abstracts_beside_a_table_are_named(where: str) -> None:
    table = f'title,abstract,year\nYoruba,"{YORUBA}",2022\n'
    text = f"{table}\n{LEGAL}\n\n{CLINIC}\n" if where == "below" else f"{LEGAL}\n\n{CLINIC}\n\n{table}"
    reading = read_bytes(text.encode(), "x")

    assert [p.abstract for p in reading.papers] == [YORUBA]
    assert [row.reason[:29] for row in reading.skipped] == ["it stands beside a table and "] * 2
