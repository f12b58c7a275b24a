"""Find who does what to whom told the other way round: "A writes the B" for "B writes the A".

Pure; each function returns the fault or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.checking.alignment import Line, best_match
from rag.checking.claims import Claim, Word, denies, words
from rag.text.words import stem

_CONTRAST = re.compile(r",?\s*\b(?:while|whereas|but|although)\b\s*|;\s*", re.I)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being|by)\b", re.I)
_OBJECT = re.compile(r"\s(?:the|an?|its|their|our|this|these|those|each|all|every|any|new|more|less)\s", re.I)
_REACH = 4
_CLEARLY = 2
# What holds both ways round.
_MUTUAL = frozenset(
    stem(word)
    for word in "compare combine connect relate link correlate merge integrate unify differ match align share equal "
    "equivalent interact and between jointly".split()
)


def exchanged_sides(claim: Claim, lines: Sequence[Line]) -> str:
    """Find "A does, while B does not" where the abstract says that B does and A does not."""
    ours = _sides(claim.text)
    for line in lines if ours else ():
        theirs = _sides(line.text)
        if ours is None or theirs is None:
            continue
        common = (ours[0] & ours[1]) | (theirs[0] & theirs[1])
        a, b, c, d = (side - common for side in (*ours, *theirs))
        if _common(a, d) + _common(b, c) >= _common(a, c) + _common(b, d) + _CLEARLY:
            return "the abstract says of the one what the claim says of the other"
    return ""


def _sides(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the words of what is said and of what is denied, in a sentence of two such parts."""
    parts = [part for part in _CONTRAST.split(text) if len(words(part)) > 0]
    if len(parts) != 2 or denies(parts[0]) == denies(parts[1]):
        return None
    said, denied = sorted(parts, key=denies)
    return frozenset(w.stem for w in words(said)), frozenset(w.stem for w in words(denied))


def exchanged_roles(claim: Claim, lines: Sequence[Line]) -> str:
    """Find a word on whose two sides the abstract has the claim's words the other way round."""
    for place, word in enumerate(claim.words):
        if word.stem in _MUTUAL or not 0 < word.weight <= 1.0 or not _verb(claim.text, word):
            continue
        ours = _around(claim.text, claim.words, place)
        for line in lines:
            for index, other in enumerate(line.words):
                if other.stem != word.stem or not _verb(line.text, other):
                    continue
                theirs = _around(line.text, line.words, index)
                if ours is None or theirs is None:
                    continue
                common = (ours[0] & ours[1]) | (theirs[0] & theirs[1])
                a, b, c, d = (side - common for side in (*ours, *theirs))
                crossed = _common(a, d), _common(b, c)
                if min(crossed) and sum(crossed) >= _common(a, c) + _common(b, d) + _CLEARLY:
                    return f"the abstract has {claim.text[word.start : word.end]} the other way round"
    return ""


def _verb(text: str, word: Word) -> bool:
    """Tell whether a word is a verb in the present that takes an object: "generates the weights"."""
    return text[word.start : word.end].endswith("s") and bool(_OBJECT.match(text, word.end))


def _around(text: str, found: Sequence[Word], place: int) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the words before and after one, or nothing where a passive form may turn them."""
    before = found[max(0, place - _REACH) : place]
    after = found[place + 1 : place + 1 + _REACH]
    if not before or not after or _PASSIVE.search(text[before[0].start : after[-1].end]):
        return None
    return frozenset(w.stem for w in before), frozenset(w.stem for w in after)


def _common(left: frozenset[str], right: frozenset[str]) -> int:
    return sum(bool(best_match(word, right)) for word in left)
