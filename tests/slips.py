"""Names as people type them: with one or two edits, split, joined, in another case; the same on every run."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rag.pipeline import Library

_SHORT = 6  # names shorter than this get one edit at most: two make another word of it


@dataclass(frozen=True)
class Slip:
    """A name, how it was typed, and what was done to it."""

    name: str
    typed: str
    kind: str


def slips(names: Sequence[str], count: int, seed: int = 1) -> list[Slip]:
    """Return so many ways to mistype the names, all kinds in turn, none twice."""
    chance, found = random.Random(seed), dict[str, Slip]()
    kinds = list(_KINDS.items())
    for turn in range(100 * count):
        if len(found) == count:
            return list(found.values())
        kind, change = kinds[turn % len(kinds)]
        name = chance.choice(names)
        typed = change(name, chance)
        if typed and typed != name:
            found.setdefault(typed, Slip(name, typed, kind))
    raise ValueError(f"only {len(found)} slips of {len(names)} names")


def edited(word: str, chance: random.Random) -> str:
    """Return a word with one letter dropped, doubled, swapped with the next, or replaced; the first one stays."""
    letters = [i for i in range(1, len(word)) if word[i].isalpha()]
    if len(letters) < 3:
        return ""
    i = chance.choice(letters)
    swapped = word[:i] + word[i + 1 : i + 2] + word[i] + word[i + 2 :]
    other = chance.choice(string.ascii_lowercase)
    return chance.choice(
        [word[:i] + word[i + 1 :], word[:i] + word[i] + word[i:], swapped, word[:i] + other + word[i + 1 :]]
    )


def _one_edit(name: str, chance: random.Random) -> str:
    return edited(name, chance)


def _two_edits(name: str, chance: random.Random) -> str:
    return edited(edited(name, chance), chance) if len(name) >= _SHORT else ""


def _split(name: str, chance: random.Random) -> str:
    parts = re.split(r"[-‐‑–\s]|(?<=[a-z])(?=[A-Z\d])|(?<=\d)(?=[A-Za-z])", name)
    return " ".join(part for part in parts if part).lower() if len(parts) > 1 else ""


def _joined(name: str, chance: random.Random) -> str:
    return re.sub(r"[-‐‑–\s]", "", name)


def _cased(name: str, chance: random.Random) -> str:
    return chance.choice([name.lower(), name.upper(), name.capitalize()])


_KINDS: dict[str, Callable[[str, random.Random], str]] = {
    "one edit": _one_edit,
    "two edits": _two_edits,
    "split": _split,
    "joined": _joined,
    "cased": _cased,
}


def owned_names(library: Library, least: int = 4) -> dict[str, set[str]]:
    """Return the names that papers of a library call their own, as written, with those papers."""
    written: dict[str, str] = {}
    papers: dict[str, set[str]] = {}
    for use in library.keeper.catalog.names():
        if use.owned and len(use.key) >= least:
            papers.setdefault(written.setdefault(use.key, use.text), set()).add(use.paper_id)
    return papers
