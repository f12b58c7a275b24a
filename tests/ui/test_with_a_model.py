"""The page over a real library whose model is a scripted server. Rows S29, S39 and S40 of the known faults."""

from __future__ import annotations

import time

import pytest

import rag
from rag.config import load_config
from tests.scripted_server import says, scripted_server, status
from tests.ui.test_page import ask, finished
from tests.ui.test_tabs import go

pytestmark = pytest.mark.browser

KEY = "sk-test-0000-NOT-REAL"
QUESTION = "What does TARNLEX score on OAKMOOR?"
GOOD = "TARNLEX scores 71.4 F1 on OAKMOOR [1]."
ABSTRACTS = (
    "TARNLEX parses legal text. On the OAKMOOR benchmark it scores 71.4 F1, against 68.9 for the best earlier system.\n"
    "\n"
    "WEXLE parses clinical notes. On the OAKMOOR benchmark it scores 74.1 F1 with half of TARNLEX's parameters.\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("parsers")
    source = path / "parsers.txt"
    source.write_text(ABSTRACTS, encoding="utf-8")
    with rag.open(store=path / "store") as library:
        library.index(source)
    return path / "store"


@pytest.fixture
def asked(folder, served, visit):
    """Serve a page whose model's server plays a script; return the visitor and the server."""
    opened = []

    def open_page(*script, **settings):
        server = scripted_server(*script)
        running = server.__enter__()
        given = {"model": "local-8b-v2", "base_url": running.url, "api_key": KEY, "timeout": 1.0, "retries": 0}
        library = rag.open(store=folder, config=load_config({}, folder, **given | settings), mode="llm")
        opened.append((server, library))
        return visit(served(library, mode="llm", model="local-8b-v2")), running

    yield open_page
    for server, library in opened:
        library.close()
        server.__exit__(None, None, None)


def test_the_models_words_are_shown_with_their_sources_and_their_cost(asked):
    page, _ = asked(says(GOOD))
    assert "llm · local-8b-v2" in page.locator("#masthead").inner_text()
    ask(page, QUESTION)
    reply = finished(page)
    reply.locator(".badge.answered").wait_for()
    assert "TARNLEX scores 71.4 F1 on OAKMOOR." in reply.inner_text()
    assert "local-8b-v2, 127 tokens" in reply.locator(".fine").inner_text()
    reply.locator("p button.cite").last.click()
    page.locator("#source-panel .opened mark.active", has_text="71.4 F1").wait_for()


def test_what_no_abstract_says_is_left_out_and_listed(asked):
    page, _ = asked(says("TARNLEX won the HERON prize [1]. " + GOOD))
    ask(page, QUESTION)
    reply = finished(page)
    reply.locator("summary", has_text="left out: not backed by an abstract").click()
    assert "HERON" in reply.locator("details.note").inner_text()
    assert "HERON" not in "".join(reply.locator(".text").all_inner_texts())


def test_a_refused_key_is_named_by_its_setting_and_shown_nowhere(asked, caplog):
    page, _ = asked(status(401, "Incorrect API key provided: {key}"), status(400, "bad request with {key}"))
    for turn, words in enumerate(("the key was refused; setting OPENAI_API_KEY holds it", "***"), start=1):
        ask(page, QUESTION)
        finished(page, turn).locator(".note, .failure", has_text=words).first.wait_for()
    shown = page.content()
    go(page, "Library")
    page.locator("#library-state summary").click()
    page.locator("#library-state", has_text="***").wait_for()
    assert KEY not in shown + page.content() + caplog.text and "Traceback" not in shown


def test_a_silent_server_is_given_up_and_asked_again(asked):
    page, server = asked([("wait", 20)], says(GOOD))
    ask(page, QUESTION)
    reply = finished(page)
    reply.locator(".note, .failure", has_text="was silent for 1 s (setting RAG_TIMEOUT)").first.wait_for()
    reply.locator("button[name=retry]").click()
    page.locator("#chat .text", has_text="TARNLEX scores 71.4 F1 on OAKMOOR.").wait_for()
    assert len(server.requests) == 2


def test_a_broken_stream_is_said_to_be_one_and_pieces_without_content_do_no_harm(asked):
    cut = [*says(f"{GOOD} It also beats the", finish=None, usage=False)[:-1], ("drop", None)]
    page, _ = asked([("empty", None), *cut])
    ask(page, QUESTION)
    reply = finished(page)
    reply.locator(".note", has_text="broke off").wait_for()
    assert "It also beats the" not in reply.inner_text()


def test_stop_ends_the_request_and_the_next_question_knows_the_last(asked):
    slow = [action for n in range(60) for action in (("delta", f"word{n} "), ("wait", 1))]
    page, server = asked(slow, says(GOOD), timeout=30.0)
    ask(page, QUESTION)
    page.locator("#question .stop-button").wait_for()
    while not server.sent:
        page.wait_for_timeout(50)
    page.locator("#question .stop-button").click()
    finished(page).locator(".badge.stopped").wait_for()
    deadline = time.monotonic() + 10
    while not server.closed_after and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert server.closed_after
    ask(page, "and how much more than the earlier system?")
    finished(page, 2).locator("button.cite").first.wait_for()
    assert "TARNLEX" in finished(page, 2).locator(".read-as").inner_text()
