"""What the page suggests to ask next is answered by the library, for every packaged paper."""

from __future__ import annotations

import pytest

import rag
from rag.resources import resource
from ui.suggest import next_questions, short_name


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    with rag.open(store=tmp_path_factory.mktemp("seeds")) as library:
        library.index(resource("seeds", "icml-2026.txt"))
        yield library


def test_what_is_suggested_can_be_answered(seeds):
    unanswered, suggested = [], 0
    for paper in seeds.papers():
        question = f"What does {short_name(paper)} do?"
        for ahead in next_questions(seeds.ask(question), seeds.paper):
            suggested += 1
            if seeds.ask(ahead, [question]).outcome != "answered":
                unanswered.append((question, ahead))
    assert suggested > 19 and unanswered == []
