"""Keep a model's reasoning out of its reply, also where its tags are split over the pieces of a stream."""

from __future__ import annotations

import re

# Tags as models write them: <think>, <seed:think>, ◁think▷, [THINK].
_KINDS = "think|thinking|reasoning|thought|reflection|analysis"
_OPEN = re.compile(rf"[<◁\[](?:[a-z_]+:)?({_KINDS})[>▷\]]", re.IGNORECASE)
_CLOSE_ONLY = re.compile(rf"[<◁\[]/(?:[a-z_]+:)?(?:{_KINDS})[>▷\]]", re.IGNORECASE)
_LONGEST_TAG = 24
# A reply in channels: the last one is for the reader, the others are the model's own.
_FINAL = re.compile(r"<\|channel\|>\s*final\b.*?<\|message\|>", re.IGNORECASE | re.DOTALL)
_CHANNEL = re.compile(r"<\|(?:channel|message)\|>", re.IGNORECASE)


class ReasoningFilter:
    """Pass on the text outside of reasoning tags; a block that never closes is all reasoning."""

    def __init__(self) -> None:
        self._held = ""
        self._inside = ""

    def feed(self, piece: str) -> str:
        """Take the next piece and return what may be shown now."""
        self._held += piece
        shown = ""
        while True:
            if self._inside:
                close = re.search(rf"[<◁\[]/(?:[a-z_]+:)?{self._inside}[>▷\]]", self._held, re.IGNORECASE)
                if not close:
                    self._held = self._held[-_LONGEST_TAG:]
                    return shown
                self._held, self._inside = self._held[close.end() :], ""
                continue
            found = _OPEN.search(self._held)
            if not found:
                safe = self._safe_length()
                shown, self._held = shown + self._held[:safe], self._held[safe:]
                return shown
            shown += self._held[: found.start()]
            self._held, self._inside = self._held[found.end() :], found.group(1)

    def end(self) -> str:
        """Return what is left when the stream has ended."""
        rest = "" if self._inside else self._held
        self._held = ""
        return rest

    def _safe_length(self) -> int:
        """Return how much of what is held can't be the beginning of a tag."""
        place = max(self._held.rfind(mark) for mark in "<◁[")
        open_tag = (
            place >= 0
            and len(self._held) - place < _LONGEST_TAG
            and re.fullmatch(r"[<◁\[][a-z_:]*", self._held[place:], re.IGNORECASE) is not None
        )
        return place if open_tag else len(self._held)


def after_reasoning(text: str) -> str:
    """Return what follows a closing tag whose opening tag the server had kept to itself, or opens the final channel."""
    closes = list(_CLOSE_ONLY.finditer(text)) + list(_FINAL.finditer(text))
    if closes:
        return text[max(close.end() for close in closes) :]
    return text


def in_channels(text: str) -> bool:
    """Tell whether a text is a channel of the model's own, whose end has not come yet."""
    return bool(_CHANNEL.search(text))
