"""The page as others reach it, in a real browser: behind a login, under a proxy's path, and when its server goes."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest

from tests.ui.fakes import FakeLibrary
from tests.ui.test_page import ask, finished, replies
from tests.ui.test_tabs import go

pytestmark = pytest.mark.browser

_HOP_BY_HOP = ("transfer-encoding", "connection", "content-length", "keep-alive")


@contextmanager
def proxy(prefix: str, upstream: str) -> Iterator[str]:
    """Offer a server under a path of another address, as a reverse proxy does: the path is cut off on the way."""
    there = urlsplit(upstream)

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *args: object) -> None:
            pass

        def forward(self) -> None:
            if self.path == "/favicon.ico":  # of the proxy's own site
                self.send_response(204)
                self.end_headers()
                return
            if not self.path.startswith(prefix):
                self.send_error(404)
                return
            connection = http.client.HTTPConnection(there.hostname, there.port, timeout=60)
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            passed = dict(self.headers) | {"X-Forwarded-Host": self.headers["host"], "X-Forwarded-Proto": "http"}
            connection.request(self.command, self.path.removeprefix(prefix) or "/", body, passed)
            reply = connection.getresponse()
            self.send_response(reply.status)
            for name, value in reply.getheaders():
                if name.lower() not in _HOP_BY_HOP:
                    self.send_header(name, value)
            self.end_headers()
            while piece := reply.read1(65536):
                self.wfile.write(piece)
                self.wfile.flush()
            connection.close()

        def do_GET(self) -> None:
            self.forward()

        def do_POST(self) -> None:
            self.forward()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{prefix}/"
    finally:
        server.shutdown()
        server.server_close()


def test_a_visitor_logs_in_and_is_told_where_the_password_is_wrong(served, visit, watched):
    page = visit(served(FakeLibrary(), auth={"ann": "b:c"}), ready="input[type=password]")
    page.get_by_label("username").fill("ann")
    page.get_by_label("password").fill("wrong")
    page.get_by_role("button", name="Login").click()
    page.get_by_text("Incorrect Credentials").wait_for()
    assert page.locator("#chat").count() == 0
    watched.errors.clear()  # the browser logs the refusal
    page.get_by_label("username").fill("ann")
    page.get_by_label("password").fill("b:c")
    page.get_by_role("button", name="Login").click()
    page.get_by_role("button", name="Select example 1").wait_for()
    ask(page, "What does TARNLEX score?")
    finished(page).locator("button.cite").first.wait_for()


def test_under_a_proxys_path_everything_works_links_included(served, visit):
    with proxy("/papers", served(FakeLibrary(), root_path="/papers")) as url:
        page = visit(url)
        ask(page, "How much does SPAR save?")
        reply = finished(page)
        reply.locator("button.cite").first.wait_for()
        go(page, "Papers")
        page.locator("#results .card").first.wait_for()
        go(page, "Ask")
        reply.get_by_role("button", name="Link").click()
        address = page.locator("#source-panel a[href*='answer=']").evaluate("link => link.href")
        assert address.startswith(url)
        other = visit(address, ready="#chat .bot-row button.cite")
        assert replies(other).count() == 1


def test_a_server_that_is_gone_is_told_to_the_visitor(served, visit, watched):
    from ui.app import build_app
    from ui.serving import launch

    app = build_app(FakeLibrary(), mode="extractive", model=None)
    page = visit(launch(app, port=None, block=False))
    ask(page, "What does TARNLEX score?")
    finished(page).locator("button.cite").first.wait_for()
    app.close(verbose=False)
    ask(page, "How much does SPAR save?")
    page.get_by_text("connection", exact=False).first.wait_for()
    assert "71.4 F1" in replies(page).first.inner_text()
    watched.errors.clear()  # requests that failed
