"""Answer what is asked about the collection itself: its size, its topics, the largest figure, a column of all papers.

`rag.survey.asked` tells which questions these are. Each line of the answer is one paper's own words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rag.checking.claims import Number, numbers
from rag.library.chunking import chunk, quote
from rag.survey.asked import FRAME, ITEMS, Asked, measures
from rag.survey.columns import columns, part_cell
from rag.survey.mapping import Map, year_of
from rag.survey.roles import Part, parts
from rag.text.matching import same_word
from rag.text.words import content_stems
from rag.types import Paper, Quote, ScoredChunk, Statement

_MOST_LISTED = 50
_MOST_RANKED = 10


@dataclass(frozen=True, slots=True)
class Summary:
    """An answer about the collection, in statements that quote its papers."""

    statements: tuple[Statement, ...]

    @property
    def evidence(self) -> tuple[ScoredChunk, ...]:
        """Return the passages that hold the quotes."""
        rows = {}
        for row in (q for statement in self.statements for q in statement.quotes):
            rows.update(
                {c.id: ScoredChunk(c, row.paper, 1.0, "lexical") for c in chunk(row.paper) if c.id == row.chunk_id}
            )
        return tuple(rows.values())


def answer(asked: Asked, papers: Sequence[Paper], drawn: Callable[[], Map]) -> Summary | None:
    """Answer from all `papers`, or return None where they give nothing.

    `drawn` makes the map of the library, where its topics are asked for.
    """
    if asked.aspect == "contents":
        return Summary(tuple(_contents(papers, bool(asked.about))))
    if asked.aspect == "topics":
        return Summary(tuple(_topics(papers, drawn())))
    rows = _extremes(asked, papers) if asked.aspect == "extreme" else _cells(asked, papers)
    return Summary(tuple(rows)) if rows else None


def _contents(papers: Sequence[Paper], listed: bool) -> list[Statement]:
    rows = [
        _say(f"The library holds {len(papers):,} {'abstract' if len(papers) == 1 else 'abstracts'}{_origins(papers)}.")
    ]
    if listed:
        rows += [_line(paper, part_cell(paper, "idea").quotes[:1]) for paper in papers[:_MOST_LISTED]]
        if len(papers) > _MOST_LISTED:
            rows.append(_say(f"\n\nThe first {_MOST_LISTED} are shown; all of them: rag papers"))
    return rows


def _origins(papers: Sequence[Paper]) -> str:
    """Return how many papers each venue and year gave, by the records, where they say so."""
    places = Counter(
        " ".join(str(part) for part in (paper.metadata.get("venue"), year_of(paper)) if part) for paper in papers
    )
    known = [(name, count) for name, count in places.most_common() if name]
    if not known:
        return ""
    shown = ", ".join(f"{name} ({count:,})" for name, count in known[:12])
    return f": {shown}{' and others' if len(known) > 12 else ''}"


def _topics(papers: Sequence[Paper], drawn: Map) -> list[Statement]:
    rows = [_say(f"The {len(papers):,} abstracts fall into {len(drawn.topics)} topics, the largest first:")]
    for topic in drawn.topics:
        first = topic.representatives[0]
        shown = part_cell(first, "idea").quotes[:1]
        parts_: list[str | Quote] = [f"\n- {topic.name} ({len(topic.papers):,}); its most typical is {first.title}"]
        for row in shown:
            parts_ += [f": “{row.text}” ", row]
        rows.append(Statement(tuple(parts_)))
    return rows


def _extremes(asked: Asked, papers: Sequence[Paper]) -> list[Statement]:
    """Return every paper's furthest figure of a measure, the furthest first."""
    wanted, left = measures(asked.about)
    said, units = [measure.said for measure in wanted], wanted[0].units
    rest = [stem for stem in content_stems(left) if stem not in FRAME]
    found = []
    for paper in papers:
        given = [row for part in parts(paper.abstract) for row in _figures(part, said, units, rest)]
        if given:
            kind, number, part = max(
                given, key=lambda r: (-units.index(r[0]), r[1].value if asked.largest else -r[1].value)
            )
            found.append((kind, number, paper, part))
    if not found:
        return []
    common = Counter(kind for kind, *_ in found)
    ordered = sorted(
        found,
        key=lambda r: (-common[r[0]], units.index(r[0]), -r[1].value if asked.largest else r[1].value, r[2].id),
    )
    what = " ".join(dict.fromkeys(re.findall(r"[\w-]+", " ".join(_asked_words(asked)))))
    end = "largest" if asked.largest else "smallest"
    count = f"{len(found):,} of the {len(papers):,} abstracts {'gives' if len(found) == 1 else 'give'} a figure"
    rows = [_say(f"{count} for “{what}”; the {end} first. Each was measured in its own setting.")]
    for _, number, paper, part in ordered[:_MOST_RANKED]:
        sentence = quote(paper, part.sentence.start, part.sentence.end)
        shown = part.sentence.text[number.start : number.end]
        rows.append(Statement((f"\n- {shown} in {paper.title}: “{sentence.text}” ", sentence)))
    if len(ordered) > _MOST_RANKED:
        rows.append(_say(f"\n\n{len(ordered) - _MOST_RANKED:,} more give one; see: rag table"))
    return rows


def _asked_words(asked: Asked) -> list[str]:
    stems = {s for s in content_stems(asked.about) if s not in FRAME}
    return [word for word in asked.about.split() if set(content_stems(word)) & stems]


def _figures(
    part: Part, said: Sequence[re.Pattern[str]], units: Sequence[str], rest: Sequence[str]
) -> list[tuple[str, Number, Part]]:
    """Return the numbers of a sentence that give a measure: of a fitting kind, with its words around them."""
    text = part.sentence.text
    if part.role == "problem" or not all(pattern.search(text) for pattern in said):
        return []
    stems = content_stems(text)
    if not all(any(same_word(wanted, stem) for stem in stems) for wanted in rest):
        return []
    found = []
    for number in numbers(text):
        kind, clause = _kind(text, number), _clause(text, number)
        if kind in units and all(pattern.search(clause) for pattern in said):
            found.append((kind, number, part))
    return found


_CLAUSE = re.compile(r"[,;:()]\s|\b(?:and|while|whereas|but|with)\b")


def _clause(text: str, number: Number) -> str:
    """Return the clause that gives a number; empty for the ends of a way from one number to another."""
    cuts = [match.span() for match in _CLAUSE.finditer(text)]
    start = max((end for _, end in cuts if end <= number.start), default=0)
    end = min((begin for begin, _ in cuts if begin >= number.end), default=len(text))
    way = re.search(r"\bfrom\b[^,;]*\bto\b", text[start:end])
    return (
        ""
        if way and re.search(r"\b(?:from|to)\W*(?:below |above |over |under )?$", text[start : number.start])
        else text[start:end]
    )


_POINTS = re.compile(r"\s?(?:(?:percentage |absolute )?points?\b|[A-Z][A-Z0-9]{1,5}\b)|↑|↓")
_ITEMS = re.compile(rf"\+?\s(?:(?!(?:of|on|in|for|with|and|to|over)\b)[\w-]+ ){{0,3}}?{ITEMS}\b", re.I)
_MADE = re.compile(r"\b(?:data ?sets?|corpus|corpora|benchmarks?|test ?sets?|collection)\b", re.I)
_COUNTED = re.compile(r"[\s-]?(?:parameters?|params?)\b", re.I)


def _kind(text: str, number: Number) -> str:
    if number.unit != "plain":
        return number.unit
    if _ITEMS.match(text, number.end) and _MADE.search(text):
        return "items"
    if _POINTS.match(text, number.end):
        return "points"
    return "count" if _COUNTED.match(text, number.end) or number.value >= 1e6 else "plain"


def _cells(asked: Asked, papers: Sequence[Paper]) -> list[Statement]:
    """Return a line for each paper whose abstract fills the column that is asked for."""
    column = columns(asked.about)[0]
    filled = [(paper, cell) for paper in papers if (cell := column.fill(paper)).quotes]
    if not filled:
        return []
    count = f"{len(filled):,} of the {len(papers):,} abstracts"
    rows = [_say(f"{count} {'says' if len(filled) == 1 else 'say'} something of “{column.name}”:")]
    rows += [_line(paper, cell.quotes) for paper, cell in filled[:_MOST_LISTED]]
    if len(filled) > _MOST_LISTED:
        rows.append(_say(f"\n\nThe first {_MOST_LISTED} are shown; all of them: rag table “{column.name}”"))
    return rows


def _line(paper: Paper, shown: Sequence[Quote]) -> Statement:
    parts_: list[str | Quote] = [f"\n- {paper.title}"]
    for number, row in enumerate(shown):
        parts_ += [f"{' ' if number else ': '}“{row.text}” ", row]
    return Statement(tuple(parts_))


def _say(text: str) -> Statement:
    return Statement((text,), factual=False)
