"""Scripted HTTP servers on loopback: each request takes the next step of a script, the last one repeats."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Request:
    """What a client asked: the path, its parameters or JSON body, and the headers."""

    path: str
    values: dict[str, Any]
    headers: dict[str, str]


@dataclass(frozen=True)
class Reply:
    """What the server answers; a body that is cut ends before its announced length."""

    body: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False


Step = Reply | Callable[[Request], Reply]


@dataclass
class Service:
    """A running server: its address, and the requests it got."""

    address: str = ""
    requests: list[Request] = field(default_factory=list)


@contextmanager
def service(*script: Step) -> Iterator[Service]:
    """Serve a script on a free loopback port."""
    state = Service()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("content-length") or 0)
            values = json.loads(self.rfile.read(length)) if length else dict(parse_qsl(parts.query))
            request = Request(parts.path, values, {k.lower(): v for k, v in self.headers.items()})
            state.requests.append(request)
            step = script[min(len(state.requests), len(script)) - 1]
            reply = step if isinstance(step, Reply) else step(request)
            data = reply.body.encode()
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data) + (50 if reply.cut else 0)))
            self.end_headers()
            self.wfile.write(data)
            self.close_connection = reply.cut

        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def log_message(self, *_: Any) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()


def embeds(embed: Callable[[Sequence[str]], Any], *, refuses_blank: bool = True) -> Callable[[Request], Reply]:
    """Answer like an `/embeddings` endpoint that takes no blank text."""

    def answer(request: Request) -> Reply:
        texts = request.values["input"]
        if refuses_blank and not all(text.strip() for text in texts):
            return Reply(json.dumps({"error": {"message": "the input holds a blank text"}}), 400)
        rows = [
            {"object": "embedding", "index": i, "embedding": list(map(float, v))} for i, v in enumerate(embed(texts))
        ]
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        return Reply(
            json.dumps({"object": "list", "data": rows[::-1], "model": "m", "usage": usage}),
            headers={"content-type": "application/json"},
        )

    return answer
