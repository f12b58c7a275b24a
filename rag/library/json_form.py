"""JSON of any layout -> records: a list, objects around lists, an object by id, JSON lines, concatenated objects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from rag.errors import InputError
from rag.library.records import KNOWN, WANTED, WORDS_OF_ABSTRACT, Record, from_row, key_name

_BROKEN = "the JSON is broken or cut off"
# Not strict: exporters leave tabs and line ends bare inside strings.
_DECODER = json.JSONDecoder(strict=False)
_BETWEEN = " \t\r\n,\x1e"  # what stands between two objects; the last is RFC 7464's separator
_DEEPEST = 12  # wrappers around the papers of a dump: Solr has two, GraphQL four
_HEAD = 2000  # characters at a file's beginning in which an object around a list opens it
_LIST_OPENS = re.compile(r"\{[^{}\[\]]*\[\s*\{")
_OBJECT_OPENS = re.compile(r"[\[,]\s*(?=\{)")
_TRIES = 1000  # places at which reading is tried anew after a broken object, before the rest is given up
_BROKEN_OVER = 50  # lines over which a string with bare line ends may run


def json_records(text: str) -> Iterator[Record]:
    """Yield the records of a text that begins like JSON.

    Raises `InputError` where it is one broken list, and not one object of it can be read.
    """
    start = text.lstrip()
    value, end = value_at(start, 0)
    if end and not start[end:].strip(_BETWEEN):
        yield from _document(value, f"line {text.count(chr(10), 0, len(text) - len(start)) + 1}")
    elif end and "\n" in start[:end]:
        yield from _one_after_another(start)
    elif not end and (start.startswith("[") or _is_one_object(start)):
        yield from _salvaged(start)
    else:
        yield from _lines(text)


def from_line(line: str, label: str) -> Record:
    """Return the record of one line of JSON; a broken one says so."""
    value, end = value_at(line.strip(_BETWEEN), 0)
    if not end or line.strip(_BETWEEN)[end:]:
        return Record(label, "", broken=_BROKEN)
    return from_row(value, label)


def value_at(text: str, place: int) -> tuple[Any, int]:
    """Return the JSON value at a place and where it ends, 0 where it is broken."""
    try:
        return _DECODER.raw_decode(text, place)
    except (ValueError, RecursionError):  # a number of too many digits is no JSONDecodeError
        return None, 0


def _is_one_object(start: str) -> bool:
    """Tell whether a broken text was one object around a list, so that no line of it stands alone."""
    first, _, rest = start.partition("\n")
    return (
        _LIST_OPENS.match(start[:_HEAD]) is not None if not rest.strip() else first.rstrip().endswith(("[", "{", '{"'))
    )


def _document(value: Any, label: str) -> Iterator[Record]:
    """Yield the papers of one JSON value."""
    if isinstance(value, list) or (isinstance(value, Mapping) and (_is_columns(value) or not _is_paper(value))):
        rows = list(_papers_in(value)) or _longest_list(value)
        yield from _numbered(iter(rows if rows or _is_empty_answer(value) else [value]))
    else:
        yield from_row(value, label)


def _longest_list(value: Any) -> list[Any]:
    """Return the list in an object whose rows are named one by one as having no abstract."""
    lists = [v for v in value.values() if isinstance(v, list)] if isinstance(value, Mapping) else []
    return max((v for v in lists if any(isinstance(row, Mapping) for row in v)), key=len, default=[])


def _numbered(rows: Iterator[Any]) -> Iterator[Record]:
    return (from_row(row, f"record {number}") for number, row in enumerate(rows, 1))


def _is_empty_answer(value: Any) -> bool:
    """Tell whether a service answered with no paper: `{"notes": [], "count": 0}`."""
    return not value or (isinstance(value, Mapping) and any(isinstance(v, list) for v in value.values()))


def _papers_in(value: Any, depth: int = 0) -> Iterator[Any]:
    """Yield the rows that a value holds: of a list that has papers each entry, of wrappers what is in them."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        # A list that holds no paper, such as the authors of one, is only a list of papers at the top.
        if depth == 0 or any(_leads_to_papers(row) for row in value):
            for row in value:
                yield from _row_of(row, depth)
        return
    if not isinstance(value, Mapping):
        return
    if depth == 0 and _is_columns(value):
        yield from _from_columns(value)
    elif _is_paper(value):
        yield value
    elif _is_split(value):
        yield from (dict(zip(value["columns"], row, strict=False)) for row in value["data"] if isinstance(row, list))
    elif _is_by_id(value):
        yield from (
            {"id": key, **(row if isinstance(row, Mapping) else {"abstract": row})} for key, row in value.items()
        )
    else:
        for inner in value.values():
            if _leads_to_papers(inner):
                yield from _papers_in(inner, depth + 1)


def _row_of(row: Any, depth: int) -> Iterator[Any]:
    if isinstance(row, (Mapping, list)) and not _is_paper(row) and _leads_to_papers(row):
        yield from _papers_in(row, depth + 1)
    else:
        yield row


def _is_paper(row: Any) -> bool:
    """Tell whether an object is one paper: it has a key for an abstract, itself or in what OpenReview calls content."""
    if not isinstance(row, Mapping):
        return False
    content = row.get("content")
    keys = (*row, *(content if isinstance(content, Mapping) else ()))
    return any(key_name(key) in WANTED for key in keys)


def _leads_to_papers(value: Any, depth: int = 0) -> bool:
    if depth > _DEEPEST:
        return False
    if isinstance(value, Mapping):
        return _is_paper(value) or any(_leads_to_papers(v, depth + 1) for v in value.values())
    return isinstance(value, list) and any(_leads_to_papers(row, depth + 1) for row in value)


def _is_by_id(value: Mapping[str, Any]) -> bool:
    """Tell whether an object holds papers, or nothing but texts, by their ids."""
    inner = list(value.values())
    if not inner or any(key_name(key) in KNOWN for key in value):
        return False
    papers = sum(_is_paper(row) for row in inner)
    texts = sum(isinstance(row, str) and len(row.split()) >= WORDS_OF_ABSTRACT for row in inner)
    return (papers > 0 and all(isinstance(row, Mapping) for row in inner)) or texts == len(inner) > 1


def _is_columns(value: Mapping[str, Any]) -> bool:
    """Tell whether an object is a table by columns, as pandas writes one: `{"abstract": {"0": …}}`."""
    columns = {key_name(k): v for k, v in value.items()}
    abstract = next((v for k, v in columns.items() if k in WANTED), None)
    if not isinstance(abstract, (dict, list)) or "value" in abstract:
        return False
    # Beside an abstract in paragraphs or sections stand fields of one paper; beside a column, other columns.
    return len(abstract) > 0 and all(
        isinstance(v, type(abstract)) and len(v) == len(abstract) for v in columns.values()
    )


def _from_columns(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows: dict[Any, dict[str, Any]] = {}
    for key, column in value.items():
        for place, cell in column.items() if isinstance(column, Mapping) else enumerate(column):
            rows.setdefault(place, {})[key] = cell
    return list(rows.values())


def _is_split(value: Mapping[str, Any]) -> bool:
    """Tell whether an object is a table as pandas writes it with `orient="split"`."""
    columns = value.get("columns")
    return (
        isinstance(columns, list)
        and isinstance(value.get("data"), list)
        and any(key_name(column) in WANTED for column in columns)
    )


def _one_after_another(text: str) -> Iterator[Record]:
    """Yield objects that follow each other over many lines; after a broken one the next that opens a line is tried."""
    place, number = 0, 0
    while place < len(text):
        number += 1
        value, end = value_at(text, place)
        if end:
            yield from _rows_of(value, f"record {number}")
        else:
            yield Record(f"record {number}", "", broken=_BROKEN)
            following = text.find("\n{", place + 1)
            if following < 0:
                return
            end = following + 1
        place = end
        while place < len(text) and text[place] in _BETWEEN:
            place += 1


def _rows_of(value: Any, label: str) -> Iterator[Record]:
    """Yield the record of a value among others, or, where it is a page of a service, the papers that it holds."""
    if not _is_paper(value) and isinstance(value, (Mapping, list)) and _leads_to_papers(value):
        yield from (from_row(row, f"{label}, record {n}") for n, row in enumerate(_papers_in(value), 1))
    else:
        yield from_row(value, label)


def _salvaged(text: str) -> Iterator[Record]:
    """Yield the whole objects of a list that is broken or cut off, and name those that are not.

    Raises `InputError` where not one object of it can be read.
    """
    place, number, tries, broken, whole = 0, 0, 0, "", False
    while (opening := _OBJECT_OPENS.search(text, place)) and tries < _TRIES:
        place = opening.end()
        value, end = value_at(text, place)
        if end and (_is_paper(value) or not broken):
            if broken:
                yield Record(broken, "", broken=_BROKEN)
            number, tries, broken, whole, place = number + 1, 0, "", True, end
            yield from_row(value, f"record {number}")
        elif end:  # something inside the broken object, such as an author of the paper
            place = end
        else:
            tries += 1
            if not broken:
                number += 1
                broken = f"record {number}, at line {text.count(chr(10), 0, place) + 1}"
    if not whole:
        raise InputError(_where(text))
    if broken:
        yield Record(broken, "", broken=_BROKEN)
    elif not text.rstrip().endswith(("]", "}")):
        yield Record(f"record {number + 1}", "", broken=_BROKEN)


def _where(text: str) -> str:
    try:
        json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        return f"The file begins like JSON but breaks at line {error.lineno}; mend it there."
    except (ValueError, RecursionError):
        return "The file is JSON nested too deeply, or with numbers too long, to be abstracts; give a list of objects."
    return "The file is JSON without objects; give a list of objects with abstracts."


def _lines(text: str) -> Iterator[Record]:
    """Yield the records of JSON lines; a line that opens no object goes on with the string before it."""
    lines = text.split("\n")
    place = 0
    while place < len(lines):
        label = f"line {place + 1}"
        line, taken = lines[place].strip(_BETWEEN), 1
        value, end = value_at(line, 0)
        while not end and taken < _BROKEN_OVER and place + taken < len(lines) and _continues(lines[place + taken]):
            line, taken = f"{line}\n{lines[place + taken]}", taken + 1
            value, end = value_at(line.rstrip(_BETWEEN), 0)
        if line.strip():
            yield from _line_records(line.strip(_BETWEEN), value, end, label)
        place += taken


def _continues(line: str) -> bool:
    return not line.lstrip(_BETWEEN).startswith(("{", "["))


def _line_records(line: str, value: Any, end: int, label: str) -> Iterator[Record]:
    """Yield what one line holds: an object, several side by side, or something broken."""
    while end:
        yield from _rows_of(value, label)
        line = line[end:].strip(_BETWEEN)
        if not line:
            return
        value, end = value_at(line, 0)
    yield Record(label, "", broken=_BROKEN)
