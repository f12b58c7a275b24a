"""Output shown in the documentation is what the code prints: `python -m tests.docs` rewrites it, a test compares it.

A block is a fenced `console` block whose first line is `$ rag …` or `$ make ask Q="…"`; what follows is its output.
A `<!-- settings -->` line is followed by the table of settings, a `<!-- figures: FILE -->` line by the figures that a
committed baseline of `rag eval` holds, a `<!-- headline -->` line by a sentence of them.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

from rag.cli import main
from rag.config import SETTINGS

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_BLOCK = re.compile(r"(?P<head>```console\n\$ (?P<command>[^\n]+)\n)(?P<shown>.*?)(?P<tail>```)", re.DOTALL)
_FIGURES = re.compile(r"(?P<head><!-- figures: (?P<file>\S+) -->\n\n)(?P<shown>(?:\|[^\n]*\n)+)")
_HEADLINES = re.compile(r"(?P<head><!-- headline -->\n)(?P<shown>\*\*[^\n]*\n)")
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


_SHOWN = {
    "right": "wholly right: outcome, facts, papers, count",
    "hit@1": "a right paper first (1)",
    "recall@5": "right papers among five (1)",
    "must_all": "all required facts (2)",
    "gold_f1": "words shared with the gold answer, F1 (3)",
    "support": "sentences supported (4)",
    "numbers": "numbers in a cited abstract (5)",
    "names": "names in a cited abstract (6)",
    "citation_validity": "citations valid (8)",
    "citation_recall": "citation recall (9)",
    "citation_precision": "citation precision (10)",
    "outcome": "outcome right (11)",
    "refusal_f1": "refusals, F1 (11)",
    "auroc": "confidence tells right from wrong, AUROC (11)",
    "calibration": "calibration, 1 − expected error (11)",
    "census_f1": "whole-corpus lists, F1 (12)",
    "count_exact": "counts exact (12)",
}


def figures_table(file: str) -> str:
    """Return the figures that a baseline holds as a Markdown table."""
    head = json.loads((ROOT / file).read_text(encoding="utf-8").splitlines()[0])
    rows = ["| measure | dev | test | all, with 95 % interval | n |", "|---|---|---|---|---|"]
    for metric, title in _SHOWN.items():
        dev, test, whole = (head["figures"][split].get(metric) for split in ("dev", "test", "all"))
        if whole:
            low, high = whole[1], whole[2]
            shares = [f"{one[0]:.3f}" if one else "–" for one in (dev, test)]
            rows.append(f"| {title} | {' | '.join(shares)} | {whole[0]:.3f} [{low:.2f}, {high:.2f}] | {whole[3]} |")
    for kind, (right, n) in head["checker"].items():
        title = "honest paraphrase let through" if kind == "honest" else f"planted fault caught: {kind}"
        rows.append(f"| checker: {title.replace('_', ' ')} (13) | | | {right / n:.3f} | {n} |")
    return "\n".join(rows) + "\n"


def headline() -> str:
    """Return the README's sentence of figures, read from the packaged library's baseline."""
    figures = json.loads((ROOT / "eval" / "baseline.jsonl").read_text(encoding="utf-8").splitlines()[0])["figures"]
    shares = {name: [figures[split][name][0] for split in ("all", "dev", "test")] for name in _HEADLINE}
    said = [f"{_HEADLINE[n]} {a:.2f} (dev {d:.2f}, test {t:.2f})" for n, (a, d, t) in shares.items()]
    return f"**{'; '.join(said)}.**\n"


_HEADLINE = {
    "hit@1": "a right paper first in",
    "must_all": "all required facts in",
    "citation_validity": "quotes verbatim",
    "refusal_f1": "refusals right, F1",
    "census_f1": "whole-corpus lists, F1",
}


def refreshed(text: str, run: Callable[[str], str] = output) -> str:
    """Return a page with every shown output made anew."""
    text = _BLOCK.sub(lambda m: m["head"] + run(m["command"]) + m["tail"], text)
    text = _HEADLINES.sub(lambda m: m["head"] + headline(), text)
    text = _FIGURES.sub(lambda m: m["head"] + figures_table(m["file"]), text)
    return _SETTINGS.sub(lambda m: m["head"] + settings_table(), text)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")
