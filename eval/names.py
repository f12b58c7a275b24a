"""Find the coined names of a text: methods, datasets, models and acronyms, told by their shape."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from eval.matching import plain

_PIECE = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_LETTERS = re.compile(r"[^\W\d_]+")
# Upper-case words that are no name: a pronoun, and what an answer's own frame may hold.
_NO_NAMES = frozenset({"I", "OK", "PDF", "URL", "AI"})
_OPENERS = frozenset(".!?:;\"“”(['‘«-–—•*>|\n")


def names(text: str) -> tuple[str, ...]:
    """Return the names, each once: inner capitals, acronyms, letters with digits, capitals in mid-sentence.

    >>> names("We compare AutoTool and UI2Code on POPE, as Sobolev did.")
    ('AutoTool', 'UI2Code', 'POPE', 'Sobolev')
    """
    clean = plain(text)
    found: dict[str, None] = {}
    for match in _PIECE.finditer(clean):
        piece = match.group()
        if piece not in _NO_NAMES and (_coined(piece) or _capital_inside(clean, match)):
            found[piece] = None
    return tuple(found)


def coined_names(text: str) -> tuple[str, ...]:
    """Return only the names whose own shape gives them away, wherever they stand."""
    return tuple(
        dict.fromkeys(
            m.group() for m in _PIECE.finditer(plain(text)) if m.group() not in _NO_NAMES and _coined(m.group())
        )
    )


def _coined(piece: str) -> bool:
    return any(_coined_part(part) for part in piece.split("-")) and len(piece) > 1


def _coined_part(part: str) -> bool:
    letters = "".join(_LETTERS.findall(part))
    if not letters or letters.islower():
        return False
    has_digits = len(letters) < len(part)
    # A leading digit ("4K", "9B") makes a quantity, which the number check covers.
    return (has_digits and part[0].isalpha()) or (len(letters) > 1 and not letters[1:].islower())


def _capital_inside(text: str, match: re.Match[str]) -> bool:
    if not match.group()[0].isupper() or len(match.group()) < 2:
        return False
    before = text[: match.start()]
    return bool(before.strip()) and before.rstrip(" ")[-1] not in _OPENERS and before[-1] == " "


def known(name: str, sources: Iterable[str]) -> bool:
    """Return whether a name occurs in one of the texts; case, hyphens, spaces and a plural s do not matter."""
    return any(_key(name) in keys for keys in map(_keys, sources))


def _key(name: str) -> str:
    return re.sub(r"[\W_]", "", name.casefold()).removesuffix("s")


@lru_cache(maxsize=1024)
def _keys(text: str) -> frozenset[str]:
    """Return the keys of every run of one to four words, so that "FlashAttention" is found in "Flash Attention"."""
    words = re.findall(r"[^\W_]+", plain(text).casefold())
    return frozenset(_key("".join(words[i : i + n])) for i in range(len(words)) for n in range(1, 5))
