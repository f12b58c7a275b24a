"""Keep a model's reasoning out of its reply, also where its tags are split over the pieces of a stream."""

from __future__ import annotations

import re

_OPEN = re.compile(r"<(think|thinking|reasoning|thought|reflection|analysis)>", re.IGNORECASE)
_LONGEST_TAG = len("</reflection>")
_CLOSE_ONLY = re.compile(r"</(?:think|thinking|reasoning|thought|reflection|analysis)>", re.IGNORECASE)


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
                close = re.search(rf"</{self._inside}>", self._held, re.IGNORECASE)
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
        place = self._held.rfind("<")
        open_tag = place >= 0 and len(self._held) - place < _LONGEST_TAG and ">" not in self._held[place:]
        return place if open_tag else len(self._held)


def after_reasoning(text: str) -> str:
    """Return what follows a closing tag whose opening tag the server had kept to itself."""
    closes = list(_CLOSE_ONLY.finditer(text))
    return text[closes[-1].end() :] if closes else text
