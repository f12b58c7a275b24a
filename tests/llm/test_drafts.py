import pytest

from rag.model.drafts import draft_sentences

SOURCES = ["One.", "Two.", "Three."]


def cut(text: str, size: int) -> list[str]:
    return list(draft_sentences([text[i : i + size] for i in range(0, len(text), size)], SOURCES))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 200])
def test_sentences_do_not_depend_on_how_the_stream_was_cut(size: int) -> None:
    text = "TARNLEX scores 71.4 F1. [1] WEXLE scores 74.1 [2, 3]. Both use e.g. parsers [1][2]."
    assert cut(text, size) == [
        "TARNLEX scores 71.4 F1. [1]",
        "WEXLE scores 74.1 [2, 3].",
        "Both use e.g. parsers [1][2].",
    ]


def test_a_sentence_comes_as_soon_as_the_next_one_begins() -> None:
    seen = []

    def pieces():
        for piece in ("It scores 71.4 [1].", " Then", " more."):
            seen.append(piece)
            yield piece

    stream = draft_sentences(pieces(), SOURCES)
    assert next(stream) == "It scores 71.4 [1]."
    assert seen == ["It scores 71.4 [1].", " Then"]


def test_list_marks_headings_and_emphasis_go() -> None:
    text = "# Answer\n- **TARNLEX** scores 71.4 [1].\n2. WEXLE scores 74.1 [2].\n```\n> Quoted [3]."
    assert cut(text, 4) == ["Answer", "TARNLEX scores 71.4 [1].", "WEXLE scores 74.1 [2].", "Quoted [3]."]


def test_text_before_a_closing_reasoning_tag_goes() -> None:
    assert cut("let me think</think>It scores 71.4 [1].", 6) == ["It scores 71.4 [1]."]


def test_what_is_left_at_the_end_comes_last() -> None:
    assert cut("It scores 71.4 [1]. It also", 3) == ["It scores 71.4 [1].", "It also"]
    assert cut("", 3) == []
