"""A page that stays open while its library changes. Row S09 of the known faults."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rag
from tests.conftest import ROOT
from tests.ui.test_page import ask, finished
from tests.ui.test_tabs import go

pytestmark = pytest.mark.browser

PARSERS = (
    "TARNLEX parses legal text. On the OAKMOOR benchmark it scores 71.4 F1, against 68.9 for the best earlier system.",
    "WEXLE parses clinical notes. On the OAKMOOR benchmark it scores 74.1 F1 with half of TARNLEX's parameters.",
    "We translate between Welsh and Breton with 3,200 sentence pairs. Back-translation adds 2.6 BLEU.",
)
SPAR = "SPAR (sparse pairwise attention routing) cuts attention cost to a tenth and keeps 99.1% of accuracy."
CORPUS = "We release a corpus of 12,000 annotated dialogues in Yoruba, collected from 240 volunteers."


def index(store: Path, name: str, *abstracts: str) -> None:
    """Index abstracts in another process, as a second shell would."""
    file = store.parent / name
    file.write_text("\n\n".join(abstracts) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "rag.cli", "index", str(file), "--store", str(store)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)


def test_what_another_process_adds_or_rebuilds_is_found_by_the_open_page(served, visit, tmp_path):
    store = tmp_path / "store"
    index(store, "parsers.txt", *PARSERS)
    with rag.open(store=store) as library:
        page = visit(served(library))
        ask(page, "What is SPAR?")
        finished(page).locator(".badge.not_in_corpus").wait_for()

        index(store, "attention.txt", SPAR)
        ask(page, "What is SPAR?")
        finished(page, 2).locator(".text", has_text="cuts attention cost to a tenth").wait_for()

        shutil.rmtree(store)
        ask(page, "What does TARNLEX score?")
        finished(page, 3).locator(".failure", has_text="was deleted while it was open").wait_for()
        index(store, "all.txt", *PARSERS, SPAR, CORPUS)
        page.locator("#chat .failure button").click()
        page.locator("#chat .text", has_text="71.4 F1").wait_for()
        ask(page, "How many Yoruba dialogues are there?")
        finished(page, 4).locator(".text", has_text="12,000").wait_for()
        go(page, "Papers")
        page.locator("#results", has_text="5 papers").wait_for()
        assert "Traceback" not in page.content()
