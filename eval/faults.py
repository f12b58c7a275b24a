"""Plant faults in sentences that an abstract supports: what a checker has to notice.

Every fault is placed by a hash of the sentence, so that the same sentence always gets the same fault.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Sequence

from eval.matching import plain
from eval.names import coined_names
from eval.polarity import OPPOSITES

_NUMBER = re.compile(r"(?<![\w.,(^-])\d+(?:\.\d+)?(?![\w,]|\.\d|\)\s)")
_WORD = re.compile(r"\b[a-z]+\b")
_AUXILIARIES = ("is", "are", "can", "was", "were", "has", "have", "does", "do", "will")
_VERBS = dict(
    pair.split(":")
    for pair in (
        "improves:does not improve|outperforms:does not outperform|achieves:does not achieve|shows:does not show|"
        "allows:does not allow|enables:does not enable|learns:does not learn|reduces:does not reduce|"
        "uses:does not use|requires:does not require|needs:does not need|keeps:does not keep|reaches:does not reach|"
        "leads:does not lead|show:do not show|improve:do not improve|provides:does not provide|lowers:does not lower|"
        "makes:does not make|gains:does not gain|rises:does not rise|falls:does not fall|raises:does not raise"
    ).split("|")
)
_NEGATED = re.compile(r"\b(?:not|no|never|without|neither|nor|none|cannot)\b|n't\b", re.IGNORECASE)
_SWAPS = {
    word: other
    for pair in OPPOSITES.split(";")
    for left, right in [pair.split()]
    for word, other in ((left, right), (right, left))
}
Plant = Callable[[str, str, Sequence[str], random.Random], str]


def planted(kind: str, sentence: str, abstract: str, foreign_names: Sequence[str]) -> str:
    """Return a sentence with one fault of a kind of `PLANTS`, blank where it has no place for it.

    `foreign_names` are names of other papers, to be put where one of this paper stands.
    """
    seed = int.from_bytes(hashlib.sha256(f"{kind}\n{sentence}".encode()).digest()[:8], "big")
    broken = PLANTS[kind](sentence, abstract, foreign_names, random.Random(seed))
    return broken if broken != sentence else ""


def _number(sentence: str, abstract: str, foreign: Sequence[str], rng: random.Random) -> str:
    places = list(_NUMBER.finditer(sentence))
    if not places:
        return ""
    match = rng.choice(places)
    digits = len(match.group().partition(".")[2])
    given = set(re.findall(r"\d+(?:\.\d+)?", plain(abstract)))
    tries = (f"{float(match.group()) * rng.uniform(1.15, 2.9) + step:.{digits}f}" for step in range(1, 40))
    new = next((number for number in tries if number not in given), "")
    return sentence[: match.start()] + new + sentence[match.end() :] if new else ""


def _name(sentence: str, abstract: str, foreign: Sequence[str], rng: random.Random) -> str:
    own = [name for name in coined_names(sentence) if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sentence)]
    fresh = [name for name in foreign if name.casefold() not in abstract.casefold()]
    if not own or not fresh:
        return ""
    old = rng.choice(own)
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: fresh[rng.randrange(len(fresh))], sentence, count=1)


def _negation(sentence: str, abstract: str, foreign: Sequence[str], rng: random.Random) -> str:
    if _NEGATED.search(sentence):
        return ""
    places = [m for m in _WORD.finditer(sentence) if m.group() in _AUXILIARIES or m.group() in _VERBS]
    if not places:
        return ""
    match = rng.choice(places)
    new = _VERBS.get(match.group(), f"{match.group()} not")
    return sentence[: match.start()] + new + sentence[match.end() :]


def _antonym(sentence: str, abstract: str, foreign: Sequence[str], rng: random.Random) -> str:
    places = [m for m in _WORD.finditer(sentence) if m.group() in _SWAPS]
    if not places:
        return ""
    match = rng.choice(places)
    return sentence[: match.start()] + _SWAPS[match.group()] + sentence[match.end() :]


PLANTS: dict[str, Plant] = {"number": _number, "name": _name, "negation": _negation, "antonym": _antonym}
