"""What a sentence claims, taken apart: its numbers with their units, its names, its words with their negation.

Pure; offsets point into the text that was given.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from rag.checking.lexicon import COMMON, FRAMING, HARD_NEGATION, SOFT_NEGATION
from rag.text.words import STOPWORDS, fold, stem, tokens

_UNITS = (
    (re.compile(r"\s?(?:%|percent\b|per cent\b)|[\s-]?percentage[\s-]points?\b", re.I), "percent", 1.0),
    (re.compile(r"\s?×(?!\d)|\s?x\b(?!\s*\d)|[\s-]times\b|-?fold\b|\s?\\times(?!\s*\d)", re.I), "times", 1.0),
    (re.compile(r"\s?(?:k\b|thousand\b)", re.I), "plain", 1e3),
    (re.compile(r"\s?(?:M\b|million\b|mn\b)"), "plain", 1e6),
    (re.compile(r"\s?(?:B\b|bn\b|billion\b)"), "plain", 1e9),
    (re.compile(r"\s?trillion\b", re.I), "plain", 1e12),
)
# Units by family, each with its size in the family's base: an hour is 3,600 seconds.
_MEASURES = tuple(
    (re.compile(rf"[\s-]?(?:{pattern})\b"), family, size)
    for pattern, family, size in (
        (r"ms|msec|[Mm]illiseconds?", "time", 1e-3),
        (r"s|secs?|[Ss]econds?", "time", 1.0),
        (r"mins?|[Mm]inutes?", "time", 60.0),
        (r"hrs?|[Hh]ours?", "time", 3600.0),
        (r"[Dd]ays?", "time", 86400.0),
        (r"[Ww]eeks?", "time", 604800.0),
        (r"[Mm]onths?", "time", 2629800.0),
        (r"[Yy]ears?", "time", 31557600.0),
        (r"[kK]i?B|[Kk]ilobytes?", "bytes", 1e3),
        (r"Mi?B|[Mm]egabytes?", "bytes", 1e6),
        (r"Gi?B|[Gg]igabytes?", "bytes", 1e9),
        (r"Ti?B|[Tt]erabytes?", "bytes", 1e12),
        (r"Hz|[Hh]ertz", "frequency", 1.0),
        (r"kHz", "frequency", 1e3),
        (r"MHz", "frequency", 1e6),
        (r"GHz", "frequency", 1e9),
        (r"nm|[Nn]anomet(?:er|re)s?", "length", 1e-9),
        (r"[µμ]m|[Mm]icromet(?:er|re)s?", "length", 1e-6),
        (r"mm|[Mm]illimet(?:er|re)s?", "length", 1e-3),
        (r"cm|[Cc]entimet(?:er|re)s?", "length", 1e-2),
        (r"[Mm]et(?:er|re)s?", "length", 1.0),
        (r"km|[Kk]ilomet(?:er|re)s?", "length", 1e3),
        (r"[Mm]iles?", "length", 1609.344),
        (r"mg|[Mm]illigrams?", "mass", 1e-3),
        (r"[Gg]rams?", "mass", 1.0),
        (r"kg|[Kk]ilograms?", "mass", 1e3),
        (r"mW|[Mm]illiwatts?", "power", 1e-3),
        (r"W|[Ww]atts?", "power", 1.0),
        (r"kW|[Kk]ilowatts?", "power", 1e3),
    )
)
# A number written together with its unit, such as 4GB, is no name.
_MEASURED = re.compile(r"[\d.,]+-?(?:[kKMGT]i?B|[kMG]?Hz|m?s|[nµμmck]m|[mk]g|[mk]?W)")
_DECADE = re.compile(r"(?:1[89]|20)\d0s\b")
_DIGITS = re.compile(r"(?<![^\W_])(?<!\w[.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![^\W_])(?<!\w[.,])\d+(?:\.\d+)?")
_ENUMERATOR = re.compile(
    r"(?<!\w)\((?:\d{1,2}|[ivx]+|[a-h])\)|(?:^|[:;,.]\s|\band\s|\w\s\s?)(?<![=<>]\s)\d\)(?=\s[^()]*\s\d\)|\s[A-Z])"
)
_SMALL = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
]  # fmt: skip
_TENS = dict(zip(["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], range(30, 100, 10), strict=True))
_WORDS: dict[str, tuple[float, str]] = {
    **{word: (float(value), "plain") for value, word in enumerate(_SMALL, start=2)},
    **{word: (float(value), "plain") for word, value in _TENS.items()},
    "dual": (2.0, "plain"),
    "dozen": (12.0, "plain"),
    "hundred": (100.0, "plain"),
    "thousand": (1000.0, "plain"),
    "half": (50.0, "percent"),
    "halves": (50.0, "percent"),
    "halved": (50.0, "percent"),
    "halving": (50.0, "percent"),
    "quarter": (25.0, "percent"),
    **dict.fromkeys(("twice", "double", "doubles", "doubled", "doubling", "twofold"), (2.0, "times")),
    **dict.fromkeys(("thrice", "triple", "triples", "tripled", "threefold"), (3.0, "times")),
    **{f"{w}fold": (float(v), "times") for v, w in enumerate(_SMALL, start=2) if v > 3},
}
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})\b", re.I)
_MAGNITUDE = re.compile(rf"\b(an?|one|\d|{'|'.join(_SMALL[:8])})\sorders?\sof\smagnitude\b", re.I)
_LEAST = re.compile(
    r"(?:\bover|\bmore than|\bat least|\babove|\bexceed\w*|\bbeyond|\bgreater than|\bno less than|>|≥)\s*(?:an?\s)?$",
    re.I,
)
_MOST = re.compile(
    r"(?:\bunder|\bless than|\bfewer than|\bat most|\bbelow|\bup to|\bas (?:much|many|high) as|<|≤)\s*(?:an?\s)?$", re.I
)
_ABOUT = re.compile(
    r"(?:\babout|\baround|\broughly|\bapprox\w*\.?|\bnearly|\balmost|\bclose to|\bsome|[~≈≃∼])\s*(?:an?\s)?$", re.I
)

_NAME_TOKEN = re.compile(r"[^\W_](?:[^\W_]|(?:[-‐‑–](?![-‐‑–])|[.+/@*&])+(?=[^\W_])|[’'](?=[A-Z]))*[*+]*")
_QUOTED_START = re.compile(r"^[\W_]*$")
_SENTENCE_BREAK = re.compile(r"(?:[.!?:]|^)[\s\"“‘'(*-]*$")
_CLAUSE_BREAK = re.compile(
    r"[,;:()—]|\s–\s|[.?!]\s|\b(?:and|while|whereas|but|although|though|which|because|compared|versus|vs|against|than|with|from)\b",
    re.I,
)
_DENYING_WORD = re.compile(
    r"\b(?:un(?!i|der|til|like)[a-z]{4,}|non-?[a-z]{4,}|in(?:sufficient|efficient|accurate|capable|visible|complete|consistent|dependent|variant|"
    r"ability|feasible)\w*|impossible|irrelevant|[a-z]+-(?:free|agnostic|less))\b",
    re.I,
)
_ADDITIVE = re.compile(r"\s+(?:only|just|merely|solely|matter)\b")
# Stop words that nevertheless can turn a claim into its opposite.
_DEGREES = frozenset(
    [
        "more",
        "most",
        "less",
        "least",
        "few",
        "before",
        "after",
        "above",
        "below",
        "under",
        "all",
        "same",
        "each",
        "once",
        "up",
        "down",
        "always",
    ]
)
_COMMON_WEIGHT = 0.5
# How far a negation reaches, in words that carry meaning.
_NEGATION_REACH = 3


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a text: value in its base unit, kind of unit, and the bound that the wording puts on it.

    `measure` is the family of what it counts, and how large one of it is: ("time", 60.0) for minutes.
    """

    value: float
    unit: str
    bound: str
    start: int
    end: int
    spelled: bool
    measure: tuple[str, float] = ("", 1.0)


@dataclass(frozen=True, slots=True)
class Name:
    """A word that names something: folded without punctuation as `key`, and whether it looks coined."""

    text: str
    key: str
    coined: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Word:
    """A word that carries meaning: its stem, place, clause, whether a negation reaches it, and how much it asserts."""

    stem: str
    start: int
    end: int
    clause: int
    negated: bool
    weight: float


@lru_cache(maxsize=16384)
def numbers(text: str) -> tuple[Number, ...]:
    """Return the numbers of a text in order; list numerals such as "(1)" and digits inside names do not count."""
    blocked = [match.span() for match in _ENUMERATOR.finditer(text)]
    blocked += [match.span() for match in _MAGNITUDE.finditer(text)]
    blocked += [name_span for name_span in _name_spans(text) if not _reads_as_number(text[slice(*name_span)])]
    found = [n for n in (*_digit_numbers(text), *_word_numbers(text)) if not _inside(n.start, n.end, blocked)]
    found += _magnitudes(text)
    return tuple(sorted(_share_units(text, found), key=lambda n: n.start))


def _reads_as_number(word: str) -> bool:
    return bool(re.fullmatch(r"[\d.,/–-]+(?:[kKMBx×%]|-?fold)?(?:-[a-z][a-z-]*)?", word) or _MEASURED.fullmatch(word))


def _name_spans(text: str) -> list[tuple[int, int]]:
    spans = [m.span() for m in _NAME_TOKEN.finditer(text) if re.search(r"\d", m.group())]
    return [(a, b) for a, b in spans if re.search(r"[^\W\d_]", text[a:b])]


def _inside(start: int, end: int, spans: list[tuple[int, int]]) -> bool:
    return any(a <= start and end <= b for a, b in spans)


def _digit_numbers(text: str) -> Iterator[Number]:
    for match in _DIGITS.finditer(text):
        value, unit, end = float(match.group().replace(",", "")), "plain", match.end()
        for pattern, kind, factor in _UNITS:
            suffix = pattern.match(text, end)
            if suffix:
                value, unit, end = value * factor, kind, suffix.end()
                if kind == "plain":
                    continue
                break
        yield Number(value, unit, _bound(text, match.start()), match.start(), end, False, _measure(text, match, end))


def _measure(text: str, match: re.Match[str], end: int) -> tuple[str, float]:
    """Return what follows a number as its measure; the 1990s are no seconds."""
    if _DECADE.match(text, match.start()):
        return ("", 1.0)
    return next(((family, size) for form, family, size in _MEASURES if form.match(text, end)), ("", 1.0))


def _word_numbers(text: str) -> Iterator[Number]:
    for match in _NUMBER_WORD.finditer(text):
        value, unit = _WORDS[match.group().casefold()]
        end = match.end()
        suffix = re.compile(r"[\s-](?:times|fold)\b|\s(?:percent|per cent)\b", re.I).match(text, end)
        if suffix and unit == "plain":
            unit, end = ("percent" if "per" in suffix.group() else "times"), suffix.end()
        if match.group().casefold() in ("hundred", "thousand") and re.search(r"\d\s$", text[: match.start()]):
            continue
        yield Number(value, unit, _bound(text, match.start()), match.start(), end, True, _measure(text, match, end))


def _magnitudes(text: str) -> Iterator[Number]:
    """Yield "an order of magnitude" and "two orders of magnitude" as 10 and 100 times."""
    for match in _MAGNITUDE.finditer(text):
        count = match.group(1).casefold()
        power = int(count) if count.isdigit() else int(_WORDS.get(count, (1.0, ""))[0])
        yield Number(10.0**power, "times", _bound(text, match.start()), match.start(), match.end(), False)


def _share_units(text: str, found: list[Number]) -> list[Number]:
    """Give the first number of "14-26%" or "2 to 3 times" the unit of the second."""
    found = sorted(found, key=lambda n: n.start)
    shared = list(found)
    for index, (left, right) in enumerate(itertools.pairwise(found)):
        between = text[left.end : right.start]
        if (
            left.unit == "plain"
            and right.unit != "plain"
            and re.fullmatch(r"\s?(?:[-–—−]|to|or|and)\s?[≈~∼]?", between)
        ):
            shared[index] = replace(left, unit=right.unit)
    return shared


def _bound(text: str, start: int) -> str:
    before = text[max(0, start - 24) : start]
    for pattern, bound in ((_LEAST, "least"), (_MOST, "most"), (_ABOUT, "about")):
        if pattern.search(before):
            return bound
    return ""


def same_number(claim: Number, given: Number) -> bool:
    """Tell whether a claimed number is the given one: equal in a fitting unit, or rounded where the claim says so."""
    if claim.measure[0] and given.measure[0] and claim.measure != given.measure:
        if claim.measure[0] != given.measure[0]:
            return False
        claim = replace(claim, value=claim.value * claim.measure[1] / given.measure[1])
    value = claim.value
    if claim.unit != given.unit:
        if {claim.unit, given.unit} == {"percent", "times"} or "times" in (claim.unit, given.unit):
            return False
        if claim.unit == "percent" and given.value <= 1 and not claim.spelled:
            value = claim.value / 100
        elif claim.value != given.value or claim.spelled or given.spelled:
            return False
    if abs(value - given.value) <= 1e-9 * max(1.0, abs(given.value)):
        return {claim.bound, given.bound} != {"least", "most"}
    slack = {"about": 0.05, "least": 0.1, "most": 0.1}.get(claim.bound, 0.0) * abs(given.value)
    off = value - given.value
    if claim.bound == "least":
        return -slack <= off < 0
    if claim.bound == "most":
        return 0 < off <= slack
    return abs(off) <= slack and claim.bound == "about"


@lru_cache(maxsize=16384)
def names(text: str) -> tuple[Name, ...]:
    """Return the words of a text that name something: coined ones anywhere, capitalised ones inside a sentence."""
    found = []
    for match in _NAME_TOKEN.finditer(text):
        word = match.group().rstrip(".")
        if (
            re.search(r"\.\w+/", word)
            or not re.search(r"[^\W\d_]", word)
            or re.fullmatch(r"[\d.,]+(?:[kKMBx×](?:\d+)?|-?fold|th|st|nd|rd)", word)
            or _MEASURED.fullmatch(word)
        ):
            continue
        first = (
            bool(_SENTENCE_BREAK.search(text[: match.start()]))
            or _QUOTED_START.match(text[: match.start()]) is not None
        )
        coined = is_coined(word)
        joined = sum(part[:1].isupper() for part in re.split(r"[-‐‑–]", word)) > 1
        capital = word[0].isupper() and (joined or not first) and len(word) > 1 and fold(word) not in STOPWORDS
        if coined or capital:
            found.append(Name(word, name_key(word), coined, match.start(), match.start() + len(word)))
    return tuple(found)


def is_coined(word: str) -> bool:
    """Tell whether a word is shaped like an invented name: capitals inside, or letters with digits."""
    parts = re.split(r"[-‐‑–/]", word)
    if any(re.search(r"[^\W\d_]", p) and re.search(r"\d", p) and not re.fullmatch(r"\d+[a-z]+", p) for p in parts):
        return True
    if any(sum(c.isupper() for c in part) >= 2 or re.search(r"[a-z][A-Z]", part) for part in parts):
        return True
    return bool(re.fullmatch(r"[A-Z][*+]", word))


def name_key(word: str) -> str:
    """Return the form names are compared by: folded, letters and digits only, and what marks a variant (`*`, `+`)."""
    return re.sub(r"[^\w*+]|_", "", fold(word))


@lru_cache(maxsize=16384)
def words(text: str) -> tuple[Word, ...]:
    """Return the words of a text that carry meaning, numbers left out, each with its clause and negation."""
    breaks = [match.start() for match in _CLAUSE_BREAK.finditer(text)]
    named = {name.start for name in names(text) if name.coined}
    found: list[Word] = []
    reach = clause = 0
    for token in tokens(text):
        now = sum(1 for place in breaks if place <= token.start)
        if now != clause:
            clause, reach = now, 0
        if is_negation(token.text) and not _ADDITIVE.match(text, token.end):
            reach = _NEGATION_REACH
            continue
        weight = _weight(token.text, text[token.start].isupper())
        if weight is None:
            continue
        found.append(
            Word(
                stem(token.text),
                token.start,
                token.end,
                clause,
                reach > 0,
                2.0 * weight if token.start in named else weight,
            )
        )
        reach -= 1
    return tuple(found)


def _weight(word: str, capital: bool) -> float | None:
    """Return how much a word asserts: nothing for framing and mere degree, None for a word without meaning."""
    if word in _DEGREES:
        return 0.0
    if word in STOPWORDS or word[0].isdigit() or word in _WORDS or (len(word) == 1 and not capital):
        return None
    root = stem(word)
    return 0.0 if root in FRAMING else _COMMON_WEIGHT if root in COMMON else 1.0


def content(text: str) -> tuple[Word, ...]:
    """Return the words that assert something: those that merely frame a claim about a paper are left out."""
    return tuple(word for word in words(text) if word.weight > 0)


def is_negation(word: str) -> bool:
    """Tell whether a folded word denies: not, no, never, without and their like."""
    return word in HARD_NEGATION or word.endswith("n't")


def denies(text: str) -> bool:
    """Tell whether a text denies something, be it by a word such as "lack", "fail" or "rather than"."""
    found = [token.text for token in tokens(text)]
    if any(is_negation(word) for word in found):
        return True
    return any(stem(word) in SOFT_NEGATION for word in found) or bool(_DENYING_WORD.search(text))


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
