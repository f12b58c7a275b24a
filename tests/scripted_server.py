"""An OpenAI-compatible chat server on loopback that replays a script: real HTTP, real server-sent events, no model.

Each call takes the next step of the script (the last one repeats). A step is a list of actions, see below.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Action = tuple[str, Any]
Step = Sequence[Action]


def says(text: str, *, pieces: int | None = None, finish: str | None = "stop", usage: bool = True) -> list[Action]:
    """Stream a text, by default one word a piece, and finish."""
    if pieces is None:
        parts = [part + " " for part in text.split(" ")]
        parts[-1] = parts[-1][:-1]
    else:
        size = max(1, -(-len(text) // pieces))
        parts = [text[i : i + size] for i in range(0, len(text), size)]
    actions: list[Action] = [("delta", part) for part in parts]
    if finish:
        actions.append(("finish", finish))
    if usage:
        actions.append(("usage", (120, len(parts))))
    return [*actions, ("done", None)]


def status(code: int, message: str, **headers: str) -> list[Action]:
    """Answer with an error."""
    return [("status", (code, message, headers))]


@dataclass
class ScriptedServer:
    """A running server: its address, the requests it got, and when clients hung up."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    closed_after: list[float] = field(default_factory=list)
    script: list[Step] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)


def _chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


@contextmanager
def scripted_server(*script: Step) -> Iterator[ScriptedServer]:
    """Run a server that plays the steps, one a call."""
    state = ScriptedServer(script=list(script))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *args: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            state.requests.append(json.loads(body))
            state.headers.append({k.lower(): v for k, v in self.headers.items()})
            step = state.script[min(len(state.requests), len(state.script)) - 1]
            self.began = time.monotonic()
            self.streaming = False
            try:
                for kind, value in step:
                    getattr(self, f"act_{kind}")(value)
            except (BrokenPipeError, ConnectionResetError):
                state.closed_after.append(time.monotonic() - self.began)
            self.close_connection = True

        def act_status(self, value: Any) -> None:
            code, message, headers = value
            echoed = message.replace("{key}", self.headers.get("authorization", "").removeprefix("Bearer "))
            data = json.dumps({"error": {"message": echoed, "type": "x", "code": None}}).encode()
            self.send_response(code)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            for key, text in headers.items():
                self.send_header(key.replace("_", "-"), text)
            self.end_headers()
            self.wfile.write(data)

        def act_body(self, value: tuple[str, str]) -> None:
            kind, text = value
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def event(self, data: str) -> None:
            if not self.streaming:
                self.streaming = True
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
            payload = f"data: {data}\n\n".encode()
            self.wfile.write(f"{len(payload):x}\r\n".encode() + payload + b"\r\n")
            self.wfile.flush()

        def act_delta(self, text: str) -> None:
            state.sent.append(text)
            self.event(json.dumps(_chunk({"content": text})))

        def act_reasoning(self, text: str) -> None:
            self.event(json.dumps(_chunk({"reasoning_content": text})))

        def act_finish(self, reason: str) -> None:
            self.event(json.dumps(_chunk({}, reason)))

        def act_empty(self, _: Any) -> None:
            self.event(json.dumps({**_chunk({}), "choices": []}))

        def act_usage(self, counts: tuple[int, int]) -> None:
            usage = {"prompt_tokens": counts[0], "completion_tokens": counts[1], "total_tokens": sum(counts)}
            self.event(json.dumps({**_chunk({}), "choices": [], "usage": usage}))

        def act_raw(self, text: str) -> None:
            self.event(text)

        def act_done(self, _: Any) -> None:
            self.event("[DONE]")
            self.wfile.write(b"0\r\n\r\n")

        def act_wait(self, seconds: float) -> None:
            """Stay silent, watching whether the client hangs up."""
            end = time.monotonic() + seconds
            self.connection.settimeout(0.02)
            while time.monotonic() < end and not state.stopping.is_set():
                try:
                    if self.connection.recv(1) == b"":
                        raise BrokenPipeError
                except TimeoutError:
                    continue
            self.connection.settimeout(None)

        def act_drop(self, _: Any) -> None:
            """Break the connection in the middle of the stream."""
            self.connection.close()
            raise BrokenPipeError

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.stopping.set()
        server.shutdown()
        server.server_close()
