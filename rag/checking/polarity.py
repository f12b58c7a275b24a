"""How a sentence can turn an abstract around: by a denial, an opposite word or the wrong direction.

Pure; each function returns the fault or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations

from rag.checking.alignment import Line, Reading, best_match, match
from rag.checking.claims import Claim, Word, denies, is_negation
from rag.checking.closeness import held, plain_stems, rarity
from rag.checking.lexicon import BAD, HARM, MENDS, SOFT_NEGATION, STEADY, TROUBLE, antonyms, direction, opposite
from rag.text.words import fold, stem, tokens

_DENIED_THING = re.compile(r"\b(?:no|without)\s[^,.;]{0,25}$", re.I)
_DENYING_PREFIX = re.compile(r"un(?!i|der|til)|non|in(?:suff|effic|accur|cap|vis|compl|consist)|imposs")
# What a line says is not so: "falls back rather than collapsing".
_SHUNNED = re.compile(r"\brather than\s(?:\w+\s)?(\w{4,})")
# A line that holds so much of a sentence's words is where the abstract denies it, if anywhere.
_SAME_DENIAL = 0.6
_NEAR_WORDS = 3
# Characters before a denied word in which the denial stands.
_BEFORE = 30
# Opposites are said of the same thing where the words around them share more than one word of the field ("model").
_SAME_THING = 1.5
# So many more words fit when the two of a pair change places.
_CLEARLY = 2
# A line that holds less of a sentence's words speaks of another rise or fall.
_SAME_STATEMENT = 0.3
# "End-to-end" has no beginning.
_REPEATED = re.compile(r"(\w+)-(?:to|by)-\1\b", re.I)
# Words that say how much of what follows: "more efficient" is no opposite of "fewer iterations".
_DEGREE = frozenset(stem(word) for word in ("more", "less", "fewer", "most", "least"))
_INSIDE = re.compile(r"\b(?:inter|intra|co|cross|multi)[-‐‑–]$", re.I)
_OFTEN = frozenset(["often", "always", "never", "rarely", "seldom", "consistently", "usually", "frequently"])
# "With and without attention", "more than not doing so": both sides are spoken of, neither is denied.
_BOTH_SIDES = re.compile(
    r"\b(?:with(?:\s[\w-]+)?\s(?:and|or|vs\.?|versus)\swithout|than\snot|whether\sor\snot|or\snot)\b", re.I
)
# "Difficult or impossible" says no more than the first of them.
_ALTERNATIVE = re.compile(r"\bor\s$", re.I)
# Whoever studies the robustness of something does not say that it is robust.
_STUDIES = re.compile(
    r"\b(?:stud(?:y|ies)|investigat\w*|examin\w*|analy[sz]\w*|explor\w*|discuss\w*|assess\w*|evaluat\w*|question\w*)\b",
    re.I,
)
# What it is good to be without.
_BURDEN = HARM | frozenset(
    stem(w)
    for w in ("degradation", "cost", "overhead", "loss", "sacrifice", "compromise", "expense", "drop", "decrease")
)
_NOUN_ENDING = re.compile(r"(?:ity|ness|tion|ance|ence|cy|ure)s?$", re.I)
# "More memory efficiently" is no more memory.
_GAINED = frozenset(stem(word) for word in ("efficient", "efficiency", "friendly", "economical"))
_INTRANSITIVE = re.compile(r"\s*(?:$|[,.;]|(?:as|from|by|to|when|with|and|while|after|in|on|if|until)\b)", re.I)


def wrong_negation(claim: Claim, reading: Reading, lines: Sequence[Line]) -> str:
    """Find a denial that the abstract does not make, or one that the claim leaves out."""
    if any(word.negated for word in claim.words) and lines:
        fault = _unfounded_denial(claim, reading, lines)
        if fault:
            return fault
    if not denies(claim.text):
        return _lost_negation(claim, reading, lines)
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
        heads = [word for word in run if best_match(word.stem, said)]
        before = claim.text[max(0, run[0].start - _BEFORE) : run[0].start]
        if (run[0].stem in _BURDEN and _DENIED_THING.search(before)) or _BOTH_SIDES.search(before):
            continue
        if not heads and not some:
            return "the abstract denies nothing of the kind"
        if not heads or any(_negated_in(reading, word.stem) for word in heads):
            continue
        # "without labels", "no training": the abstract may put the same anywhere, as "unsupervised" or "training-free".
        thing = _DENIED_THING.search(claim.text[: heads[0].start])
        asked = heads[:2] if thing else heads[:1]
        if any(_denied(head, line) for head in asked for line in (*lines, reading.title)):
            continue
        if thing and (any(_denied(heads[0], line) for line in reading.lines) or (some and "ithout" in thing.group())):
            continue
        return "the claim denies what the abstract says"
    return ""


def _negated_in(reading: Reading, word: str) -> bool:
    """Tell whether an abstract has a word with a prefix that denies it: "untrained" for "without training"."""
    return any(_denies_word(other, word) for other in reading.stems)


def _denies_word(other: str, word: str) -> bool:
    return other != word and other.endswith(word) and opposite(other, word) and word not in antonyms(other)


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


def _lost_negation(claim: Claim, reading: Reading, lines: Sequence[Line]) -> str:
    own = plain_stems(claim.content)
    if not denies(reading.title.text) and held(own, reading.title.stems) == 1.0:
        return ""
    for line in lines:
        if held(own, line.stems) < _SAME_DENIAL:
            continue
        negated = [w for w in line.words if w.negated and w.weight > 0]
        kept = {w.stem for w in line.words if not w.negated}
        hit = [w for w in negated if w.stem not in kept and best_match(w.stem, own)]
        if len(hit) == 1 and _only_studied(claim, hit[0]):
            continue
        shunned = {stem(fold(word)) for word in _SHUNNED.findall(line.text)} - kept
        if (hit and len(hit) >= min(2, len(negated))) or any(best_match(word, own) for word in shunned):
            return "the abstract denies what the claim says"
    return ""


def _only_studied(claim: Claim, denied: Word) -> bool:
    """Tell whether a claim names something as what is studied, "the robustness of", without saying that it is so."""
    for word in claim.words:
        if match(word.stem, denied.stem):
            studied = _STUDIES.search(claim.text[: word.start])
            return studied is not None and bool(_NOUN_ENDING.search(claim.text[word.start : word.end]))
    return False


def turned_around(claim: Claim, reading: Reading, lines: Sequence[Line]) -> str:
    """Find a word whose opposite the abstract uses of the same thing."""
    said = [(line, index) for line in lines for index in range(len(line.words))]
    stems = {line.words[index].stem for line, index in said}
    ours = {word.stem for word in claim.words}
    own = plain_stems(claim.content)
    for place, word in enumerate(claim.words):
        if any(opposite(word.stem, other) for other in ours):
            continue  # a claim about both sides, "supervised and unsupervised transfer"
        if not antonyms(word.stem) and not any(opposite(word.stem, s) for s in stems):
            continue
        rivals = [(line, i) for line, i in said if opposite(word.stem, line.words[i].stem)]
        if not rivals or (best_match(word.stem, stems) and not _only_rival_fits(claim, place, lines, rivals)):
            continue
        if word.stem in reading.title_stems:
            continue
        for line, index in rivals:
            rival = line.words[index]
            if rival.negated != word.negated or not _of_one_kind(claim, place, line, index):
                continue
            if _undone(line, index) != _undone(claim, place):
                continue
            if rival.stem in TROUBLE and word.stem not in TROUBLE and held(own, line.stems) < _SAME_DENIAL:
                continue  # the abstract names the trouble that the claim says is mended
            if _share_neighbours(claim.words, place, line.words, index, 3, 4):
                return (
                    f"the abstract says {line.text[rival.start : rival.end]}, not {claim.text[word.start : word.end]}"
                )
    return ""


def exchanged_opposites(claim: Claim, lines: Sequence[Line]) -> str:
    """Find "stresses the minority and ignores the majority" where the abstract says it of the other one each."""
    found = claim.words
    for i, j in combinations(range(len(found)), 2):
        if j - i == 1 or not opposite(found[i].stem, found[j].stem):
            continue  # "discrete and continuous" says the same of both
        for line in lines:
            k, m = (next((n for n, w in enumerate(line.words) if w.stem == found[p].stem), -1) for p in (i, j))
            if k < 0 or m < 0:
                continue
            ours = [_around(found, p, (i, j)) for p in (i, j)]
            theirs = [_around(line.words, p, (k, m)) for p in (k, m)]
            straight = _common(ours[0], theirs[0]) + _common(ours[1], theirs[1])
            crossed = _common(ours[0], theirs[1]) + _common(ours[1], theirs[0])
            if crossed >= straight + _CLEARLY:
                a, b = (claim.text[found[p].start : found[p].end] for p in (i, j))
                return f"the abstract says of {b} what the claim says of {a}"
    return ""


def _around(found: Sequence[Word], place: int, pair: tuple[int, int]) -> set[str]:
    """Return the words close to one of a pair, none of which is as close to the other."""
    other = pair[0] if place == pair[1] else pair[1]
    near = range(max(0, place - _NEAR_WORDS), min(len(found), place + _NEAR_WORDS + 1))
    return {found[n].stem for n in near if n not in pair and abs(n - place) < abs(n - other)}


def _common(left: set[str], right: set[str]) -> int:
    return sum(bool(best_match(word, right)) for word in left)


def _undone(text: Claim | Line, place: int) -> bool:
    """Tell whether a word stands for something that is mended: "mitigates the mismatch"."""
    word = text.words[place]
    before = [w for w in text.words[max(0, place - _NEAR_WORDS) : place] if w.clause == word.clause]
    return any(w.stem in MENDS for w in before)


def _of_one_kind(claim: Claim, place: int, line: Line, index: int) -> bool:
    """Tell whether two opposites are words of one kind: "training" is no opposite of "untrained".

    Before a thing of their own, "low-level" and "high-dimensional", they are said of different things.
    """
    ours, theirs = (text.text[text.words[i].start : text.words[i].end] for text, i in ((claim, place), (line, index)))
    if bool(_NOUN_ENDING.search(ours)) != bool(_NOUN_ENDING.search(theirs)):
        return False
    if ours.endswith("ing") != theirs.endswith("ing") and (ours.endswith("ed") or theirs.endswith("ed")):
        return False
    if _in_set_phrase(claim.text, claim.words[place]) or _in_set_phrase(line.text, line.words[index]):
        return False
    if ours.endswith("ly") != theirs.endswith("ly") and _NOUN_ENDING.search(ours + " " + theirs):
        return False
    if (fold(ours) in _OFTEN) != (fold(theirs) in _OFTEN):
        return False
    mine, other = _thing(claim, place), _thing(line, index)
    return not mine or not other or match(mine, other) > 0


def _in_set_phrase(text: str, word: Word) -> bool:
    inside = _INSIDE.search(text[: word.start]) is not None
    return inside or any(found.start() <= word.start < found.end() for found in _REPEATED.finditer(text))


def _thing(text: Claim | Line, place: int) -> str:
    """Return the stem of what a word is joined to by a hyphen, as in "low-level", or what it says more or less of."""
    if place + 1 == len(text.words):
        return ""
    word, after = text.words[place], text.words[place + 1]
    gap = text.text[word.end : after.start]
    joined = re.fullmatch(r"[-‐‑–]", gap) or (word.stem in _DEGREE and gap == " ")
    return after.stem if joined else ""


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
    mine = {w.stem for w in ours[max(0, place - reach) : place + reach + 1] if w is not ours[place]}
    return sum(rarity(word) for word in mine if best_match(word, near)) >= _SAME_THING


def unfounded_blame(claim: Claim, reading: Reading) -> str:
    """Find a word such as "worsens" or "unstable" in a claim about an abstract that has no such word."""
    bad = reading.stems & BAD
    ours = {word.stem for word in claim.words}
    for place, word in enumerate(claim.words):
        if word.stem not in BAD or word.negated or bad or best_match(word.stem, reading.stems):
            continue
        after = {w.stem for w in claim.words[place + 1 : place + 1 + _NEAR_WORDS] if w.clause == word.clause}
        if _ALTERNATIVE.search(claim.text[: word.start]) and place and claim.words[place - 1].stem in TROUBLE:
            continue
        if after & HARM or any(opposite(word.stem, other) for other in ours):
            continue  # "prevents collapse" blames nothing, "the correct one and the incorrect" nothing in particular
        return f"the abstract does not say {claim.text[word.start : word.end]}"
    return ""


def wrong_direction(claim: Claim, reading: Reading, lines: Sequence[Line]) -> str:
    """Find something said to rise that falls in the abstract, or the reverse."""
    own_words = plain_stems(claim.content)
    lines = [line for line in lines if held(own_words, line.stems) >= _SAME_STATEMENT]
    for place, word in enumerate(claim.words):
        sign = direction(word.stem) * (-1 if word.negated else 1)
        if not sign:
            continue
        thing = _object(claim, place)
        if thing is None or (word.negated and thing.start < word.start):
            continue  # "works without degradation" is no gain of what works
        # Two turns make one: "reduces the loss of accuracy" is no drop of accuracy.
        signs = [s for line in lines for s in _signs(line, thing.stem)]
        own = _signs_near(claim.words, claim.words.index(thing))
        titled = [s for s in _signs(reading.title, thing.stem) if s == sign]
        if titled:
            continue
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
                following = found[index + 1] if index > place and index + 1 < len(found) else None
                gained = following is not None and following.stem in _GAINED and following.clause == clause
                return following if gained else word
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
