"""Fixtures of the page's tests: a served page over invented abstracts, and a real browser."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.ui.fakes import FakeLibrary
from tests.ui.screenshots import CHROMIUM, FLAGS

PATIENCE = 90_000  # milliseconds for what takes one: a machine may be busy with other things


@dataclass
class Site:
    """A served page and the library behind it."""

    url: str
    library: FakeLibrary


@dataclass
class Watched:
    """What the browser asked for and complained about."""

    hosts: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)

    def follow(self, page) -> None:
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc or request.url[:30]))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    from ui.app import build_app
    from ui.library import Shelf
    from ui.serving import launch

    library = FakeLibrary(delay=0.25)
    shelf = Shelf(library, lambda name: FakeLibrary(name=name), lambda: ["other"])
    evaluation = library.folder / "evaluation.json"
    figure = {"metric": "hit_at_1", "value": 0.91, "low": 0.85, "high": 0.95, "n": 80}
    evaluation.write_text(json.dumps({"summary": "a run", "figures": {"dev": [figure]}}), encoding="utf-8")
    app = build_app(library, mode="extractive", model=None, shelf=shelf, uploads=True, evaluation=evaluation)
    yield Site(launch(app, port=None, block=False), library)
    app.close(verbose=False)


@pytest.fixture(scope="session")
def browser():
    if not (Path(CHROMIUM).exists() and os.access(CHROMIUM, os.X_OK)):
        pytest.skip(f"no browser at {CHROMIUM}")
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield chromium
        chromium.close()


@pytest.fixture
def watched() -> Watched:
    return Watched()


@pytest.fixture
def visit(browser, watched: Watched):
    """Open a page as a new visitor; every test ends with a clean console and no request to another host."""
    contexts, hosts = [], set()

    def open_page(url: str, ready: str = "#chat .example", **settings):
        contexts.append(browser.new_context(**{"viewport": {"width": 1280, "height": 800}} | settings))
        hosts.add(urlsplit(url).netloc)
        contexts[-1].set_default_timeout(PATIENCE)
        visitor = contexts[-1].new_page()
        watched.follow(visitor)
        visitor.goto(url)
        visitor.locator(ready).first.wait_for()
        return visitor

    yield open_page
    for context in contexts:
        context.close()
    assert watched.errors == []
    assert watched.hosts <= hosts


@pytest.fixture
def page(visit, site: Site):
    """A fresh visitor on the page over the invented abstracts."""
    return visit(site.url)


@pytest.fixture
def served():
    """Serve pages over libraries of the test's own; they are closed after it."""
    from ui.app import build_app
    from ui.serving import launch

    apps = []

    def serve(library, *, mode: str = "extractive", model: str | None = None, **settings) -> str:
        known = ("shelf", "uploads", "evaluation")
        apps.append(build_app(library, mode=mode, model=model, **{k: settings.pop(k) for k in known if k in settings}))
        return launch(apps[-1], port=None, block=False, **settings)

    yield serve
    for app in apps:
        app.close(verbose=False)
