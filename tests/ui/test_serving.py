"""Serving: the address, a port that is taken, and nothing offered that was not asked for."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from rag.errors import InputError
from tests.ui.fakes import FakeLibrary


def test_the_page_answers_at_its_address_and_names_the_library(site):
    with urllib.request.urlopen(site.url) as reply:
        text = reply.read().decode("utf-8")
    assert "Hollow Conference 2026" in text
    assert "fonts.googleapis" not in text and "gradio.live" not in text


def test_only_the_four_tools_are_documented_for_strangers(site):
    with urllib.request.urlopen(f"{site.url}gradio_api/info") as reply:
        told = json.load(reply)
    assert sorted(told["named_endpoints"]) == ["/ask", "/census", "/paper", "/search"]
    assert told["unnamed_endpoints"] == {}
    assert all(endpoint["description"].strip() for endpoint in told["named_endpoints"].values())


def test_a_port_that_is_taken_is_told_in_one_sentence():
    from ui.app import build_app
    from ui.serving import launch

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=rf"127\.0\.0\.1:{port} .* choose another with --port"):
            launch(build_app(FakeLibrary(), mode="extractive", model=None), port=port, block=False)


def test_serve_announces_the_address_once_it_answers():
    from ui.app import serve

    told: list[str] = []
    answered = threading.Event()

    def announce(url: str) -> None:
        told.append(url)
        with urllib.request.urlopen(url) as reply:
            assert reply.status == 200
        answered.set()
        raise KeyboardInterrupt  # what ends a served page

    with pytest.raises(KeyboardInterrupt):
        serve(FakeLibrary(), port=None, mode="extractive", model=None, announce=announce)
    assert answered.is_set() and len(told) == 1


def get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url) as reply:
            return reply.status, reply.read().decode("utf-8")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode("utf-8")


@pytest.fixture
def serving():
    """Serve pages and close them again."""
    from ui.app import build_app
    from ui.serving import launch

    apps = []

    def start(**settings):
        apps.append(build_app(FakeLibrary(), mode="extractive", model=None))
        return launch(apps[-1], port=None, block=False, **settings)

    yield start
    for app in apps:
        app.close(verbose=False)


def test_health_tells_that_the_page_is_up(serving):
    url = serving(health=lambda: {"papers": 5})
    status, text = get(f"{url}health")
    assert status == 200 and json.loads(text) == {"status": "ok", "papers": 5}


def test_with_passwords_strangers_see_only_the_login_and_tools_are_closed(serving, tmp_path):
    from gradio_client import Client

    from ui.serving import read_auth

    file = tmp_path / "visitors"
    file.write_text("# who may come in\nann:b:c\n", encoding="utf-8")
    url = serving(auth=read_auth(file))
    text = get(url)[1]
    assert "auth_required" in text and "What does SPAR do?" not in text
    assert get(f"{url}gradio_api/info")[0] == 401 and get(f"{url}gradio_api/mcp/")[0] in (401, 404)
    assert get(f"{url}health")[0] == 200
    with pytest.raises(ValueError, match="Could not login"):
        Client(url, auth=("ann", "wrong"), verbose=False)
    client = Client(url, auth=("ann", "b:c"), verbose=False)
    assert client.predict("spar", api_name="/paper")["id"] == "spar"


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "names nobody"), ("ann", "line 1 is not of the form name:password"), ("ann:", "line 1 is not of the form")],
)
def test_a_password_file_that_does_not_fit_is_refused(tmp_path, text, message):
    from ui.serving import read_auth

    file = tmp_path / "visitors"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as told:
        read_auth(file)
    assert "ann:" not in str(told.value)
    with pytest.raises(InputError, match="can't be read"):
        read_auth(tmp_path / "nowhere")


def test_under_a_path_of_a_proxy_the_page_names_its_files_there(serving):
    text = get(serving(root_path="/papers"))[1]
    assert "/papers" in text


def test_the_access_log_holds_paths_and_no_questions(serving, caplog):
    from gradio_client import Client

    url = serving()
    with caplog.at_level("INFO", logger="ui.access"):
        Client(url, verbose=False).predict("Where is the heron?", [], api_name="/ask")
        get(f"{url}health?question=heron")
        end = time.monotonic() + 10
        lines: list[str] = []
        # A line is written behind the answer that it is about.
        while not any(line.startswith("GET /health 200 ") for line in lines) and time.monotonic() < end:
            time.sleep(0.05)
            lines = [record.getMessage() for record in caplog.records if record.name == "ui.access"]
    assert any(line.startswith("GET /health 200 ") for line in lines)
    assert any(line.startswith("POST ") for line in lines) and "heron" not in "".join(lines)


def test_a_long_conversation_leaves_no_more_components_behind_than_a_short_one():
    from tests.benchmarks.page import Events, Seen, Visitor
    from ui.app import build_app
    from ui.serving import launch

    app = build_app(FakeLibrary(), mode="extractive", model=None)
    url = launch(app, port=None, block=False).rstrip("/")

    async def talk() -> list[int]:
        held = []
        async with httpx.AsyncClient(timeout=60) as client:
            events = Events.of((await client.get(f"{url}/config")).json())
            visitor = Visitor(client, url, events)
            for _ in range(8):
                await visitor.ask("What does TARNLEX score?", Seen())
                (session,) = app.state_holder.session_data.values()
                held.append(len(session.blocks_config.blocks) + len(session.config_values))
        return held

    # In a thread of its own: the browser's tests leave an event loop running in this one.
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(asyncio.run, talk()).result()
    app.close(verbose=False)
    # A copy may still be held that the next event drops; without any dropped, every answer leaves some behind.
    assert max(held[2:]) < held[1] + len(held), held
