"""Conversation, streaming and stopping without Gradio. Rows S28, S29, S32 and S40 of the known faults."""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Iterator
from itertools import pairwise

from rag.types import TextPiece, Turn
from tests.ui.fakes import HOSTILE_TITLE, PAPERS, FakeLibrary, paper
from ui.chat import Chat, Step
from ui.conversation import Conversation
from ui.examples import example_questions
from ui.streaming import Runs


def ask(chat: Chat, question: str, before: Conversation | None = None, session: str = "a") -> Conversation:
    *_, last = chat.ask(question, before or Conversation(), session)
    return last.conversation


def until(condition, seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return bool(condition())


def test_an_answer_grows_and_ends_with_its_first_source_shown():
    steps = list(Chat(FakeLibrary(delay=0)).ask("What about SPAR?", Conversation(), "a"))
    texts = [step.conversation.exchanges[-1].shown_text for step in steps]
    assert texts[0] == "" and all(len(a) < len(b) for a, b in pairwise(texts[:-1]))
    assert [step.busy for step in steps] == [True] * (len(steps) - 1) + [False]
    assert "active-quote" in (steps[-1].panel or "") and "opened" not in (steps[-1].panel or "")


def test_blank_questions_are_not_sent():
    library = FakeLibrary(delay=0)
    for blank in ("", "   ", "\n\t"):
        assert list(Chat(library).ask(blank, Conversation(), "a")) == []
    assert library.asked == []


def test_a_follow_up_hands_on_the_earlier_turns_and_the_mode():
    library = FakeLibrary(delay=0)
    chat = Chat(library, "extractive")
    first = ask(chat, "What does TARNLEX score?")
    ask(chat, "How do they compare with WEXLE?", first)
    question, history, mode = library.asked[-1]
    assert history == (Turn("What does TARNLEX score?", first.exchanges[0].shown_text),)
    assert (question, mode) == ("How do they compare with WEXLE?", "extractive")


def test_a_marker_opens_the_citation_of_its_own_turn():
    chat = Chat(FakeLibrary(delay=0))
    both = ask(chat, "How many Yoruba dialogues?", ask(chat, "What does TARNLEX score?"))
    assert "TARNLEX" in chat.source_html("1:1", both) and "Yoruba" not in chat.source_html("1:1", both)
    assert "Yoruba" in chat.source_html("2:1", both)


def test_a_marker_from_nowhere_opens_nothing():
    chat = Chat(FakeLibrary(delay=0))
    one = ask(chat, "What does TARNLEX score?")
    for marker in ("1:2", "2:1", "", "x:y", "1", "1:-1", "²:1"):
        assert "active-quote" not in chat.source_html(marker, one)


def test_a_cited_paper_that_was_removed_still_shows_its_quote():
    class Emptied(FakeLibrary):
        def paper(self, paper_id):
            return None

    chat = Chat(Emptied(delay=0))
    markup = chat.source_html("1:1", ask(chat, "What does TARNLEX score?"))
    assert "No longer in the library" in markup and "71.4 F1" in markup


def test_stop_frees_the_page_closes_the_stream_and_keeps_the_part():
    library = FakeLibrary(delay=0.05)
    chat = Chat(library)
    steps: Iterator[Step] = chat.ask("Say a word a second", Conversation(), "a")
    for _ in range(3):
        next(steps)
    chat.stop("a")
    *_, last = steps
    kept = last.conversation.exchanges[-1]
    assert kept.status == "stopped" and kept.text.startswith("Sentence 0.") and not last.busy
    assert until(lambda: library.closed == 1)
    ask(chat, "What did I just ask?", last.conversation)
    assert library.asked[-1][1] == (Turn("Say a word a second", kept.text),)


def test_stop_does_not_wait_for_a_silent_model():
    class Silent(FakeLibrary):
        def stream(self, question, history=(), mode=None):
            release.wait(10)
            yield TextPiece("late")

    release = threading.Event()
    chat = Chat(Silent())
    steps = chat.ask("Anyone there?", Conversation(), "a")
    next(steps)
    threading.Timer(0.05, chat.stop, ["a"]).start()
    began = time.monotonic()
    *_, last = steps
    assert time.monotonic() - began < 2
    assert last.conversation.exchanges[-1].status == "stopped"
    release.set()


def test_leaving_closes_the_stream():
    library = FakeLibrary(delay=0.05)
    steps = Chat(library).ask("Say a word a second", Conversation(), "a")
    next(steps), next(steps)
    steps.close()  # what Gradio does with a visitor who is gone
    assert until(lambda: library.closed == 1)


def test_one_answer_a_visitor_at_a_time_and_visitors_side_by_side():
    chat = Chat(FakeLibrary(delay=0.01))
    mine = chat.ask("What about SPAR?", Conversation(), "a")
    next(mine)
    assert list(chat.ask("And TARNLEX?", Conversation(), "a")) == []
    yours = ask(chat, "How many Yoruba dialogues?", session="b")
    assert [e.question for e in yours.exchanges] == ["How many Yoruba dialogues?"]
    *_, last = mine
    assert [e.question for e in last.conversation.exchanges] == ["What about SPAR?"]


def test_starting_over_shows_nothing_more_of_a_running_answer():
    chat = Chat(FakeLibrary(delay=0.05))
    steps = chat.ask("Say a word a second", Conversation(), "a")
    next(steps), next(steps)
    late: list[Step] = []
    reader = threading.Thread(target=lambda: late.extend(steps))
    reader.start()
    chat.discard("a")
    seen = len(late)
    reader.join(5)
    assert len(late) == seen and all(step.busy for step in late)


def test_an_error_for_people_is_shown_and_can_be_tried_again():
    library = FakeLibrary(delay=0)
    chat = Chat(library)
    failed = ask(chat, "Is the unreachable WEXLE there?", ask(chat, "What does TARNLEX score?"))
    last = failed.exchanges[-1]
    assert last.status == "failed" and "did not answer" in last.error and last.text == "It begins well. "
    *_, step = chat.retry(last.id, failed, "a")
    assert [e.status for e in step.conversation.exchanges] == ["done", "done"]
    assert step.conversation.exchanges[-1].question == last.question


def test_a_bug_is_a_sentence_on_the_page_and_a_traceback_in_the_log(caplog):
    last = ask(Chat(FakeLibrary(delay=0)), "Please crash").exchanges[-1]
    assert last.status == "failed" and "ZeroDivisionError" not in last.error
    assert "ZeroDivisionError" in caplog.text


def test_a_reply_that_ends_without_an_answer_is_not_taken_for_one():
    class Cut(FakeLibrary):
        def stream(self, question, history=(), mode=None):
            yield TextPiece("")
            yield TextPiece("Half a ")

    last = ask(Chat(Cut()), "q").exchanges[-1]
    assert (last.status, last.text, last.answer) == ("failed", "Half a ", None)
    assert "broke off" in last.error


def test_a_dangling_answer_of_a_lost_connection_is_marked_stopped():
    chat = Chat(FakeLibrary(delay=0))
    dangling = Conversation().asked("Lost?").with_last("Part", "streaming")
    assert [e.status for e in ask(chat, "What about SPAR?", dangling).exchanges] == ["stopped", "done"]


def test_ids_never_come_back_within_a_conversation():
    three = Conversation().asked("a").asked("b").asked("c")
    assert [e.id for e in three.without(2).asked("d").exchanges] == [1, 3, 4]


def test_a_run_is_forgotten_when_it_ends():
    runs = Runs()
    first = runs.start("a")
    assert first and runs.start("a") is None
    runs.finish("a", first)
    assert runs.start("a") is not None
    runs.stop("nobody")


def test_examples_come_from_the_seeds_where_they_fit_and_else_from_titles():
    seeds = (
        paper("1", "W", "Averaging the models defeats a watermark by averaging."),
        paper("2", "P", "PBS-Attn speeds up prefilling. Code is available."),
        paper("3", "S", "SOMA keeps a spatial memory."),
    )
    assert example_questions(seeds) == (
        "Which method averages several models to wash out watermarks?",
        "How much faster does PBS-Attn make prefilling?",
        "Why does SOMA need spatial memory?",
        "How many papers release their code?",
    )
    ours = example_questions(PAPERS)
    assert ours[0] == "What does SPAR do?" and "How many papers release their code?" in ours and len(ours) == 4
    assert example_questions(()) == ()
    assert HOSTILE_TITLE in example_questions([dataclasses.replace(PAPERS[4])])[0]
