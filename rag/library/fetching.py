"""`rag fetch`: a venue's abstracts from OpenReview, or a query's from arXiv, page by page into a file of JSON lines.

What has arrived stands in `FILE.part`; the same command goes on from there. Each line is what the service gave.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from rag.errors import InputError, ModelError, NothingIndexed
from rag.library.feeds import atom_row, parsed

_TRIES = 5  # times a page is asked for before the run breaks off
_EMPTY_PAGES = 3  # empty pages in a row, where more was promised, that are taken for the end
_LONGEST_WAIT = 300.0  # seconds that a service's Retry-After is obeyed
_PASSING = (408, 425, 429, 500, 502, 503, 504)
_ATOM = "{http://www.w3.org/2005/Atom}"


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a service: its rows, and how many it says there are in all."""

    rows: list[dict[str, Any]]
    total: int


@dataclass(frozen=True, slots=True)
class Origin:
    """A service: where it is, how many rows a page has, how long to wait between two, how it is asked and read."""

    address: str
    size: int
    pause: float
    path: str
    parameters: Callable[[str, int, int], dict[str, str]]
    read: Callable[[str], Page]


def _openreview_page(text: str) -> Page:
    value = json.loads(text)
    notes = value.get("notes") if isinstance(value, dict) else None
    if not isinstance(notes, list):
        raise ValueError("it holds no list of notes")
    return Page([note for note in notes if isinstance(note, dict)], int(value.get("count") or 0))


def _arxiv_page(text: str) -> Page:
    feed = parsed(text)
    total = feed.findtext("{http://a9.com/-/spec/opensearch/1.1/}totalResults") or "0"
    for entry in feed.iter(f"{_ATOM}entry"):
        if "/api/errors" in (entry.findtext(f"{_ATOM}id") or ""):
            raise InputError(f"arXiv refused the query ({(entry.findtext(f'{_ATOM}summary') or '').strip()}); mend it.")
    return Page([atom_row(entry) for entry in feed.iter(f"{_ATOM}entry")], int(total))


ORIGINS = {
    "openreview": Origin(
        "https://api2.openreview.net",
        1000,
        1.0,
        "/notes",
        lambda query, start, size: {
            "content.venueid": query,
            "offset": str(start),
            "limit": str(size),
            "sort": "number:asc",
        },
        _openreview_page,
    ),
    # arXiv asks for three seconds between two requests.
    "arxiv": Origin(
        "https://export.arxiv.org",
        200,
        3.0,
        "/api/query",
        lambda query, start, size: {
            "search_query": query,
            "start": str(start),
            "max_results": str(size),
            "sortBy": "submittedDate",
            "sortOrder": "ascending",
        },
        _arxiv_page,
    ),
}


def file_name(origin: str, query: str) -> str:
    """Return the name of the file that a query is written to where none is given."""
    return f"{origin}-{re.sub(r'[^A-Za-z0-9.]+', '-', query).strip('-')[:80]}.jsonl"


def fetch(
    origin: str,
    query: str,
    path: Path,
    *,
    limit: int | None = None,
    address: str | None = None,
    say: Callable[[str], None] = lambda text: None,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Write what a service holds for a query to a file of JSON lines; return how many rows.

    Raises `ModelError` where the service fails for good (the next run goes on), `NothingIndexed` where it has nothing.
    """
    if not query.strip() or (limit is not None and limit < 1):
        raise InputError(
            "The query is blank or the limit below 1; give a venue id or a query, and a limit of 1 or more."
        )
    service = ORIGINS[origin]
    part = path.with_name(f"{path.name}.part")
    head = {"fetch": origin, "query": query}
    rows = _resumed(part, head)
    if rows:
        say(f"going on after the {len(rows)} abstracts that {part} holds")
    seen = {_key(row) for row in rows}
    with part.open("a" if rows else "w", encoding="utf-8") as file:
        if not rows:
            file.write(json.dumps(head, ensure_ascii=False) + "\n")
        start, total, empty = len(rows), 0, 0
        while limit is None or len(seen) < limit:
            page = _page(service, address or service.address, query, start, say, sleep)
            total = max(total, page.total)
            fresh = [row for row in page.rows if _key(row) not in seen]
            for row in fresh:
                seen.add(_key(row))
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()
            start += len(page.rows)
            say(f"{len(seen)} of {max(total, len(seen))} abstracts")
            # An empty page, or one that repeats what was given, is the end; but arXiv gives an empty one now and then.
            empty = 0 if page.rows else empty + 1
            if not fresh and (page.rows or start >= total or empty == _EMPTY_PAGES):
                break
            sleep(service.pause)
    return _finish(part, path, limit, total, say)


def _key(row: dict[str, Any]) -> str:
    return str(row.get("id") or row.get("forum") or json.dumps(row, sort_keys=True))


def _resumed(part: Path, head: dict[str, str]) -> list[dict[str, Any]]:
    """Return the rows of an earlier run for the same query; a line that was cut off is cut away."""
    if not part.is_file():
        return []
    lines = part.read_text(encoding="utf-8").split("\n")
    whole: list[dict[str, Any]] = []
    for line in lines[:-1]:
        try:
            whole.append(json.loads(line))
        except ValueError:
            break
    if not whole or whole[0] != head:
        return []
    part.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in whole), encoding="utf-8")
    return whole[1:]


def _page(
    service: Origin, address: str, query: str, start: int, say: Callable[[str], None], sleep: Callable[[float], None]
) -> Page:
    import httpx

    url, parameters = f"{address}{service.path}", service.parameters(query, start, service.size)
    problem = ""
    for attempt in range(_TRIES):
        wait = 2.0**attempt
        try:
            reply = httpx.get(url, params=parameters, timeout=60, follow_redirects=True)
            if reply.status_code == 200:
                return service.read(reply.text)
            if reply.status_code not in _PASSING:
                raise ModelError(f"{address} answered {reply.status_code} for {query!r}; check the query.")
            problem = f"answered {reply.status_code}"
            wait = _seconds(reply.headers.get("retry-after"), wait)
        except httpx.HTTPError as error:
            problem = f"does not answer ({type(error).__name__})"
        except (ValueError, ElementTree.ParseError) as error:
            problem = f"sent a page that can't be read ({error})"
        if wait > _LONGEST_WAIT:
            break
        if attempt + 1 < _TRIES:
            say(f"{address} {problem}; waiting {wait:g} s")
            sleep(wait)
    raise ModelError(f"{address} {problem}; what has arrived is kept, and the same command goes on from there.")


def _seconds(header: str | None, otherwise: float) -> float:
    """Return how long a Retry-After asks to wait, in seconds or until a date."""
    if not header:
        return otherwise
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return otherwise


def _finish(part: Path, path: Path, limit: int | None, total: int, say: Callable[[str], None]) -> int:
    """Put the rows where they belong, without the line that said what they answer; return how many."""
    lines = part.read_text(encoding="utf-8").split("\n")[1:-1][:limit]
    if not lines:
        part.unlink()
        raise NothingIndexed(f"Nothing was found for that query, and {path} was not written; check the query.")
    if limit is None and len(lines) < total:
        say(f"the service spoke of {total} abstracts and gave {len(lines)}")
    done = path.with_name(f"{path.name}.done")
    done.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.replace(done, path)
    part.unlink()
    return len(lines)
