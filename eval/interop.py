"""Other tools' forms: BEIR and TREC (queries, qrels, runs), and one flat JSON line an answer.

queries.jsonl  {"_id", "text"}           qrels/test.tsv  query-id, corpus-id, score (with a head line)
corpus.jsonl   {"_id", "title", "text"}  qrels.trec, run.trec  trec_eval's columns
answers.jsonl  {"question", "answer", "contexts", "reference"}: RAGAS and DeepEval read it after renaming keys
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from eval.gold import GoldQuestion
from eval.metrics import first_of_each
from eval.run import Report
from rag.errors import InputError
from rag.types import Paper

Qrels = Mapping[str, Mapping[str, int]]
_TAG = "rag"


def export_folder(report: Report, papers: Mapping[str, Paper]) -> dict[str, str]:
    """Return the files of an export, by their names in the folder; questions without a gold paper are left out."""
    asked = [row for row in report.rows if row.question.papers]
    qrels = [(row.question.id, paper) for row in asked for paper in row.question.papers]
    corpus = [{"_id": key, "title": paper.title, "text": paper.abstract} for key, paper in papers.items()]
    queries = [{"_id": row.question.id, "text": row.question.question} for row in asked]
    return {
        "queries.jsonl": _lines(queries),
        "corpus.jsonl": _lines(corpus),
        "qrels/test.tsv": "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t1\n" for q, d in qrels),
        "qrels.trec": "".join(f"{q} 0 {d} 1\n" for q, d in qrels),
        "run.trec": "".join(_run_lines(report)),
        "answers.jsonl": _lines([flat for row in report.rows if (flat := _flat(report, row.question))]),
    }


def _lines(rows: list[dict[str, object]] | list[dict[str, str]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _run_lines(report: Report) -> list[str]:
    lines = []
    for row in report.rows:
        if row.answer is None or not row.question.papers:
            continue
        ranked = first_of_each(scored.paper.id for scored in row.answer.evidence)
        # trec_eval orders by score and not by rank; ours compare within one answer only, so the place gives the score.
        lines += [
            f"{row.question.id} Q0 {paper} {place} {len(ranked) - place + 1} {_TAG}\n"
            for place, paper in enumerate(ranked, start=1)
        ]
    return lines


def _flat(report: Report, question: GoldQuestion) -> dict[str, object] | None:
    row = next(row for row in report.rows if row.question.id == question.id)
    if row.answer is None:
        return None
    return {
        "question": question.question,
        "answer": row.answer.text,
        "contexts": [scored.chunk.text for scored in row.answer.evidence],
        "reference": question.answers[0] if question.answers else "",
    }


def read_qrels(file: Path) -> Qrels:
    """Read relevance judgements, TREC's four columns or BEIR's three; only those above zero count."""
    qrels: dict[str, dict[str, int]] = {}
    for number, columns in _columns(file):
        if number == 1 and columns[:1] == ["query-id"]:
            continue
        if len(columns) not in (3, 4):
            raise InputError(f"{file}, line {number} has {len(columns)} columns; qrels have 3 (BEIR) or 4 (TREC).")
        query, paper, grade = columns[0], columns[-2], columns[-1]
        if not grade.lstrip("-").isdigit():
            raise InputError(f"{file}, line {number}: the grade is {grade!r}, but it must be a whole number.")
        if int(grade) > 0:
            qrels.setdefault(query, {})[paper] = int(grade)
    return qrels


def read_run(file: Path) -> dict[str, list[str]]:
    """Read a TREC run: paper ids a query, best first, equal scores by id."""
    scored: dict[str, list[tuple[float, str]]] = {}
    for number, columns in _columns(file):
        try:
            query, _, paper, _, score, _ = columns
            scored.setdefault(query, []).append((-float(score), paper))
        except ValueError as error:
            raise InputError(f"{file}, line {number} is no line of a TREC run (query Q0 id rank score tag).") from error
    return {query: [paper for _, paper in sorted(rows)] for query, rows in scored.items()}


def _columns(file: Path) -> list[tuple[int, list[str]]]:
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file} can't be read ({error}); name a file of judgements or of a run.") from error
    return [(number, line.split()) for number, line in enumerate(lines, start=1) if line.strip()]


def import_folder(folder: Path, papers: Mapping[str, Paper]) -> list[str]:
    """Return the judged queries of a BEIR folder as gold lines that ask for the right papers."""
    queries = folder / "queries.jsonl"
    try:
        rows = [json.loads(line) for line in queries.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
        texts = {str(row["_id"]): str(row["text"]) for row in rows}
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{queries} is no BEIR queries file ({type(error).__name__}: {error}).") from error
    judged = sorted((folder / "qrels").glob("*.tsv"))
    if not judged:
        raise InputError(f"{folder / 'qrels'} holds no .tsv file of judgements; a BEIR folder has one.")
    found: dict[str, tuple[str, ...]] = {}
    for file in judged:
        for query, wanted in read_qrels(file).items():
            found[query] = tuple(dict.fromkeys([*found.get(query, ()), *wanted]))
    return [_gold_line(q, texts, wanted, papers, folder) for q, wanted in sorted(found.items())]


def _gold_line(
    query: str, texts: Mapping[str, str], wanted: tuple[str, ...], papers: Mapping[str, Paper], folder: Path
) -> str:
    if query not in texts:
        raise InputError(f"{folder}: the judgements name the query {query!r}, which queries.jsonl does not have.")
    missing = [paper for paper in wanted if paper not in papers]
    if missing:
        raise InputError(f"{folder}: the paper {missing[0]!r} is not in the library; index the corpus first.")
    titles = tuple(papers[paper].title for paper in wanted)
    question = GoldQuestion(
        query, "which_paper", texts[query], "answered", papers=wanted, answers=titles, note="imported judgements"
    )
    return json.dumps(question.to_dict(), ensure_ascii=False)
