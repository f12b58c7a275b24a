"""Each metric falls for its own fault and for nothing else: over recorded answers of the packaged abstracts."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import scripted_eval as scripted
from scripted_eval import GOLD, PAPERS, TEXTS, cite, make_answer

import rag
from eval.gate import check_floors, load_floors
from eval.gold import load_gold
from eval.recorded_faults import CAUGHT, FOLLOWS, OWN, QUIET, SPARED, WATCHED, fault_table
from eval.report import to_json
from eval.run import evaluate
from eval.text import to_text
from rag.errors import InputError
from rag.library.corpus import read_file
from rag.resources import resource

FOLDER = resource("eval", "gold", "recorded")


@pytest.fixture(scope="module")
def table():
    papers = {paper.id: paper for paper in read_file(resource("seeds", "icml-2026.txt")).papers}
    gold = load_gold(sorted(resource("eval", "gold").glob("*.jsonl")), papers)
    return fault_table(FOLDER, gold, papers, rag.check)


def test_there_are_answers_with_every_kind_of_fault(table):
    assert {row.fault for row in table.rows} == set(OWN)
    assert sum(row.n for row in table.rows) >= 90
    assert min(row.n for row in table.rows) >= 4
    assert set(OWN.values()) == set(WATCHED)


@pytest.mark.parametrize("fault", OWN)
def test_a_fault_lowers_its_own_metric_and_none_that_it_does_not_touch(table, fault):
    row = next(row for row in table.rows if row.fault == fault)
    # One half of a half-true sentence reads like its source: the only fault that the judgement by words misses.
    assert len(row.missed) <= (fault == "half_true"), row
    assert row.strayed == (), row


@pytest.mark.parametrize("metric", WATCHED)
def test_a_metric_stays_up_for_every_fault_that_is_not_its_own(table, metric):
    strangers = [row for row in table.rows if metric != row.own and metric not in FOLLOWS.get(row.fault, ())]
    assert len(strangers) >= 5
    assert [row.fault for row in strangers if row.fell[metric]] == []


def test_no_honest_answer_is_faulted(table):
    assert table.mark(SPARED).wrong == (), table.mark(SPARED).wrong
    assert table.mark(CAUGHT).share >= 0.97 and table.mark(QUIET).share == 1


# On a folder of one's own


def write(folder, name, gold, answer, **more):
    line = {"id": gold.id, "question": gold.question, "history": [], "answer": answer.to_dict(), "error": ""}
    with (folder / name).open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(line | more) + "\n")


@pytest.fixture
def folder(tmp_path):
    gold = GOLD[0]
    honest = make_answer("TARNLEX scores 71.4 F1 on the OAKMOOR benchmark [1].", cite(1, "tarn", TEXTS["tarn"]))
    wrong = make_answer("TARNLEX scores 61.4 F1 on the OAKMOOR benchmark [1].", cite(1, "tarn", TEXTS["tarn"]))
    write(tmp_path, "honest.jsonl", gold, honest)
    write(tmp_path, "faulty.jsonl", gold, wrong, fault="wrong_number")
    return tmp_path


def test_a_metric_that_notices_nothing_is_missed(folder):
    row = fault_table(folder, GOLD, PAPERS, None).rows[0]
    assert (row.own, row.n, row.missed, row.fell["numbers"], row.fell["names"]) == ("numbers", 1, (), 1, 0)
    same = make_answer("TARNLEX scores 71.4 F1 on the OAKMOOR benchmark [1].", cite(1, "tarn", TEXTS["tarn"]))
    write(folder, "faulty.jsonl", GOLD[0], same, fault="negation")
    table = fault_table(folder, GOLD, PAPERS, None)
    assert table.rows[1].missed == ("sf-tarn",)
    assert (table.mark(CAUGHT).right, table.mark(CAUGHT).n) == (1, 2)


def test_a_fault_that_is_not_what_it_says_strays(folder):
    wrong = make_answer("TARNLEX scores 71.4 F1 on the OAKMOOR benchmark [1][7].", cite(1, "tarn", TEXTS["tarn"]))
    write(folder, "faulty.jsonl", GOLD[0], wrong, fault="missing_fact")
    assert fault_table(folder, GOLD, PAPERS, None).rows[1].strayed == ("sf-tarn",)


def test_the_table_is_in_the_report_and_a_floor_can_be_set_for_it(folder, tmp_path):
    report = replace(evaluate(scripted.good, GOLD, PAPERS), faults=fault_table(folder, GOLD, PAPERS, None))
    assert "wrong_number    1" in to_text(report) and "recorded_caught 1 of 1" in to_text(report)
    assert json.loads(to_json(report))["recorded_faults"]["rows"][0]["own"] == "numbers"
    gate = tmp_path / "gate.toml"
    gate.write_text("[[floor]]\nmetric = 'recorded_caught'\nfloor = 1.0\n", encoding="utf-8")
    assert [r.status for r in check_floors(report, load_floors(gate))] == ["green"]
    blind = replace(report.faults, marks=(replace(report.faults.mark(CAUGHT), right=0),))
    assert [r.status for r in check_floors(replace(report, faults=blind), load_floors(gate))] == ["red"]


def test_no_folder_is_no_table_and_an_unknown_fault_is_an_error(folder, tmp_path):
    assert fault_table(tmp_path / "none", GOLD, PAPERS, None).rows == ()
    assert fault_table(folder, GOLD[5:], PAPERS, None).rows == ()
    write(folder, "faulty.jsonl", GOLD[0], make_answer("x"), fault="spelling")
    with pytest.raises(InputError, match="the fault 'spelling' is unknown"):
        fault_table(folder, GOLD, PAPERS, None)
