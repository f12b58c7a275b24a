"""Lists of abstracts as people and sites write them: numbered, in Markdown, with labels, quoted, inside a script."""

from __future__ import annotations

import json

import pytest

from rag.library.corpus import Reading, read_bytes
from rag.text.tex import readable

LEGAL = (
    "We propose TARNLEX, a parser of legal text that runs on one processor. It scores 71.4 F1 on the OAKMOOR benchmark."
)
CLINIC = (
    "We propose WEXLE, a parser of clinical notes with half of the parameters. It scores 74.1 F1 and needs no labels."
)
WELSH = "We translate between Welsh and Breton with 3,200 sentence pairs. Back-translation adds 2.6 BLEU to a strong system."
ALL = [LEGAL, CLINIC, WELSH]
TITLES = ["Legal Parsing", "Clinical Notes", "Welsh and Breton"]


def read(text: str) -> Reading:
    return read_bytes(text.encode(), "x")


def abstracts(text: str) -> list[str]:
    return [p.abstract for p in read(text).papers]


@pytest.mark.parametrize("form", ["{}. ", "{}) ", "[{}] ", "({}) ", "{}: ", "  {}.  "])
@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_the_numbers_of_a_list_are_no_part_of_its_abstracts(form: str, between: str) -> None:
    assert abstracts(between.join(form.format(n) + text for n, text in enumerate(ALL, 7))) == ALL


@pytest.mark.parametrize("bullet", ["-", "*", "•"])
def test_neither_are_bullets(bullet: str) -> None:
    assert abstracts("\n".join(f"{bullet} {text}" for text in ALL)) == ALL


def test_a_number_that_an_abstract_begins_with_stays() -> None:
    text = "3.2 million sentences of legal text are released in a corpus that nobody had before. They are free to use."

    assert abstracts(f"{text}\n\n{CLINIC}\n\n{WELSH}") == [text, CLINIC, WELSH]
    assert abstracts(f"2. {LEGAL}\n\n{CLINIC}\n\n{WELSH}")[0] == f"2. {LEGAL}"


def test_titles_in_bold_and_a_heading_with_venue_and_year() -> None:
    listed = "\n".join(f"- **{title}**: {text}" for title, text in zip(TITLES, ALL, strict=True))
    reading = read(f"# ICML 2026 Papers\n\n{listed}\n")

    assert [(p.title, p.abstract) for p in reading.papers] == list(zip(TITLES, ALL, strict=True))
    assert all(p.metadata == {"venue": "ICML", "year": 2026} for p in reading.papers)


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_markdown_headings_are_titles_and_short_lines_below_them_are_no_papers(gap: str) -> None:
    text = "# Reading list\n\n" + "".join(
        f"## {title}{gap}*Alice Reed, Bert Holt*\n\n{text}\n\n[PDF](https://example.org/{n}.pdf)\n\n"
        for n, (title, text) in enumerate(zip(TITLES, ALL, strict=True))
    )
    reading = read(text)

    assert [(p.title, p.abstract) for p in reading.papers] == list(zip(TITLES, ALL, strict=True))
    assert all(p.metadata["authors"] == ["Alice Reed", "Bert Holt"] for p in reading.papers)
    assert not reading.skipped


@pytest.mark.parametrize("label", ["Abstract: ", "ABSTRACT. ", "Abstract—", "**Abstract:** ", "Abstract\n"])
def test_the_word_abstract_before_one_is_left_out(label: str) -> None:
    assert abstracts("\n\n".join(f"{label}{text}" for text in ALL)) == ALL
    assert abstracts(json.dumps({"id": "a", "abstract": f"{label}{LEGAL}"})) == [LEGAL]


def test_an_abstract_that_begins_with_the_word_stays() -> None:
    text = "Abstract interpretation of programs finds more faults than testing does in all of our nine case studies."

    assert abstracts(text) == [text]


@pytest.mark.parametrize(
    "form",
    [
        "Title: {}\nAuthors: Alice Reed, Bert Holt\nYear: 2026\nAbstract: {}\n\n",
        "**Title:** {}\n**Authors:** Alice Reed, Bert Holt\n**Year:** 2026\n**Abstract:** {}\n\n",
        "- title: {}\n  authors: Alice Reed, Bert Holt\n  year: 2026\n  abstract: >\n    {}\n",
        '- title: "{}"\n  authors: Alice Reed; Bert Holt\n  year: 2026\n  abstract: "{}"\n',
    ],
)
def test_lines_that_say_what_they_are(form: str) -> None:
    reading = read("".join(form.format(title, text) for title, text in zip(TITLES, ALL, strict=True)))

    assert [(p.title, p.abstract) for p in reading.papers] == list(zip(TITLES, ALL, strict=True))
    assert all(p.metadata == {"authors": ["Alice Reed", "Bert Holt"], "year": 2026} for p in reading.papers)


def test_abstracts_quoted_in_a_mail() -> None:
    assert abstracts("\n>\n".join(f"> {text}" for text in ALL)) == ALL


@pytest.mark.parametrize(
    "form", ["var papers = {};", "window.data = {}", "load({});", "// exported in May\n{}", "/* a */ x = {}"]
)
def test_json_inside_a_script(form: str) -> None:
    rows = [{"title": title, "abstract": text} for title, text in zip(TITLES, ALL, strict=True)]

    assert abstracts(form.format(json.dumps(rows))) == ALL


PUBMED = f"""<?xml version="1.0" ?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" "https://example.org/pubmed.dtd">
<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID Version="1">123</PMID><Article>
<Journal><JournalIssue><PubDate><Year>2024</Year><Month>May</Month></PubDate></JournalIssue><Title>Notes</Title></Journal>
<ArticleTitle>Clinical <i>Notes</i>.</ArticleTitle>
<ELocationID EIdType="doi">10.1/x</ELocationID>
<Abstract><AbstractText Label="METHODS">{CLINIC}</AbstractText><AbstractText>p &lt; 10<sup>2</sup>.</AbstractText></Abstract>
<AuthorList><Author><LastName>Reed</LastName><ForeName>Alice</ForeName></Author></AuthorList>
</Article></MedlineCitation></PubmedArticle>
<PubmedArticle><MedlineCitation><PMID>124</PMID></MedlineCitation></PubmedArticle></PubmedArticleSet>"""


def test_xml_of_pubmed() -> None:
    reading = read(PUBMED)

    (paper,) = reading.papers
    assert (paper.id, paper.title) == ("123", "Clinical Notes.")
    assert paper.abstract == f"METHODS: {CLINIC} p < 10²."
    assert paper.metadata == {"venue": "Notes", "year": 2024, "doi": "10.1/x", "authors": ["Alice Reed"]}
    assert [(row.record, row.reason) for row in reading.skipped] == [("record 2 (124)", "it has no abstract")]


@pytest.mark.parametrize(
    ("source", "read_as"),
    [
        ("The <i>E. coli</i> mill", "The E. coli mill"),
        ("x<sub>2</sub> turns", "x₂ turns"),
        ('<div class="a"><b>Mills</b> turn</div>', "Mills turn"),
        ("Tokens <unk> and <i and p<0.05 </s>", "Tokens <unk> and <i and p<0.05 </s>"),
    ],
)
def test_pairs_of_tags_are_markup_and_single_ones_are_text(source: str, read_as: str) -> None:
    assert readable(source) == read_as
