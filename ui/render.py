"""Exchanges -> HTML: pure functions, everything that comes from papers, users or models escaped.

Each block stands on a line of its own with a blank line after it, so that Gradio's Markdown parser passes it through
untouched and its page redraws only the blocks that changed. Attributes are limited to those its sanitizer keeps
(`name`, `value`, `class`, `id`, `title`); a button's `name` says what it does, its `value` to what.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rag.types import Answer, Citation, Outcome
from ui.cards import blocks, export_row
from ui.conversation import Exchange
from ui.inline import escape, inline

_BADGES: dict[Outcome, tuple[str, str]] = {
    "answered": ("Answered", "Every statement is backed by a quote from an abstract."),
    "not_in_corpus": ("Not in this library", "No abstract here is about this."),
    "abstract_silent": ("The abstract does not say", "The paper is here, but its abstract leaves this open."),
    "false_premise": ("The premise does not hold", "The question assumes what the abstract does not say."),
    "too_vague": ("Too vague", "It is not clear which paper or what is meant."),
}
_HIGH, _MODERATE = 0.85, 0.6  # where a calibrated share of right answers is put into words
_SOURCES_SHOWN = 6  # a longer list, of a whole-corpus answer, is folded
_MARKER = re.compile(r"\[([0-9]+)\]")


def question_html(exchange: Exchange) -> str:
    """Return the visitor's question, exactly as typed."""
    lines = "<br>".join(escape(line) for line in exchange.question.splitlines())
    return f'<div class="question" dir="auto">{lines}</div>'


def exchange_html(exchange: Exchange, *, last: bool = False) -> str:
    """Return the reply of an exchange in whatever state it is; what to ask next stands under the last one only."""
    answer = exchange.answer
    if answer:
        return blocks(
            _standalone(answer),
            _status(answer),
            *_text_blocks(answer.text, exchange),
            _sources(exchange.id, answer.citations),
            *(f'<div class="note">{inline(warning)}</div>' for warning in answer.warnings),
            _rejected(answer),
            _footer(answer),
            _actions(exchange) if answer.outcome != "smalltalk" else "",
            _next(exchange.suggestions) if last else "",
        )
    return blocks(_progress(exchange), *_text_blocks(exchange.text, exchange), _failure(exchange))


def answer_html(answer: Answer, exchange_id: int = 1) -> str:
    """Return a finished answer; its markers open citations of that exchange and no other."""
    return exchange_html(Exchange(exchange_id, answer.question, answer.text, answer, "done"))


def link_html(key: str) -> str:
    """Return the link to one answer as it is now."""
    return blocks(
        '<div class="paper opened"><div class="paper-bar"><span class="label">Link to this answer</span>'
        '<button name="close" value="" class="quiet" title="Close">Close</button></div>'
        '<h2 id="source-title" tabindex="-1">This answer, as it is now</h2>'
        f'<p class="text"><a href="?answer={escape(key)}">?answer={escape(key)}</a></p>'
        "<p>Whoever has the link sees the question, the answer and its sources, and nothing else of this "
        "conversation.</p>"
        f'<div class="actions"><button name="link-copy" value="{escape(key)}" class="quiet">Copy link</button></div>'
        "</div>"
    )


def header_html(name: str, count: int, mode: str, model: str | None) -> str:
    """Return the line that always tells which library is asked, how, and with which model."""
    how = f"{escape(mode)} · {escape(model) if model else 'no model'}"
    return (
        '<div class="masthead"><h1>Ask the abstracts</h1><ul class="facts">'
        f'<li><span class="sr">Library: </span>{escape(name)}</li>'
        f"<li>{count:,} {'abstract' if count == 1 else 'abstracts'}</li>"
        f'<li class="mode"><span class="sr">Mode: </span>{how}</li></ul></div>'
    )


def welcome_html(name: str, count: int) -> str:
    """Return the invitation shown before the first question."""
    papers = "one abstract" if count == 1 else f"{count:,} abstracts"
    return blocks(
        f'<div class="welcome"><p class="lead">What would you like to know from {papers}?</p>'
        f"<p>Answers come from {escape(name)} alone. Each statement carries a number; the number opens the exact words "
        "it rests on.</p></div>"
    )


def _text_blocks(text: str, exchange: Exchange) -> Iterable[str]:
    """Yield one paragraph or list a block; only our own markers become buttons, never a paper's bracketed number."""
    marks = exchange.answer.marks if exchange.answer else ()
    for paragraph in _paragraphs(text):
        items = paragraph[0].text.startswith("- ")
        lines = [_line(line.without("- ") if items else line, marks, exchange) for line in paragraph]
        if items:
            yield f'<ul class="text">{"".join(f"<li>{line}</li>" for line in lines)}</ul>'
        else:
            yield f'<p class="text" dir="auto">{"<br>".join(lines)}</p>'


class _Line(NamedTuple):
    """A line of an answer, and where it begins in the whole text."""

    start: int
    text: str

    def without(self, prefix: str) -> _Line:
        """Return the line without what it begins with."""
        return _Line(self.start + len(prefix), self.text.removeprefix(prefix))


def _line(line: _Line, marks: Sequence[int], exchange: Exchange) -> str:
    """Return one line: what stands between two markers is rendered by itself, so that no formula runs across them."""
    pieces, position = [], 0
    for place in (mark - line.start for mark in marks):
        marker = _MARKER.match(line.text, place) if 0 <= place < len(line.text) else None
        citation = exchange.citation(int(marker[1])) if marker else None
        if marker and citation:
            pieces += [inline(line.text[position:place]), _marker_button(exchange.id, citation)]
            position = marker.end()
    return "".join([*pieces, inline(line.text[position:])])


def _paragraphs(text: str) -> Iterable[list[_Line]]:
    """Yield runs of lines that are all list items or all not, blank lines apart."""
    run: list[_Line] = []
    start = 0
    for whole in [*text.splitlines(keepends=True), ""]:
        line = _Line(start, "".join(whole.splitlines()))
        start += len(whole)
        if run and (not line.text.strip() or line.text.startswith("- ") != run[0].text.startswith("- ")):
            yield run
            run = []
        if line.text.strip():
            run.append(line)


def _marker_button(exchange_id: int, citation: Citation) -> str:
    return (
        f'<button name="cite" value="{exchange_id}:{citation.marker}" class="cite" title="{escape(citation.title)}">'
        f'<span class="sr">Source </span>{citation.marker}</button>'
    )


def _standalone(answer: Answer) -> str:
    standalone = answer.standalone_question.strip()
    if not standalone or standalone == answer.question.strip():
        return ""
    return f'<div class="read-as"><span>Read as</span> {escape(standalone)}</div>'


def _status(answer: Answer) -> str:
    badge = _BADGES.get(answer.outcome)
    if not badge:
        return ""
    words, meaning = badge
    confidence = _confidence(answer)
    return (
        f'<div class="status"><span class="badge {escape(answer.outcome)}">{words}</span>'
        f'{confidence}<span class="meaning">{meaning}</span></div>'
    )


def _confidence(answer: Answer) -> str:
    if not answer.confidence:
        return ""
    words = "high" if answer.confidence >= _HIGH else "moderate" if answer.confidence >= _MODERATE else "low"
    return f'<span class="confidence">{words} confidence, {round(answer.confidence * 100)} in 100</span>'


def _progress(exchange: Exchange) -> str:
    if exchange.status == "streaming":
        words = "Writing" if exchange.text else "Reading the abstracts"
        return f'<div class="status"><span class="badge busy">{words}…</span></div>'
    words = "Stopped" if exchange.status == "stopped" else "Failed"
    rest = '<span class="confidence">incomplete</span>' if exchange.text else ""
    return f'<div class="status"><span class="badge {escape(exchange.status)}">{words}</span>{rest}</div>'


def _failure(exchange: Exchange) -> str:
    if exchange.status not in ("failed", "stopped"):
        return ""
    message = f"<p>{escape(exchange.error)}</p>" if exchange.error else ""
    kind = "failure" if exchange.error else "again"
    return f'<div class="{kind}">{message}<button name="retry" value="{exchange.id}">Try again</button></div>'


def _sources(exchange_id: int, citations: Sequence[Citation]) -> str:
    """Return the cited papers in order of first use, each once, with all its markers."""
    if not citations:
        return ""
    by_paper: dict[str, list[Citation]] = {}
    for citation in citations:
        by_paper.setdefault(citation.paper_id, []).append(citation)
    rows = "".join(
        f'<li><button name="cite" value="{exchange_id}:{group[0].marker}" class="source" title="Open the abstract">'
        f'<span class="numbers">{" ".join(str(c.marker) for c in group)}</span>'
        f'<span class="title" dir="auto">{inline(group[0].title)}</span></button></li>'
        for group in by_paper.values()
    )
    label = "1 source" if len(by_paper) == 1 else f"{len(by_paper)} sources"
    if len(by_paper) > _SOURCES_SHOWN:
        return f'<details class="sources"><summary>{label}</summary><ul>{rows}</ul></details>'
    return f'<div class="sources"><p class="label">{label}</p><ul>{rows}</ul></div>'


def _rejected(answer: Answer) -> str:
    if not answer.rejected:
        return ""
    count = len(answer.rejected)
    words = "1 sentence of the draft was" if count == 1 else f"{count} sentences of the draft were"
    rows = "".join(f"<li><q>{escape(row.claim or row.marker)}</q> {escape(row.reason)}</li>" for row in answer.rejected)
    summary = f"<summary>{words} left out: not backed by an abstract</summary>"
    return f'<details class="note">{summary}<ul>{rows}</ul></details>'


def _actions(exchange: Exchange) -> str:
    """Return what a reader can do with an answer."""
    buttons = (
        ("retry", exchange.id, "Ask again"),
        ("edit", exchange.id, "Edit"),
        ("copy-answer", exchange.id, "Copy"),
        ("link", exchange.id, "Link"),
        ("vote", f"{exchange.id}:up", "Good answer"),
        ("vote", f"{exchange.id}:down", "Bad answer"),
    )
    row = "".join(
        f'<button name="{name}" value="{value}" class="quiet">{words}</button>' for name, value, words in buttons
    )
    save = f'<details class="save-as"><summary>Save</summary>{export_row("answer", str(exchange.id))}</details>'
    return f'<div class="actions">{row}{save if exchange.answer else ""}</div>'


def _next(questions: Sequence[str]) -> str:
    """Return questions to go on with, each a button."""
    if not questions:
        return ""
    rows = "".join(
        f'<li><button name="ask" value="{escape(question)}" class="next">{inline(question)}</button></li>'
        for question in questions
    )
    return f'<div class="next-questions"><p class="label">Ask next</p><ul>{rows}</ul></div>'


def _footer(answer: Answer) -> str:
    tokens = answer.usage.prompt_tokens + answer.usage.completion_tokens
    facts = [
        escape(answer.confidence_note),
        f"{answer.seconds:.1f} s" if answer.seconds else "",
        f"{escape(answer.model)}, {tokens:,} tokens" if answer.model and tokens else "",
    ]
    shown = " · ".join(fact for fact in facts if fact)
    return f'<div class="fine">{shown}</div>' if shown else ""
