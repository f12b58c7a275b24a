"""How a sentence can get an abstract's names and numbers wrong: each function returns the fault or nothing.

Pure. `Claim` is the sentence taken apart; the lines are those of the abstract that hold its words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from rag.checking.alignment import (
    Line,
    Reading,
    best_match,
    context,
    covered,
    knows_name,
    knows_whole,
    match,
    only_compared_with,
)
from rag.checking.claims import Claim, Name, Number, Word, same_number, words
from rag.checking.lexicon import known_words
from rag.text.names import spelt_out
from rag.text.words import fold, stem

_DEFINES = re.compile(r"\b(?:is|are)\s(?:an?|the)\s([^;:]*?)(?:\s(?:that|which|for|to|by|in|of)\b|[.;]|$)")
# Characters between a name and the words that define it: "DrAction, a differentiable renderer".
_DEFINITION_GAP = 12
_IS_A = re.compile(r"\b(?:is|was|are)\s(?:an?|the)\s")
_OWN_SUBJECT = re.compile(
    r"\W*(?:[A-Z][a-z]+,\s|\w+ly,\s)?(?:it|(?:this|our) (?:paper|work|framework|method|model|approach|benchmark)|"
    r"the (?:framework|method|model|benchmark|approach))\b",
    re.IGNORECASE,
)
# "Novice: a plug-in" names something, although every sentence begins with a capital.
_LABEL = re.compile(r"([A-Z][\w-]*(?:\s[\w-]+)?):\s+\w")
_LEAST_SAID = 2.0  # weight of words below which a definition says too little to be placed
_LEAST_OWN = 0.5  # share of a definition's words that one sentence about the name must hold
_COUNT_ENDS = re.compile(r"[,;:.\])]\s|\b(?:and|or|while|but)\b")
_ENDS_AT = re.compile(
    r"\b(?:falls?|fell|drops?|dropped|ris\w+|rose|grows?|grew|lower\w*|reduc\w+|rais\w+|improv\w+|cuts?|increas\w+|decreas\w+)"
    r"\b[^,;.]{0,50}\bto\s(?:about\s|only\s)?$"
)
_BY = re.compile(r"\bby\s(?:(?:about|around|over|up|to|an|average|of|some)\s)*$")
_REACHES = re.compile(r"\b(?:achiev|reach|obtain|attain|scor|yield)\w*\s(?:an?\s|of\s|the\s|\w+\s){0,2}$")
_MORE = re.compile(
    r"[\s-]*(?:\w+\s)?(?:more|less|fewer|higher|lower|better|faster|gain|improvement|reduction|increase)\b"
)
_SAID_OF_IT = re.compile(r",\s(?:an?|the|which)\b|\s(?:is|was|has|does|can)\b")
# Up to so many things people count for themselves.
_FEW = 4
# A number is taken for another slot's only if its words fit that slot better by more than this.
_SLOT_MARGIN = 0.9
_PAIR = 2
_BASELINE_CUE = re.compile(
    r"(?:against|compared (?:to|with)|versus|\bvs\.?|\bthan|\bfrom|baseline|over)\b"
    r"(?:(?!\b(?:on|in|for|across)\b)[^,;]){0,18}$",
    re.I,
)
_SET_AGAINST = re.compile(
    r"against|compar|versus|\bvs\b|than|from|baseline|best|earlier|previous|prior|existing|human|threshold|other|over",
    re.I,
)


def unknown_name(claim: Claim, reading: Reading) -> str:
    """Find a name that the paper does not have, or that it does not have whole where all is said of it."""
    for name in claim.names[:1]:
        alone = name.coined and name.start == 0 and _SAID_OF_IT.match(claim.text, name.end)
        if alone and not knows_whole(reading, name.text):
            return f"the abstract does not name {name.text}"
    label = _LABEL.match(claim.text)
    if label and not is_heading(claim.text):
        told = [word.stem for word in words(label.group(1))]
        if told and not any(word in known_words() or best_match(word, reading.stems) for word in told):
            return f"the abstract does not name {label.group(1)}"
    for name in claim.names:
        if not knows_name(reading, name) and not _spells_out(claim, name, reading):
            return f"the abstract does not name {name.text}"
    return ""


def _spells_out(claim: Claim, name: Name, reading: Reading) -> bool:
    """Tell whether a capitalised word belongs to a phrase that the abstract abbreviates."""
    if name.coined:
        return False
    if stem(fold(name.text)) in known_words() or is_heading(claim.text):
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


def is_heading(text: str) -> bool:
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


def unknown_number(claim: Claim, reading: Reading, *, counts: bool) -> str:
    """Find a number that the abstract does not give in a fitting unit.

    Without `counts`, the few things that a person counts for themselves ("two tasks") are no numbers of the abstract's.
    """
    given = [number for line in reading.lines for number in line.numbers]
    for number in claim.numbers:
        if not counts and _own_count(number) and not _counted_otherwise(claim, number, reading):
            continue
        if not any(same_number(number, other) for other in given):
            return f"the abstract does not give the number {claim.text[number.start : number.end].strip()}"
    return ""


def _own_count(number: Number) -> bool:
    return number.spelled and number.unit == "plain" and number.value <= _FEW


def _counted_otherwise(claim: Claim, number: Number, reading: Reading) -> bool:
    """Tell whether the abstract gives another count of the same things."""
    counted = _following(claim.text, number, claim.words, 1)
    return any(
        best_match(word, _following(line.text, given, line.words, 2))
        for line in reading.lines
        for given in line.numbers
        if given.unit == "plain" and not same_number(number, given)
        for word in counted
    )


def misplaced_number(claim: Claim, reading: Reading, *, counts: bool) -> str:
    """Find a number of the abstract that is said of something else than what it measures there."""
    for number in claim.numbers:
        if (not counts and _own_count(number)) or (number.unit == "plain" and number.value == 1.0):
            continue  # one of something tells nothing
        said = context(claim.text, number, claim.numbers, claim.words)
        right = _best_slot(said, number, reading, same=True)
        wrong = _best_slot(said, number, reading, same=False)
        shown = claim.text[number.start : number.end].strip()
        if (
            wrong > right + _SLOT_MARGIN
            and not _shared(claim, number, reading)
            and not _each_in_place(claim, number, reading)
        ):
            return f"in the abstract {shown} measures something else"
        if (_compares(claim) or not _shared(claim, number, reading)) and _names_elsewhere(claim, said, number, reading):
            return f"in the abstract {shown} is given for something else"
        if number.unit == "plain" and _counts_another(claim, number, reading):
            return f"in the abstract {shown} counts something else"
        if _gain_for_level(claim, number, reading):
            return f"in the abstract {shown} is what is reached, not by how much"
        if _is_baseline(claim, number, reading):
            return f"in the abstract {shown} is the figure of what it is compared with"
    return _reversed_range(claim, reading) or _crossed(claim, reading)


def _crossed(claim: Claim, reading: Reading) -> str:
    """Find two figures of one sentence of the abstract that change places: each fits what the other measures there."""
    for left, right in pairwise(claim.numbers):
        for line in reading.lines:
            places = [next((g for g in line.numbers if same_number(n, g)), None) for n in (left, right)]
            if places[0] is None or places[1] is None or places[0] is places[1] or left.value == right.value:
                continue
            said = [context(claim.text, n, claim.numbers, claim.words) for n in (left, right)]
            there = [_measured(line, given) for given in places if given is not None]
            straight = _overlap(said[0], there[0]) + _overlap(said[1], there[1])
            crossed = _overlap(said[0], there[1]) + _overlap(said[1], there[0])
            if crossed > straight + _SLOT_MARGIN:
                return "the abstract gives these two figures the other way round"
    return ""


def _measured(line: Line, number: Number) -> dict[str, float]:
    """Return the words that a number measures: for "3 and 5 layers and heads, respectively" its own of the list."""
    end = line.text.find("respectively")
    before = [n for n in line.numbers if n.end <= end][-_PAIR:]
    if number in before and len(before) == _PAIR:
        things = re.split(r",?\sand\s", line.text[before[-1].end : end].strip(" ,"))
        if len(things) == _PAIR:
            return dict.fromkeys((w.stem for w in words(things[before.index(number)])), 1.0)
    return context(line.text, number, line.numbers, line.words)


def _compares(claim: Claim) -> bool:
    return len({name.key for name in claim.names if name.coined}) > 1


def _gain_for_level(claim: Claim, number: Number, reading: Reading) -> bool:
    """Tell whether a claim says "by 58.3" where the abstract says that 58.3 is reached."""
    if not _BY.search(claim.text[: number.start]):
        return False
    places = [
        bool(_REACHES.search(line.text[: given.start])) and not _MORE.match(line.text, given.end)
        for line in reading.lines
        for given in line.numbers
        if same_number(number, given)
    ]
    return bool(places) and all(places)


def _shared(claim: Claim, number: Number, reading: Reading) -> bool:
    """Tell whether the other candidates are figures that the claim gives as well, in the abstract's order."""
    if len(claim.numbers) < 2:
        return False
    for line in reading.lines:
        places = [next((i for i, g in enumerate(line.numbers) if same_number(n, g)), -1) for n in claim.numbers]
        consecutive = places == list(range(places[0], places[0] + len(places)))
        if -1 not in places and (
            consecutive or (places == sorted(places) and "respectively" in claim.text + line.text)
        ):
            return True
    return False


def _each_in_place(claim: Claim, number: Number, reading: Reading) -> bool:
    """Tell whether a claim gives the other figure of a line as well, each better in its own place."""
    for line in reading.lines:
        mine = next((given for given in line.numbers if same_number(number, given)), None)
        for other in claim.numbers:
            theirs = next((given for given in line.numbers if same_number(other, given)), None)
            if other is number or mine is None or theirs is None or mine is theirs:
                continue
            said = [context(claim.text, n, claim.numbers, claim.words) for n in (number, other)]
            there = [context(line.text, n, line.numbers, line.words) for n in (mine, theirs)]
            straight = _overlap(said[0], there[0]) + _overlap(said[1], there[1])
            if straight > _overlap(said[0], there[1]) + _overlap(said[1], there[0]):
                return True
    return False


def _overlap(said: dict[str, float], there: dict[str, float]) -> float:
    return sum(weight * _fit(word, there) for word, weight in said.items())


def _best_slot(said: dict[str, float], number: Number, reading: Reading, *, same: bool) -> float:
    best = 0.0
    for line in reading.lines:
        for given in line.numbers:
            if same_number(number, given) != same or (not same and given.unit != number.unit):
                continue
            there = context(line.text, given, line.numbers, line.words)
            best = max(best, _overlap(said, there))
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
    if number.value != int(number.value):
        return False
    counted = _following(claim.text, number, claim.words, 2)
    if not counted:
        return False
    near: set[str] = set()
    for line in reading.lines:
        for given in line.numbers:
            if same_number(number, given):
                near.update(_following(line.text, given, line.words, 5))
                near.update(w.stem for w in line.words if 0 <= given.start - w.end < 40)
    return (
        bool(near) and not any(best_match(word, near) for word in counted) and not _abbreviates(claim, number, reading)
    )


def _abbreviates(claim: Claim, number: Number, reading: Reading) -> bool:
    """Tell whether a claim counts "4 GANs" where the abstract spells them out after its number."""
    found = re.match(r"\s([A-Z]{2,6})s?\b", claim.text[number.end :])
    return found is not None and any(
        found.group(1).casefold()
        in "".join(word[0] for word in re.findall(r"[a-z]+", line.text[given.end :].casefold())[:9])
        for line in reading.lines
        for given in line.numbers
        if same_number(number, given)
    )


def _following(text: str, number: Number, found: Sequence[Word], most: int) -> list[str]:
    after = [w for w in found if w.start >= number.end and not _COUNT_ENDS.search(text[number.end : w.start])]
    near = [w for w in after if len(text[number.end : w.start].split()) <= most + 1]
    return [w.stem for w in near[:most]]


def _is_baseline(claim: Claim, number: Number, reading: Reading) -> bool:
    if _SET_AGAINST.search(claim.text):
        return False
    places = [
        bool(_BASELINE_CUE.search(line.text[: given.start])) and not given.bound
        for line in reading.lines
        for given in line.numbers
        if same_number(number, given)
    ]
    return bool(places) and all(places) and number.unit == "plain"


def _reversed_range(claim: Claim, reading: Reading) -> str:
    """Find a change told the other way, or its start told as its end: "falls to 6.4" for "falls from 6.4 to 2.7"."""
    told = [pair for pair in pairwise(claim.numbers) if _from_to(claim.text, *pair)]
    for line in reading.lines:
        for a, b in pairwise(line.numbers):
            if a.value == b.value or not _from_to(line.text, a, b):
                continue
            if any(same_number(left, b) and same_number(right, a) for left, right in told):
                return "the abstract gives the change in the other direction"
            for number in claim.numbers if not told else ():
                ends = _ENDS_AT.search(claim.text[: number.start])
                if ends and same_number(number, a) and not any(same_number(number, n) for n in line.numbers if n != a):
                    return "the abstract gives this as where the change began"
    return ""


def _from_to(text: str, left: Number, right: Number) -> bool:
    from_to = re.search(r"\bfrom\b[^,;.]{0,20}$", text[: left.start])
    return bool(from_to and re.fullmatch(r"[^,;]{0,30}\bto\b[^,;]{0,12}", text[left.end : right.start]))


def misdefined_name(claim: Claim, reading: Reading) -> str:
    """Find "A is a renderer" where the abstract says "B, a renderer" without A."""
    found = _DEFINES.search(claim.text)
    subject = claim.names[0] if claim.names else None
    if not found or subject is None or not subject.coined or subject.start > 4 or subject.end > found.start() + 1:
        return ""
    said = [w.stem for w in words(found.group(1)) if w.weight > 0][:3]
    if len(said) < 2:
        return ""
    for line in reading.lines:
        if any(name.key.startswith(subject.key) for name in line.names):
            continue
        place = next((w.start for w in line.words if w.stem == said[0]), -1)
        before = [n for n in line.names if n.coined and 0 <= place - n.end <= _DEFINITION_GAP]
        if before and all(word in line.stems for word in said):
            return f"the abstract says this of {before[-1].text}, not of {subject.text}"
    return ""


def borrowed_definition(claim: Claim, reading: Reading) -> str:
    """Find "A is an algorithm that detects text" where the abstract says that of what A is set against.

    What a paper's own name is has to stand where the abstract speaks of it: by name or as its
    subject ("it", "the framework").
    A sentence on the field or on other methods defines nothing of the paper's.
    """
    found = _IS_A.search(claim.text)
    subject = claim.names[0] if claim.names else None
    if not found or subject is None or not subject.coined or subject.start > 4 or subject.end > found.start() + 1:
        return ""
    if subject.key not in reading.own:
        return ""
    said = [word for word in claim.content if word.start >= found.end()]
    total = sum(word.weight for word in said)
    own = [
        line
        for line in reading.lines
        if any(n.key.startswith(subject.key) for n in line.names) or _OWN_SUBJECT.match(line.text)
    ]
    if total < _LEAST_SAID or not own:
        return ""
    best = max(covered(said, line.stems) for line in own)
    return "" if best >= _LEAST_OWN * total else f"the abstract does not say this of {subject.text}"


def misplaced_name(claim: Claim, reading: Reading, lines: Sequence[Line]) -> str:
    """Find a name said of what the abstract says of another name."""
    others = [
        name
        for name in claim.names
        if name.key in reading.introduced and name.key != reading.main and not spelt_out(name.text)
    ]
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
        rival = [
            n
            for n in best.names
            if n.key in (reading.introduced | reading.own) and not any(n.key in key or key in n.key for key in claimed)
        ]
        elsewhere = covered(rest, best.stems)
        if homes and name.key not in held and rival and elsewhere >= 0.6 * total and elsewhere > at_home + 1.5:
            return f"the abstract says this of {rival[0].text}, not of {name.text}"
    return ""
