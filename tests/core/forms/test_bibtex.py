"""BibTeX: what authors, reference managers and anthologies write, and what breaks in it."""

from __future__ import annotations

import pytest

from tests.core.forms.samples import DIALECT, FERRY, MILL, abstracts, reasons, rows, skips
from tests.fakes import read_text

BIB = r"""
% a comment before the first entry
@string{harbour = "Proc. HARBOUR"}
@comment{nothing}
@inproceedings{reed31,
  title = {{MILLNET}: Mills at K{\"u}sten},
  author = {Reed, Anna and Bert Holt and {The Mill Group}},
  booktitle = harbour # " 2031",
  year = 2031, month = jan,
  abstract = {MILLNET models {tidal} mills in
     har-
     bours. It gains 12\% in $\mathcal{O}(n^{2})$ steps.},
  keywords = {tides, mills},
  doi = {10.1/ab}
}
"""


def test_an_entry_gives_all_that_is_known() -> None:
    (paper,) = read_text(BIB).papers

    assert (paper.id, paper.title) == ("reed31", "MILLNET: Mills at Küsten")
    assert paper.abstract.startswith("MILLNET models tidal mills in harbours. It gains 12% in $")
    assert paper.metadata == {
        "venue": "Proc. HARBOUR 2031",
        "doi": "10.1/ab",
        "authors": ["Anna Reed", "Bert Holt", "The Mill Group"],
        "keywords": ["tides", "mills"],
        "year": 2031,
    }


@pytest.mark.parametrize(
    ("broken", "word"),
    [
        ("@article{x1, title = {never closed, abstract = {Words without end", "x1"),
        ('@article{x3, abstract = "a quote " too many" }', "x3"),
    ],
)
def test_a_broken_entry_costs_only_itself(broken: str, word: str) -> None:
    reading = read_text(f"@article{{a, abstract={{{MILL}}}}}\n{broken}\n@misc{{b, abstract={{{FERRY}}}}}\n")

    assert [p.id for p in reading.papers] == ["a", "b"]
    assert (reading.skipped[0].record, len(reading.skipped)) == (f"line 2 ({word})", 1)
    assert reading.skipped[0].reason.startswith("its BibTeX is broken")


def test_a_comma_that_is_missing_between_fields_is_forgiven() -> None:
    text = f'@article{{x2,\n  title = {{Mills}}\n  abstract = {{{MILL}}},\n  year = 2031\n  doi = "10.1/ab"\n}}\n'
    (paper,) = read_text(text).papers

    assert (paper.id, paper.title, paper.abstract) == ("x2", "Mills", MILL)
    assert paper.metadata == {"doi": "10.1/ab", "year": 2031}


def test_a_key_given_twice_and_an_unknown_abbreviation_are_told_and_survived() -> None:
    text = (
        f"@article{{a, abstract={{{MILL}}}, journal = nosuch}}\n@article{{a, abstract={{{FERRY}}}}}\n"
        f"@ARTICLE(c, Abstract = {{{DIALECT}}})\n@article{{d, title={{No abstract}}}}\n"
    )
    reading = read_text(text)

    assert [(p.id, p.metadata.get("venue")) for p in reading.papers] == [("a", "nosuch"), ("c", None)]
    assert reasons(reading) == ["its id 'a' is that of line 1 (a), with another text", "it has no abstract"]


def test_entries_on_one_line_are_all_read() -> None:
    text = f"@article{{a, abstract={{{MILL}}}}} @article{{b, abstract={{{FERRY}}}}}@misc{{c, abstract={{{DIALECT}}}}}"

    assert [p.id for p in read_text(text).papers] == ["a", "b", "c"]


def test_entries_in_a_comment_are_not_read() -> None:
    text = f"@comment{{\n@article{{old, abstract={{{FERRY}}}}}\n}}\n@article{{a, abstract={{{MILL}}}}}\n@comment{{jabref-meta: x;}}"

    assert [p.id for p in read_text(text).papers] == ["a"]


def test_a_line_of_an_abstract_that_begins_with_an_at_sign_opens_no_entry() -> None:
    (paper,) = read_text(
        "@article{a,\n abstract = {Mills reach a recall\n@k (with k = 5) of 0.9\n@night{ly} runs.}}\n"
    ).papers

    assert paper.abstract == "Mills reach a recall @k (with k = 5) of 0.9 @nightly runs."


def test_an_anthologys_style_with_quotes_months_and_wrapped_names_is_read() -> None:
    text = f"""@inproceedings{{reed-holt-2031-mills,
    title = "Mills {{and}} Tides: ``Night'' Work",
    author = "Reed, Anna  and
      Holt, Jr., Bert  and
      others",
    editor = "Dale, C.",
    booktitle = "Proceedings of the 3rd Harbour Meeting",
    month = jul,
    year = "2031",
    url = "https://example.org/2031.harbour-main.7/",
    abstract = "{MILL.replace(" tidal", chr(10) + "      tidal")}"
}}
"""
    (paper,) = read_text(text).papers

    assert (paper.title, paper.abstract) == ("Mills and Tides: “Night” Work", MILL)
    assert paper.metadata == {
        "venue": "Proceedings of the 3rd Harbour Meeting",
        "url": "https://example.org/2031.harbour-main.7/",
        "authors": ["Anna Reed", "Bert Holt Jr."],
        "year": 2031,
    }


def test_what_reference_managers_write_is_read() -> None:
    text = (
        f"@article{{Reed 2031,\n title = {{Mills}},\n journaltitle = {{Quay}},\n date = {{2031-05-01}},\n abstract = {{{MILL}}},\n"
        f" file = {{:C$\\backslash$:/Users/a.pdf:pdf}},\n}}\n@online{{,\n abstract = {{{FERRY}}}\n}}\n"
    )
    first, second = read_text(text).papers

    assert (first.id, first.metadata) == ("Reed-2031", {"venue": "Quay", "year": 2031})
    assert second.abstract == FERRY and second.id.startswith("p")


def test_an_entry_without_a_key_is_read_or_named() -> None:
    reading = read_text(f"@article{{title = {{Mills}}, abstract = {{{MILL}}}}}\n@article{{b, abstract={{{FERRY}}}}}\n")

    assert (abstracts(reading), skips(reading)) == ([MILL, FERRY], {})


def test_accents_braces_and_dashes_become_what_they_mean() -> None:
    text = r"""@article{a, title = {{{BERT}} f{\"u}r {N}{\o}rd-{\v{C}}esk{\'y} {\ss}}, author = {M{\"u}ller, J{\'e}r{\^o}me and Garc\'\i a, \'Angel},
    abstract = {Pages 3--4 of \emph{Mills} \& tides: 50\% {\textbf{more}} at \url{https://example.org/a_b} and $x_{i}^{2}$.}}"""
    (paper,) = read_text(text).papers

    assert paper.title == "BERT für Nørd-Český ß"
    assert paper.metadata["authors"] == ["Jérôme Müller", "Ángel García"]
    assert paper.abstract == "Pages 3–4 of Mills & tides: 50% more at https://example.org/a_b and $x_{i}^{2}$."


def test_what_stands_in_the_volume_is_the_papers_as_well() -> None:
    text = (
        f"@inproceedings{{a, crossref = {{harbour31}}, abstract = {{{MILL}}}}}\n"
        "@proceedings{harbour31, title = {Harbour Meeting}, year = 2031}\n"
    )
    reading = read_text(text)

    assert reading.papers[0].metadata == {"venue": "Harbour Meeting", "year": 2031}
    assert rows(reading)[0][0] == "a"


def test_names_between_commas_instead_of_and_are_told_apart() -> None:
    (paper,) = read_text(f"@article{{a, author = {{A. Reed, B. Holt, C. Dale}}, abstract = {{{MILL}}}}}").papers

    assert paper.metadata["authors"] == ["A. Reed", "B. Holt", "C. Dale"]
