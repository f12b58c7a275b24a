"""The parts of the whole corpus in a real browser, over invented abstracts: main path, failure, what is taken away."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.ui.fakes import HOSTILE_TITLE
from tests.ui.test_page import ask, finished
from tests.ui.test_tabs import go, saved

pytestmark = pytest.mark.browser

DRAFT = (
    "General parsers lose the subjects of long legal sentences. We present VINE, which parses legal text by growing a "
    "graph of clauses before it attaches words. On the OAKMOOR benchmark it scores 72.0 F1, against 68.9 for the best "
    "earlier system."
)


def part(page, name: str) -> None:
    go(page, "Whole corpus")
    go(page, name)


def test_a_table_is_read_and_taken_away(page):
    part(page, "Table")
    page.locator("#table-columns textarea").fill("name, headline number, code link")
    page.locator("#make-table").click()
    page.locator("#table td", has_text="https://example.org/spar_attention").wait_for()
    assert page.locator("#table tbody tr").count() == 5
    page.locator("#table thead th", has_text="code link").locator(".of", has_text="1 of 5").wait_for()
    rows = list(csv.reader(io.StringIO(saved(page, page.locator("#table").get_by_role("button", name="CSV")))))
    assert rows[0][:3] == ["paper_id", "title", "name"] and len(rows) == 6
    page.locator("#table th .title-button", has_text="SPAR").click()
    page.locator("#source-panel .opened h2", has_text="SPAR").wait_for()


def test_a_table_is_of_the_papers_that_a_question_or_words_choose(page):
    part(page, "Table")
    page.get_by_label("Yes to a question").check()
    page.locator("#table-words textarea").fill("Which papers release their code?")
    page.locator("#make-table").click()
    page.locator("#table .lead-line", has_text="Read 1 abstract").wait_for()
    page.get_by_label("Best for some words").check()
    page.locator("#table-words textarea").fill("clinical notes")
    page.locator("#make-table").click()
    page.locator("#table th .title-button", has_text="WEXLE").wait_for()


def test_a_table_that_cannot_be_made_says_why(page):
    part(page, "Table")
    page.locator("#table-columns textarea").fill(" , ")
    page.locator("#make-table").click()
    page.locator("#table .failure", has_text="No column is named").wait_for()
    page.locator("#table-columns textarea").fill("name")
    page.get_by_label("My reading list").check()
    page.locator("#make-table").click()
    page.locator("#table .failure", has_text="No paper was chosen").wait_for()


def test_papers_are_compared_side_by_side(page):
    part(page, "Compare")
    page.locator("#compare-papers label", has_text="TARNLEX").locator("input").check()
    page.locator("#compare-words input, #compare-words textarea").first.fill("clinical notes")
    page.keyboard.press("Enter")
    page.locator("#compare-papers label", has_text="WEXLE").locator("input").check()
    page.locator("#make-comparison").click()
    page.locator("#comparison th", has_text="Figures").wait_for()
    assert page.locator("#comparison thead .title-button").count() == 2
    page.locator("#comparison", has_text="OAKMOOR stands beside the figures of more than one").wait_for()
    sheet = json.loads(saved(page, page.locator("#comparison").get_by_role("button", name="JSON")))
    assert [row["paper_id"] for row in sheet["papers"]] == ["tarnlex", "wexle"]


def test_what_is_ticked_while_a_search_runs_stays_ticked(page):
    part(page, "Compare")
    papers = page.locator("#compare-papers label")
    papers.nth(4).wait_for()
    page.locator("#compare-words input, #compare-words textarea").first.fill("slow search for clinical notes")
    page.keyboard.press("Enter")
    papers.filter(has_text="TARNLEX").locator("input").check()
    papers.filter(has_text="Yoruba").wait_for(state="detached")
    assert papers.filter(has_text="WEXLE").count() == 1
    assert papers.filter(has_text="TARNLEX").locator("input").is_checked()
    papers.filter(has_text="WEXLE").locator("input").check()
    page.locator("#make-comparison").click()
    page.locator("#comparison th", has_text="Figures").wait_for()


def test_one_paper_cannot_be_compared(page):
    part(page, "Compare")
    page.locator("#compare-papers label", has_text="TARNLEX").locator("input").check()
    page.locator("#make-comparison").click()
    page.locator("#comparison .failure", has_text="2 to 5 can be compared").wait_for()


def test_a_draft_finds_what_is_near_it_on_both_sides(page):
    part(page, "Near my abstract")
    page.locator("#draft textarea").fill(DRAFT)
    page.locator("#find-near").click()
    pair = page.locator("#near .pair", has_text="growing a graph of clauses").first
    pair.wait_for()
    assert pair.locator(".label").all_inner_texts() == ["Yours", "Theirs"]
    assert pair.locator("mark.hit").count() >= 4
    assert "TARNLEX" in saved(page, page.locator("#near").get_by_role("button", name="Markdown"))


def test_a_draft_of_a_few_words_is_not_compared(page):
    part(page, "Near my abstract")
    page.locator("#draft textarea").fill("Too short.")
    page.locator("#find-near").click()
    page.locator("#near .failure", has_text="an abstract is wanted").wait_for()


def test_the_map_shows_titles_opens_papers_and_is_coloured_anew(page):
    part(page, "Map")
    dot = page.locator("#map-dots circle[data-paper=wexle]")
    dot.wait_for()
    assert page.locator("#map-dots circle").count() == 5
    dot.hover()
    page.locator("#map-tip", has_text="WEXLE: a parser for clinical notes").wait_for()
    page.locator("#map-dots circle[data-paper=hostile]").hover(force=True)
    page.wait_for_function("t => document.getElementById('map-tip').textContent === t", arg=HOSTILE_TITLE)
    dot.click()
    page.locator("#source-panel .opened h2", has_text="WEXLE").wait_for()
    page.get_by_label("Year").check()
    page.locator("#map-topics .keys", has_text="2026 (2)").wait_for()
    assert page.title() != "hit"


def test_a_title_on_the_map_stays_on_a_small_phone(page):
    part(page, "Map")
    page.locator("#map-dots circle").first.wait_for()
    page.set_viewport_size({"width": 360, "height": 740})
    for dot in page.locator("#map-dots circle").all():
        dot.hover(force=True)
        box = page.locator("#map-tip").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 360
        assert box["y"] >= 0 and box["y"] + box["height"] <= 740


def test_a_topic_is_lit_up_and_its_papers_open_by_keyboard(page):
    part(page, "Map")
    page.locator("#map-topics summary").first.focus()
    page.keyboard.press("Enter")
    page.locator("#map-topics .topic[open]").get_by_role("button", name="Show on the map").click()
    lit = page.locator("#map-dots circle:not(.dim)").count()
    assert 0 < lit < 5
    page.locator("#map-topics .topic[open] .title-button").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.id === 'source-title'")


def test_papers_are_narrowed_by_topic_and_taken_away(page):
    go(page, "Papers")
    page.locator("#results", has_text="5 papers").wait_for()
    page.get_by_label("Topic").click()
    page.get_by_role("option").nth(1).click()
    page.locator("#results .lead-line", has_text="in the order of the library").filter(
        has_not_text="5 papers"
    ).wait_for()
    shown = page.locator("#results .card").count()
    text = saved(page, page.locator("#results .export").get_by_role("button", name="RIS"))
    assert text.count("TY  - ") == shown < 5


def test_an_answer_is_taken_away_in_every_format(page):
    ask(page, "What does TARNLEX score?")
    reply = finished(page)
    reply.locator("button.cite").first.wait_for()
    reply.locator(".save-as summary").click()
    for name, start in (
        ("Markdown", "# What does"),
        ("CSV", "paper_id,"),
        ("JSON", "{"),
        ("BibTeX", "@"),
        ("RIS", "TY  - "),
    ):
        assert saved(page, reply.locator(".export").get_by_role("button", name=name)).lstrip().startswith(start)
