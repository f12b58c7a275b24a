"""Conversations and linked answers as JSON: nothing changes on the way there and back, and nothing else gets in."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rag.types import Rejected, Usage
from tests.ui.fakes import canned
from ui.conversation import Conversation
from ui.keeping import Keeping, Links, conversation_from_json, exchanges_to_json, read_keeping


def talk(*questions: str) -> Conversation:
    conversation = Conversation()
    for question in questions:
        reply = replace(canned(question, ()), rejected=(Rejected("[9]", "It flies.", "no source"),), warnings=("w",))
        conversation = conversation.asked(question).with_last(reply.text, "done", reply, suggestions=("And then?",))
    return conversation


def test_a_conversation_comes_back_as_it_was():
    conversation = talk("Tell me about SPAR", "hi")
    assert conversation_from_json(json.loads(json.dumps(exchanges_to_json(conversation)))) == conversation


def test_states_other_than_done_come_back_and_a_running_one_as_stopped():
    broken = (
        talk("SPAR").asked("b").with_last("Part", "failed", error="No server.").asked("c").with_last("P", "streaming")
    )
    back = conversation_from_json(exchanges_to_json(broken))
    assert [(e.status, e.shown_text, e.error) for e in back.exchanges[1:]] == [
        ("failed", "Part", "No server."),
        ("stopped", "P", ""),
    ]


def test_evidence_and_usage_stay_behind():
    reply = replace(canned("SPAR", ()), usage=Usage(1, 2, 3))
    row = exchanges_to_json(Conversation().asked("SPAR").with_last("", "done", reply))[0]["answer"]
    assert "evidence" not in row and "usage" not in row


@pytest.mark.parametrize(
    "value",
    [
        None,
        "text",
        [],
        {},
        {"format": 2, "chats": []},
        {"format": 1, "chats": "x"},
        {"format": 1, "chats": [1, {"id": 3}, {"id": ""}]},
    ],
)
def test_what_no_page_wrote_is_no_keeping(value):
    assert read_keeping(value) == Keeping()


@pytest.mark.parametrize(
    "change",
    [
        {"id": "1"},
        {"id": -4},
        {"status": "streaming"},
        {"status": ["done"]},
        {"answer": None},
        {"answer": {"outcome": "hacked"}},
        {"answer": {"outcome": ["answered"]}},
    ],
)
def test_an_exchange_that_does_not_fit_is_left_out(change):
    row = exchanges_to_json(talk("SPAR"))[0] | change
    assert conversation_from_json([row, "x", None]).exchanges == ()


def test_wrong_fields_inside_an_answer_do_no_harm():
    row = exchanges_to_json(talk("SPAR"))[0]
    row["answer"] |= {"citations": [{"marker": "1"}, 3], "confidence": "high", "marks": ["a", -1, 4], "warnings": [{}]}
    answer = conversation_from_json([row]).exchanges[0].answer
    assert answer and (answer.citations, answer.confidence, answer.marks, answer.warnings) == ((), 0.0, (4,), ())


def test_keeping_names_reopens_renames_and_deletes():
    keeping = Keeping().saved(talk("Tell me about SPAR"), "a")
    first = keeping.current
    keeping = keeping.saved(talk("Tell me about SPAR", "hi"), "a")
    assert [(c.name, len(c.conversation.exchanges)) for c in keeping.chats] == [("Tell me about SPAR", 2)]
    keeping = keeping.opened("").saved(talk("hi"), "b")
    assert [c.name for c in keeping.chats] == ["hi", "Tell me about SPAR"] and keeping.current != first
    keeping = keeping.renamed(first, "  Attention  notes ").renamed(first, " ")
    assert keeping.find(first) and keeping.find(first).name == "Attention notes"
    assert read_keeping(json.loads(json.dumps(keeping.to_json()))) == keeping
    assert read_keeping(keeping.written()) == keeping
    assert [c.name for c in keeping.without(keeping.current).chats] == ["Attention notes"]
    assert keeping.without(keeping.current).current == ""


def test_an_empty_conversation_is_not_kept():
    assert Keeping().saved(Conversation(), "a") == Keeping()


def test_the_oldest_go_where_all_would_be_too_much():
    keeping = Keeping()
    for number in range(40):
        keeping = keeping.opened("").saved(talk(f"SPAR {number} {'x' * 90_000}"), "a")
    assert len(keeping.chats) == 30
    kept = read_keeping(keeping.to_json())
    assert 1 < len(kept.chats) < 30 and kept.chats[0] == keeping.chats[0]
    assert len(json.dumps(keeping.to_json())) <= 1_500_000


def test_a_link_shows_one_answer_as_it_was(tmp_path: Path):
    links = Links(tmp_path)
    conversation = talk("Tell me about SPAR", "hi")
    key = links.store(conversation.exchanges[0], "a")
    assert links.load(key) == (Conversation(conversation.exchanges[:1]), "a")


@pytest.mark.parametrize("key", ["", "nobody", "../secret", "..", "a/b", "x" * 500, "é", "%2e"])
def test_a_link_that_was_never_made_opens_nothing(tmp_path: Path, key):
    (tmp_path / "secret.json").write_text("{}", encoding="utf-8")
    links = Links(tmp_path)
    links.store(talk("SPAR").exchanges[0], "a")
    assert links.load(key) is None
