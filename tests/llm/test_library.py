"""The model behind the front door: real HTTP on loopback, a real library, and every way a server can disappoint."""

import json
import time

import pytest

import rag
from rag.config import load_config
from rag.types import Answer
from tests.conftest import ROOT
from tests.scripted_server import says, scripted_server, status

QUESTION = "What does TARNLEX score on OAKMOOR?"
ABSTRACTS = (
    "TARNLEX parses legal text. On the OAKMOOR benchmark it scores 71.4 F1, against 68.9 for the best earlier system.\n"
    "\n"
    "WEXLE parses clinical notes. On the OAKMOOR benchmark it scores 74.1 F1 with half of TARNLEX's parameters.\n"
)
KEY = "sk-test-0000-NOT-REAL"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("llm")
    source = path / "parsers.txt"
    source.write_text(ABSTRACTS, encoding="utf-8")
    with rag.open(store=path / "store") as library:
        library.index(source)
    return path / "store"


def opened(folder, server, **settings):
    given = {"model": "local-8b-v2", "base_url": server.url, "api_key": KEY, "timeout": 1.0, "retries": 1} | settings
    return rag.open(store=folder, config=load_config({}, folder, **given), mode="llm")


def ask(folder, *script, question=QUESTION, **settings) -> Answer:
    with scripted_server(*script) as server, opened(folder, server, **settings) as library:
        answer = library.ask(question)
    schema_holds(answer, library_papers(folder))
    return answer


def library_papers(folder):
    with rag.open(store=folder) as library:
        return {paper.id: paper for paper in library.papers()}


def schema_holds(answer, papers):
    """What must hold of every answer: quotes stand, markers are numbered without gaps, cited papers were evidence."""
    markers = [c.marker for c in answer.citations]
    assert markers == list(range(1, len(markers) + 1))
    for citation in answer.citations:
        assert papers[citation.paper_id].abstract[citation.start : citation.end] == citation.quote
        assert f"[{citation.marker}]" in answer.text
        assert citation.paper_id in {row.paper.id for row in answer.evidence}
    assert KEY not in json.dumps(answer.to_dict())


def test_a_good_draft_is_the_answer(folder):
    answer = ask(folder, says("TARNLEX scores 71.4 F1 on OAKMOOR [1]."))
    assert (answer.mode, answer.model, answer.outcome) == ("llm", "local-8b-v2", "answered")
    assert answer.text.startswith("TARNLEX scores 71.4 F1 on OAKMOOR. [1]")
    assert answer.rejected == () and answer.usage.prompt_tokens == 120


def test_an_invented_number_is_never_shown(folder):
    answer = ask(folder, says("TARNLEX scores 91.4 F1 on OAKMOOR [1]."))
    assert "91.4" not in answer.text and "71.4" in answer.text
    assert answer.mode == "extractive" and answer.rejected[0].marker == "[1]"
    assert any("quotes instead" in w for w in answer.warnings)


def test_the_number_of_another_paper_is_never_shown_as_this_ones(folder):
    answer = ask(folder, says("TARNLEX scores 74.1 F1 on OAKMOOR [1]."))
    assert "TARNLEX scores 74.1" not in answer.text


def test_sources_that_do_not_exist_are_never_live(folder):
    answer = ask(folder, says("TARNLEX scores 71.4 F1 [1], as others confirm [5][7]."))
    assert "[5]" not in answer.text and "[7]" not in answer.text
    assert {row.marker for row in answer.rejected} >= {"[5]", "[7]"}


def test_a_draft_without_markers_gets_them(folder):
    answer = ask(folder, says("TARNLEX scores 71.4 F1 on OAKMOOR."))
    assert answer.mode == "llm" and answer.citations


def test_an_empty_reply_falls_back_on_quotes(folder):
    answer = ask(folder, says(""))
    assert (answer.mode, answer.outcome) == ("extractive", "answered") and "71.4" in answer.text
    assert answer.warnings


def test_a_model_that_finds_nothing_is_not_forced_to_answer(folder):
    answer = ask(folder, says("NO_ANSWER"), question="Does TARNLEX read handwriting from old court registers?")
    assert answer.outcome == "abstract_silent" and answer.citations == ()
    assert answer.text and "NO_ANSWER" not in answer.text


def test_a_refused_key_is_said_by_its_setting_and_never_shown(folder):
    answer = ask(folder, status(401, f"Incorrect API key provided: {KEY}"))
    assert answer.mode == "extractive" and "71.4" in answer.text
    assert any("OPENAI_API_KEY" in w for w in answer.warnings)


def test_a_rate_limit_is_waited_for(folder):
    script = status(429, "slow down", **{"Retry-After": "0"}), says("TARNLEX scores 71.4 F1 on OAKMOOR [1].")
    assert ask(folder, *script).mode == "llm"


def test_a_lasting_rate_limit_ends_within_its_bound(folder):
    answer = ask(folder, status(429, "slow down", **{"Retry-After": "0"}))
    assert answer.mode == "extractive" and answer.warnings


def test_a_silent_server_is_left_after_the_timeout(folder):
    started = time.monotonic()
    answer = ask(folder, [("wait", 30)], timeout=0.3, retries=0)
    assert time.monotonic() - started < 10
    assert answer.mode == "extractive" and answer.warnings


def test_a_broken_stream_shows_what_was_whole_and_says_so(folder):
    text = "TARNLEX scores 71.4 F1 on OAKMOOR [1]. It also beats the"
    answer = ask(folder, [*says(text, finish=None, usage=False)[:-1], ("drop", None)], retries=0)
    assert answer.text.startswith("TARNLEX scores 71.4") and "beats the" not in answer.text
    assert answer.warnings


def test_a_cut_reply_is_said_to_be_cut(folder):
    answer = ask(folder, says("TARNLEX scores 71.4 F1 on OAKMOOR [1]. TARNLEX scores 71.4 [", finish="length"))
    assert any("cut off" in w for w in answer.warnings)
    assert not answer.text.rstrip().endswith("[")


def test_reasoning_is_never_shown(folder):
    answer = ask(folder, says("<think>The user wants 99.9.</think>TARNLEX scores 71.4 F1 on OAKMOOR [1]."))
    assert "99.9" not in answer.text and "user wants" not in json.dumps(answer.to_dict())


def test_a_sentence_that_repeats_the_question_is_no_answer(folder):
    answer = ask(folder, says("TARNLEX does score on OAKMOOR [1]."))
    assert "71.4" in answer.text


def test_refusals_and_greetings_ask_no_model(folder):
    for question in ("hi", "Who won the 2010 river regatta?"):
        with scripted_server(says("TARNLEX won [1].")) as server, opened(folder, server) as library:
            answer = library.ask(question)
        assert server.requests == [] and answer.citations == ()


def test_leaving_the_stream_ends_the_request(folder):
    slow = [a for n in range(200) for a in (("delta", f"word{n} "), ("wait", 0.1))]
    with scripted_server(slow) as server, opened(folder, server, timeout=30) as library:
        pieces = library.stream(QUESTION)
        next(pieces)
        pieces.close()
        deadline = time.monotonic() + 5
        while not server.closed_after and time.monotonic() < deadline:
            time.sleep(0.05)
    assert server.closed_after


def test_the_pieces_are_the_text(folder):
    draft = "TARNLEX scores 71.4 F1 on OAKMOOR [1]. The best earlier system scores 68.9 [1]."
    with scripted_server(says(draft)) as server, opened(folder, server) as library:
        *pieces, answer = library.stream(QUESTION)
    assert "".join(piece.text for piece in pieces) == answer.text


def test_a_key_alone_sends_nothing(folder):
    with scripted_server(says("TARNLEX won [1].")) as server:
        config = load_config({"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url}, ROOT / "docs")
        with rag.open(store=folder, config=config) as library:
            assert library.ask(QUESTION).mode == "extractive"
        assert server.requests == []


# Other languages

GERMAN = "Wie viele Punkte erreicht der Parser für Gesetzestexte auf OAKMOOR?"


def test_a_question_in_another_language_is_asked_in_english_and_answered_in_its_own(folder):
    english = says("1. What does the parser for legal text score on OAKMOOR?")
    draft, german = says("TARNLEX scores 71.4 F1 on OAKMOOR [1]."), says("1. TARNLEX erreicht 71,4 F1 auf OAKMOOR.")
    with scripted_server(english, draft, german) as server, opened(folder, server) as library:
        answer = library.ask(GERMAN)
        sent = [json.dumps(request, ensure_ascii=False) for request in server.requests]

    schema_holds(answer, library_papers(folder))
    assert (answer.mode, answer.outcome, answer.question) == ("llm", "answered", GERMAN)
    assert answer.text.startswith("TARNLEX erreicht 71,4 F1 auf OAKMOOR. [1]")
    assert "Asked in English: “What does the parser for legal text score on OAKMOOR?”" in answer.warnings
    assert GERMAN in sent[0] and "What does the parser" in sent[1] and GERMAN in sent[2]
    assert answer.usage.calls == 3 and answer.usage.prompt_tokens == 360


@pytest.mark.parametrize(
    "translated", ["1. TARNLEX erreicht 74,1 F1 auf OAKMOOR.", "1. WEXLE erreicht 71,4 F1 auf OAKMOOR.", ""]
)
def test_a_translated_sentence_with_another_number_or_name_is_shown_as_it_was_verified(folder, translated):
    english = says("What does TARNLEX score on OAKMOOR?")
    answer = ask(folder, english, says("TARNLEX scores 71.4 F1 on OAKMOOR [1]."), says(translated), question=GERMAN)

    assert answer.text.startswith("TARNLEX scores 71.4 F1 on OAKMOOR. [1]")


def test_without_a_translation_the_question_goes_by_its_names_and_numbers(folder):
    answer = ask(folder, status(500, "broken"), status(500, "broken"), question=GERMAN, retries=0)

    assert any("not turned into English" in warning for warning in answer.warnings)
    assert any("reads English" in warning for warning in answer.warnings)


def test_an_english_question_costs_no_translation(folder):
    with scripted_server(says("TARNLEX scores 71.4 F1 on OAKMOOR [1].")) as server, opened(folder, server) as library:
        assert library.ask(QUESTION).usage.calls == 1
        assert len(server.requests) == 1
