"""Take pictures of the page: every tab, light and dark, wide and 390 pixels.

    python tests/ui/screenshots.py FOLDER [--url ADDRESS] [--question TEXT]

Without an address the page is served over the invented abstracts of `fakes.py`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # the network is away
)
DRAFT = (
    "Long documents make attention the dominant cost of large language models. We present a method that routes every "
    "query to the few key blocks that matter to it. Experiments on long benchmarks show a speedup of three times at "
    "the same accuracy, and the code is available."
)
SIZES = {"wide": (1280, 760), "narrow": (390, 844)}


def take(browser: Browser, url: str, folder: Path, question: str) -> None:
    for scheme in ("light", "dark"):
        for size, (width, height) in SIZES.items():
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = context.new_page()

            def shot(name: str, page: Page = page, kind: str = f"{scheme}-{size}") -> None:
                page.wait_for_timeout(900)
                page.screenshot(path=folder / f"{name}-{kind}.png")

            page.goto(url)
            page.get_by_role("button", name="Select example 1").wait_for()
            shot("start")
            page.locator("#question textarea").fill(question)
            page.keyboard.press("Enter")
            page.locator("#chat .sources").first.wait_for(timeout=60_000)
            shot("answer")
            page.locator("#chat button.cite").first.click()
            page.locator("#source-panel .opened #active-quote").wait_for()
            shot("source")
            page.locator("#source-panel").get_by_role("button", name="Close").click()
            _tabs(page, shot)
            context.close()


def _tabs(page: Page, shot: Callable[[str], None]) -> None:
    open_tab(page, "Papers")
    page.get_by_role("textbox", name="Search").fill("benchmark")
    page.keyboard.press("Enter")
    page.locator("#results mark.hit").first.wait_for()
    shot("papers")
    page.locator("#results .title-button").first.click()
    page.locator("#source-panel .near h3").wait_for()
    shot("paper")
    page.locator("#source-panel").get_by_role("button", name="Close").click()
    open_tab(page, "Whole corpus")
    page.locator("#census-question textarea").fill("Which papers release their code?")
    page.keyboard.press("Enter")
    page.locator("#census .count.yes").wait_for(timeout=60_000)
    shot("corpus")
    _parts(page, shot)
    for name in ("Library", "Quality", "History"):
        open_tab(page, name)
        shot(name.lower())


def _parts(page: Page, shot: Callable[[str], None]) -> None:
    """Take the other parts of the whole corpus, each with something in it."""
    open_tab(page, "Table")
    page.locator("#make-table").click()
    page.locator("#table table").first.wait_for(timeout=60_000)
    shot("table")
    open_tab(page, "Compare")
    choices = page.locator("#compare-papers input")
    choices.nth(1).wait_for(timeout=60_000)
    choices.nth(0).check()
    choices.nth(1).check()
    page.locator("#make-comparison").click()
    page.locator("#comparison table").first.wait_for(timeout=60_000)
    shot("compare")
    open_tab(page, "Near my abstract")
    page.locator("#draft textarea").fill(DRAFT)
    page.locator("#find-near").click()
    page.locator("#near", has_text="nearest papers").wait_for(timeout=60_000)
    shot("near")
    open_tab(page, "Map")
    page.locator("#map-picture svg").first.wait_for(timeout=120_000)
    shot("map")


def open_tab(page: Page, name: str) -> None:
    """Open a tab, or a part of one, also from behind the dots that a narrow page puts the last ones behind."""
    tab = page.get_by_role("tab", name=name, exact=True)
    if tab.is_visible():
        tab.click()
    else:
        bar = page.locator("#tabs .tab-wrapper").filter(has_text=name)
        bar.locator(".overflow-menu > button").first.click()
        bar.locator(".overflow-dropdown button", has_text=name).click()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--url", help="a page that is being served; without it the invented abstracts are")
    parser.add_argument("--question", default="How much does SPAR save, and how?")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    url = given.url or _serve_fake()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        take(browser, url, given.folder, given.question)
        browser.close()


def _serve_fake() -> str:
    from tests.ui.fakes import FakeLibrary
    from ui.app import build_app
    from ui.serving import launch

    return launch(build_app(FakeLibrary(), mode="extractive", model=None), port=None, block=False)


if __name__ == "__main__":
    main()
