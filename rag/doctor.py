"""`rag doctor`: what is installed, how it is configured, what is stored, and what to do about what is wrong."""

from __future__ import annotations

import platform
import sqlite3
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from rag.library.embedding import WEIGHTS_COMMAND, weights_are_genuine, weights_folder

if TYPE_CHECKING:
    from rag.pipeline import Library

_PACKAGES = ("rag-abstracts", "chromadb", "onnxruntime", "tokenizers", "llama-index-core", "openai", "gradio")


def examine(library: Library, *, deep: bool = False) -> dict[str, Any]:
    """Return versions, settings (secrets masked), the counts of one library, and its problems, a sentence each.

    With `deep` every passage is searched by its own text first, and what does not find itself is mended.
    """
    proof = library.prove() if deep else None
    folder = weights_folder()
    health = library.health()
    problems = []
    if folder is None:
        problems.append(f"The embedding weights are not installed; add them with: {WEIGHTS_COMMAND}")
    elif not weights_are_genuine(folder):
        problems.append(f"The embedding weights in {folder} are not the published ones; reinstall: {WEIGHTS_COMMAND}")
    if health.get("trouble"):
        problems.append(health["trouble"])
    elif health["pending"]:
        problems.append(f"{health['pending']} passages are not embedded; index the source again to complete it.")
    elif folder is not None and health["vectors"] != health["chunks"]:
        problems.append(
            f"Chroma holds {health['vectors']} vectors for {health['chunks']} passages; "
            f"build it again with: {library.keeper.rebuilding}"
        )
    if proof is not None and proof["unmended"]:
        problems.append(f"These passages don't find themselves: {', '.join(proof['unmended'][:10])}.")
    return {
        **({"proof": proof} if proof is not None else {}),
        "versions": {
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            **{p: _version(p) for p in _PACKAGES},
        },
        "settings": library.settings(),
        "library": health,
        "problems": problems,
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
