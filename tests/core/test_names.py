"""Coined names: what a field calls its methods, datasets and benchmarks."""

from __future__ import annotations

import pytest

from rag.text.names import coined_names, is_coined, long_names, name_key


@pytest.mark.parametrize(
    "word", ["AutoTool", "GEMQ", "T3", "KLM-Net", "4K-VBench", "UI2Codeᴺ", "V*", "LLMs", "iMill", "DREAM-R"]
)
def test_made_up_words_are_coined(word: str) -> None:
    assert is_coined(word)


@pytest.mark.parametrize(
    "word", ["Model", "tool", "A", "I", "2026", "3.5", "state-of-the-art", "Large", "", "—", "4GB", "2.4GHz"]
)
def test_words_of_the_dictionary_are_not(word: str) -> None:
    assert not is_coined(word)


def test_names_are_found_in_order_with_their_places() -> None:
    text = "We train TideNet and KLM-Net on 4K-VBench (TideNet twice)."
    found = coined_names(text)

    assert [n.text for n in found] == ["TideNet", "KLM-Net", "4K-VBench", "TideNet"]
    assert all(text[n.start : n.end] == n.text for n in found)


def test_parts_of_an_address_are_no_names() -> None:
    assert coined_names("Code is at https://example.org/TideNet/KLM-Net now.") == []


@pytest.mark.parametrize(
    ("a", "b"), [("PBS-Attn", "pbs attn"), ("UI2Codeᴺ", "ui 2 code n"), ("VLAs", "VLA"), ("Kärner", "KARNER")]
)
def test_names_compare_without_case_hyphens_spaces_and_plural(a: str, b: str) -> None:
    assert name_key(a) == name_key(b)


def test_capitalised_runs_inside_a_sentence_are_names() -> None:
    assert [n.text for n in long_names("We call it the Quiet Tide Zone. Then the Salt Vortex grows.")] == [
        "Quiet Tide Zone",
        "Salt Vortex",
    ]
