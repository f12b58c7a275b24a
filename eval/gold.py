"""Gold questions: one JSON object a line, every line checked against the corpus before anything is asked.

The split is decided by the id alone: SHA-256 of the id in UTF-8, read as a number; even is `dev` (tuned on), odd is
`test` (only reported). Adding a question therefore never moves another one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from eval.matching import any_occurs, tokens
from rag.errors import InputError
from rag.types import OUTCOMES, REFUSALS, Outcome, Paper

Split = Literal["dev", "test"]

KINDS: tuple[str, ...] = (
    "single_fact",
    "which_paper",
    "census",
    "compare",
    "confusable",
    "follow_up",
    "not_in_corpus",
    "abstract_silent",
    "false_premise",
    "too_vague",
    "smalltalk",
    "injection",
    "other_language",
)
# What a drafted line carries in its note until a person has read it; gold is never what a machine thinks is right.
UNREVIEWED = "UNREVIEWED"
_KEYS = ("id", "kind", "question", "history", "papers", "must", "must_not", "outcome", "answers", "note")
_OPTIONAL = ("count",)
_WITH_PAPERS: frozenset[str] = frozenset({"answered", "false_premise", "abstract_silent"})


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question, the papers and facts that a right answer must hold, and the outcome it must have."""

    id: str
    kind: str
    question: str
    outcome: Outcome
    history: tuple[str, ...] = ()
    papers: tuple[str, ...] = ()
    must: tuple[tuple[str, ...], ...] = ()
    must_not: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    note: str = ""
    count: int | None = None

    @property
    def split(self) -> Split:
        """Return the half of the gold that the question belongs to."""
        return split_of(self.id)

    @property
    def answerable(self) -> bool:
        """Return whether a right reply is an answer (a corrected premise counts as one)."""
        return self.outcome in ("answered", "false_premise")

    def to_dict(self) -> dict[str, Any]:
        """Return the question as a line of a gold file holds it."""
        line = {
            "id": self.id,
            "kind": self.kind,
            "question": self.question,
            "history": list(self.history),
            "papers": list(self.papers),
            "must": [list(group) for group in self.must],
            "must_not": list(self.must_not),
            "outcome": self.outcome,
            "answers": list(self.answers),
            "note": self.note,
        }
        return line if self.count is None else line | {"count": self.count}


def split_of(question_id: str) -> Split:
    """Return `dev` or `test` by the SHA-256 of an id."""
    return "test" if hashlib.sha256(question_id.encode("utf-8")).digest()[-1] % 2 else "dev"


def load_gold(files: Iterable[Path], papers: Mapping[str, Paper]) -> tuple[GoldQuestion, ...]:
    """Read gold files, every line checked; raise `InputError` with file and line for the first that does not hold."""
    return read_questions(files, lambda question, where: check_against(question, papers, where))


def read_questions(
    files: Iterable[Path], check: Callable[[GoldQuestion, str], None] | None = None
) -> tuple[GoldQuestion, ...]:
    """Read gold files, the form of every line checked, and each question by `check` where it is given."""
    questions: dict[str, GoldQuestion] = {}
    for file in files:
        found = 0
        for number, line in enumerate(_lines(file), start=1):
            if not line.strip():
                continue
            where = f"{file}, line {number}"
            question = parse_gold(line, where)
            if question.id in questions:
                raise InputError(f"{where}: the id {question.id!r} was used before; every id must be its own.")
            if check:
                check(question, where)
            questions[question.id] = question
            found += 1
        if not found:
            raise InputError(f"{file} holds no gold question; write at least one line or leave the file out.")
    if not questions:
        raise InputError("No gold file was found; name one with --gold FILE.")
    return tuple(questions.values())


def _lines(file: Path) -> list[str]:
    try:
        # A file saved on Windows starts with a byte-order mark, which would stick to the first brace.
        return file.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise InputError(f"{file} can't be read ({error.strerror}); name a gold file that exists.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8 (byte {error.start}); save it as UTF-8.") from error


def parse_gold(line: str, where: str) -> GoldQuestion:
    """Return the question that one line holds, its form checked."""
    row = _object(line, where)
    missing = [key for key in _KEYS if key not in row]
    unknown = [key for key in row if key not in _KEYS + _OPTIONAL]
    if missing or unknown:
        wrong = f"the key {missing[0]!r} is missing" if missing else f"the key {unknown[0]!r} is unknown"
        raise InputError(f"{where}: {wrong}; a gold line has {', '.join(_KEYS)}, and count for some census questions.")
    for key, allowed in (("kind", KINDS), ("outcome", OUTCOMES)):
        if row[key] not in allowed:
            raise InputError(f"{where}: {key} is {row[key]!r}, but it must be one of {', '.join(allowed)}.")
    question = GoldQuestion(
        id=_text(row, "id", where),
        kind=row["kind"],
        question=_text(row, "question", where),
        outcome=row["outcome"],
        history=_texts(row["history"], "history", where),
        papers=_texts(row["papers"], "papers", where),
        must=_groups(row["must"], where),
        must_not=_texts(row["must_not"], "must_not", where),
        answers=_texts(row["answers"], "answers", where),
        note=row["note"] if isinstance(row["note"], str) else _text(row, "note", where),
        count=_count(row, where),
    )
    _check_form(question, where)
    if question.note.startswith(UNREVIEWED):
        raise InputError(
            f"{where}: {question.id!r} is a draft that nobody has reviewed; check it against its abstract and take "
            f"{UNREVIEWED!r} out of its note, or delete the line."
        )
    return question


def _object(line: str, where: str) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        row = dict(pairs)
        if len(row) < len(pairs):
            raise InputError(f"{where}: a key stands there twice; keep one of the two.")
        return row

    try:
        row = json.loads(line, object_pairs_hook=once)
        # Half a surrogate pair is JSON but no text: nothing could write it out again.
        json.dumps(row, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as error:
        raise InputError(
            f"{where} is not JSON ({error.msg}, column {error.colno}); write one object a line."
        ) from error
    except RecursionError as error:
        raise InputError(f"{where} is nested too deep to be a gold line; write one flat object a line.") from error
    except UnicodeEncodeError as error:
        raise InputError(f"{where} holds half a character (a lone surrogate); write the text as UTF-8.") from error
    if not isinstance(row, dict):
        raise InputError(f"{where} is JSON but no object; write one object a line.")
    return row


def _text(row: Mapping[str, Any], key: str, where: str) -> str:
    if not isinstance(row[key], str) or not row[key].strip():
        raise InputError(f"{where}: {key} is {row[key]!r}, but it must be text that is not blank.")
    return str(row[key])


def _texts(value: Any, key: str, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        raise InputError(f"{where}: {key} is {value!r}, but it must be a list of texts that are not blank.")
    return tuple(value)


def _groups(value: Any, where: str) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list) or any(isinstance(group, str) for group in value):
        raise InputError(
            f"{where}: must is {value!r}, but it must be a list of groups, each a list of wordings of one fact: "
            '[["23", "twenty-three"], ["ROC"]].'
        )
    groups = tuple(_texts(group, "a group of must", where) for group in value)
    if not all(groups):
        raise InputError(f"{where}: a group of must is empty; give it an alternative or take it out.")
    return groups


def _count(row: Mapping[str, Any], where: str) -> int | None:
    count = row.get("count")
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 0):
        raise InputError(f"{where}: count is {count!r}, but it must be a whole number.")
    return count


def _check_form(question: GoldQuestion, where: str) -> None:
    """Raise if the fields of a question contradict each other."""
    if question.kind in OUTCOMES and question.kind != question.outcome:
        raise InputError(f"{where}: kind {question.kind} has the outcome {question.outcome}; they must be the same.")
    # "How many papers use X?" has an answer also where none does.
    counts_none = question.kind == "census" and question.count == 0
    needs_papers = question.outcome in _WITH_PAPERS and not counts_none
    if needs_papers != bool(question.papers):
        wanted = "name at least one" if needs_papers else "leave papers empty"
        raise InputError(f"{where}: outcome {question.outcome} with {len(question.papers)} papers; {wanted}.")
    if len(set(question.papers)) < len(question.papers):
        raise InputError(f"{where}: a paper is named twice; name each once.")
    if question.must and (question.outcome in REFUSALS or question.outcome == "smalltalk"):
        raise InputError(f"{where}: outcome {question.outcome} with must-have facts; leave must empty.")
    if question.count is not None and question.kind != "census":
        raise InputError(f"{where}: only census questions have a count, and this is {question.kind}; take it out.")
    if question.count not in (None, len(question.papers)):
        raise InputError(f"{where}: count is {question.count}, but {len(question.papers)} papers are named; mend one.")
    if not question.answers:
        raise InputError(f"{where}: answers is empty; write at least one gold answer in prose.")
    for key in (*question.must_not, *(key for group in question.must for key in group)):
        if not tokens(key):
            raise InputError(f"{where}: {key!r} holds neither a word nor a number; write something that can be found.")


def check_against(question: GoldQuestion, papers: Mapping[str, Paper], where: str) -> None:
    """Raise if a gold paper is not in the corpus, or if its abstract does not say a must-have fact."""
    for paper in question.papers:
        if paper not in papers:
            owner = paper.rpartition(":")[0]
            advice = f"write {owner!r}, for a chunk is no paper" if owner in papers else "index it or correct the id"
            raise InputError(
                f"{where}: the gold paper {paper!r} of {question.id!r} is not in the library ({len(papers)} papers); "
                f"{advice}."
            )
    if question.outcome != "answered":
        return
    said = [papers[paper].abstract for paper in question.papers]
    for group in question.must:
        if not any(any_occurs(group, abstract) for abstract in said):
            raise InputError(
                f"{where}: none of {list(group)!r} occurs in the abstracts of {_listed(question.papers)}; "
                "add the abstract's own wording."
            )


def _listed(papers: Sequence[str]) -> str:
    return ", ".join(papers)
