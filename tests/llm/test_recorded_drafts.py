"""Drafts of the packaged small model, kept by `python -m tests.benchmarks.local_model --write`, replayed without it.

The model is the worst case: fluent, and wrong more often than not. `shown` in each row are the sentences that a person
has read against the cited abstract and found supported; whatever else would be shown is a failure to be read first.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import rag
from eval.matching import content_words, number_stated, numbers
from rag.text.sentences import sentences
from rag.types import Answer, Usage

ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("recorded_drafts.jsonl").read_text(encoding="utf-8").splitlines()
]


class Replay:
    """A chat model that repeats one recorded reply."""

    name = "recorded"

    def __init__(self, reply: str) -> None:
        self.reply, self.usage = reply, Usage()

    def stream(self, system: str, user: str) -> Iterator[str]:
        yield from (self.reply[i : i + 20] for i in range(0, len(self.reply), 20))


def plain(answer: Answer) -> str:
    """The text without its markers."""
    text = answer.text
    for citation in answer.citations:
        text = text.replace(f" [{citation.marker}]", "").replace(f"[{citation.marker}]", "")
    return text


@pytest.fixture(scope="module")
def answers(home) -> list[tuple[dict[str, object], Answer]]:
    found = []
    for row in ROWS:
        with rag.open(model=Replay(row["reply"]), mode="llm") as library:
            found.append((row, library.ask(row["question"])))
    return found


def test_there_are_drafts_to_judge():
    assert len(ROWS) >= 10 and any(row["reply"] for row in ROWS)


def test_nothing_is_shown_that_nobody_has_read(answers):
    for row, answer in answers:
        if answer.mode == "llm":
            shown = [s.text for line in plain(answer).splitlines() for s in sentences(line)]
            assert set(shown) <= set(row["shown"]), row["question"]


def test_every_number_and_most_words_of_what_is_shown_stand_in_the_cited_abstracts(answers, home):
    with rag.open() as library:
        abstracts = {paper.id: paper.abstract for paper in library.papers()}
    for row, answer in answers:
        cited = " ".join(abstracts[c.paper_id] for c in answer.citations)
        if answer.mode == "llm":
            words = set(content_words(plain(answer)))
            assert len(words & set(content_words(cited))) >= 0.75 * len(words), row["question"]
            assert all(number_stated(n, numbers(cited)) for n in numbers(plain(answer))), row["question"]


def test_a_useless_draft_still_gets_an_answer(answers):
    assert all(answer.text for _, answer in answers)
    assert all(answer.citations for _, answer in answers if answer.outcome in ("answered", "false_premise"))
