"""Serving the page: address, passwords, a path behind a proxy, health, and a log without anyone's questions."""

from __future__ import annotations

import ctypes
import hmac
import importlib.util
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import gradio as gr
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rag.errors import InputError
from ui.intake import LARGEST_FILE
from ui.theme import CSS_FILE, page_theme

ACCESS_LOG = "ui.access"
HEALTH_PATH = "/health"
_WAITING = 200  # events in the queue; more are refused rather than kept waiting for minutes
_THREADS = 40
_LOOK_FOR_EVENTS = 0.01  # seconds
_SESSIONS_KEPT = 300  # pages open at a time, of some 0.3 MB each; a week of visits would else keep ten thousand
_ARENA_MAX, _ARENAS = -8, 2  # M_ARENA_MAX of <malloc.h>; as many heaps as threads can run at once
_GIVEN_BACK = 20.0  # seconds
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_access = logging.getLogger(ACCESS_LOG)


class AccessLog:
    """Log method, path, status and time of each request: no query, no body, hence no question and no password."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request and log how it went."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.monotonic(), 0

        async def told(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, told)
        finally:
            path = scope["path"].encode("ascii", "backslashreplace").decode("ascii")[:200]
            took = 1000 * (time.monotonic() - began)
            _access.info("%s %s %d %.0f ms", scope["method"], path, status, took)


def log_accesses() -> None:
    """Write the access log to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    _access.addHandler(handler)
    _access.setLevel(logging.INFO)
    _access.propagate = False


def share_heaps() -> None:
    """Let all threads allocate from the same few heaps, so that freed memory serves the others; before any is started.

    With glibc each of forty threads else gets a heap of its own, and holes in it.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)


@contextmanager
def giving_memory_back(every: float = _GIVEN_BACK) -> Iterator[None]:
    """Give what was freed back to the system from time to time until the block ends, where the C library can."""
    over, trim = threading.Event(), getattr(ctypes.CDLL(None), "malloc_trim", None)

    def work() -> None:
        while trim is not None and not over.wait(every):
            trim(0)

    threading.Thread(target=work, daemon=True, name="memory").start()
    try:
        yield
    finally:
        over.set()


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    return host in _LOOPBACK


def read_auth(file: Path) -> dict[str, str]:
    """Return the passwords by name from a file of lines `name:password`; raises `InputError` for one that is not."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8 text"
        raise InputError(f"{file} can't be read ({reason}); --auth wants a file of lines name:password.") from error
    known: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, password = line.strip().partition(":")
        if not (name and colon and password):
            raise InputError(f"{file}, line {number} is not of the form name:password; mend that line.")
        known[name] = password
    if not known:
        raise InputError(f"{file} names nobody; write at least one line name:password.")
    return known


def checks(known: Mapping[str, str]) -> Callable[[str, str], bool]:
    """Return what tells a right name and password from a wrong one, in the same time for both."""

    def right(name: str, password: str) -> bool:
        wanted = known.get(name, "")
        same = hmac.compare_digest(wanted.encode(), password.encode())
        return same and bool(wanted)

    return right


def launch(
    app: gr.Blocks,
    host: str = "127.0.0.1",
    port: int | None = 7860,
    *,
    block: bool = True,
    auth: Mapping[str, str] | None = None,
    root_path: str | None = None,
    health: Callable[[], Mapping[str, Any]] | None = None,
) -> str:
    """Serve the page and return its address; with `block`, only once the server was stopped."""

    def healthy(_: Request) -> JSONResponse:
        return JSONResponse({"status": "ok", **(health() if health else {})})

    try:
        # MCP calls come without a browser's login: where one is wanted, the tools are not offered that way.
        tools = auth is None and importlib.util.find_spec("mcp") is not None
        queued = app.queue(api_open=False, max_size=_WAITING, default_concurrency_limit=4)
        # Gradio looks a thousand times a second whether an event waits, all week; a hundred times is soon enough.
        queued._queue.sleep_when_free = _LOOK_FOR_EVENTS
        _, url, _ = queued.launch(
            server_name=host,
            server_port=port,
            root_path=root_path,
            auth=checks(auth) if auth else None,
            theme=page_theme(),
            css_paths=[CSS_FILE],
            max_file_size=LARGEST_FILE,
            max_threads=_THREADS,
            state_session_capacity=_SESSIONS_KEPT,
            app_kwargs={"routes": [Route(HEALTH_PATH, healthy)], "middleware": [Middleware(AccessLog)]},
            share=False,
            ssr_mode=False,
            pwa=False,
            mcp_server=tools,
            enable_monitoring=False,
            run_history=False,
            footer_links=[],
            inbrowser=False,
            quiet=True,
            show_error=False,
            prevent_thread_lock=True,
        )
    except (OSError, OverflowError) as error:
        raise InputError(f"The page can't be served at {host}:{port} ({error}); choose another with --port.") from error
    if block:
        app.block_thread()
    return str(url)
