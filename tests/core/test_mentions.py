"""Names of the library in a question, however they are spelt; ordinary words are none."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.library.rows import NameUse
from rag.retrieval.mentions import Mention, NameIndex
from rag.text.names import name_key

ORDINARY = frozenset({"a", "the", "of", "score", "mill", "turn", "table", "house", "wash", "how", "does", "is"})


def index(*uses: tuple[str, str] | tuple[str, str, bool]) -> NameIndex:
    """Return an index of (name, paper, whether it is the paper's own)."""
    rows = [NameUse(name_key(use[0]), use[0], use[1], 1, use[2] if len(use) > 2 else True) for use in uses]
    return NameIndex(rows, ORDINARY.__contains__, lambda word: 0)


NAMES = index(
    ("MillNet", "m"), ("KLM-Attn", "k"), ("Tide2Codeᴺ", "t"), ("WASH", "w"), ("DE", "d"), ("Quiet Tide Zone", "q")
)


def one(question: str, names: NameIndex = NAMES) -> Mention:
    (mention,) = names.find(question)
    return mention


@pytest.mark.parametrize(
    ("typed", "paper"),
    [
        ("MillNet", "m"),
        ("millnet", "m"),
        ("MILLNET", "m"),
        ("mill net", "m"),
        ("Mill-Net", "m"),
        ("MillNets", "m"),
        ("KLM-Attn", "k"),
        ("klm attn", "k"),
        ("klmattn", "k"),
        ("attn", "k"),
        ("Tide2CodeN", "t"),
        ("tide 2 code n", "t"),
        ("the quiet tide zone", "q"),
        ("quiet-tide-zone", "q"),
    ],
)
def test_a_name_is_known_in_any_case_split_or_joined(typed: str, paper: str) -> None:
    mention = one(f"What is {typed}?")

    assert mention.papers == (paper,)
    assert mention.certain and mention.tells


@pytest.mark.parametrize("typed", ["milnet", "millnett", "mlilnet", "millnte", "MilNet", "millmet"])
def test_a_misspelt_name_is_known_and_said_to_be_misspelt(typed: str) -> None:
    mention = one(f"how fast is {typed}")

    assert (mention.name, mention.typed, mention.misspelt) == ("MillNet", typed, True)


def test_another_case_or_spacing_is_no_misspelling() -> None:
    assert not any(one(f"is {typed} fast").misspelt for typed in ("millnet", "mill net", "MillNets"))


def test_a_mention_stands_where_it_says() -> None:
    question = "Compare klm attn with MilNet, please."
    first, second = NAMES.find(question)

    assert (question[first.start : first.end], question[second.start : second.end]) == ("klm attn", "MilNet")


@pytest.mark.parametrize(
    "question", ["What is the score of a mill?", "how does a house turn", "de la mer", "wish", "mail", "net", "", "?!"]
)
def test_ordinary_words_are_not_taken_for_names(question: str) -> None:
    assert NAMES.find(question) == []


@pytest.mark.parametrize(
    ("name", "word"), [("TABEL", "table"), ("HOUSEX", "house"), ("WHERX", "where"), ("T1024", "1024")]
)
def test_a_word_of_the_dictionary_is_no_misspelling_of_a_name_near_it(name: str, word: str) -> None:
    assert index((name, "a")).find(f"is it in {word} or not") == []


def test_a_name_that_is_a_word_as_well_is_certain_only_as_it_is_written() -> None:
    assert one("What is WASH?").certain
    assert not one("how does it wash the table").certain


def test_a_word_of_the_field_is_no_name_although_papers_capitalise_it() -> None:
    words = ORDINARY | {"tide", "learning"}
    rows = [NameUse("tidelearning", "Tide Learning", paper, 1, False) for paper in "abcde"]
    field = NameIndex(rows, words.__contains__, lambda word: 40)

    assert not one("quantum tide learning", field).certain
    assert one("what is Tide Learning", field).certain


def test_a_short_name_counts_only_as_it_is_written() -> None:
    assert one("What is DE?").papers == ("d",)
    assert NAMES.find("le prix de la table") == []


def test_a_word_between_two_names_is_neither() -> None:
    assert index(("KORNA", "a"), ("KORNB", "b")).find("What is kornc?") == []


def test_a_name_stands_for_the_paper_whose_own_it_is() -> None:
    names = index(
        ("GLENQ", "own", True),
        ("GLENQ", "baseline", False),
        ("GLENQ", "other", False),
        ("SALTBENCH", "x", False),
        ("SALTBENCH", "y", False),
    )

    assert one("What is GLENQ?", names).papers == ("own",)
    assert one("Who uses SALTBENCH?", names).papers == ("x", "y")


def test_a_name_that_many_papers_use_tells_none_of_them() -> None:
    mention = one("Who uses SALTBENCH?", index(*(("SALTBENCH", paper, False) for paper in "abc")))

    assert mention.papers == ("a", "b", "c")
    assert not mention.tells


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("MillNet: A Net of Mills", True),
        ("MillNet-2: More Mills", True),
        ("A Net of Mills", False),
        ("On Mills: MillNet", True),
        ("", False),
    ],
)
def test_a_title_tells_whether_it_calls_its_paper_so(title: str, names: bool) -> None:
    assert one("MillNet").names(title) is names


@given(st.text(max_size=80))
def test_mentions_are_in_order_and_lie_inside_any_question(question: str) -> None:
    found = NAMES.find(question)

    assert all(question[m.start : m.end] == m.typed != "" for m in found)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))


def test_a_word_that_abstracts_use_is_not_a_misspelt_name():
    uses = [NameUse("softat", "Soft At", "p1", 2, True)]
    assert NameIndex(uses, lambda word: False, lambda word: 0).find("the softmax bottleneck")
    assert not NameIndex(uses, lambda word: False, lambda word: int(word == "softmax")).find("the softmax bottleneck")


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Deep Tidal Agnet", "Deep Tidal Agent"),  # although DEEP is a name as well
        ("UI-to-coed", "UI-to-code"),
        ("Out-of-Vsion Turning", "Out-of-Vision Turning"),
        ("Casual Tide Distillation", "Causal Tide Distillation"),
        ("DeepAH", "DeepHA"),  # by its capitals, not DeePa
        ("GEMMQ", "GEMQ"),  # a paper's own, not GEMMs, which one only uses
        ("LDPV", "LDPVR"),
    ],
)
def test_the_likeliest_of_near_names_is_meant(typed: str, name: str) -> None:
    uses = (
        ("DEEP", "deep"),
        ("Deep Tidal Agent", "dta"),
        ("UI", "ui1"),
        ("UI", "ui2"),
        ("UI", "ui3"),
        ("UI-to-code", "uic"),
        ("Out-of-Vision Turning", "oov"),
        ("Causal Tide Distillation", "ctd"),
        ("DeepHA", "dha"),
        ("DeePa", "dpa"),
        ("GEMQ", "gemq"),
        ("GEMMs", "other", False),
        ("LDPVR", "ldpvr"),
    )
    rows = [NameUse(name_key(use[0]), use[0], use[1], 1, len(use) == 2) for use in uses]
    names = NameIndex(rows, (ORDINARY | {"deep"}).__contains__, lambda word: 0)

    assert [mention.name for mention in names.find(f"is {typed} a score")] == [name]


@pytest.mark.parametrize(
    ("name", "typed"),
    [("Ception-v3", "Ception-v4"), ("ResNet", "RegNet"), ("MillHA", "MillAR"), ("LVLM", "vLLM"), ("BARD", "BART")],
)
def test_another_number_or_another_short_part_is_another_name(name: str, typed: str) -> None:
    words = ORDINARY | {"net"}
    names = NameIndex([NameUse(name_key(name), name, "p", 2, True)], words.__contains__, lambda word: 0)

    assert names.find(f"how does {typed} score") == []
