"""A question in another language is turned into English, and the verified answer into the language of the question.

A translated sentence keeps the quotes behind it. It is shown only where it has the names and numbers of the sentence
that was verified; else that one is shown as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rag.errors import ModelError
from rag.model.prompts import load_prompt, one_line
from rag.model.requests import whole_reply
from rag.text.names import coined_names
from rag.types import ChatModel, Statement, Usage

FIELDS = ("language", "lines")
_LINE = re.compile(r"^\W{0,3}(\d{1,3})\s*[.):]\s*(\S.*)$")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_MOST_TIMES = 4  # as long as a question is what a translation may be; longer ones answer it


@dataclass(frozen=True, slots=True)
class Translation:
    """The lines in the other language, None for those that failed; what it cost, and what went wrong."""

    lines: tuple[str | None, ...]
    usage: Usage = field(default_factory=Usage)
    trouble: str = ""


def in_english(model: ChatModel, question: str) -> Translation:
    """Return a question in English."""
    made = _translated(model, "English", [question])
    fitting = [line if line and len(line) <= _MOST_TIMES * len(question) else None for line in made.lines]
    return Translation(tuple(fitting), made.usage, made.trouble)


def in_language_of(
    model: ChatModel, question: str, statements: Sequence[Statement]
) -> tuple[list[Statement], Translation]:
    """Return verified statements in the language of a question, those in English whose translation does not hold."""
    texts = ["".join(part for part in statement.parts if isinstance(part, str)) for statement in statements]
    if not texts:
        return [], Translation(())
    made = _translated(model, f"the language of this question: {one_line(question)}", texts)
    found = [
        Statement((line, *statement.quotes), statement.factual) if line and _holds(line, text) else statement
        for line, text, statement in zip(made.lines, texts, statements, strict=True)
    ]
    return found, made


def _translated(model: ChatModel, language: str, texts: Sequence[str]) -> Translation:
    lines = "\n".join(f"{number}. {one_line(text)}" for number, text in enumerate(texts, start=1))
    try:
        reply = whole_reply(model, load_prompt("translate", FIELDS).fill({"language": language, "lines": lines}))
    except ModelError as error:
        return Translation((None,) * len(texts), trouble=str(error))
    said: dict[int, str] = {}
    for match in filter(None, map(_LINE.match, reply.text.splitlines())):
        said.setdefault(int(match[1]), match[2].strip())
    if not said and len(texts) == 1 and reply.text.strip():
        said[1] = one_line(reply.text)  # a single line is often given back without its number
    return Translation(tuple(said.get(number) for number in range(1, len(texts) + 1)), reply.usage)


def _holds(line: str, text: str) -> bool:
    """Tell whether a translation has the numbers of a sentence, whatever their comma, and its names, and no others."""
    told, given = ({name.key for name in coined_names(words)} for words in (line, text))
    return _numbers(line) == _numbers(text) and told == given


def _numbers(text: str) -> list[str]:
    return sorted(re.sub(r"[.,]", "", number) for number in _NUMBER.findall(text))
