from __future__ import annotations

import pytest

from rag.errors import InputError
from rag.survey.columns import columns
from rag.survey.tables import compare, extract
from rag.types import Paper

_ASKED = "name, method, task, headline number with its unit and baseline, code link"


def cells(paper: Paper, names: str):
    table = extract(names, [paper])
    return dict(zip((column.name for column in table.columns), table.rows[0], strict=True))


def test_every_cell_of_the_seeds_is_a_quote_or_empty(seeds):
    table = extract(_ASKED, list(seeds.values()))
    assert len(table.rows) == 19
    filled = 0
    for paper, row in zip(table.papers, table.rows, strict=True):
        for cell in row:
            assert cell.text == " … ".join(paper.abstract[q.start : q.end] for q in cell.quotes)
            filled += bool(cell.quotes)
    assert filled > 60


@pytest.mark.parametrize(
    ("name", "number", "unit", "baseline"),
    [
        ("PBS-Attn", "2.75×", "×", None),
        ("AutoTool", "21.8%", "%", "the base model"),
        ("WASH", "27.5%", "%", "the best baseline"),
        ("T3", "10×", "×", None),
        ("DREAM-R", "2.49×", "×", None),
        ("GPZ", "4×", "×", None),
        ("DE", "40%", "%", "standard sample budget"),
    ],
)
def test_the_headline_number_has_its_unit_and_its_baseline_or_none(seeds, name, number, unit, baseline):
    figure = cells(seeds[name], "headline number")["headline number"].figure
    assert figure is not None
    shown = figure.baseline.text if figure.baseline else None
    assert (figure.number.text, figure.unit, shown) == (number, unit, baseline)


@pytest.mark.parametrize("name", ["ASASR", "SOMA", "SkeletonLLM", "SeProD", "LDPVR"])
def test_without_a_measured_number_the_cell_is_empty(seeds, name):
    assert cells(seeds[name], "headline number")["headline number"].text == ""


def test_a_named_kind_of_number_is_not_filled_by_another(seeds):
    assert "speedup" in cells(seeds["PBS-Attn"], "speedup figure")["speedup figure"].text
    assert cells(seeds["AutoTool"], "speedup figure")["speedup figure"].text == ""


def test_code_is_the_address_or_what_is_said_of_it_or_nothing(seeds):
    def link(name: str) -> str:
        return cells(seeds[name], "code link")["code link"].text

    assert link("LaViD") == "https://github.com/lliangthomas/lavid"
    assert link("SOMA") == "Code will be released soon."
    assert link("GEMQ") == ""


def test_method_and_name_are_the_authors_own(seeds):
    row = cells(seeds["AutoTool"], "method, name")
    assert row["name"].text == "AutoTool"
    assert row["method"].text.startswith("AutoTool, a model that adaptively decides whether to invoke tools")
    assert cells(seeds["SOMA"], "task")["task"].text == "Out-of-Vision Manipulation"


def test_another_column_is_filled_only_by_a_sentence_with_all_its_words(seeds):
    assert "RoboCasa" in cells(seeds["SOMA"], "RoboCasa GR1")["RoboCasa GR1"].text
    assert cells(seeds["SOMA"], "RoboCasa humidity")["RoboCasa humidity"].text == ""


def test_fields_of_the_record_are_no_quotes(seeds):
    cell = cells(seeds["SOMA"], "venue")["venue"]
    assert cell.record == "ICML" and not cell.quotes


@pytest.mark.parametrize("names", ["", " , ,", ", ".join(f"c{n}" for n in range(21)), "x" * 121])
def test_no_column_or_too_many_is_an_error(names):
    with pytest.raises(InputError):
        columns(names)


def test_a_comparison_quotes_every_cell_and_says_what_is_missing(seeds):
    chosen = [seeds["AutoTool"], seeds["PBS-Attn"], seeds["GEMQ"]]
    comparison = compare(chosen)
    assert list(comparison.rows) == ["problem", "idea", "evidence", "figures", "code"]
    for row in comparison.rows.values():
        for paper, cell in zip(chosen, row, strict=True):
            assert all(q.paper is paper and q.text in paper.abstract for q in cell.quotes)
    assert "2.75×" in comparison.rows["figures"][1].text
    limits = " ".join(comparison.limits)
    assert "“GEMQ: Global Expert-level Mixed-precision Quantization” gives no figures" in limits
    assert "says nothing about code" in limits
    assert "no benchmark or dataset is named by two of them" in limits
    assert "None of these abstracts names another" in limits


def test_a_shared_benchmark_and_a_named_rival_are_noticed():
    a = Paper(
        "a", "Ant", True, "We propose Antler. Experiments on FooBench show that Antler gains 3.1% over BeeNet.", ""
    )
    b = Paper("b", "Bee", True, "We propose BeeNet. On FooBench, BeeNet improves accuracy by 2.5%.", "")
    limits = " ".join(compare([a, b]).limits)
    assert "FooBench stands beside the figures of more than one" in limits
    assert "None of these abstracts names another" not in limits


@pytest.mark.parametrize("count", [0, 1, 6])
def test_a_comparison_takes_two_to_five_papers(seeds, count):
    with pytest.raises(InputError):
        compare(list(seeds.values())[:count])


def test_a_paper_is_not_compared_with_itself(seeds):
    with pytest.raises(InputError):
        compare([seeds["SOMA"], seeds["SOMA"]])
