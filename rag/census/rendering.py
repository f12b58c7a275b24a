"""Census -> the statements of an answer, and its rows for a table. Every quote keeps its place in the abstract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rag.census.judging import MOST_DOUBTFUL, Census, Finding
from rag.census.predicates import Everything, in_words
from rag.text.sheets import csv_text
from rag.text.words import NUMBER_WORDS
from rag.types import Quote, Statement

MOST_LISTED = 200  # lines that a page can bear; the table has them all
_UNSURE_LISTED = 20
_WORDS = {int(value): word for word, value in NUMBER_WORDS.items()}
NOTES = {
    "": "",
    "absence": "by absence, as nothing in it says so; it says ",
    "record": "by its record; it says ",
    "title": "by its title; it says ",
}
COLUMNS = ("outcome", "paper_id", "title", "quote", "start", "end", "note")


def statements(census: Census) -> list[Statement]:
    """Return a census in words: the count of what was read, the condition as understood, one cited line a paper."""
    yes, unsure, total = census.having("yes"), census.having("unsure"), len(census.findings)
    rows = [_say(_lead(census, len(yes), len(unsure), total))]
    for typed, meant in census.spelt:
        rows.append(_say(f"Taking “{typed}” as “{meant}”."))
    if not isinstance(census.predicate, Everything):
        # The reader's own words are data: they are shown, never read as a pattern.
        rows.append(_say(f"Understood as: abstracts that {understood(census)}."))
    # Where nothing is asked of a paper, nothing has to be shown: its line says what it is.
    asked = not isinstance(census.predicate, Everything)
    rows += [_line(finding, asked) for finding in yes[:MOST_LISTED]]
    if len(yes) > MOST_LISTED:
        rows.append(_say(f"\n\nOnly the first {MOST_LISTED} are shown; the table of this census lists them all."))
    if unsure and not yes:
        # Where nothing is sure, the reader needs the words that may be it.
        rows.append(_say("\n\nThese may, but their abstracts leave it open:"))
        rows += [_line(finding) for finding in unsure[:MOST_DOUBTFUL]]
        unsure = unsure[MOST_DOUBTFUL:]
    if unsure:
        rows.append(_say(f"\n\nNot decided, because the abstract leaves it open: {_titles(unsure)}"))
    return rows


def understood(census: Census) -> str:
    """Return the condition as it was understood, its figure included, to follow "abstracts that"."""
    return f"{in_words(census.predicate)}{f', {census.threshold}' if census.threshold else ''}"


def _lead(census: Census, yes: int, unsure: int, total: int) -> str:
    if isinstance(census.predicate, Everything):
        return f"{total:,} {_plural('abstract', total)}."
    read = f"{total:,} {_plural('abstract', total)} read"
    if not yes:
        none = f"None of the {total:,} abstracts does" if not unsure else f"None of the {total:,} abstracts surely does"
        answer = f"No: {none[:1].lower()}{none[1:]}" if census.form == "exists" else none
        tail = f" {read}: 0 yes, {f'{unsure:,} unsure, ' if unsure else ''}{total - unsure:,} no."
        return f"{answer}.{tail}"
    counts = ((yes, "yes"), (unsure, "unsure"), (total - yes - unsure, "no"))
    parts = [f"{count:,} {word}" for count, word in counts if count]
    counted = f"{read}: {', '.join(parts)}."
    if census.form == "count":
        word = _WORDS.get(yes, "")
        number = f"{word.capitalize()} ({yes:,})" if word else f"{yes:,}"
        return f"{number} of the {total:,} abstracts. {counted}"
    return f"Yes: {counted}" if census.form == "exists" else counted


def _line(finding: Finding, asked: bool = True) -> Statement:
    parts: list[str | Quote] = [f"\n- {finding.paper.title}: {NOTES[finding.note] if asked else ''}"]
    for number, quote in enumerate(finding.quotes):
        parts += [f"{' ' if number else ''}“{quote.text}” ", quote]
    return Statement(tuple(parts))


def _titles(findings: Sequence[Finding]) -> str:
    named = "; ".join(finding.paper.title for finding in findings[:_UNSURE_LISTED])
    more = len(findings) - _UNSURE_LISTED
    return f"{named}; and {more:,} more." if more > 0 else f"{named}."


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"


def _say(text: str) -> Statement:
    return Statement((text,), factual=False)


def to_dict(census: Census) -> dict[str, Any]:
    """Return a census as the JSON object that `rag census --json` prints."""
    return {
        "question": census.question,
        "form": census.form,
        "understood": f"abstracts that {understood(census)}",
        "spelt": dict(census.spelt),
        "read": len(census.findings),
        "yes": len(census.having("yes")),
        "unsure": len(census.having("unsure")),
        "no": len(census.having("no")),
        "certainty": round(census.certainty, 4),
        "findings": [_row(finding) for finding in census.findings],
    }


def _row(finding: Finding) -> dict[str, Any]:
    return {
        "outcome": finding.outcome,
        "paper_id": finding.paper.id,
        "title": finding.paper.title,
        "note": finding.note,
        "quotes": [{"quote": q.text, "start": q.start, "end": q.end} for q in finding.quotes],
    }


def to_csv(census: Census) -> str:
    """Return a census as CSV (RFC 4180), one row an abstract with its first quote, yes before unsure before no."""
    return csv_text(to_rows(census))


def to_rows(census: Census) -> list[tuple[object, ...]]:
    """Return the rows of `to_csv`, the first their names."""
    rows: list[tuple[object, ...]] = [COLUMNS]
    for outcome in ("yes", "unsure", "no"):
        for finding in census.having(outcome):
            quote = finding.quotes[0] if finding.quotes else None
            place = (quote.text, quote.start, quote.end) if quote else ("", "", "")
            rows.append((outcome, finding.paper.id, finding.paper.title, *place, finding.note))
    return rows
