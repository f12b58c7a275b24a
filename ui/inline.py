r"""Untrusted text -> inline HTML: everything escaped, math handed to KaTeX, money left alone, links made safe.

Gradio runs what we give it through a Markdown parser, a sanitizer and KaTeX. The text we return stands inside HTML
blocks, which the parser leaves alone; the characters its other passes look for (`$`, `%`, line ends) leave here as
character references. Math is fenced by two private-use characters that occur in no other text of the page.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

MATH_OPEN, MATH_CLOSE = "\ue0f1", "\ue0f2"
LATEX_DELIMITERS: tuple[Mapping[str, str | bool], ...] = ({"left": MATH_OPEN, "right": MATH_CLOSE, "display": False},)

_LONGEST_FORMULA = 400  # longer ones are broken markup rather than inline math
_REFERENCES = str.maketrans(
    {
        "$": "&#36;",  # would be read as a formula
        "%": "&#37;",  # Gradio parks formulas as %%%LATEX_BLOCK_0%%%, which a text could otherwise spell
        "\n": "&#10;",  # a blank line would end the HTML block
        "\r": "&#13;",
        "\t": "&#9;",
        MATH_OPEN: "\ufffd",
        MATH_CLOSE: "\ufffd",
    }
)

_CANDIDATE = re.compile(
    r"""
      (?P<url>https?://[^\s<>"'`“”‘’«»{}|\\^\[\]$]+)
    | \$\$(?P<display>[^$\n]+?)\$\$
    | \\\((?P<round>[^\n]+?)\\\)
    | \\\[(?P<square>[^\n]+?)\\\]
    | (?<![`\w])`(?P<code>[^`'\n]{1,80})`(?![`\w])
    | (?<![\\$])\$(?P<dollar>(?:\\[^\n]|[^$\\\n])+)\$
    """,
    re.VERBOSE,
)
# Commands that size, move, colour or define: a formula with one of them could cover or restyle the page.
_UNSAFE_TEX = re.compile(
    r"\\(?:rule|[hvm]?space|[hm]?skip|m?kern|raisebox|(?:math)?[lrc]lap|smash|v?phantom|hphantom"
    r"|[gex]?def|let|futurelet|global|long|(?:re)?newcommand|providecommand|begin|end|includegraphics"
    r"|href|url|html[A-Za-z]*|(?:text|f?color|page)?color(?:box)?|fcolorbox|tiny|[Ll]arge|LARGE|[Hh]uge|tag|char)"
    r"(?![A-Za-z])"
    r"|\\\\"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch of a text that is more than letters: a formula, a link, or code between backticks."""

    start: int
    end: int
    kind: Literal["math", "url", "code"]
    body: str


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of an abstract to highlight, with the marker that quotes it."""

    start: int
    end: int
    marker: int
    active: bool = False


def escape(text: str) -> str:
    """Return the text so that every character shows as written, in a body or an attribute."""
    sound = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate can't be sent
    return html.escape(sound, quote=True).translate(_REFERENCES)


def tokens(text: str) -> Iterator[Token]:
    """Yield the formulas, links and code of a text in order, never overlapping."""
    position = 0
    while match := _CANDIDATE.search(text, position):
        token = _token(text, match)
        if token:
            yield token
        position = token.end if token else match.start() + 1


def inline(text: str) -> str:
    """Return safe inline HTML."""
    return _rendered(text, 0, len(text), tuple(tokens(text)))


def highlighted(text: str, spans: Sequence[Span]) -> str:
    """Return safe inline HTML with the spans in `<mark>`; the active one carries the id `active-quote`."""
    found = tuple(tokens(text))
    inside = [span for span in spans if 0 <= span.start < span.end <= len(text)]
    cuts = sorted({0, len(text), *(s.start for s in inside), *(s.end for s in inside)})
    pieces: list[str] = []
    anchored = False
    for start, end in pairwise(cuts):
        body = _rendered(text, start, end, found)
        covering = [span for span in inside if span.start <= start and end <= span.end]
        if not covering:
            pieces.append(body)
            continue
        numbers = "".join(f'<sup class="quote-no">{s.marker}</sup>' for s in inside if s.start == start)
        active = any(span.active for span in covering)
        anchor = ' id="active-quote"' if active and not anchored else ""
        anchored = anchored or active
        pieces.append(f'{numbers}<mark class="quote{" active" if active else ""}"{anchor}>{body}</mark>')
    return "".join(pieces)


def with_words(text: str, places: Sequence[tuple[int, int]]) -> str:
    """Return safe inline HTML with the words at these places marked as found."""
    found = tuple(tokens(text))
    cuts = sorted({0, len(text), *(edge for place in places for edge in place)})
    pieces = []
    for start, end in pairwise(cuts):
        body = _rendered(text, start, end, found)
        inside_token = any(token.start <= start and end <= token.end for token in found)
        marked = not inside_token and any(a <= start and end <= b for a, b in places)
        pieces.append(f'<mark class="hit">{body}</mark>' if marked else body)
    return "".join(pieces)


def _rendered(text: str, start: int, end: int, found: Sequence[Token]) -> str:
    """Render `text[start:end]`; a token that sticks out of it stays literal."""
    pieces: list[str] = []
    position = start
    for token in found:
        if token.start < position or token.end > end:
            continue
        pieces += [escape(text[position : token.start]), _shown(token)]
        position = token.end
    pieces.append(escape(text[position:end]))
    return "".join(pieces)


def _shown(token: Token) -> str:
    if token.kind == "url":
        safe = escape(token.body)
        return f'<a href="{safe}" target="_blank" rel="noopener noreferrer">{safe}</a>'
    if token.kind == "code":
        return f"<code>`{escape(token.body)}`</code>"  # as it was written, backticks included
    return f'<span class="math">{MATH_OPEN}{escape(token.body)}{MATH_CLOSE}</span>'


def _token(text: str, match: re.Match[str]) -> Token | None:
    kind, body = str(match.lastgroup), match[match.lastgroup or 0]
    if kind == "url":
        body = _without_closing_punctuation(body)
        return Token(match.start(), match.start() + len(body), "url", body)
    if kind == "code":
        return Token(match.start(), match.end(), "code", body)
    before, after = text[: match.start()][-1:], text[match.end() :][:1]
    if kind == "dollar" and not _is_formula(body, before, after):
        return None
    if len(body) > _LONGEST_FORMULA or not body.strip() or not _balanced(body) or _UNSAFE_TEX.search(body):
        return None
    return Token(match.start(), match.end(), "math", body.strip())


def _without_closing_punctuation(url: str) -> str:
    while url[-1] in ".,;:!?*_~" or (url[-1] == ")" and url.count(")") > url.count("(")):
        url = url[:-1]
    return url


def _is_formula(body: str, before: str, after: str) -> bool:
    """Tell math between dollar signs from two prices in one sentence."""
    if body[0].isspace() or body[-1].isspace():
        return False
    if re.search(r"[\\^_{]", body):
        return True
    if before.isalnum() or after.isalnum():  # US$3 or A$4
        return False
    if re.search(r"[A-Za-z]{3,}(?!\()", body):  # words: "$3M vs. EUR/$"
        return False
    return not (body[0].isdigit() and " " in body and not re.search(r"[=<>+≤≥≈×]", body))


def _balanced(body: str) -> bool:
    """Tell whether KaTeX's reader will find the end of the formula: it counts braces."""
    depth = 0
    for mark in re.findall(r"\\.|[{}]", body):
        depth += {"{": 1, "}": -1}.get(mark, 0)
        if depth < 0:
            return False
    return depth == 0 and not body.endswith("\\")
