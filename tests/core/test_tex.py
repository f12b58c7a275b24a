"""Source text to readable text: every form that the seeds hold, money beside math, and what must be left alone."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.resources import resource
from rag.text.tex import readable


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"a gain of 17.3\% here", "a gain of 17.3% here"),
        (r"about $\approx$30\% of them", "about ≈30% of them"),
        (r"up to $\mathbf{3.41\times}$ sooner", "up to 3.41× sooner"),
        (r"sooner by $1.92\times$ overall", "sooner by 1.92× overall"),
        (r"frames of 1920$\times$1080", "frames of 1920×1080"),
        (r"(+3.18$\uparrow$ VQA)", "(+3.18↑ VQA)"),
        (r"a factor of 12$\times$.", "a factor of 12×."),
        (r"see \#Supp.", "see #Supp."),
        (r"Q\&A", "Q&A"),
        (r"snake\_case", "snake_case"),
        (r"a fee of \$40", "a fee of $40"),
        (r"Tide2Code$^{\text{N}}$, a model", "Tide2Codeᴺ, a model"),
        (r"10$^{-3}$ of CO$_2$", "10⁻³ of CO₂"),
        (r"$1{,}024$ nodes", "1,024 nodes"),
        (r"\alpha-blending", "α-blending"),
        (r"\textit{MARL-Q} and \textbf{both} and \emph{one \textbf{two} three}", "MARL-Q and both and one two three"),
        ("we call it (**KLM-Net**), a net", "we call it (KLM-Net), a net"),
        ("T4 (**T**idy **T**rained **T**ensor)", "T4 (Tidy Trained Tensor)"),
        ("falls **below 3** (and runs **7×** faster)", "falls below 3 (and runs 7× faster)"),
        ("we ask: *where should it be cut?* Here", "we ask: where should it be cut? Here"),
        ("as structured `hints' to steer", "as structured ‘hints’ to steer"),
        ("the ``open'' setting", "the “open” setting"),
        ("call `fit()` twice", "call fit() twice"),
        ("outcomes---a hard task---remain", "outcomes—a hard task—remain"),
        ("pages 3--9", "pages 3–9"),
        ("see~Reed", "see Reed"),
        (r"a rise of 4{\%} on {\textasciitilde}7K Q{\&}A items", "a rise of 4% on ~7K Q&A items"),
        (r"a {``}mild{''} rule", "a “mild” rule"),
        (r"the token {\textless}pad{\textgreater}", "the token <pad>"),
        (r"{\unheard} of", r"{\unheard} of"),
    ],
)
def test_markup_with_a_plain_form_gets_it(source: str, shown: str) -> None:
    assert readable(source) == shown


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"Ren\'{e} and Ren\'e", "René and René"),
        (r"Bj\"{o}rn, Bj\"orn, Bj{\"o}rn and Bj{\"{o}}rn", "Björn, Björn, Björn and Björn"),
        (r"Lazi\'{c} and \v{C}apek", "Lazić and Čapek"),
        (r"\c{S}ahin, Erd\H{o}s, \r{A}ngstr\"om, S\~ao", "Şahin, Erdős, Ångström, São"),
        (r"\'{\i}ndice", "índice"),
        (r"S{\o}rensen, S\o{}rensen and Wei{\ss}", "Sørensen, Sørensen and Weiß"),
    ],
)
def test_accents_become_the_letters_they_make(source: str, shown: str) -> None:
    assert readable(source) == shown


@pytest.mark.parametrize(
    "text",
    [
        r"it costs $O(N^3)$ steps",
        r"the bound on $H(X|Z)$ and $R^2_c$",
        r"$L^2$ limits",
        "from $4,000 to $1,500 a run",
        "between $3 and $8 each",
        "we paid $12.",
        "US$5 and US$6",
        "the V* benchmark",
        "2*3*4 = 24",
        "file_name_v2",
        "p<0.05 for <unk> and <mask>",
        "as in [3] and [12], x[0] lies in [0, 1]",
        r"in \foobar units",
        r"\unheard{of} macros",
        r"\textbf{never closed",
        "lone ** and $ and `",
        "<|endoftext|> and <|im_start|>",
    ],
)
def test_what_is_no_markup_or_has_no_plain_form_stays(text: str) -> None:
    assert readable(text) == text


def test_money_beside_a_formula_does_not_swallow_it() -> None:
    text = r"Cost fell from $2,000 to $900 at $O(N \log N)$ for $30 a month."

    assert readable(text) == text


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (r"Code: \url{https://example.org/a_b_c}.", "Code: https://example.org/a_b_c."),
        ("Code: https://example.org/a_b*c*d~e and more", "Code: https://example.org/a_b*c*d~e and more"),
        (r"\url{https://example.org/50%25_x}", "https://example.org/50%25_x"),
        (r"\href{https://example.org/a_b}{our page} shows", "our page (https://example.org/a_b) shows"),
    ],
)
def test_addresses_stay_whole(source: str, shown: str) -> None:
    assert readable(source) == shown


def test_words_broken_at_a_line_end_are_joined() -> None:
    assert readable("a multi-\nmodal model\nreads it") == "a multimodal model reads it"


def test_a_compound_written_with_its_hyphen_elsewhere_keeps_it() -> None:
    text = "cross-format transfer, that is cross-\nformat transfer"

    assert readable(text) == "cross-format transfer, that is cross-format transfer"


def test_markup_may_run_over_a_line_end() -> None:
    assert (
        readable("asks *where\nto cut*, **how\noften** and `why\nnot'") == "asks where to cut, how often and ‘why not’"
    )


def test_line_ends_of_every_kind_and_invisible_marks_are_gone() -> None:
    assert readable("\ufeffone\r\ntwo\rthree\n four\x00") == "one two three four"


def test_the_seeds_come_out_without_markup() -> None:
    text = readable(resource("seeds", "icml-2026.txt").read_text(encoding="utf-8"))

    assert not re.search(r"\\[A-Za-z%#&{]+(?![^$]*\$)|\*\*|``|---", text.replace(r"\log", ""))
    for kept in (
        "$O(N^2)$",
        "$R^2_c$",
        "2.75×",
        "UI2Codeᴺ",
        "2176×3840",
        "V* benchmark",
        "https://github.com/zai-org/UI2Code_N",
    ):
        assert kept in text


MARKUP = st.sampled_from(
    [
        r"\textit{",
        "}",
        "{",
        "$",
        r"\%",
        "**",
        "*",
        "`",
        "``",
        "''",
        "---",
        "~",
        "\\",
        r"\'{e}",
        r"\"",
        "^{",
        "_",
        r"\url{",
        "https://x.org/",
        r"\href{a}{",
        r"\times",
        "]",
        "5",
        "word",
        "é",
        "語",
        " ",
        "\n",
        "-\n",
        "\x00",
        "́",
    ]
)


@given(st.one_of(st.text(max_size=80), st.lists(MARKUP, max_size=25).map("".join)))
def test_any_text_is_read_to_one_trimmed_line(source: str) -> None:
    text = readable(source)

    assert text == " ".join(text.split())


SENTENCES = st.sampled_from(
    [
        "plain words here",
        r"gains 4\% more",
        r"up to $\mathbf{2\times}$",
        "**KLM** nets",
        r"\textit{fast} ones",
        "$O(N)$ steps",
        r"Bj\"{o}rn says",
        "pays $5 now",
        "a---b",
        r"see \url{https://x.org/a_b}",
        r"\foo kept",
        "`quoted' bits",
        "x[0] and [3]",
        "V* too",
    ]
)


@given(st.lists(SENTENCES, min_size=1, max_size=8).map(", ".join))
def test_readable_text_is_read_as_itself(source: str) -> None:
    once = readable(source)

    assert readable(once) == once


@pytest.mark.parametrize("sign", ["\u202e", "\u202a", "\u2066", "\u2069", "\ufff9", "\U000e0041"])
def test_signs_that_turn_a_text_round_or_hide_one_are_taken_out(sign: str) -> None:
    assert readable(f"Mills{sign} turn {sign}by night") == "Mills turn by night"


def test_signs_that_writing_needs_stay() -> None:
    text = "می‌خواهم café co\u00adoperate \u200fאב\u200e"

    assert readable(text) == text
