"""Tables without a header that names an abstract column: columns are told by what they hold, and said."""

from __future__ import annotations

import csv
import io

import pytest

from rag.library.corpus import Reading, read_bytes

TITLES = ("Parsing of Legal Text", "Clinical Notes", "Welsh, Breton and Back", "Dialogues in Yoruba")
ABSTRACTS = (
    "We propose TARNLEX, a parser of legal text that runs on one processor; it scores 71.4 F1 on the OAKMOOR benchmark.",
    "We propose WEXLE, a parser of clinical notes with half of the parameters.\nIt scores 74.1 F1 and needs no labels.",
    'We translate between Welsh and Breton with 3,200 "clean" sentence pairs. Back-translation adds 2.6 BLEU to it all.',
    "We release a corpus of 12,000 annotated dialogues in Yoruba, collected from 240 volunteers over two whole years.",
)
PEOPLE = ("Reed, A.; Holt, B.", "Holt, B.; Li, Wei", "Zoë Prys and Ann Holt", "B. Holt, C. Li, A. Reed")


def table(*columns: tuple[str, ...], sign: str = ",", header: str = "", encoding: str = "utf-8") -> Reading:
    out = io.StringIO()
    out.write(f"{header}\n" if header else "")
    csv.writer(out, delimiter=sign, lineterminator="\n").writerows(zip(*columns, strict=True))
    return read_bytes(out.getvalue().encode(encoding), "x")


def read(reading: Reading) -> list[str]:
    return [p.abstract for p in reading.papers]


WANTED = [text.replace("\n", " ") for text in ABSTRACTS]


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_titles_years_and_authors_are_told_from_abstracts(sign: str) -> None:
    reading = table(("1", "2", "3", "4"), TITLES, PEOPLE, ("2021", "2022", "2023", "2024"), ABSTRACTS, sign=sign)

    assert (read(reading), [p.title for p in reading.papers]) == (WANTED, list(TITLES))
    assert [p.metadata["year"] for p in reading.papers] == [2021, 2022, 2023, 2024]
    assert reading.papers[0].metadata["authors"] == ["A. Reed", "B. Holt"]
    assert all("title, authors, year, abstract" in row.reason for row in reading.notes if "header" in row.reason)
    assert sum("header" in row.reason for row in reading.notes) == 4 and not reading.skipped


def test_ids_addresses_and_dois_are_told(sign: str = "\t") -> None:
    reading = table(
        tuple(f"sub-{n}" for n in range(4)),
        ABSTRACTS,
        tuple(f"https://example.org/{n}" for n in range(4)),
        tuple(f"10.1234/x.{n}" for n in range(4)),
        sign=sign,
    )

    assert [p.id for p in reading.papers] == ["sub-0", "sub-1", "sub-2", "sub-3"]
    assert reading.papers[1].metadata == {"url": "https://example.org/1", "doi": "10.1234/x.1"}


@pytest.mark.parametrize("header", ["Paper;Body;When", "col1;col2;col3", "A;B;C"])
def test_a_header_of_other_names_is_no_record(header: str) -> None:
    reading = table(TITLES, ABSTRACTS, ("2021", "2022", "2023", "2024"), sign=";", header=header)

    assert (read(reading), [p.title for p in reading.papers]) == (WANTED, list(TITLES))


def test_an_excel_table_of_another_language_is_read() -> None:
    reading = table(
        TITLES,
        ABSTRACTS,
        ("2021", "2022", "2023", "2024"),
        sign=";",
        header="Titel;Zusammenfassung;Jahr",
        encoding="cp1252",
    )

    assert (read(reading), reading.papers[0].metadata) == (WANTED, {"year": 2021})
    assert not any("header" in row.reason for row in reading.notes)


def test_plain_abstracts_are_no_table_whatever_their_commas() -> None:
    lines = (
        "We study tides, mills, and harbours in one valley; they turn at night, by day, and in between on two rivers.",
        "We study choirs, pitch, and drift over one evening; they sink by noon, by night, and in between on two stages.",
    )
    for text in ("\n".join(lines), "\n\n".join(lines), "\n".join(line.replace(";", "|") for line in lines)):
        reading = read_bytes(text.encode(), "x")

        assert len(reading.papers) == 2 and not any("header" in row.reason for row in reading.notes)


def test_a_long_table_is_read_to_its_end() -> None:
    many = range(300)
    reading = table(
        tuple(f"Title number {n}" for n in many), tuple(f"{ABSTRACTS[1]} Number {n} of a long table." for n in many)
    )

    assert len(reading.papers) == 300
