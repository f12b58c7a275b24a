import pytest

from eval.matching import content_words, number_stated, numbers, occurs


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("2.75x", r"a speedup of up to $\mathbf{2.75\times}$ in prefilling"),
        ("2.75x", "2.75× faster"),
        ("2.75×", "2.75 times faster"),
        ("2.75x", "a 2.75-fold gain"),
        ("2.75", "2.75x"),
        ("5x", "a fivefold gain"),
        ("21.8%", r"a 21.8\% gain"),
        ("21.8%", "21.8 per cent"),
        ("20 percent", "≈20%"),
        ("12,000", "12000 dialogues"),
        ("12000", r"12{,}000 or 12\,000"),
        ("12,000", "12K dialogues"),
        ("9B", "a model of 9 billion parameters"),
        ("three", "3 stages"),
        ("3", "Three stages"),
        ("25", "twenty-five tasks"),
        ("200", "two hundred"),
        ("4", "a 4-bit model"),
        ("10", "10ms"),
        ("10^6", "10⁶ tokens"),
        ("0.00001", "a rate of 1e-5"),
        ("3-5", "averaging 3–5 models"),
        ("2176", r"2176$\times$3840 pixels"),
        ("below 2", "suppressed to below 2."),
        ("permuted FlashAttention", "custom permuted-FlashAttention kernels"),
        ("explores", "it jointly explored"),
        ("Laziç", "extending Lazic"),
        ("visual search", r"in **visual** \textit{search}"),
        ("Riesz", "the Riesz's theorem"),
    ],
)
def test_a_key_is_found_in_any_spelling(key, text):
    assert occurs(key, text)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("4", "4K video"),
        ("4", "4.5 points"),
        ("4", "4,500 pairs"),
        ("4", "UI4Code and GPT4"),
        ("4.5", "4.50001"),
        ("000", "12,000"),
        ("2.75x", "2.75% faster"),
        ("2.75x", "2.75 points"),
        ("2176×", r"2176$\times$3840 pixels"),
        ("20%", "20 tasks"),
        ("visual search", "search that is visual"),
        ("cat", "concatenate"),
        ("reinforcement learning", "reinforcement of learning"),
        ("two", "network"),
    ],
)
def test_a_key_is_not_found_in_something_else(key, text):
    assert not occurs(key, text)


@pytest.mark.parametrize(
    ("claim", "source", "stated"),
    [
        ("21.8%", "21.8%", True),
        ("22%", "21.8%", True),  # rounded, two digits left
        ("21%", "21.8%", False),
        ("3x", "2.75×", False),  # one digit is too little to round to
        ("2.8x", "2.75×", True),
        ("2.75%", "2.75×", False),
        ("2.75", "2.75×", True),
        ("12K", "12,000", True),
        ("71.45", "71.4", False),  # more precise than its source
    ],
)
def test_roundings_of_a_stated_number(claim, source, stated):
    assert number_stated(numbers(claim)[0], numbers(source)) is stated


def test_one_is_a_pronoun_and_no_number_to_check():
    assert [n.stem for n in numbers("one of the two methods, not three")] == ["2", "3"]


def test_content_words_are_stems_without_function_words():
    assert content_words("How does it explore the 3,200 sentence pairs?") == ["explor", "3200", "sentenc", "pair"]
