"""Write gold: one question checked against the library, or drafts for a whole library that a person then reviews."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from eval.gold import UNREVIEWED, GoldQuestion, check_against, load_gold, parse_gold
from eval.matching import numbers
from eval.names import coined_names
from rag.errors import InputError
from rag.resources import resource
from rag.types import Outcome, Paper

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(])")
_PER_PAPER = 2  # numbers asked for in one abstract
_HELD_OUT = 8  # papers of elsewhere whose names are asked for as if they were here
_KIND_OF_ANSWER = "single_fact"


def append_question(args: argparse.Namespace, papers: Mapping[str, Paper]) -> GoldQuestion:
    """Add the question that the arguments describe to a gold file, once it holds against the library."""
    file: Path = args.files[0]
    asked, history = _asked(args)
    answers = tuple(args.answer)
    if not answers:
        raise InputError("A gold question needs a right answer in prose; give it with --answer TEXT.")
    kind = args.kind or (_KIND_OF_ANSWER if args.outcome == "answered" else args.outcome)
    question = GoldQuestion(
        id=_new_id(kind, asked, history),
        kind=kind,
        question=asked,
        outcome=args.outcome,
        history=history,
        papers=tuple(args.paper),
        must=tuple(tuple(part.strip() for part in group.split("|")) for group in args.must),
        answers=answers,
    )
    line = json.dumps(question.to_dict(), ensure_ascii=False)
    question = parse_gold(line, "the new question")
    check_against(question, papers, "the new question")
    there = load_gold([file], papers) if file.is_file() else ()
    if any(other.id == question.id for other in there):
        raise InputError(f"{file} has this question already ({question.id}); mend that line instead.")
    _append(file, line)
    return question


def _append(file: Path, line: str) -> None:
    try:
        before = file.read_text(encoding="utf-8") if file.is_file() else ""
        gap = "\n" if before and not before.endswith("\n") else ""
        file.write_text(f"{before}{gap}{line}\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} can't be written ({error.strerror}); name another place.") from error


def _asked(args: argparse.Namespace) -> tuple[str, tuple[str, ...]]:
    """Return the question and what came before it, from the arguments or from a kept answer (a thumbs-down)."""
    if (args.question is None) == (args.from_answer is None):
        raise InputError("Give the question by one of --question TEXT and --from-answer FILE.")
    if args.question is not None:
        return args.question, ()
    try:
        row = json.loads(args.from_answer.read_text(encoding="utf-8-sig"))
        return str(row["question"]), tuple(str(earlier) for earlier in row.get("history", ()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{args.from_answer} is no answer ({type(error).__name__}: {error}); keep one with `rag ask --json`."
        ) from error


def _new_id(kind: str, question: str, history: tuple[str, ...]) -> str:
    digest = hashlib.sha256(json.dumps([question, *history]).encode()).hexdigest()[:8]
    return f"{kind.replace('_', '-')}-{digest}"


def held_out_papers(papers: Mapping[str, Paper]) -> list[Paper]:
    """Return papers that a library does not hold: those of the packaged invented conference."""
    file = resource("eval", "gold", "invented", "papers.jsonl")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    found = [Paper(row["id"], row["title"], False, row["abstract"], row["abstract"]) for row in rows]
    titles = {paper.title for paper in papers.values()}
    return [paper for paper in found if paper.title not in titles]


def propose_lines(papers: Mapping[str, Paper], others: Iterable[Paper]) -> list[str]:
    """Return drafts of gold lines for a library, each marked as unreviewed; `others` are papers that it lacks."""
    drafts: dict[str, dict[str, Any]] = {}
    for question in _drafts(papers, others):
        drafts.setdefault(question.id, question.to_dict())
    return [json.dumps(row, ensure_ascii=False) for row in drafts.values()]


def _drafts(papers: Mapping[str, Paper], others: Iterable[Paper]) -> Iterator[GoldQuestion]:
    owners = _owners(papers)
    for paper in papers.values():
        yield from _of_numbers(paper)
        name = next((n for n in coined_names(paper.title) if owners.get(n.casefold()) == {paper.id}), None)
        if name:
            yield _draft("single_fact", f"What is {name}?", paper.id, must=name, answer=_first(paper))
            yield _draft(
                "abstract_silent",
                f"On which hardware was {name} trained, and for how long?",
                paper.id,
                answer="The abstract does not say.",
                note="check that the abstract really does not say",
            )
    yield from _confusable(papers, owners)
    yield from _held_out(owners, others)


def _of_numbers(paper: Paper) -> Iterator[GoldQuestion]:
    """Draft a question about a sentence with a number: the number is what a right answer must hold."""
    found = 0
    for sentence in _SENTENCE.split(paper.abstract):
        stated = [n for n in numbers(sentence) if n.unit or (n.value is not None and n.value > 10)]
        if not stated or found == _PER_PAPER:
            continue
        found += 1
        topic = paper.title.split(":")[0]
        yield _draft(
            "single_fact",
            f"Which figure does the work on {topic} report? ({found})",
            paper.id,
            must=stated[0].stem + stated[0].unit,
            answer=sentence,
            note=f"ask for this in words of your own: {sentence}",
        )


def _confusable(papers: Mapping[str, Paper], owners: Mapping[str, set[str]]) -> Iterator[GoldQuestion]:
    """Draft a question about each name that two papers share: what one says must not be told of the other."""
    for ids in owners.values():
        if len(ids) == 2:
            first, second = sorted(ids)
            shared = next(n for n in coined_names(papers[first].abstract) if owners[n.casefold()] == ids)
            yield _draft(
                "confusable",
                f"What do “{papers[first].title}” and “{papers[second].title}” each say about {shared}?",
                first,
                second,
                must=shared,
                answer=f"{_with(papers[first], shared)} {_with(papers[second], shared)}",
            )


def _held_out(owners: Mapping[str, set[str]], others: Iterable[Paper]) -> Iterator[GoldQuestion]:
    """Draft questions without an answer: what papers of another conference are about, which this library lacks."""
    found = 0
    for paper in others:
        name = next((n for n in coined_names(paper.title) if n.casefold() not in owners), None)
        if name and found < _HELD_OUT:
            found += 1
            yield _draft(
                "not_in_corpus",
                f"What does {name} do, and how well?",
                answer=f"Nothing here is about {name}.",
                note=f"{name} is of a paper held out: “{paper.title}”; check that nothing here would answer",
            )


def _draft(kind: Any, question: str, *ids: str, must: str = "", answer: str, note: str = "") -> GoldQuestion:
    outcome: Outcome = kind if kind in ("abstract_silent", "not_in_corpus") else "answered"
    return GoldQuestion(
        id=_new_id(kind, question, ids),
        kind=kind,
        question=question,
        outcome=outcome,
        papers=ids,
        must=((must,),) if must else (),
        answers=(answer,),
        note=f"{UNREVIEWED} {note}".strip(),
    )


def _owners(papers: Mapping[str, Paper]) -> dict[str, set[str]]:
    owners: dict[str, set[str]] = {}
    for paper in papers.values():
        for name in coined_names(f"{paper.title}. {paper.abstract}"):
            owners.setdefault(name.casefold(), set()).add(paper.id)
    return owners


def _first(paper: Paper) -> str:
    return _SENTENCE.split(paper.abstract)[0]


def _with(paper: Paper, name: str) -> str:
    return next((s for s in _SENTENCE.split(paper.abstract) if name in s), _first(paper))
