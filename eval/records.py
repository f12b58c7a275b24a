"""Read recorded answers: one JSON object a line, `id, question, history, answer, error`.

`answer` is what `rag ask --json` prints, or null where the system failed with `error`. A record of planted faults names
each in `fault`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.errors import InputError
from rag.types import OUTCOMES, Answer, Chunk, Citation, Paper, Rejected, ScoredChunk, Usage


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One line of a record: what was asked, and the answer, or why there was none."""

    id: str
    question: str
    history: tuple[str, ...]
    answer: Answer | None
    error: str = ""
    fault: str = ""


def read_record(file: Path, papers: Mapping[str, Paper]) -> tuple[RecordedAnswer, ...]:
    """Read a record, every line checked; raise `InputError` for a line that is none, and for a file without one."""
    rows = tuple(_parse(line, papers, where) for line, where in _lines(file))
    if not rows:
        raise InputError(f"{file} holds no answer; write it with `rag eval record FILE`.")
    return rows


def _lines(file: Path) -> Iterator[tuple[str, str]]:
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise InputError(f"{file} can't be read ({error.strerror}); name a record that exists.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8 (byte {error.start}); save it as UTF-8.") from error
    return ((line, f"{file}, line {number}") for number, line in enumerate(lines, start=1) if line.strip())


def _parse(line: str, papers: Mapping[str, Paper], where: str) -> RecordedAnswer:
    try:
        row = json.loads(line)
        answer = None if row["answer"] is None else answer_from_dict(row["answer"], papers)
        error = "" if answer else str(row.get("error") or "failed when it was recorded")
        history = tuple(str(earlier) for earlier in row["history"])
        return RecordedAnswer(
            str(row.get("id", "")), str(row["question"]), history, answer, error, str(row.get("fault", ""))
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{where} is no recorded answer ({type(error).__name__}: {error}); write it with `rag eval record FILE`."
        ) from error


def answer_from_dict(row: Mapping[str, Any], papers: Mapping[str, Paper]) -> Answer:
    """Return the answer that `Answer.to_dict` gave; a paper that the library lacks becomes an empty one."""
    if row["outcome"] not in OUTCOMES:
        raise ValueError(f"outcome is {row['outcome']!r}")
    return Answer(
        question=row["question"],
        standalone_question=row["standalone_question"],
        text=row["text"],
        outcome=row["outcome"],
        citations=tuple(Citation(**citation) for citation in row["citations"]),
        rejected=tuple(Rejected(**rejected) for rejected in row["rejected"]),
        evidence=tuple(_evidence(row["evidence"], papers)),
        confidence=float(row["confidence"]),
        confidence_note=row["confidence_note"],
        mode=row["mode"],
        model=row["model"],
        usage=Usage(**row["usage"]),
        seconds=float(row["seconds"]),
        warnings=tuple(row["warnings"]),
    )


def _evidence(rows: Iterable[Mapping[str, Any]], papers: Mapping[str, Paper]) -> Iterable[ScoredChunk]:
    for row in rows:
        paper = papers.get(row["paper_id"]) or Paper(row["paper_id"], "", True, "", "")
        start = max(paper.abstract.find(row["text"]), 0)
        chunk = Chunk(row["chunk_id"], paper.id, row["text"], start, start + len(row["text"]))
        yield ScoredChunk(chunk, paper, float(row["score"]), row["source"])
