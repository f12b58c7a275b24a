"""Cut a model's stream into sentences as they complete. Pure."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable, Iterator

from rag.model.markers import ends_inside_marker, find_markers, plain_markers
from rag.model.reasoning import after_reasoning, in_channels
from rag.text.sentences import sentences

_BULLET = re.compile(r"^\s*(?:[-*•–]\s+|#{1,6}\s+|\d{1,2}[.)]\s+|>\s+)+")
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_LABEL = re.compile(r"^(?:(?:final )?answer|right|response|assistant|a)\s*:\s*", re.IGNORECASE)
# Marks of the chat format that a server lets through, and characters without width.
_FORMAT = re.compile(r"<\|[\w▁ -]{1,30}\|>|</?s>|<(?:eos|bos|end_of_turn|start_of_turn)>|\[/?INST\]", re.IGNORECASE)
_NO_WIDTH = str.maketrans("", "", "\ufeff\u200b\u2060\u00ad")
# A reply as a JSON object: the text is in one of its fields.
_FIELD = re.compile(r'^[\s{\[]*"(?:answer|response|reply|text|content|output|sentence)"\s*:\s*("(?:[^"\\]|\\.)*")')
# A sentence never grows so long; a model that goes round in circles ends none.
_LONGEST_SENTENCE = 2000
# Lines that a model copies from the prompt's examples, and list numbers that stand alone.
_NO_SENTENCE = re.compile(r"^(?:wrong\s*:|\W*\d*\W*$)", re.IGNORECASE)
_FENCE = re.compile(r"^\s*(?:```.*|</?(?:answer|source)[^>]*>)\s*$")


def draft_sentences(pieces: Iterable[str], sources: list[str]) -> Iterator[str]:
    """Yield each sentence once it can't change any more, with the markers that follow its full stop.

    What is left when the stream ends comes last, whole or not; an error of the stream passes through after it.
    """
    held = ""
    for piece in pieces:
        held = after_reasoning(held + piece)
        if in_channels(held):
            continue
        done, held = _split(held, sources)
        yield from done
        if len(held) > _LONGEST_SENTENCE:
            yield held[:_LONGEST_SENTENCE]
            held = ""
    if in_channels(held):
        return
    for line in held.splitlines():
        yield from _line_sentences(line, sources)


def _split(text: str, sources: list[str]) -> tuple[list[str], str]:
    """Return the sentences that are complete, and the rest."""
    *lines, last = text.split("\n")
    done = [sentence for line in lines for sentence in _line_sentences(line, sources)]
    mark = _BULLET.match(last)
    lead = mark.end() if mark else 0
    found = sentences(last[lead:])
    if len(found) < 2 or ends_inside_marker(last):
        return done, last
    start = lead + found[-1].start
    tail = last[start:]
    if _leading_markers(tail, sources) == len(tail.rstrip()):
        return done, last  # only markers so far: they belong to the sentence before
    cut = start + _leading_markers(tail, sources)
    return done + _line_sentences(last[:cut], sources), last[cut:]


def _line_sentences(line: str, sources: list[str]) -> list[str]:
    """Return a line's sentences without its bullet or heading mark; markers after a full stop join its sentence."""
    line = _bare(line, sources)
    if not line or _FENCE.match(line):
        return []
    line = _LABEL.sub("", _EMPHASIS.sub(r"\2", _BULLET.sub("", line)))
    rows: list[str] = []
    for sentence in sentences(line):
        text = sentence.text
        lead = _leading_markers(text, sources)
        if rows and lead:
            rows[-1] = f"{rows[-1]} {text[:lead].strip()}"
            text = text[lead:].strip()
        if text:
            rows.append(text)
    return [row for row in rows if not _NO_SENTENCE.match(row)]


def _bare(line: str, sources: list[str]) -> str:
    """Return a line without marks of the chat format, unless a source writes them, and out of its JSON field."""
    line = line.translate(_NO_WIDTH)
    for mark in set(_FORMAT.findall(line)):
        if not any(mark in source for source in sources):
            line = line.replace(mark, " ")
    field = _FIELD.match(line)
    if field:
        with contextlib.suppress(ValueError):
            line = str(json.loads(field.group(1)))
    return plain_markers(line.strip(), sources)


def _leading_markers(text: str, sources: list[str]) -> int:
    """Return the length of the run of markers that a text begins with."""
    end = len(text) - len(text.lstrip())
    for marker in find_markers(text, sources):
        if text[end : marker.start].strip(" .,;") == "":
            end = marker.end
        else:
            break
    return end if text[:end].strip() else 0
