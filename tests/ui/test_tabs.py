"""The other tabs in a real browser: each one's main path and a failure, and what a reload and a link bring back."""

from __future__ import annotations

import json
import re

import pytest

from tests.ui.test_page import ask, finished, replies
from ui import feedback

pytestmark = pytest.mark.browser


def go(page, name: str) -> None:
    page.get_by_role("tab", name=name, exact=True).click()
    page.get_by_role("tab", name=name, exact=True, selected=True).wait_for()


def saved(page, button) -> str:
    with page.expect_download() as download:
        button.click()
    return download.value.path().read_text(encoding="utf-8")


def test_papers_are_searched_opened_and_asked_about(page):
    go(page, "Papers")
    page.locator("#results", has_text="5 papers, in the order of the library").wait_for()
    page.get_by_label("Search").fill("clinical notes")
    page.keyboard.press("Enter")
    page.locator("#results", has_text="1 paper, best first").wait_for()
    assert page.locator("#results mark.hit").all_inner_texts()[:2] == ["clinical", "notes"]
    page.locator("#results .title-button").click()
    page.locator("#source-panel .opened h2", has_text="WEXLE").wait_for()
    page.wait_for_function("document.activeElement.id === 'source-title'")
    page.locator("#source-panel .near .title-button", has_text="TARNLEX").first.click()
    page.locator("#source-panel .opened h2", has_text="TARNLEX").wait_for()
    page.locator("#source-panel").get_by_role("button", name="Ask about this paper").click()
    page.get_by_role("tab", name="Ask", selected=True).wait_for()
    page.wait_for_function("document.activeElement.value === 'What does TARNLEX do?'")
    page.keyboard.press("Enter")
    finished(page).locator("button.cite").first.wait_for()


def test_papers_that_do_not_fit_are_said_to(page):
    go(page, "Papers")
    page.get_by_label("Search").fill("xylophone")
    page.keyboard.press("Enter")
    page.locator("#results", has_text="No paper fits").wait_for()
    page.get_by_label("Search").fill("")
    page.keyboard.press("Enter")
    page.get_by_label("Releases code").check()
    page.locator("#results", has_text="1 paper, in the order").wait_for()
    assert page.locator("#results .title-button").inner_text().startswith("SPAR")


def test_a_reading_list_is_kept_in_the_browser_and_taken_away(page):
    go(page, "Papers")
    page.locator("#results .card", has_text="SPAR").get_by_role("button", name="Keep").click()
    page.get_by_role("button", name="Reading list").first.click()
    page.locator("#reading-list li", has_text="SPAR").wait_for()
    listed = page.locator("#reading-list .export")
    assert "@inproceedings{spar," in saved(page, listed.get_by_role("button", name="BibTeX"))
    page.reload()
    page.get_by_role("button", name="Select example 1").wait_for()
    go(page, "Papers")
    page.get_by_role("button", name="Reading list").first.click()
    page.locator("#reading-list li", has_text="SPAR").get_by_role("button", name="Remove").click()
    page.locator("#reading-list", has_text="Nothing on it yet").wait_for()


def test_a_note_on_a_kept_paper_stays_and_goes_with_the_list(page):
    go(page, "Papers")
    for name in ("SPAR", "TARNLEX"):
        page.locator("#results .card", has_text=name).first.get_by_role("button", name="Keep").click()
    page.get_by_role("button", name="Reading list").first.click()
    page.locator("#reading-list li", has_text="TARNLEX").wait_for()
    page.locator("#reading-list li", has_text="SPAR").get_by_role("button", name="Note").click()
    note = "Ask A. Reed about <b>routing</b> at $30 a run, Tuesday 10:30"
    page.get_by_label("Your note on “SPAR").fill(note)
    page.locator("#paper-note .submit-button").click()
    page.locator("#reading-list li", has_text="SPAR").locator(".own-note", has_text=note).wait_for()
    page.reload()
    page.get_by_role("button", name="Select example 1").wait_for()
    go(page, "Papers")
    page.get_by_role("button", name="Reading list").first.click()
    page.locator("#reading-list li", has_text="SPAR").locator(".own-note", has_text=note).wait_for()
    assert page.locator("#reading-list .own-note").count() == 1
    assert "Tuesday 10:30" in saved(page, page.locator("#reading-list .export").get_by_role("button", name="CSV"))


def test_the_whole_corpus_is_judged_with_a_table_to_take_away(page):
    go(page, "Whole corpus")
    page.locator("#census-question textarea").fill("Which papers release their code?")
    page.keyboard.press("Enter")
    page.locator("#census .count.yes", has_text="of 5").wait_for()
    page.locator("#census .findings .title-button", has_text="SPAR").click()
    page.locator("#source-panel .opened h2", has_text="SPAR").wait_for()
    table = saved(page, page.locator("#census .export").get_by_role("button", name="CSV"))
    assert table.splitlines()[0].startswith("outcome,paper_id,title,quote") and len(table.splitlines()) == 6


def test_a_census_shows_how_many_abstracts_are_read_while_it_runs(page):
    go(page, "Whole corpus")
    page.locator("#census-question textarea").fill("Which papers mention slow parsers?")
    page.locator("#census-question .submit-button").click()
    page.locator("#census .busy", has_text=re.compile(r": [1-4] of 5 read…$")).wait_for()
    page.locator("#census .counts").wait_for()


def test_a_census_that_cannot_be_held_says_so(page):
    go(page, "Whole corpus")
    page.locator("#census-question textarea").fill("  ")
    page.locator("#census-question .submit-button").click()
    page.locator("#census .failure", has_text="The question is blank").wait_for()
    page.locator("#census-question textarea").fill("crash")
    page.keyboard.press("Enter")
    page.locator("#census .failure", has_text="Something went wrong").wait_for()
    assert "ZeroDivisionError" not in page.content()


def test_a_file_is_added_by_dropping_it_and_its_library_is_open_then(page, tmp_path):
    file = tmp_path / "birds.jsonl"
    abstract = "We present HERON, a method that counts birds on lakes from a single photograph taken at dawn."
    rows = [{"id": "h", "title": "HERON: counting birds", "abstract": abstract}, {"id": "x", "title": "No abstract"}]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    go(page, "Library")
    page.locator("#library-state", has_text="Complete").wait_for()
    page.locator("#dropped input[type=file]").set_input_files(file)
    page.locator("#indexed", has_text="it has no abstract").wait_for()
    page.locator("#masthead", has_text="birds").wait_for()
    assert "6 abstracts" in page.locator("#masthead").inner_text()


def test_a_file_without_abstracts_changes_nothing_and_says_why(page, tmp_path):
    file = tmp_path / "stubs.jsonl"
    file.write_text('{"id": "x", "title": "Only a title"}', encoding="utf-8")
    go(page, "Library")
    page.locator("#dropped input[type=file]").set_input_files(file)
    page.locator("#indexed .failure", has_text="stubs.jsonl holds no abstract").wait_for()
    page.locator("#indexed", has_text="it has no abstract").wait_for()
    assert "Hollow Conference 2026" in page.locator("#masthead").inner_text()


def test_a_vote_and_its_note_are_kept_and_shown(page, site):
    ask(page, "What does TARNLEX score?")
    finished(page).get_by_role("button", name="Bad answer").click()
    page.get_by_label("A note on this answer").fill("It leaves out the ablation.")
    page.get_by_role("button", name="Keep note").click()
    page.locator("#note").wait_for(state="hidden")
    go(page, "Quality")
    page.locator("#votes", has_text="It leaves out the ablation.").wait_for()
    page.locator("#evaluation", has_text="0.910").wait_for()
    assert feedback.stored(site.library.folder)[0]["vote"] == "down"


def test_a_conversation_survives_a_reload_and_is_renamed_taken_away_and_deleted(page):
    ask(page, "What does TARNLEX score?")
    finished(page).locator("button.cite").first.wait_for()
    page.wait_for_timeout(500)
    page.reload()
    replies(page).first.locator("button.cite").first.click()
    page.locator("#source-panel .opened h2", has_text="TARNLEX").wait_for()
    go(page, "History")
    page.locator("#kept-preview", has_text="1 question").wait_for()
    page.locator("#kept-name input").fill("Parsers")
    page.get_by_role("button", name="Rename").click()
    assert "71.4 F1" in saved(page, page.get_by_role("button", name="Save as Markdown"))
    page.get_by_role("button", name="New chat").click()
    page.get_by_role("button", name="Select example 1").wait_for()
    go(page, "History")
    page.wait_for_function("document.querySelector('#kept-chats input').value === 'Parsers'")
    page.get_by_role("button", name="Open", exact=True).click()
    replies(page).first.locator("button.cite").first.wait_for()
    go(page, "History")
    page.get_by_role("button", name="Delete").click()
    page.locator("#kept-preview", has_text="No conversation has been kept").wait_for()
    page.reload()
    page.get_by_role("button", name="Select example 1").wait_for()
    assert replies(page).count() == 0


def test_a_link_shows_the_answer_to_another_visitor_and_nothing_else(page, browser, site, watched):
    ask(page, "My first question is of the heron")
    finished(page)
    ask(page, "What does TARNLEX score?")
    finished(page, 2).get_by_role("button", name="Link").click()
    address = page.locator("#source-panel a[href*='answer=']").get_attribute("href")
    context = browser.new_context()
    other = context.new_page()
    watched.follow(other)
    other.goto(f"{site.url}{address}")
    replies(other).first.locator("button.cite").first.click()
    other.locator("#source-panel .opened mark.active").wait_for()
    assert replies(other).count() == 1 and "heron" not in other.content()
    other.goto(f"{site.url}?answer=../../nothing")
    other.get_by_role("button", name="Select example 1").wait_for()
    context.close()


def test_a_question_is_edited_and_another_one_suggested(page, site):
    ask(page, "How much does SPAR save?")
    finished(page).locator(".next", has_text="Is the code of SPAR available?").click()
    finished(page, 2)
    assert site.library.asked[-1][0] == "Is the code of SPAR available?"
    replies(page).first.get_by_role("button", name="Edit").click()
    page.wait_for_function("document.querySelector('#question textarea').value === 'How much does SPAR save?'")
    ask(page, "What does TARNLEX score?")
    finished(page).locator("button.cite").first.wait_for()
    assert replies(page).count() == 1 and site.library.asked[-1][1] == ()


def test_quotes_and_bibtex_are_copied(page):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ask(page, "What does TARNLEX score?")
    finished(page).locator("button.cite").first.click()
    panel = page.locator("#source-panel .opened")
    panel.get_by_role("button", name="Copy BibTeX").click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()).startsWith('@misc{tarnlex,')")
    panel.get_by_role("button", name="Copy quote").click()
    page.wait_for_function("async () => (await navigator.clipboard.readText()).startsWith('“On the OAKMOOR benchmark')")


def test_an_answer_is_announced_once(page):
    page.evaluate(
        """() => { window.said = []; new MutationObserver(() => { const t =
             document.querySelector('#announcement').textContent; if (t) window.said.push(t); }).observe(
             document.querySelector('#announcement'), { childList: true, characterData: true, subtree: true }) }"""
    )
    ask(page, "How much does SPAR save?")
    finished(page).locator("button.cite").first.wait_for()
    page.wait_for_function("window.said.length > 0")
    page.wait_for_timeout(500)
    said = page.evaluate("window.said")
    assert len(said) == 1 and "Answered" in said[0] and "$3,000 to $1,200" in said[0]
    assert page.locator("#chat [aria-live=polite], #chat [aria-live=assertive]").count() == 0
