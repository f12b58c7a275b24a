"""Instructions to the tool inside a question ("ignore the sources", "reply in one word"): taken out before it is read.

The tool has nothing to obey; what is left is the question, if there is one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_CLAUSE = re.compile(r"[^.!?;:]+[.!?;:]*\s*(?:(?<=\d\.)\d[^.!?;:]*[.!?;:]*\s*)*")
_ORDER = re.compile(
    r"^\W*(?:please\s+|now\s+|and\s+|first\s+|you (?:must|should|have to|will|need to)\s+)*"
    r"(?:ignore|disregard|forget|override|bypass|(?:skip|drop) (?:the|all|any|every)\b|"
    r"do(?: not|n't) (?:use|cite|look at|consult|show|rely)|"
    r"answer (?:only |just )?(?:from|with|using) (?:your|what you)|"
    r"use (?:only )?your (?:own )?(?:memory|knowledge|training)|"
    r"(?:reply|respond|answer) (?:only |just )?(?:in|with) |pretend|act as|you are now|roleplay|from now on|system\s*:|"
    r"claim that|say (?:that|this)|output only|no (?:citations?|sources)\b)",
    re.IGNORECASE,
)
_DICTATES = re.compile(r"\b(?:reply|respond|say|output|print|write|answer)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Request:
    """A question without the orders around it, and those orders."""

    question: str
    orders: str


def is_order(sentence: str) -> bool:
    """Tell whether a sentence, of a question or of a paper, orders the reader about."""
    return bool(_ORDER.match(sentence))


def without_orders(text: str) -> Request:
    """Take clauses that order the tool about out of a question; it stays as it is where nothing else is in it."""
    kept: list[str] = []
    orders: list[str] = []
    dictated = False
    for match in _CLAUSE.finditer(text):
        clause = match.group()
        # What an order dictates behind its colon ("reply in one word: BANANA.") belongs to it; a question does not.
        if _ORDER.match(clause) or (dictated and "?" not in clause):
            orders.append(clause)
            dictated = clause.rstrip().endswith(":") and bool(_DICTATES.search(clause))
        else:
            kept.append(clause)
            dictated = False
    left = re.sub(r"^\W*(?:also|then|and)\b[\s,]*", "", "".join(kept)).strip() if orders else text
    return Request(left, "".join(orders).strip()) if any(c.isalnum() for c in left) else Request(text, "")
