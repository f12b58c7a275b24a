"""Output shown in the documentation is what the code prints: `python -m tests.docs` rewrites it, a test compares it.

A block is a fenced `console` block whose first line is `$ rag …` or `$ make ask Q="…"`; what follows is its output.
A `<!-- settings -->` line is followed by the table of settings.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from collections.abc import Callable
from pathlib import Path

from rag.cli import main
from rag.config import SETTINGS

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_BLOCK = re.compile(r"(?P<head>```console\n\$ (?P<command>[^\n]+)\n)(?P<shown>.*?)(?P<tail>```)", re.DOTALL)
_SETTINGS = re.compile(r"(?P<head><!-- settings -->\n\n)(?P<shown>(?:\|[^\n]*\n)+)")


def output(command: str) -> str:
    """Return what a command prints to standard output, run in this process."""
    words = shlex.split(command)
    if words[0] == "make":
        words = ["rag", "ask", words[2].removeprefix("Q=")]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        main(words[1:])
    return printed.getvalue()


def settings_table() -> str:
    """Return the settings as a Markdown table."""
    rows = ["| key in `rag.toml` | environment | default | what it is |", "|---|---|---|---|"]
    for s in SETTINGS:
        default = "the user's data folder" if s.key == "home" else f"`{s.default}`" if s.default != "" else "not set"
        rows.append(f"| `{s.key}` | `{s.env}` | {default} | {s.help} |")
    return "\n".join(rows) + "\n"


def refreshed(text: str, run: Callable[[str], str] = output) -> str:
    """Return a page with every shown output made anew."""
    text = _BLOCK.sub(lambda m: m["head"] + run(m["command"]) + m["tail"], text)
    return _SETTINGS.sub(lambda m: m["head"] + settings_table(), text)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")
