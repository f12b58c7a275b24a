"""A permanent record of an answer: what was asked, of what, with which settings, and what came back; to be replayed.

Records are files of the library's own folder, written only where the asker wants them: a question may be private. What
the library held is kept once for each state of it, as hashes, so that a replay can name every abstract that changed.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.errors import InputError, LibraryError
from rag.library.rows import digest
from rag.types import Answer, Paper, Turn

FORMAT = 1
_ID = re.compile(r"[0-9a-f]{12}")
_UNSTABLE = frozenset({"seconds"})
_MOST_NAMED = 20
_LONGEST_KEY = 90


@dataclass(frozen=True, slots=True)
class Record:
    """One recorded answer: the question with its history, what answered it, and the answer as plain values."""

    id: str
    question: str
    history: tuple[Turn, ...]
    mode: str
    setup: Mapping[str, Any]
    evidence: Mapping[str, str]
    corpus: str
    answer: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the record as it is stored."""
        return {
            "format": FORMAT,
            "id": self.id,
            "question": self.question,
            "history": [{"question": turn.question, "answer": turn.answer} for turn in self.history],
            "mode": self.mode,
            "setup": dict(self.setup),
            "evidence": dict(self.evidence),
            "corpus": self.corpus,
            "answer": dict(self.answer),
        }


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that a replay found changed: what, and its value then and now."""

    what: str
    then: Any
    now: Any

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as plain JSON values."""
        return {"what": self.what, "then": self.then, "now": self.now}


@dataclass(frozen=True, slots=True)
class Replay:
    """A recorded question asked again: the answer now, what differs in it, and what changed beneath it."""

    record: Record
    answer: Answer
    differences: tuple[Difference, ...]
    causes: tuple[Difference, ...]

    @property
    def identical(self) -> bool:
        """Tell whether the answer is the same, its seconds apart."""
        return not self.differences

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as the JSON object that `rag replay --json` prints."""
        return {
            "id": self.record.id,
            "question": self.record.question,
            "identical": self.identical,
            "changed_beneath": [row.to_dict() for row in self.causes],
            "differences": [row.to_dict() for row in self.differences],
            "answer": self.answer.to_dict(),
        }


class Records:
    """The records of one library, a file each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "records"

    def save(
        self,
        answer: Answer,
        history: Sequence[Turn],
        mode: str,
        setup: Mapping[str, Any],
        papers: Iterable[Paper],
    ) -> Record:
        """Write down an answer; the same answer from the same library and settings is the same record."""
        hashes = {paper.id: paper_hash(paper) for paper in papers}
        corpus = digest(json.dumps(hashes, sort_keys=True))
        read = dict.fromkeys([*(c.paper_id for c in answer.citations), *(s.paper.id for s in answer.evidence)])
        evidence = {identity: hashes[identity] for identity in read if identity in hashes}
        shown = _stable(answer.to_dict())
        turns = tuple(Turn(turn.question, turn.answer) for turn in history)
        values = [answer.question, [[t.question, t.answer] for t in turns], mode, dict(setup), corpus, shown]
        identity = digest(json.dumps(values, sort_keys=True, default=str))[:12]
        record = Record(identity, answer.question, turns, mode, setup, evidence, corpus, shown)
        try:
            # Questions may be private: no other user of the machine reads them.
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(f"corpus-{corpus}.json", hashes)
            self._write(f"{identity}.json", record.to_dict())
        except OSError as error:
            raise LibraryError(f"The record can't be written to {self._folder} ({error.strerror}).") from error
        return record

    def _write(self, name: str, value: Any) -> None:
        path = self._folder / name
        part = path.with_suffix(".part")
        part.write_text(json.dumps(value, ensure_ascii=False, indent=1, default=str), encoding="utf-8")
        part.replace(path)

    def load(self, identity: str) -> Record:
        """Return a record by id; raises `InputError` where there is none."""
        path = self._folder / f"{identity}.json"
        if not _ID.fullmatch(identity) or not path.is_file():
            raise InputError(f"There is no record {identity!r} in this library; list them with: rag replay")
        value = self._read(path)
        if value.get("format") != FORMAT:
            raise LibraryError(f"{path} has format {value.get('format')!r}, this version reads {FORMAT}.")
        history = tuple(Turn(row["question"], row["answer"]) for row in value["history"])
        fields = (value["mode"], value["setup"], value["evidence"], value["corpus"], value["answer"])
        return Record(value["id"], value["question"], history, *fields)

    def all(self) -> list[Record]:
        """Return every record, the newest first."""
        files = [path for path in self._folder.glob("*.json") if _ID.fullmatch(path.stem)]
        files.sort(key=lambda path: (-path.stat().st_mtime, path.name))
        return [self.load(path.stem) for path in files]

    def replay(
        self, identity: str, ask: Callable[[Record], Answer], setup: Mapping[str, Any], papers: Iterable[Paper]
    ) -> Replay:
        """Ask a recorded question again and compare; `ask` gets the record."""
        record = self.load(identity)
        now = {paper.id: paper_hash(paper) for paper in papers}
        path = self._folder / f"corpus-{record.corpus}.json"
        then = self._read(path) if path.is_file() else dict(record.evidence)
        causes = [*_setup_changes(record.setup, setup), *_corpus_changes(then, now, record.evidence)]
        answer = ask(record)
        return Replay(record, answer, tuple(_answer_changes(record.answer, _stable(answer.to_dict()))), tuple(causes))

    def _read(self, path: Path) -> dict[str, Any]:
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise LibraryError(f"{path} can't be read as a record ({error}); restore it or remove it.") from error
        if not isinstance(value, dict):
            raise LibraryError(f"{path} holds no record; restore it or remove it.")
        return value


def paper_hash(paper: Paper) -> str:
    """Return the hash of what an answer can depend on in a paper: its title, abstract and record."""
    return digest(json.dumps([paper.title, paper.abstract, dict(paper.metadata)], sort_keys=True, default=str))


def _stable(value: dict[str, Any]) -> dict[str, Any]:
    kept = {key: row for key, row in value.items() if key not in _UNSTABLE}
    loaded: dict[str, Any] = json.loads(json.dumps(kept, default=str))
    return loaded


def _setup_changes(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[Difference]:
    keys = [key for key in dict.fromkeys([*then, *now]) if then.get(key) != now.get(key)]
    return [Difference(f"setting {key}", then.get(key), now.get(key)) for key in keys]


def _corpus_changes(then: Mapping[str, str], now: Mapping[str, str], used: Mapping[str, str]) -> list[Difference]:
    """Return what changed in the library, papers that the answer used first."""
    changed = [identity for identity in then if identity in now and then[identity] != now[identity]]
    rows = [Difference(f"{_part(i, used)} changed", then[i], now[i]) for i in changed]
    rows += [Difference(f"{_part(i, used)} is gone", then[i], None) for i in then if i not in now]
    rows += [Difference(f"paper {i} is new", None, now[i]) for i in now if i not in then]
    rows.sort(key=lambda row: "(used" not in row.what)
    more = len(rows) - _MOST_NAMED
    return rows if more <= 0 else [*rows[:_MOST_NAMED], Difference(f"{more} more papers", None, None)]


def _part(identity: str, used: Mapping[str, str]) -> str:
    return f"paper {identity} (used by the answer)" if identity in used else f"paper {identity}"


def _answer_changes(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[Difference]:
    found = []
    for key in dict.fromkeys([*then, *now]):
        old, new = then.get(key), now.get(key)
        if old == new:
            continue
        if key == "text":
            found += _line_changes(str(old), str(new))
        elif key == "citations":
            found += _row_changes("citation", _keyed(old, "quote"), _keyed(new, "quote"))
        elif key == "evidence":
            found += _row_changes("evidence", _keyed(old, "text"), _keyed(new, "text")) or [
                Difference(key, "order", "order")
            ]
        else:
            found.append(Difference(key, old, new))
    return found


def _keyed(rows: Any, field: str) -> dict[str, Any]:
    return {f"{row['paper_id']}: {row[field]}": row for row in rows or ()}


def _row_changes(kind: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> list[Difference]:
    gone = [Difference(f"{kind} is gone", key, None) for key in then if key not in now]
    new = [Difference(f"{kind} is new", None, key) for key in now if key not in then]
    moved = [
        Difference(f"{kind} {field}, {_clipped(key)}", then[key].get(field), now[key].get(field))
        for key in then
        if key in now
        for field in then[key]
        if then[key].get(field) != now[key].get(field)
    ]
    return gone + new + moved


def _clipped(key: str) -> str:
    """Return enough of a passage to know it by."""
    return key if len(key) <= _LONGEST_KEY else f"{key[:_LONGEST_KEY].rsplit(' ', 1)[0]} …"


def _line_changes(then: str, now: str) -> list[Difference]:
    old, new = then.splitlines(), now.splitlines()
    found = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            found.append(Difference("text", "\n".join(old[a:b]) or None, "\n".join(new[c:d]) or None))
    return found


def in_words(replay: Replay) -> str:
    """Return a replay as the terminal shows it."""
    lines = [f"Question: {replay.record.question}"]
    lines.append("Identical, seconds apart." if replay.identical else "The answer differs.")
    if replay.causes:
        lines += ["", "Changed beneath it:", *(_said(row) for row in replay.causes)]
    if replay.differences:
        lines += ["", "Changed in the answer:", *(_said(row) for row in replay.differences)]
    return "\n".join(lines)


def _said(row: Difference) -> str:
    then = "" if row.then is None else f"\n    - {_shown(row.then)}"
    now = "" if row.now is None else f"\n    + {_shown(row.now)}"
    return f"  {row.what}{then}{now}"


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.replace("\n", "\n      ")
