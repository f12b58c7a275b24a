"""Quality: the latest evaluation that was kept, and what visitors said of answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gradio as gr

from ui.desk import LOOKING, Desk, our_html
from ui.feedback import stored
from ui.reports import evaluation_html, votes_html


def quality_tab(desk: Desk, tab: gr.Tab, evaluation: Path) -> None:
    """Lay out the figures and the votes and wire them."""
    with gr.Column(elem_classes="sheet"):
        gr.Markdown("## Latest evaluation")
        figures = our_html(elem_id="evaluation")
        gr.Markdown("## What visitors said")
        votes = our_html(elem_id="votes")

    def enter(where: str) -> tuple[str, str]:
        return (
            evaluation_html(latest(evaluation), str(evaluation)),
            votes_html(stored(desk.library(where).folder)),
        )

    tab.select(enter, [desk.where], [figures, votes], **LOOKING)


def latest(file: Path) -> Mapping[str, Any] | None:
    """Return the record of an evaluation, or None where there is none that can be read."""
    try:
        record = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("figures"), dict) else None
