"""The single ways in which a sentence can contradict an abstract: each a function that returns the fault or nothing.

Pure. `Claim` is the sentence taken apart; the lines are those of the abstract that hold its words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.alignment import (
    Line,
    Reading,
    best_match,
    context,
    covered,
    knows_name,
    match,
    only_compared_with,
)
from rag.claims import Name, Number, Word, denies, is_negation, names, numbers, same_number, words
from rag.lexicon import BAD, SOFT_NEGATION, STEADY, antonyms, direction, known_words, opposite
from rag.words import fold, stem, tokens

_COUNT_ENDS = re.compile(r"[,;:.\])]\s|\b(?:and|or|while|but)\b")
_DENIED_THING = re.compile(r"\b(?:no|without)\s[^,.;]{0,25}$", re.I)
_DENYING_PREFIX = re.compile(r"un(?!i|der|til)|non|in(?:suff|effic|accur|cap|vis|compl|consist)|imposs")
# A number is taken for another slot's only if its words fit that slot better by more than this.
_SLOT_MARGIN = 0.9
_NEAR_WORDS = 3
_COMPARES = re.compile(
    r"(?P<not>\bnot\s|n['’]t\s)?\b(?P<verb>(?P<passive>(?:is|are|was|were)\s+)?(?:outperform|surpass|exceed|beat|underperform|trail)(?:s|ed|ing)?)\b(?P<by>\s+by\b)?"
    r"|\b(?P<than>(?:better|worse|faster|slower|higher|lower|more|less|fewer|stronger|weaker|larger|smaller)\b[^.;,]{0,60}?\bthan)\b"
    r"|\b(?P<rank>(?:superior|inferior)\s+to)\b",
    re.I,
)
_INTRANSITIVE = re.compile(r"\s*(?:$|[,.;]|(?:as|from|by|to|when|with|and|while|after|in|on|if|until)\b)", re.I)
_LESS = re.compile(r"underperform|trail|worse|slower|lower|less|fewer|weaker|smaller|inferior", re.I)
_SELF = frozenset(["we", "our", "ours", "it", "its", "proposed", "method", "approach", "framework", "model", "this"])
_BASELINE_CUE = re.compile(
    r"(?:against|compared (?:to|with)|versus|\bvs\.?|\bthan|\bfrom|baseline|over)\b[^,;]{0,18}$", re.I
)
_SET_AGAINST = re.compile(
    r"against|compar|versus|\bvs\b|than|from|baseline|best|earlier|previous|prior|existing|human|threshold|other|over",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence taken apart."""

    text: str
    words: tuple[Word, ...]
    numbers: tuple[Number, ...]
    names: tuple[Name, ...]

    @property
    def content(self) -> tuple[Word, ...]:
        """Return the words that assert something."""
        return tuple(word for word in self.words if word.weight > 0)


def claim_of(text: str) -> Claim:
    """Take a sentence apart."""
    return Claim(text, words(text), numbers(text), names(text))


def unknown_name(claim: Claim, reading: Reading) -> str:
    """Find a name that the paper does not have."""
    for name in claim.names:
        if not knows_name(reading, name) and not _spells_out(claim, name, reading):
            return f"the abstract does not name {name.text}"
    return ""


def _spells_out(claim: Claim, name: Name, reading: Reading) -> bool:
    """Tell whether a capitalised word belongs to a phrase that the abstract abbreviates."""
    if name.coined:
        return False
    if stem(fold(name.text)) in known_words() or _is_title_case(claim.text):
        return True
    run = [name]
    for other in claim.names:
        gap = (
            claim.text[run[-1].end : other.start]
            if other.start >= run[-1].end
            else claim.text[other.end : run[0].start]
        )
        if other not in run and re.fullmatch(r"[\s-]*", gap):
            run = [other, *run] if other.end <= run[0].start else [*run, other]
    letters = "".join(n.text[0] for n in run).casefold()
    return len(run) > 1 and any(letters in (key, key.rstrip("s")) for key in reading.name_keys)


def _is_title_case(text: str) -> bool:
    """Tell whether a text is written like a heading, where a capital says nothing."""
    plain = re.findall(r"\b[A-Za-z][a-z]{3,}\b", text)
    return len(plain) > 2 and sum(word[0].isupper() for word in plain) >= 0.75 * len(plain)


def foreign_subject(claim: Claim, reading: Reading) -> str:
    """Find a sentence about a system that the paper only compares itself with."""
    for name in claim.names[:1]:
        leads = len(claim.text[: name.start].split()) <= 2 and name.coined
        if leads and reading.own and name.key not in reading.own and only_compared_with(reading, name.key):
            return f"the abstract is not about {name.text}, it only compares with it"
    return ""


def unknown_number(claim: Claim, reading: Reading) -> str:
    """Find a number that the abstract does not give in a fitting unit."""
    given = [number for line in reading.lines for number in line.numbers]
    for number in claim.numbers:
        if not any(same_number(number, other) for other in given):
            return f"the abstract does not give the number {claim.text[number.start : number.end].strip()}"
    return ""


def misplaced_number(claim: Claim, reading: Reading) -> str:
    """Find a number of the abstract that is said of something else than what it measures there."""
    for number in claim.numbers:
        said = context(claim.text, number, claim.numbers, claim.words)
        right = _best_slot(said, number, reading, same=True)
        wrong = _best_slot(said, number, reading, same=False)
        shown = claim.text[number.start : number.end].strip()
        if wrong > right + _SLOT_MARGIN and not _shared(claim, number, reading):
            return f"in the abstract {shown} measures something else"
        if _names_elsewhere(claim, said, number, reading):
            return f"in the abstract {shown} is given for something else"
        if number.unit == "plain" and _counts_another(claim, number, reading):
            return f"in the abstract {shown} counts something else"
        if _is_baseline(claim, number, reading):
            return f"in the abstract {shown} is the figure of what it is compared with"
    return _reversed_range(claim, reading)


def _shared(claim: Claim, number: Number, reading: Reading) -> bool:
    """Tell whether the other candidates are figures that the claim gives as well, in the abstract's order."""
    if len(claim.numbers) < 2:
        return False
    for line in reading.lines:
        places = [next((i for i, g in enumerate(line.numbers) if same_number(n, g)), -1) for n in claim.numbers]
        if -1 not in places and places == sorted(places) and "respectively" in claim.text + line.text:
            return True
    return False


def _best_slot(said: dict[str, float], number: Number, reading: Reading, *, same: bool) -> float:
    best = 0.0
    for line in reading.lines:
        for given in line.numbers:
            if same_number(number, given) != same or (not same and given.unit != number.unit):
                continue
            there = context(line.text, given, line.numbers, line.words)
            best = max(best, sum(w * _fit(word, there) for word, w in said.items()))
    return best


def _names_elsewhere(claim: Claim, said: dict[str, float], number: Number, reading: Reading) -> bool:
    """Tell whether a name beside the number stands, in the abstract's same line, beside another number only."""
    if number.spelled:
        return False
    beside = {w.stem for w in claim.words if w.weight > 1 and said.get(w.stem)}
    own = {stem(key) for key in reading.own}
    for line in reading.lines:
        if len(line.numbers) < 2 or not any(same_number(number, given) for given in line.numbers):
            continue
        right: set[str] = set()
        wrong: set[str] = set()
        for given in line.numbers:
            slot = right if same_number(number, given) else wrong
            # What stands before the first number, "On OAKMOOR it scores…", is said of all of them.
            after = [word for word in line.words if word.start > line.numbers[0].start]
            slot.update(context(line.text, given, line.numbers, after))
        if (beside & wrong) - right - own:
            return True
    return False


def _fit(word: str, there: dict[str, float]) -> float:
    return max((match(word, other) * weight for other, weight in there.items()), default=0.0)


def _counts_another(claim: Claim, number: Number, reading: Reading) -> bool:
    counted = _following(claim.text, number, claim.words, 2)
    if not counted:
        return False
    near: set[str] = set()
    for line in reading.lines:
        for given in line.numbers:
            if same_number(number, given):
                near.update(_following(line.text, given, line.words, 5))
                near.update(w.stem for w in line.words if 0 <= given.start - w.end < 40)
    return bool(near) and not any(best_match(word, near) for word in counted)


def _following(text: str, number: Number, found: Sequence[Word], most: int) -> list[str]:
    after = [w for w in found if w.start >= number.end and not _COUNT_ENDS.search(text[number.end : w.start])]
    near = [w for w in after if len(text[number.end : w.start].split()) <= most + 1]
    return [w.stem for w in near[:most]]


def _is_baseline(claim: Claim, number: Number, reading: Reading) -> bool:
    if _SET_AGAINST.search(claim.text):
        return False
    places = [
        bool(_BASELINE_CUE.search(line.text[: given.start]))
        for line in reading.lines
        for given in line.numbers
        if same_number(number, given)
    ]
    return bool(places) and all(places) and number.unit == "plain"


def _reversed_range(claim: Claim, reading: Reading) -> str:
    for left, right in pairwise(claim.numbers):
        if not _from_to(claim.text, left, right):
            continue
        for line in reading.lines:
            for a, b in pairwise(line.numbers):
                ends = same_number(left, b) and same_number(right, a)
                if ends and left.value != right.value and _from_to(line.text, a, b):
                    return "the abstract gives the change in the other direction"
    return ""


def _from_to(text: str, left: Number, right: Number) -> bool:
    from_to = re.search(r"\bfrom\b[^,;.]{0,20}$", text[: left.start])
    return bool(from_to and re.fullmatch(r"[^,;]{0,30}\bto\b[^,;]{0,12}", text[left.end : right.start]))


def misplaced_name(claim: Claim, reading: Reading, lines: Sequence[Line]) -> str:
    """Find a name said of what the abstract says of another name."""
    others = [name for name in claim.names if name.key in reading.introduced and name.key != reading.main]
    rest = [word for word in claim.content if not any(n.start <= word.start < n.end for n in claim.names)]
    if not others or len(rest) < 3 or not lines:
        return ""
    total = sum(word.weight for word in rest)
    best = max(lines, key=lambda line: covered(rest, line.stems))
    held = {name.key for name in best.names}
    claimed = {name.key for name in claim.names}
    for name in others[:1]:
        homes = [line for line in reading.lines if name.key in {n.key for n in line.names}]
        at_home = max((covered(rest, line.stems) for line in homes), default=0.0)
        rival = [n for n in best.names if n.key in (reading.introduced | reading.own) and n.key not in claimed]
        elsewhere = covered(rest, best.stems)
        if homes and name.key not in held and rival and elsewhere >= 0.6 * total and elsewhere > at_home + 1.5:
            return f"the abstract says this of {rival[0].text}, not of {name.text}"
    return ""


def wrong_negation(claim: Claim, reading: Reading, lines: Sequence[Line]) -> str:
    """Find a denial that the abstract does not make, or one that the claim leaves out."""
    if any(word.negated for word in claim.words) and lines:
        fault = _unfounded_denial(claim, reading, lines)
        if fault:
            return fault
    if not denies(claim.text):
        return _lost_negation(claim, lines)
    return ""


def _unfounded_denial(claim: Claim, reading: Reading, lines: Sequence[Line]) -> str:
    said = {word.stem for line in lines for word in line.words}
    some = any(denies(line.text) for line in lines)
    runs: list[list[Word]] = []
    for index, word in enumerate(claim.words):
        if word.negated:
            if not (index and claim.words[index - 1].negated):
                runs.append([])
            runs[-1].append(word)
    for run in runs:
        head = next((word for word in run if best_match(word.stem, said)), None)
        if head is None and not some:
            return "the abstract denies nothing of the kind"
        if head is None or any(_denied(head, line) for line in lines):
            continue
        # "without labels", "no training": the abstract may put the same anywhere, as "unsupervised" or "training-free".
        thing = _DENIED_THING.search(claim.text[: head.start])
        if thing and (any(_denied(head, line) for line in reading.lines) or (some and "ithout" in thing.group())):
            continue
        return "the claim denies what the abstract says"
    return ""


def _denied(word: Word, line: Line) -> bool:
    """Tell whether a line denies something close to where it has this word, in the same clause."""
    for index, other in enumerate(line.words):
        if not match(word.stem, other.stem):
            continue
        if other.negated:
            return True
        if word.stem in SOFT_NEGATION:
            continue  # "do not overlook" denies "overlook", however negative that is itself
        near = [w for w in line.words[max(0, index - 4) : index + 4] if w.clause == other.clause]
        around = line.text[near[0].start : near[-1].end]
        before = line.text[max(0, near[0].start - 12) : near[0].start].split()[-1:]
        if any(w.stem in SOFT_NEGATION for w in near) or any(is_negation(t.text) for t in tokens(around)):
            return True
        if any(stem(fold(b)) in SOFT_NEGATION for b in before) or _DENYING_PREFIX.match(other.stem):
            return True
    return False


def _lost_negation(claim: Claim, lines: Sequence[Line]) -> str:
    for line in lines[:1]:
        negated = [w for w in line.words if w.negated and w.weight > 0]
        kept = {w.stem for w in line.words if not w.negated}
        hit = [w for w in negated if any(c.stem == w.stem for c in claim.words) and w.stem not in kept]
        total = sum(w.weight for w in claim.content) or 1.0
        if hit and len(hit) >= min(2, len(negated)) and covered(claim.content, line.stems) >= 0.7 * total:
            return "the abstract denies what the claim says"
    return ""


def turned_around(claim: Claim, lines: Sequence[Line]) -> str:
    """Find a word whose opposite the abstract uses of the same thing."""
    said = [(line, index) for line in lines for index in range(len(line.words))]
    stems = {line.words[index].stem for line, index in said}
    ours = {word.stem for word in claim.words}
    for place, word in enumerate(claim.words):
        if any(opposite(word.stem, other) for other in ours):
            continue  # a claim about both sides, "supervised and unsupervised transfer"
        if not antonyms(word.stem) and not any(opposite(word.stem, s) for s in stems):
            continue
        rivals = [(line, i) for line, i in said if opposite(word.stem, line.words[i].stem)]
        if not rivals or (best_match(word.stem, stems) and not _only_rival_fits(claim, place, lines, rivals)):
            continue
        for line, index in rivals:
            rival = line.words[index]
            if rival.negated == word.negated and _share_neighbours(claim.words, place, line.words, index, 3, 4):
                return (
                    f"the abstract says {line.text[rival.start : rival.end]}, not {claim.text[word.start : word.end]}"
                )
    return ""


def _only_rival_fits(claim: Claim, place: int, lines: Sequence[Line], rivals: Sequence[tuple[Line, int]]) -> bool:
    word = claim.words[place].stem
    own = [(line, i) for line in lines for i, w in enumerate(line.words) if match(word, w.stem)]
    if any(_same_neighbours(claim.words, place, line.words, i, 2, 3) for line, i in own):
        return False
    return any(_same_neighbours(claim.words, place, line.words, i, 1, 1) for line, i in rivals)


def _same_neighbours(
    ours: Sequence[Word], place: int, theirs: Sequence[Word], index: int, reach: int, far: int
) -> bool:
    near = {w.stem for w in theirs[max(0, index - far) : index + far + 1]} - {theirs[index].stem}
    return any(w.stem in near for w in ours[max(0, place - reach) : place + reach + 1] if w is not ours[place])


def _share_neighbours(
    ours: Sequence[Word], place: int, theirs: Sequence[Word], index: int, reach: int, far: int
) -> bool:
    near = {w.stem for w in theirs[max(0, index - far) : index + far + 1]} - {theirs[index].stem}
    mine = [w.stem for w in ours[max(0, place - reach) : place + reach + 1] if w is not ours[place]]
    return any(best_match(word, near) for word in mine)


def unfounded_blame(claim: Claim, reading: Reading) -> str:
    """Find a word such as "worsens" or "unstable" in a claim about an abstract that has no such word."""
    bad = reading.stems & BAD
    for word in claim.words:
        if word.stem in BAD and not word.negated and not bad and not best_match(word.stem, reading.stems):
            return f"the abstract does not say {claim.text[word.start : word.end]}"
    return ""


def wrong_direction(claim: Claim, lines: Sequence[Line]) -> str:
    """Find something said to rise that falls in the abstract, or the reverse."""
    for place, word in enumerate(claim.words):
        sign = direction(word.stem) * (-1 if word.negated else 1)
        if not sign:
            continue
        thing = _object(claim, place)
        if thing is None:
            continue
        # Two turns make one: "reduces the loss of accuracy" is no drop of accuracy.
        signs = [s for line in lines for s in _signs(line, thing.stem)]
        own = _signs_near(claim.words, claim.words.index(thing))
        steady = not signs and any(_kept_steady(line, thing.stem) for line in lines)
        if steady or (signs and all(s == -sign for s in signs) and all(s == sign for s in own)):
            said = f"{claim.text[word.start : word.end]} {claim.text[thing.start : thing.end]}"
            return f"the abstract says the opposite of {said}"
    return ""


def _kept_steady(line: Line, thing: str) -> bool:
    """Tell whether a line says that something is kept as it is."""
    for index, word in enumerate(line.words):
        if word.stem == thing:
            before = [w for w in line.words[max(0, index - 2) : index] if w.clause == word.clause]
            if any(w.stem in STEADY for w in before):
                return True
    return False


def _object(claim: Claim, place: int) -> Word | None:
    """Return what a word of direction is about: what follows it, or its subject where it takes no object."""
    found = claim.words
    clause = found[place].clause
    after = range(place + 1, place + 1 + _NEAR_WORDS)
    before = range(place - 1, place - 1 - _NEAR_WORDS, -1)
    alone = _INTRANSITIVE.match(claim.text, found[place].end)
    for index in before if alone else (*after, *before):
        if 0 <= index < len(found) and (found[index].clause == clause or alone):
            word: Word = found[index]
            if 0 < word.weight <= 1.0 and not direction(word.stem):
                return word
    return None


def _signs(line: Line, thing: str) -> list[int]:
    found: list[int] = []
    for index, word in enumerate(line.words):
        if match(word.stem, thing) == 1.0:
            found.extend(_signs_near(line.words, index))
    return found


def _signs_near(found: Sequence[Word], index: int) -> list[int]:
    near = [
        w
        for w in found[max(0, index - _NEAR_WORDS) : index + _NEAR_WORDS + 1]
        if w.clause == found[index].clause and direction(w.stem)
    ]
    return [direction(w.stem) * (-1 if w.negated else 1) for w in near]


def reversed_comparison(claim: Claim, reading: Reading, lines: Sequence[Line]) -> str:
    """Find "A beats B" where the abstract says that B beats A."""
    ours = _sides(claim.text, reading)
    if ours is None:
        return ""
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
    piece = next((p for p in (reversed(pieces) if tail else pieces) if words(p) or p.strip()), "")
    roots = {w.stem for w in words(piece)} - {"one"}
    own = {name.key for name in names(f"x {piece}")} & reading.own
    if own or (
        any(token.text in _SELF for token in tokens(piece)) and not re.search(r"existing|prior|previous|earlier", piece)
    ):
        roots = {r for r in roots if r not in {stem(key) for key in reading.own}} | {"<own>"}
    return frozenset(roots)


def _overlap(left: frozenset[str], right: frozenset[str]) -> float:
    return sum(2.0 if word == "<own>" and word in right else best_match(word, right - {"<own>"}) for word in left)
