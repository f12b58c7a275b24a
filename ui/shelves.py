"""The shelf over the libraries of this machine."""

from __future__ import annotations

from rag.config import load_config
from rag.opening import open_library
from ui.library import Library, Shelf

_DATABASE = "library.db"  # what makes a folder a library


def shelf_of(first: Library, mode: str) -> Shelf:
    """Return a shelf with the library that the page is started with and those in the user's data folder."""
    config = load_config()

    def names() -> list[str]:
        if not config.home.is_dir():
            return []
        return [folder.name for folder in config.home.iterdir() if (folder / _DATABASE).is_file()]

    return Shelf(first, lambda name: open_library(name, mode=mode, config=config), names)
