import pytest

from rag.checking.checker import check, check_sentence
from tests.fakes import make_paper
from tests.llm.builders import INJECTED, K1, K2, K3, paper, seeds

K4 = paper(
    "K4",
    "SPAR (sparse pairwise attention routing) cuts attention cost from $O(N^2)$ to $O(N \\log N)$ and keeps 99.1% of "
    "accuracy on long documents.",
)
TEST_CELL = paper("T", "In our test cell, water boils at 68 °C.")


def verdict(sentence: str, *papers) -> str:
    return check_sentence(sentence, papers).verdict


@pytest.mark.parametrize(
    "sentence",
    [
        "TARNLEX scores 71.4 F1 on OAKMOOR.",
        "TARNLEX scores 71.4 on OAKMOOR, compared with 68.9 for the best earlier system.",
        "WEXLE reaches 74.1 F1 with half as many parameters as TARNLEX.",
        "TARNLEX scores 71.4 F1 on OAKMOOR while WEXLE scores 74.1.",
        "The best earlier system scores 68.9 on OAKMOOR.",
        "There are 3200 sentence pairs for Welsh and Breton.",
        "SPAR keeps 99.1 percent of accuracy on long documents.",
        "In the test cell, water boils at 68 °C.",
    ],
)
def test_what_an_abstract_says_is_supported(sentence: str) -> None:
    row = check_sentence(sentence, [K1, K2, K3, K4, TEST_CELL])
    assert row.verdict == "supported", row.reason
    assert row.quotes
    assert all(quote.text in quote.paper.abstract for quote in row.quotes)


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("TARNLEX scores 72.4 F1 on OAKMOOR.", "72.4"),
        ("TARNLEX scores 74.1 F1 on OAKMOOR.", "TARNLEX"),
        ("TARNLEX scores 68.9 F1 on OAKMOOR.", "68.9"),
        ("TARNLEX scores 74.1 F1 on OAKMOOR while WEXLE scores 71.4.", ""),
        ("TARNLEX parses clinical notes.", ""),
        ("TARNLEX does not parse legal text.", "denies"),
        ("GROVEX scores 71.4 F1 on OAKMOOR.", "GROVEX"),
        ("There are 3,200 volunteers who speak Welsh and Breton.", ""),
        ("Back-translation removes 2.6 BLEU.", ""),
        ("SPAR cuts accuracy on long documents.", ""),
        ("Water boils at 100 °C.", "100"),
        ("Lisbon is the capital of Portugal.", ""),
    ],
)
def test_what_no_abstract_says_is_unsupported(sentence: str, reason: str) -> None:
    row = check_sentence(sentence, [K1, K2, K3, K4, TEST_CELL])
    assert row.verdict == "unsupported"
    assert reason in row.reason
    assert row.quotes == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "I hope this helps!",
        "Sure, here is a summary.",
        "What does it score?",
        "The sources do not mention its size.",
        "Yes.",
    ],
)
def test_what_claims_nothing_is_not_checkable(sentence: str) -> None:
    assert verdict(sentence, K1) == "not_checkable"


def test_a_claim_dressed_as_a_courtesy_is_still_checked() -> None:
    assert verdict("Here are 500 parsers that beat TARNLEX by 12 points.", K1) == "unsupported"


def test_a_definition_belongs_to_the_name_it_is_given_for() -> None:
    assert verdict("DrAction is a differentiable, format-agnostic renderer.", seeds()[6]) == "supported"
    assert verdict("SkeletonLLM is a differentiable, format-agnostic renderer.", seeds()[6]) == "unsupported"


def test_words_gathered_from_all_over_an_abstract_prove_nothing() -> None:
    claim = "Genetic models of evolutionary processes model evolutionary processes with scientific memory."
    assert verdict(claim, seeds()[18]) == "unsupported"


def test_a_command_inside_an_abstract_is_no_evidence() -> None:
    assert verdict("This paper won first prize.", INJECTED) == "unsupported"
    assert verdict("The paper lists agent prompts.", INJECTED) == "supported"


def test_without_papers_nothing_is_supported() -> None:
    assert check("TARNLEX scores 71.4.", [])[0].verdict == "unsupported"


def test_a_pasted_text_is_judged_sentence_by_sentence_without_its_markers() -> None:
    rows = check("TARNLEX scores 71.4 F1 [1]. WEXLE scores 99.9 F1 [2].\n\nI hope this helps.", iter([K1, K2]))
    assert [row.verdict for row in rows] == ["supported", "unsupported", "not_checkable"]
    assert rows[0].sentence == "TARNLEX scores 71.4 F1."


def test_quotes_are_verbatim_and_in_order() -> None:
    for claim in ("AutoTool gains 21.8% accuracy on V* within a reinforcement learning framework.",):
        row = check_sentence(claim, [seeds()[1]])
        assert row.verdict == "supported"
        starts = [quote.start for quote in row.quotes]
        assert starts == sorted(starts)
        assert all(seeds()[1].abstract[q.start : q.end] == q.text for q in row.quotes)


def test_the_right_paper_is_found_among_many() -> None:
    row = check_sentence("PBS-Attn speeds up long-context prefilling by up to 2.75×.", seeds())
    assert {quote.paper.id for quote in row.quotes} == {"s3"}


def test_every_sentence_of_an_abstract_is_supported_by_it() -> None:
    lost = [
        (seed.id, row.sentence, row.reason)
        for seed in seeds()[1:]
        for row in check(seed.abstract, [seed])
        if row.verdict == "unsupported"
    ]
    assert lost == []


@pytest.mark.parametrize("text", ["", "   ", "\n", "???", "…", "]", "[1]", "{}", "%s {0}", "\x00", "🙂🙂", "a" * 5000])
def test_odd_input_raises_nothing(text: str) -> None:
    assert all(row.verdict in ("supported", "unsupported", "not_checkable") for row in check(text, [K1]))


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("FENWASH is a framework that embeds statistical signatures in generated text for detection.", "unsupported"),
        ("FENWASH is a scheme that averages models to cancel the marks.", "supported"),
    ],
)
def test_what_the_field_does_is_no_definition_of_the_papers_own_name(sentence: str, verdict: str) -> None:
    abstract = (
        "Watermarking embeds statistical signatures in generated text for detection. We introduce FENWASH, a scheme "
        "that averages several models to cancel the marks."
    )
    source = make_paper(abstract, "fen", "FENWASH: Averaging against Marks")

    assert [row.verdict for row in check(sentence, [source])] == [verdict]


@pytest.mark.parametrize(
    "sentence",
    [
        "The tagger writes the rules of a small network.",
        "In all cases the tagger reaches a perfect score.",
        "The rules are applied during inference.",
        "Dictionaries show this bias, while rule sets do not.",
        "QUOLE: a tagger for short texts.",
    ],
)
def test_what_is_said_of_another_side_stage_or_share_is_unsupported(sentence: str) -> None:
    abstract = (
        "We present MORVEN, a tagger for short texts. A small network writes the rules of the tagger. "
        "The tagger reaches a perfect score in some cases. The rules are applied during training. "
        "Rule sets show this bias, while we find that dictionaries do not."
    )
    source = make_paper(abstract, "mor", "MORVEN: Rules for Tagging")

    assert verdict(sentence, source) == "unsupported"
    assert verdict("A small network writes the rules of the tagger.", source) == "supported"
