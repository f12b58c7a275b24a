"""Text to vectors by an OpenAI-compatible `/embeddings` endpoint, named by setting: batched, patient, bounded."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from rag.config import Config
from rag.errors import ModelError
from rag.library.embedding import packaged_embedder
from rag.types import Embedder

_LONGEST_WAIT = 120.0  # seconds that a server's Retry-After is obeyed; one that asks for more is given up on
_CHARACTERS_A_TOKEN = 4  # of English prose, for an estimate before anything is sent
_PASSING = (408, 409, 425, 429, 500, 502, 503, 504)


def make_embedder(config: Config) -> Embedder | None:
    """Return the embedder that is set: a service by name, else the packaged model, or None without its weights."""
    return ServiceEmbedder(config) if config.embedding_model else packaged_embedder()


class ServiceEmbedder:
    """An embedding model behind an OpenAI-compatible server; `tokens` counts what it has been sent."""

    probed = True  # a service can change a model behind its name

    def __init__(self, config: Config, sleep: Callable[[float], None] = time.sleep) -> None:
        self.name = config.embedding_model
        self.dimensions = config.embedding_dimensions
        self.fingerprint = f"{self.name}/service" + (f"/{self.dimensions}" if self.dimensions else "")
        self.tokens = 0
        self._config, self._sleep = config, sleep
        self._client: Any = None

    def embed(self, texts: Iterable[str]) -> Any:
        """Return float32 unit vectors, a row a text; raises `ModelError` after the bounded retries."""
        texts = list(texts)
        size = self._config.embedding_batch
        parts = [self._batch(texts[i : i + size]) for i in range(0, len(texts), size)]
        if not parts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        vectors = np.concatenate(parts)
        self.dimensions = int(vectors.shape[1])
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.maximum(norms, 1e-12)

    def estimate(self, characters: int) -> tuple[int, float | None]:
        """Return about how many tokens a text of so many characters is, and their price where one is set."""
        tokens = math.ceil(characters / _CHARACTERS_A_TOKEN)
        price = self._config.embedding_price
        return tokens, (tokens * price / 1_000_000 if price else None)

    def _batch(self, texts: Sequence[str]) -> Any:
        for attempt in range(self._config.retries + 1):
            try:
                return self._call(texts)
            except _Passing as error:
                if attempt == self._config.retries:
                    raise ModelError(f"{error} It was asked {attempt + 1} times; try again later.") from error
                self._sleep(error.wait if error.wait is not None else 2.0**attempt)
        raise AssertionError("the loop returns or raises")

    def _call(self, texts: Sequence[str]) -> Any:
        import openai

        if self._client is None:
            self._client = openai.OpenAI(
                api_key=self._config.embedding_key or "none",
                base_url=self._config.embedding_url or None,
                timeout=self._config.timeout,
                max_retries=0,  # retried here, where the wait is bounded and told
            )
        options: dict[str, Any] = (
            {"dimensions": self._config.embedding_dimensions} if self._config.embedding_dimensions else {}
        )
        try:
            reply = self._client.embeddings.create(
                model=self.name, input=list(texts), encoding_format="float", **options
            )
        except openai.APIStatusError as error:
            raise self._refused(error) from error
        except openai.APIConnectionError as error:
            raise _Passing(f"The embedding server {self._where} does not answer.") from error
        usage = getattr(reply, "usage", None)
        self.tokens += int(getattr(usage, "total_tokens", 0) or 0)
        return self._vectors(reply, len(texts))

    def _vectors(self, reply: Any, count: int) -> Any:
        rows = sorted(reply.data or (), key=lambda row: row.index)
        sizes = {len(row.embedding) for row in rows}
        if len(rows) != count or len(sizes) != 1:
            raise ModelError(
                f"The embedding server {self._where} gave {len(rows)} vectors of sizes {sorted(sizes)} for {count} "
                "texts; check that its model is an embedding model."
            )
        return np.asarray([row.embedding for row in rows], dtype=np.float32)

    def _refused(self, error: Any) -> ModelError:
        code = error.status_code
        said = self._config.masked(str(error.message))[:300]
        if code in (401, 403):
            return ModelError(
                f"The embedding server {self._where} refused the key ({code}); "
                "set RAG_EMBEDDING_API_KEY or OPENAI_API_KEY."
            )
        if code not in _PASSING:
            return ModelError(f"The embedding server {self._where} answered {code} for model {self.name!r}: {said}")
        wait = _seconds(error.response.headers.get("retry-after"))
        if wait is not None and wait > _LONGEST_WAIT:
            return ModelError(
                f"The embedding server {self._where} answered {code} and asks to wait {wait:g} s; try again then."
            )
        return _Passing(f"The embedding server {self._where} answered {code}: {said}", wait)

    @property
    def _where(self) -> str:
        return self._config.embedding_url or "of the openai package's default"


class _Passing(ModelError):
    """A failure that may pass: how long the server asks to wait, where it says."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


def _seconds(header: str | None) -> float | None:
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:
        return None  # a date: the doubling wait serves as well
