from __future__ import annotations

import json
import re

import pytest
import rispy
from pybtex.database import parse_string

from rag.cli import main

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def ids(library):
    return {paper.title.partition(":")[0]: paper.id for paper in library.papers()}


def test_table_prints_markdown_of_the_papers_asked_for(ids, capsys):
    assert main(["table", "name, code link", ids["LaViD"], ids["GEMQ"]]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| Paper | name | code link |" and len(lines) == 4
    assert "https://github.com/lliangthomas/lavid" in lines[2] and lines[3].endswith("“GEMQ” |  |")


def test_a_table_is_made_of_a_search_or_a_census(capsys):
    assert main(["table", "name", "--search", "block-sparse attention", "-k", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["cells"]["name"]["text"] == "PBS-Attn"
    assert main(["table", "code", "--which", "Which papers promise code but have not released it yet?", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["cells"]["code"]["text"] for row in rows] == ["Code will be released soon."]


def test_two_ways_to_choose_papers_are_one_too_many(ids, capsys):
    assert main(["table", "name", ids["GEMQ"], "--search", "x"]) == 2
    assert "two ways" in capsys.readouterr().err


def test_compare_prints_what_can_not_be_compared(ids, capsys):
    assert main(["compare", ids["WASH"], ids["PBS-Attn"]]) == 0
    printed = capsys.readouterr().out
    assert "What can't be compared:" in printed and "| figures |" in printed
    assert main(["compare", ids["WASH"]]) == 2
    assert main(["compare", ids["WASH"], "nobody"]) == 2


def test_near_reads_a_file(tmp_path, capsys):
    draft = tmp_path / "draft.txt"
    draft.write_text(
        "Sparse attention skips blocks, but important keys are scattered over many blocks. We propose a plug-and-play"
        " method that sorts keys so that block-level sparsity rises during LLM prefilling.",
        "utf-8",
    )
    assert main(["near", str(draft)]) == 0
    printed = capsys.readouterr().out
    assert printed.index("## Same problem") < printed.index("PBS-Attn") < printed.index("## Same claim")
    assert main(["near", str(tmp_path / "none.txt")]) == 2


def test_map_prints_and_draws(tmp_path, capsys):
    assert main(["map", "--out", str(tmp_path / "map.svg"), "--by", "year"]) == 0
    assert "19 papers in 3 topics" in capsys.readouterr().out
    assert (tmp_path / "map.svg").read_text("utf-8").startswith("<svg")
    assert main(["map", "--out", str(tmp_path / "map.html"), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["points"]) == 19
    assert (tmp_path / "map.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert main(["map", "--out", "map.png"]) == 2


def test_lists_and_answers_are_written_for_other_programs(capsys):
    assert main(["search", "sparse attention", "-k", "2", "--format", "ris"]) == 0
    assert len(rispy.loads(capsys.readouterr().out)) == 2
    assert main(["papers", "--format", "bibtex"]) == 0
    assert len(parse_string(capsys.readouterr().out, "bibtex").entries) == 19
    assert main(["census", "Which papers release their code?", "--format", "bibtex"]) == 0
    assert all(
        "characters" in e.fields["note"] for e in parse_string(capsys.readouterr().out, "bibtex").entries.values()
    )
    assert main(["ask", "What does SOMA remember?", "--format", "md"]) == 0
    assert "## Sources" in capsys.readouterr().out
    assert main(["search", "x", "--format", "csv", "--json"]) == 2


def test_a_recorded_answer_is_listed_and_replayed(capsys):
    assert main(["ask", "How much faster does PBS-Attn make prefilling?", "--record"]) == 0
    identity = re.search(r"Recorded as (\w+)", capsys.readouterr().err)[1]
    assert main(["replay"]) == 0
    assert identity in capsys.readouterr().out
    assert main(["replay", identity]) == 0
    assert "Identical, seconds apart." in capsys.readouterr().out
    assert main(["replay", identity, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["identical"] is True
    assert main(["replay", "nothing"]) == 2
