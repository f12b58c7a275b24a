"""Papers -> HTML: the abstract in the panel, cards of a result list, the reading list."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rag.survey.bibliography import Entry, bibtex
from rag.types import Citation, Paper
from ui.finding import Results, matched_words
from ui.inline import Span, escape, highlighted, inline, with_words

_METADATA_SHOWN = ("authors", "venue", "year")
_FORMATS = (("md", "Markdown"), ("csv", "CSV"), ("json", "JSON"), ("bibtex", "BibTeX"), ("ris", "RIS"))
_KEEP = "Put it on the reading list of the Papers tab"
_PASSAGE_SHOWN = 420  # characters of a card; the panel has the whole abstract
_CLOSE = '<button name="close" value="" class="quiet" title="Close the abstract">Close</button>'


def paper_html(
    paper: Paper,
    cited: Sequence[Citation] = (),
    active: Citation | None = None,
    *,
    exchange_id: int = 1,
    opened: bool = True,
    near: Sequence[Paper] | None = None,
) -> str:
    """Return a paper's abstract with the quotes of one answer highlighted, the active one strongest.

    `opened` tells that the reader asked for it; a narrow page shows the panel only then. The element's id names the
    marker that is shown, so that the page can light it up in the answer. `near` are the nearest papers, None where
    they are looked up only when asked for.
    """
    shown_marker = f' id="source-{exchange_id}-{active.marker}"' if active else ""
    spans = [Span(c.start, c.end, c.marker, c == active) for c in cited if paper.abstract[c.start : c.end] == c.quote]
    derived = '<p class="derived">Title derived from the abstract</p>' if paper.title_derived else ""
    quoted = ", ".join(f"[{span.marker}]" for span in spans)
    return blocks(
        f'<div class="paper{" opened" if opened else ""}"{shown_marker}><div class="paper-bar">'
        f'<span class="label">{"Quoted in " + quoted if quoted else "Abstract"}</span>{_CLOSE}</div>'
        f'<h2 id="source-title" tabindex="-1" dir="auto">{inline(paper.title)}</h2>{derived}{metadata_html(paper)}'
        f'<div class="abstract" dir="auto">{highlighted(paper.abstract, spans)}</div>'
        f"{_paper_actions(paper, active)}{_near(paper, near)}</div>"
    )


def missing_paper_html(citation: Citation) -> str:
    """Return what is known of a cited paper that has left the library since."""
    whole = Span(0, len(citation.quote), citation.marker, active=True)
    return blocks(
        f'<div class="paper opened"><div class="paper-bar"><span class="label">No longer in the library</span>{_CLOSE}'
        f'</div><h2 id="source-title" tabindex="-1" dir="auto">{inline(citation.title)}</h2>'
        f'<div class="abstract" dir="auto">{highlighted(citation.quote, [whole])}</div></div>'
    )


def empty_panel_html() -> str:
    """Return the panel before anything is opened."""
    return blocks(
        '<div class="panel-hint"><p class="label">Source</p><p>Numbers in an answer open the abstract they quote, '
        "with the quote marked; so do the titles of papers.</p></div>"
    )


def results_html(results: Results, listed: Collection[str]) -> str:
    """Return the cards of a result list under the line that counts them; `listed` are the ids on the reading list."""
    if not results.shown:
        return blocks('<p class="lead-line">No paper fits. Try other words, or loosen the filters.</p>')
    noun = "paper" if results.total == 1 else "papers"
    order = "best first" if results.query else "in the order of the library"
    count = f"More than {results.total:,}" if results.deep else f"{results.total:,}"
    shown = f", the first {len(results.shown)} shown" if len(results.shown) < results.total else ""
    cards = "".join(
        _card(row.paper, row.passage or row.paper.abstract, results.query, row.paper.id in listed)
        for row in results.shown
    )
    return blocks(
        f'<p class="lead-line">{count} {noun}, {order}{shown}.</p>',
        f'<ul class="cards">{cards}</ul>',
        export_row("papers"),
    )


def reading_list_html(papers: Sequence[Paper], notes: Mapping[str, str]) -> str:
    """Return the reading list with the reader's notes, by id, and the buttons that take it away."""
    if not papers:
        return blocks('<p class="hint">Nothing on it yet: “Keep” on a paper puts it here, in this browser only.</p>')
    rows = "".join(
        f'<li>{paper_button(paper)}<button name="write" value="{escape(paper.id)}" class="quiet">Note</button>'
        f'<button name="keep" value="{escape(paper.id)}" class="quiet">Remove</button>'
        f"{_own_note(notes.get(paper.id, ''))}</li>"
        for paper in papers
    )
    return blocks(
        f'<ul class="reading">{rows}</ul>',
        export_row("list"),
    )


def _own_note(note: str) -> str:
    return f'<p class="own-note" dir="auto">{inline(note)}</p>' if note else ""


def paper_button(paper: Paper) -> str:
    """Return a paper's title as the button that opens its abstract."""
    return (
        f'<button name="paper" value="{escape(paper.id)}" class="title-button" title="Open the abstract" dir="auto">'
        f"{inline(paper.title)}</button>"
    )


def copy_button(words: str, text: str) -> str:
    """Return a button that copies a text."""
    return f'<button name="copy" value="{escape(text)}" class="quiet">{escape(words)}</button>'


def save_button(words: str, file: str, text: str) -> str:
    """Return a button that saves a text as a file; the first line of its value is the file's name."""
    return f'<button name="save" value="{escape(file)}&#10;{escape(text)}" class="quiet">{escape(words)}</button>'


def saved_html(file: str, text: str) -> str:
    """Return a file on its way to the reader; the page saves it as soon as it is there, each time anew."""
    return f'<div data-sent="{time.monotonic_ns()}">{save_button("Save", file, text)}</div>'


def export_row(kind: str, key: str = "") -> str:
    """Return the buttons that save a list, a table or an answer; the server writes the file when one is pressed."""
    buttons = "".join(
        f'<button name="export" value="{escape(kind)}:{form}:{escape(key)}" class="quiet">{words}</button>'
        for form, words in _FORMATS
    )
    label = '<span class="label">Save as</span>'
    return f'<div class="actions export" role="group" aria-label="Save as">{label}{buttons}</div>'


def metadata_html(paper: Paper) -> str:
    """Return authors, venue and year where they are known, and nothing where they are not."""
    known = (_plain(paper.metadata.get(key)) for key in _METADATA_SHOWN)
    line = " · ".join(escape(value) for value in known if value)
    return f'<p class="meta" dir="auto">{line}</p>' if line else ""


def blocks(*parts: str) -> str:
    """Return blocks of HTML, each on its own line with a blank line after it."""
    return "\n\n".join(part for part in parts if part)


def _card(paper: Paper, passage: str, query: str, listed: bool) -> str:
    shown = passage if len(passage) <= _PASSAGE_SHOWN else f"{passage[:_PASSAGE_SHOWN].rsplit(' ', 1)[0]} …"
    keep = "On the list" if listed else "Keep"
    return (
        f'<li class="card">{paper_button(paper)}{metadata_html(paper)}'
        f'<p class="passage" dir="auto">{with_words(shown, matched_words(shown, query) if query else [])}</p>'
        f'<div class="actions"><button name="about" value="{escape(paper.id)}" class="quiet">Ask about this paper'
        f"</button>{_keep_button(paper, keep)}</div></li>"
    )


def _paper_actions(paper: Paper, active: Citation | None) -> str:
    quote = copy_button("Copy quote", f"“{active.quote}” ({paper.title})") if active else ""
    return (
        f'<div class="actions">{quote}{copy_button("Copy BibTeX", bibtex([Entry(paper)]))}'
        f'<button name="about" value="{escape(paper.id)}" class="quiet">Ask about this paper</button>'
        f"{_keep_button(paper, 'Keep')}</div>"
    )


def _keep_button(paper: Paper, word: str) -> str:
    return f'<button name="keep" value="{escape(paper.id)}" class="quiet" title="{_KEEP}">{word}</button>'


def _near(paper: Paper, near: Sequence[Paper] | None) -> str:
    if near is None:
        button = f'<button name="paper" value="{escape(paper.id)}" class="quiet">Show the nearest papers</button>'
        return f'<div class="near">{button}</div>'
    rows = "".join(f"<li>{paper_button(other)}</li>" for other in near)
    return f'<div class="near"><h3>Nearest papers</h3><ul>{rows}</ul></div>' if rows else ""


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return _plain(value.get("name"))
    if isinstance(value, (list, tuple)):
        return _joined([name for name in (_plain(item) for item in value) if name])
    return "" if value is None else str(value).strip()


def _joined(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
