"""The page in a real browser. Rows S21, S28 to S32 and S37 of the known faults."""

from __future__ import annotations

import re

import pytest

from tests.ui.fakes import HOSTILE_ABSTRACT, HOSTILE_TITLE, SPAR_COST

pytestmark = pytest.mark.browser

WHOLE = "document.documentElement.scrollWidth <= innerWidth && document.body.scrollWidth <= innerWidth"


def ask(page, question: str) -> None:
    page.locator("#question textarea").fill(question)
    page.keyboard.press("Enter")


def replies(page):
    return page.locator("#chat .bot-row")


def finished(page, number: int = 1):
    """The reply of a turn, once its send button is back."""
    reply = replies(page).nth(number - 1)
    reply.wait_for()
    page.locator("#question .submit-button").wait_for()
    return reply


def test_ask_watch_it_stream_and_open_a_citation(page):
    page.evaluate(
        """() => { window.lengths = new Set(); new MutationObserver(() => {
             const text = [...document.querySelectorAll('#chat .bot-row .text')].map(e => e.textContent).join('');
             window.lengths.add(text.length) }).observe(document.querySelector('#chat'),
             { childList: true, subtree: true, characterData: true }) }"""
    )
    ask(page, "How much does SPAR save?")
    reply = finished(page)
    reply.locator("button.cite").first.wait_for()
    assert len(page.evaluate("[...window.lengths].filter(length => length > 0)")) >= 3, "the text did not grow"
    reply.locator("button.cite").first.click()
    mark = page.locator("#source-panel .opened mark.active")
    mark.wait_for()
    tex = mark.evaluate(
        "m => { const c = m.cloneNode(true); c.querySelectorAll('.katex').forEach(k => k.replaceWith("
        "'$' + k.querySelector('annotation').textContent + '$')); return c.textContent }"
    )
    assert tex == SPAR_COST
    assert mark.is_visible()


def test_formulas_are_set_and_prices_are_not(page):
    ask(page, "How much does SPAR save?")
    reply = finished(page)
    reply.locator("button.cite").first.wait_for()
    assert reply.locator(".katex-html").count() == 2
    assert reply.locator(".katex-error").count() == 0
    assert "fell from $3,000 to $1,200 a run" in reply.inner_text()


def test_a_quote_far_down_is_scrolled_into_view(page):
    page.set_viewport_size({"width": 390, "height": 700})
    ask(page, "How much does SPAR save?")
    finished(page).locator("button.cite").nth(2).click()
    page.locator("#source-panel .opened mark.active").wait_for()
    page.wait_for_function(
        "() => { const m = document.querySelector('#active-quote').getBoundingClientRect(),"
        " p = document.querySelector('#source-panel').getBoundingClientRect();"
        " return m.top >= p.top && m.bottom <= p.bottom }"
    )


def test_a_new_question_is_scrolled_to_even_from_far_up(page):
    page.set_viewport_size({"width": 1280, "height": 420})
    for turn, question in enumerate(("How much does SPAR save?", "What does TARNLEX score?"), start=1):
        ask(page, question)
        finished(page, turn).locator("button.cite").first.wait_for()
    page.locator("#chat .panel-wrap").evaluate("e => e.scrollTo(0, 0)")
    page.wait_for_timeout(300)
    ask(page, "Say a word a second")
    page.wait_for_function(
        """() => { const rows = document.querySelectorAll('#chat .user-row');
             return rows.length === 3 && rows[2].getBoundingClientRect().bottom < innerHeight }"""
    )
    page.locator("#question .stop-button").click()
    finished(page, 3)


def test_the_marker_of_the_shown_source_is_lit(page):
    ask(page, "How much does SPAR save?")
    finished(page)
    page.locator("#chat .cite.current", has_text="1").wait_for()
    page.locator("#chat button.cite").nth(1).click()
    page.locator("#chat .cite.current", has_text="2").wait_for()
    assert page.locator("#chat .cite.current").count() == 1


def test_a_follow_up_knows_what_came_before_and_old_markers_keep_their_paper(page, site):
    ask(page, "What does TARNLEX score?")
    finished(page)
    ask(page, "How do they compare with WEXLE?")
    second = finished(page, 2)
    second.locator("button.cite").nth(1).wait_for()
    assert site.library.asked[-1][1][0].question == "What does TARNLEX score?"
    assert "Read as" in second.inner_text()
    second.locator("button.cite").nth(1).click()
    page.locator("#source-panel .opened h2", has_text="WEXLE").wait_for()
    replies(page).first.locator("button.cite").first.click()
    page.locator("#source-panel .opened h2", has_text="TARNLEX").wait_for()


def test_visitors_do_not_see_each_other(browser, site, page, watched):
    other_context = browser.new_context()
    other = other_context.new_page()
    watched.follow(other)
    other.goto(site.url)
    other.get_by_role("button", name="Select example 1").wait_for()
    ask(page, "What about SPAR? My code word is heron.")
    ask(other, "How many Yoruba dialogues?")
    finished(other).locator("button.cite").first.wait_for()
    finished(page).locator("button.cite").first.wait_for()
    assert "heron" not in other.content() and "SPAR" not in other.locator("#main").inner_text()
    assert "Yoruba" not in page.locator("#main").inner_text()
    ask(other, "And what does it score?")
    finished(other, 2)
    assert [turn.question for turn in site.library.asked[-1][1]] == ["How many Yoruba dialogues?"]
    other_context.close()


def test_stop_keeps_the_part_and_the_next_question_works(page, site):
    closed = site.library.closed
    ask(page, "Say a word a second")
    replies(page).first.locator(".text", has_text="Sentence 1.").wait_for()
    page.locator("#question .stop-button").click()
    reply = finished(page)
    reply.locator(".badge.stopped").wait_for()
    assert "Sentence 1." in reply.inner_text()
    page.wait_for_timeout(600)
    assert site.library.closed == closed + 1
    ask(page, "What does TARNLEX score?")
    finished(page, 2).locator("button.cite").first.wait_for()
    assert "Sentence 1." in site.library.asked[-1][1][0].answer


def test_leaving_stops_the_answer_and_a_reload_starts_empty(browser, site, page):
    context = browser.new_context()
    leaver = context.new_page()
    leaver.goto(site.url)
    leaver.get_by_role("button", name="Select example 1").wait_for()
    closed = site.library.closed
    ask(leaver, "Say a word a second")
    replies(leaver).first.locator(".text", has_text="Sentence 1.").wait_for()
    leaver.reload()
    leaver.get_by_role("button", name="Select example 1").wait_for()
    assert replies(leaver).count() == 0
    for _ in range(100):
        if site.library.closed > closed:
            break
        page.wait_for_timeout(100)
    assert site.library.closed == closed + 1
    context.close()


def test_hostile_text_shows_and_does_nothing(page):
    title = page.title()
    ask(page, f"hostile {HOSTILE_TITLE} <style>body{{display:none}}</style> **b** $x_1$")
    reply = finished(page)
    reply.locator("button.cite").first.click()
    page.locator("#source-panel .opened mark.active").wait_for()
    question = page.locator("#chat .user-row").inner_text()
    assert f"hostile {HOSTILE_TITLE} <style>body{{display:none}}</style> **b** $x_1$" in question
    assert f"{HOSTILE_TITLE} says: Tokens <unk> and <mask>, p<0.05, file_name_v2, 2*3*4, ##" in reply.inner_text()
    panel = page.locator("#source-panel")
    abstract = panel.locator(".abstract").evaluate(
        "e => { const c = e.cloneNode(true); c.querySelectorAll('.quote-no').forEach(n => n.remove());"
        " return c.textContent }"
    )
    assert abstract == HOSTILE_ABSTRACT
    assert panel.locator("h2").inner_text() == HOSTILE_TITLE
    assert page.locator("#main img, #main style:not(svg style), #main script").count() == 0
    page.wait_for_timeout(200)
    assert page.title() == title and page.locator("body").is_visible()


def test_blank_input_is_not_sent(page, site):
    asked = len(site.library.asked)
    ask(page, "   ")
    page.wait_for_timeout(500)
    assert replies(page).count() == 0 and len(site.library.asked) == asked


def test_a_refusal_leaves_the_source_panel_empty(page):
    ask(page, "What does TARNLEX score?")
    finished(page)
    page.locator("#source-panel .paper").wait_for()
    ask(page, "Who won the regatta?")
    finished(page, 2).locator(".badge", has_text="Not in this library").wait_for()
    page.locator("#source-panel .panel-hint").wait_for()
    assert page.locator("#source-panel .paper").count() == 0


def test_a_failure_is_one_sentence_and_can_be_tried_again(page, site):
    site.library.failures = 0
    ask(page, "Is the unreachable WEXLE there?")
    reply = finished(page)
    reply.locator(".failure", has_text="did not answer").wait_for()
    assert "Traceback" not in page.content()
    reply.get_by_role("button", name="Try again").click()
    page.locator("#chat .badge.not_in_corpus").wait_for()
    assert replies(page).count() == 1


def test_an_example_is_asked_by_a_click_and_a_new_chat_is_empty(page):
    page.get_by_role("button", name="Select example 1").click()
    finished(page).locator("button.cite").first.wait_for()
    page.get_by_role("button", name="New chat").click()
    page.get_by_role("button", name="Select example 1").wait_for()
    assert replies(page).count() == 0
    assert page.locator("#source-panel .paper").count() == 0


def test_a_new_chat_in_the_middle_of_an_answer_stays_empty(page):
    ask(page, "Say a word a second")
    replies(page).first.locator(".text").wait_for()
    page.get_by_role("button", name="New chat").click()
    page.get_by_role("button", name="Select example 1").wait_for()
    page.wait_for_timeout(1000)
    assert replies(page).count() == 0
    ask(page, "What does TARNLEX score?")
    finished(page).locator("button.cite").first.wait_for()


def test_a_citation_opens_and_closes_by_keyboard(page):
    ask(page, "What does TARNLEX score?")
    chip = finished(page).locator("button.cite").first
    chip.focus()
    page.keyboard.press("Enter")
    page.locator("#source-panel .opened").wait_for()
    page.wait_for_function("document.activeElement.id === 'source-title'")
    page.keyboard.press("Escape")
    page.locator("#source-panel .panel-hint").wait_for()
    assert page.evaluate("document.activeElement.classList.contains('cite')")


def test_copying_gives_the_source_text(page):
    ask(page, "How much does SPAR save?")
    reply = finished(page)
    reply.locator("button.cite").first.wait_for()
    copied = reply.locator("p.text").evaluate(
        """p => { getSelection().selectAllChildren(p); const data = new DataTransfer();
             p.dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true }));
             return data.getData('text/plain') }"""
    )
    assert f"{SPAR_COST} [1] It does so" in copied
    assert "fell from $3,000 to $1,200 a run. [3]" in copied


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844), (360, 740)])
def test_the_input_stays_visible_and_nothing_scrolls_sideways(page, width, height):
    page.set_viewport_size({"width": width, "height": height})
    for turn, question in enumerate(("How much does SPAR save?", "What does TARNLEX score?", "hostile"), start=1):
        ask(page, question)
        finished(page, turn).locator("button.cite").first.wait_for()
    page.locator("#chat button.cite").last.click()
    page.locator("#source-panel .opened mark.active").wait_for()
    page.wait_for_timeout(500)
    assert page.evaluate(WHOLE)
    box = page.locator("#question").bounding_box()
    assert box and box["y"] >= 0 and box["y"] + box["height"] <= height and box["x"] + box["width"] <= width
    assert page.locator("#masthead").is_visible()
    chat, panel = page.locator("#chat").bounding_box(), page.locator("#source-panel").bounding_box()
    if width > 860:
        assert chat["x"] + chat["width"] <= panel["x"] + 1
    else:
        assert chat["y"] + chat["height"] <= box["y"] + 1 and box["y"] + box["height"] <= panel["y"] + 1


def test_library_mode_and_model_are_always_told(page):
    text = page.locator("#masthead").inner_text()
    assert "Hollow Conference 2026" in text and "5 abstracts" in text and "extractive" in text and "no model" in text


def test_what_the_page_names_it_serves_itself(page, site):
    """Fonts, scripts and styles of the page come from the page's own server."""
    loaded = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    assert loaded and all(name.startswith(site.url.rstrip("/")) for name in loaded)
    fonts = page.evaluate("getComputedStyle(document.body).fontFamily")
    assert not re.search("IBM Plex|Montserrat", fonts)
