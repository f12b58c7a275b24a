"""Map: the library's topics as a picture to point at, and as a list of papers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from rag.survey.drawing import COLOURINGS
from ui.desk import Desk, our_html
from ui.maps import map_html, picture_html
from ui.work import OVER_ALL, attempted, busy_html

_CHOICES = [(by.capitalize(), by) for by in COLOURINGS]


def map_part(desk: Desk, tab: gr.Tab) -> None:
    """Lay out the picture and the topics, and wire them."""
    with gr.Column(elem_classes="sheet wide"):
        by = gr.Radio(_CHOICES, value=COLOURINGS[0], label="Colours", elem_id="map-by")
        # No place for our HTML in general: a picture is no Markdown, and is made of our own words alone.
        picture = gr.HTML("", elem_id="map-picture")
        topics = our_html(elem_id="map-topics")

    def draw(where: str, colours: Any) -> Iterator[tuple[Any, str]]:
        library = desk.library(where)
        yield gr.skip(), busy_html(f"Laying out {library.count:,} papers")
        drawn: list[str] = []

        def work() -> str:
            found = library.map()
            drawn.append(picture_html(found, colours))
            return map_html(found, colours)

        html = attempted(work)
        yield (drawn[0] if drawn else ""), html

    shown = [picture, topics]
    tab.select(draw, [desk.where, by], shown, **OVER_ALL)
    by.input(draw, [desk.where, by], shown, **OVER_ALL)
