"""The chat model: any OpenAI-compatible server, reached through LlamaIndex.

`OpenAIChatModel.stream` returns a `Reply`: an iterator over pieces of text that also knows whether the reply was cut,
what it cost, and how to stop the request at once, from any thread. Nothing is imported or sent before the first call.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rag.config import Config
from rag.errors import ModelError, ModelInterrupted
from rag.model.reasoning import ReasoningFilter
from rag.types import Usage

DEFAULT_BASE_URL = "https://api.openai.com/v1"
# A server may ask for any wait; a person at a page would rather read that it is busy.
LONGEST_WAIT = 30.0
_FIRST_WAIT = 0.5
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
# Settings that some servers refuse; each is left out, once, when an answer 400 names it.
_OPTIONAL = ("stream_options", "seed", "temperature", "max_tokens")
_TOKENIZERS = {
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
}
# An unknown model may cut text finer than OpenAI's; this much finer is the worst seen in small vocabularies.
_UNKNOWN_MODEL_FACTOR = 1.3
_MESSAGE_TOKENS = 8


class OpenAIChatModel:
    """A chat model behind an OpenAI-compatible address; safe to share between threads."""

    def __init__(
        self, config: Config, *, name: str | None = None, base_url: str | None = None, trust_proxies: bool = True
    ) -> None:
        self.name = name or config.model
        self.usage = Usage()
        self.cut = False
        self.context_window = config.context_window
        self.max_tokens = config.max_tokens
        self._config = config
        self._base_url = base_url or config.base_url or DEFAULT_BASE_URL
        self._trust_proxies = trust_proxies
        self._refused: set[str] = set()

    def stream(self, system: str, user: str, *, max_tokens: int | None = None) -> Reply:
        """Ask the model; the request starts with the first `next`. Closing the reply ends the request."""
        return Reply(self, system, user, max_tokens or self.max_tokens)

    def count_tokens(self, text: str) -> int:
        """Count a text's tokens: exactly for models whose tokenizer is here, else rather too many."""
        return count_tokens(text, self.name)

    def masked(self, text: str) -> str:
        """Return a text without the key."""
        return self._config.masked(text)


class Reply:
    """One reply under way: iterate for its text; `cut` and `usage` are right once it ends."""

    def __init__(self, model: OpenAIChatModel, system: str, user: str, max_tokens: int) -> None:
        self.cut = False
        self.usage = Usage()
        self.text = ""
        self._model = model
        self._messages = (system, user)
        self._max_tokens = max_tokens
        self._connection = _Connection()
        self._stopped = threading.Event()
        self._calls = 0
        self._reported: tuple[int, int] | None = None
        self._finished = False
        self._whole: Any = None
        self._pieces = self._run()

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        return next(self._pieces)

    def stop(self) -> None:
        """End the request at once; safe from another thread, where the iteration then simply ends."""
        self._stopped.set()
        self._connection.abort()

    def close(self) -> None:
        """End the request and the iteration."""
        self.stop()
        # Where another thread is inside, it sees the aborted connection and ends by itself.
        with contextlib.suppress(ValueError):
            self._pieces.close()

    def __del__(self) -> None:
        self._connection.abort()

    def _run(self) -> Generator[str, None, None]:
        model = self._model
        config = model._config
        attempt = 0
        while not self._stopped.is_set():
            try:
                yield from self._attempt()
                return
            except _Again as again:
                if again.drop:
                    model._refused.add(again.drop)
                    continue
                if attempt >= config.retries:
                    raise ModelError(again.message) from None
                self._stopped.wait(again.wait if again.wait is not None else _FIRST_WAIT * 2**attempt)
                attempt += 1

    def _attempt(self) -> Iterator[str]:
        """Make one call; before any text has come a passing failure raises `_Again`."""
        reasoning = ReasoningFilter()
        self._calls += 1
        try:
            with self._client() as http:
                for piece in self._deltas(http):
                    shown = reasoning.feed(piece)
                    if shown:
                        self.text += shown
                        yield shown
                last = reasoning.end()
                if last:
                    self.text += last
                    yield last
                if not self._finished and not self._stopped.is_set():
                    raise self._broken("ended without saying that the reply was complete")
        except ModelError:
            raise
        except Exception as error:
            if self._stopped.is_set():
                return
            raise self._failure(error) from None
        finally:
            self._connection.abort()
            self._note()

    def _deltas(self, http: Any) -> Iterator[str]:
        from llama_index.core.base.llms.types import ChatMessage

        system, user = self._messages
        messages = [ChatMessage(role="system", content=system), ChatMessage(role="user", content=user)]
        responses = self._llm(http).stream_chat(messages, **self._options())
        timeout = self._model._config.timeout
        alive = time.monotonic()
        for response in responses:
            if self._stopped.is_set():
                return
            chunk = response.raw
            if getattr(chunk, "usage", None):
                self._reported = (chunk.usage.prompt_tokens or 0, chunk.usage.completion_tokens or 0)
            for choice in (chunk.choices or [])[:1]:
                if choice.finish_reason:
                    self._finished = True
                    self.cut = choice.finish_reason == "length"
            now = time.monotonic()
            if response.delta or response.additional_kwargs.get("thinking_delta"):
                alive = now
            elif now - alive > timeout:
                raise self._silent()
            if response.delta:
                yield response.delta
        if self._whole is not None and not self._finished:
            yield self._whole_text()

    def _keep_whole(self, response: Any) -> None:
        """Keep the body of a server that answers in one piece although a stream was asked for."""
        if response.is_success and "json" in response.headers.get("content-type", ""):
            response.read()
            with contextlib.suppress(ValueError):
                self._whole = response.json()

    def _whole_text(self) -> str:
        """Return the text of a reply that came in one piece; what is no chat reply has none and ends nothing."""
        with contextlib.suppress(KeyError, IndexError, TypeError, AttributeError):
            choice = self._whole["choices"][0]
            text = str(choice["message"]["content"] or "")
            self._finished, self.cut = True, choice.get("finish_reason") == "length"
            usage = self._whole.get("usage") or {}
            if usage:
                self._reported = (int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0))
            return text
        return ""

    def _client(self) -> Any:
        import httpx

        config = self._model._config
        # One connection a request: it is closed to stop the model, so there is none to keep.
        return httpx.Client(
            timeout=httpx.Timeout(config.timeout, connect=min(config.timeout, 15.0)),
            limits=httpx.Limits(max_keepalive_connections=0),
            event_hooks={"request": [self._connection.watch], "response": [self._keep_whole]},
            follow_redirects=False,
            trust_env=self._model._trust_proxies,
        )

    def _llm(self, http: Any) -> Any:
        use_bundled_tokenizers()
        from llama_index.llms.openai_like import OpenAILike

        model, config = self._model, self._model._config
        return OpenAILike(
            model=model.name,
            api_base=model._base_url,
            api_key=config.api_key or "none",
            context_window=config.context_window,
            is_chat_model=True,
            is_function_calling_model=False,
            max_tokens=None,
            max_retries=0,
            timeout=config.timeout,
            **{"http_client": http},
        )

    def _options(self) -> dict[str, Any]:
        """Return the request's settings, without those that this server has refused."""
        import openai

        config, refused = self._model._config, self._model._refused
        limit = "max_completion_tokens" if "max_tokens" in refused else "max_tokens"
        options = {
            "temperature": openai.NOT_GIVEN if "temperature" in refused else config.temperature,
            "seed": config.seed,
            "stream_options": {"include_usage": True},
            limit: self._max_tokens,
        }
        return {key: value for key, value in options.items() if key == "temperature" or key not in refused}

    def _note(self) -> None:
        model = self._model
        if self._reported is None:
            prompt = sum(model.count_tokens(m) + _MESSAGE_TOKENS for m in self._messages)
            counted = (prompt, model.count_tokens(self.text) if self.text else 0)
        else:
            counted = self._reported
        self.usage = Usage(self._calls, *counted)
        model.usage, model.cut = self.usage, self.cut

    def _failure(self, error: Exception) -> Exception:
        """Turn what the client raised into one sentence, or into another attempt."""
        import json

        import httpx
        import openai

        if isinstance(error, (openai.APITimeoutError, httpx.TimeoutException)):
            return self._silent()
        if isinstance(error, openai.APIStatusError):
            return self._refusal(error)
        if self.text:
            return self._broken("broke off in the middle")
        if isinstance(error, (openai.APIConnectionError, httpx.TransportError)):
            return _Again(f"{self._server()} can't be reached; start it or correct OPENAI_BASE_URL.")
        if isinstance(
            error, (json.JSONDecodeError, openai.APIResponseValidationError, ValueError, TypeError, AttributeError)
        ):
            return ModelError(f"{self._server()} answered with something that is no chat reply; check OPENAI_BASE_URL.")
        detail = self._model.masked(" ".join(str(error).split())[:200])
        return ModelError(f"{self._server()} reported an error: {detail.rstrip('.')}.")

    def _refusal(self, error: Any) -> Exception:
        status, server = error.status_code, self._server()
        detail = self._model.masked(" ".join(str(error.message).split())[:200]).rstrip(".")
        if status in (401, 403):
            return ModelError(f"{server}: the key was refused; setting OPENAI_API_KEY holds it.")
        if status == 404:
            return ModelError(
                f"{server} knows no model {self._model.name!r} or no such address (404); "
                "correct RAG_MODEL or OPENAI_BASE_URL."
            )
        if status in (400, 422):
            named = [key for key in _OPTIONAL if key in detail and key not in self._model._refused]
            if named:
                return _Again(detail, drop=named[0])
        if status not in _RETRIED:
            return ModelError(f"{server} refused the request ({status}): {detail}.")
        wait = _retry_after(error.response.headers)
        busy = "is busy (429)" if status == 429 else f"failed ({status})"
        if wait is not None and wait > LONGEST_WAIT:
            return ModelError(f"{server} {busy} and asks to wait {wait:.0f} s; try again then.")
        return _Again(f"{server} {busy} and stayed so after {self._calls} calls; try again later.", wait=wait)

    def _silent(self) -> ModelError:
        seconds = self._model._config.timeout
        kind = ModelInterrupted if self.text else ModelError
        return kind(
            f"{self._server()} was silent for {seconds:g} s (setting RAG_TIMEOUT); ask again or use another model."
        )

    def _broken(self, how: str) -> ModelError:
        if not self.text:
            return ModelError(f"{self._server()} answered with something that is no chat reply; check OPENAI_BASE_URL.")
        return ModelInterrupted(f"{self._server()} {how}; what had arrived of the reply is incomplete, ask again.")

    def _server(self) -> str:
        from urllib.parse import urlsplit

        return f"The model server at {urlsplit(self._model._base_url).netloc.rpartition('@')[2]}"


class _Again(Exception):
    """Ask for another attempt, after a wait or without a setting that the server refused."""

    def __init__(self, message: str, *, wait: float | None = None, drop: str = "") -> None:
        super().__init__(message)
        self.message, self.wait, self.drop = message, wait, drop


class _Connection:
    """The socket under a request, so that another thread can shut it while the reader waits on it."""

    def __init__(self) -> None:
        self._stream: Any = None

    def watch(self, request: Any) -> None:
        """Note each connection that the request makes."""
        request.extensions["trace"] = self._trace

    def _trace(self, name: str, info: dict[str, Any]) -> None:
        if name in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._stream = info["return_value"]

    def abort(self) -> None:
        """Shut the socket; the server sees the end and a waiting reader wakes."""
        stream, self._stream = self._stream, None
        held = stream.get_extra_info("socket") if stream is not None else None
        if held is not None:
            with contextlib.suppress(OSError):  # already closed
                held.shutdown(socket.SHUT_RDWR)


def _retry_after(headers: Any) -> float | None:
    from email.utils import parsedate_to_datetime

    value = str(headers.get("retry-after") or "").strip()
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def use_bundled_tokenizers() -> bool:
    """Point tiktoken at the files LlamaIndex ships, so that counting downloads nothing; tell whether they are there."""
    folder = _bundled_tokenizers()
    if folder is not None:
        os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(folder))
    return folder is not None


def _bundled_tokenizers() -> Path | None:
    spec = find_spec("llama_index")
    for place in spec.submodule_search_locations or () if spec else ():
        folder = Path(place) / "core" / "_static" / "tiktoken_cache"
        if folder.is_dir():
            return folder
    return None


def count_tokens(text: str, model: str) -> int:
    """Count a text's tokens offline: by the model's own tokenizer where it is known and here, else rather too many."""
    encoding = _encoding_name(model)
    cache = os.environ.get("TIKTOKEN_CACHE_DIR", "") if use_bundled_tokenizers() else ""
    if not cache or not (Path(cache) / _TOKENIZERS[encoding or "o200k_base"]).is_file():
        return len(text.encode()) // 2 + 1
    import tiktoken

    # Control strings such as <|endoftext|> in a paper are ordinary characters here.
    count = len(tiktoken.get_encoding(encoding or "o200k_base").encode(text, disallowed_special=()))
    return count if encoding else int(count * _UNKNOWN_MODEL_FACTOR) + 1


def _encoding_name(model: str) -> str:
    import tiktoken.model

    try:
        name = tiktoken.model.encoding_name_for_model(model)
    except KeyError:
        return ""
    return name if name in _TOKENIZERS else ""
