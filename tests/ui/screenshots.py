"""Take pictures of the page: light and dark, wide and 390 pixels, at the start and with a source opened.

    python tests/ui/screenshots.py FOLDER [--url ADDRESS] [--question TEXT]

Without an address the page is served over the invented abstracts of `fakes.py`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
)
SIZES = {"wide": (1360, 820), "narrow": (390, 844)}


def take(browser: Browser, url: str, folder: Path, question: str) -> None:
    for scheme in ("light", "dark"):
        for size, (width, height) in SIZES.items():
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = context.new_page()
            page.goto(url)
            page.get_by_role("button", name="Select example 1").wait_for()
            page.wait_for_timeout(600)
            page.screenshot(path=folder / f"start-{scheme}-{size}.png")
            page.locator("#question textarea").fill(question)
            page.keyboard.press("Enter")
            page.locator("#chat .sources").first.wait_for(timeout=60_000)
            page.wait_for_timeout(600)
            page.screenshot(path=folder / f"answer-{scheme}-{size}.png")
            page.locator("#chat button.cite").first.click()
            page.locator("#source-panel .opened #active-quote").wait_for()
            page.wait_for_timeout(1200)
            page.screenshot(path=folder / f"source-{scheme}-{size}.png")
            context.close()


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
