"""Replies in the forms that servers and models really send: what is shown is the sentence, or quotes instead."""

import json

import pytest

from tests.llm.test_library import ask, folder  # noqa: F401  (the fixture)
from tests.scripted_server import says

GOOD = "TARNLEX scores 71.4 F1 on OAKMOOR [1]."
SHOWN = "TARNLEX scores 71.4 F1 on OAKMOOR"


def _raw(delta, finish=None):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return (
        "raw",
        json.dumps({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}),
    )


def _calls_a_tool():
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q": "TARNLEX"}'}}
    return [
        _raw({"role": "assistant", "content": None, "tool_calls": [call]}),
        ("finish", "tool_calls"),
        ("done", None),
    ]


@pytest.mark.parametrize(
    "reply",
    [
        f"<think>TARNLEX scores 99.9 [1].</think>{GOOD}",
        f"<seed:think>TARNLEX parses legal text.</seed:think>{GOOD}",
        f"◁think▷TARNLEX parses legal text.◁/think▷{GOOD}",
        f"[THINK]TARNLEX parses legal text.[/THINK]{GOOD}",
        "<|channel|>analysis<|message|>TARNLEX parses legal text.<|end|><|start|>assistant<|channel|>final<|message|>"
        f"{GOOD}<|return|>",
        f"{GOOD}<|im_end|>",
        f"{GOOD}</s>",
        f"assistant: {GOOD}",
        f"Final answer: {GOOD}",
        f"\ufeff{GOOD}\u200b",
        f"```\n{GOOD}\n```",
        json.dumps({"answer": f"{SHOWN}.", "citations": [1]}),
        f"```json\n{json.dumps({'answer': GOOD}, indent=2)}\n```",
    ],
)
@pytest.mark.parametrize("pieces", [None, 1, 40])
def test_what_wraps_a_sentence_is_not_shown(folder, reply, pieces):  # noqa: F811
    answer = ask(folder, says(reply, pieces=pieces))
    assert answer.mode == "llm"
    text = answer.text.replace("[1]", "").replace("[2]", "").strip(" .")
    assert text == SHOWN


@pytest.mark.parametrize(
    "reply",
    [
        "According to [1], TARNLEX scores 71.4 F1 on OAKMOOR.",
        "According to source 1, TARNLEX scores 71.4 F1 on OAKMOOR.",
        "As stated in [Source 1], TARNLEX scores 71.4 F1 on OAKMOOR.",
        "[1] TARNLEX scores 71.4 F1 on OAKMOOR.",
        "TARNLEX scores 71.4 F1 on OAKMOOR.¹",
        "TARNLEX scores 71.4 F1 on OAKMOOR (1).",
        'TARNLEX scores 71.4 F1 on OAKMOOR <source number="1">.',
        "TARNLEX scores 71.4 F1 on OAKMOOR 【1†source】.",
    ],
)
def test_a_source_named_in_any_form_becomes_a_marker(folder, reply):  # noqa: F811
    answer = ask(folder, says(reply, pieces=1))
    assert answer.mode == "llm"
    assert answer.text.replace("[1]", "").replace("[2]", "").strip(" .") == SHOWN


@pytest.mark.parametrize(
    ("reply", "warning"),
    [
        (says(""), "empty"),
        (says("<think>TARNLEX scores 71.4 F1 on OAKMOOR [1]."), "empty"),
        (_calls_a_tool(), "empty"),
        ([("reasoning", GOOD), ("finish", "stop"), ("done", None)], "empty"),
        ([_raw({"role": "assistant", "refusal": "I can't help."}), ("finish", "stop"), ("done", None)], "empty"),
        (says("I cannot answer this question."), "stood up"),
        (says("TARNLEX was developed at Stanford in 2019 [1]."), "stood up"),
        (says("TARNLEX erreicht auf OAKMOOR einen F1-Wert von 71,4 [1]."), "stood up"),
        (says("| System | F1 |\n|---|---|\n| TARNLEX | 71.4 [1] |"), "stood up"),
        (says('<tool_call>{"name": "search", "arguments": {"q": "TARNLEX"}}</tool_call>'), "stood up"),
    ],
)
def test_a_reply_without_a_sentence_that_stands_gets_quotes_and_says_so(folder, reply, warning):  # noqa: F811
    answer = ask(folder, reply)
    assert (answer.mode, answer.outcome) == ("extractive", "answered")
    assert any(warning in text for text in answer.warnings)
    assert "71.4" in answer.text
    assert "Stanford" not in answer.text


def test_a_server_that_ignores_the_wish_for_a_stream_is_read_whole(folder):  # noqa: F811
    choice = {"index": 0, "message": {"role": "assistant", "content": GOOD}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 90, "completion_tokens": 12, "total_tokens": 102}
    body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    answer = ask(folder, [("body", ("application/json", json.dumps(body)))])
    assert answer.mode == "llm"
    assert answer.text.startswith(SHOWN)
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (90, 12)


def test_a_model_that_never_ends_its_sentence_is_left(folder):  # noqa: F811
    answer = ask(folder, says("TARNLEX " * 2000))
    assert answer.mode == "extractive"
    assert sum("over and over" in row.reason for row in answer.rejected) == 1


def test_marks_of_the_chat_format_that_an_abstract_writes_are_kept():
    from rag.model.drafts import draft_sentences

    source = "Appending <|endoftext|> changes the refusal rate by 4 points."
    assert list(draft_sentences([f"{source} [1]<|im_end|>"], [source])) == [f"{source} [1]"]
