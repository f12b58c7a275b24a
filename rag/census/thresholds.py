"""Figures that a whole-corpus question sets: "a speed-up of more than 5x", "at least 20 %", "over 100 tasks". Pure."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from rag.text.matching import match_strength
from rag.text.words import NUMBER_WORDS, stem

_ABOVE = r"more|greater|higher|larger|bigger|faster|better|over|above|exceed(?:s|ing)?|beyond"
_BELOW = r"less|fewer|lower|smaller|under|below"
_WRITTEN = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_VALUE = rf"(?P<value>\d[\d,]*(?:\.\d+)?|\b(?:{_WRITTEN})\b)"
_ASKED = re.compile(
    rf"(?:\bof\s+|\bby\s+)?\b(?P<word>{_ABOVE}|{_BELOW}|at least|no less|at most|no more|up to|exactly|precisely)\b"
    rf"\s*(?:than\s+)?(?:an?\s+)?{_VALUE}\s*(?P<unit>%|percent\b|×|x\b|times\b"
    rf"|-?fold\b)?(?:\s*(?P<noun>[a-z][\w-]{{2,}}))?",
    re.IGNORECASE,
)
# "5x or more", "3 or more benchmarks": the relation behind the figure.
_BEHIND = re.compile(
    rf"{_VALUE}\s*(?P<unit>%|percent\b|×|x\b|times\b|-?fold\b)?\s*"
    r"(?:(?P<most>or (?:more|higher|greater|above|better|faster)|and (?:up|more))|or (?:less|fewer|lower|below))\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    rf"(?<![\w.]){_VALUE}\s?(?P<unit>%|percent\b|×|x\b|times\b|-?fold\b)?(?:\+|\s)*"
    r"(?P<noun>(?:[a-z-]+ ){0,2}[a-z-]+)?",
    re.IGNORECASE,
)
_FORM = 0.85  # the word or a form of it, no synonym
_RELATIONS: tuple[tuple[str, str, Callable[[float, float], bool]], ...] = (
    (r"exactly|precisely", "exactly", operator.eq),
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
                found.append(_number(match["value"]))
        return found

    def __str__(self) -> str:
        return f"{self.relation} {self.value:g}{self.unit}{' ' + self.noun if self.noun else ''}"


def take_threshold(question: str) -> tuple[Threshold | None, str]:
    """Return the figure that a question sets, and the question without it; (None, question) where it sets none."""
    question = _BEHIND.sub(
        lambda m: f"{'at least' if m['most'] else 'at most'} {m['value']}{m['unit'] or ''}", question
    )
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
    return Threshold(relation, _number(match["value"]), unit, noun), rest


def _number(text: str) -> float:
    return float(NUMBER_WORDS.get(text.lower(), text).replace(",", ""))


def _unit(text: str | None) -> str:
    if not text:
        return ""
    return "%" if text.lower() in ("%", "percent") else "×"
