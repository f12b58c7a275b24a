"""Prompts are files in `prompts/`; this module reads them, checks their placeholders and fills them in.

A prompt file has a `# Title`, a `## System` and a `## User` part. Filling replaces each `{{name}}` of the file once;
what is put in is never looked at again, so braces in a paper or a question stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.errors import ConfigError
from rag.resources import resource
from rag.types import ScoredChunk, Turn

ANSWER_FIELDS = ("history", "question", "sources")
NO_ANSWER = "NO_ANSWER"
_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_PART = re.compile(r"^## +(.+?) *$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """The two messages of a prompt, as written in its file."""

    name: str
    system: str
    user: str

    def fill(self, values: Mapping[str, str]) -> FilledPrompt:
        """Return the messages with each placeholder replaced by its value, in one pass."""

        def put(match: re.Match[str]) -> str:
            return values[match.group(1)]

        return FilledPrompt(_PLACEHOLDER.sub(put, self.system), _PLACEHOLDER.sub(put, self.user))


@dataclass(frozen=True, slots=True)
class FilledPrompt:
    """The two messages that go to the model."""

    system: str
    user: str


def parse_prompt(name: str, text: str, fields: Sequence[str]) -> Prompt:
    """Read a prompt file's text; a part that is missing, or a placeholder missing or unused, is a `ConfigError`."""
    pieces = _PART.split(text)
    parts = {title.casefold(): body.strip() for title, body in zip(pieces[1::2], pieces[2::2], strict=True)}
    absent = [part for part in ("system", "user") if not parts.get(part)]
    if absent:
        raise ConfigError(f"Prompt {name} has no part {_listed(absent)}; it needs a ## System and a ## User heading.")
    used = set(_PLACEHOLDER.findall(parts["system"] + parts["user"]))
    missing, unknown = sorted(set(fields) - used), sorted(used - set(fields))
    if missing or unknown:
        faults = [f"lacks {_listed(missing)}"] * bool(missing) + [f"has unknown {_listed(unknown)}"] * bool(unknown)
        raise ConfigError(f"Prompt {name} {' and '.join(faults)}; its placeholders must be {_listed(fields)}.")
    return Prompt(name, parts["system"], parts["user"])


@lru_cache(maxsize=8)
def load_prompt(name: str, fields: tuple[str, ...] = ANSWER_FIELDS) -> Prompt:
    """Read `prompts/NAME.md` and check it."""
    path = resource("prompts", f"{name}.md")
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"There is no prompt file {path.name}; reinstall the package or restore the file.") from error
    return parse_prompt(path.name, text, fields)


def answer_prompt(
    question: str, history: Sequence[Turn], evidence: Sequence[ScoredChunk], *, brief: bool = False
) -> FilledPrompt:
    """Return the messages that ask for an answer: sources numbered from 1, earlier turns oldest first.

    The brief ones have no examples and no tags, which a model that needs them brief copies into its answer.
    """
    block = brief_block if brief else source_block
    values = {
        "question": one_line(question),
        "history": "\n".join(_turn(turn) for turn in history) or "(none)",
        "sources": "\n\n".join(block(number, scored) for number, scored in enumerate(evidence, start=1)),
    }
    return load_prompt("answer_brief" if brief else "answer").fill(values)


def source_block(number: int, scored: ScoredChunk) -> str:
    """Return one source as delimited data; a delimiter inside its text is defused."""
    title = one_line(scored.paper.title).replace("<", "‹").replace(">", "›").replace('"', "'")
    text = re.sub(r"<(?=/?source)", "‹", one_line(scored.chunk.text), flags=re.IGNORECASE)
    return f'<source number="{number}" title="{title}">\n{text}\n</source>'


def brief_block(number: int, scored: ScoredChunk) -> str:
    """Return one source as a line that begins with its number; no other line of a prompt begins so."""
    return f"[{number}] {one_line(scored.paper.title)}. {one_line(scored.chunk.text)}"


def one_line(text: str) -> str:
    """Return the text on one line."""
    return " ".join(text.split())


def _turn(turn: Turn) -> str:
    # Markers of an earlier answer counted other sources, so they must not be read as today's numbers.
    answer = re.sub(r"\s*\[\d+\]", "", one_line(turn.answer))
    return f"Q: {one_line(turn.question)}" + (f"\nA: {answer}" if answer else "")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
