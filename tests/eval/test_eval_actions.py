"""The actions of `rag eval` beside `run`, on a scripted system."""

import argparse
import json
import random
from dataclasses import replace

import ir_measures
import pytest
import scripted_eval as scripted
from scripted_eval import GOLD, PAPERS

from eval.arguments import add_arguments
from eval.cli import main
from eval.figures import figure
from eval.gold import load_gold
from eval.interop import read_qrels, read_run
from eval.ranking import run_figures
from eval.run import evaluate
from eval.system import System
from rag.errors import InputError


@pytest.fixture
def gold_file(tmp_path):
    file = tmp_path / "gold.jsonl"
    file.write_text("".join(json.dumps(gold.to_dict()) + "\n" for gold in GOLD), encoding="utf-8")
    return file


def rag_eval(ask, *argv):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return main(parser.parse_args([str(a) for a in argv]), lambda args: System(ask, PAPERS))


def test_an_action_with_too_many_files_is_2(tmp_path, capsys):
    assert rag_eval(scripted.good, "compare", tmp_path / "a") == 2
    assert "`rag eval compare` takes 2 to 2 files, 1 were given" in capsys.readouterr().err


def test_a_baseline_is_held_without_being_named_and_shows_what_flipped(gold_file, tmp_path, capsys):
    (tmp_path / "gate.toml").write_text("[[floor]]\nmetric = 'numbers'\nfloor = 0.1\n", encoding="utf-8")
    many = [replace(g, id=f"{g.id}-{n}") for g in GOLD for n in range(3)]
    gold_file.write_text("".join(json.dumps(g.to_dict()) + "\n" for g in many), encoding="utf-8")
    assert rag_eval(scripted.good, "baseline", "--gold", gold_file) == 0
    assert (tmp_path / "baseline.jsonl").is_file()
    assert rag_eval(scripted.good, "--gold", gold_file) == 0
    assert "against the baseline (36 questions in common): green" in capsys.readouterr().out
    files = [tmp_path / "r.json", tmp_path / "r.xml", tmp_path / "r.md"]
    argv = ["--json", files[0], "--junit", files[1], "--markdown", files[2]]
    assert rag_eval(scripted.drops_facts, "--gold", gold_file, *argv) == 1
    assert "red: must_all 1.000 -> 0.500" in capsys.readouterr().out
    assert json.loads(files[0].read_text(encoding="utf-8"))["comparison"]["red"]
    assert '<testsuite name="baseline"' in files[1].read_text(encoding="utf-8")
    assert files[2].read_text(encoding="utf-8").startswith("### Answers: RED")
    assert rag_eval(scripted.good, "compare", tmp_path / "baseline.jsonl", files[0]) == 1
    out = capsys.readouterr().out
    assert "lost: sf-tarn-0: answered -> answered" in out and "    after: " in out


def test_a_baseline_beside_the_gold_is_held_also_when_the_floors_are_named(gold_file, tmp_path, capsys):
    many = [replace(g, id=f"{g.id}-{n}") for g in GOLD for n in range(3)]
    gold_file.write_text("".join(json.dumps(g.to_dict()) + "\n" for g in many), encoding="utf-8")
    assert rag_eval(scripted.good, "baseline", tmp_path / "baseline.jsonl", "--gold", gold_file) == 0
    gate = tmp_path / "floors" / "gate.toml"
    gate.parent.mkdir()
    gate.write_text("[[floor]]\nmetric = 'numbers'\nfloor = 0.1\n", encoding="utf-8")
    assert rag_eval(scripted.drops_facts, "--gold", gold_file, "--gate", gate) == 1
    assert "gate: green" in capsys.readouterr().out
    # Beside floors that were named lies the baseline of whoever wrote them.
    (tmp_path / "baseline.jsonl").rename(gate.parent / "baseline.jsonl")
    assert rag_eval(scripted.drops_facts, "--gold", gold_file, "--gate", gate) == 0


def test_a_question_that_newly_goes_without_a_score_is_red_and_named_everywhere(gold_file, tmp_path, capsys):
    baseline, record, junit = tmp_path / "b.jsonl", tmp_path / "a.jsonl", tmp_path / "r.xml"
    assert rag_eval(scripted.good, "baseline", baseline, "--gold", gold_file) == 0
    assert rag_eval(scripted.good, "record", record, "--gold", gold_file) == 0
    lines = record.read_text(encoding="utf-8").splitlines()
    record.write_text("\n".join(line for line in lines if '"sf-tarn"' not in line), encoding="utf-8")
    (tmp_path / "gate.toml").write_text("[[floor]]\nmetric = 'outcome'\nfloor = 0.1\n", encoding="utf-8")
    argv = ["--gold", gold_file, "--answers", record, "--baseline", baseline, "--junit", junit]
    assert rag_eval(scripted.good, *argv) == 1
    out = capsys.readouterr().out
    assert "red: sf-tarn went without a score" in out and "gate: green" in out
    assert 'name="every question scored"' in junit.read_text(encoding="utf-8")
    assert "sf-tarn went without a score" in junit.read_text(encoding="utf-8")


def test_a_record_is_rescored_without_asking(gold_file, tmp_path, capsys):
    assert rag_eval(scripted.good, "record", tmp_path / "a.jsonl", "--gold", gold_file) == 0
    assert rag_eval(scripted.crashes, "rescore", tmp_path / "a.jsonl", "--gold", gold_file, "--no-gate") == 0
    assert ", 0 crashed" in capsys.readouterr().out


def test_a_new_question_is_checked_against_the_library_first(gold_file, tmp_path, capsys):
    base = ["new", gold_file, "--question", "TARNLEX: how much quicker?", "--answer", "2.75 times."]
    assert rag_eval(scripted.good, *base, "--paper", "tarn", "--must", "9.9×|9.9x") == 2
    assert rag_eval(scripted.good, *base, "--paper", "nobody") == 2
    assert rag_eval(scripted.good, *base[:4], "--paper", "tarn") == 2
    assert len(load_gold([gold_file], PAPERS)) == len(GOLD)
    assert rag_eval(scripted.good, *base, "--paper", "tarn", "--must", "2.75×") == 0
    added = load_gold([gold_file], PAPERS)[-1]
    assert (added.kind, added.must, added.papers) == ("single_fact", (("2.75×",),), ("tarn",))
    assert rag_eval(scripted.good, *base, "--paper", "tarn") == 2
    assert "has this question already" in capsys.readouterr().err


def test_a_thumbs_down_becomes_a_gold_line(gold_file, tmp_path):
    kept = tmp_path / "answer.json"
    answer = scripted.make_answer("Wrong.").to_dict() | {"question": "On which GPU was SPAR trained?"}
    kept.write_text(json.dumps(answer), encoding="utf-8")
    argv = ["new", gold_file, "--from-answer", kept, "--outcome", "abstract_silent", "--paper", "spar"]
    assert rag_eval(scripted.good, *argv, "--answer", "It does not say.") == 0
    added = load_gold([gold_file], PAPERS)[-1]
    assert (added.question, added.outcome) == ("On which GPU was SPAR trained?", "abstract_silent")


def test_drafts_are_refused_as_gold_until_a_person_has_read_them(tmp_path, capsys):
    file = tmp_path / "drafts.jsonl"
    assert rag_eval(scripted.good, "propose", file) == 0
    assert rag_eval(scripted.good, "propose", file) == 2  # never over what may have been reviewed
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert {row["kind"] for row in rows} >= {"single_fact", "abstract_silent", "confusable", "not_in_corpus"}
    held_out = [row for row in rows if row["kind"] == "not_in_corpus"]
    assert len(held_out) >= 5 and all("of a paper held out" in row["note"] for row in held_out)
    with pytest.raises(InputError, match="a draft that nobody has reviewed"):
        load_gold([file], PAPERS)
    for row in rows:
        row["note"] = row["note"].removeprefix("UNREVIEWED").strip()
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert len(load_gold([file], PAPERS)) == len(rows)


def test_an_export_scores_the_same_in_another_tool_and_comes_back(gold_file, tmp_path):
    folder = tmp_path / "out"
    assert rag_eval(scripted.good, "export", folder, "--gold", gold_file) == 0
    qrels = list(ir_measures.read_trec_qrels(str(folder / "qrels.trec")))
    run = list(ir_measures.read_trec_run(str(folder / "run.trec")))
    theirs = ir_measures.calc_aggregate([ir_measures.R @ 5, ir_measures.nDCG @ 10], qrels, run)
    rows = [row for row in evaluate(scripted.good, GOLD, PAPERS).rows if row.question.papers]
    # Their mean also counts census questions, which our retrieval measures leave out.
    assert theirs[ir_measures.R @ 5] == pytest.approx(1.0)
    assert figure("recall@5", rows).value == pytest.approx(1.0)
    assert read_qrels(folder / "qrels.trec") == read_qrels(folder / "qrels" / "test.tsv")
    assert read_run(folder / "run.trec")["ce-oak"] == ["tarn", "wexle"]
    flat = [json.loads(line) for line in (folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(flat) == len(GOLD) and set(flat[0]) == {"question", "answer", "contexts", "reference"}
    assert rag_eval(scripted.good, "import", folder, tmp_path / "back.jsonl") == 0
    back = {g.id: g.papers for g in load_gold([tmp_path / "back.jsonl"], PAPERS)}
    assert back == {g.id: g.papers for g in GOLD if g.papers}


def test_another_retrievers_run_scores_as_the_reference_scores_it(tmp_path, capsys):
    rng = random.Random(11)
    papers = [f"d{n:02}" for n in range(40)]
    qrels = {f"q{n}": rng.sample(papers, rng.randint(1, 6)) for n in range(30)}
    run = {query: rng.sample(papers, rng.randint(1, 15)) for query in list(qrels)[:27]}
    files = tmp_path / "qrels.trec", tmp_path / "run.trec"
    files[0].write_text("".join(f"{q} 0 {d} 1\n" for q, ds in qrels.items() for d in ds), encoding="utf-8")
    files[1].write_text(
        "".join(f"{q} Q0 {d} {n} {99 - n} other\n" for q, ds in run.items() for n, d in enumerate(ds, start=1)),
        encoding="utf-8",
    )
    measures = [ir_measures.Success @ 1, ir_measures.R @ 5, ir_measures.RR, ir_measures.nDCG @ 10]
    theirs = ir_measures.calc_aggregate(
        measures, list(ir_measures.read_trec_qrels(str(files[0]))), list(ir_measures.read_trec_run(str(files[1])))
    )
    got = run_figures(read_qrels(files[0]), read_run(files[1]))
    assert [figure.value for figure in got] == pytest.approx([theirs[measure] for measure in measures])
    assert all(figure.interval and figure.not_scored == 3 for figure in got)
    assert rag_eval(scripted.good, "score", *files) == 0
    assert "30 judged queries, 3 of them not in the run (counted zero)" in capsys.readouterr().out
    files[1].write_text("other Q0 d01 1 1 x\n", encoding="utf-8")
    assert rag_eval(scripted.good, "score", *files) == 2


@pytest.mark.parametrize("line", ["q1 0 d1", "q1 d1", "q1 0 d1 high", "query Q0 id 1 high tag"])
def test_a_broken_line_of_another_tools_file_is_named(tmp_path, line):
    file = tmp_path / "f"
    file.write_text(line + "\n", encoding="utf-8")
    read = read_run if "Q0" in line else read_qrels
    if line == "q1 0 d1":  # three columns are BEIR's: the grade is not a number
        with pytest.raises(InputError, match="the grade is 'd1'"):
            read(file)
        return
    with pytest.raises(InputError, match=r"line 1"):
        read(file)
