"""The map of a library -> HTML: a picture whose dots open papers, and under it what its colours mean."""

from __future__ import annotations

from rag.survey.drawing import COLOURS, By, group_of, groups
from rag.survey.mapping import Map, Point, Topic
from ui.cards import blocks, paper_button
from ui.inline import escape

_WIDEST = 60  # per cent of the line: year and number stand beside the longest bar on a phone too
_WIDTH, _HEIGHT, _MARGIN = 1000, 680, 14
_FEW, _MANY = 100, 1000  # papers: the more there are, the smaller the dots
_RADII = (9.0, 5.5, 3.6)
_KEYS_SHOWN = 40
_PAPERS_LISTED = 12  # of a topic; the Papers tab lists them all


def picture_html(drawn: Map, by: By) -> str:
    """Return the picture: a dot a paper, near papers near each other; pointing shows its title."""
    names = [name for name, _ in groups(drawn, by)]
    number, label = {name: place for place, name in enumerate(names)}, group_of(drawn, by)
    count = len(drawn.points)
    radius = _RADII[0] if count <= _FEW else _RADII[1] if count <= _MANY else _RADII[2]
    dots = "".join(_dot(point, number[label(point)], radius) for point in drawn.points)
    words = f"{count:,} papers, coloured by {by}; near papers have near meanings. The list below has the same."
    return (
        f'<svg id="map-dots" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="Map of {escape(words)}">'
        f"{dots}</svg>"
        '<div id="map-tip" role="presentation" hidden></div>'
    )


def _dot(point: Point, group: int, radius: float) -> str:
    x = _MARGIN + (_WIDTH - 2 * _MARGIN) * point.x
    y = _MARGIN + (_HEIGHT - 2 * _MARGIN) * (1 - point.y)
    return (
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius}" {_paint(group)} data-group="{group}" '
        f'data-paper="{escape(point.paper.id)}" data-title="{escape(point.paper.title)}"/>'
    )


def map_html(drawn: Map, by: By) -> str:
    """Return what the colours mean, with how many papers each has, and the topics with their papers."""
    count = len(drawn.points)
    papers = "paper" if count == 1 else "papers"
    unplaced = f" {drawn.unplaced:,} have no vector yet and are not on it." if drawn.unplaced else ""
    return blocks(
        f'<p class="lead-line">{count:,} {papers} in {len(drawn.topics)} topics; near papers have near meanings. '
        f"Point at a dot for its title, press it for the abstract.{unplaced}</p>",
        "" if by == "topic" else f'<ul class="keys">{_keys(drawn, by)}</ul>',
        _years(drawn),
        "<h3>Topics</h3>",
        "".join(_topic(place, topic, by == "topic") for place, topic in enumerate(drawn.topics)),
    )


def _keys(drawn: Map, by: By) -> str:
    every = groups(drawn, by)
    rows = "".join(
        f"<li>{_chip(place)}{escape(name)} ({size:,})</li>" for place, (name, size) in enumerate(every[:_KEYS_SHOWN])
    )
    more = len(every) - _KEYS_SHOWN
    return rows + (f"<li>and {more:,} more</li>" if more > 0 else "")


def _chip(place: int) -> str:
    return (
        f'<svg class="chip" viewBox="0 0 12 12" aria-hidden="true"><circle cx="6" cy="6" r="5" {_paint(place)}/></svg>'
    )


def _paint(place: int) -> str:
    ring = ' class="ring"' if place // len(COLOURS) % 2 else ""
    return f'fill="{COLOURS[place % len(COLOURS)]}"{ring}'


def _years(drawn: Map) -> str:
    if len(drawn.years) < 2:
        return ""
    most = max(drawn.years.values())
    rows = "".join(
        f'<li><span class="year">{year}</span><span class="bar" style="width:{_WIDEST * count / most:.0f}%"></span>'
        f"{count:,}</li>"
        for year, count in drawn.years.items()
    )
    return f'<h3>Papers a year</h3><ul class="years">{rows}</ul>'


def _topic(place: int, topic: Topic, coloured: bool) -> str:
    listed = "".join(f"<li>{paper_button(paper)}</li>" for paper in topic.papers[:_PAPERS_LISTED])
    more = len(topic.papers) - _PAPERS_LISTED
    rest = f'<p class="hint">{more:,} more: choose this topic in Papers.</p>' if more > 0 else ""
    chip = _chip(place) if coloured else ""
    light = f'<button name="light" value="{place}" class="quiet">Show on the map</button>' if coloured else ""
    summary = f'{chip}{escape(topic.name)} <span class="of">{len(topic.papers):,}</span>'
    body = f'{light}<ul class="reading">{listed}</ul>{rest}'
    return f'<details class="group topic"><summary>{summary}</summary>{body}</details>'
