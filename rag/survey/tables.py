"""Papers side by side: an extraction table with a row a paper, and a comparison with a row an aspect."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rag.checking.alignment import own_names
from rag.errors import InputError
from rag.survey.columns import Cell, Column, columns, part_cell
from rag.survey.roles import ROLES, has_figure, parts
from rag.text.names import coined_names, name_key
from rag.types import Paper, Quote

LEAST_COMPARED, MOST_COMPARED = 2, 5
_QUOTES_AN_ASPECT = {"problem": 1, "idea": 2, "evidence": 2, "figures": 2, "code": 1}
_SILENT = {
    "problem": ("names", "name", "no problem"),
    "idea": ("states", "state", "no idea"),
    "evidence": ("reports", "report", "no evidence in words"),
    "figures": ("gives", "give", "no figures"),
    "code": ("says", "say", "nothing about code"),
}

# Acronyms of the field are no benchmarks.
_FIELD = re.compile(
    r"[A-Z]*(?:LLM|VLM|MLLM|VLA|LM|GPU|CPU|AI|ML|NLP|RL|SFT|GAN|CNN|RNN|DNN|OOD|ID|VQA|MSE|GRPO|KV|F1|BLEU|mIoU|mAP|AUC|AUROC"
    r"|PSNR|FID|WER|ROUGE)s?"
)


@dataclass(frozen=True, slots=True)
class Table:
    """Cells of papers by columns: `rows[i]` belongs to `papers[i]`, and a cell without quotes is empty."""

    columns: tuple[Column, ...]
    papers: tuple[Paper, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain JSON values; every quote keeps its offsets."""
        return {
            "columns": [column.name for column in self.columns],
            "rows": [
                {
                    "paper_id": paper.id,
                    "title": paper.title,
                    "cells": {c.name: cell_dict(cell) for c, cell in zip(self.columns, row, strict=True)},
                }
                for paper, row in zip(self.papers, self.rows, strict=True)
            ],
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two to five papers by aspect: `rows[aspect][i]` belongs to `papers[i]`; `limits` say what can't be compared."""

    papers: tuple[Paper, ...]
    rows: dict[str, tuple[Cell, ...]]
    limits: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain JSON values; every quote keeps its offsets."""
        return {
            "papers": [{"paper_id": p.id, "title": p.title} for p in self.papers],
            "aspects": {
                aspect: {p.id: cell_dict(cell) for p, cell in zip(self.papers, cells, strict=True)}
                for aspect, cells in self.rows.items()
            },
            "not_comparable": list(self.limits),
        }


def quote_dict(row: Quote) -> dict[str, Any]:
    """Return a quote with its offsets as plain JSON values."""
    return {"quote": row.text, "start": row.start, "end": row.end}


def cell_dict(cell: Cell) -> dict[str, Any]:
    """Return a cell as plain JSON values: its quotes, or the field of the record, and the parts of a figure."""
    shown: dict[str, Any] = {"text": cell.text, "quotes": [quote_dict(q) for q in cell.quotes]}
    if cell.record:
        shown["record"] = True
    if cell.figure:
        baseline = cell.figure.baseline
        shown["figure"] = {
            "number": quote_dict(cell.figure.number),
            "unit": cell.figure.unit,
            "baseline": quote_dict(baseline) if baseline else None,
        }
    return shown


def extract(text: str, papers: Sequence[Paper]) -> Table:
    """Fill a table whose columns are named in a line of text, a row a paper."""
    wanted = columns(text)
    return Table(wanted, tuple(papers), tuple(tuple(column.fill(paper) for column in wanted) for paper in papers))


def compare(papers: Sequence[Paper]) -> Comparison:
    """Lay two to five papers side by side; raises `InputError` for another number, or a paper named twice."""
    unique = tuple({paper.id: paper for paper in papers}.values())
    if len(unique) != len(papers) or not LEAST_COMPARED <= len(papers) <= MOST_COMPARED:
        raise InputError(
            f"{len(unique)} different papers were named, but {LEAST_COMPARED} to {MOST_COMPARED} can be compared."
        )
    rows: dict[str, tuple[Cell, ...]] = {
        role: tuple(part_cell(paper, role, _QUOTES_AN_ASPECT[role]) for paper in unique) for role in ROLES
    }
    return Comparison(unique, rows, tuple(_limits(unique, rows)))


def _limits(papers: Sequence[Paper], rows: dict[str, tuple[Cell, ...]]) -> list[str]:
    found = []
    for aspect, cells in rows.items():
        silent = [paper for paper, cell in zip(papers, cells, strict=True) if not cell.quotes]
        if silent:
            one, several, what = _SILENT[aspect]
            found.append(f"{aspect.capitalize()}: {_listed(silent)} {one if len(silent) == 1 else several} {what}.")
    if sum(bool(cell.quotes) for cell in rows["figures"]) >= LEAST_COMPARED:
        found.append(_common_ground(papers))
    if not any(_mentions(a, b) for a in papers for b in papers if a.id != b.id):
        found.append("None of these abstracts names another of these papers: who is better is not said.")
    return found


def _common_ground(papers: Sequence[Paper]) -> str:
    """Say whether figures can be set against each other: only where a dataset or benchmark is named by several."""
    named: dict[str, tuple[str, set[str]]] = {}
    for paper in papers:
        own = {name_key(key) for key in own_names(paper.title, paper.abstract)}
        for part in parts(paper.abstract):
            if part.role not in ("evidence", "figures") and not has_figure(part.sentence.text):
                continue
            for name in coined_names(part.sentence.text):
                if name.key not in own and not _FIELD.fullmatch(name.text):
                    named.setdefault(name.key, (name.text, set()))[1].add(paper.id)
    shared = sorted(text for text, ids in named.values() if len(ids) > 1)
    if not shared:
        return (
            "Figures: no benchmark or dataset is named by two of them beside its figures, "
            "so the numbers come from different tests."
        )
    stand = "stands" if len(shared) == 1 else "stand"
    return (
        f"Figures: {', '.join(shared)} {stand} beside the figures of more than one; "
        "whether the settings agree the abstracts do not say."
    )


def _mentions(paper: Paper, other: Paper) -> bool:
    names = {name_key(key) for key in own_names(other.title, other.abstract)}
    return any(name.key in names for name in coined_names(paper.abstract)) and not (
        names & {name_key(key) for key in own_names(paper.title, paper.abstract)}
    )


def _listed(papers: Sequence[Paper]) -> str:
    names = [f"“{paper.title}”" for paper in papers]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
