"""What a user hands in as text, made fit to be searched, stored and shown: no half characters, no terminal orders."""

from __future__ import annotations

import re
from typing import Any

from rag.errors import InputError
from rag.text.markup import UNSEEN

LONGEST = 20_000  # characters; longer input is a document, and would be searched for seconds to no purpose
# ECMA-48: an order to a terminal, such as ESC [ 31 m, is one thing with its letters and digits.
_ORDER = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])?")
_UNSEEN = re.compile(f"[{UNSEEN}]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def given_text(text: Any, what: str = "question") -> str:
    """Return a text that a user gave, without control characters and half characters.

    Raises `InputError` where it is no text, or has more than `LONGEST` characters.
    """
    if not isinstance(text, str):
        raise InputError(f"The {what} is of type {type(text).__name__}, but text is wanted; give a string.")
    if len(text) > LONGEST:
        raise InputError(f"The {what} has {len(text):,} characters, but at most {LONGEST:,} are read; shorten it.")
    return sound_text(text)


def sound_text(text: str) -> str:
    """Return a text without orders to terminals, other control characters, and half characters."""
    return _CONTROL.sub(" ", _UNSEEN.sub("", _ORDER.sub("", _whole(text))))


def _whole(text: str) -> str:
    """Return a text with its surrogates read as the bytes or halves that they stand for; what is neither is U+FFFD."""
    try:
        # Python keeps bytes of the command line that its locale can't read as surrogates (PEP 383).
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
