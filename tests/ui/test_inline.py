"""Text that is not ours -> safe inline HTML. Rows S20, S30 and S31 of the known faults, in the pure part."""

from __future__ import annotations

import html
import re
from itertools import pairwise

import pytest

from ui.inline import MATH_CLOSE, MATH_OPEN, Span, escape, highlighted, inline, tokens

MATH = re.compile(f'<span class="math">{MATH_OPEN}(.*?){MATH_CLOSE}</span>')


def shown(markup: str) -> str:
    """What a reader sees: tags gone, references resolved."""
    return html.unescape(re.sub(r"<[^>]*>", "", markup)).replace(MATH_OPEN, "").replace(MATH_CLOSE, "")


def formulas(markup: str) -> list[str]:
    return [html.unescape(body) for body in MATH.findall(markup)]


def test_prices_stay_prices_and_formulas_are_set():
    text = (
        r"Rent went from $2,400 to $1,900 at $O(M \log M)$; "
        r"on \([c, d]\) the error \( e \le f \) holds in 98.2\% of rows."
    )
    markup = inline(text)
    assert formulas(markup) == [r"O(M \log M)", "[c, d]", r"e \le f"]
    assert "$2,400 to $1,900 at" in shown(markup)
    assert r"98.2\% of rows" in shown(markup)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("run `pip install spar` or `spar --k 3`.", ["`pip install spar`", "`spar --k 3`"]),
        ("`<b>x</b>`", ["`&lt;b&gt;x&lt;/b&gt;`"]),
        ("`$x$ and $y$`", ["`&#36;x&#36; and &#36;y&#36;`"]),
        ("``quoted'' and `a' or `b' are quotation marks", []),
    ],
)
def test_code_between_backticks_is_set_as_code_and_stays_as_written(text, code):
    markup = inline(text)
    assert re.findall(r"<code>(.*?)</code>", markup) == code
    assert html.unescape(re.sub(r"</?code>", "", markup)) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It costs $5 or $10.", []),
        ("US$3 or A$4", []),
        ("between $3M and EUR/$", []),
        ("a 10$ note and a 20$ note", []),
        ("$3-$5 each", []),
        (r"escaped \$5 and \$6", []),
        (r"2176$\times$3840", [r"\times"]),
        ("inputs $X$ from $Z$", ["X", "Z"]),
        ("the bound of $H(X|Z)$", ["H(X|Z)"]),
        (r"$\approx$20\%", [r"\approx"]),
        (r"models$^{\text{N}}$", [r"^{\text{N}}"]),
        (r"$$a^2$$ displayed", ["a^2"]),
        (r"unbalanced $x_{1$ stays", []),
        (r"$\rule{500em}{500em}$ would cover the page", []),
        (r"$\href{javascript:alert(1)}{x}$", []),
        (r"$\color{red}x$", []),
    ],
)
def test_what_counts_as_a_formula(text, expected):
    markup = inline(text)
    assert formulas(markup) == expected
    if not expected:
        assert shown(markup) == text


HOSTILE = (
    "<img src=x onerror=\"document.title='hit'\"> Tokens <unk> and <mask>, p<0.05, file_name_v2, 2*3*4, ## counts "
    "<style>body{display:none}</style> %%%LATEX_BLOCK_0%%% `code` &amp; \n\n# heading\n\n```mermaid\ngraph\n```\t~x~"
)


def test_every_character_of_hostile_text_shows_and_none_is_markup():
    markup = inline(HOSTILE)
    assert shown(markup) == HOSTILE
    assert set(re.findall("<[^>]*>", markup)) <= {"<code>", "</code>"}
    assert "\n" not in markup and "$" not in markup and "%" not in markup


def test_the_fence_of_formulas_cannot_be_spelled_by_a_text():
    assert MATH_OPEN not in inline(f"{MATH_OPEN}x{MATH_CLOSE}")


def test_a_lone_surrogate_can_be_sent():
    assert escape("a\ud800b").encode("utf-8") == b"a?b"


def test_links_are_whole_and_lead_out_safely():
    markup = inline("code: https://example.org/a_b_c?x=1&y=<b>, see (https://example.org/d).")
    hrefs = re.findall(r'href="([^"]*)" target="_blank" rel="noopener noreferrer"', markup)
    assert hrefs == ["https://example.org/a_b_c?x=1&amp;y=", "https://example.org/d"]
    quoted = "Code: “https://example.org/a.” and «https://example.org/b», ‘https://example.org/c’."
    assert re.findall(r'href="([^"]*)"', inline(quoted)) == [f"https://example.org/{end}" for end in "abc"]
    assert "javascript" not in re.findall(r'href="([^"]*)"', inline("javascript:alert(1) https://e.org/javascript"))


def test_tokens_never_overlap_and_match_their_text():
    text = "see https://e.org/$x$ and $a_1$ [2] $b$ https://e.org/y"
    found = list(tokens(text))
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert all(token.body in text[token.start : token.end] for token in found)


def test_highlight_marks_exactly_the_quote():
    text = "One <b>two</b> three $n^2$ four."
    start = text.index("<b>")
    end = text.index(" four")
    markup = highlighted(text, [Span(start, end, 1, active=True)])
    marked = re.findall(r'<mark class="quote active" id="active-quote">(.*?)</mark>', markup)
    assert [shown(m) for m in marked] == ["<b>two</b> three n^2"]
    assert formulas(markup) == ["n^2"]


def test_overlapping_quotes_and_a_quote_that_cuts_a_formula_keep_the_text():
    text = "alpha $a_1 b$ omega and more"
    middle = text.index(" b$")
    markup = highlighted(text, [Span(0, middle, 1), Span(6, len(text), 2, active=True), Span(0, 999, 3)])
    assert shown(re.sub(r"<sup.*?</sup>", "", markup)) == text
    assert markup.count('id="active-quote"') == 1
    assert markup.count("<mark") == markup.count("</mark>") == 3
