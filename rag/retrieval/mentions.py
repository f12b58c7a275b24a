"""Which of the library's coined names a question mentions, however it spells them.

Names match without case, hyphens and spaces ("ui 2 code n" is UI2Codeᴺ); a word that is neither in the library nor
in the dictionary, alone or with the words beside it, may be a misspelt name, one or two edits away (optimal string
alignment distance).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import process
from rapidfuzz.distance import OSA

from rag.library.rows import NameUse
from rag.text.names import name_key
from rag.text.words import STOPWORDS, Token, fold, tokens

_OWNERS = 2  # a name that more papers use than this tells none of them
_COMMON, _PASSAGES = 4, 3  # a name in more passages than this, in all and a paper, tells none of its papers
_MAX_TOKENS = 7  # words that one name may be typed as
_FUZZY = 4  # a misspelt word is at least this long, and at this length only two letters may be swapped
# "Attend-3" and "Attend-Flow" are other things than the library's Attend.
_VERSION = re.compile(r"[-‐‑](?:\d+(?:\.\d+)*|[A-Z][a-z]+)(?![\w-])")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_STOPS = re.compile(r"[.,;:?!]")  # no name goes on behind one of these
_SHORT = 3  # names this short count only as they are written: DE is a name, "de" a word of several languages


@dataclass(frozen=True, slots=True)
class Mention:
    """A name of the library in a question: as typed, as the library writes it, and the papers it stands for.

    Those are the papers whose own name it is; where none claims it, all that use it.
    """

    typed: str
    name: str
    key: str
    start: int
    end: int
    papers: tuple[str, ...]
    owned: bool
    certain: bool  # False where the typed word is an ordinary word as well ("wash")
    common: bool = False  # where many more passages hold it than the papers it stands for: a word of the field

    @property
    def tells(self) -> bool:
        """Tell whether the name points to one paper or two, rather than to a whole field."""
        return self.certain and not self.common and len(self.papers) <= _OWNERS

    def names(self, title: str) -> bool:
        """Tell whether the name stands in a title, in one piece or as several words."""
        words = [t.text for t in tokens(title)]
        spans = (
            "".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(i + _MAX_TOKENS, len(words)) + 1)
        )
        return any(name_key(span) == self.key for span in spans)

    @property
    def misspelt(self) -> bool:
        """Tell whether the typed form is another word than the name, not only another case or spacing."""
        return name_key(self.typed) not in (self.key, f"{self.key}s", self.key.rstrip("s"))


class NameIndex:
    """The coined names of a library, for looking them up in questions."""

    def __init__(
        self, uses: Iterable[NameUse], known_word: Callable[[str], bool], frequency: Callable[[str], int]
    ) -> None:
        self._users: dict[str, list[NameUse]] = {}
        self._text: dict[str, str] = {}
        self._parts: dict[str, set[str]] = {}
        self._known_word, self._frequency = known_word, frequency
        for use in uses:
            self._users.setdefault(use.key, []).append(use)
            self._text.setdefault(use.key, use.text)
            hyphenated = re.search(r"[-‐‑–]", use.text) and " " not in use.text
            for part in re.split(r"[\W_]+", use.text) if hyphenated else ():
                folded = fold(part)
                if len(folded) >= 3 and not known_word(folded) and any(c.isalpha() for c in folded):
                    self._parts.setdefault(folded, set()).add(use.key)
        self._by_length: dict[int, list[str]] = {}
        for key in self._text:
            self._by_length.setdefault(len(key), []).append(key)

    def users(self, key: str) -> Sequence[NameUse]:
        """Return the papers that use a name."""
        return self._users.get(key, [])

    def find(self, question: str) -> list[Mention]:
        """Return the names that a question mentions, in order, the longest reading of each place."""
        words = list(tokens(question))
        found: list[Mention] = []
        position = 0
        while position < len(words):
            mention, used = self._at(question, words, position)
            if mention is not None:
                found.append(mention)
            position += max(used, 1)
        return found

    def _at(self, question: str, words: list[Token], position: int) -> tuple[Mention | None, int]:
        spans = [
            words[position : position + length]
            for length in range(min(_MAX_TOKENS, len(words) - position), 0, -1)
            if length == 1 or not _STOPS.search(question[words[position].start : words[position + length - 1].end])
        ]
        for span in spans:
            typed = question[span[0].start : span[-1].end]
            key = self._known_key(name_key(typed))
            if key and self._as_written(typed, key) and not _VERSION.match(question, span[-1].end):
                return self._mention(question, span, key), len(span)
        return self._by_part_or_spelling(question, spans)

    def _by_part_or_spelling(self, question: str, spans: list[list[Token]]) -> tuple[Mention | None, int]:
        word = spans[-1][0]
        owners = self._parts.get(word.text, set())
        if len(owners) == 1 and self._frequency(word.text) <= _OWNERS and not _VERSION.match(question, word.end):
            return self._mention(question, [word], next(iter(owners))), 1
        for span in spans:
            near = self._nearest([token.text for token in span])
            if near:
                return self._mention(question, span, near), len(span)
        return None, 1

    def _known_key(self, key: str) -> str | None:
        if key in self._text:
            return key
        singular = key.removesuffix("s")
        return singular if singular in self._text and len(singular) > _SHORT - 1 else None

    def _as_written(self, typed: str, key: str) -> bool:
        if len(key) > _SHORT or any(c.isdigit() for c in key):
            return True
        return typed.rstrip("s").isupper() or typed == self._text[key]

    def _nearest(self, words: Sequence[str]) -> str | None:
        """Return the one name that a word, or several together, are a misspelling of, or None."""
        typed = "".join(words)
        if len(typed) < _FUZZY or words[0] in STOPWORDS or words[-1] in STOPWORDS or not any(map(self._slip, words)):
            return None
        allowed = 1 if len(typed) <= 5 else 2
        near: list[tuple[int, str]] = []
        for length in range(len(typed) - allowed, len(typed) + allowed + 1):
            keys = self._by_length.get(length, ())
            found = process.extract(typed, keys, scorer=OSA.distance, score_cutoff=allowed, limit=None)
            for key, distance, _ in found:
                # The first letter is rarely wrong (Damerau, 1964); two edits in a short word make another word.
                swapped = len(typed) == _FUZZY and sorted(typed) != sorted(key)
                if (key[0] == typed[0] or distance == 1) and not swapped:
                    near.append((int(distance), key))
        near.sort()
        if not near or (len(near) > 1 and near[1][0] == near[0][0]):
            return None
        return near[0][1]

    def _slip(self, word: str) -> bool:
        """Tell whether a word may be misspelt; one that the dictionary or an abstract has is meant as it is written."""
        plain = word in STOPWORDS or word.isdigit() or self._known_word(word)
        return not plain and not self._frequency(word)

    def _mention(self, question: str, span: list[Token], key: str) -> Mention:
        start, end = span[0].start, span[-1].end
        typed, name = question[start:end], self._text[key]
        ordinary = len(span) == 1 and self._known_word(span[0].text) and typed != name and not typed.isupper()
        users = self._users[key]
        owners = [use.paper_id for use in users if use.owned]
        papers = tuple(sorted(owners or [use.paper_id for use in users]))
        # "ADaPT" as its paper writes it is no common word, however many adapt.
        coined = bool(owners) and typed == name and _INNER_CAPITAL.search(name) is not None
        common = not coined and self._frequency(name) > max(_COMMON, _PASSAGES * len(papers))
        return Mention(typed, name, key, start, end, papers, bool(owners), not ordinary, common)
