"""What a reader takes away: a paper as BibTeX, a conversation as Markdown."""

from __future__ import annotations

import re
from typing import Any

from rag.types import Paper
from ui.conversation import Conversation

_SPECIAL = re.compile(r"(?<!\\)([&%#])")


def bibtex(paper: Paper) -> str:
    """Return the BibTeX entry of a paper: what its record tells, and nothing where it does not."""
    venue = _text(paper.metadata.get("venue"))
    fields = {
        "title": f"{{{_tex(paper.title)}}}",
        "author": " and ".join(_tex(author) for author in _names(paper.metadata.get("authors"))),
        "booktitle": _tex(venue),
        "year": _tex(_text(paper.metadata.get("year"))),
        "doi": _text(paper.metadata.get("doi")),
        "url": _text(paper.metadata.get("url")),
    }
    rows = "".join(f"  {key} = {{{value}}},\n" for key, value in fields.items() if value.strip("{}"))
    kind = "inproceedings" if venue else "misc"
    return f"@{kind}{{{_key(paper)},\n{rows}}}\n"


def conversation_markdown(conversation: Conversation, name: str) -> str:
    """Return a conversation as Markdown, each answer with its numbered sources and their quotes."""
    parts = [f"# {name}\n"]
    for exchange in conversation.exchanges:
        parts.append(f"## {exchange.question}\n\n{exchange.shown_text.strip()}\n")
        cited = exchange.answer.citations if exchange.answer else ()
        parts += [f"[{c.marker}] {c.title} ({c.paper_id})\n> {_one_line(c.quote)}\n" for c in cited]
    return "\n".join(parts)


def _key(paper: Paper) -> str:
    first = next(iter(_names(paper.metadata.get("authors"))), "")
    words = [w for w in re.findall(r"[A-Za-z0-9]+", paper.title) if len(w) > 2]
    family = re.findall(r"[A-Za-z]+", first)[-1:]
    return "".join([*family, _text(paper.metadata.get("year")), *words[:1]]) or re.sub(r"\W", "", paper.id) or "paper"


def _tex(text: str) -> str:
    """Return a text that BibTeX reads to its end: braces balanced, comments and separators escaped."""
    depth, kept = 0, []
    for character in _one_line(text):
        if character == "}" and depth == 0:
            continue
        depth += {"{": 1, "}": -1}.get(character, 0)
        kept.append(character)
    return _SPECIAL.sub(r"\\\1", "".join(kept) + "}" * depth)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _names(value: Any) -> list[str]:
    if isinstance(value, (list, tuple)):
        return [_text(item) for item in value if _text(item)]
    return [_text(value)] if _text(value) else []


def _text(value: Any) -> str:
    if isinstance(value, dict):
        value = value.get("name")
    return "" if value is None else str(value).strip()
