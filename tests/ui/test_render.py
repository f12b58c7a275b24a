"""Answers and papers -> HTML. Rows S13, S18 to S21, S28 and S31 of the known faults, in the pure part."""

from __future__ import annotations

import dataclasses
import html
import re

import pytest

from rag.answering.assembly import Assembly
from rag.types import OUTCOMES, Answer, Citation, Quote, Rejected, Statement, Usage
from tests.ui.fakes import HOSTILE_ABSTRACT, HOSTILE_TITLE, PAPERS, SPAR_COST, answer, canned, cite, paper
from ui import cards, render
from ui.conversation import Exchange

ALLOWED_TAGS = {
    "a",
    "br",
    "code",
    "button",
    "details",
    "div",
    "h1",
    "h2",
    "li",
    "mark",
    "p",
    "q",
    "span",
    "summary",
    "sup",
    "ul",
}


def shown(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


def buttons(markup: str) -> list[str]:
    return re.findall(r'<button name="cite" value="([^"]*)" class="cite"', markup)


def test_markers_are_buttons_that_carry_their_own_turn():
    reply = canned("Tell me about SPAR", ())
    assert buttons(render.answer_html(reply, 7)) == ["7:1", "7:2", "7:3"]


def test_numbers_that_are_no_citation_stay_text():
    markup = render.answer_html(answer("q", f"{SPAR_COST} [1] As [2] and [10] say.", cite(1, "spar", SPAR_COST)))
    assert buttons(markup) == ["1:1"]
    assert "As [2] and [10] say." in shown(markup)


def test_a_papers_own_bracketed_number_never_becomes_a_button():
    """Row S20: the abstract's own [1] stands in the quote, and citation 1 exists."""
    quote = "Extending [1] and [12], we bound x[1] on the range [0, 1] (2021)."
    cited = Citation(1, "p", "p:0", "T", quote, 0, len(quote))
    piece = Assembly()
    piece.add(Statement(("A [1] of ours: ", "“", quote, "”", Quote(paper("p", "T", quote), "p:0", 0, len(quote)))))
    piece.add(Statement(("\n- and again", Quote(paper("p", "T", quote), "p:0", 0, len(quote)))))
    reply = answer("q", piece.text, cited, marks=piece.marks)
    markup = render.answer_html(reply)
    assert [piece.text[mark : mark + 3] for mark in piece.marks] == ["[1]", "[1]"]
    assert buttons(markup) == ["1:1", "1:1"]
    assert f"“{quote}” " in shown(markup) and "A [1] of ours" in shown(markup)
    assert "marks" not in reply.to_dict()


def test_no_formula_runs_across_a_marker():
    markup = render.answer_html(answer("q", "It costs $a [1] or b$ then.", cite(1, "spar", SPAR_COST)))
    assert buttons(markup) == ["1:1"] and 'class="math"' not in markup


def test_sources_list_each_cited_paper_once_with_its_markers():
    markup = render.answer_html(canned("Tell me about SPAR", ()))
    assert re.findall(r'class="numbers">([^<]*)<', markup) == ["1 2 3"]
    assert "1 source<" in markup


def test_without_citations_there_is_no_source_list():
    markup = render.answer_html(canned("Who won the regatta?", ()))
    assert "source" not in markup
    assert "Not in this library" in markup


def test_a_greeting_gets_neither_badge_nor_sources():
    markup = render.answer_html(canned("hi", ()))
    assert "badge" not in markup and "source" not in markup and "confidence" not in markup


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_outcome_renders(outcome):
    assert "Words." in render.answer_html(answer("q", "Words.", outcome=outcome))


def test_lists_and_line_breaks_keep_their_shape():
    markup = render.answer_html(answer("q", "Intro:\n- one\n- two\nafter\nmore\n\nlast"))
    assert '<ul class="text"><li>one</li><li>two</li></ul>' in markup
    assert '<p class="text" dir="auto">after<br>more</p>' in markup
    assert '<p class="text" dir="auto">last</p>' in markup


def test_warnings_rejections_and_the_standalone_question_are_told():
    reply = answer(
        "and it?",
        "Words.",
        standalone_question="What does SPAR do?",
        warnings=("The search read English only.",),
        rejected=(Rejected("[9]", "It flies <b>.", "no source 9"), Rejected("", "It sings.", "not in an abstract")),
        model="local-8b",
        usage=Usage(1, 900, 100),
    )
    text = shown(render.answer_html(reply))
    assert "Read as What does SPAR do?" in text
    assert "The search read English only." in text
    assert "2 sentences of the draft were left out" in text and "It flies <b>." in text
    assert "local-8b, 1,000 tokens" in text


def test_every_block_is_one_line_of_html_so_that_no_markdown_is_read_in_it():
    for question in ("SPAR", "hostile", "nothing"):
        for block in render.answer_html(canned(question, ())).split("\n\n"):
            assert re.match(r"<(div|p|ul|details)\b", block) and "\n" not in block


def test_hostile_text_is_text_everywhere():
    reply = dataclasses.replace(
        canned("hostile", ()),
        standalone_question=HOSTILE_TITLE,
        warnings=(HOSTILE_TITLE,),
        rejected=(Rejected(HOSTILE_TITLE, HOSTILE_ABSTRACT, HOSTILE_TITLE),),
        model=HOSTILE_TITLE,
        usage=Usage(1, 1, 1),
        confidence_note=HOSTILE_TITLE,
    )
    nasty = paper("x", HOSTILE_TITLE, HOSTILE_ABSTRACT, authors=[HOSTILE_TITLE], venue=HOSTILE_TITLE)
    pages = (
        render.answer_html(reply),
        cards.paper_html(nasty, (), None),
        cards.missing_paper_html(reply.citations[0]),
        render.question_html(Exchange(1, HOSTILE_ABSTRACT)),
        render.exchange_html(Exchange(1, "q", HOSTILE_ABSTRACT, status="failed", error=HOSTILE_TITLE)),
        render.header_html(HOSTILE_TITLE, 1, HOSTILE_TITLE, HOSTILE_TITLE),
        render.welcome_html(HOSTILE_TITLE, 1),
    )
    for markup in pages:
        assert set(re.findall(r"</?([a-zA-Z][\w-]*)", markup)) <= ALLOWED_TAGS
        assert not re.search(r"<[^>]*\son\w+\s*=", re.sub(r'"[^"]*"', '""', markup))
    assert HOSTILE_ABSTRACT in shown(pages[1]) and HOSTILE_ABSTRACT in shown(pages[3])
    assert all(HOSTILE_TITLE in shown(markup) for markup in pages if markup is not pages[3])


def test_the_abstract_shows_whole_with_its_quotes_marked():
    reply = canned("SPAR", ())
    markup = cards.paper_html(PAPERS[0], reply.citations, reply.citations[1])
    active = re.findall(r'<mark class="quote active"[^>]*>(.*?)</mark>', markup)
    assert [shown(m) for m in active] == [reply.citations[1].quote]
    assert markup.count("<mark") == 3


def test_a_quote_that_is_not_at_its_offsets_is_never_marked():
    wrong = dataclasses.replace(cite(1, "spar", SPAR_COST), start=3, end=9)
    assert "<mark" not in cards.paper_html(PAPERS[0], [wrong], wrong)


def test_metadata_is_readable_and_never_none():
    reed = paper("x", "T", "Abstract.", authors=[f"Author {i}" for i in range(20)], venue={"name": "X"}, year=None)
    text = shown(cards.paper_html(reed, (), None))
    assert "Author 7 and 12 more · X" in text and "None" not in text


def test_a_derived_title_says_so():
    assert "Title derived" in cards.paper_html(PAPERS[4], (), None)
    assert "Title derived" not in cards.paper_html(PAPERS[0], (), None)


def test_states_of_an_unfinished_reply():
    assert "Reading the abstracts" in render.exchange_html(Exchange(1, "q"))
    assert "Writing" in render.exchange_html(Exchange(1, "q", "Some"))
    stopped = render.exchange_html(Exchange(1, "q", "Some [1]", status="stopped"))
    assert "Stopped" in stopped and "Some [1]" in shown(stopped) and not buttons(stopped)
    failed = render.exchange_html(Exchange(4, "q", status="failed", error="No server."))
    assert "No server." in failed and 'name="retry" value="4"' in failed


def test_header_tells_library_mode_and_model():
    assert "Hollow" in render.header_html("Hollow", 1, "llm", "local-8b")
    assert "llm · local-8b" in render.header_html("Hollow", 1, "llm", "local-8b")
    assert "extractive · no model" in render.header_html("Hollow", 5453, "extractive", None)
    assert "5,453 abstracts" in render.header_html("Hollow", 5453, "extractive", None)


def test_an_answer_without_anything_is_still_a_page():
    assert render.answer_html(Answer("q", "q", "", "smalltalk")) == ""
