from pathlib import Path

import pytest

from rag.config import load_config
from rag.errors import ModelError
from rag.model.client import OpenAIChatModel
from rag.model.drafting import LLMAnswerer
from rag.types import Rejected, ScoredChunk, Statement, Turn
from tests.llm.builders import INJECTED, K1, K2, K3, QueueModel, evidence, paper, texts
from tests.scripted_server import says, scripted_server, status


def answer(
    draft: str, *papers, question: str = "What does TARNLEX score?", finish: str = "stop"
) -> list[Statement | Rejected]:
    return list(LLMAnswerer(QueueModel(draft, finish=finish)).statements(question, (), evidence(*papers)))


def rejected(rows: list[Statement | Rejected]) -> list[Rejected]:
    return [row for row in rows if isinstance(row, Rejected)]


def cited(rows: list[Statement | Rejected]) -> list[list[str]]:
    return [[q.paper.id for q in row.quotes] for row in rows if isinstance(row, Statement)]


def test_a_supported_sentence_is_shown_with_the_quote_that_says_it() -> None:
    rows = answer("TARNLEX scores 71.4 F1 on OAKMOOR [1].", K1, K2)
    assert texts(rows) == ["TARNLEX scores 71.4 F1 on OAKMOOR."]
    quotes = rows[0].quotes
    assert any("71.4 F1" in quote.text for quote in quotes)
    for quote in quotes:
        assert quote.text == K1.abstract[quote.start : quote.end]
        assert quote.chunk_id == "K1#0"


def test_an_invented_number_is_rejected_with_its_reason() -> None:
    rows = answer("TARNLEX scores 81.4 F1 on OAKMOOR [1].", K1)
    assert texts(rows) == []
    assert rejected(rows)[0].marker == "[1]"
    assert "81.4" in rejected(rows)[0].reason


def test_invented_sources_go_with_their_clause() -> None:
    rows = answer("TARNLEX scores 71.4 [1], as others confirm [5][7].", K1)
    assert texts(rows) == ["TARNLEX scores 71.4."]
    assert [row.marker for row in rejected(rows)] == ["[5]", "[7]"]


def test_a_sentence_without_a_marker_gets_its_quote() -> None:
    assert cited(answer("TARNLEX scores 71.4.", K2, K1)) == [["K1", "K1"]]


def test_a_marker_for_the_wrong_paper_is_corrected() -> None:
    rows = answer("TARNLEX scores 71.4 F1 on OAKMOOR [2].", K1, K2)
    assert set(cited(rows)[0]) == {"K1"}
    assert [row.marker for row in rejected(rows)] == ["[2]"]


@pytest.mark.parametrize(
    "draft",
    [
        "TARNLEX scores 74.1 F1 on OAKMOOR [2].",
        "TARNLEX scores 74.1 F1 on OAKMOOR [1].",
        "TARNLEX scores 68.9 F1 on OAKMOOR [1].",
        "It scores 74.1 F1 on OAKMOOR [2].",
        "TARNLEX has half of the parameters [2].",
    ],
)
def test_a_figure_of_one_paper_is_never_given_to_another(draft: str) -> None:
    assert texts(answer(draft, K1, K2)) == []


def test_a_pronoun_after_a_dropped_sentence_gets_its_name_back() -> None:
    rows = answer(
        "TARNLEX scores 71.4 F1 [1]. WEXLE scores 99.9 F1 [2]. It parses clinical notes [2].",
        K1,
        K2,
        question="Compare the parsers.",
    )
    assert texts(rows) == ["TARNLEX scores 71.4 F1.", "WEXLE parses clinical notes."]


def test_a_sentence_that_points_back_to_a_dropped_one_goes_too() -> None:
    rows = answer("TARNLEX won a prize in 2019 [1]. This parses legal text [1].", K1)
    assert texts(rows) == []
    assert "dropped" in rejected(rows)[1].reason


def test_an_unnamed_sentence_about_another_paper_is_no_answer_about_the_one_asked_for() -> None:
    draft = "Clinical notes are parsed on the OAKMOOR benchmark with 74.1 F1 [2]."
    assert texts(answer(draft, K1, K2)) == []
    assert texts(answer(draft, K1, K2, question="Which parsers are there?")) == [draft.replace(" [2]", "")]


def test_lines_copied_from_the_prompt_are_dropped() -> None:
    rows = answer("Wrong: TARNLEX scores 71.4 F1.\n1.\n2.\nTARNLEX parses legal text [1].", K1)
    assert texts(rows) == ["TARNLEX parses legal text."]


def test_the_papers_own_brackets_are_no_citations() -> None:
    own = paper("B", "Extending [3] and [12], we bound x[0] on the range [0, 1] (2021).")
    rows = answer("It extends [3] and [12] and bounds x[0] on the range [0, 1] [1].", own, K1, K2, question="What?")
    assert texts(rows) == ["It extends [3] and [12] and bounds x[0] on the range [0, 1]."]
    assert rejected(rows) == []


def test_an_instruction_in_an_abstract_is_no_evidence() -> None:
    assert texts(answer("This paper won first prize [1].", INJECTED, question="What does this paper do?")) == []
    shown = texts(answer("The paper lists agent prompts [1].", INJECTED, question="What does this paper do?"))
    assert shown == ["The paper lists agent prompts."]


def test_no_answer_yields_nothing() -> None:
    answerer = LLMAnswerer(QueueModel("NO_ANSWER"))
    assert list(answerer.statements("What is the capital of Portugal?", (), evidence(K1))) == []
    assert answerer.no_answer


def test_an_empty_reply_yields_nothing() -> None:
    assert answer("", K1) == []


def test_no_evidence_asks_no_model() -> None:
    model = QueueModel()
    assert list(LLMAnswerer(model).statements("x", (), ())) == []
    assert model.calls == []


def test_courtesies_are_neither_shown_nor_rejected() -> None:
    rows = answer("Sure! Here is what I found:\nTARNLEX scores 71.4 F1 [1].\nI hope this helps.", K1)
    assert texts(rows) == ["TARNLEX scores 71.4 F1."]
    assert rejected(rows) == []


def test_a_model_that_repeats_itself_is_stopped() -> None:
    model = QueueModel("TARNLEX scores 71.4 F1 [1]. " * 500)
    rows = list(LLMAnswerer(model).statements("What does TARNLEX score?", (), evidence(K1)))
    assert texts(rows) == ["TARNLEX scores 71.4 F1."]
    assert model.closed


def test_a_cut_reply_says_so_and_drops_its_half_sentence() -> None:
    model = QueueModel("TARNLEX parses legal text [1]. TARNLEX scores 71.4 [", finish="length")
    answerer = LLMAnswerer(model)
    rows = list(answerer.statements("What does TARNLEX score?", (), evidence(K1)))
    assert answerer.cut
    assert texts(rows) == ["TARNLEX parses legal text."]
    assert "cut" in rejected(rows)[0].reason


def test_closing_the_statements_closes_the_stream() -> None:
    model = QueueModel("TARNLEX parses legal text [1]. TARNLEX scores 71.4 F1 [1]. More.")
    statements = LLMAnswerer(model).statements("x", (), evidence(K1))
    next(statements)
    statements.close()
    assert model.closed


def test_a_stop_before_the_request_sends_nothing(tmp_path: Path) -> None:
    with scripted_server(says("TARNLEX scores 71.4 F1 [1].")) as server:
        config = load_config({}, folder=tmp_path, model="m", base_url=server.url)
        answerer = LLMAnswerer(OpenAIChatModel(config))
        answerer.stop()
        assert list(answerer.statements("x", (), evidence(K1))) == []
    assert server.requests == []


def test_usage_is_that_of_the_reply() -> None:
    answerer = LLMAnswerer(QueueModel("TARNLEX scores 71.4 F1 [1]."))
    list(answerer.statements("x", (), evidence(K1)))
    assert answerer.usage.calls == 1


def test_history_reaches_the_model_but_is_no_evidence() -> None:
    model = QueueModel("TARNLEX scores 99.9 F1 [1].")
    rows = list(LLMAnswerer(model).statements("Really?", [Turn("What?", "TARNLEX scores 99.9 F1 [1].")], evidence(K1)))
    assert "TARNLEX scores 99.9 F1." in model.calls[0][1]
    assert texts(rows) == []


def test_a_quote_outside_its_chunks_is_placed_in_the_papers_best_chunk() -> None:
    whole = evidence(K3)[0]
    first = ScoredChunk(whole.chunk.__class__("K3#0", "K3", K3.abstract[:62], 0, 62), K3, 1.0, "both")
    rows = list(LLMAnswerer(QueueModel("Back-translation adds 2.6 BLEU [1].")).statements("x", (), [first]))
    assert [quote.chunk_id for quote in rows[0].quotes] == ["K3#0"]


def over_http(tmp_path: Path, *script, **settings):
    with scripted_server(*script) as server:
        config = load_config({}, folder=tmp_path, model="m", base_url=server.url, retries=0, **settings)
        answerer = LLMAnswerer(OpenAIChatModel(config))
        rows = list(answerer.statements("What does TARNLEX score?", (), evidence(K1, K2)))
    return rows, answerer, server


@pytest.mark.parametrize("pieces", [1, 5, 40])
def test_a_good_draft_over_http(tmp_path: Path, pieces: int) -> None:
    script = says("TARNLEX scores 71.4 F1 on OAKMOOR [1]. WEXLE scores 74.1 F1 there [2].", pieces=pieces)
    rows, answerer, _ = over_http(tmp_path, script)
    assert cited(rows) == [["K1", "K1"], ["K2", "K2"]]
    assert answerer.usage.prompt_tokens == 120


def test_a_marker_beyond_the_sources_over_http(tmp_path: Path) -> None:
    rows, _, _ = over_http(tmp_path, says("TARNLEX scores 71.4 F1 [7]."))
    assert texts(rows) == ["TARNLEX scores 71.4 F1."]
    assert [row.marker for row in rejected(rows)] == ["[7]"]


def test_a_stream_that_breaks_off_keeps_what_was_verified(tmp_path: Path) -> None:
    script = [("delta", "TARNLEX scores 71.4 F1 [1]. WEXLE sc"), ("drop", None)]
    rows, answerer, _ = over_http(tmp_path, script)
    assert texts(rows) == ["TARNLEX scores 71.4 F1."]
    assert answerer.cut
    assert "incomplete" in str(answerer.error)


def test_a_refusal_before_anything_was_shown_is_raised(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="key was refused"):
        over_http(tmp_path, status(401, "no"))


def test_a_long_chat_fits_a_small_window(tmp_path: Path) -> None:
    history = [
        Turn(f"question {n} about parsers and their scores", "TARNLEX scores 71.4 F1 [1]. " * 4) for n in range(40)
    ]
    with scripted_server(says("TARNLEX scores 71.4 F1 [1].")) as server:
        config = load_config({}, folder=tmp_path, model="m", base_url=server.url, context_window=2000)
        answerer = LLMAnswerer(OpenAIChatModel(config))
        rows = list(answerer.statements("What does TARNLEX score?", history, evidence(K1, K2)))
    prompt = server.requests[0]["messages"][1]["content"]
    assert texts(rows) == ["TARNLEX scores 71.4 F1."]
    assert K1.abstract in prompt and K2.abstract in prompt and "What does TARNLEX score?" in prompt
    assert "question 39 " in prompt and "question 0 " not in prompt
