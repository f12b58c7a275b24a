"""What can go wrong on each tab, in a real browser: the visitor reads a sentence, and the page goes on working."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, replace

import pytest

from rag.errors import LibraryError
from rag.types import Paper, TextPiece
from tests.ui.fakes import SPAR_COST, FakeLibrary, answer
from tests.ui.test_page import ask, finished, replies
from tests.ui.test_tabs import go, saved
from ui.library import Shelf

pytestmark = pytest.mark.browser


@dataclass
class Answering(FakeLibrary):
    """Gives one answer to every question."""

    reply: object = None

    def stream(self, question, history=(), mode=None):
        yield TextPiece(self.reply.text)
        yield replace(self.reply, question=question, standalone_question=question)


# Ask


@pytest.mark.parametrize(
    ("outcome", "badge", "meaning"),
    [
        ("not_in_corpus", "Not in this library", "No abstract here is about this."),
        ("abstract_silent", "The abstract does not say", "The paper is here, but its abstract leaves this open."),
        ("false_premise", "The premise does not hold", "The question assumes what the abstract does not say."),
        ("too_vague", "Too vague", "It is not clear which paper or what is meant."),
    ],
)
def test_each_no_has_its_badge_its_meaning_and_its_confidence(served, visit, outcome, badge, meaning):
    reply = answer("?", "No such thing.", outcome=outcome, confidence=0.4)
    page = visit(served(Answering(reply=reply)))
    ask(page, "Is it so?")
    status = finished(page).locator(".status")
    status.locator(".badge", has_text=badge).wait_for()
    assert meaning in status.inner_text() and "low confidence, 40 in 100" in status.inner_text()
    assert page.locator("#source-panel .paper").count() == 0


def test_a_greeting_has_no_badge_no_sources_and_nothing_to_do(page):
    ask(page, "hi")
    reply = finished(page)
    reply.locator(".text", has_text="Hello").wait_for()
    assert reply.locator(".badge, .sources, .actions, button.cite").count() == 0


def test_a_cited_paper_that_has_left_the_library_still_shows_its_quote(served, visit):
    class Emptied(FakeLibrary):
        def paper(self, paper_id: str) -> Paper | None:
            return None

    page = visit(served(Emptied()))
    ask(page, "How much does SPAR save?")
    finished(page).locator("button.cite").first.click()
    page.locator("#source-panel .opened", has_text="No longer in the library").wait_for()
    page.locator("#source-panel mark.active", has_text="cuts attention cost").wait_for()


def test_quotes_are_copied_where_the_clipboard_is_closed_too(page):
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.evaluate("document.execCommand = (name) => { window.copied = [name, document.activeElement.value]; }")
    ask(page, "How much does SPAR save?")
    finished(page).locator("button.cite").first.click()
    page.locator("#source-panel").get_by_role("button", name="Copy quote").click()
    page.wait_for_function("window.copied")
    name, text = page.evaluate("window.copied")
    assert name == "copy" and text.startswith(f"“{SPAR_COST}” (SPAR")


def test_links_open_elsewhere_and_only_where_they_lead_to_the_web(served, visit):
    text = "See “https://example.org/spar_attention.” or javascript:alert(1) or [x](data:text/html,y)."
    page = visit(served(Answering(reply=answer("?", text))))
    ask(page, "Where is the code?")
    links = finished(page).locator(".text a")
    links.first.wait_for()
    assert links.evaluate_all("all => all.map(a => [a.href, a.target, a.rel])") == [
        ["https://example.org/spar_attention", "_blank", "noopener noreferrer"]
    ]


def test_money_and_math_of_one_sentence_keep_apart_also_after_the_next_message(served, visit):
    text = (
        "Cost fell from $3,000 to $1,200 at $O(N \\log N)$; on \\([a, b]\\) the bound \\( c \\le d \\) holds "
        "in 99.1\\% of runs."
    )
    page = visit(served(Answering(reply=answer("?", text))))
    for turn in (1, 2):
        ask(page, "What did it cost?")
        finished(page, turn).locator(".katex-html").nth(2).wait_for()
    for turn in (0, 1):
        reply = replies(page).nth(turn)
        assert reply.locator(".katex-html").count() == 3 and reply.locator(".text a").count() == 0
        assert "from $3,000 to $1,200 at" in reply.locator(".text").inner_text()


def test_asking_again_gives_the_answer_anew_in_its_place(page, site):
    ask(page, "What does TARNLEX score?")
    finished(page).locator("button.cite").first.wait_for()
    asked = len(site.library.asked)
    replies(page).first.get_by_role("button", name="Ask again").click()
    page.wait_for_function("!document.querySelector('#chat .actions')")
    finished(page).locator("button.cite").first.wait_for()
    assert replies(page).count() == 1 and len(site.library.asked) == asked + 1


def test_an_answer_that_crashes_is_a_sentence_and_leaves_the_rest_alone(page):
    ask(page, "What does TARNLEX score?")
    finished(page)
    ask(page, "Please crash")
    finished(page, 2).locator(".failure", has_text="Something went wrong while answering").wait_for()
    assert "ZeroDivisionError" not in page.content()
    replies(page).first.locator("button.cite").first.click()
    page.locator("#source-panel .opened h2", has_text="TARNLEX").wait_for()


def test_the_newest_question_stays_in_view_while_a_long_answer_grows(page):
    page.set_viewport_size({"width": 1280, "height": 420})
    ask(page, "Say a word a second")
    replies(page).first.locator(".text", has_text="Sentence 40.").wait_for()
    page.wait_for_function("document.querySelector('#chat .panel-wrap').scrollTop < 100")
    assert page.locator("#chat .question").first.is_visible()
    page.locator("#question .stop-button").click()
    finished(page)


# Papers


def test_venue_and_year_narrow_the_list_and_what_fits_nothing_is_said_to(page):
    go(page, "Papers")
    page.locator("#results .card").first.wait_for()
    page.get_by_role("combobox", name="Year").click()
    page.get_by_role("option", name="2026").click()
    page.locator("#results", has_text="2 papers, in the order").wait_for()
    page.get_by_role("textbox", name="Search").fill("Yoruba dialogues")
    page.keyboard.press("Enter")
    page.locator("#results", has_text="No paper fits. Try other words, or loosen the filters.").wait_for()
    page.get_by_role("combobox", name="Year").click()
    page.get_by_role("option", name="Any year").click()
    page.locator("#results .card", has_text="Yoruba").wait_for()


def test_a_list_begun_before_a_search_is_not_shown_over_it(served, visit):
    class SlowToBrowse(FakeLibrary):
        readings = 0

        def papers(self):
            self.readings += not hasattr(searching, "now")
            if first and self.readings > first and not hasattr(searching, "now"):
                begun.set()
                assert searched.wait(20)
            return super().papers()

        def search(self, query, k=10, filters=None):
            searching.now = True
            try:
                return super().search(query, k, filters)
            finally:
                del searching.now

    library, begun, searched, searching, first = (
        SlowToBrowse(),
        threading.Event(),
        threading.Event(),
        threading.local(),
        0,
    )
    page = visit(served(library))
    first = library.readings + 1  # for the filters; the next ones are for the list
    go(page, "Papers")
    while not begun.is_set():
        page.wait_for_timeout(50)
    page.get_by_role("textbox", name="Search").fill("Yoruba dialogues")
    page.keyboard.press("Enter")
    page.locator("#results", has_text="1 paper, best first").wait_for()
    searched.set()
    page.wait_for_timeout(1000)
    assert "1 paper, best first" in page.locator("#results").inner_text()


def test_filters_outlive_another_tab_and_fall_away_where_a_library_does_not_have_them(served, visit):
    class Undated(FakeLibrary):
        def papers(self):
            return (replace(paper, metadata={}) for paper in super().papers())

    page = visit(
        served(FakeLibrary(), shelf=Shelf(FakeLibrary(), lambda name: Undated(name=name), lambda: ["undated"]))
    )
    go(page, "Papers")
    page.locator("#results .card").first.wait_for()
    page.get_by_role("combobox", name="Year").click()
    page.get_by_role("option", name="2026").click()
    page.locator("#results", has_text="2 papers, in the order").wait_for()
    go(page, "Library")
    go(page, "Papers")
    page.locator("#results", has_text="2 papers, in the order").wait_for()
    assert page.get_by_role("combobox", name="Year").input_value() == "2026"
    go(page, "Library")
    page.get_by_role("combobox", name="Library").click()
    page.get_by_role("option", name="undated").click()
    page.locator("#masthead", has_text="undated").wait_for()
    go(page, "Papers")
    page.locator("#results", has_text="5 papers, in the order").wait_for()
    assert page.get_by_role("combobox", name="Year").input_value() == "Any year"


def spoil_what_is_kept(page, watched) -> None:
    """Reload with a storage that cannot be read; Gradio tells the console so, which is no fault of ours."""
    page.evaluate("Object.keys(localStorage).forEach(key => localStorage.setItem(key, 'spoilt'))")
    page.reload()
    page.get_by_role("button", name="Select example 1").wait_for()
    assert all(error.startswith("Error reading from localStorage") for error in watched.errors)
    watched.errors.clear()


def test_a_spoilt_reading_list_of_the_browser_counts_as_none(page, watched):
    go(page, "Papers")
    page.locator("#results .card", has_text="SPAR").get_by_role("button", name="Keep").click()
    page.get_by_role("button", name="Reading list").first.click()
    page.locator("#reading-list li", has_text="SPAR").wait_for()
    spoil_what_is_kept(page, watched)
    go(page, "Papers")
    page.get_by_role("button", name="Reading list").first.click()
    page.locator("#reading-list", has_text="Nothing on it yet").wait_for()
    page.locator("#results .card", has_text="legal text").get_by_role("button", name="Keep").click()
    page.locator("#reading-list li", has_text="TARNLEX").wait_for()
    assert "TARNLEX" in saved(page, page.locator("#reading-list").get_by_role("button", name="Markdown"))


# Library


def test_another_library_is_opened_and_one_that_cannot_be_says_why(served, visit):
    def open_named(name: str) -> FakeLibrary:
        if name == "broken":
            raise LibraryError("Library 'broken' was written by another version; build it again.")
        return FakeLibrary(name=name)

    page = visit(served(FakeLibrary(), shelf=Shelf(FakeLibrary(), open_named, lambda: ["broken", "other"])))
    go(page, "Library")
    page.get_by_role("combobox", name="Library").click()
    page.get_by_role("option", name="broken").click()
    page.locator("#indexed .failure", has_text="was written by another version").wait_for()
    assert "Hollow Conference 2026" in page.locator("#masthead").inner_text()
    page.get_by_role("combobox", name="Library").click()
    page.get_by_role("option", name="other").click()
    page.locator("#masthead", has_text="other").wait_for()


def test_a_library_that_is_not_complete_says_so_and_settings_are_masked(served, visit):
    class Half(FakeLibrary):
        def health(self):
            return super().health() | {"vectors": 3, "pending": 2}

    page = visit(served(Half()))
    go(page, "Library")
    page.locator("#library-state .ill", has_text="Not complete").wait_for()
    page.locator("#library-state summary").click()
    assert "***" in page.locator("#library-state dl").last.inner_text()


def test_a_file_of_another_kind_or_too_large_is_refused_in_a_sentence(page, tmp_path):
    go(page, "Library")
    page.locator("#library-state", has_text="Complete").wait_for()
    picture = tmp_path / "figure.pdf"
    picture.write_bytes(b"%PDF-1.7")
    page.locator("#dropped input[type=file]").set_input_files(picture)
    page.get_by_text("Invalid file type").or_(page.locator("#indexed .failure")).first.wait_for()
    large = tmp_path / "large.txt"
    with large.open("wb") as file:
        file.truncate(50_000_001)
    page.locator("#dropped input[type=file]").set_input_files(large)
    page.get_by_text("maximum allowed size").or_(page.locator("#indexed .failure", has_text="50 MB")).first.wait_for()
    assert "Hollow Conference 2026" in page.locator("#masthead").inner_text()


def test_files_are_not_offered_where_strangers_could_add_them(served, visit):
    page = visit(served(FakeLibrary(), uploads=False, shelf=Shelf(FakeLibrary(), FakeLibrary)))
    go(page, "Library")
    page.locator("#library-state", has_text="Complete").wait_for()
    assert page.locator("#dropped").count() == 0


def test_a_dropped_file_shows_how_far_it_is(served, visit, tmp_path):
    class Slow(FakeLibrary):
        def add(self, reading, source, *, keep=False, progress=None):
            progress(3, 8)
            assert told.wait(20)
            return super().add(reading, source, keep=keep)

    told = threading.Event()
    page = visit(served(FakeLibrary(), uploads=True, shelf=Shelf(FakeLibrary(), lambda name: Slow(name=name))))
    file = tmp_path / "birds.txt"
    file.write_text(
        "We present HERON, which counts birds on lakes from one photograph taken at dawn.", encoding="utf-8"
    )
    go(page, "Library")
    page.locator("#dropped input[type=file]").set_input_files(file)
    page.get_by_text("3/8 passages").or_(page.get_by_text("Embedding")).first.wait_for()
    told.set()
    page.locator("#masthead", has_text="birds").wait_for()


# Whole corpus


def test_a_census_says_that_it_is_being_held_and_lists_no_and_unsure_too(served, visit):
    class Slow(FakeLibrary):
        def census(self, question, *, progress=None):
            assert told.wait(20)
            return super().census(question, progress=progress)

    told = threading.Event()
    page = visit(served(Slow()))
    go(page, "Whole corpus")
    page.locator("#census-question textarea").fill("Which papers release their <b>code</b>?")
    page.keyboard.press("Enter")
    page.locator(
        "#census .busy", has_text="Judging 5 abstracts by “Which papers release their <b>code</b>?”"
    ).wait_for()
    told.set()
    for outcome in ("yes", "unsure", "no"):
        page.locator(f"#census .count.{outcome}", has_text="of 5").wait_for()


# Quality


@pytest.mark.parametrize("text", [None, "not JSON", '{"figures": 3}', "[]"])
def test_without_an_evaluation_the_command_is_told_and_without_votes_that(served, visit, tmp_path, text):
    record = tmp_path / "evaluation.json"
    if text is not None:
        record.write_text(text, encoding="utf-8")
    page = visit(served(FakeLibrary(), evaluation=record))
    go(page, "Quality")
    page.locator(
        "#evaluation", has_text=f"No evaluation has been kept. Make one with: rag eval --json {record}"
    ).wait_for()
    page.locator("#votes", has_text="No votes yet").wait_for()


def test_spoilt_lines_among_the_votes_are_left_out(served, visit):
    library = FakeLibrary()
    url = served(library)
    page = visit(url)
    ask(page, "What does TARNLEX score?")
    finished(page).get_by_role("button", name="Good answer").click()
    page.locator("#note").wait_for()
    votes = next(library.folder.glob("*.jsonl"))
    votes.write_text("spoilt\n" + votes.read_text(encoding="utf-8") + "[1]\n", encoding="utf-8")
    go(page, "Quality")
    page.locator("#votes", has_text="1 answer judged: 1 good, 0 bad.").wait_for()


# History


def test_without_conversations_history_says_so_and_its_buttons_do_no_harm(page):
    go(page, "History")
    page.locator("#kept-preview", has_text="No conversation has been kept yet").wait_for()
    for name in ("Rename", "Delete"):
        page.get_by_role("button", name=name).click()
    page.locator("#kept-preview", has_text="No conversation has been kept yet").wait_for()
    page.get_by_role("button", name="Open", exact=True).click()
    page.get_by_role("button", name="Select example 1").wait_for()


def test_a_blank_name_changes_nothing(page):
    ask(page, "What does TARNLEX score?")
    finished(page).locator("button.cite").first.wait_for()
    page.wait_for_function("Object.values(localStorage).some(text => text.length > 400)")
    go(page, "History")
    page.locator("#kept-preview", has_text="1 question").wait_for()
    page.locator("#kept-name input").fill("   ")
    page.get_by_role("button", name="Rename").click()
    page.wait_for_function("document.querySelector('#kept-name input').value === 'What does TARNLEX score?'")


def test_spoilt_conversations_of_the_browser_count_as_none_and_new_ones_are_kept(page, watched):
    ask(page, "What does TARNLEX score?")
    finished(page).locator("button.cite").first.wait_for()
    page.wait_for_function("Object.values(localStorage).some(text => text.length > 400)")
    spoil_what_is_kept(page, watched)
    assert replies(page).count() == 0
    ask(page, "How much does SPAR save?")
    finished(page).locator("button.cite").first.wait_for()
    page.wait_for_function("Object.values(localStorage).some(text => text.length > 400)")
    page.reload()
    replies(page).first.locator("button.cite").first.wait_for()


def test_a_link_to_an_answer_that_was_never_made_opens_an_empty_chat(visit, site):
    page = visit(f"{site.url}?answer=neverMade123")
    assert replies(page).count() == 0


def test_conversations_are_nobody_elses(page, visit, site):
    ask(page, "My code word is heron, and what about TARNLEX?")
    finished(page).locator("button.cite").first.wait_for()
    page.wait_for_function("Object.values(localStorage).some(text => text.length > 400)")
    other = visit(site.url)
    go(other, "History")
    other.locator("#kept-preview", has_text="No conversation has been kept yet").wait_for()
    assert "heron" not in other.content() + json.dumps(other.evaluate("({ ...localStorage })"))
