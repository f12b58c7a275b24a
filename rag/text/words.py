"""Words for matching: tokens with offsets, stems, numbers. Nothing here is ever shown.

Matching folds what readers do not tell apart (case, accents, ligatures, soft hyphens, kinds of dashes and quotes);
offsets always point into the unfolded text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import snowballstemmer

_STEMMER = snowballstemmer.stemmer("english")

# A number keeps its decimals and thousands separators; a word keeps inner apostrophes; anything else separates.
# Scripts written without spaces are separated from the Latin names and numbers inside them.
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_LETTER = rf"[^\W_{_CJK}]"
_TOKEN = re.compile(
    rf"(?<=\d)[xX](?=\d)|\d+(?:[.,]\d+)*(?=[xX](?:\d|\b))|\d+(?:[.,]\d+)*(?!{_LETTER})|{_LETTER}+(?:[’'][^\W\d_{_CJK}]+)*|[{_CJK}]+"
)
_IGNORABLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_CASE_BREAK = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CAMEL = re.compile(r"(?<![^\W_])[^\W_]*?[a-z][A-Z][^\W_]*")
_HYPHENATED = re.compile(r"[^\W_]+(?:[-‐‑–][^\W_]+)+")

STOPWORDS = frozenset(
    """
        a about above after again all also am an and any are as at be because been before being below
        between both but by can cannot could did do does doing down during each either else ever few for
        from further get gets give given had has have having he her here hers him his how however i if in
        instead into is it its itself just let like many may me might more most much must my neither no nor
        not now of off on once one only onto or other our ours out over own per please rather same say says
        shall she should since so some still such than that the their them then there these they this those
        though through thus to too under until up upon us use used uses using very via was we were what when
        where whether which while who whom whose why will with within without would yes yet you your im
        whats i'd i'm i've i'll don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't
        wouldn't shouldn't hasn't haven't there's that's what's it's let's they're we're you're
    """.split()
)

NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        """
        zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
        sixteen seventeen eighteen nineteen twenty
    """.split()
    )
}


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text: its folded form and where it stands (code points)."""

    text: str
    start: int
    end: int

    @property
    def is_number(self) -> bool:
        """Tell whether the token is a number in digits."""
        return self.text[0].isdigit() and self.text.replace(".", "").isdigit()


_CACHED = 80  # characters of what is worth remembering: words come back, abstracts do not


def fold(text: str) -> str:
    """Return the text as it is compared: compatibility forms, lower case, no accents, no invisible characters."""
    if text.isascii():
        return text.lower()
    return _folded_word(text) if len(text) <= _CACHED else _folded(text)


def _folded(text: str) -> str:
    text = unicodedata.normalize("NFKD", text.translate(_IGNORABLE))
    return "".join(c for c in text if not unicodedata.combining(c)).casefold().replace("’", "'")


_folded_word = lru_cache(maxsize=65536)(_folded)


def tokens(text: str) -> Iterator[Token]:
    """Yield the words of a text in order; "12,000" is the token "12000", "2.75×" the token "2.75"."""
    for match in _TOKEN.finditer(_bridged(text)):
        word = _as_compared(text[match.start() : match.end()])
        if word:
            yield Token(word, match.start(), match.end())


def words(text: str) -> list[str]:
    """Return the words of a text as its tokens carry them, in order."""
    return list(filter(None, map(_as_compared, _written(text))))


def _written(text: str) -> list[str]:
    """Return the words of a text as they are written."""
    bridged = _bridged(text)
    if bridged is text:
        return _TOKEN.findall(text)
    return [text[match.start() : match.end()] for match in _TOKEN.finditer(bridged)]


def _as_compared(written: str) -> str:
    """Return a word as tokens carry it; nothing where folding leaves nothing."""
    word = fold(written)
    if word and word[0].isdigit():
        return _number(word)
    return word[:-2] if word.endswith("'s") else word


def _bridged(text: str) -> str:
    """Return a text of the same length in which what stands inside words, unseen or above a letter, is a letter.

    Matching on a text without soft hyphens and combining marks would move the offsets.
    """
    if text.isascii():
        return text
    inside = {ord(c): "a" for c in set(text) if ord(c) in _IGNORABLE or unicodedata.combining(c)}
    return text.translate(inside) if inside else text


def _number(word: str) -> str:
    if word.isdigit():
        return word
    plain = re.sub(r",(?=\d{3}(?:\D|$))", "", word)
    if re.fullmatch(r"\d+\.\d*0+", plain):
        plain = plain.rstrip("0").rstrip(".")
    return plain


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the Snowball English stem of a folded word (Porter, 2001); numbers and short words are left alone."""
    if len(word) <= 3 or not word.isalpha():
        return word
    return str(_STEMMER.stemWord(word))


def content_stems(text: str) -> list[str]:
    """Return the stems of the words that carry meaning, in order, repetitions included."""
    return list(filter(None, map(_CONTENT_STEMS.__getitem__, _written(text))))


class _ContentStems(dict[str, str]):
    """The stem of each word as it is written, nothing for one that carries no meaning: looked up by the million."""

    def __missing__(self, written: str) -> str:
        word = _as_compared(written)
        found = "" if word in STOPWORDS else stem(word)
        if len(self) < _REMEMBERED:
            self[written] = found
        return found


_REMEMBERED = 200_000  # forms of words, some 20 MB: what 100,000 abstracts hold
_CONTENT_STEMS = _ContentStems()


FORMS = "|"  # in an indexed text, what follows are other ways to write its names


def name_forms(text: str) -> dict[str, list[str]]:
    """Return the other ways to write the names of a text, by their folded form.

    "PBS-Attn" gives `pbsattn`, "AutoTool" gives `auto tool`.
    """
    forms: dict[str, list[str]] = {}
    # No name reaches over white space: the patterns read the few pieces that may hold one.
    pieces = [p for p in text.split() if not p.islower() or "-" in p or not p.isascii()]
    for match in (m for p in pieces if "-" in p or not p.isascii() for m in _HYPHENATED.finditer(p)):
        if any(c.isalpha() for c in match.group()):
            joined = fold(re.sub(r"[-‐‑–]", "", match.group()))
            forms[joined] = [joined]
    for match in (m for p in pieces if _CASE_BREAK.search(p) for m in _CAMEL.finditer(p)):
        parts = [stem(fold(part)) for part in _CASE_BREAK.split(match.group())]
        # Nobody types a letter by itself: DPoE is not "DPO e".
        if min(map(len, parts)) > 1:
            forms[stem(fold(match.group()))] = parts
    return forms


def index_terms(text: str) -> list[str]:
    """Return what the lexical index stores for a text: its stems in order, and behind `FORMS` the forms of its names.

    A name is found however it is typed: "AutoTool" gives `autotool | auto tool`.
    """
    forms = [form for parts in name_forms(text).values() for form in parts if form]
    return [*content_stems(text), FORMS, *forms] if forms else content_stems(text)
