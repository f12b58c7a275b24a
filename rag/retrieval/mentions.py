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
from rag.text.names import is_coined, name_key
from rag.text.words import STOPWORDS, Token, fold, tokens

_OWNERS = 2  # a name that more papers use than this tells none of them
_COMMON, _PASSAGES = 4, 3  # a name in more passages than this, in all and a paper, tells none of its papers
_MAX_TOKENS = 7  # words that one name may be typed as
_FUZZY = 4  # a misspelt word is at least this long, and at this length letters may only be swapped, or one be missing
_ONE_EDIT = 5  # letters up to which a second edit makes another word
_DIGITS = re.compile(r"\d")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")  # of a coined name: Deep HA, UI 2 Code
_LONG, _MANY = 8, 3  # letters and words of a name that stays itself with one letter changed
_WORD = 3  # letters of a part that is a word of the language
_HYPHENS = ("-", "‐", "‑", "–")
# "Attend-3", "Attend-v3" and "Attend-Flow" are other things than the library's Attend.
_VERSION = re.compile(r"[-‐‑](?:v?\d+(?:\.\d+)*|[A-Z][a-z]+)(?![\w-])")
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
        for number, span in enumerate(spans):
            typed = question[span[0].start : span[-1].end]
            key = self._known_key(name_key(typed))
            if key and self._as_written(typed, key) and not _VERSION.match(question, span[-1].end):
                mention = self._mention(question, span, key)
                # "Deep Hierarchcal Agent" is no mention of DEEP.
                longer = None if mention.tells else self._misspelt(question, spans[:number])
                return longer or (mention, len(span))
        return self._by_part_or_spelling(question, spans)

    def _by_part_or_spelling(self, question: str, spans: list[list[Token]]) -> tuple[Mention | None, int]:
        word = spans[-1][0]
        owners = self._parts.get(word.text, set())
        if len(owners) == 1 and self._frequency(word.text) <= _OWNERS and not _VERSION.match(question, word.end):
            return self._mention(question, [word], next(iter(owners))), 1
        return self._misspelt(question, spans) or (None, 1)

    def _misspelt(self, question: str, spans: list[list[Token]]) -> tuple[Mention, int] | None:
        for span in spans:
            near = self._nearest(question, span)
            if near:
                return self._mention(question, span, near), len(span)
        return None

    def _known_key(self, key: str) -> str | None:
        if key in self._text:
            return key
        singular = key.removesuffix("s")
        return singular if singular in self._text and len(singular) > _SHORT - 1 else None

    def _as_written(self, typed: str, key: str) -> bool:
        if len(key) > _SHORT or any(c.isdigit() for c in key):
            return True
        return typed.rstrip("s").isupper() or typed == self._text[key]

    def _nearest(self, question: str, span: Sequence[Token]) -> str | None:
        """Return the one name that a word, or several together, are a misspelling of, or None."""
        words = [token.text for token in span]
        typed, written = "".join(words), question[span[0].start : span[-1].end]
        # "Out-of-Vsion": a stop word is part of a name where a hyphen says so.
        first = words[0] in STOPWORDS and question[span[0].end : span[0].end + 1] not in _HYPHENS
        last = words[-1] in STOPWORDS and question[span[-1].start - 1] not in _HYPHENS
        if len(typed) < _FUZZY or first or last:
            return None
        allowed = self._edits(words, joined=len(words) > 1 and " " not in written)
        near: list[tuple[int, int, bool, str]] = []
        for length in range(len(typed) - allowed, len(typed) + allowed + 1) if allowed else ():
            keys = self._by_length.get(length, ())
            found = process.extract(typed, keys, scorer=OSA.distance, score_cutoff=allowed, limit=None)
            near += [
                (int(distance), self._in_case(written, key), not any(use.owned for use in self._users[key]), key)
                for key, distance, _ in found
                if distance and _is_slip_of(typed, key, int(distance)) and not self._differs_in_part(written, key)
            ]
        near.sort()
        if not near or (len(near) > 1 and near[1][:3] == near[0][:3]):
            return None
        return near[0][-1]

    def _edits(self, words: Sequence[str], *, joined: bool) -> int:
        """Return how many edits may part these words from a name: none where all are meant as they are written.

        One may where they make a long name together, although each is a word ("Casual Reasoning Distillation",
        "Chin-of-Action"), or where no abstract has one of them ("spatial emory").
        """
        length = len("".join(words))
        if any(map(self._slip, words)):
            return 1 if length <= _ONE_EDIT else 2
        if length >= _LONG and (joined or len(words) >= _MANY):
            return 1
        odd = (word for word in words if len(word) >= _FUZZY and word not in STOPWORDS and not self._frequency(word))
        return int(len(words) > 1 and any(not word.isdigit() for word in odd))

    def _in_case(self, written: str, key: str) -> int:
        """Return how far a word with capitals inside is from a name as written: DeepAH is DeepHA, not DeePa."""
        return int(OSA.distance(written, self._text[key])) if is_coined(written) else 0

    def _differs_in_part(self, written: str, key: str) -> bool:
        """Tell whether a short name differs from another by the part that is its own: RegNet is not ResNet."""
        ours, theirs = _PARTS.findall(written), _PARTS.findall(self._text[key])
        if len(ours) < 2 or len(ours) != len(theirs) or sum(map(len, ours)) >= _LONG:
            return False
        pairs = [(a.lower(), b.lower()) for a, b in zip(ours, theirs, strict=True)]
        other = [pair for pair in pairs if pair[0] != pair[1]]
        shared = all(len(a) >= _WORD and self._known_word(a) for a, b in pairs if a == b)
        return shared and len(other) == 1 and _is_replaced(*other[0])

    def _slip(self, word: str) -> bool:
        """Tell whether a word may be misspelt; one that the dictionary or an abstract has is meant as it is written."""
        plain = word in STOPWORDS or word.isdigit() or self._known_word(word)
        return not plain and not self._frequency(word)

    def _mention(self, question: str, span: list[Token], key: str) -> Mention:
        start, end = span[0].start, span[-1].end
        typed, name = question[start:end], self._text[key]
        users = self._users[key]
        owners = [use.paper_id for use in users if use.owned]
        papers = tuple(sorted(owners or [use.paper_id for use in users]))
        # "ADaPT" as its paper writes it is no common word, however many adapt.
        coined = bool(owners) and typed == name and _INNER_CAPITAL.search(name) is not None
        common = not coined and self._frequency(name) > max(_COMMON, _PASSAGES * len(papers))
        # A word of the field is one also where some paper capitalises it: "machine learning".
        words = (len(span) == 1 or common) and all(self._known_word(token.text) for token in span)
        ordinary = words and typed != name and not typed.isupper()
        return Mention(typed, name, key, start, end, papers, bool(owners), not ordinary, common)


def _is_slip_of(typed: str, key: str, distance: int) -> bool:
    """Tell whether a typed word is a likely slip of a name: the first letter is rarely wrong (Damerau, 1964).

    Another number makes another name: Inception-v4 is not Inception-v3.
    """
    if _DIGITS.findall(typed) != _DIGITS.findall(key):
        return False
    same = key[0] == typed[0]
    if len(typed) == _FUZZY:
        return same and len(key) >= _FUZZY and not _is_replaced(typed, key)
    return same or distance == 1


def _is_replaced(typed: str, name: str) -> bool:
    """Tell whether a short word has another letter than a name, not two swapped, one too many or one missing."""
    return len(typed) == len(name) <= _FUZZY and sorted(typed) != sorted(name)
