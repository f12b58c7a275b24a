"""Planted faults and honest paraphrases over the seed abstracts, through the answerer with a scripted model.

The checker was tuned with the first 74 faults and 64 paraphrases in view. Those marked `held_back` were written before
any of them was tried and are never tuned on: they tell what the checker does with sentences it has not met.

The last sixty (over the invented library) were written before they were tried as well; at that first run 21 of their 30
faults were kept out and 17 of their 30 paraphrases shown whole. The checker was mended with them in view.
"""

from collections import Counter

from rag.types import Statement
from tests.checking.drafts import is_kept_out, is_shown, load, play

NAMES_AND_NUMBERS = {
    "wrong_number",
    "number_of_other_measure",
    "other_papers_number",
    "swapped_name",
    "invented_source",
    "marker_shifted",
}


def test_there_are_enough_drafts_of_every_kind() -> None:
    kinds = Counter(draft["kind"] for draft in load())
    assert kinds["honest"] >= 60
    assert sum(kinds.values()) - kinds["honest"] >= 60
    wanted = {
        *NAMES_AND_NUMBERS,
        "negation",
        "reversed_comparison",
        "antonym",
        "marker_missing",
        "half_true",
        "memory",
        "instruction_obeyed",
        "reasoning_leaked",
        "cut_sentence",
    }
    assert wanted <= set(kinds)


def test_no_changed_number_name_source_or_paper_is_shown_as_fact() -> None:
    drafts = [draft for draft in load() if draft["kind"] in NAMES_AND_NUMBERS]
    assert [draft["id"] for draft in drafts if not is_kept_out(draft, play(draft))] == []


def test_nearly_all_planted_faults_are_kept_out() -> None:
    drafts = [draft for draft in load() if draft["kind"] != "honest"]
    missed = [draft["id"] for draft in drafts if not is_kept_out(draft, play(draft))]
    assert len(missed) <= 0.15 * len(drafts), missed


def test_few_honest_paraphrases_are_lost() -> None:
    drafts = [draft for draft in load() if draft["kind"] == "honest"]
    lost = [draft["id"] for draft in drafts if not is_shown(draft, play(draft))]
    assert len(lost) <= 0.08 * len(drafts), lost


def test_nearly_all_sentences_of_an_honest_model_are_shown() -> None:
    rows = [row for draft in load() if draft["kind"] == "honest" for row in play(draft)]
    shown = sum(isinstance(row, Statement) for row in rows)
    assert shown >= 0.92 * len(rows), (shown, len(rows))


def test_what_was_held_back_does_as_well() -> None:
    held = [draft for draft in load() if draft.get("held_back")]
    faults = [draft for draft in held if draft["kind"] != "honest"]
    honest = [draft for draft in held if draft["kind"] == "honest"]
    assert sum(is_kept_out(draft, play(draft)) for draft in faults) >= 0.85 * len(faults)
    assert sum(is_shown(draft, play(draft)) for draft in honest) >= 0.92 * len(honest)


def test_a_fault_counts_as_shown_when_its_words_are_shown() -> None:
    draft = {
        "kind": "x",
        "evidence": [3],
        "draft": "PBS-Attn increases block-level sparsity [1].",
        "hidden": "sparsity",
    }
    assert not is_kept_out(draft, play(draft))
