"""Recorded answers: written once with their evidence, judged again without asking a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from eval.records import RecordedAnswer, read_record
from eval.run import Ask, MissingAnswerError, Report
from rag.errors import InputError, RagError
from rag.types import Answer, Paper

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
    answers: dict[_Key, RecordedAnswer] = {}
    for row in read_record(file, papers):
        there = answers.get((row.question, row.history))
        if there is not None and there.answer != row.answer:
            raise InputError(f"{file} holds two answers to {row.question[:80]!r}; keep one of them.")
        answers[row.question, row.history] = row

    def ask(question: str, history: list[str]) -> Answer:
        row = answers.get((question, tuple(history)))
        if row is None:
            raise MissingAnswerError(f"{file} holds no answer to this question")
        if row.answer is None:
            raise RecordedError(row.error)
        return row.answer

    return ask
