"""No tab has a serious or critical finding of axe-core, in light and dark; all of it is reached by keyboard."""

from __future__ import annotations

from importlib.resources import files

import pytest

from tests.ui.screenshots import open_tab
from tests.ui.test_corpus import DRAFT
from tests.ui.test_page import WHOLE, ask, finished
from tests.ui.test_tabs import go

pytestmark = pytest.mark.browser

AXE = files("axe_playwright_python") / "axe.min.js"
TABS = ("Ask", "Papers", "Whole corpus", "Library", "Quality", "History")
# Findings inside Gradio's own components (6.31) that can't be mended from outside: rule and selector, nothing else.
GRADIO_OWN: frozenset[tuple[str, str]] = frozenset()


def fill(page, tab: str) -> None:
    """Bring a tab to the state that has most on it."""
    go(page, tab)
    if tab == "Ask":
        ask(page, "How much does SPAR save?")
        finished(page).locator("button.cite").first.click()
        page.locator("#source-panel .opened mark.active").wait_for()
    elif tab == "Papers":
        page.get_by_role("textbox", name="Search").fill("OAKMOOR benchmark")
        page.keyboard.press("Enter")
        page.locator("#results mark.hit").first.wait_for()
        page.locator("#results .card", has_text="TARNLEX").first.get_by_role("button", name="Keep").click()
        page.get_by_role("button", name="Reading list").first.click()
        page.locator("#reading-list li").get_by_role("button", name="Note").click()
        page.get_by_label("Your note on “TARNLEX").wait_for()
    elif tab == "Whole corpus":
        page.locator("#census-question textarea").fill("Which papers release their code?")
        page.keyboard.press("Enter")
        page.locator("#census .count.yes").wait_for()
    elif tab == "History":
        page.locator("#kept-preview", has_text="1 question").wait_for()
    page.wait_for_timeout(300)


def fill_part(page, part: str) -> None:
    """Bring a tab inside a tab to the state that has most on it."""
    go(page, part)
    if part == "Table":
        page.locator("#table-columns textarea").fill("name, headline number, code link")
        page.locator("#make-table").click()
        page.locator("#table tbody td").first.wait_for()
    elif part == "Compare":
        for name in ("TARNLEX", "SPAR"):
            page.locator("#compare-papers label", has_text=name).locator("input").check()
        page.locator("#make-comparison").click()
        page.locator("#comparison tbody td").first.wait_for()
    elif part == "Near my abstract":
        page.locator("#draft textarea").fill(DRAFT)
        page.locator("#find-near").click()
        page.locator("#near .pair").first.wait_for()
    elif part == "Map":
        page.locator("#map-dots circle").first.wait_for()
        page.locator("#map-topics summary").first.click()
    page.wait_for_timeout(300)


def findings(page) -> list[tuple[str, str, str]]:
    """The rule, place and reason of each serious or critical finding on the page once our script has mended it."""
    page.wait_for_function(
        "!document.querySelector('.examples[role=list], .upload-container[aria-label], "
        "#chat [data-testid=bot]:not([aria-label=Answer]), #chat [data-testid=user]:not([aria-label=Question])')"
    )
    violations = page.evaluate("async () => (await axe.run({ resultTypes: ['violations'] })).violations")
    return [
        (violation["id"], " ".join(map(str, node["target"])), node["failureSummary"])
        for violation in violations
        if violation["impact"] in ("serious", "critical")
        for node in violation["nodes"]
    ]


def parts(page) -> list[str]:
    """The tabs inside the open tab."""
    names = page.locator("#tabs .tabitem [role=tab]:visible").all_inner_texts()
    return [name for name in names if name not in TABS]


@pytest.fixture(params=["light", "dark"])
def looked_at(request, visit, site):
    """A page with axe-core in it, in light and in dark."""
    page = visit(site.url, color_scheme=request.param)
    page.evaluate(AXE.read_text(encoding="utf-8"))
    return page


def test_no_tab_has_a_serious_finding(looked_at):
    page, found = looked_at, set()
    found |= {("Start", *finding) for finding in findings(page)}
    for tab in TABS:
        fill(page, tab)
        found |= {(tab, *finding) for finding in findings(page)}
        for part in parts(page):
            fill_part(page, part)
            found |= {(part, *finding) for finding in findings(page)}
    assert [row for row in sorted(found) if row[1:3] not in GRADIO_OWN] == []


def test_no_state_of_an_answer_has_a_serious_finding(looked_at, site):
    page, found = looked_at, set()
    site.library.failures = 0
    asked = ("What does TARNLEX score?", "How do they compare?", "Who won the regatta?", "Is the unreachable there?")
    for turn, question in enumerate(asked, start=1):
        ask(page, question)
        finished(page, turn)
    reply = page.locator("#chat .bot-row").first
    reply.get_by_role("button", name="Good answer").click()
    page.locator("#note").wait_for()
    reply.get_by_role("button", name="Link").click()
    page.locator("#source-panel a[href*='answer=']").wait_for()
    page.locator("#chat details.note summary").click()
    found |= {("Answers", *finding) for finding in findings(page)}
    ask(page, "Say a word a second")
    page.locator("#chat .badge.busy").wait_for()
    found |= {("Writing", *finding) for finding in findings(page)}
    page.locator("#question .stop-button").click()
    finished(page, 5)
    page.set_viewport_size({"width": 360, "height": 740})
    page.wait_for_timeout(300)
    found |= {("Phone", *finding) for finding in findings(page)}
    assert [row for row in sorted(found) if row[1:3] not in GRADIO_OWN] == []


USABLE = """[...document.querySelectorAll('#companion :is(button, a[href], input, textarea, summary)')].filter(
    e => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && e.getClientRects().length
    && !e.disabled && !e.closest('[aria-hidden=true]'))"""


def unreached(page) -> list[str]:
    """What can be used by mouse on the open tab but is not come to by pressing Tab."""
    count = page.evaluate(
        f"() => {{ const all = {USABLE}; all.forEach(e => delete e.dataset.reached); "
        "document.activeElement.blur(); return all.length }"
    )
    for _ in range(2 * count + 10):
        page.keyboard.press("Tab")
        page.evaluate("document.activeElement.dataset.reached = 'yes'")
    return page.evaluate(f"{USABLE}.filter(e => !e.dataset.reached).map(e => e.outerHTML.slice(0, 120))")


def test_everything_is_come_to_by_keyboard(page):
    for tab in TABS:
        fill(page, tab)
        assert unreached(page) == [], tab
        for part in parts(page):
            fill_part(page, part)
            assert unreached(page) == [], part


def test_every_tab_is_reached_and_used_by_keyboard(page):
    page.get_by_role("tab", name="Ask").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("#results .card").first.wait_for()
    page.locator("#results .title-button").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.id === 'source-title'")
    page.keyboard.press("Escape")
    page.locator("#source-panel .panel-hint").wait_for(state="attached")
    assert page.evaluate("document.activeElement.classList.contains('title-button')")


def test_no_tab_scrolls_sideways_on_a_small_phone(page):
    page.set_viewport_size({"width": 360, "height": 740})
    for tab in TABS:
        if page.get_by_role("tab", name=tab, exact=True).is_visible():
            fill(page, tab)
        else:
            open_tab(page, tab)
            page.wait_for_timeout(800)
        assert page.evaluate(WHOLE), tab
    open_tab(page, "Whole corpus")
    for part in ("Table", "Compare", "Near my abstract", "Map"):
        open_tab(page, part)
        page.wait_for_timeout(800)
        assert page.evaluate(WHOLE), part
