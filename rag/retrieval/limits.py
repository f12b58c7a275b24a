"""What a question says about which papers are wanted: their venue, years and authors, in words. Pure.

A limit is only read where its words can hardly mean anything else: behind a preposition ("at AISTATS 2025"), before a
word for papers ("ICLR 2018 papers"), or at the end of a query of keywords ("posterior collapse iclr 2018").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag.retrieval.filters import CALLED, FilterTable, comparable

_PAPERS = r"(?:papers?|works?|articles?|abstracts?|publications?|submissions?|proceedings|research|studies|posters?)"
_PREPOSITION = r"\b(?:at|in|from|(?:published|presented|appeared|accepted) (?:at|in|to|by))\s+(?:the\s+)?"
_AT = r"\b(?:at|published (?:at|in)|accepted (?:at|to|by))\s+(?:the\s+)?"  # "in" may be anything: "in ACL surgery"
_Y = r"((?:19|20)\d\d)(?![\d%]|\.\d|-[A-Za-z])"
_BY_WHOM = re.compile(
    rf"\b{_PAPERS}\s+(?:(?:written|published|authored|co-?authored)\s+)?(?:by|from|of)\s+(?=\w)|"
    rf"\b(?:written|authored|co-?authored)\s+(?:by\s+)?(?=\w)",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?:[^\W\d_][\w'’-]*\.?)(?:\s+[^\W\d_][\w'’-]*\.?){0,3}")
_OWNER = re.compile(rf"((?:[A-Z][\w-]+\s+){{0,2}}[A-Z][\w-]+)(?:['’]s?\s+{_PAPERS}\b|\s+et\s+al\b\.?(?:['’]s)?)")
_KEYWORDS = 9  # words of a query that may be keywords only
# Words of a question that is about what was published: "has it changed from 2002 to 2007?" asks of the world.
_PUBLISHED = re.compile(
    rf"(?i)\b(?:{_PAPERS}|published|proposed|introduced|appeared|written|released|done|literature|anything|methods?|"
    r"benchmarks?|datasets?|surveys?|what'?s new|new)\b"
)
_ASKS = re.compile(
    r"(?i)^\W*(?:what|which|who|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|has|have|should|will)\b"
)
_HAS_ON = re.compile(
    r"(?i)\bwhat (?:does|do|did|has|have)\s+(?:(?:have|offer|say|said|published?)\s+)?(?:to say\s+)?(on|about)\b"
)
Years = Callable[[int], bool]


def _first(start: int, end: int = 9999) -> Years:
    return lambda year: start <= year <= end


def _one_of(*years: int) -> Years:
    return lambda year: year in years


_SPANS: Sequence[tuple[re.Pattern[str], Callable[..., Years]]] = [
    (re.compile(pattern, re.IGNORECASE), made)
    for pattern, made in (
        (rf"\b(?:from\s+|in\s+)?between\s+{_Y}\s+(?:and|to)\s+{_Y}", _first),
        (rf"\b(?:from|in)\s+{_Y}\s*(?:-|–|—|to|until|till|through)\s*{_Y}", _first),
        (rf"(?:^|(?<=\s)){_Y}\s*[-–—]\s*{_Y}(?=\W*$)", _first),
        (rf"{_PREPOSITION}{_Y}\s*(?:,|and|or|&)\s*{_Y}\b", _one_of),
        (rf"\b(?:published\s+|from\s+|in\s+)?{_Y}\s+(?:or|and)\s+(?:later|newer|after|onwards?|more recent)\b", _first),
        (
            rf"\b(?:published\s+|from\s+|in\s+)?{_Y}\s+(?:or|and)\s+(?:earlier|older|before)\b",
            lambda y: _first(0, y),
        ),
        (rf"\b(?:(?:published|written|appeared)\s+)?from\s+{_Y}\s+(?:onwards?\b|on(?=\W*$|,))", _first),
        (rf"\b(?:(?:published|written|appeared)\s+)?since\s+{_Y}\b", _first),
        (
            rf"\b(?:(?:published|written|appeared)\s+)?(?:after|newer than|later than)\s+{_Y}(?=\W*$)|^\W*after\s+{_Y}",
            lambda *ys: _first(next(filter(None, ys)) + 1),
        ),
        (
            rf"\b(?:(?:published|written|appeared)\s+)?(?:before|prior to|older than)\s+{_Y}(?=\W*$)|^\W*before\s+{_Y}",
            lambda *ys: _first(0, next(filter(None, ys)) - 1),
        ),
        (
            rf"\b(?:published|written|appeared)\s+(?:until|up to|by)\s+{_Y}\b|\b(?:until|up to)\s+{_Y}(?=\W*$)",
            lambda *ys: _first(0, next(filter(None, ys))),
        ),
    )
]
_ONE_YEAR = re.compile(
    rf"\b(?:published (?:at|in)|accepted (?:at|to|by)|at|in|from)\s+(?:the\s+)?(?:year\s+)?{_Y}\b"
    r"(?!\s*(?:to|until|till|-|–)\s*\d)",
    re.I,
)
_YEAR_OF_PAPERS = re.compile(rf"(?:^|(?<=\s)){_Y}(?=\s+{_PAPERS}\b)", re.IGNORECASE)
_YEAR_AT_END = re.compile(
    rf"(?:,\s*|(?<=[a-z])(?<!\bby)(?<!\bof)(?<!\bto)(?<!\bin)(?<!\bfor)(?<!\bthan)(?<!\bwith)(?<!\bover)\s+){_Y}(?=\W*$)"
)
_NEWEST = re.compile(
    rf"(?:\bthe\s+)?\b(?:(?:very\s+)?latest|newest|most\s+recent)(?=\s+(?:\w+\s+)?{_PAPERS}\b)", re.IGNORECASE
)
_YEAR_BEHIND = re.compile(rf"[\s(,'’]*{_Y}\b|\s?['’]?(\d\d)(?![\w.%])")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a question says about the papers wanted: filters, the words that said so, and the question without them.

    `nowhere` says that no paper has what a question names, and which come nearest; else it is "".
    """

    filters: Mapping[str, Any]
    words: str
    rest: str
    nowhere: str = ""

    @property
    def shown(self) -> str:
        """Return the values of the filters, a run of years by its ends."""
        return ", ".join(_shown(value) for value in self.filters.values())


@dataclass(frozen=True, slots=True)
class _Found:
    """A limit in a question: where it stands, and its values; `nowhere` where no paper has it."""

    start: int
    end: int
    filters: Mapping[str, Sequence[Any]]
    nowhere: str = ""


def limits_of(question: str, table: FilterTable) -> Limits:
    """Return the venues, years and authors that a question limits its papers to, where papers have them."""
    found: list[_Found] = []
    for finder in (_venues, _authors, _years):
        found += [one for one in finder(question, table) if not any(_meet(one, other) for other in found)]
    if not any("venue" in one.filters for one in found):
        found += [one for one in _unknown_venue(question, table) if not any(_meet(one, other) for other in found)]
    filters: dict[str, list[Any]] = {}
    for one in found:
        for field, values in one.filters.items():
            filters.setdefault(field, []).extend(v for v in values if v not in filters.get(field, ()))
    found.sort(key=lambda one: one.start)
    rest = question
    for one in reversed(found):
        rest = rest[: one.start] + " " + rest[one.end :]
    nowhere = next((one.nowhere for one in found if one.nowhere), "")
    return Limits(
        {} if nowhere else {field: values[0] if len(values) == 1 else values for field, values in filters.items()},
        " ".join(question[one.start : one.end].strip(" ,") for one in found),
        (_tidy(rest) or "papers") if found else question,
        nowhere,
    )


def _meet(a: _Found, b: _Found) -> bool:
    return a.start < b.end and b.start < a.end


def _shown(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    years = all(isinstance(v, int) for v in value) and len(value) > 2
    return f"{value[0]} to {value[-1]}" if years else " and ".join(map(str, value))


def _is_keywords(question: str) -> bool:
    return len(question.split()) <= _KEYWORDS and "?" not in question and not _ASKS.match(question)


def _venues(question: str, table: FilterTable) -> Iterator[_Found]:
    """Yield the venues of the library that a question names, each with the year behind it."""
    written = table.written("venue")
    names = {*written, *(name for name, called in CALLED.items() if called in written)}
    if not names:
        return
    for match in re.finditer(_any_of(names), question, re.IGNORECASE):
        typed, key = match.group(), comparable("venue", match.group())
        if key not in written or (_is_a_word(written[key], key) and not typed[:1].isupper()):
            continue
        before = re.search(rf"(?:{_PREPOSITION})$", question[: match.start()], re.IGNORECASE)
        year, end = _year_behind(question, match.end(), table)
        of_papers = re.match(rf"\s+{_PAPERS}\b", question[end:], re.IGNORECASE)
        last = not question[end:].strip(" .,") and _is_keywords(question) and not _is_a_word(written[key], key)
        behind = end > match.end()
        joined = re.search(
            rf"{_any_of(names)}(?:\s*['’]?\d{{2,4}})?\s*(?:,|and|or|&)\s*$", question[: match.start()], re.I
        )
        if not (before or behind or of_papers or last or joined):
            continue
        start = before.start() if before else match.start()
        if joined:  # "ICML 2019 or NeurIPS 2018": what joins them goes with them
            start -= len(question[:start]) - len(re.sub(r"\s*(?:,|\band|\bor|&)\s*$", "", question[:start]))
        filters: dict[str, Sequence[Any]] = {"venue": [written[key]]}
        nowhere = ""
        if behind:
            filters["year"] = [year]
            if str(year) not in table.written("year"):
                nowhere = f"No paper here is of {year}; {table.instead('year', str(year))}"
        yield _Found(start, end, filters, nowhere)


def _year_behind(question: str, end: int, table: FilterTable) -> tuple[int, int]:
    """Return the year right behind a venue ("ICLR 2018", "ICLR'18"), and where it ends; where there is none, `end`."""
    match = _YEAR_BEHIND.match(question, end)
    if match is None:
        return 0, end
    if match.group(2):
        year = 2000 + int(match.group(2))
        return (year, match.end()) if str(year) in table.written("year") else (0, end)
    return int(match.group(1)), match.end()


def _is_a_word(written: str, key: str) -> bool:
    """Tell whether a venue is called by an ordinary word, such as Nature, which counts with its capital only."""
    return key not in CALLED and written.isalpha() and written[1:].islower()


def _unknown_venue(question: str, table: FilterTable) -> Iterator[_Found]:
    """Yield a venue that we know and no paper here has, with what to say about it."""
    known = table.written("venue")
    names = [name for name, called in CALLED.items() if called not in known] if known else []
    for match in re.finditer(rf"{_AT}({_any_of(names)})", question, re.IGNORECASE) if names else ():
        name = match.group(1)
        _, end = _year_behind(question, match.end(), table)
        said = f"No paper here is of {name}; {table.instead('venue', comparable('venue', name))}"
        yield _Found(match.start(), end, {}, said)
        return


def _years(question: str, table: FilterTable) -> Iterator[_Found]:
    """Yield the years that a question asks for ("since 2024", "in 2018", "most recent work")."""
    here = sorted(int(y) for y in table.written("year") if y.isdigit())
    if not here:
        return
    for pattern, made in _SPANS if _PUBLISHED.search(question) or _is_keywords(question) else ():
        match = pattern.search(question)
        if match is None:
            continue
        wanted = made(*(int(group) if group else 0 for group in match.groups()))
        years = [year for year in here if wanted(year)]
        said = "" if years else f"No paper here is of these years; {table.instead('year', '')}"
        yield _Found(match.start(), match.end(), {"year": years} if years else {}, said)
        return
    single = (_ONE_YEAR, _YEAR_OF_PAPERS, *((_YEAR_AT_END,) if _is_keywords(question) else ()))
    for pattern in single:
        match = pattern.search(question)
        if match and int(match.group(1)) in here:
            yield _Found(match.start(), match.end(), {"year": [int(match.group(1))]})
            return
    newest = _NEWEST.search(question)
    if newest and len(here) > 1:
        yield _Found(newest.start(), newest.end(), {"year": [here[-1]]})


def _authors(question: str, table: FilterTable) -> Iterator[_Found]:
    """Yield the authors whose papers a question asks for ("papers by Ada Reed", "Reed et al.")."""
    for match in _OWNER.finditer(question):
        if table.has_author(match.group(1)):
            end = re.compile(r"['’]s?|\s+et\s+al\b\.?(?:['’]s)?", re.I).match(question, match.end(1))
            year, last = _year_behind(question, end.end() if end else match.end(1), table)
            filters: dict[str, Sequence[Any]] = {"author": [match.group(1)]}
            if str(year) in table.written("year"):
                filters["year"] = [year]
            else:
                last = end.end() if end else match.end(1)
            yield _Found(match.start(1), last, filters)
            return
    for match in _BY_WHOM.finditer(question):
        name = _NAME.match(question, match.end())
        words = name.group().split() if name else []
        for count in range(len(words), 0, -1):
            typed = " ".join(words[:count]).rstrip(".,")
            if table.has_author(typed):
                start = re.search(r"(?:by|from|of)?\s*$", question[: match.end()], re.I)
                yield _Found(start.start() if start else match.end(), match.end() + len(typed), {"author": [typed]})
                return
        full = re.match(r"[A-Z][\w'’-]+(?:\s+[A-Z][\w'’.-]*)+", question[match.end() :])
        if full and re.search(r"by\s+$", question[: match.end()], re.I):
            said = (
                f"No paper here is by {full.group()}; {table.instead('authors', comparable('authors', full.group()))}"
            )
            yield _Found(match.end() - 3, match.end() + full.end(), {}, said)
            return


def _any_of(names: Any) -> str:
    """Return a pattern for any of these names, the longest first, whatever stands between their words."""
    ordered = sorted(names, key=lambda name: (-len(name), name))
    return rf"(?<![\w-])(?:{'|'.join(_written_as(name) for name in ordered)})(?![A-Za-z_-])"


def _written_as(name: str) -> str:
    return r"[\s\-/.]+".join(re.escape(word) for word in name.split())


def _tidy(question: str) -> str:
    """Return a question without the gaps that words taken out of it have left."""
    text = re.sub(r"\s+([?.!,:;])", r"\1", re.sub(r"\s{2,}", " ", question)).strip().lstrip(",:; ")
    text = re.sub(r"[\s,:;]+(?:and|or)?(?=[?.!]*$)", "", re.sub(r",(?:\s*,)+", ",", text))
    return _HAS_ON.sub(r"which papers are about", text) if _HAS_ON.search(text) else text
