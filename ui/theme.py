"""How the page looks: a Gradio theme of quiet greys with one accent, fonts of the system only, and the page's CSS."""

from __future__ import annotations

from pathlib import Path

from gradio.themes import Base

_HERE = Path(__file__).resolve().parent
CSS_FILE = _HERE / "page.css"
BRIDGE_FILE = _HERE / "bridge.js"

# Names the reader's system may have; nothing is fetched, so the first that is there is taken.
SANS = ("system-ui", "Segoe UI", "Roboto", "Helvetica Neue", "Noto Sans", "Liberation Sans", "sans-serif")
MONO = ("ui-monospace", "SF Mono", "Cascadia Mono", "Menlo", "Consolas", "DejaVu Sans Mono", "monospace")


def page_theme() -> Base:
    """Return the theme; `page.css` builds on its variables and defines none of its own colours twice."""
    theme = Base(
        primary_hue="teal",
        secondary_hue="amber",
        neutral_hue="stone",
        text_size="md",
        radius_size="md",
        spacing_size="md",
        font=SANS,
        font_mono=MONO,
    )
    return theme.set(
        body_background_fill="#fbfaf8",
        body_background_fill_dark="#171614",
        background_fill_primary="#ffffff",
        background_fill_primary_dark="#1f1e1b",
        background_fill_secondary="#f4f2ee",
        background_fill_secondary_dark="#262421",
        body_text_color="#23211e",
        body_text_color_dark="#e9e6e0",
        body_text_color_subdued="#6b655d",
        body_text_color_subdued_dark="#a39c92",
        border_color_primary="#e4e0d9",
        border_color_primary_dark="#36332e",
        block_border_width="0px",
        block_shadow="none",
        block_background_fill="transparent",
        block_background_fill_dark="transparent",
        input_background_fill="#ffffff",
        input_background_fill_dark="#1f1e1b",
        input_border_width="1px",
        input_radius="8px",
        input_border_color="#d3cdc3",
        input_border_color_dark="#45413b",
        input_border_color_focus="*primary_600",
        input_border_color_focus_dark="*primary_400",
        link_text_color="*primary_700",
        link_text_color_dark="*primary_300",
        button_secondary_background_fill="transparent",
        button_secondary_background_fill_dark="transparent",
        button_secondary_border_color="*border_color_primary",
        button_secondary_border_color_dark="*border_color_primary",
        button_border_width="1px",
    )
