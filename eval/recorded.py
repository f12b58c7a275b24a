"""Recorded answers: written once with their evidence, judged again without asking a model.

One JSON object a line: `id, question, history, answer, error`; `answer` is what `rag ask --json` prints, or null where
the system failed with `error`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from eval.run import Ask, MissingAnswerError, Report
from rag.errors import InputError, RagError
from rag.types import OUTCOMES, Answer, Chunk, Citation, Paper, Rejected, ScoredChunk, Usage

_Key = tuple[str, tuple[str, ...]]


class RecordedError(RagError):
    """Replay that the system failed on a question when it was recorded."""


def record_lines(report: Report) -> str:
    """Return a report's answers as the text of a record."""
    lines = []
    for row in report.rows:
        answer = row.answer.to_dict() if row.answer else None
        line = {
            "id": row.question.id,
            "question": row.question.question,
            "history": list(row.question.history),
            "answer": answer,
            "error": row.error,
        }
        lines.append(json.dumps(line, ensure_ascii=False, allow_nan=False))
    return "".join(line + "\n" for line in lines)


def load_record(file: Path, papers: Mapping[str, Paper]) -> Ask:
    """Return an `ask` that replays a record; a question that it does not hold raises `MissingAnswerError`."""
    answers: dict[_Key, Answer | str] = {}
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise InputError(f"{file} can't be read ({error.strerror}); name a record that exists.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8 (byte {error.start}); save it as UTF-8.") from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            key, value = _parse(line, papers, f"{file}, line {number}")
            answers[key] = value
    if not answers:
        raise InputError(f"{file} holds no answer; write it with `rag eval record FILE`.")

    def ask(question: str, history: list[str]) -> Answer:
        value = answers.get((question, tuple(history)))
        if value is None:
            raise MissingAnswerError(f"{file} holds no answer to this question")
        if isinstance(value, str):
            raise RecordedError(value)
        return value

    return ask


def _parse(line: str, papers: Mapping[str, Paper], where: str) -> tuple[_Key, Answer | str]:
    try:
        row = json.loads(line)
        key = (str(row["question"]), tuple(str(earlier) for earlier in row["history"]))
        if row["answer"] is None:
            return key, str(row.get("error") or "failed when it was recorded")
        return key, answer_from_dict(row["answer"], papers)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
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
