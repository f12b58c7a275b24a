"""Serving: the address, a port that is taken, and nothing offered that was not asked for."""

from __future__ import annotations

import json
import socket
import threading
import urllib.request

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
