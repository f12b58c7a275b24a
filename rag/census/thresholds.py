"""Figures that a whole-corpus question sets: "a speed-up of more than 5x", "at least 20 %", "over 100 tasks". Pure."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from rag.text.matching import match_strength
from rag.text.words import stem

_ABOVE = r"more|greater|higher|larger|bigger|faster|better|over|above|exceed(?:s|ing)?|beyond"
_BELOW = r"less|fewer|lower|smaller|under|below"
_ASKED = re.compile(
    rf"(?:\bof\s+|\bby\s+)?\b(?P<word>{_ABOVE}|{_BELOW}|at least|no less|at most|no more|up to)\b\s*(?:than\s+)?"
    r"(?P<value>\d[\d,]*(?:\.\d+)?)\s*(?P<unit>%|percent\b|×|x\b|times\b|-?fold\b)?(?:\s*(?P<noun>[a-z][\w-]{2,}))?",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"(?<![\w.])(?P<value>\d[\d,]*(?:\.\d+)?)\s?(?P<unit>%|percent\b|×|x\b|times\b|-?fold\b)?(?:\+|\s)*"
    r"(?P<noun>(?:[a-z-]+ ){0,2}[a-z-]+)?",
    re.IGNORECASE,
)
_FORM = 0.85  # the word or a form of it, no synonym
_RELATIONS: tuple[tuple[str, str, Callable[[float, float], bool]], ...] = (
    (r"at least|no less", "at least", operator.ge),
    (r"at most|no more|up to", "at most", operator.le),
    (_ABOVE, "more than", operator.gt),
    (_BELOW, "less than", operator.lt),
)


@dataclass(frozen=True, slots=True)
class Threshold:
    """A figure that an abstract has to state: how it compares, with what, and its unit (% or ×) or counted noun."""

    relation: str
    value: float
    unit: str
    noun: str

    def met(self, text: str) -> bool:
        """Tell whether a text states a figure of this unit or of this noun that compares as asked."""
        holds = next(check for _, relation, check in _RELATIONS if relation == self.relation)
        return any(holds(value, self.value) for value in self._figures(text))

    def _figures(self, text: str) -> list[float]:
        found = []
        for match in _FIGURE.finditer(text):
            counted = (
                self.noun and match_strength(self.noun, frozenset(map(stem, (match["noun"] or "").split()))) >= _FORM
            )
            if (self.unit and _unit(match["unit"]) == self.unit) or (not self.unit and counted):
                found.append(float(match["value"].replace(",", "")))
        return found

    def __str__(self) -> str:
        return f"{self.relation} {self.value:g}{self.unit}{' ' + self.noun if self.noun else ''}"


def take_threshold(question: str) -> tuple[Threshold | None, str]:
    """Return the figure that a question sets, and the question without it; (None, question) where it sets none."""
    match = _ASKED.search(question)
    if match is None:
        return None, question
    unit = _unit(match["unit"])
    noun = "" if unit or not match["noun"] else stem(match["noun"].lower())
    if not unit and not noun:
        return None, question
    relation = next(name for words, name, _ in _RELATIONS if re.fullmatch(words, match["word"], re.IGNORECASE))
    kept = match["noun"] or ""
    rest = f"{question[: match.start()]} {kept} {question[match.end() :]}"
    return Threshold(relation, float(match["value"].replace(",", "")), unit, noun), rest


def _unit(text: str | None) -> str:
    if not text:
        return ""
    return "%" if text.lower() in ("%", "percent") else "×"
