"""Where the files that travel with the package lie."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource(*parts: str) -> Path:
    """Return the path of a file or folder such as `resource("seeds", "icml-2026.txt")`.

    An installed wheel carries `seeds/` and `prompts/` inside this package and `eval/` beside it; a checkout has all
    three beside it.
    """
    packaged = _PACKAGE.joinpath(*parts)
    return packaged if packaged.exists() else _PACKAGE.parent.joinpath(*parts)
