"""Scripted conversations, written before they were tried: every turn finds its paper, and no topic clings.

`scripted.jsonl` speaks in whole sentences, `terse.jsonl` in scraps: "auc?", "same for QUILLON", "no, I meant the one
for graphs", "back to the mosses: which licence?".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import pytest

from rag.config import Config
from rag.library.embedding import MiniLM
from rag.opening import open_library
from rag.pipeline import Library
from rag.resources import resource

_FLOOR = 0.95  # share of the turns that name a paper


@dataclass(frozen=True, slots=True)
class Asked:
    """A turn as it was answered: the papers that it is about, and the first ones of its evidence."""

    conversation: str
    question: str
    papers: frozenset[str]
    found: tuple[str, ...]
    standalone: str

    @property
    def right(self) -> bool:
        """Tell whether the evidence begins with the papers that the turn is about."""
        return frozenset(self.found[: len(self.papers)]) == self.papers


@pytest.fixture(scope="module")
def invented_library(minilm: MiniLM, config: Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with open_library(store=tmp_path_factory.mktemp("invented"), config=config, embedder=minilm) as library:
        library.index(resource("eval", "gold", "invented", "papers.jsonl"))
        yield library


@pytest.fixture(scope="module")
def asked(seeds: Library, invented_library: Library) -> list[Asked]:
    libraries = {"seeds": seeds, "invented": invented_library}
    files = [resource("eval", "gold", "conversations", f"{name}.jsonl") for name in ("scripted", "terse")]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    return [turn for line in lines for turn in _asked(json.loads(line), libraries)]


def _asked(conversation: dict[str, object], libraries: dict[str, Library]) -> Iterator[Asked]:
    library, history = libraries[str(conversation["library"])], list[str]()
    turns = conversation["turns"]
    assert isinstance(turns, list)
    for turn in turns:
        answer = library.ask(turn["ask"], history)
        found = tuple(scored.paper.id for scored in answer.evidence)
        yield Asked(str(conversation["id"]), turn["ask"], frozenset(turn["papers"]), found, answer.standalone_question)
        history.append(turn["ask"])


def test_there_are_sixty_conversations_of_three_to_six_turns(asked: list[Asked]) -> None:
    ids = [turn.conversation for turn in asked]

    assert len(set(ids)) == 63
    assert all(3 <= ids.count(identity) <= 6 for identity in set(ids))


def test_every_turn_finds_its_paper(asked: list[Asked]) -> None:
    about = [turn for turn in asked if turn.papers]
    wrong = [turn for turn in about if not turn.right]

    assert len(about) - len(wrong) >= _FLOOR * len(about), wrong


def test_no_topic_clings_after_a_switch(asked: list[Asked]) -> None:
    clinging = [
        turn
        for before, turn in pairwise(asked)
        if before.conversation == turn.conversation
        and before.papers
        and turn.papers
        and not before.papers & turn.papers
        and turn.found[:1]
        and turn.found[0] in before.papers
    ]

    assert clinging == []


def test_a_courtesy_between_two_turns_brings_no_evidence(asked: list[Asked]) -> None:
    assert all(turn.found == () for turn in asked if not turn.papers)
