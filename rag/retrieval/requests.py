"""Instructions to the tool inside a question ("ignore the sources", "in one sentence"): taken out before it is read.

How long the answer may be is obeyed; the tool has nothing else to obey, and what is left is the question, if any.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

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
_QUESTION = 6  # letters and digits that are left of a question
_DICTATES = re.compile(r"\b(?:reply|respond|say|output|print|write|answer)\b", re.IGNORECASE)


_NUMBERS = {"one": 1, "a": 1, "a single": 1, "1": 1, "two": 2, "2": 2, "three": 3, "3": 3, "four": 4, "4": 4}
# "In two sentences: ...", "briefly, ...", "..., just the number".
_LENGTH = re.compile(
    r"(?:^|(?<=[\s,;:(.?!—–-]))(?:(?:please|answer|reply|explain|tell me|summari[sz]e(?: it)?|and)\s+)?"
    r"(?:(?:in|with|using|give me|only)\s+(?:just\s+|only\s+|at most\s+|max(?:imum)?\s+)?"
    r"(?P<n>one|a|a single|two|three|four|[1-4])\s+(?:short\s+|single\s+|brief\s+)?"
    r"(?:sentences?|lines?|words?(?=\s*(?:$|[,:;.?!])))"
    r"|(?P<one>(?:just|only)\s+(?:give (?:me )?)?(?:the|a)\s+"
    r"(?:number|figure|value|percentage|name|link|url)s?(?!\s+of\b)"
    r"|one[- ](?:sentence|line|liner) (?:answer|summary)|a one[- ]liner)"
    r"|(?P<two>briefly|in (?:brief|short|a nutshell)|be brief|keep it (?:short|brief)|short answer|in a few words))"
    r"(?:,?\s*please)?(?=$|[\s,;:.?!)—–-])\s*[,:;—–-]?\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Request:
    """A question without the orders around it, and those orders."""

    question: str
    orders: str
    sentences: int | None = None  # at most so many are wanted


def is_order(sentence: str) -> bool:
    """Tell whether a sentence, of a question or of a paper, orders the reader about."""
    return bool(_ORDER.match(sentence))


def without_orders(text: str) -> Request:
    """Take clauses that order the tool about out of a question, and how long the answer may be.

    The question stays as it is where nothing else is in it.
    """
    request = _without_clauses(text)
    match = _LENGTH.search(request.question)
    if match is None:
        ordered = _LENGTH.match(request.orders)
        return replace(request, sentences=_sentences(ordered)) if ordered else request
    rest = f"{request.question[: match.start()]}{request.question[match.end() :]}".strip(" ,;:—–-")
    rest = re.sub(r"[\s,;:—–-]+(?=[?.!])", "", rest)
    if sum(c.isalnum() for c in rest) < _QUESTION:
        return request
    return replace(request, question=rest, sentences=_sentences(match))


def _sentences(match: re.Match[str]) -> int:
    return _NUMBERS[match["n"].lower()] if match["n"] else 1 if match["one"] else 2


def _without_clauses(text: str) -> Request:
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
