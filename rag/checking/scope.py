"""How a sentence can say more than an abstract: all instead of some, proven instead of likely, at another stage.

Pure; each function returns the fault or nothing.
"""

from __future__ import annotations

import re

from rag.checking.alignment import Line, Reading
from rag.checking.claims import Claim
from rag.checking.closeness import held, plain_stems
from rag.text.words import stem

_ALL = re.compile(
    r"\b(?:all|every|always|entirely|universally|in (?:all|any|every) (?:cases?|scenarios?|settings?))\b", re.I
)
_ANY_ALL = re.compile(
    r"\b(?:all|every|always|any|each|entire\w*|whole|full\w*|complete\w*|universal\w*|regardless|never|none|no|everything|"
    r"across|both|consistent\w*)\b",
    re.I,
)
_SOME = re.compile(
    r"\b(?:some|certain|several|many|most|mostly|mainly|majority|often|typically|usually|sometimes|partly|partially|"
    r"at least one|in part|a (?:few|subset)|subset of|half|various)\b",
    re.I,
)
# "After all", "first of all", "overall" widen nothing.
_IDIOM = re.compile(r"\b(?:after all|of all|above all|at all|not all|not always|almost all|nearly all)\b", re.I)
_PROVES = re.compile(r"\b(?:proves?|guarantees?|guaranteed|undoubtedly|definitely)\b", re.I)
# Whoever has one of these words may well have shown what is said to be proven.
_PROOF = frozenset(
    stem(word)
    for word in "prove proof provable provably theorem theory theoretical guarantee ensure bound lemma certify "
    "certified certificate "
    "convergence converge formal formally necessary sufficient impossibility optimal hardness".split()
)
_STAGES = {
    stem(word): word
    for word in ("training", "inference", "testing", "test", "pretraining", "finetuning", "evaluation", "decoding")
}
_SAME_STAGE = (
    frozenset(map(stem, ("inference", "testing", "test", "evaluation", "decoding"))),
    frozenset(map(stem, ("training", "finetuning", "pretraining"))),
)
_AT = re.compile(r"\b(?:during|at)\s(?:the\s)?(?P<stage>[a-z-]+)(?:\s(?:time|stage|phase))?\b", re.I)
# A line that holds so much of a sentence's words says the same, if anything does.
_SAME_STATEMENT = 0.5


def widened(claim: Claim, reading: Reading) -> str:
    """Find "all" or "always" where the abstract speaks of some."""
    found = _ALL.search(_IDIOM.sub(lambda m: " " * len(m.group()), claim.text))
    if found is None:
        return ""
    line = _closest(claim, reading)
    if line is None or _ANY_ALL.search(line.text):
        return ""
    some = _SOME.search(line.text)
    return f"the abstract says {some.group()}, not {found.group()}" if some else ""


def unfounded_certainty(claim: Claim, reading: Reading) -> str:
    """Find something said to be proven or guaranteed where the abstract has no word of a proof."""
    if reading.stems & _PROOF:
        return ""
    found = _PROVES.search(claim.text)
    return f"the abstract does not say {found.group()}" if found else ""


def other_stage(claim: Claim, reading: Reading) -> str:
    """Find "during training" where the abstract says the same of inference only, or the reverse."""
    ours = _stages(claim.text)
    if len(ours) != 1:
        return ""
    line = _closest(claim, reading)
    theirs = _stages(line.text) if line else frozenset()
    if not theirs or any(_one_stage(a, b) for a in ours for b in theirs):
        return ""
    return f"the abstract says this of {_STAGES[min(theirs)]}, not of {_STAGES[min(ours)]}"


def _stages(text: str) -> frozenset[str]:
    return frozenset(stem(found["stage"].replace("-", "").casefold()) for found in _AT.finditer(text)) & frozenset(
        _STAGES
    )


def _one_stage(left: str, right: str) -> bool:
    return left == right or any(left in group and right in group for group in _SAME_STAGE)


def _closest(claim: Claim, reading: Reading) -> Line | None:
    """Return the line that holds most of a sentence's words, if it holds enough to say the same."""
    own = plain_stems(claim.content)
    best = max(reading.lines, key=lambda line: held(own, line.stems), default=None)
    return best if best is not None and held(own, best.stems) >= _SAME_STATEMENT else None
