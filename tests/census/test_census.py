"""Every abstract is judged, in the voice it speaks in; what stays open is unsure; a quote is the abstract's own."""

from __future__ import annotations

import csv
import io

import pytest
from census_builders import census, ids, paper, papers, same

from rag.census.judging import MAX_COMPARED, evidence_of, judge_all
from rag.census.rendering import statements, to_csv, to_dict
from rag.types import Quote


def shown(result) -> str:
    return " ".join(
        "".join("[q]" if isinstance(part, Quote) else part for part in statement.parts)
        for statement in statements(result)
    )


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        (
            "Which papers release their code?",
            "We sort. Code is at https://github.com/a/b.",
            "We sort. Code will be released soon.",
        ),
        (
            "Which papers release their code?",
            "Our code is available in the supplementary material.",
            "We learn a latent code.",
        ),
        (
            "Which papers promise code but have not released it yet?",
            "We sort. Code will be released soon.",
            "Our code is available at https://x.org.",
        ),
        ("Which papers state an x-times speedup?", "It runs 6× faster than before.", "It has 4× higher error."),
        (
            "How many papers report being some multiple faster?",
            "We reach a speedup of up to 2.75x.",
            "We accelerate inference.",
        ),
        (
            "Which papers introduce a new benchmark?",
            "We introduce TARN, a benchmark of 405 tasks.",
            "We outperform others on a benchmark of 405 tasks.",
        ),
        (
            "Which papers introduce a new dataset?",
            "We collect a large dataset of tides.",
            "We train on the TIDES dataset.",
        ),
        (
            "Which papers use reinforcement learning?",
            "We train it with GRPO.",
            "Unlike reinforcement learning methods, we only sort.",
        ),
        (
            "Which papers use reinforcement learning?",
            "We use RL (reinforcement learning) here.",
            "We align it without any reinforcement learning.",
        ),
        ("List all training-free methods", "Our training-free decoder is fast.", "We train a decoder."),
        ("Which papers prove something?", "We prove that it converges.", "It has proven useful in practice."),
        (
            "Which papers claim state-of-the-art results?",
            "It sets a new state of the art.",
            "It is competitive with the state of the art.",
        ),
        (
            "Which papers mention chain-of-thought?",
            "We extend chain-of-thought prompts.",
            "A chain of action needs structured thoughts.",
        ),
        ("How many abstracts contain a percentage?", "It gains 21.8% accuracy.", "It gains accuracy."),
        (
            "How many papers use the abbreviation MLLM?",
            "We test MLLMs.",
            "We test multimodal large language models (LLMs).",
        ),
        ("Does any paper state a parameter count?", "We train a 9B model.", "We train a large model."),
        (
            "Which papers are surveys?",
            "In this paper we survey the literature on tides.",
            "We ran a survey questionnaire among sailors.",
        ),
        ("Which papers use graph neural networks?", "We apply a GCN to roads.", "A neural network reads the roads."),
    ],
)
def test_tells_what_is_shown_from_what_only_sounds_like_it(question: str, yes: str, no: str) -> None:
    result = census(question, yes, no)
    assert ids(result) == ["p1"]
    assert "p2" not in ids(result, "yes")


def test_every_yes_is_quoted_from_its_own_abstract() -> None:
    result = census("Which papers use distillation?", "First things first. We use distillation. It works.", "We sort.")
    (finding,) = result.having("yes")
    (quote,) = finding.quotes
    assert quote.text == "We use distillation." == finding.paper.abstract[quote.start : quote.end]
    assert [row.chunk.id for row in evidence_of(result)] == [quote.chunk_id]


def test_judges_every_abstract_and_not_only_the_nearest() -> None:
    result = judge_all("Which papers use distillation?", papers(*["We use distillation here."] * 300, "We sort."))
    assert len(result.findings) == 301
    assert len(result.having("yes")) == 300


def test_not_holds_by_absence_and_says_so() -> None:
    result = census("How many papers don't release code?", "We sort tides.", "Code is at https://github.com/a/b.")
    assert ids(result) == ["p1"]
    assert result.having("yes")[0].note == "absence"
    assert "by absence" in shown(result)


def test_not_is_shown_by_the_sentence_that_denies_where_there_is_one() -> None:
    (finding,) = census("Which papers don't release code?", "We sort. Code will be released soon.").having("yes")
    assert [q.text for q in finding.quotes] == ["Code will be released soon."]
    assert finding.note == ""


def test_and_needs_both_and_or_needs_one() -> None:
    texts = ("We use distillation.", "We use quantization.", "We use distillation and then quantization.", "We sort.")
    assert ids(census("Which papers use both distillation and quantization?", *texts)) == ["p3"]
    assert ids(census("Which papers use distillation or quantization?", *texts)) == ["p1", "p2", "p3"]
    assert ids(census("Which papers use distillation but not quantization?", *texts)) == ["p1"]
    assert ids(census("Which papers use neither distillation nor quantization?", *texts)) == ["p4"]


def test_unsure_is_said_and_survives_negation() -> None:
    passing = "We sort tides. It may also be applied to areas such as reinforcement learning."
    for question in ("Which papers use reinforcement learning?", "Which papers do not use reinforcement learning?"):
        result = census(question, passing)
        assert ids(result, "unsure") == ["p1"]
        assert "These may" in shown(result)
        assert [row.paper.id for row in evidence_of(result)] == ["p1"]


def test_the_undecided_are_named_beside_the_sure() -> None:
    passing = "We sort tides. It may also be applied to areas such as reinforcement learning."
    result = census("Which papers use reinforcement learning?", passing, "We use reinforcement learning.")
    assert "Not decided, because the abstract leaves it open: Title of p1." in shown(result)


def test_short_acronyms_mean_what_their_abstract_says() -> None:
    privacy = "We give differential privacy (DP) guarantees."
    program = "We use a dynamic program (DP). The DP is solved backwards."
    assert ids(census("Which papers deal with differential privacy?", privacy, program)) == ["p1"]


def test_learns_an_acronym_from_the_library() -> None:
    defines = "We study tidal basin routing (TBR)."
    uses = "We speed up TBR on small rivers."
    assert ids(census("Which papers are about tidal basin routing?", defines, uses, "We sort.")) == ["p1", "p2"]


def test_compares_by_meaning_only_on_the_border_and_only_so_often() -> None:
    asked: list[int] = []

    def similarity(query: str, texts):
        asked.append(len(texts))
        return same(query, texts)

    apart = "The cost is what we study first of all here, and in the end it is only quadratic."
    result = judge_all("Which papers go after the quadratic cost?", papers(*[apart] * 200), similarity)
    assert sum(asked) == MAX_COMPARED
    assert len(result.having("yes")) == MAX_COMPARED
    assert len(result.having("unsure")) == 200 - MAX_COMPARED


def test_without_a_model_the_border_stays_open() -> None:
    apart = "The cost is what we study first of all here, and in the end it is only quadratic."
    assert ids(census("Which papers go after the quadratic cost?", apart), "unsure") == ["p1"]


def test_counts_in_words_and_digits_and_names_the_denominator() -> None:
    text = shown(
        census("How many papers use distillation?", "We use distillation.", "We sort.", "We use distillation.")
    )
    assert text.startswith("Two (2) of the 3 abstracts. 3 abstracts read: 2 yes, 1 no.")
    assert text.count("[q]") == 2


def test_thousands_are_parted_as_they_are_on_the_page() -> None:
    text = shown(judge_all("How many papers use distillation?", papers(*["We use distillation."] * 1200, "We sort.")))
    assert text.startswith("1,200 of the 1,201 abstracts. 1,201 abstracts read: 1,200 yes, 1 no.")


@pytest.mark.parametrize("condition", ["use distillation", "use distillation and release their code"])
def test_progress_counts_every_abstract_once_whatever_the_condition(condition: str) -> None:
    rows = papers("We use distillation.", "We sort.", "We release our code. We use distillation.")
    told: list[tuple[int, int]] = []
    judge_all(f"Which papers {condition}?", rows, progress=lambda read, every: told.append((read, every)))
    assert told == sorted(told) and set(told) >= {(1, 3), (2, 3), (3, 3)}


def test_an_empty_set_is_an_answer() -> None:
    result = census("Does any paper deal with federated learning?", "We sort.", "We count.")
    assert shown(result).startswith("No: none of the 2 abstracts does. 2 abstracts read: 0 yes, 2 no.")
    assert result.certainty > 0.8


def test_without_a_condition_all_papers_are_listed() -> None:
    assert ids(census("How many papers are there?", "We sort.", "We count.")) == ["p1", "p2"]


def test_year_and_venue_are_read_from_the_record() -> None:
    rows = [paper("We sort.", "a", year=2018, venue="ICLR"), paper("We sort.", "b", year=2019, venue="ICML")]
    result = judge_all("How many papers are from ICLR 2018?", rows)
    assert ids(result) == ["a"]
    assert result.having("yes")[0].note == "record"


def test_hostile_words_are_data() -> None:
    result = census("Which papers mention {0.__class__} or (?:a|b)+$ %s?", "We sort {0.__class__} tides.")
    assert "Understood as" in shown(result)


def test_the_table_reads_back_and_runs_no_formula() -> None:
    rows = [paper("=1+1 We use distillation.", "a"), paper("We sort.", "b")]
    result = judge_all("Which papers use distillation?", rows)
    table = list(csv.DictReader(io.StringIO(to_csv(result))))
    assert [(row["outcome"], row["paper_id"]) for row in table] == [("yes", "a"), ("no", "b")]
    assert table[0]["quote"].startswith("'=")
    assert to_dict(result)["findings"][0]["quotes"][0]["quote"] == "=1+1 We use distillation."


def test_two_censuses_are_equal() -> None:
    texts = ("We use distillation.", "Unlike distillation, we sort.")
    assert census("Which papers use distillation?", *texts) == census("Which papers use distillation?", *texts)


def test_a_task_that_a_method_was_tried_on_is_used_but_not_what_the_paper_is_about() -> None:
    tried = "We sort things. We sort them twice. Experiments on parsing, translation and summarization show gains."
    assert ids(census("Which papers are about translation?", tried), "unsure") == ["p1"]
    assert ids(census("Which papers use translation?", tried)) == ["p1"]
