"""Citation markers in a model's draft: found in every form models write, resolved to source numbers or dropped.

Pure. A bracketed number that belongs to a paper (`[3]` in its own text, `x[0]`, the range `[0, 1]`, a year) is left
alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.text.words import fold, stem, tokens

_WORD = r"(?:sources?|refs?|references?|docs?|documents?|passages?|papers?|citations?|cit|s)"
_ITEM = rf"(?:{_WORD}\s*[:.#]?\s*)?[\^#]?\d{{1,4}}(?:†[^\]】]*)?"
_LIST = rf"(?:{_ITEM})(?:\s*(?:[,;&–—−-]|\band\b|\bto\b)\s*(?:{_ITEM}))*"
_OPEN, _CLOSE = r"(?:\\?\[|【|［|\[\[)", r"(?:\\?\]|】|］)"
_MARKER = re.compile(
    rf"(?P<bracket>{_OPEN}\s*\**\s*(?P<list>{_LIST})\s*\**\s*{_CLOSE}\]?(?:\((?:\#|https?:)[^)\s]*\))?)"
    rf"|(?P<round>\((?P<rlist>(?:sources?|refs?|references?|passages?)\s*[:.#]?\s*\d{{1,4}}(?:\s*(?:,|;|&|and|–|-)\s*(?:{_ITEM}))*)\))"
    r"|(?P<sup><sup>\s*\[?(?P<slist>\d{1,3}(?:\s*,\s*\d{1,3})*)\]?\s*</sup>)",
    re.IGNORECASE,
)
_PARTIAL = re.compile(rf"(?:\\?\[|【|［)\s*\^?(?:{_WORD}?\s*[:.#]?\s*)?[\d,;\s&–—−-]*$", re.IGNORECASE)
_RANGE = re.compile(r"(\d+)\s*(?:[–—−-]|\bto\b)\s*\D*?(\d+)")
_LONGEST_RANGE = 20
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SUPERSCRIPT = re.compile(r"(?<=[.,;:!?)\]”\"])[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2}(?=\s|$)")
_TAG = re.compile(rf"<{_WORD}(?:\s+\w+\s*=)?\s*[\"']?(\d{{1,2}})[\"']?\s*/?>", re.IGNORECASE)
_ROUND_END = re.compile(r"(?<=\s)\((\d{1,2})\)(?=[.!?]?\s*$|[.!?]\s)")
# "According to [1], …", "As stated in source 1, …"
_LEAD = re.compile(
    r"^\s*(?:according to|as (?:stated|reported|described|shown|noted|mentioned) (?:in|by)|as per|per|in|from|based on)"
    rf"\s+(?:the\s+)?(?:{_WORD}\s*)?[\[【(#]*(?:{_WORD}\s*)?(\d{{1,2}})[\]】)]*\s*,\s*(?=\S)",
    re.IGNORECASE,
)
_NAMES_SOURCE = re.compile(rf"\b{_WORD}\b|[\[【]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Marker:
    """A citation marker as it stands in a text, and the source numbers it names."""

    text: str
    start: int
    end: int
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Marked:
    """A sentence without its markers, the sources they resolved to, and the marks that did not resolve."""

    text: str
    cited: tuple[int, ...]
    unresolved: tuple[str, ...]


def plain_markers(text: str, sources: Sequence[str]) -> str:
    """Return a text with the rarer forms of markers in square brackets: raised, as a tag, in round ones at the end."""

    def put(match: re.Match[str]) -> str:
        number = int((match.group(1) if match.lastindex else match.group()).translate(_RAISED))
        own = not 1 <= number <= len(sources) or any(match.group() in source for source in sources)
        return match.group() if own else f"[{number}]"

    for form in (_SUPERSCRIPT, _TAG, _ROUND_END):
        text = form.sub(put, text)
    return text


def _without_lead(sentence: str, sources: Sequence[str]) -> str:
    """Return "According to source 1, it parses." as "[1] It parses."."""
    lead = _LEAD.match(sentence)
    if lead is None or not 1 <= int(lead.group(1)) <= len(sources) or not _NAMES_SOURCE.search(lead.group()):
        return sentence
    rest = sentence[lead.end() :]
    word = re.match(r"[a-z]+\b", rest)
    return f"[{lead.group(1)}] {rest[0].upper() + rest[1:] if word else rest}"


def find_markers(text: str, sources: Sequence[str]) -> list[Marker]:
    """Return the markers of a draft in order; `sources` are the texts numbered from 1, with brackets of their own."""
    found = []
    for match in _MARKER.finditer(text):
        inner = match.group("list") or match.group("rlist") or match.group("slist")
        numbers = _numbers(inner)
        if _is_marker(text, match, numbers, sources):
            found.append(Marker(match.group(), match.start(), match.end(), numbers))
    return found


def read_markers(sentence: str, sources: Sequence[str]) -> Marked:
    """Split a sentence into its words and its citations; marks beyond the sources come back as unresolved."""
    sentence = _without_lead(sentence, sources)
    markers = find_markers(sentence, sources)
    cited: dict[int, None] = {}
    unresolved: list[str] = []
    for marker in markers:
        good = [number for number in marker.numbers if 1 <= number <= len(sources)]
        cited.update(dict.fromkeys(good))
        bad = [number for number in marker.numbers if number not in good]
        if bad:
            unresolved.append(marker.text if not good else f"[{', '.join(map(str, bad))}]")
    return Marked(without_markers(sentence, markers), tuple(cited), tuple(unresolved))


def without_markers(text: str, markers: Sequence[Marker]) -> str:
    """Return the text with the markers gone and the spaces that they left closed; half a marker at the end goes too."""
    for marker in reversed(markers):
        text = text[: marker.start].rstrip(" ") + text[marker.end :]
    text = _PARTIAL.sub("", text)
    text = re.sub(r"\s+([.,;:!?])(?=\s|$)", r"\1", text)
    text = re.sub(r",(?:\s*,)+", ",", re.sub(r",\s*([.;!?])", r"\1", text))
    return re.sub(r"[ \t]{2,}", " ", text).strip()


def ends_inside_marker(text: str) -> bool:
    """Tell whether a text breaks off where a marker may have begun, so that a stream must wait for more."""
    return bool(_PARTIAL.search(text))


def _numbers(inner: str) -> tuple[int, ...]:
    numbers: dict[int, None] = {}
    plain = re.sub(r"†[^,;]*", "", inner)
    for first, last in _RANGE.findall(plain):
        low, high = int(first), int(last)
        if low < high <= low + _LONGEST_RANGE:
            numbers.update(dict.fromkeys(range(low, high + 1)))
    numbers.update(dict.fromkeys(int(digits) for digits in re.findall(r"\d+", plain)))
    return tuple(sorted(numbers) if _RANGE.search(plain) else numbers)


def _is_marker(text: str, match: re.Match[str], numbers: tuple[int, ...], sources: Sequence[str]) -> bool:
    named = bool(re.search(r"[a-z^†]", match.group(), re.IGNORECASE)) or match.group()[0] in "【［"
    if 0 in numbers:
        return False
    if named:
        return True
    if re.search(r"(?:^|[^\w])[A-Za-z]$", text[: match.start()]):
        return False  # x[1] is an index
    if _same_phrase(text, match, sources):
        return False
    beyond = any(number > len(sources) for number in numbers)
    if beyond and _in_any(match.group(), sources):
        return False
    return not (beyond and any(1900 <= number < 2100 for number in numbers))


def _in_any(bracket: str, sources: Sequence[str]) -> bool:
    plain = re.sub(r"\s", "", bracket)
    return any(plain in re.sub(r"\s", "", source) for source in sources)


def _same_phrase(text: str, match: re.Match[str], sources: Sequence[str]) -> bool:
    """Tell whether a source writes this very bracket beside the same word."""
    before, after = _neighbours(text, match.start(), match.end())
    for source in sources:
        for place in re.finditer(re.escape(match.group()), source):
            theirs = _neighbours(source, place.start(), place.end())
            if (before and before == theirs[0]) or (after and after == theirs[1]):
                return True
    return False


def _neighbours(text: str, start: int, end: int) -> tuple[str, str]:
    before = re.search(r"([^\W\d_]+)[\s,(]*$", text[:start])
    after = re.match(r"\s*([^\W\d_]+)", text[end:])
    return (_stem_of(before), _stem_of(after))


def _stem_of(match: re.Match[str] | None) -> str:
    if match is None:
        return ""
    words = [token.text for token in tokens(match.group(1))]
    return stem(words[0]) if words else fold(match.group(1))
