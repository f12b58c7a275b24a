"""Map -> a picture: one SVG, or a page around it, with nothing from outside and no script; titles show on hover."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Literal

from rag.survey.mapping import Map, Point, year_of

By = Literal["topic", "venue", "year"]
COLOURINGS: tuple[By, ...] = ("topic", "venue", "year")

# Twelve colours that stay apart for most kinds of colour vision (after Paul Tol), then the same with a ring.
COLOURS = (
    "#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377",
    "#ee7733", "#009988", "#cc3311", "#33bbee", "#997700", "#999999",
)  # fmt: skip
_SIDE, _MARGIN, _KEY = 720, 24, 400
_ROW = 22
_MOST_KEYS = 24
_NAME_LENGTH = 42


def svg(drawn: Map, by: By = "topic") -> str:
    """Return the map as one SVG picture, coloured by topic, venue or year."""
    every = groups(drawn, by)
    colours = {name: number for number, (name, _) in enumerate(every)}
    label = group_of(drawn, by)
    radius = 7 if len(drawn.points) <= 100 else 4 if len(drawn.points) <= 1000 else 2.5
    height = max(_SIDE, 2 * _MARGIN + _ROW * (min(len(every), _MOST_KEYS) + 1))
    rows = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIDE + _KEY} {height}" role="img" '
        f'aria-label="{escape(_caption(drawn, by))}" font-family="sans-serif" font-size="13">',
        f"<title>{escape(_caption(drawn, by))}</title>",
        f'<rect width="{_SIDE + _KEY}" height="{height}" fill="#ffffff"/>',
    ]
    rows += [_dot(point, colours[label(point)], radius, label(point)) for point in drawn.points]
    rows += [_key(place, name, count) for place, (name, count) in enumerate(every[:_MOST_KEYS])]
    if len(every) > _MOST_KEYS:
        rows.append(_text(_SIDE + 30, _MARGIN + _ROW * _MOST_KEYS, f"and {len(every) - _MOST_KEYS} more"))
    return "\n".join([*rows, "</svg>", ""])


def page(drawn: Map, by: By = "topic") -> str:
    """Return the map as a page of its own: the picture, and its topics as a table."""
    body = "\n".join(
        f"<tr><td>{t.number}</td><td>{escape(t.name)}</td><td>{len(t.papers):,}</td>"
        f"<td>{'<br>'.join(escape(p.title) for p in t.representatives)}</td>"
        f"<td>{escape(', '.join(f'{year}: {count}' for year, count in t.years.items()))}</td></tr>"
        for t in drawn.topics
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Map of the library</title>\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        "<style>body{font-family:sans-serif;max-width:70rem;margin:1rem auto;padding:0 1rem}svg{width:100%;height:auto}"
        "td,th{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #ddd}"
        "circle:hover{stroke:#000}</style></head><body>\n"
        f"<h1>Map of the library</h1>\n<p>{escape(_caption(drawn, by))}</p>\n{svg(drawn, by)}"
        "<table><thead><tr><th>Topic</th><th>Named by its terms</th><th>Papers</th><th>Most central</th><th>Years</th>"
        f"</tr></thead><tbody>\n{body}\n</tbody></table>\n</body></html>\n"
    )


def group_of(drawn: Map, by: By) -> Callable[[Point], str]:
    """Return what tells the group of a point: the name of its topic, its venue or its year."""
    if by == "topic":
        names = {topic.number: f"{topic.number}. {topic.name}" for topic in drawn.topics}
        return lambda point: names[point.topic]
    if by == "year":
        return lambda point: str(year_of(point.paper) or "no year")
    return lambda point: str(point.paper.metadata.get("venue") or "no venue")


def groups(drawn: Map, by: By) -> Sequence[tuple[str, int]]:
    """Return what the colours mean with their counts: topics and venues by size, years in order."""
    label = group_of(drawn, by)
    counts: dict[str, int] = {}
    for point in drawn.points:
        counts[label(point)] = counts.get(label(point), 0) + 1
    if by == "topic":
        order = {f"{topic.number}. {topic.name}": topic.number for topic in drawn.topics}
        return sorted(counts.items(), key=lambda row: order[row[0]])
    return sorted(counts.items(), key=(lambda row: (0, row[0])) if by == "year" else (lambda row: (-row[1], row[0])))


def _caption(drawn: Map, by: By) -> str:
    return (
        f"{len(drawn.points):,} papers in {len(drawn.topics)} topics, coloured by {by}; near papers have near meanings."
    )


def _paint(number: int) -> str:
    colour = COLOURS[number % len(COLOURS)]
    ring = ' stroke="#222222"' if number // len(COLOURS) % 2 else ""
    return f'fill="{colour}" fill-opacity="0.8"{ring}'


def _dot(point: Point, colour: int, radius: float, group: str) -> str:
    span = _SIDE - 2 * _MARGIN
    x, y = _MARGIN + span * point.x, _MARGIN + span * (1 - point.y)
    title = escape(f"{point.paper.title} ({group})")
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" {_paint(colour)}><title>{title}</title></circle>'


def _key(place: int, name: str, count: int) -> str:
    y = _MARGIN + _ROW * place
    short = name if len(name) <= _NAME_LENGTH else f"{name[: _NAME_LENGTH - 1]}…"
    dot = f'<circle cx="{_SIDE + 16}" cy="{y + 8}" r="6" {_paint(place)}><title>{escape(name)}</title></circle>'
    return dot + _text(_SIDE + 30, y + 13, f"{short} ({count})")


def _text(x: float, y: float, words: str) -> str:
    return f'<text x="{x}" y="{y}" fill="#222222">{escape(words)}</text>'
