"""What a whole-corpus question asks of each abstract: conditions joined by and, or, not. Values and their words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Relation = Literal["about", "use", "mention"]


_RELATIONS: Mapping[Relation, str] = {"about": "are about", "use": "concern", "mention": "mention"}


@dataclass(frozen=True, slots=True)
class Concept:
    """A thing that an abstract is about, uses, or only mentions: its words as typed, one tuple a noun phrase.

    `strict` phrases ("chain-of-thought") count only where their words stand together. `deed` tells that the first word
    is a verb: who asks who optimises prompts also means prompt optimisation.
    """

    text: str
    chunks: tuple[tuple[str, ...], ...]
    relation: Relation = "use"
    strict: bool = False
    deed: bool = False


@dataclass(frozen=True, slots=True)
class Literally:
    """A word or phrase that has to occur as it is written."""

    text: str


@dataclass(frozen=True, slots=True)
class Has:
    """A facet with known forms, by its key in `rag.census.forms`."""

    key: str


@dataclass(frozen=True, slots=True)
class Described:
    """A property of the record, not of its abstract: its year or its venue."""

    field: Literal["year", "venue"]
    value: str


@dataclass(frozen=True, slots=True)
class Everything:
    """No condition at all: every abstract fits."""


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite of a condition."""

    part: Predicate


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every one of these conditions."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one of these conditions."""

    parts: tuple[Predicate, ...]


Atom: TypeAlias = Concept | Literally | Has | Described | Everything
Predicate: TypeAlias = Atom | Not | AllOf | AnyOf


def all_of(parts: list[Predicate]) -> Predicate:
    """Join conditions by "and"; a single one stays itself."""
    flat = [row for part in parts for row in (part.parts if isinstance(part, AllOf) else (part,))]
    unique = list(dict.fromkeys(flat))
    return unique[0] if len(unique) == 1 else AllOf(tuple(unique))


def any_of(parts: list[Predicate]) -> Predicate:
    """Join conditions by "or"; a single one stays itself."""
    flat = [row for part in parts for row in (part.parts if isinstance(part, AnyOf) else (part,))]
    unique = list(dict.fromkeys(flat))
    return unique[0] if len(unique) == 1 else AnyOf(tuple(unique))


def atoms(predicate: Predicate) -> tuple[Atom, ...]:
    """Return the conditions that a predicate is made of, in order."""
    if isinstance(predicate, Not):
        return atoms(predicate.part)
    if isinstance(predicate, (AllOf, AnyOf)):
        return tuple(dict.fromkeys(atom for part in predicate.parts for atom in atoms(part)))
    return (predicate,)


def in_words(predicate: Predicate) -> str:
    """Return a predicate as its reader is shown it, to follow "abstracts that"."""
    if isinstance(predicate, Not):
        if isinstance(predicate.part, (AllOf, AnyOf, Not)):
            return f"not ({in_words(predicate.part)})"
        return _denied(in_words(predicate.part))
    if isinstance(predicate, AllOf):
        return " and ".join(_bracketed(part) for part in predicate.parts)
    if isinstance(predicate, AnyOf):
        return " or ".join(_bracketed(part) for part in predicate.parts)
    return _atom_in_words(predicate)


def _atom_in_words(atom: Atom) -> str:
    from rag.census.forms import FACETS

    if isinstance(atom, Has):
        return FACETS[atom.key].words
    if isinstance(atom, Literally):
        return f"contain “{atom.text}”"
    if isinstance(atom, Described):
        return f"have the {atom.field} {atom.value}"
    if isinstance(atom, Concept):
        return f"{_RELATIONS[atom.relation]} “{' … '.join(' '.join(chunk) for chunk in atom.chunks)}”"
    return "are in this library"


def _denied(words: str) -> str:
    return f"are not {words.removeprefix('are ')}" if words.startswith("are ") else f"do not {words}"


def _bracketed(part: Predicate) -> str:
    return f"({in_words(part)})" if isinstance(part, (AllOf, AnyOf)) else in_words(part)
