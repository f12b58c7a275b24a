"""The headline figure of an abstract: the number its authors would quote, its unit and what it is measured against."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.checking.claims import Number, numbers
from rag.library.chunking import quote
from rag.survey.roles import Part, has_figure, parts
from rag.text.matching import same_word
from rag.text.words import content_stems
from rag.types import Paper, Quote

_BETTER = re.compile(
    r"\b(?:improv\w*|gains?|outperform\w*|faster|speed-?ups?|accelerat\w*|reduc\w*|sav(?:es|ing|ings)|increas\w*|boost\w*"
    r"|higher|lower|better|surpass\w*|exceed\w*|achiev\w*|only|cuts?|drops?|suppress\w*|accurac\w*|compress\w*|win)\b",
    re.IGNORECASE,
)
_BASELINE = re.compile(
    r"(?:\b(?:compared (?:to|with)|relative to|in comparison (?:to|with)|versus|vs\.?|over|than|against"
    r"|outperform\w*|surpass\w*|better than|from|of the)\s+)"
    r"((?:(?:the|its|their|all|an?|existing|prior|previous|other|standard)\s+)*"
    r"[^,.;:()]{0,70}?\b(?:baselines?|models?|methods?|approach(?:es)?|state[- ]of[- ]the[- ]arts?|sota|budget"
    r"|attention|algorithms?|techniques?|counterparts?|systems?|works?|training|fine-?tuning)\b)",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"\s?(?:%|×|x\b|percent\b|percentage points?\b|points?\b|[- ]?fold\b|times\b|orders? of magnitude\b|(?:ms|seconds?"
    r"|hours?|minutes?|days?|GB|MB|FPS|dB)\b|(?:F1|BLEU|mIoU|mAP|ROUGE|PSNR|FID|nDCG|chrF|AUC|AUROC|WER|Dice)\b)",
    re.IGNORECASE,
)
_BY_UNIT = {"times": 3.0, "percent": 2.5, "plain": 0.0}


@dataclass(frozen=True, slots=True)
class Figure:
    """A headline figure: its sentence, and inside it the number with its unit, and the baseline where one is named."""

    sentence: Quote
    number: Quote
    unit: str
    baseline: Quote | None


def headline(paper: Paper, about: Sequence[str] = ()) -> Figure | None:
    """Return the headline figure of an abstract, or None; `about` are stems of what it has to be a figure of."""
    rows = [
        (_worth(part, number), -part.index, -number.start, part, number)
        for part in parts(paper.abstract)
        if has_figure(part.sentence.text) and part.role != "problem" and _speaks_of(part.sentence.text, about)
        for number in numbers(part.sentence.text)
        if _measured(part.sentence.text, number)
    ]
    if not rows:
        return None
    _, _, _, part, number = max(rows, key=lambda row: row[:3])
    return _figure(paper, part, number)


def _measured(text: str, number: Number) -> bool:
    return number.unit != "plain" or bool(_UNIT.match(text, number.end)) or "." in text[number.start : number.end]


def _speaks_of(text: str, about: Sequence[str]) -> bool:
    stems = set(content_stems(text))
    return all(any(same_word(wanted, stem) for stem in stems) for wanted in about)


def _worth(part: Part, number: Number) -> float:
    text = part.sentence.text
    near = text[max(0, number.start - 60) : number.end + 60]
    worth = _BY_UNIT[number.unit] + 1.5 * bool(_BETTER.search(near)) + bool(_BASELINE.search(text))
    worth += 0.5 * bool(re.search(r"\b(?:up to|more than|over|by)\s*$", text[: number.start])) - 0.75 * number.spelled
    # What is worked on is often given with a size; only a result is a headline.
    return worth + (1.0 if part.role == "figures" else 0.0)


def _figure(paper: Paper, part: Part, number: Number) -> Figure:
    text, offset = part.sentence.text, part.sentence.start
    suffix = _UNIT.match(text, number.end)
    end = suffix.end() if suffix else number.end
    unit = _UNIT.search(text, number.start, end)
    baseline = min(
        (m for m in _BASELINE.finditer(text) if m.start() >= number.start - 120),
        key=lambda m: abs(m.start() - end) + (200 if m.start() < number.start else 0),
        default=None,
    )
    return Figure(
        quote(paper, part.sentence.start, part.sentence.end),
        quote(paper, offset + number.start, offset + end),
        unit.group().strip(" -") if unit else "",
        quote(paper, offset + baseline.start(1), offset + baseline.end(1)) if baseline else None,
    )
