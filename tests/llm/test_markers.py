import pytest

from rag.model.markers import ends_inside_marker, find_markers, read_markers

THREE = ("First text.", "Second text.", "Third text.")
BRACKETS = ("Extending [3] and [12], we bound x[0] on the range [0, 1] (2021).", "Other text.", "More text.")


@pytest.mark.parametrize(
    ("written", "cited"),
    [
        ("It gains 5% [1].", (1,)),
        ("It gains 5%[1].", (1,)),
        ("It gains 5% [1, 2].", (1, 2)),
        ("It gains 5% [1; 3].", (1, 3)),
        ("It gains 5% [1][2].", (1, 2)),
        ("It gains 5% [1] [2].", (1, 2)),
        ("It gains 5% [1-3].", (1, 2, 3)),
        ("It gains 5% [1–3].", (1, 2, 3)),
        ("It gains 5% [1 and 3].", (1, 3)),
        ("It gains 5% 【1】.", (1,)),
        ("It gains 5% 【2†source】.", (2,)),
        ("It gains 5% ［2］.", (2,)),
        ("It gains 5% [Source 1].", (1,)),
        ("It gains 5% [source: 2].", (2,)),
        ("It gains 5% [Sources 1, 2].", (1, 2)),
        ("It gains 5% [Source 1, Source 3].", (1, 3)),
        ("It gains 5% [Doc 2].", (2,)),
        ("It gains 5% [^1].", (1,)),
        ("It gains 5% [#2].", (2,)),
        ("It gains 5% [S1].", (1,)),
        ("It gains 5% [[1]].", (1,)),
        ("It gains 5% [**1**].", (1,)),
        (r"It gains 5% \[1\].", (1,)),
        ("It gains 5% [1](#source-1).", (1,)),
        ("It gains 5% (Source 1).", (1,)),
        ("It gains 5% (sources 1 and 2).", (1, 2)),
        ("It gains 5% <sup>1</sup>.", (1,)),
        ("It gains 5% [2, 2].", (2,)),
    ],
)
def test_every_form_of_marker_resolves_and_leaves_the_sentence(written: str, cited: tuple[int, ...]) -> None:
    marked = read_markers(written, THREE)
    assert marked.cited == cited
    assert marked.text == "It gains 5%."
    assert marked.unresolved == ()


@pytest.mark.parametrize(
    "text",
    [
        "They extend [3] and [12].",
        "We bound x[0] on the range [0, 1].",
        "The bound x[1] holds.",
        "It holds on the range [0, 1].",
        "It goes back to [2021].",
        "It lists (1) speed and (2) cost.",
        "There are f(1) and (2021).",
        "Use a[i] and [see text].",
    ],
)
def test_brackets_that_belong_to_the_paper_are_left_alone(text: str) -> None:
    assert find_markers(text, BRACKETS) == []


def test_a_marker_beside_the_papers_own_bracket_is_still_found() -> None:
    marked = read_markers("The paper extends [3] and [12] [1].", BRACKETS)
    assert marked.cited == (1,)
    assert marked.text == "The paper extends [3] and [12]."


def test_a_number_of_the_paper_in_another_phrase_is_a_marker() -> None:
    assert read_markers("The range is bounded [3].", BRACKETS).cited == (3,)


@pytest.mark.parametrize(
    ("written", "cited", "unresolved"),
    [
        ("It gains 5% [7].", (), ("[7]",)),
        ("It gains 5% [1, 7].", (1,), ("[7]",)),
        ("It gains 5% [5][7].", (), ("[5]", "[7]")),
        ("It gains 5% [Source 9].", (), ("[Source 9]",)),
    ],
)
def test_marks_beyond_the_sources_are_reported(
    written: str, cited: tuple[int, ...], unresolved: tuple[str, ...]
) -> None:
    marked = read_markers(written, THREE)
    assert (marked.cited, marked.unresolved) == (cited, unresolved)
    assert "[" not in marked.text


@pytest.mark.parametrize(
    "cut", ["It scores 71.4 [", "It scores 71.4 [1", "It scores 71.4 [1, ", "It scores 71.4 [Source 1"]
)
def test_half_a_marker_at_the_end_goes(cut: str) -> None:
    assert ends_inside_marker(cut)
    assert read_markers(cut, THREE).text == "It scores 71.4"


def test_a_finished_text_does_not_end_inside_a_marker() -> None:
    assert not ends_inside_marker("It scores 71.4 [1].")
    assert not ends_inside_marker("It scores 71.4.")


def test_removing_a_marker_leaves_no_stray_comma_or_space() -> None:
    assert read_markers("A [1], B [2] , and C [3] .", THREE).text == "A, B, and C."
