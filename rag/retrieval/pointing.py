"""Where a question points back to a paper that was spoken of: a correction, a return, "the one on graphs". Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rag.text.words import content_stems

How = Literal["corrects", "returns", "heading", "earlier", "another", "one"]

_LEAD = r"^\W*(?:(?:ok(?:ay)?|so|now|and|but|well|please|no|nope|sorry|wait|oops|actually|hm+)\b\W*)*"
_REST = r"\s*(?:[:;]\s*(?P<rest>\S.*))?$"
_PATTERNS: tuple[tuple[How, re.Pattern[str]], ...] = (
    # "No, I meant the one for graphs", "sorry, not that one: the camera-ready version"
    (
        "corrects",
        re.compile(
            rf"{_LEAD}(?:i (?:meant|mean|was asking about|was thinking of)|i'?m asking about|not that (?:one|paper)"
            rf"|rather)\b\W*(?P<topic>[^:;]+?){_REST}",
            re.IGNORECASE,
        ),
    ),
    (
        "corrects",
        re.compile(
            r"^\W*(?:no|nope|sorry|oops)\b[\s,]+(?:wait\b[\s,]+)?"
            rf"(?P<topic>the .+? (?:one|version|paper|study|work)|the one .+?){_REST}",
            re.IGNORECASE,
        ),
    ),
    # "Back to the mosses: which licence?"
    (
        "returns",
        re.compile(
            rf"{_LEAD}(?:let'?s )?(?:(?:go|going|come|coming|get|getting) )?(?:back|return(?:ing)?) to "
            r"(?P<topic>[^,:;?]+)[,:;?—-]+\s*(?P<rest>\S.*)$",
            re.IGNORECASE,
        ),
    ),
    # "The hospital one again: what does it cost?"
    ("heading", re.compile(r"^\W*(?P<topic>[^,:;?]{3,60}?)(?: again)?\s*:\s+(?P<rest>\S.*)$", re.IGNORECASE)),
)
_EARLIER = re.compile(
    r"\bthe (?:first|former|earlier|previous) (?:one|paper|study)\b|\bthe (?:former|first)\b(?=\W*$|\s*[:,])",
    re.IGNORECASE,
)
# "Is there a survey too?" wants one more paper on what was spoken of.
_ANOTHER = re.compile(
    r"\b(?:is|are) there (?:an?|any|some|other)\b.*\b(?:too|also|as well|else)\b"
    r"|\banother (?:one|paper|study|survey|work)(?: (?:on|about) (?:it|that|this|the same))?\W*$",
    re.IGNORECASE,
)
# "How many types does the graph one have?", "and for the one about maps?"
_ONE = re.compile(
    r"\bthe (?:one|paper|study|work) (?:for|about|on|from|with|of|that|which|who) (?P<after>[^,;:?]+)"
    r"|\bthe (?P<before>(?!other\b|same\b|only\b|right\b|last\b|best\b)(?:[\w-]+ ){1,3})(?:one|version)\b",
    re.IGNORECASE,
)
# "Which of those two is larger?" asks of both papers that were spoken of.
_OF_BOTH = re.compile(
    r"\b(?:the|these|those|they|them|of them) (?:two|both)\b|\bboth(?: of them| papers| works| methods)?\b"
    r"|\b(?:which|either|neither|one) of (?:them|these|those)\b|\bthe former\b.*\bthe latter\b",
    re.IGNORECASE,
)
_FILLER = frozenset(
    content_stems("one ones paper version study work topic question meant again quick short simple another thing next")
)


@dataclass(frozen=True, slots=True)
class Pointer:
    """How a question points back, the description of what it points to, and what it then asks."""

    how: How
    topic: str
    rest: str

    @property
    def words(self) -> list[str]:
        """Return the stems of the description that can tell one paper from another."""
        return [word for word in content_stems(self.topic) if word not in _FILLER]


def asks_of_both(question: str) -> bool:
    """Tell whether a question is about the two papers that were spoken of before."""
    return bool(_OF_BOTH.search(question))


def pointers(question: str) -> Iterator[Pointer]:
    """Yield the readings of a question as one that points back, likeliest first."""
    for how, pattern in _PATTERNS:
        match = pattern.search(question)
        if match:
            yield Pointer(how, match["topic"].strip(), match["rest"] or "")
    if _EARLIER.search(question):
        yield Pointer("earlier", "", _EARLIER.sub("it", question))
    if _ANOTHER.search(question):
        yield Pointer("another", "", question)
    match = _ONE.search(question)
    if match:
        topic = (match["after"] or match["before"]).strip()
        yield Pointer("one", topic, question[: match.start()] + "it" + question[match.end() :])
