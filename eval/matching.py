"""Decide whether a word, a name or a number stands in a text, whatever its spelling.

An evaluator must not share the code that it judges, so this module normalises on its own and imports nothing of `rag`.

Numbers compare by value: LaTeX and Markdown leftovers, thousands separators, number words (three = 3), scale letters
and words (4K = 4,000; 9B = 9 billion) are read first, so that "4" is found neither in "4K" nor in "4.5". A key with a
unit wants that unit (2.75x = 2.75× = 2.75 times = 2.75-fold; 20% = 20 percent); a key without one takes any. The sign
is ignored, because prose writes hyphens and minus signs alike. Words compare case-insensitively, without accents, by
their Snowball stem, and have to be contiguous.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import snowballstemmer


def _listed(words: str) -> list[str]:
    return words.split()


_UNITS = {"%": "%", "percent": "%", "×": "×", "x": "×", "times": "×", "fold": "×"}
_SCALES = {
    "hundred": 100,
    "thousand": 1000,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_SCALE_LETTERS = {"k": 1000, "K": 1000, "M": 10**6, "B": 10**9, "b": 10**9, "T": 10**12}
_SMALL = _listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = _listed("twenty thirty forty fifty sixty seventy eighty ninety")
_NUMBER_WORDS = {word: value for value, word in enumerate(_SMALL)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_FOLDS = {f"{word}fold": value for word, value in _NUMBER_WORDS.items() if value > 1}

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_PLAIN = str.maketrans({"‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "−": "-", "’": "'", "‘": "'", "⨯": "×"})
_LATEX = (
    (re.compile(r"(?<=\d)(?:\{,\}|\\,|[\u00a0\u2009\u202f])(?=\d{3}(?!\d))"), ","),
    (re.compile(r"\\times(?![A-Za-z])"), "×"),
    (re.compile(r"\\(?:approx|sim)(?![A-Za-z])"), "≈"),
    (
        re.compile(r"\\(?:text(?:bf|it|tt|rm|sf|sc)?|emph|math(?:bf|rm|it|tt|sf|cal)|url|underline)\s*(?=\{)"),
        "",
    ),
    (re.compile(r"\\(?=[%$&#_{}])"), ""),
    (re.compile(r"\\[,;:! ]|~(?=\w)"), " "),
    (re.compile(r"[${}*`\\]"), ""),
)
# "2176 × 3840" and "8x8" are sizes, not factors.
_SIZE = re.compile(r"(?<=\d)\s*[x×]\s*(?=\d)")
_PER_CENT = re.compile(r"\bper cent\b", re.IGNORECASE)
_TOKEN = re.compile(
    r"(?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)*|(?<!\w)\.\d+)(?P<exponent>[eE][+-]?\d+(?!\w))?(?:\^\(?-?(?P<power>\d+)\)?)?"
    r"(?P<glued>[^\W_]*)"
    r"|(?P<word>[^\W\d_][^\W_]*(?:'[^\W\d_]+)?)"
    r"|(?P<sign>[%×])"
)
_stem = snowballstemmer.stemmer("english").stemWord


@lru_cache(maxsize=4096)
def stems_of(text: str) -> tuple[str, ...]:
    """Return the stems of the words of a text, function words and all; numbers are left out."""
    return tuple(token.stem for token in tokens(text) if token.value is None)


@dataclass(frozen=True, slots=True)
class Token:
    """A word by its stem, or a number by its value and unit ("%", "×" or none)."""

    stem: str
    value: Decimal | None = None
    unit: str = ""
    start: int = 0
    spelled: bool = False


def plain(text: str) -> str:
    """Return a text without LaTeX, Markdown and typographic variants."""
    for pattern, replacement in _LATEX:
        text = pattern.sub(replacement, text)
    text = re.sub(r"(?<=\w)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: "^" + m[1].translate(_SUPERSCRIPTS), text)
    text = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return _PER_CENT.sub("percent", _SIZE.sub(" by ", text))


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[Token, ...]:
    """Return the words and numbers of a text in order."""
    return tuple(_join_units(_join_number_words(_raw_tokens(plain(text)))))


def _raw_tokens(text: str) -> list[Token]:
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        if match["number"]:
            found.extend(_number_tokens(match))
        elif match["sign"]:
            found.append(Token(match["sign"], start=match.start()))
        else:
            found.append(_word_token(match["word"], match.start()))
    return found


def _word_token(word: str, start: int) -> Token:
    lower = word.casefold().removesuffix("'s")
    if lower in _NUMBER_WORDS:
        return Token(str(_NUMBER_WORDS[lower]), Decimal(_NUMBER_WORDS[lower]), start=start, spelled=True)
    if lower in _FOLDS:
        return Token(str(_FOLDS[lower]), Decimal(_FOLDS[lower]), "×", start=start, spelled=True)
    return Token(_stem(lower), start=start)


def _number_tokens(match: re.Match[str]) -> list[Token]:
    digits, glued, start = match["number"].replace(",", ""), match["glued"], match.start()
    if digits.count(".") > 1:  # a version such as 1.2.3
        return [Token(digits + glued.casefold(), start=start)]
    value = Decimal(digits)
    if match["exponent"] and len(match["exponent"]) < 5:
        value = value.scaleb(int(match["exponent"][1:]))
    if match["power"] and len(match["power"]) < 3:
        value = value ** int(match["power"])
    if not glued:
        return [Token(_spell(value), value, start=start)]
    if glued in _SCALE_LETTERS:
        value *= _SCALE_LETTERS[glued]
        return [Token(_spell(value), value, start=start)]
    if glued.casefold() in _UNITS:
        return [Token(_spell(value), value, _UNITS[glued.casefold()], start)]
    if glued.casefold() in _MEASURES:
        return [Token(_spell(value), value, start=start), Token(glued.casefold(), start=match.start("glued"))]
    return [Token((digits + glued).casefold(), start=start)]  # 3D, 5th, 8bit: one word


_MEASURES = frozenset(_listed("ms s min h hz khz mhz ghz kb mb gb tb fps nm mm cm km kg mg w kw db bit bits"))


def _spell(value: Decimal) -> str:
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _join_number_words(found: list[Token]) -> list[Token]:
    """Join "twenty-five" and "two hundred", "3 million"."""
    joined: list[Token] = []
    for token in found:
        last = joined[-1] if joined else None
        if last is not None and last.value is not None and not last.unit:
            if last.spelled and token.spelled and last.value in range(20, 100, 10) and token.value in range(1, 10):
                joined[-1] = _worth(last, last.value + (token.value or 0))
                continue
            if token.stem in _SCALE_STEMS:
                joined[-1] = _worth(last, last.value * _SCALE_STEMS[token.stem])
                continue
        joined.append(token)
    return joined


_SCALE_STEMS = {_stem(word): value for word, value in _SCALES.items()}
_UNIT_STEMS = _UNITS | {_stem(word): unit for word, unit in _UNITS.items() if word != "×"}


def _worth(token: Token, value: Decimal) -> Token:
    return Token(_spell(value), value, token.unit, token.start, token.spelled)


def _join_units(found: list[Token]) -> list[Token]:
    """Give "20 percent" and "2.75 times" their unit; a sign that follows no number is dropped."""
    joined: list[Token] = []
    for token in found:
        last = joined[-1] if joined else None
        unit = _UNIT_STEMS.get(token.stem) if token.value is None else None
        if unit and last is not None and last.value is not None and not last.unit:
            joined[-1] = Token(last.stem, last.value, unit, last.start, last.spelled)
        elif token.stem not in ("%", "×"):
            joined.append(token)
    return joined


def _same(key: Token, token: Token) -> bool:
    if key.value is not None or token.value is not None:
        return key.value == token.value and key.unit in ("", token.unit)
    return key.stem == token.stem


def occurs(key: str, text: str) -> bool:
    """Return whether the words and numbers of `key` stand in `text`, next to each other."""
    wanted, there = tokens(key), tokens(text)
    if not wanted:
        return False
    last = len(there) - len(wanted)
    return any(all(_same(k, t) for k, t in zip(wanted, there[i:], strict=False)) for i in range(last + 1))


def any_occurs(alternatives: Iterable[str], text: str) -> str | None:
    """Return the first of the alternatives that occurs in the text."""
    return next((alternative for alternative in alternatives if occurs(alternative, text)), None)


def numbers(text: str) -> tuple[Token, ...]:
    """Return the numbers that a text states; "one" is left out, being a pronoun as often as a number."""
    return tuple(t for t in tokens(text) if t.value is not None and not (t.spelled and t.value == 1))


def number_stated(claim: Token, sources: Sequence[Token]) -> bool:
    """Return whether a number of an answer is one of the sources' numbers, or a rounding of one.

    A rounding keeps at least two digits (21.8 -> 22, not 2.75 -> 3). Units that are both given must agree.
    """
    return any(
        (not claim.unit or not source.unit or claim.unit == source.unit)
        and _equal_or_rounded(claim.value, source.value)
        for source in sources
    )


def _equal_or_rounded(claim: Decimal | None, source: Decimal | None) -> bool:
    if claim is None or source is None:
        return False
    if claim == source:
        return True
    places, source_places = -int(claim.as_tuple().exponent), -int(source.as_tuple().exponent)
    if places >= source_places or claim < 10 ** (1 - places):
        return False
    return abs(source - claim) * 2 <= Decimal(10) ** -places


_STOP_WORDS = frozenset(
    _listed("""
    a about above after again against all also am an and any are as at be because been before being below between
    both but by can could did do does doing done down during each either else ever every few for from further
    get had has have having he her here hers him his how however i if in into is it its itself just let like many may
    me might more most much must my neither no nor not of off on once only or other our ours out over own per
    please quite rather same shall she should since so some such tell than that the their them then there these
    they this those through thus to too under until up upon us use used uses using very via was we were what
    when where whether which while who whom whose why will with within without would yet you your""")
)


def content_words(text: str) -> list[str]:
    """Return the stems of a text's content words and its numbers' values, function words left out."""
    # The stop list is of words and `tokens` gives stems, so both are compared as stems.
    return [token.stem for token in tokens(text) if token.value is not None or token.stem not in _STOP_STEMS]


_STOP_STEMS = frozenset(_stem(word) for word in _STOP_WORDS) | {"s", "t"}
