"""Settings: read once, from `rag.toml` and the environment, into one frozen `Config`.

The only module that reads the environment. The environment wins over the file; unknown keys and malformed values stop
at once with the key, the value and the remedy.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rag.errors import ConfigError

CONFIG_FILE = "rag.toml"
LOCAL_MODEL = "local"
_ENDPOINTS = ("/chat/completions", "/completions", "/embeddings")


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its key in `rag.toml`, its environment name, its default and what it is for."""

    key: str
    env: str
    default: Any
    parse: Callable[[str, Any], Any]
    help: str
    secret: bool = False


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"{key} is {value!r}, but it must be text.")
    return value.strip()


def _mode(key: str, value: Any) -> str:
    if value not in ("auto", "extractive", "llm"):
        raise ConfigError(f"{key} is {value!r}, but it must be one of auto, extractive, llm.")
    return str(value)


def _number(low: float, high: float, kind: type) -> Callable[[str, Any], Any]:
    def parse(key: str, value: Any) -> Any:
        try:
            number = kind(value)
        except (TypeError, ValueError):
            number = None
        if number is None or isinstance(value, bool) or not low <= number <= high:
            raise ConfigError(f"{key} is {value!r}, but it must be a number from {low:g} to {high:g}.")
        return number

    return parse


def normalise_base_url(key: str, value: Any) -> str:
    """Return an OpenAI-compatible address in the form `http://host:port/v1`.

    A final slash or space is dropped and a pasted endpoint such as `/chat/completions` cut off; an address without any
    path gets `/v1`, which every OpenAI-compatible server uses.
    """
    text = _text(key, value).rstrip("/")
    if not text:
        return ""
    for endpoint in _ENDPOINTS:
        text = text.removesuffix(endpoint).rstrip("/")
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ConfigError(
            f"{key} is {value!r}, but it must be an address such as http://localhost:8000/v1; set it to your server's."
        )
    return text if parts.path.strip("/") else f"{text}/v1"


def _data_home() -> str:
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return str(Path(base) / "rag-abstracts")


SETTINGS: tuple[Setting, ...] = (
    Setting("home", "RAG_HOME", None, _text, "Folder that holds the libraries."),
    Setting("mode", "RAG_MODE", "auto", _mode, "auto, extractive or llm; auto uses a model only where one is named."),
    Setting("model", "RAG_MODEL", "", _text, "Name of the chat model; `local` is the packaged small model."),
    Setting("api_key", "OPENAI_API_KEY", "", _text, "Key sent to the model's server.", secret=True),
    Setting("base_url", "OPENAI_BASE_URL", "", normalise_base_url, "Address of an OpenAI-compatible server."),
    Setting("timeout", "RAG_TIMEOUT", 60.0, _number(0.05, 3600, float), "Seconds a model may stay silent."),
    Setting("retries", "RAG_RETRIES", 2, _number(0, 10, int), "Times a failed model call is tried again."),
    Setting(
        "context_window", "RAG_CONTEXT_WINDOW", 8192, _number(512, 10_000_000, int), "The model's window in tokens."
    ),
    Setting("max_tokens", "RAG_MAX_TOKENS", 512, _number(16, 100_000, int), "Longest reply asked for, in tokens."),
    Setting("temperature", "RAG_TEMPERATURE", 0.0, _number(0, 2, float), "Sampling temperature of the model."),
    Setting(
        "embedding_model",
        "RAG_EMBEDDING_MODEL",
        "",
        _text,
        "Embedding model of an OpenAI-compatible server; without one the packaged all-MiniLM-L6-v2.",
    ),
    Setting(
        "embedding_base_url",
        "RAG_EMBEDDING_BASE_URL",
        "",
        normalise_base_url,
        "Address of the embedding server; without one that of the model's server.",
    ),
    Setting(
        "embedding_api_key",
        "RAG_EMBEDDING_API_KEY",
        "",
        _text,
        "Key sent to the embedding server; without one that of the model's server.",
        secret=True,
    ),
    Setting(
        "embedding_dimensions",
        "RAG_EMBEDDING_DIMENSIONS",
        0,
        _number(0, 100_000, int),
        "Size of the vectors asked for; 0 leaves it to the model.",
    ),
    Setting("embedding_batch", "RAG_EMBEDDING_BATCH", 64, _number(1, 2048, int), "Texts sent in one embedding call."),
    Setting(
        "embedding_price",
        "RAG_EMBEDDING_PRICE",
        0.0,
        _number(0, 1000, float),
        "Price of a million embedded tokens; with it a large run's cost is told before it begins.",
    ),
    Setting(
        "chroma_token",
        "CHROMA_API_KEY",
        "",
        _text,
        "Token sent to the Chroma server named by --chroma.",
        secret=True,
    ),
    Setting("seed", "RAG_SEED", 0, _number(0, 2**31 - 1, int), "Seed sent to the model's server."),
)


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting of one process; see `SETTINGS` for the names and defaults."""

    home: Path
    mode: str
    model: str
    api_key: str
    base_url: str
    timeout: float
    retries: int
    context_window: int
    max_tokens: int
    temperature: float
    embedding_model: str
    embedding_base_url: str
    embedding_api_key: str
    embedding_dimensions: int
    embedding_batch: int
    embedding_price: float
    chroma_token: str
    seed: int

    def __repr__(self) -> str:
        """Show the settings with secrets masked."""
        return f"Config({', '.join(f'{key}={value!r}' for key, value in self.shown().items())})"

    def shown(self) -> dict[str, Any]:
        """Return the settings as plain values, secrets as `***`."""
        secret = {setting.key for setting in SETTINGS if setting.secret}
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {k: ("***" if k in secret and v else str(v) if isinstance(v, Path) else v) for k, v in values.items()}

    def masked(self, text: str) -> str:
        """Return a text, such as a server's error, without any secret in it."""
        for setting in SETTINGS:
            secret = getattr(self, setting.key) if setting.secret else ""
            text = text.replace(secret, "***") if secret else text
        return text

    @property
    def embedding_key(self) -> str:
        """Return the key for the embedding server; the model server's own goes to no other address."""
        return self.embedding_api_key or (self.api_key if not self.embedding_base_url else "")

    @property
    def embedding_url(self) -> str:
        """Return the address of the embedding server."""
        return self.embedding_base_url or self.base_url

    def resolve_mode(self, mode: str | None = None) -> str:
        """Return `extractive` or `llm`; an asked-for mode without a model is an error."""
        chosen = _mode("mode", mode or self.mode)
        if chosen == "auto":
            return "llm" if self.model else "extractive"
        if chosen == "llm" and not self.model:
            raise ConfigError(
                "Mode llm needs a model, and none is named; set RAG_MODEL (and OPENAI_API_KEY or OPENAI_BASE_URL)."
            )
        return chosen


def load_config(environ: Mapping[str, str] | None = None, folder: Path | None = None, **overrides: Any) -> Config:
    """Read the settings: defaults, `rag.toml` in `folder` (or the file `RAG_CONFIG` names), environment, overrides.

    Raises `ConfigError` for a key that is unknown or a value that does not fit.
    """
    environ = os.environ if environ is None else environ
    named = environ.get("RAG_CONFIG")
    path = Path(named) if named else (folder or Path.cwd()) / CONFIG_FILE
    if named and not path.is_file():
        raise ConfigError(f"RAG_CONFIG names {named!r}, but there is no such file; correct it or unset it.")
    table = _read_table(path) if path.is_file() else {}
    by_key = {setting.key: setting for setting in SETTINGS}
    unknown = sorted(set(table) - set(by_key))
    if unknown:
        raise ConfigError(f"{path} has the unknown key {unknown[0]!r}; known keys are {', '.join(by_key)}.")
    values: dict[str, Any] = {}
    for key, setting in by_key.items():
        if key in overrides and overrides[key] is not None:
            values[key] = setting.parse(key, overrides[key])
        elif environ.get(setting.env):
            values[key] = setting.parse(setting.env, environ[setting.env])
        elif key in table:
            values[key] = setting.parse(f"{key} in {path}", table[key])
        else:
            values[key] = setting.default
    values["home"] = Path(values["home"] or _data_home()).expanduser()
    return Config(**values)


def _read_table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML ({error}); mend it or remove it.") from error
