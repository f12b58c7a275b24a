"""Find "A beats B" where the abstract says that B beats A. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.checking.alignment import Line, Reading, best_match
from rag.checking.claims import Claim, names, words
from rag.text.words import stem, tokens

_COMPARES = re.compile(
    r"(?P<not>\bnot\s|n['’]t\s)?\b(?P<verb>(?P<passive>(?:is|are|was|were)\s+)?"
    r"(?:outperform|surpass|exceed|beat|underperform|trail)(?:s|ed|ing)?)\b(?P<by>\s+by\b)?"
    r"|\b(?P<than>(?:better|worse|faster|slower|higher|lower|more|less|fewer|stronger|weaker|larger|smaller)\b"
    r"[^.;,]{0,60}?\bthan|(?:improved|improving|better|worse|faster|slower|higher|lower|stronger|weaker)\b[^.;,]{0,40}?"
    r"\b(?:compared|relative)\s(?:to|with))\b"
    r"|\b(?P<rank>(?:superior|inferior)\s+to|superiority\s+over)\b",
    re.I,
)
# What is put before what: "prioritizes text over pictures".
_PREFERS = re.compile(
    r"\b(?:prioriti[sz]|favou?r|prefer|emphasi[sz]|choos)\w*\b(?P<first>[^.;,]{3,80}?)"
    r"\b(?:over|rather than|instead of)\b"
    r"(?P<second>[^.;,]{3,60})",
    re.I,
)
_LESS = re.compile(r"underperform|trail|worse|slower|lower|less|fewer|weaker|smaller|inferior", re.I)
_OWN = "<own>"
_OTHERS = frozenset(
    map(stem, ["baseline", "baselines", "competitor", "rival", "rivals", "prior", "previous", "existing", "earlier"])
)
_LOSES = re.compile(
    r"\b(?:worse|below|behind|trails?|underperform\w*|inferior|not (?:better|outperform)|outperformed by|beaten by|"
    r"on par|lags?)\b",
    re.I,
)
_SELF = frozenset(["we", "our", "ours", "it", "its", "proposed", "method", "approach", "framework", "model", "this"])


def reversed_comparison(claim: Claim, reading: Reading, lines: Sequence[Line]) -> str:
    """Find "A beats B" where the abstract says that B beats A."""
    if _preferred_otherwise(claim, lines):
        return "the abstract has the preference the other way round"
    ours = _sides(claim.text, reading)
    if ours is None:
        return ""
    if _OWN in ours[1] and ours[0] & _OTHERS and not any(_LOSES.search(line.text) for line in reading.lines):
        return "in the abstract nothing is better than its own work"
    for line in lines:
        theirs = _sides(line.text, reading)
        if theirs is None:
            continue
        common = (ours[0] & ours[1]) | (theirs[0] & theirs[1])
        ours, theirs = (ours[0] - common, ours[1] - common), (theirs[0] - common, theirs[1] - common)
        straight = _overlap(ours[0], theirs[0]) + _overlap(ours[1], theirs[1])
        crossed = _overlap(ours[0], theirs[1]) + _overlap(ours[1], theirs[0])
        if crossed > straight:
            return "the abstract has the comparison the other way round"
    return ""


def _preferred_otherwise(claim: Claim, lines: Sequence[Line]) -> bool:
    ours = _PREFERS.search(claim.text)
    for theirs in (_PREFERS.search(line.text) for line in lines) if ours else ():
        if ours is None or theirs is None:
            continue
        a, b = (frozenset(w.stem for w in words(ours[side])) for side in ("first", "second"))
        c, d = (frozenset(w.stem for w in words(theirs[side])) for side in ("first", "second"))
        common = (a & b) | (c & d)
        a, b, c, d = a - common, b - common, c - common, d - common
        if _overlap(a, d) + _overlap(b, c) > _overlap(a, c) + _overlap(b, d):
            return True
    return False


def _sides(text: str, reading: Reading) -> tuple[frozenset[str], frozenset[str]] | None:
    """Return the words of the better and of the worse side of a comparison."""
    found = _COMPARES.search(text)
    if not found:
        return None
    left, right = _marked(text[: found.start()], reading, tail=True), _marked(text[found.end() :], reading, tail=False)
    flips = (
        bool(_LESS.search(found.group()))
        + bool(found.group("by") and found.group("passive"))
        + bool(found.group("not"))
    )
    return (right, left) if flips % 2 else (left, right)


def _marked(text: str, reading: Reading, *, tail: bool) -> frozenset[str]:
    """Return a side's words; every name of the paper's own work is one and the same."""
    pieces = re.split(r"[,;:]|\b(?:that|while|and|by|in|on|with)\b", text)
    piece = next((p for p in (reversed(pieces) if tail else pieces) if any(w.weight > 0 for w in words(p))), "")
    roots = {w.stem for w in words(piece)} - {"one"}
    own = {name.key for name in names(f"x {piece}")} & reading.own
    if own or (
        any(token.text in _SELF for token in tokens(piece)) and not re.search(r"existing|prior|previous|earlier", piece)
    ):
        roots = {r for r in roots if r not in {stem(key) for key in reading.own}} | {_OWN}
    return frozenset(roots)


def _overlap(left: frozenset[str], right: frozenset[str]) -> float:
    return sum(2.0 if word == _OWN and word in right else best_match(word, right - {_OWN}) for word in left)
