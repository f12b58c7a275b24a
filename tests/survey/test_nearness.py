from __future__ import annotations

import pytest

from rag.errors import InputError
from rag.survey.nearness import SAMENESS, by_words, draft_paper, neighbours

DRAFT = (
    "Long inputs make attention in language models slow, since its cost is quadratic in sequence length. "
    "Sparse attention skips blocks, but important keys are scattered over many blocks. We propose ReBlock, a "
    "plug-and-play method that sorts keys so that block-level sparsity rises during prefilling. Experiments on "
    "long-context benchmarks show that ReBlock outperforms block-sparse attention in accuracy."
)


def test_a_draft_finds_its_neighbour_in_all_three_respects(library):
    near = library.near(DRAFT)
    for kind in SAMENESS:
        first = near.groups[kind][0]
        assert first.paper.title.startswith("PBS-Attn")
        for overlap in first.overlaps:
            assert overlap.draft.text == near.draft.abstract[overlap.draft.start : overlap.draft.end]
            assert overlap.paper.text in first.paper.abstract
            assert len(overlap.words) >= 2


def test_what_shares_only_the_problem_is_listed_there_only(library):
    near = library.near(
        "Diffusion priors for image super-resolution often compromise faithful restoration of natural images. "
        "We propose a gardening robot that waters tulips. Experiments show that tulips grow by 3%."
    )
    assert [row.paper.title.partition(":")[0] for row in near.groups["problem"]] == ["ASASR"]
    assert near.groups["method"] == () and near.groups["claim"] == ()


def test_a_draft_of_another_field_has_no_neighbour(library):
    near = library.near("Medieval charters of Lübeck were long thought lost. We present an edition of forty charters.")
    assert not any(near.groups.values()) and near.read > 0


OTHER_WORDS = {
    "PBS-Attn": "We make the reading of very long prompts cheaper by computing attention on few blocks of keys only.",
    "ASASR": "Upscaling photographs with generative models invents texture that was never there. We steer the sampler "
    "of a pretrained diffusion network towards its low-resolution input, and the pictures stay closer to the original.",
    "WASH": "Marks hidden in generated text are supposed to tell who wrote it. We show that mixing the output of "
    "several models washes such watermarks out, with little loss of fluency.",
    "DeepHA": "An agent that plays an open-world game for hours needs more than one kind of action. Our player chooses "
    "between plans, skills and raw key presses at each step.",
    "GEMQ": "Serving sparse expert networks takes too much memory. Our scheme gives each expert its own bit-width, "
    "chosen over all layers at once, so that little accuracy is lost.",
}


@pytest.mark.parametrize("name", OTHER_WORDS)
def test_a_draft_in_other_words_always_gets_its_nearest_papers_and_why(library, name):
    near = library.near(OTHER_WORDS[name])
    listed = [*(row for rows in near.groups.values() for row in rows), *near.nearest]
    assert name in [row.paper.title.partition(":")[0] for row in listed[:2]]
    assert len({row.paper.id for row in near.nearest} - {row.paper.id for row in listed[: -len(near.nearest)]}) == 5
    for overlap in (row.overlaps[0] for row in listed):
        assert overlap.draft.text in near.draft.abstract and overlap.paper.text in overlap.paper.paper.abstract
    assert [row["paper_id"] for row in near.to_dict()["nearest"]] == [row.paper.id for row in near.nearest]


def test_what_authors_do_is_no_problem_whatever_their_verb(library):
    near = library.near(OTHER_WORDS["PBS-Attn"])
    assert not near.groups["problem"]


def test_the_draft_itself_is_named_and_not_its_own_neighbour(library):
    paper = next(p for p in library.papers() if p.title.startswith("SOMA"))
    near = library.near(paper.source_text)
    assert [p.id for p in near.same] == [paper.id]
    assert paper.id not in {row.paper.id for rows in near.groups.values() for row in rows}


def test_without_vectors_words_decide(seeds):
    near = neighbours(draft_paper(DRAFT), list(seeds.values()), by_words)
    assert near.groups["claim"][0].paper.title.startswith("PBS-Attn")


def test_a_single_sentence_is_compared_with_sentences_of_every_kind(library):
    near = library.near("A method that decides whether to invoke tools during reasoning.")

    assert all(near.groups[kind][0].paper.title.startswith("AutoTool") for kind in ("problem", "method"))


@pytest.mark.parametrize("draft", ["", "Too short.", "word " * 5000])
def test_what_is_no_abstract_is_an_error(draft):
    with pytest.raises(InputError):
        draft_paper(draft)
