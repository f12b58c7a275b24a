"""JSON of any layout -> records: a list, an object around one, an object by id, JSON lines, concatenated objects."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from rag.errors import InputError
from rag.library.records import WANTED, Record, from_row, key_name

_BROKEN = "the JSON is broken or cut off"
_DECODER = json.JSONDecoder()


def json_records(text: str) -> Iterator[Record]:
    """Yield the records of a text that begins like JSON."""
    start = text.lstrip()
    if start.startswith("["):
        first_line = start.split("\n", 1)[0].strip()
        if "\n" in start.strip() and _parses(first_line) and not isinstance(_parsed(first_line)[0:1], str):
            yield from _lines(text)
            return
        yield from _rows(_whole(text), "record")
        return
    try:
        value, end = _DECODER.raw_decode(start)
    except json.JSONDecodeError as error:
        if _is_one_object(start):
            raise InputError(f"The file begins like JSON but breaks at line {error.lineno}; mend it there.") from error
        value, end = None, 0
    except RecursionError:
        value, end = None, 0
    if value is not None and not start[end:].strip():
        yield from _object(value)
    elif value is not None and "\n" in start[:end]:
        yield from _one_after_another(start)
    else:
        yield from _lines(text)


def from_line(line: str, label: str) -> Record:
    """Return the record of one line of JSON; a broken one says so."""
    try:
        return from_row(json.loads(line.strip().rstrip(",")), label)
    except (ValueError, RecursionError):
        return Record(label, "", broken=_BROKEN)


def _parses(line: str) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _parsed(line: str) -> Any:
    value = json.loads(line)
    return value if isinstance(value, list) else []


def _is_one_object(start: str) -> bool:
    """Tell whether a broken text was one object over many lines, so that no line of it stands alone."""
    lines = [line for line in start.split("\n", 50)[:50] if line.strip()]
    return (len(lines) > 1 and lines[0].strip() in ("{", '{"')) or (len(lines) > 1 and lines[0].rstrip().endswith("["))


def _whole(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"The file begins like JSON but breaks at line {error.lineno}; mend it there.") from error
    except RecursionError as error:
        raise InputError("The file is JSON nested too deeply to be abstracts; give a list of objects.") from error


def _rows(rows: Any, kind: str) -> Iterator[Record]:
    yield from (from_row(row, f"{kind} {number}") for number, row in enumerate(rows, 1))


def _object(value: Any) -> Iterator[Record]:
    """Yield what one object holds: itself, the list that it wraps, or records by their ids."""
    if not isinstance(value, Mapping):
        yield from_row(value, "line 1")
        return
    content = value.get("content")
    keys = {key_name(k) for k in (*value, *(content if isinstance(content, Mapping) else ()))}
    if keys & WANTED and not _is_columns(value):
        yield from_row(value, "line 1")
        return
    if _is_columns(value):
        yield from _rows(_from_columns(value), "record")
        return
    lists = [v for v in value.values() if isinstance(v, list) and any(isinstance(row, Mapping) for row in v)]
    if lists:
        yield from _rows(max(lists, key=len), "record")
    elif value and all(isinstance(row, Mapping) for row in value.values()):
        rows = ({"id": key, **row} for key, row in value.items())
        yield from _rows(rows, "record")
    elif not value or any(isinstance(v, list) for v in value.values()):
        return
    else:
        yield from_row(value, "line 1")


def _is_columns(value: Mapping[str, Any]) -> bool:
    """Tell whether an object is a table by columns, as pandas writes one: `{"abstract": {"0": …}}`."""
    columns = [v for k, v in value.items() if key_name(k) in WANTED]
    return bool(columns) and isinstance(columns[0], (dict, list)) and "value" not in columns[0]


def _from_columns(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows: dict[Any, dict[str, Any]] = {}
    for key, column in value.items():
        cells = column.items() if isinstance(column, Mapping) else enumerate(column if isinstance(column, list) else ())
        for place, cell in cells:
            rows.setdefault(place, {})[key] = cell
    return list(rows.values())


def _one_after_another(text: str) -> Iterator[Record]:
    place, number = 0, 0
    while place < len(text):
        number += 1
        try:
            value, place = _DECODER.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError):
            yield Record(f"record {number}", "", broken=_BROKEN)
            following = text.find("\n{", place)
            if following < 0:
                return
            place = following + 1
            continue
        yield from_row(value, f"record {number}")
        while place < len(text) and text[place] in " \t\r\n,":
            place += 1


def _lines(text: str) -> Iterator[Record]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield from_line(line, f"line {number}")
