"""Whole corpus: what only reading every abstract tells, one part each."""

from __future__ import annotations

import gradio as gr

from ui.desk import Desk
from ui.tabs.census import census_part
from ui.tabs.compare import compare_part
from ui.tabs.near import near_part
from ui.tabs.plot import map_part
from ui.tabs.table import table_part


def corpus_tab(desk: Desk) -> None:
    """Lay out the parts: a census, a table, a comparison, what is near a draft, the map."""
    with gr.Tabs(elem_id="corpus-parts"):
        with gr.Tab("Census", id="census"):
            census_part(desk)
        with gr.Tab("Table", id="table"):
            table_part(desk)
        with gr.Tab("Compare", id="compare") as compare:
            compare_part(desk, compare)
        with gr.Tab("Near my abstract", id="near"):
            near_part(desk)
        with gr.Tab("Map", id="map") as plot:
            map_part(desk, plot)
