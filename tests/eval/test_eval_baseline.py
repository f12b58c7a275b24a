import json
import re
from dataclasses import replace

import pytest
import scripted_eval as scripted
from scripted_eval import GOLD, PAPERS, make_gold

from eval.baseline import Change, baseline_lines, compare, load_scores, scores_of, sign_test
from eval.html import to_html
from eval.markdown import literal, to_markdown
from eval.report import to_json
from eval.run import evaluate
from rag.errors import InputError


def scores(ask, gold=GOLD):
    return scores_of(evaluate(ask, gold, PAPERS))


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    # Worked by hand: 2 * (C(n,0) + … + C(n,k)) / 2^n
    [(0, 0, 1.0), (0, 5, 0.0625), (0, 6, 0.03125), (1, 9, 0.021484375), (5, 5, 1.0), (9, 1, 0.021484375)],
)
def test_mcnemars_exact_test(wins, losses, p):
    assert sign_test(wins, losses) == pytest.approx(p)


def test_a_drop_is_red_only_if_it_is_neither_small_nor_chance():
    assert Change("right", 100, 0.9, 0.84, (), tuple("abcdef")).status == "red"
    assert Change("right", 100, 0.9, 0.86, (), tuple("abcd")).status == "warning"
    assert Change("right", 1000, 0.9, 0.89, (), tuple("abcdefghij")).status == "warning"
    assert Change("right", 100, 0.9, 0.96, tuple("abcdef"), ()).status == "green"


def test_a_run_is_green_against_itself_and_red_against_a_better_one():
    many = [make_gold(f"sf-{n}") for n in range(8)]
    good, bad = scores(scripted.good, many), scores(scripted.drops_facts, many)
    assert not compare(good, good).is_red
    assert compare(good, bad).is_red and not compare(bad, good).is_red
    change = next(change for change in compare(good, bad).changes if change.metric == "must_all")
    assert (change.status, len(change.losses)) == ("red", 8)


def test_a_baseline_survives_the_file_and_a_record_reads_the_same(tmp_path):
    report = evaluate(scripted.good, GOLD, PAPERS)
    line_file, record = tmp_path / "b.jsonl", tmp_path / "r.json"
    line_file.write_text(baseline_lines(report), encoding="utf-8")
    record.write_text(to_json(report), encoding="utf-8")
    for file in (line_file, record):
        comparison = compare(load_scores(file), scores_of(report))
        assert comparison.common == len(GOLD)
        assert all(change.before == pytest.approx(change.after, abs=1e-4) for change in comparison.changes)
        assert not any(change.wins or change.losses for change in comparison.changes)


def test_a_question_whose_gold_changed_is_left_out():
    changed = tuple(replace(g, must=(("68.9",),)) if g.id == "sf-tarn" else g for g in GOLD)
    comparison = compare(scores(scripted.good), scores(scripted.good, changed))
    assert (comparison.common, comparison.left_out) == (len(GOLD) - 1, 1)


def test_a_question_that_newly_went_without_a_score_is_red():
    before = scores(scripted.good)
    after = replace(before, questions={k: replace(j, not_scored=True) for k, j in before.questions.items()})
    assert compare(before, after).is_red
    assert not compare(after, before).is_red


def test_what_does_not_compare_is_an_error(tmp_path):
    good = scores(scripted.good)
    with pytest.raises(InputError, match="judged differently"):
        compare(replace(good, judge="m"), good)
    with pytest.raises(InputError, match="no question in common"):
        compare(good, scores(scripted.good, [make_gold("other")]))
    file = tmp_path / "x"
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="neither a baseline nor"):
        load_scores(file)


def hostile(question, history):
    return scripted.make_answer(
        "<script>alert(1)</script> | @team `x` [1]", outcome="answered", evidence=scripted.evidence_of("tarn")
    )


def test_the_page_is_complete_in_itself_and_everything_on_it_is_escaped():
    report = evaluate(hostile, GOLD, PAPERS)
    page = to_html(report, None, compare(scores(scripted.good), scores_of(report)))
    assert "<script" not in page and "&lt;script&gt;alert(1)" in page
    assert not re.search(r"""(?:src|href)\s*=|@import|url\(""", page)
    assert ">71.4: missing<" in page and "<mark>" in page
    assert page.count("<article>") == len([row for row in report.rows if row.score("right").hits < 1])


def test_the_summary_has_the_verdict_and_no_markup_of_others():
    report = evaluate(hostile, GOLD, PAPERS)
    text = to_markdown(report, None, compare(scores(scripted.good), scores_of(report)))
    assert text.startswith("### Answers: RED") or text.startswith("### Answers: reported only")
    assert "questions not wholly right" in text
    assert literal("@team <b> |\n# x") == "\\@team \\<b\\> \\| \\# x"


def test_the_record_holds_the_comparison():
    report = evaluate(scripted.good, GOLD, PAPERS)
    record = json.loads(to_json(report, None, compare(scores_of(report), scores_of(report))))
    assert record["comparison"]["red"] is False and record["calibration"]
