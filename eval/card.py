"""Metric 13, the checker's report card: faults planted over the gold's own abstracts, and how many it notices.

Honest paraphrases are the gold answers, which people wrote in their own words from the abstracts. Faults are planted in
them and in the abstracts' own sentences; "another paper" is an honest sentence that cites a paper of another question.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from eval.faults import PLANTS, planted
from eval.gold import GoldQuestion
from eval.matching import number_stated, numbers
from eval.names import coined_names, known, names
from eval.stats import Interval, wilson
from eval.support import Check
from rag.types import Paper

HONEST, OTHER_PAPER = "honest", "other_paper"
KINDS = (*PLANTS, OTHER_PAPER, HONEST)
# Metrics of the gate: the share of each kind judged rightly, `checker_honest` being one minus the false alarms.
CARD_METRICS: tuple[str, ...] = tuple(f"checker_{kind}" for kind in KINDS)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(])")
_LEAST_WORDS = 5


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence, the paper that it cites, and whether that paper says it."""

    kind: str
    sentence: str
    paper: Paper


@dataclass(frozen=True, slots=True)
class Mark:
    """How often the checker was right on one kind of case, and the first cases on which it was not."""

    kind: str
    right: int
    n: int
    wrong: tuple[str, ...] = ()

    @property
    def interval(self) -> Interval | None:
        """Return the interval of the share."""
        return wilson(self.right, self.n) if self.n else None

    @property
    def share(self) -> float | None:
        """Return the share judged rightly."""
        return self.right / self.n if self.n else None

    def to_dict(self) -> dict[str, Any]:
        """Return the mark as plain JSON values."""
        interval = self.interval
        return {
            "kind": self.kind,
            "right": self.right,
            "n": self.n,
            "value": None if self.share is None else round(self.share, 4),
            "low": None if interval is None else round(interval.low, 4),
            "high": None if interval is None else round(interval.high, 4),
            "wrong": list(self.wrong),
        }


@dataclass(frozen=True, slots=True)
class Card:
    """The marks of a checker, one a kind of case."""

    marks: tuple[Mark, ...]

    def mark(self, kind: str) -> Mark:
        """Return the mark of one kind."""
        return next((mark for mark in self.marks if mark.kind == kind), Mark(kind, 0, 0))

    def line(self) -> str:
        """Return how good the checker is, for the first line of a report."""
        told = [
            f"{mark.kind.replace('_', ' ')} {mark.share:.0%} of {mark.n}"
            for mark in self.marks
            if mark.n and mark.share is not None and mark.kind != HONEST
        ]
        honest = self.mark(HONEST)
        if not told and not honest.n:
            return "not measured (no gold answer to plant faults in)"
        alarms = f"false alarms {honest.n - honest.right} of {honest.n} paraphrases" if honest.n else ""
        return "catches " + ", ".join(told) + ("; " if told and alarms else "") + alarms


def cases(gold: Iterable[GoldQuestion], papers: Mapping[str, Paper]) -> Iterator[Case]:
    """Yield the cases that gold questions about one paper and their abstracts give."""
    about_one = [g for g in gold if g.outcome == "answered" and len(g.papers) == 1 and g.kind != "census"]
    order = sorted({g.papers[0] for g in about_one})
    for number, paper_id in enumerate(order):
        paper = papers[paper_id]
        others = [papers[other] for other in order[number + 1 :] + order[:number]]
        foreign = [name for other in others[:3] for name in coined_names(other.abstract)]
        paraphrases = [g.answers[0] for g in about_one if g.papers[0] == paper_id]
        paraphrases = [text for text in dict.fromkeys(paraphrases) if _is_claim(text) and _adds_nothing(text, paper)]
        for text in paraphrases:
            yield Case(HONEST, text, paper)
            yield from _broken(text, paper, foreign)
            if others:
                yield Case(OTHER_PAPER, text, others[0])
        for sentence in _SENTENCE.split(paper.abstract):
            if _is_claim(sentence):
                yield from _broken(sentence, paper, foreign)


def _broken(text: str, paper: Paper, foreign: Sequence[str]) -> Iterator[Case]:
    for kind in PLANTS:
        sentence = planted(kind, text, paper.abstract, foreign)
        if sentence:
            yield Case(kind, sentence, paper)


def _is_claim(text: str) -> bool:
    """Tell whether a text is a sentence that claims something: no question, no fragment ("Only 16 %."), no address."""
    return len(text.split()) >= _LEAST_WORDS and not re.search(r"\?\s*$|https?:", text)


def _adds_nothing(text: str, paper: Paper) -> bool:
    """Tell whether a text has no number and no name that its abstract or title lacks."""
    said = [paper.abstract, paper.title]
    given = [number for source in said for number in numbers(source)]
    return all(number_stated(n, given) for n in numbers(text)) and all(known(name, said) for name in names(text))


def report_card(check: Check, gold: Iterable[GoldQuestion], papers: Mapping[str, Paper]) -> Card:
    """Return the marks of a checker on the cases of a gold set."""
    right: dict[str, int] = dict.fromkeys(KINDS, 0)
    wrong: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for case in cases(gold, papers):
        passed = all(row.verdict != "unsupported" for row in check(case.sentence, [case.paper]))
        if passed == (case.kind == HONEST):
            right[case.kind] += 1
        else:
            wrong[case.kind].append(f"{case.paper.id}: {case.sentence}")
    marks = [Mark(k, right[k], right[k] + len(wrong[k]), tuple(wrong[k])) for k in KINDS if right[k] or wrong[k]]
    return Card(tuple(marks))
