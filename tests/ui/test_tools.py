"""The four tools as programs and assistants call them: over Gradio's HTTP API and over MCP."""

from __future__ import annotations

import ast
import asyncio
import importlib.util
import json
import re
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def client(site):
    from gradio_client import Client

    return Client(site.url, verbose=False, analytics_enabled=False)


def test_ask_answers_with_citations_that_stand_in_the_abstract(client, site):
    answer = client.predict("What does TARNLEX score?", [], api_name="/ask")
    cited = answer["citations"][0]
    assert answer["outcome"] == "answered" and "71.4 F1" in answer["text"]
    assert site.library.paper(cited["paper_id"]).abstract[cited["start"] : cited["end"]] == cited["quote"]
    follow_up = client.predict("How do they compare with WEXLE?", ["What does TARNLEX score?"], api_name="/ask")
    assert [citation["paper_id"] for citation in follow_up["citations"]] == ["tarnlex", "wexle"]


def test_search_census_and_paper_are_plain_json(client):
    hits = client.predict("annotated dialogues", 3, "", "", api_name="/search")
    assert [hit["paper_id"] for hit in hits] == ["yoruba"]
    assert client.predict("OAKMOOR", 10, "", "2026", api_name="/search")[0]["paper"]["metadata"]["year"] == 2026
    census = client.predict("Which papers release their code?", api_name="/census")
    assert (census["read"], census["yes"], census["left_off"]) == (5, 1, 0)
    assert census["findings"][0]["quotes"][0]["quote"].startswith("Code is available")
    assert client.predict("spar", api_name="/paper")["title"].startswith("SPAR")


@pytest.mark.parametrize(
    ("given", "name", "message"),
    [
        ([" ", []], "/ask", "The question is blank"),
        (["nobody"], "/paper", "There is no paper 'nobody'"),
        (["  "], "/census", "The question is blank"),
        (["x", 0, "", ""], "/search", "k is 0"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(client, given, name, message):
    from gradio_client.exceptions import AppError

    with pytest.raises(AppError, match=message):
        client.predict(*given, api_name=name)


def test_a_bug_shows_no_traceback_to_a_caller(client):
    from gradio_client.exceptions import AppError

    with pytest.raises(AppError) as told:
        client.predict("crash", api_name="/census")
    assert "ZeroDivision" not in str(told.value) and "a bug" not in str(told.value)


def test_tools_are_typed_and_documented(client):
    told = client.view_api(return_format="dict", print_info=False)["named_endpoints"]
    assert sorted(told) == ["/ask", "/census", "/paper", "/search"]
    assert [p["parameter_name"] for p in told["/ask"]["parameters"]] == ["question", "history"]
    assert [p["parameter_name"] for p in told["/search"]["parameters"]] == ["query", "k", "venue", "year"]


@pytest.mark.skipif(importlib.util.find_spec("mcp") is None, reason="the mcp package is not installed")
def test_an_mcp_client_lists_and_calls_the_four_tools(site):
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    async def talk():
        async with (
            streamablehttp_client(f"{site.url}gradio_api/mcp/") as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            tools = (await session.list_tools()).tools
            calls = {
                "ask": {"question": "What does TARNLEX score?"},
                "search": {"query": "annotated dialogues"},
                "census": {"question": "Which papers release their code?"},
                "paper": {"paper_id": "spar"},
            }
            said = {name: await session.call_tool(name, given) for name, given in calls.items()}
            return tools, {name: ast.literal_eval(result.content[0].text) for name, result in said.items()}

    # In a thread of its own: the browser's tests leave an event loop running in this one.
    with ThreadPoolExecutor(1) as pool:
        tools, said = pool.submit(asyncio.run, talk()).result()
    assert sorted(tool.name for tool in tools) == ["ask", "census", "paper", "search"]
    assert all(tool.description for tool in tools)
    assert "question" in next(tool for tool in tools if tool.name == "ask").inputSchema["properties"]
    assert said["ask"]["citations"][0]["paper_id"] == "tarnlex"
    assert said["census"]["yes"] == 1 and said["paper"]["id"] == "spar"
    assert "yoruba" in json.dumps(said["search"])


def _examples() -> list[tuple[str, str]]:
    """Return the programs and the shell lines of the page's documentation."""
    text = (ROOT / "docs" / "page.md").read_text(encoding="utf-8").partition("## For programs")[2]
    return re.findall(r"^```(python|sh)\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def seeds_page():
    """Serve the packaged library, which the documentation asks."""
    import rag
    from ui.app import build_app
    from ui.serving import launch

    with rag.open(mode="extractive") as library:
        app = build_app(library, mode="extractive", model=None)
        yield launch(app, port=None, block=False)
        app.close(verbose=False)


@pytest.mark.parametrize("program", [text for kind, text in _examples() if kind == "python"], ids=("http", "mcp"))
def test_the_programs_of_the_documentation_run(program, seeds_page):
    if "mcp" in program and importlib.util.find_spec("mcp") is None:
        pytest.skip("the mcp package is not installed")
    here = program.replace("http://127.0.0.1:7860/", seeds_page).replace("http://127.0.0.1:7860", seeds_page)
    done = subprocess.run([sys.executable, "-c", here], capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr
    assert "answered" in done.stdout and "2.75×" in done.stdout


def test_the_two_steps_over_http_give_the_answer(seeds_page):
    lines = next(text for kind, text in _examples() if kind == "sh")
    path, body = re.search(r"7860/(\S+).*?-d '(.*?)'", lines, flags=re.DOTALL).groups()
    request = urllib.request.Request(f"{seeds_page}{path}", body.encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        number = json.load(reply)["event_id"]
    with urllib.request.urlopen(f"{seeds_page}{path}/{number}", timeout=60) as reply:
        told = reply.read().decode("utf-8")
    assert "event: complete" in told and "2.75" in told
