import pytest

from rag.checking.claims import names, numbers, same_number, words


def values(text: str) -> list[tuple[float, str]]:
    return [(n.value, n.unit) for n in numbers(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("21.8% and 44.9 percent", [(21.8, "percent"), (44.9, "percent")]),
        ("14-26% of cases", [(14.0, "percent"), (26.0, "percent")]),
        ("12,000 dialogues", [(12000.0, "plain")]),
        ("12k dialogues and 1.5 million pairs", [(12000.0, "plain"), (1500000.0, "plain")]),
        ("2.75× and 6x and 10 times and fivefold", [(2.75, "times"), (6.0, "times"), (10.0, "times"), (5.0, "times")]),
        ("twice as fast with half the data", [(2.0, "times"), (50.0, "percent")]),
        ("three components in five tasks", [(3.0, "plain"), (5.0, "plain")]),
        ("a 9B model", [(9e9, "plain")]),
        ("a two-stage curriculum", [(2.0, "plain")]),
        ("(1) speed and (2) cost", []),
        ("equivariant to SO(3)", [(3.0, "plain")]),
        ("GR1, T3-Video and 4K-VBench", []),
        ("needs 4GB, not 1 GB", [(4.0, "plain"), (1.0, "plain")]),
    ],
)
def test_numbers_are_read_with_their_units(text: str, expected: list[tuple[float, str]]) -> None:
    assert values(text) == expected


@pytest.mark.parametrize(
    ("claim", "given", "same"),
    [
        ("21.8%", "21.8 percent", True),
        ("2.75x", "2.75×", True),
        ("12000", "12,000", True),
        ("twice", "2×", True),
        ("half", "50%", True),
        ("about 22%", "21.8%", True),
        ("over 20%", "21.8%", True),
        ("22%", "21.8%", False),
        ("4", "4K", False),
        ("6%", "6×", False),
        ("at least 2.75×", "up to 2.75×", False),
        ("over 30%", "21.8%", False),
        ("28.1%", "21.8%", False),
        ("4GB", "4 GB", True),
        ("4 GB", "4 MB", False),
        ("90 minutes", "1.5 hours", True),
        ("12 hours", "12 days", False),
        ("10s", "10-second", True),
        ("5 km", "5 hours", False),
        ("5 hours", "5", True),
    ],
)
def test_numbers_match_as_numbers(claim: str, given: str, same: bool) -> None:
    assert same_number(numbers(claim)[0], numbers(given)[0]) is same


def test_names_are_coined_words_and_capitals_inside_a_sentence() -> None:
    found = [n.text for n in names("Averaging helps AutoTool, PBS-Attn and V* on Minecraft with LLMs, says Rényi.")]
    assert found == ["AutoTool", "PBS-Attn", "V*", "Minecraft", "LLMs", "Rényi"]


def test_a_number_with_its_unit_is_no_name() -> None:
    assert [n.text for n in names("It runs at 30Hz in 4GB beside BERT.")] == ["BERT"]


def test_negation_reaches_the_next_words_of_its_clause() -> None:
    negated = [
        w.stem
        for w in words("It does not improve accuracy, and it never hurts speed; not only small models gain.")
        if w.negated
    ]
    assert negated == ["improv", "accuraci", "hurt", "speed"]
