"""Which paper is meant where a user types an id, a title, a part of one, or the name of a method. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rapidfuzz import fuzz, process

from rag.errors import InputError
from rag.text.words import fold, words

_SHOWN = 3  # papers named where several are meant, or none
_LEAST_ALIKE = 70  # of 100, for a title to be named as the nearest


def chosen(typed: str, titles: Mapping[str, str], named: Callable[[str], Sequence[str]]) -> str:
    """Return the id of the paper that is meant; `titles` are those of all papers by id.

    `named` gives the papers whose own name a text is. Raises `InputError` where no paper is meant, or more than one.
    """
    if typed in titles:
        return typed
    wanted = " ".join(words(fold(typed)))
    plain = {identity: " ".join(words(fold(title))) for identity, title in titles.items()} if wanted else {}
    found: Sequence[str] = [identity for identity, title in plain.items() if title == wanted]
    found = found or (list(named(typed)) if wanted else [])
    found = found or [identity for identity, title in plain.items() if f" {wanted} " in f" {title} "]
    if len(found) == 1:
        return found[0]
    if found:
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise InputError(f"{typed!r} may be {_listed(found[:_SHOWN], titles)}{more}; give the id of the one you mean.")
    near = process.extract(wanted, plain, scorer=fuzz.WRatio, limit=_SHOWN, score_cutoff=_LEAST_ALIKE)
    meant = f" (is {_listed([key for _, _, key in near], titles)} meant?)" if near else ""
    raise InputError(f"There is no paper {typed!r} in this library{meant}; list them with: rag papers")


def _listed(ids: Sequence[str], titles: Mapping[str, str]) -> str:
    return " or ".join(f"{identity} “{titles[identity]}”" for identity in ids)
