"""A whole-corpus question is taken for one, an ordinary one is not; its condition is shown in words."""

from __future__ import annotations

import pytest

from rag.census.conditions import understand_census
from rag.census.predicates import in_words
from rag.retrieval.question import understand


@pytest.mark.parametrize(
    "question",
    [
        "Which papers release code?",
        "How many of the abstracts use RL?",
        "list all training-free methods",
        "is there anything on tides here?",
        "Which deep reinforcement learning papers give proofs?",
        "Which models are trained with both distillation and pruning?",
        "does any abstract mention diffusion?",
        "papers touching harbour lights",
        "List every study here that was done on gulls",
        "trials of buoys in winter - which ones do we have",
        "which use the Omniglot dataset",
    ],
)
def test_recognises_questions_about_the_whole_library(question: str) -> None:
    assert understand(question).kind == "census"


@pytest.mark.parametrize(
    "question",
    [
        "How many of the SciPredict items are chemistry?",
        "How many tasks does SciPredict have?",
        "Do the authors release code?",
        "which paper introduces GEMQ",
        "What approaches does the paper propose?",
        "list the three components of SOMA",
        "is there any paper where swapping the divergence of a ball makes some detector less jumpy about "
        "strange outliers?",
    ],
)
def test_leaves_ordinary_questions_alone(question: str) -> None:
    assert understand(question).kind != "census"


def test_a_named_paper_makes_which_models_an_ordinary_question() -> None:
    assert understand("Which models are compared with AutoTool?", ((31, 39),)).kind != "census"


@pytest.mark.parametrize(
    ("question", "form", "words"),
    [
        ("How many papers use the abbreviation MLLM?", "count", "contain “MLLM”"),
        ("does any paper deal with federated learning?", "exists", "are about “federated learning”"),
        ("Which papers mention long context?", "list", "mention “long context”"),
        (
            "List the papers whose code sits in the supplementary material rather than behind a link.",
            "list",
            "have their code, data or demo in the supplementary material and do not link to their code or project",
        ),
        (
            "Which reinforcement learning papers neither claim state of the art nor report an x-times speedup?",
            "list",
            "concern “reinforcement learning” and do not claim state-of-the-art results and do not state a "
            "speed-up as a multiple",
        ),
        (
            "Which papers on tides or on storms release code?",
            "list",
            "(are about “tides” or are about “storms”) and release code",
        ),
        ("which papers release their models or weights and not just code", "list", "release their models or weights"),
        (
            "How many papers work on audio, speech or music?",
            "count",
            "are about “audio” or are about “speech” or are about “music”",
        ),
        ("Which papers are not training-free?", "list", "are not training-free"),
        ("how many papers are there", "count", "are in this library"),
        ("Which papers use flow matching to plan routes?", "list", "concern “flow matching … plan routes”"),
        ("who uses tide tables for harbour design", "list", "concern “tide tables … harbour design”"),
        ("papers with field studies", "list", "concern “field studies”"),
        ("Which papers compress large models?", "list", "concern “compress”"),
        (
            "How many randomised trials enrolled sailors?",
            "count",
            "concern “randomised trials” and concern “sailors”",
        ),
        ("what cohorts had scurvy", "list", "concern “scurvy”"),
        ("which papers are about tidal power (barrages included)?", "list", "are about “tidal power”"),
        ("papers that ran experiments on Tetris games", "list", "concern “Tetris”"),
        ("papers on Markov games", "list", "are about “Markov games”"),
        ("how many abstracts report sail design experiments, and which", "count", "concern “sail design”"),
        ("anything with buoys in it? drift or anchor, all of them pls", "exists", "concern “buoys”"),
        ("Which papers name GULLS among their datasets?", "list", "contain “GULLS”"),
        ("papers touching harbour lights", "list", "are about “harbour lights”"),
        (
            "papers about games and tides",
            "list",
            "are about “games” and are about “tides”",
        ),
    ],
)
def test_says_how_it_understood_the_question(question: str, form: str, words: str) -> None:
    asked = understand_census(question)
    assert asked.form == form
    assert in_words(asked.predicate) == words
