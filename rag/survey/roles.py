"""What each sentence of an abstract is for: the problem, the idea, the evidence, a figure, or the code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rag.census.forms import FACETS
from rag.census.scope import lines
from rag.text.sentences import Sentence

Role = Literal["problem", "idea", "evidence", "figures", "code"]
ROLES: tuple[Role, ...] = ("problem", "idea", "evidence", "figures", "code")

_LACK = re.compile(
    r"\b(?:however|yet|but|unfortunately|challeng\w*|difficult\w*|limit(?:s|ed|ing|ation|ations)|bottleneck\w*|suffer\w*"
    r"|fail(?:s|ed|ing)?|lack\w*|remains?|underexplored|unclear|neglect\w*|ignor\w*|overlook\w*|expensive|prohibitive"
    r"|struggle\w*|hinder\w*|costly|problem|vulnerab\w+|brittle|poorly|misalignment|inefficien\w*|difficulty|crucial"
    r"|essential|questions?)\b",
    re.IGNORECASE,
)
_SPEAKER = r"\b(?:we|this (?:paper|work|study|article)|our (?:work|method|approach|framework)|here,? we)\b"
_MAKES = re.compile(
    _SPEAKER + r"[^.;]{0,60}?\b(?:introduc|propos|present|develop|design|devis|formulat|reformulat|recast|build"
    r"|construct|creat|releas)(?:es?|ed|s|t)?\b",
    re.IGNORECASE,
)
_SAYS = re.compile(
    _SPEAKER + r"[^.;]{0,60}?\b(?:describ\w*|stud(?:y|ies)|investigat\w*|bridges?|reveals?|identif\w*|prov(?:es?|ides?)"
    r"|argues?|advocates?|shows?|establish\w*|reconsider\w*|revisits?|challenges?|explores?|examines?|analy[sz]es?)\b",
    re.IGNORECASE,
)
_METHOD = re.compile(
    r"\b(?:we|our|it|its|framework|method|approach|model|algorithm|pipeline|strategy|mechanism|module)\b[^.;]{0,80}"
    r"\b(?:us(?:es|ing)|leverag\w*|consists?|integrat\w*|employ\w*|learn\w*|combin\w*|decoupl\w*|jointly|translat\w*"
    r"|elicits?|maps?|mapped|guides?|transfers?|aggregat\w*|optimi[sz]\w*|adopt\w*|convert\w*|further|based on)\b",
    re.IGNORECASE,
)
# "TARNLEX parses legal text": a coined name that does something is the authors' own, with no "we" about it.
_NAMED = re.compile(
    r"(?:[A-Z][\w.-]*[A-Z][\w.-]*|[A-Z]\w*-[A-Z0-9]\w*)(?: \([^)]{3,90}\))?,? "
    r"(?!is a (?:common|popular|well|major|key))(?:is an?|replaces|segments|masks|[a-z]{2,}[^s\W]s)\b"
)
# "We reorder tokens": whatever the verb, with "we" in front the field's own story is over ...
_OURS = re.compile(
    r"(?:(?:here|thus|so|therefore|in this (?:\w+ )?\w+|to [^,.;]{3,90}),? )?(?:we|our)\b", re.IGNORECASE
)
# ... but what is set as a task is still the problem.
_POSES = re.compile(
    r"\b(?:we|our)\b.{0,20}\b(?:ask|consider|address|tackle|aim|goal|typically|often|usually|commonly|need|want)\b",
    re.IGNORECASE,
)
_EVIDENCE = re.compile(
    r"\b(?:experiments?|experimental|evaluat\w+|results?|empirical\w*|benchmarks? (?:show|demonstrate)|outperform\w*"
    r"|achiev\w+|demonstrat\w+|state[- ]of[- ]the[- ]art|surpass\w*|we (?:show|find|observe)|prove|theorem|tested"
    r"|validat\w+|improv(?:es|ed|ing|ement|ements)|accelerates|speed-?up|yield\w*|scores|reach(?:es|ed)|attain(?:s|ed)"
    r"|obtain(?:s|ed)|lowers|rais(?:es|ed)|cuts)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Part:
    """A sentence of an abstract, its place in the order, and what it is for."""

    sentence: Sentence
    index: int
    role: Role


@lru_cache(maxsize=16_384)
def parts(abstract: str) -> tuple[Part, ...]:
    """Return the sentences of an abstract with their roles; a figure is an evidence sentence with a number in it."""
    found: list[Part] = []
    begun = False
    for index, line in enumerate(lines(abstract)):
        role = _role(line.sentence.text, begun)
        begun = begun or role == "idea" or bool(_OURS.match(line.sentence.text))
        found.append(Part(line.sentence, index, role))
    return tuple(found)


def _role(text: str, begun: bool) -> Role:
    code = FACETS["code_said"]
    if code.shows.search(text):
        return "code"
    if not begun:
        # Before the authors' own work begins, an abstract tells of the field and of what is wrong in it.
        if introduces(text) or _NAMED.match(text):
            return "idea"
        if not _OURS.match(text) or _POSES.search(text):
            return "problem"
    if _EVIDENCE.search(text) and not _starts_idea(text):
        return "figures" if has_figure(text) else "evidence"
    return "idea"


def _starts_idea(text: str) -> bool:
    match = _MAKES.search(text)
    first = _EVIDENCE.search(text)
    return bool(match and first and match.end() < first.start() and not has_figure(text))


def has_figure(text: str) -> bool:
    """Tell whether a sentence holds a measured number: one with a unit, a decimal or a change."""
    return bool(_FIGURE.search(text))


_FIGURE = re.compile(
    r"\d ?(?:%|×|percent\b|points?\b)|\d ?x\b|\b\d+(?:\.\d+)?[- ]?fold\b|\b\d+ times\b|(?<![\w-])[+-]?\d+\.\d+(?![\w.])"
    r"|\b(?:twice|half|orders? of magnitude)\b",
    re.IGNORECASE,
)


def states_problem(text: str) -> bool:
    """Tell whether a sentence says what is wrong or missing."""
    return bool(_LACK.search(text))


def introduces(text: str) -> re.Match[str] | None:
    """Return where a sentence says what its authors made, else what they did, or None."""
    return _MAKES.search(text) or _SAYS.search(text)


def makes(text: str) -> bool:
    """Tell whether a sentence says that its authors made something."""
    return bool(_MAKES.search(text))


def explains_method(text: str) -> bool:
    """Tell whether a sentence says how the authors' method works."""
    return bool(_METHOD.search(text))
