import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rag.config import Config, load_config
from rag.errors import ModelError, ModelInterrupted
from rag.model.client import OpenAIChatModel, count_tokens
from rag.model.reasoning import ReasoningFilter
from tests.scripted_server import ScriptedServer, says, scripted_server, status

KEY = "sk-test-0000-NOT-REAL"
Configure = Callable[..., Config]


@pytest.fixture
def configure(tmp_path: Path) -> Configure:
    def make(server: ScriptedServer | str, **settings: Any) -> Config:
        url = server if isinstance(server, str) else server.url
        given = {"model": "local-8b-v2", "base_url": url, "api_key": KEY, **settings}
        return load_config({}, folder=tmp_path, **given)

    return make


def test_an_unknown_model_streams_through_and_sends_the_settings(configure: Configure) -> None:
    with scripted_server(says("TARNLEX scores 71.4 [1].")) as server:
        model = OpenAIChatModel(configure(server, temperature=0.0, seed=7, max_tokens=99))
        reply = model.stream("be brief", "what?")
        assert "".join(reply) == "TARNLEX scores 71.4 [1]."
    sent = server.requests[0]
    assert (sent["model"], sent["temperature"], sent["seed"], sent["max_tokens"]) == ("local-8b-v2", 0.0, 7, 99)
    assert [m["role"] for m in sent["messages"]] == ["system", "user"]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert reply.usage.to_dict() == {"calls": 1, "prompt_tokens": 120, "completion_tokens": 4}
    assert model.usage == reply.usage
    assert not reply.cut


def test_usage_is_counted_where_the_server_gives_none(configure: Configure) -> None:
    with scripted_server(says("One two three.", usage=False)) as server:
        reply = OpenAIChatModel(configure(server)).stream("be brief", "what?")
        list(reply)
    assert reply.usage.prompt_tokens > 4
    assert reply.usage.completion_tokens >= 4


def test_a_reply_cut_at_its_longest_length_says_so(configure: Configure) -> None:
    with scripted_server(says("TARNLEX scores 71.4 [", finish="length")) as server:
        reply = OpenAIChatModel(configure(server)).stream("s", "u")
        list(reply)
    assert reply.cut


def test_pieces_without_content_or_choices_are_ignored(configure: Configure) -> None:
    script = [("empty", None), ("delta", ""), *says("word"), ("empty", None)]
    with scripted_server(script) as server:
        assert list(OpenAIChatModel(configure(server)).stream("s", "u")) == ["word"]


def test_an_empty_reply_is_empty(configure: Configure) -> None:
    with scripted_server([("finish", "stop"), ("done", None)]) as server:
        assert list(OpenAIChatModel(configure(server)).stream("s", "u")) == []


def test_reasoning_is_never_passed_on(configure: Configure) -> None:
    script = [("reasoning", "secret plan"), *says("<think>more\nsecret plan</think>It scores 71.4 [1].", pieces=13)]
    with scripted_server(script) as server:
        reply = OpenAIChatModel(configure(server)).stream("s", "u")
        assert "".join(reply) == "It scores 71.4 [1]."
    assert "secret" not in reply.text


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_reasoning_tags_split_over_pieces_are_seen(size: int) -> None:
    text = "a <b <think>no</think> c <THINKING>no</thinking> d < e"
    held = ReasoningFilter()
    shown = "".join(held.feed(text[i : i + size]) for i in range(0, len(text), size)) + held.end()
    assert shown == "a <b  c  d < e"


def test_a_refused_key_names_the_setting_and_is_masked(configure: Configure, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with scripted_server(status(401, "Incorrect API key provided: {key}")) as server:
        config = configure(server)
        with pytest.raises(ModelError, match="the key was refused; setting OPENAI_API_KEY holds it") as caught:
            list(OpenAIChatModel(config).stream("s", "u"))
    assert KEY not in str(caught.value) + repr(config) + caplog.text
    assert len(server.requests) == 1


def test_a_server_that_echoes_the_key_in_another_error_is_masked(configure: Configure) -> None:
    with (
        scripted_server(status(400, "bad request with {key}")) as server,
        pytest.raises(ModelError, match=r"refused the request \(400\).*\*\*\*") as caught,
    ):
        list(OpenAIChatModel(configure(server)).stream("s", "u"))
    assert KEY not in str(caught.value)


def test_retry_after_is_waited_for(configure: Configure) -> None:
    with scripted_server(status(429, "slow down", retry_after="0.4"), says("ok")) as server:
        began = time.monotonic()
        reply = OpenAIChatModel(configure(server)).stream("s", "u")
        assert list(reply) == ["ok"]
    assert time.monotonic() - began >= 0.4
    assert reply.usage.calls == 2


def test_retries_end_with_one_sentence(configure: Configure) -> None:
    with (
        scripted_server(status(429, "slow down", retry_after="0")) as server,
        pytest.raises(ModelError, match=r"is busy \(429\) and stayed so after 3 calls"),
    ):
        list(OpenAIChatModel(configure(server, retries=2)).stream("s", "u"))
    assert len(server.requests) == 3


def test_a_wait_that_nobody_would_sit_through_is_refused(configure: Configure) -> None:
    with (
        scripted_server(status(429, "slow down", retry_after="3600")) as server,
        pytest.raises(ModelError, match="asks to wait 3600 s"),
    ):
        list(OpenAIChatModel(configure(server)).stream("s", "u"))
    assert len(server.requests) == 1


@pytest.mark.parametrize("setting", ["stream_options", "seed", "temperature"])
def test_a_setting_that_the_server_refuses_is_left_out(configure: Configure, setting: str) -> None:
    with scripted_server(status(400, f"Unknown parameter: {setting}"), says("ok"), says("ok")) as server:
        model = OpenAIChatModel(configure(server, retries=0))
        assert list(model.stream("s", "u")) == ["ok"]
        assert list(model.stream("s", "u")) == ["ok"]
    assert [setting in request for request in server.requests] == [True, False, False]


def test_a_server_that_wants_another_name_for_the_limit_gets_it(configure: Configure) -> None:
    refusal = status(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    with scripted_server(refusal, says("ok")) as server:
        assert list(OpenAIChatModel(configure(server, max_tokens=77)).stream("s", "u")) == ["ok"]
    assert server.requests[1]["max_completion_tokens"] == 77
    assert "max_tokens" not in server.requests[1]


def test_an_unknown_model_name_is_said(configure: Configure) -> None:
    with scripted_server(status(404, "model not found")) as server, pytest.raises(ModelError, match="RAG_MODEL"):
        list(OpenAIChatModel(configure(server)).stream("s", "u"))


def test_a_silent_server_is_given_up(configure: Configure) -> None:
    with scripted_server([("wait", 5)]) as server:
        began = time.monotonic()
        with pytest.raises(ModelError, match=r"was silent for 0\.3 s \(setting RAG_TIMEOUT\)"):
            list(OpenAIChatModel(configure(server, timeout=0.3, retries=0)).stream("s", "u"))
    assert time.monotonic() - began < 3


def test_one_word_then_silence_keeps_the_word_and_says_that_it_broke_off(configure: Configure) -> None:
    with scripted_server([("delta", "One"), ("wait", 5)]) as server:
        reply = OpenAIChatModel(configure(server, timeout=0.3)).stream("s", "u")
        with pytest.raises(ModelInterrupted, match="was silent"):
            list(reply)
    assert reply.text == "One"


def test_empty_pieces_do_not_count_as_life(configure: Configure) -> None:
    script = [("delta", "One"), *[("empty", None), ("wait", 0.1)] * 30]
    with scripted_server(script) as server, pytest.raises(ModelInterrupted, match="was silent"):
        list(OpenAIChatModel(configure(server, timeout=0.3)).stream("s", "u"))


@pytest.mark.parametrize("end", [[("drop", None)], [("raw", "{broken")], [("done", None)]])
def test_a_stream_that_breaks_off_keeps_its_part(configure: Configure, end: list[tuple[str, Any]]) -> None:
    with scripted_server([("delta", "One two"), *end]) as server:
        reply = OpenAIChatModel(configure(server)).stream("s", "u")
        with pytest.raises(ModelInterrupted, match="incomplete"):
            list(reply)
    assert reply.text == "One two"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "script",
    [
        [("raw", "{broken")],
        [("body", ("application/json", '{"a": 1}'))],
        [("body", ("text/html", "<html>It works!</html>"))],
    ],
)
def test_something_that_is_no_chat_reply_is_said(configure: Configure, script: list[tuple[str, Any]]) -> None:
    with scripted_server(script) as server, pytest.raises(ModelError, match="no chat reply; check OPENAI_BASE_URL"):
        list(OpenAIChatModel(configure(server)).stream("s", "u"))


def test_an_error_inside_the_stream_is_said_and_masked(configure: Configure) -> None:
    with (
        scripted_server([("raw", f'{{"error": {{"message": "overloaded {KEY}"}}}}')]) as server,
        pytest.raises(ModelError, match=r"reported an error: overloaded \*\*\*"),
    ):
        list(OpenAIChatModel(configure(server)).stream("s", "u"))


def test_a_server_that_is_not_there_is_said(configure: Configure) -> None:
    with scripted_server() as server:
        address = server.url
    with pytest.raises(ModelError, match="can't be reached; start it or correct OPENAI_BASE_URL"):
        list(OpenAIChatModel(configure(address, retries=0)).stream("s", "u"))


SLOW = [action for n in range(60) for action in (("delta", f"w{n} "), ("wait", 0.2))]


def _wait_for(condition: Callable[[], bool], seconds: float = 1.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return condition()


def test_closing_the_reply_ends_the_request_within_a_second(configure: Configure) -> None:
    with scripted_server(SLOW) as server:
        reply = OpenAIChatModel(configure(server)).stream("s", "u")
        next(reply)
        reply.close()
        assert _wait_for(lambda: bool(server.closed_after))
        assert len(server.sent) < 10
        assert list(reply) == []


def test_stopping_from_another_thread_wakes_a_reader_that_waits(configure: Configure) -> None:
    with scripted_server([("delta", "One"), ("wait", 20)]) as server:
        reply = OpenAIChatModel(configure(server)).stream("s", "u")
        assert next(reply) == "One"
        threading.Timer(0.1, reply.stop).start()
        began = time.monotonic()
        assert list(reply) == []
        assert time.monotonic() - began < 2
        assert _wait_for(lambda: bool(server.closed_after))


def test_nothing_is_sent_before_the_first_piece_is_asked_for(configure: Configure) -> None:
    with scripted_server(says("x")) as server:
        OpenAIChatModel(configure(server)).stream("s", "u")
        assert server.requests == []


def test_control_strings_are_counted_as_ordinary_text() -> None:
    text = "Appending <|endoftext|> or <|im_start|> to a prompt changes the refusal rate by 4 points."
    for model in ("gpt-4o", "gpt-4", "local-8b-v2"):
        assert count_tokens(text, model) > 15


def test_an_unknown_model_is_counted_on_the_safe_side() -> None:
    text = "TARNLEX parses legal text on the OAKMOOR benchmark. " * 20
    assert count_tokens(text, "local-8b-v2") > count_tokens(text, "gpt-4o")


def test_importing_the_client_imports_no_heavy_package() -> None:
    heavy = ("openai", "llama_index", "tiktoken", "httpx")
    code = f"import rag.model.client, rag.model.drafting, sys; print([m for m in {heavy} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
