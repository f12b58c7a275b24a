"""A report as JUnit XML: a test case a gold question, a floor and a compared metric, for whatever CI shows them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from eval.baseline import Comparison
from eval.gate import FloorResult
from eval.report import explain
from eval.run import Report

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(report: Report, gate: Sequence[FloorResult] | None = None, comparison: Comparison | None = None) -> str:
    """Return JUnit XML: a test case for every gold question, and one for every floor."""
    suites = ElementTree.Element("testsuites", name=_xml_safe(report.header.line()))
    _gold_suite(suites, report)
    _judge_suite(suites, report)
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


def _judge_suite(suites: ElementTree.Element, report: Report) -> None:
    """Add the judge as a case of its own: skipped, never passed, where none took part or none was admitted."""
    suite = ElementTree.SubElement(suites, "testsuite", name="judge", tests="1")
    case = _case(suite, "judge", "a model's second opinion", 0.0)
    if report.opinion is None or not report.opinion.admission.admitted:
        ElementTree.SubElement(case, "skipped", message=_xml_safe(f"judge: {report.header.judge}"))


def _gate_suite(suites: ElementTree.Element, gate: Sequence[FloorResult]) -> None:
    suite = ElementTree.SubElement(suites, "testsuite", name="gate", tests=str(len(gate)))
    for result in gate:
        case = _case(suite, "gate", result.floor.name, 0.0)
        if result.status == "red":
            _mark(case, "failure", result.line, result.line)
        elif result.status == "not_applicable":
            ElementTree.SubElement(case, "skipped", message=_xml_safe(result.line))


def _baseline_suite(suites: ElementTree.Element, comparison: Comparison) -> None:
    suite = ElementTree.SubElement(suites, "testsuite", name="baseline", tests=str(len(comparison.changes) + 1))
    for change in comparison.changes:
        case = _case(suite, "baseline", change.metric, 0.0)
        if change.status == "red":
            _mark(case, "failure", change.line, "lost: " + ", ".join(change.losses))
    case = _case(suite, "baseline", "every question scored", 0.0)
    if comparison.newly_unscored:
        _mark(case, "failure", comparison.unscored_lines[0], "\n".join(comparison.unscored_lines))


def _case(suite: ElementTree.Element, classname: str, name: str, seconds: float) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", classname=classname, name=_xml_safe(name), time=f"{seconds:.3f}")


def _mark(case: ElementTree.Element, tag: str, message: str, text: str) -> None:
    ElementTree.SubElement(case, tag, message=_xml_safe(message)).text = _xml_safe(text)


def _xml_safe(text: str) -> str:
    """Replace what XML can't hold, such as control characters that a model or a paper let slip in."""
    return _NOT_XML.sub("\ufffd", text)
