"""Conversations as plain JSON: kept in the visitor's own browser, or behind the link of one answer.

What a browser hands back is input from outside: it is read field by field, and what does not fit is dropped.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rag.types import OUTCOMES, Answer, Citation, Rejected
from ui.conversation import Conversation, Exchange, Status

_FORMAT = 1
_MOST_CHATS = 30
_MOST_CHARACTERS = 1_500_000  # a browser keeps about five million a site
_LONGEST_NAME = 80
_STATUSES: tuple[Status, ...] = ("done", "stopped", "failed")


@dataclass(frozen=True, slots=True)
class Kept:
    """One conversation in the visitor's browser; `name` is its first question until it is given another."""

    id: str
    name: str
    library: str
    conversation: Conversation


@dataclass(frozen=True, slots=True)
class Keeping:
    """All conversations of one browser, the newest first, and the one that is open."""

    chats: tuple[Kept, ...] = ()
    current: str = ""

    def find(self, chat_id: str) -> Kept | None:
        """Return a conversation by its id."""
        return next((chat for chat in self.chats if chat.id == chat_id), None)

    def saved(self, conversation: Conversation, library: str) -> Keeping:
        """Return the keeping with the open conversation brought up to date, or begun."""
        if not conversation.exchanges:
            return self
        before = self.find(self.current)
        chat_id = before.id if before else secrets.token_urlsafe(6)
        name = before.name if before else _short(conversation.exchanges[0].question)
        rest = tuple(chat for chat in self.chats if chat.id != chat_id)
        return Keeping((Kept(chat_id, name, library, conversation), *rest)[:_MOST_CHATS], chat_id)

    def renamed(self, chat_id: str, name: str) -> Keeping:
        """Return the keeping with another name for one conversation; a blank name changes nothing."""
        if not name.strip():
            return self
        chats = tuple(replace(chat, name=_short(name)) if chat.id == chat_id else chat for chat in self.chats)
        return replace(self, chats=chats)

    def without(self, chat_id: str) -> Keeping:
        """Return the keeping without one conversation."""
        current = "" if self.current == chat_id else self.current
        return Keeping(tuple(chat for chat in self.chats if chat.id != chat_id), current)

    def opened(self, chat_id: str) -> Keeping:
        """Return the keeping with another conversation open; an empty id begins a new one."""
        return replace(self, current=chat_id if self.find(chat_id) else "")

    def to_json(self) -> dict[str, Any]:
        """Return what is kept as plain JSON values; the oldest conversations go where all would be too much."""
        chats = [
            {"id": c.id, "name": c.name, "library": c.library, "exchanges": exchanges_to_json(c.conversation)}
            for c in self.chats
        ]
        while len(chats) > 1 and len(json.dumps(chats)) > _MOST_CHARACTERS:
            chats.pop()
        return {"format": _FORMAT, "current": self.current, "chats": chats}

    def written(self) -> str:
        """Return what the browser keeps: the JSON as one text, as the server remembers it while the page is open."""
        return json.dumps(self.to_json(), ensure_ascii=False, separators=(",", ":"))


def read_keeping(value: Any) -> Keeping:
    """Return what a browser kept; what does not fit is left out."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            value = None
    if not isinstance(value, Mapping) or value.get("format") != _FORMAT:
        return Keeping()
    chats = []
    for row in _list(value.get("chats"))[:_MOST_CHATS]:
        if isinstance(row, Mapping) and _str(row, "id"):
            conversation = conversation_from_json(row.get("exchanges"))
            chats.append(Kept(_str(row, "id"), _short(_str(row, "name")), _str(row, "library"), conversation))
    keeping = Keeping(tuple(chats))
    return keeping.opened(_str(value, "current"))


def exchanges_to_json(conversation: Conversation) -> list[dict[str, Any]]:
    """Return a conversation as plain JSON values; evidence and usage stay behind."""
    return [
        {
            "id": e.id,
            "question": e.question,
            "text": e.text if e.answer is None else "",
            "status": "stopped" if e.status == "streaming" else e.status,
            "error": e.error,
            "suggestions": list(e.suggestions),
            "answer": None if e.answer is None else _answer_to_json(e.answer),
        }
        for e in conversation.exchanges
    ]


def conversation_from_json(value: Any) -> Conversation:
    """Return a conversation from JSON; an exchange that does not fit is left out."""
    exchanges: dict[int, Exchange] = {}
    for row in _list(value):
        if not isinstance(row, Mapping) or not isinstance(row.get("id"), int) or not 0 < row["id"] < 10**6:
            continue
        answer = _answer_from_json(row.get("answer"))
        status = next((known for known in _STATUSES if known == row.get("status")), None)
        if status is None or (status == "done" and answer is None):
            continue
        ahead = tuple(text for text in _list(row.get("suggestions")) if isinstance(text, str))
        texts = _str(row, "question"), answer.text if answer else _str(row, "text")
        exchanges[row["id"]] = Exchange(row["id"], *texts, answer, status, _str(row, "error"), ahead)
    return Conversation(tuple(exchanges[key] for key in sorted(exchanges)))


def _answer_to_json(answer: Answer) -> dict[str, Any]:
    row = answer.to_dict() | {"marks": list(answer.marks)}
    return {key: value for key, value in row.items() if key not in ("evidence", "usage")}


def _answer_from_json(value: Any) -> Answer | None:
    if not isinstance(value, Mapping) or _str(value, "outcome") not in OUTCOMES:
        return None
    citations = [c for c in map(_citation, _list(value.get("citations"))) if c is not None]
    rejected = [
        Rejected(_str(row, "marker"), _str(row, "claim"), _str(row, "reason"))
        for row in _list(value.get("rejected"))
        if isinstance(row, Mapping)
    ]
    outcome = next(known for known in OUTCOMES if known == value["outcome"])
    return Answer(
        question=_str(value, "question"),
        standalone_question=_str(value, "standalone_question"),
        text=_str(value, "text"),
        outcome=outcome,
        citations=tuple(citations),
        rejected=tuple(rejected),
        confidence=min(1.0, max(0.0, _number(value, "confidence"))),
        confidence_note=_str(value, "confidence_note"),
        mode="llm" if value.get("mode") == "llm" else "extractive",
        model=_str(value, "model") or None,
        seconds=max(0.0, _number(value, "seconds")),
        warnings=tuple(row for row in _list(value.get("warnings")) if isinstance(row, str)),
        marks=tuple(row for row in _list(value.get("marks")) if isinstance(row, int) and row >= 0),
    )


def _citation(value: Any) -> Citation | None:
    if not isinstance(value, Mapping) or not all(isinstance(value.get(k), int) for k in ("marker", "start", "end")):
        return None
    return Citation(
        value["marker"],
        _str(value, "paper_id"),
        _str(value, "chunk_id"),
        _str(value, "title"),
        _str(value, "quote"),
        value["start"],
        value["end"],
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _str(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def _number(row: Mapping[str, Any], key: str) -> float:
    value = row.get(key)
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0.0


def _short(name: str) -> str:
    name = " ".join(name.split())
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1].rstrip() + "…"


class Links:
    """Answers that a visitor made a link to: one file each, found only by who has the link."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "linked-answers"
        self._guard = threading.Lock()

    def store(self, exchange: Exchange, library: str) -> str:
        """Keep one exchange as it is now; return the key of its link."""
        key = secrets.token_urlsafe(12)
        row = {"format": _FORMAT, "library": library, "exchanges": exchanges_to_json(Conversation((exchange,)))}
        with self._guard:
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / f"{key}.json").write_text(json.dumps(row), encoding="utf-8")
        return key

    def load(self, key: str) -> tuple[Conversation, str] | None:
        """Return a linked exchange and its library's name, or None where there is no such link."""
        plain = key.replace("-", "").replace("_", "")
        file = self._folder / f"{key}.json"
        if not (plain.isascii() and plain.isalnum() and len(key) <= 40 and file.is_file()):
            return None
        row = json.loads(file.read_text(encoding="utf-8"))
        conversation = conversation_from_json(row.get("exchanges"))
        return (conversation, _str(row, "library")) if conversation.exchanges else None
