"""Markup that exporters wrap abstracts in, and characters that no text should hold, to plain text.

Only what is surely markup goes: a paper may well write of `<unk>` or `<p` itself. Tags are taken away where paragraphs
or JATS elements show that the whole text is marked up (Crossref, virtual conference sites); entities are read anywhere.
"""

from __future__ import annotations

import html
import re

_ATTRIBUTES = r"(?:\s+[\w:-]+=[^<>]*)?\s*/?"
_MARKED_UP = re.compile(rf"<(?:/?jats:[\w-]+|/?p|br){_ATTRIBUTES}>", re.IGNORECASE)
_ELEMENTS = (
    r"(?:jats|mml):[\w-]+|p|br|div|span|i|b|u|em|strong|italic|bold|sc|small|a|ul|ol|li|h[1-6]|"
    r"sec|title|abstract|tt|code"
)
_TAG = re.compile(rf"</?(?P<name>{_ELEMENTS}){_ATTRIBUTES}>", re.IGNORECASE)
_HEADING = re.compile(r"<((?:jats:)?title)>\s*(?:abstract|summary)\s*</\1>", re.IGNORECASE)
_SCRIPT = re.compile(r"<(?:jats:)?(?P<kind>sup|sub)>(?P<text>[^<>]{1,40})</(?:jats:)?(?P=kind)>", re.IGNORECASE)
# A pair around a few words is markup in a title or abstract without any other, and so is an element around all of it.
_PAIR = re.compile(r"<(?P<name>i|b|em|strong|italic|bold|sc|scp|tt)>(?P<text>[^<>]{1,200})</(?P=name)>", re.IGNORECASE)
_AROUND = re.compile(rf"\s*<(?P<name>div|section|span){_ATTRIBUTES}>.*</(?P=name)>\s*", re.IGNORECASE | re.DOTALL)
_INLINE = frozenset("span i b u em strong italic bold sc small a tt code".split())
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#x[0-9a-f]{1,5});", re.IGNORECASE)
# Characters that are not seen and change how others are: they turn the direction of a text, or hide one in it.
UNSEEN = "\u202a-\u202e\u2066-\u206f\ufff9-\ufffb\U000e0000-\U000e007f"
# Control characters steer a terminal and break a store. The second range is Windows-1252 that was taken for Latin-1.
_CONTROL = re.compile(f"[\x00-\x08\x0e-\x1b\x7f\ufeff{UNSEEN}]")
_BREAK = re.compile("(?<=\\w)\x02(?=\\w)")  # what text taken from a PDF has for the hyphen at a line's end
_MISTAKEN = re.compile("[\x80-\x84\x86-\x9f]")


def without_controls(text: str) -> str:
    """Return a text without what steers a terminal; characters that were misread as such are put right."""
    return text if text.isprintable() else _MISTAKEN.sub(_windows, _CONTROL.sub("", text))


def plain(text: str) -> str:
    """Return a text without control characters, entities and the markup of exporters."""
    text = without_controls(_BREAK.sub("-\n", text))
    if "<" in text and (_MARKED_UP.search(text) or _AROUND.fullmatch(text)):
        text = _TAG.sub(_tag, _SCRIPT.sub(_script, _HEADING.sub("", text)))
    elif "</" in text:
        text = _PAIR.sub(r"\g<text>", _SCRIPT.sub(_script, text))
    return _ENTITY.sub(lambda m: html.unescape(m.group()), text) if "&" in text else text


def _windows(match: re.Match[str]) -> str:
    try:
        return match.group().encode("latin-1").decode("cp1252")
    except UnicodeDecodeError:
        return ""


def _tag(match: re.Match[str]) -> str:
    name = match["name"].casefold().removeprefix("jats:")
    return "" if name in _INLINE else "\n"


def _script(match: re.Match[str]) -> str:
    r"""Return a raised or lowered text as TeX writes it: `10<sup>-3</sup>` must not become 10-3."""
    return f"${'^' if match['kind'].casefold() == 'sup' else '_'}{{{match['text']}}}$"
