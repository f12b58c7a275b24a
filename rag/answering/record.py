"""Questions about a paper's record: who wrote it, when, where, its title, address, keywords, how to cite it.

The abstract does not say that; what was indexed with it may. It is told as of the record, without a quote; where the
record has no such entry, that is said. English, by rules: only a question that asks for nothing else is one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.answering.extractive import Reply, compose
from rag.answering.judgement import Verdict
from rag.retrieval.evidence import Evidence
from rag.text.words import stem
from rag.types import Paper, Statement

_SURE = 0.9


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of a record: what it is called, how a question asks for it, and the words that such a question has."""

    name: str
    asked: re.Pattern[str]
    words: frozenset[str]


def _entry(name: str, asked: str, words: str) -> _Entry:
    return _Entry(name, re.compile(asked, re.IGNORECASE), frozenset(stem(word) for word in words.split()))


_ENTRIES = (
    _entry(
        "BibTeX",
        r"\bbib ?tex\b|\bhow (?:do|can|should|would|to)\b.{0,12}\bcite\b"
        r"|\bcitation (?:for|of)\b|\bcite (?:it|this|that)\b",
        "bibtex bib tex cite citation entry reference correctly properly",
    ),
    _entry(
        "authors",
        r"\bwho (?:wrote|authored|published|made|is behind|are behind)\b|\bauthors?\b|\bwritten by whom\b",
        "wrote authored published author authors written made behind names list first people",
    ),
    _entry(
        "year",
        r"\b(?:what|which|the) year\b|\bwhen (?:was|did|were|is)\b|\bpublication (?:year|date)\b|\bhow old\b",
        "year published appear appeared come came publication date old presented written released",
    ),
    _entry(
        "venue",
        r"\b(?:which|what|the) (?:venue|conference|journal|proceedings)\b"
        r"|\bwhere (?:was|is|did|were)\b.{0,60}\b(?:published|presented|appear\w*)\b",
        "venue conference journal proceedings published presented appear appeared accepted",
    ),
    _entry("keywords", r"\bkey ?words?\b", "keyword keywords key list"),
    _entry(
        "address",
        r"\b(?:url|doi|link|address|web ?page)\b",
        "url doi link address webpage web page full pdf read",
    ),
    _entry("title", r"\b(?:full |exact |whole )?title\b", "title full exact whole called"),
)


def answer_from_record(evidence: Evidence) -> Reply | None:
    """Return what the record of the paper that a question names says, where it asks for that and nothing else."""
    top, question = evidence.best, evidence.question
    if top is None or not evidence.names_paper:
        return None
    entry = next((e for e in _ENTRIES if e.asked.search(question.text)), None)
    if entry is None or evidence.unknown_names or not entry.words.issuperset(question.focus):
        return None
    shared = any(m.tells and len(m.papers) > 1 for m in top.names)
    if shared and evidence.carried is None:
        verdict = Verdict("too_vague", 0.7, "pointing")
        return Reply(verdict, tuple(compose(evidence, verdict)))
    told = _told(entry.name, top.paper)
    if told:
        said = f"By its record, not its abstract, {told}"
        return Reply(Verdict("answered", _SURE), (Statement((said,), factual=False),), (top,))
    said = f"The record of “{top.paper.title}” has no {entry.name}, and its abstract does not say."
    return Reply(Verdict("abstract_silent", _SURE, "silent"), (Statement((said,), factual=False),), (top,))


def _told(entry: str, paper: Paper) -> str:
    """Return what a record says of one entry, "" where it has none."""
    from rag.survey.bibliography import Entry, address, authors, bibtex
    from rag.survey.mapping import year_of

    known, name = paper.metadata, f"“{paper.title}”"
    if entry == "BibTeX":
        return f"{name} is cited as:\n\n```bibtex\n{bibtex([Entry(paper)])}```"
    if entry == "title":
        return "" if paper.title_derived else f"the title is {name}."
    people = authors(paper)
    year = year_of(paper)
    values = known.get("keywords") or ()
    listed = values if isinstance(values, str) else ", ".join(str(value) for value in values)
    link = address(str(known.get("url") or "")) or str(known.get("doi") or "")
    found = {
        "authors": f"{name} is by {', '.join(people)}." if any(people) else "",
        "year": f"{name} is of {year}." if year else "",
        "venue": f"{name} is of {known['venue']}." if known.get("venue") else "",
        "keywords": f"the keywords of {name} are: {listed}." if listed else "",
        "address": f"{name} is at {link}" if link else "",
    }
    return found[entry]
