"""Questions that need two or three papers find them all among the first of the evidence."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rag.config import Config
from rag.library.corpus import read_file
from rag.library.embedding import MiniLM
from rag.opening import open_library
from rag.pipeline import Library
from rag.resources import resource
from tests.benchmarks.served import Needing, gathered, needing

INVENTED = resource("eval", "gold", "invented")
LEAST = 0.95


@pytest.fixture(scope="module")
def conference(minilm: MiniLM, config: Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The invented conference of the gold, indexed once."""
    with open_library(store=tmp_path_factory.mktemp("conference"), config=config, embedder=minilm) as library:
        library.index(INVENTED / "papers.jsonl")
        yield library


def test_the_packaged_abstracts_are_found_together(seeds: Library) -> None:
    asked = needing("seeds", resource("eval", "gold", "seeds.jsonl"), list(seeds.papers()))

    assert _share(seeds, [question for questions in asked.values() for question in questions]) >= LEAST


def test_the_abstracts_of_an_invented_conference_are_found_together(conference: Library) -> None:
    papers = read_file(INVENTED / "papers.jsonl").papers
    asked = needing("invented", INVENTED / "questions.jsonl", papers)

    assert _share(conference, [question for questions in asked.values() for question in questions]) >= LEAST


def test_a_question_of_the_two_spoken_of_finds_both(seeds: Library) -> None:
    answer = seeds.ask("and which of the two needs no training?", history=["How does SeProD decode?", "And DREAM-R?"])

    first = [scored.paper.title.partition(":")[0] for scored in answer.evidence[:2]]
    assert sorted(first) == ["DREAM-R", "SeProD"]


def test_a_near_copy_of_the_best_paper_is_among_the_evidence(conference: Library) -> None:
    found = conference.searcher().gather("phones that run experts which are already in memory").chunks

    assert {"inv-11", "inv-12"} <= {scored.paper.id for scored in found[:4]}


def _share(library: Library, questions: list[Needing]) -> float:
    return sum(gathered(library, question) for question in questions) / len(questions)
