"""Show a report: a terminal table, JSON, and JUnit XML, all made from the same record."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from eval.baseline import Comparison
from eval.calibration import curve
from eval.figures import ALL_METRICS, SET_METRICS, Figure, confusion, figure, figures
from eval.gate import FloorResult
from eval.gold import KINDS
from eval.measures import BY_KEY
from eval.run import Report, Row
from rag.types import OUTCOMES

FORMAT = 1
_SPLITS = ("dev", "test", "all")
# The measures that a table of kinds has room for.
_BY_KIND = ("right", "hit@1", "recall@5", "must_all", "support", "numbers", "names", "citation_validity", "outcome")
_SET_NUMBERS = dict.fromkeys(SET_METRICS, "11")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ANSWERS = ("answered", "false_premise")
_STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
# No answer reaches the top of these, so falling short explains nothing.
_TRENDS = ("gold_f1",)
_EVIDENCE_SHOWN = 5
_PASSAGE_SHOWN = 300


def rows_of(report: Report, split: str = "all", kind: str | None = None) -> list[Row]:
    """Return the rows of one half of the gold, or of one kind."""
    return [
        row
        for row in report.rows
        if split in ("all", row.question.split) and (kind is None or row.question.kind == kind)
    ]


def to_text(report: Report, gate: Sequence[FloorResult] | None = None, comparison: Comparison | None = None) -> str:
    """Return the report for a terminal; what was measured is always its first line."""
    parts = [_heading(report), _metric_table(report), _kind_table(report), _confusion_table(report)]
    if comparison is not None:
        parts.append(_comparison_text(comparison))
    if gate is not None:
        parts.append(gate_text(gate))
    return "\n\n".join(parts) + "\n"


def _heading(report: Report) -> str:
    header = report.header
    crashed = sum(row.score("outcome").state == "crashed" for row in report.rows)
    missing = sum(row.score("outcome").state == "not_scored" for row in report.rows)
    words = answer_words(report.rows)
    length = f" · answers average {words:.0f} words" if words is not None else ""
    counts = f"{header.questions} questions, {header.papers} papers, {crashed} crashed, {missing} without an answer"
    return f"{header.line()}\n{counts} · gold {header.gold} · corpus {header.corpus}{length}"


def answer_words(rows: Sequence[Row]) -> float | None:
    """Return the mean length of what was given as an answer, to be read beside the gold-answer F1; refusals apart."""
    lengths = [len(row.answer.text.split()) for row in rows if row.answer and row.answer.outcome in _ANSWERS]
    return sum(lengths) / len(lengths) if lengths else None


def _metric_table(report: Report) -> str:
    lines = [["#", "metric", *(f"{split} [95 %]" for split in _SPLITS), "n", "interval", "left out", "crashed"]]
    for metric in sorted(ALL_METRICS, key=_order):
        by_split = [figure(metric, rows_of(report, split)) for split in _SPLITS]
        whole = by_split[-1]
        if whole.value is None and not whole.refused:
            continue
        number = _number(metric)
        method = whole.interval.method if whole.interval else "–"
        left_out = f"{whole.not_applicable} n/a, {whole.refused} refused"
        lines.append(
            [
                number,
                metric,
                *map(_cell, by_split),
                str(whole.n),
                method,
                left_out,
                str(whole.crashed + whole.not_scored),
            ]
        )
    return _align(lines)


def _number(metric: str) -> str:
    return BY_KEY[metric].number if metric in BY_KEY else _SET_NUMBERS[metric]


def _order(metric: str) -> int:
    number = _number(metric)
    return int(number) if number.isdigit() else 0


def _kind_table(report: Report) -> str:
    lines = [["kind", "questions", *_BY_KIND]]
    for kind in KINDS:
        rows = rows_of(report, kind=kind)
        if rows:
            lines.append([kind, str(len(rows)), *(_short(figure(metric, rows)) for metric in _BY_KIND)])
    return _align(lines)


def _confusion_table(report: Report) -> str:
    table = confusion(report.rows)
    given = (*OUTCOMES, "crashed")
    lines = [["wanted \\ got", *given]]
    lines += [[wanted, *(str(table[wanted][got] or "·") for got in given)] for wanted in OUTCOMES]
    return _align(lines)


def _comparison_text(comparison: Comparison) -> str:
    lines = [f"{change.status}: {change.line}" for change in comparison.changes if change.status != "green"]
    lines += [f"red: {key} went without a score" for key in comparison.newly_unscored]
    verdict = "RED" if comparison.is_red else "green"
    return "\n".join([*lines, f"against the baseline ({comparison.common} questions in common): {verdict}"])


def gate_text(gate: Sequence[FloorResult]) -> str:
    """Return one line a floor, and the verdict."""
    red = sum(result.status == "red" for result in gate)
    lines = [f"{'–' if result.status == 'not_applicable' else result.status}: {result.line}" for result in gate]
    return "\n".join([*lines, f"gate: {f'RED, {red} of {len(gate)} floors missed' if red else 'green'}"])


def _cell(got: Figure) -> str:
    if got.value is None:
        return "–"
    bounds = f" [{got.interval.low:.2f}, {got.interval.high:.2f}]" if got.interval else ""
    return f"{got.value:.3f}{bounds}"


def _short(got: Figure) -> str:
    return "–" if got.value is None else f"{got.value:.2f}"


def _align(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )


def failures(report: Report) -> list[Row]:
    """Return the rows that were not wholly right."""
    return [row for row in report.rows if row.score("right").hits < 1]


def explain(row: Row) -> str:
    """Return what was asked, wanted and got, and the evidence, to be read by a person."""
    gold, answer = row.question, row.answer
    lines = [f"question: {gold.question}"]
    lines += [f"after: {earlier}" for earlier in gold.history]
    lines.append(f"expected: {gold.outcome}; papers {', '.join(gold.papers) or 'none'}; {_facts(gold.must)}")
    lines.append(f"expected answer: {gold.answers[0]}" if gold.answers else "expected answer: –")
    if answer is None:
        lines.append(f"got: {row.error}")
    else:
        cited = [f"[{c.marker}] {c.paper_id}" for c in answer.citations]
        lines.append(
            f"got: {answer.outcome}; confidence {answer.confidence:.2f}; cites {', '.join(cited) or 'nothing'}"
        )
        lines.append(f"got answer: {answer.text}")
        lines += [
            f"evidence {i}: {e.paper.id} ({e.score:.3f}) {_cut(e.chunk.text)}"
            for i, e in enumerate(answer.evidence[:_EVIDENCE_SHOWN], start=1)
        ]
    wrong = [score for score in row.scores if score.why and score.hits < score.total and score.metric not in _TRENDS]
    lines += [f"{score.metric}: {score.why}" for score in wrong]
    # Papers and models write these texts: indented, none of their lines can pass for a line of the report.
    return "\n".join(line.replace("\n", "\n    ") for line in lines)


def printable(text: str) -> str:
    """Return a text without the control characters that would steer a terminal."""
    return _STEERS.sub("\ufffd", text)


def _facts(must: Sequence[Sequence[str]]) -> str:
    return "facts " + (" and ".join(" or ".join(map(repr, group)) for group in must) or "none")


def _cut(text: str) -> str:
    return text if len(text) <= _PASSAGE_SHOWN else text[:_PASSAGE_SHOWN] + " …"


def to_json(report: Report, gate: Sequence[FloorResult] | None = None, comparison: Comparison | None = None) -> str:
    """Return the whole record as JSON; everything but `timings` is the same in two runs."""
    header = report.header
    record: dict[str, Any] = {
        "format": FORMAT,
        "summary": header.line(),
        "header": {name: getattr(header, name) for name in header.__slots__},
        "figures": {split: [f.to_dict() for f in figures(rows_of(report, split))] for split in _SPLITS},
        "kinds": {kind: [f.to_dict() for f in figures(rows)] for kind in KINDS if (rows := rows_of(report, kind=kind))},
        "answer_words": answer_words(report.rows),
        "confusion": confusion(report.rows),
        "calibration": [level.to_dict() for level in curve(report.rows)],
        "checker": [mark.to_dict() for mark in report.card.marks],
        "gate": None if gate is None else [result.to_dict() for result in gate],
        "comparison": None if comparison is None else comparison.to_dict(),
        "questions": [_row_dict(row) for row in report.rows],
        "timings": dict(report.seconds),
    }
    return json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _row_dict(row: Row) -> dict[str, Any]:
    return {
        "gold": row.question.to_dict(),
        "split": row.question.split,
        "answer": row.answer.to_dict() if row.answer else None,
        "error": row.error,
        "scores": [
            {"metric": s.metric, "state": s.state, "hits": s.hits, "total": s.total, "why": s.why} for s in row.scores
        ],
    }


def to_junit(report: Report, gate: Sequence[FloorResult] | None = None, comparison: Comparison | None = None) -> str:
    """Return JUnit XML: a test case for every gold question, and one for every floor."""
    suites = ElementTree.Element("testsuites", name=_xml_safe(report.header.line()))
    _gold_suite(suites, report)
    if gate is not None:
        _gate_suite(suites, gate)
    if comparison is not None:
        _baseline_suite(suites, comparison)
    for suite in suites:
        for tag, plural in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            suite.set(plural, str(len(suite.findall(f"testcase/{tag}"))))
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def _gold_suite(suites: ElementTree.Element, report: Report) -> None:
    suite = ElementTree.SubElement(suites, "testsuite", name="gold", tests=str(len(report.rows)))
    for row in report.rows:
        case = _case(suite, f"gold.{row.question.kind}", row.question.id, report.seconds.get(row.question.id, 0.0))
        if row.answer is None:
            _mark(case, "error", row.error, explain(row))
        elif row.score("right").hits < 1:
            _mark(case, "failure", row.score("right").why, explain(row))


def _gate_suite(suites: ElementTree.Element, gate: Sequence[FloorResult]) -> None:
    suite = ElementTree.SubElement(suites, "testsuite", name="gate", tests=str(len(gate)))
    for result in gate:
        case = _case(suite, "gate", result.floor.name, 0.0)
        if result.status == "red":
            _mark(case, "failure", result.line, result.line)
        elif result.status == "not_applicable":
            ElementTree.SubElement(case, "skipped", message=_xml_safe(result.line))


def _baseline_suite(suites: ElementTree.Element, comparison: Comparison) -> None:
    suite = ElementTree.SubElement(suites, "testsuite", name="baseline", tests=str(len(comparison.changes)))
    for change in comparison.changes:
        case = _case(suite, "baseline", change.metric, 0.0)
        if change.status == "red":
            _mark(case, "failure", change.line, "lost: " + ", ".join(change.losses))


def _case(suite: ElementTree.Element, classname: str, name: str, seconds: float) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname=classname, name=_xml_safe(name), time=f"{seconds:.3f}")


def _mark(case: ElementTree.Element, tag: str, message: str, text: str) -> None:
    ElementTree.SubElement(case, tag, message=_xml_safe(message)).text = _xml_safe(text)


def _xml_safe(text: str) -> str:
    """Replace what XML can't hold, such as control characters that a model or a paper let slip in."""
    return _NOT_XML.sub("\ufffd", text)
