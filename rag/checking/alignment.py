"""How a claim's words lie against an abstract: which sentences hold them, which number measures what.

Pure. An abstract is taken apart once (`read`), then compared with many claims.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from rag.checking.claims import Name, Number, Word, is_coined, name_key, names, numbers, words
from rag.checking.lexicon import opposite, synonyms
from rag.text.names import spelt_out
from rag.text.sentences import sentences
from rag.text.words import STOPWORDS, fold, stem, tokens

EXACT, NEAR = 1.0, 0.85
_PREFIX_LENGTH = 5
_INTRODUCES = re.compile(
    r"\b(?:introduc|propos|present|develop|releas|call|term|nam|dub|design|describ|employ|build|creat|provid|contribut)\w*\b",
    re.I,
)
_BASELINE_BEFORE = re.compile(
    r"\b(?:than|over|against|unlike|like|to|with|from|versus|vs\.?|outperform\w*|surpass\w*|beat\w*|of|exceed\w*)\s"
    r"(?:the\s|a\s|an\s)?$",
    re.I,
)
# Text inside an abstract that speaks to a machine is never evidence.
_COMMANDS = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:rules?|instructions?|prompts?|above|sources?|messages?)\b"
    r"|\byou (?:are|must|should) (?:now|answer|reply|say|respond)\b"
    r"|\b(?:reply|respond|answer) only\b|\bsystem prompt\b",
    re.I,
)
_QUOTED = re.compile(r"[\"“‘].*?[\"”’](?!\w)")
_BREAK_COST = 4


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of an abstract with its words, numbers and names; offsets are those of the abstract."""

    text: str
    start: int
    end: int
    words: tuple[Word, ...]
    stems: frozenset[str]
    numbers: tuple[Number, ...]
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """An abstract taken apart: its lines, the names it holds, and those that are its own."""

    lines: tuple[Line, ...]
    title: Line
    title_stems: frozenset[str]
    name_keys: frozenset[str]
    stems: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    initials: str
    text: str
    own: frozenset[str]
    main: str
    introduced: frozenset[str]


@lru_cache(maxsize=4096)
def read(title: str, abstract: str) -> Reading:
    """Take an abstract apart; the title lends its names and words, but nothing can be quoted from it."""
    lines = tuple(_line(s.text, s.start) for s in sentences(abstract) if not _COMMANDS.search(_QUOTED.sub(" ", s.text)))
    whole = f"{title} . {abstract}"
    own = own_names(title, abstract)
    return Reading(
        lines,
        _line(title, 0),
        frozenset(w.stem for w in words(title)),
        _name_keys(whole),
        frozenset(stem(t.text) for t in tokens(whole)),
        frozenset[tuple[str, str]]().union(*(neighbours(line.words) for line in (*lines, _line(title, 0)))),
        _initials(whole),
        fold(whole),
        frozenset(own),
        own[0] if own else "",
        _introduced(abstract),
    )


def neighbours(found: Sequence[Word]) -> frozenset[tuple[str, str]]:
    """Return the pairs of stems that stand side by side, words without meaning left out."""
    return frozenset(pairwise(word.stem for word in found))


def _line(text: str, start: int) -> Line:
    found = words(text)
    return Line(text, start, start + len(text), found, frozenset(w.stem for w in found), numbers(text), names(text))


def _introduced(abstract: str) -> frozenset[str]:
    """Return the keys of names that stand in parentheses after the phrase in capitals that they abbreviate."""
    found = re.findall(r"[A-Z][\w-]+\s\(([A-Z][\w-]*)\)", abstract)
    return frozenset(name_key(name) for name in found)


def _name_keys(text: str) -> frozenset[str]:
    keys: set[str] = set()
    text = f"{text} {_plain_math(text)}" if "$" in text or "\\" in text else text
    for piece in re.findall(r"[^\s,;:()\[\]“”\"]+", re.sub(r"[’']s\b", "", text)):
        keys |= {
            name_key(piece),
            name_key(re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹ᴺⁿ]", "", piece)),
            *map(name_key, re.split(r"[/@%]", piece)),
        }
        parts = re.split(r"[-‐‑–]", piece)
        # "BERT-based" and "ResNet-50" hold BERT and ResNet; "LLM-SRBench" is one name and does not hold SRBench.
        if sum(part[:1].isupper() or is_coined(part) for part in parts) <= 1:
            keys.update(map(name_key, parts))
        else:
            keys.update(name_key(part) for part in parts if not is_coined(part))
    keys |= {key.rstrip("*+") for key in keys}
    # A name typed as two words, such as "Auto Tool".
    pieces = [token.text for token in tokens(text)]
    keys.update(left + right for left, right in pairwise(pieces))
    return frozenset(keys - {""})


def _plain_math(text: str) -> str:
    r"""Return a text with its formulas as they are typed without TeX: `BYOL-$\\Pi$` is BYOL-Π, `$A^\\star$` is A*."""

    def letter(match: re.Match[str]) -> str:
        word = match.group(1)
        case = "CAPITAL" if word[0].isupper() else "SMALL"
        try:
            return unicodedata.lookup(f"GREEK {case} LETTER {word.upper()}")
        except KeyError:
            return {"star": "*", "ast": "*", "ell": "l"}.get(word, match.group())

    return re.sub(r"[$^_{}]", "", re.sub(r"\\([A-Za-z]+)\s?", letter, text))


def _initials(text: str) -> str:
    """Return the first letters of all words, a bar at stop words and marks, to find the acronym of a phrase."""
    letters = []
    for piece in re.findall(r"[^\W_]+|[.;:!?,()]", text):
        word = fold(piece)
        letters.append("|" if not word[:1].isalpha() or word in STOPWORDS else word[0])
    return "".join(letters)


@lru_cache(maxsize=4096)
def own_names(title: str, abstract: str) -> tuple[str, ...]:
    """Return the keys of the names that the paper gives to its own work, the main one first."""
    own: dict[str, None] = {}
    head = re.split(r"[:–—]", title)[0]
    if len(head.split()) <= 3 and ":" in title:
        own.update((name.key, None) for name in names(f"x {head}") if name.coined)
    for index, sentence in enumerate(sentences(abstract)):
        coined = [name for name in names(sentence.text) if name.coined and not _is_field(sentence.text, name)]
        verb = _INTRODUCES.search(sentence.text)
        if verb:
            after = [name for name in coined if name.start >= verb.end()]
            own.update((name.key, None) for name in after[:1])
            before = [name for name in coined if name.end <= verb.start() and name.start < 4]
            own.update((name.key, None) for name in before[:1])
        elif index == 0 and coined and coined[0].start == 0:
            own[coined[0].key] = None
    return tuple(own)


def _is_field(sentence: str, name: Name) -> bool:
    """Tell whether a name abbreviates a common phrase in lower case before it, such as "language models (LLMs)"."""
    before = re.search(r"(?:^|\s)([a-z][\w-]*)\s\($", sentence[: name.start])
    return before is not None or bool(
        re.fullmatch(r"[A-Z]*(?:LLM|VLM|MLLM|VLA|LM|GPU|CPU|AI|ML|NLP|RL|GAN|CNN|RNN|DNN)s?", name.text)
    )


def knows_name(reading: Reading, name: Name) -> bool:
    """Tell whether a paper has a name: as written, as a plural, by its parts, or as the initials of a phrase."""
    if knows_whole(reading, name.text) or _otherwise_written(reading, name.text):
        return True
    sides = name.text.split("/")
    if len(sides) > 1 and all(side and knows_whole(reading, side) for side in sides):
        return True
    parts = [part for part in re.split(r"[-‐‑–/]", name.text) if part]
    if sum(map(is_coined, parts)) > 1:
        return False
    if len(parts) > 1:
        return all(_knows_part(reading, part) for part in parts)
    return not name.coined and _knows_part(reading, name.text)


def _otherwise_written(reading: Reading, text: str) -> bool:
    """Tell whether a paper spells out a short form: "seq2seq" is sequence-to-sequence, "2D" two-dimensional."""
    turned = re.fullmatch(r"([a-z]{2,})2([a-z]{2,})", text, re.I)
    if turned:
        left, right = (re.escape(part.casefold()) for part in turned.groups())
        return re.search(rf"\b{left}\w*[\s-]to[\s-]{right}", reading.text) is not None
    sized = re.fullmatch(r"([234])-?D", text, re.I)
    if sized:
        size = {"2": "two|2|bi", "3": "three|3|tri", "4": "four|4"}[sized.group(1)]
        return re.search(rf"\b(?:{size})[\s-]?dimension", reading.text) is not None
    return False


def knows_whole(reading: Reading, text: str) -> bool:
    """Tell whether a paper has a name as written, as a plural, or as the initials of a phrase."""
    key = name_key(text)
    if key in reading.name_keys:
        return True
    plain = name_key(re.sub(r"(?<=[A-Za-z]{2})s$", "", text))
    if {plain, f"{plain}s"} & reading.name_keys:
        return True
    letters = re.fullmatch(r"([A-Z]{2,6})s?", text)
    if letters is None:
        return False
    acronym, meaning = letters.group(1).casefold(), spelt_out(text)
    if meaning in reading.text and acronym.startswith("".join(word[0] for word in meaning.split()) or "-"):
        return True
    # Two letters fit any phrase by chance, so only the field's own stand for theirs.
    return len(acronym) > 2 and acronym in reading.initials


def _knows_part(reading: Reading, part: str) -> bool:
    key = name_key(part)
    root = stem(fold(part))
    if key in _JOINTS or knows_whole(reading, part):
        return True
    if is_coined(part):
        return False
    if root in reading.stems:
        return True
    plain = part[1:] == part[1:].lower() and not re.search(r"\d", part)
    return plain and any(match(root, other) > 0 for other in reading.stems)


_JOINTS = frozenset(
    [
        "of",
        "to",
        "the",
        "and",
        "in",
        "for",
        "based",
        "style",
        "like",
        "aware",
        "free",
        "level",
        "driven",
        "wise",
        "only",
        "centric",
        "oriented",
        "type",
        "meta",
        "multi",
        "non",
        "semi",
        "cross",
        "pre",
        "post",
    ]
)


@lru_cache(maxsize=32768)
def match(left: str, right: str) -> float:
    """Return how well two stems stand for each other: the same, a synonym or a close form, or not at all."""
    if left == right:
        return EXACT
    if opposite(left, right):
        return 0.0
    if right in synonyms(left):
        return NEAR
    common = 0
    for a, b in zip(left, right, strict=False):
        if a != b:
            break
        common += 1
    return NEAR if common >= _PREFIX_LENGTH and common >= 0.6 * max(len(left), len(right)) else 0.0


def best_match(word: str, stems: Iterable[str]) -> float:
    """Return the best match of a stem among others."""
    best = 0.0
    for other in stems:
        best = max(best, match(word, other))
        if best == EXACT:
            break
    return best


def covered(claim: Sequence[Word], stems: frozenset[str]) -> float:
    """Return the weight of the claim's words that occur among the stems."""
    return sum(word.weight * (EXACT if word.stem in stems else best_match(word.stem, stems)) for word in claim)


def support(claim: Sequence[Word], lines: Sequence[Line], most: int = 3) -> list[Line]:
    """Choose the few lines that together hold most of the claim's words, best first; each must add something."""
    chosen: list[Line] = []
    stems: frozenset[str] = frozenset()
    gained = 0.0
    while len(chosen) < most:
        rest = [line for line in lines if line not in chosen]
        scored = [(covered(claim, stems | line.stems), -index, line) for index, line in enumerate(rest)]
        if not scored:
            break
        score, _, line = max(scored, key=lambda row: row[:2])
        if score - gained < (1.0 if chosen else 1e-9):
            break
        chosen.append(line)
        stems, gained = stems | line.stems, score
    return chosen


def context(text: str, number: Number, others: Sequence[Number], found: Sequence[Word]) -> dict[str, float]:
    """Return the words that a number measures: those nearer to it than to any other number, less across a clause.

    The ends of a range ("14-26%", "between 3 and 5") share their words.
    """
    together = _range_of(text, number, others)
    weights: dict[str, float] = {}
    for word in found:
        here = min(_distance(text, word, member) for member in together)
        if any(_distance(text, word, other) < here for other in others if other not in together):
            continue
        weights[word.stem] = max(weights.get(word.stem, 0.0), 1.0 if here < 12 else 0.5)
    return weights


def _range_of(text: str, number: Number, others: Sequence[Number]) -> list[Number]:
    group = [number]
    for other in others:
        left, right = sorted((number, other), key=lambda n: n.start)
        gap = text[left.end : right.start]
        joined = re.fullmatch(r"\s?(?:[-–—−]|to|and|or)\s?[≈~∼]?", gap)
        if other != number and joined and left.unit == right.unit:
            group.append(other)
    return group


def _distance(text: str, word: Word, number: Number) -> int:
    between = text[word.end : number.start] if word.end <= number.start else text[number.end : word.start]
    breaks = len(re.findall(r"[,;]|\b(?:and|while|whereas|but|against)\b", between))
    return len(between.split()) + _BREAK_COST * breaks


def only_compared_with(reading: Reading, key: str) -> bool:
    """Tell whether a paper mentions a name only as something it is set against, never as a subject."""
    seen = False
    for line in reading.lines:
        for name in line.names:
            if name.key != key:
                continue
            seen = True
            possessive = line.text[name.end : name.end + 2] in ("'s", "’s")
            if not possessive and not _BASELINE_BEFORE.search(line.text[: name.start]):
                return False
    return seen
