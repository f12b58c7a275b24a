"""Columns of an extraction table: each reads one thing from an abstract, and its cells are quotes or empty.

Names that abstracts have a form for ("method", "headline number", "code link") are read by that form; any other name is
looked for by its words, and only a sentence that has all of them fills the cell.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from rag.census.forms import FACETS
from rag.checking.alignment import own_names
from rag.errors import InputError
from rag.library.chunking import quote
from rag.survey.figures import Figure, headline
from rag.survey.roles import Part, Role, explains_method, introduces, makes, parts, states_problem
from rag.text.matching import same_word
from rag.text.names import coined_names, name_key
from rag.text.words import content_stems
from rag.types import Paper, Quote

MOST_COLUMNS = 20
_LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class Cell:
    """What an abstract says for one column: quotes, a field of the record, or nothing."""

    quotes: tuple[Quote, ...] = ()
    record: str = ""
    figure: Figure | None = None

    @property
    def text(self) -> str:
        """Return the words of the cell; empty where the abstract says nothing."""
        return self.record or " … ".join(row.text for row in self.quotes)


@dataclass(frozen=True, slots=True)
class Column:
    """A column as the reader named it, and what fills its cells."""

    name: str
    fill: Callable[[Paper], Cell] = field(compare=False)
    figures: bool = False


def columns(text: str) -> tuple[Column, ...]:
    """Return the columns that a comma-separated line names; raises `InputError` where it names none, or too many."""
    names = [" ".join(name.split()) for name in re.split(r"[,;\n]", text) if name.strip()]
    names = list(dict.fromkeys(names))
    if not names:
        raise InputError('No column is named; name some, such as: rag table "method, headline number, code link"')
    if len(names) > MOST_COLUMNS or any(len(name) > _LONGEST_NAME for name in names):
        raise InputError(f"A table takes up to {MOST_COLUMNS} columns of up to {_LONGEST_NAME} characters each.")
    return tuple(_column(name) for name in names)


def _column(name: str) -> Column:
    for pattern, make in _KNOWN:
        if re.search(pattern, name, re.IGNORECASE):
            return make(name)
    stems = list(dict.fromkeys(content_stems(name)))
    return Column(name, lambda paper: _by_words(paper, stems))


def _record(key: str) -> Callable[[str], Column]:
    def fill(paper: Paper) -> Cell:
        value = {"title": paper.title, "id": paper.id}.get(key, paper.metadata.get(key))
        return Cell(record="; ".join(map(str, value)) if isinstance(value, list) else str(value or ""))

    return lambda name: Column(name, fill)


def _simple(fill: Callable[[Paper], Cell]) -> Callable[[str], Column]:
    return lambda name: Column(name, fill)


def _figures(name: str) -> Column:
    about = [s for s in dict.fromkeys(content_stems(name)) if s not in _GENERIC]

    def fill(paper: Paper) -> Cell:
        figure = headline(paper, about)
        return Cell((figure.sentence,), figure=figure) if figure else Cell()

    return Column(name, fill, figures=True)


_GENERIC = frozenset(
    content_stems(
        "headline main best key number numbers figure figures result results value unit units baseline baselines"
        " and its with the gain gains improvement improvements quantitative reported measured metric score scores"
        " performance"
    )
)


def part_cell(paper: Paper, role: Role, most: int = 1) -> Cell:
    """Return the sentences of an abstract that do one thing, the most telling first, then in their order."""
    chosen = sorted(sorted(_of(paper, role), key=_rank(role))[:most], key=lambda part: part.index)
    return Cell(tuple(quote(paper, p.sentence.start, p.sentence.end) for p in chosen))


def _of(paper: Paper, role: Role) -> list[Part]:
    every = [part for part in parts(paper.abstract) if part.role == role]
    if role == "problem":
        return [part for part in every if states_problem(part.sentence.text)] or every[:1]
    if role == "evidence" and not every:
        return _of(paper, "figures")
    return every


def _rank(role: Role) -> Callable[[Part], tuple[bool, int]]:
    if role == "idea":
        return lambda part: (not makes(part.sentence.text), part.index)
    if role == "problem":
        # The last complaint before the authors' own work is the one that it answers.
        return lambda part: (False, -part.index)
    return lambda part: (False, part.index)


def _method(paper: Paper) -> Cell:
    """Return what the authors say they made: from after the verb to the end of its sentence."""
    name = _name(paper).text

    def rank(part: Part) -> tuple[bool, bool, int]:
        return not makes(part.sentence.text), bool(name) and name not in part.sentence.text, part.index

    for part in sorted(_of(paper, "idea"), key=rank):
        match = introduces(part.sentence.text)
        if match:
            return Cell((_trimmed(paper, part.sentence.start + match.end(), part.sentence.end),))
        if explains_method(part.sentence.text):
            return Cell((quote(paper, part.sentence.start, part.sentence.end),))
    return Cell()


def _trimmed(paper: Paper, start: int, end: int) -> Quote:
    text = paper.abstract
    while start < end and not (text[start].isalnum() or text[start] in "“\"'`($*"):
        start += 1
    while end > start and text[end - 1] in " .;":
        end -= 1
    return quote(paper, start, end)


def _name(paper: Paper) -> Cell:
    head = paper.title.partition(":")[0].strip()
    place = paper.abstract.find(head) if ":" in paper.title else -1
    if place >= 0:
        return Cell((quote(paper, place, place + len(head)),))
    for key in own_names(paper.title, paper.abstract):
        found = next((n for n in coined_names(paper.abstract) if name_key(n.text) == name_key(key)), None)
        if found:
            return Cell((quote(paper, found.start, found.end),))
    return Cell()


_TASK = re.compile(
    r"\b(?:tasks? of|problem of|challenge of|addresses|tackles?|for|framework for|aims? (?:to|at))\s+"
    r"(?P<what>(?:[\w$*^-]+[ /]){1,6}?"
    r"[\w-]*(?:tion|ment|sis|ysis|ery|asks?|odels?|ystems?|earch|QA|ference|ompts?|gents?)\b)"
)


def _task(paper: Paper) -> Cell:
    """Return what the authors' work is for, in their introducing sentence; else the problem they begin with."""
    for part in sorted(_of(paper, "idea"), key=_rank("idea"))[:2]:
        match = introduces(part.sentence.text)
        found = _TASK.search(part.sentence.text, match.end() if match else 0)
        if found:
            offset = part.sentence.start
            return Cell((quote(paper, offset + found.start("what"), offset + found.end("what")),))
    return part_cell(paper, "problem")


_ADDRESS = re.compile(r"(?:https?://|www\.|\b(?:github|gitlab|bitbucket)\.(?:com|io|org)/)[^\s<>\"'“”{}|\\^`]+")


def address(paper: Paper) -> Quote | None:
    """Return the first web address in an abstract, without the point that ends its sentence."""
    match = _ADDRESS.search(paper.abstract)
    if match is None:
        return None
    kept = match.group().rstrip(".,;:!?)]")
    return quote(paper, match.start(), match.start() + len(kept))


def _code_link(paper: Paper) -> Cell:
    link = address(paper)
    return Cell((link,)) if link else part_cell(paper, "code")


def _tested_on(paper: Paper) -> Cell:
    shows = re.compile(
        r"\b(?:on|across|over|using)\b[^.;]*\b(?:data ?sets?|benchmarks?|corpora|tasks?|environments?)\b", re.I
    )
    named = re.compile(r"\b(?:data ?sets?|benchmarks?)\b", re.I)
    tests = [p for p in parts(paper.abstract) if p.role in ("evidence", "figures", "idea")]
    for pattern in (shows, named):
        for part in tests:
            if pattern.search(part.sentence.text):
                return Cell((quote(paper, part.sentence.start, part.sentence.end),))
    return Cell()


def _facet(key: str) -> Callable[[Paper], Cell]:
    facet = FACETS[key]

    def fill(paper: Paper) -> Cell:
        for part in parts(paper.abstract):
            text = part.sentence.text
            if facet.shows.search(text) and not (facet.voids and facet.voids.search(text)):
                return Cell((quote(paper, part.sentence.start, part.sentence.end),))
        return Cell()

    return fill


def _by_words(paper: Paper, stems: list[str]) -> Cell:
    """Return the first sentence that has every word of a column's name, in some form."""
    if not stems:
        return Cell()
    for part in parts(paper.abstract):
        has = set(content_stems(part.sentence.text))
        if all(any(same_word(wanted, stem) for stem in has) for wanted in stems):
            return Cell((quote(paper, part.sentence.start, part.sentence.end),))
    return Cell()


def _role(role: Role) -> Callable[[str], Column]:
    return _simple(lambda paper: part_cell(paper, role))


# In order: the first pattern that a name fits decides, so "code link" is no "link" of another kind.
_KNOWN: tuple[tuple[str, Callable[[str], Column]], ...] = (
    (r"^(?:paper )?id$", _record("id")),
    (r"^(?:paper )?titles?$", _record("title")),
    (
        r"^(?:authors?|venue|year|doi)$",
        lambda name: _record({"author": "authors"}.get(name.lower(), name.lower()))(name),
    ),
    (r"\bcode\b.*\b(?:link|url|address)|\b(?:link|url|repo(?:s|sitor\w+)?|github)\b", _simple(_code_link)),
    (r"\bcode\b", _role("code")),
    (r"\b(?:numbers?|figures?|results?|gains?|improvements?|speed-?ups?|accuracy|scores?|percent\w*)\b", _figures),
    (r"^(?:method |model |system )?names?$|\bacronym\b", _simple(_name)),
    (r"\b(?:methods?|approach|techniques?|solution|contribution|proposal)\b", _simple(_method)),
    (r"\b(?:idea|mechanism)\b", _role("idea")),
    (r"\btasks?\b", _simple(_task)),
    (r"\b(?:problem|motivation|challenge|gap)\b", _role("problem")),
    (r"\b(?:data ?sets?|benchmarks?|tested on|evaluated on|data)\b", _simple(_tested_on)),
    (r"\b(?:evidence|evaluation|experiments?|findings?)\b", _role("evidence")),
    (r"\b(?:proofs?|guarantees?)\b", _simple(_facet("proof"))),
    (r"\btheor(?:y|etical)\b", _simple(_facet("theory"))),
    (r"\b(?:parameters?|model size)\b", _simple(_facet("parameters"))),
)
