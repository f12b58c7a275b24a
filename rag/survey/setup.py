"""What an answer depends on beside the question and the abstracts: versions, settings, the code and the prompts."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rag.config import Config
from rag.library.chunking import VERSION
from rag.resources import resource

# Settings that change no answer, or tell of the machine or its user, are not written down.
_LEFT_OUT = frozenset({"home", "api_key", "base_url", "timeout", "retries"})


def setup(config: Config, model: str | None, embedder: str | None) -> dict[str, Any]:
    """Return the settings and versions that an answer depends on, as plain values without secrets."""
    settings = {key: value for key, value in config.shown().items() if key not in _LEFT_OUT}
    return {**settings, "model": model, "embedder": embedder, "chunking": VERSION, **_versions()}


@lru_cache(maxsize=1)
def _versions() -> dict[str, str]:
    try:
        number = version("rag-abstracts")
    except PackageNotFoundError:  # run from a checkout that is not installed
        number = "not installed"
    package = Path(__file__).resolve().parents[1]
    return {"version": number, "code": _mark(package, "*.py"), "prompts": _mark(resource("prompts"), "*")}


def _mark(folder: Path, pattern: str) -> str:
    """Return a hash of the files of a folder, so that a replay can say that the code or a prompt is another."""
    seen = hashlib.sha256()
    for path in sorted(folder.rglob(pattern)):
        if path.is_file() and "__pycache__" not in path.parts:
            seen.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return seen.hexdigest()[:12]
