"""What commands read and show: texts and histories from files, progress, answers as a terminal shows them."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.errors import InputError

if TYPE_CHECKING:
    from rag.types import Answer

_LONGEST = 1_000_000  # characters of a text that is handed in


def numbered(count: int, noun: str) -> str:
    """Return a number with its noun: "1 paper", "2 papers"."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


class Progress:
    """A progress bar on a terminal's standard error; where that is no terminal, one line at the end, or none.

    `doing` stands before the bar ("Embedding"), `done` begins the line ("Embedded"), `unit` is what is counted.
    """

    def __init__(self, doing: str = "Embedding", done: str = "Embedded", unit: str = "passage") -> None:
        self._doing, self._done, self._unit = doing, done, unit
        self._bar: Any = None
        self._started = 0.0

    def __call__(self, done: int, total: int) -> None:
        """Show that so many of the total are done."""
        if self._bar is None and not self._started:
            self._started = time.monotonic()
            if sys.stderr.isatty():
                from tqdm import tqdm

                self._bar = tqdm(total=total, unit=self._unit, desc=self._doing, file=sys.stderr, leave=True)
        if self._bar is not None:
            self._bar.update(done - self._bar.n)
        if done < total:
            return
        if self._bar is not None:
            self._bar.close()
        elif total and self._done:
            seconds = time.monotonic() - self._started
            print(f"{self._done} {numbered(total, self._unit)} in {seconds:.0f} s.", file=sys.stderr)
        self._bar, self._started = None, 0.0


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    # Where the terminal lacks a character, an escape keeps it: a "?" inside a quote would not be the abstract's.
    shows_all = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
    print(json.dumps(value, ensure_ascii=not shows_all, indent=2))


def read_history(name: str | None) -> list[Any]:
    """Return the earlier turns of a JSON file; raises `InputError` for what is no list."""
    if name is None:
        return []
    text = read_text(name)
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{name} is not JSON ({error}); give a list of earlier questions.") from error
    except (RecursionError, ValueError) as error:  # a number of too many digits is no JSONDecodeError
        raise InputError(f"{name} is JSON nested too deeply, or with too long a number; give a list.") from error
    if not isinstance(rows, list):
        raise InputError(f"{name} holds a JSON {type(rows).__name__}, but a list of earlier questions is wanted.")
    return rows


def read_text(name: str) -> str:
    """Return the text of a file, or of standard input (`-`); raises `InputError` where it can't be read."""
    try:
        if name == "-":
            text = sys.stdin.read(_LONGEST + 1)
        else:
            with Path(name).open(encoding="utf-8") as file:
                text = file.read(_LONGEST + 1)
        if len(text) > _LONGEST:
            raise InputError(f"{name!r} has more than {_LONGEST:,} characters; give it in parts, a chapter at a time.")
        return text
    except OSError as error:
        raise InputError(f"{name!r} can't be read ({error.strerror}); give the path of a text file.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{name!r} is not UTF-8 text; save it as UTF-8.") from error


def render_answer(answer: Answer) -> str:
    """Return an answer as the terminal shows it: the text, then its sources grouped by paper, then what to know."""
    lines = [answer.text]
    by_paper: dict[str, list[Any]] = {}
    for citation in answer.citations:
        by_paper.setdefault(citation.paper_id, []).append(citation)
    if by_paper:
        lines += ["", "Sources"]
        for rows in by_paper.values():
            markers = "".join(f"[{c.marker}]" for c in rows)
            lines.append(f"  {markers} {rows[0].title}  ({rows[0].paper_id})")
    note = f" · {answer.confidence_note}" if answer.confidence_note else ""
    how = answer.mode if answer.model is None else f"{answer.mode} ({answer.model})"
    lines += ["", f"{answer.outcome} · confidence {answer.confidence:.2f}{note} · {how}"]
    lines += [f"Note: {warning}" for warning in answer.warnings]
    lines += [f"Left out: {row.claim} ({row.reason})" for row in answer.rejected]
    return "\n".join(lines)


def found_by(source: str) -> str:
    """Return what found a paper, as said in the list."""
    return {"dense": "dense (by meaning)", "lexical": "lexical (by its words)"}.get(source, "both (words and meaning)")


def say(text: str) -> None:
    """Tell something beside the result, on standard error."""
    print(f"rag: {text}", file=sys.stderr)
