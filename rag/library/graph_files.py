"""Whether the files are whole in which a Chroma folder keeps the graph over its vectors.

Chroma maps them into memory unseen: with a torn one the process ends without a word, with one that is missing it finds
only what was stored last.
"""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from pathlib import Path

# hnswlib's header: version, offset, most elements, elements, bytes an element, two offsets, highest level, entry point,
# three numbers of neighbours, a factor, effort.
_HEADER = struct.Struct("<i6QiI3QdQ")
_VERSION = 1  # the layout above; of another one nothing is known, and nothing is said
_FILES = ("header.bin", "data_level0.bin", "length.bin", "link_lists.bin")
_IDS = "index_metadata.pickle"
DATABASE = "chroma.sqlite3"


def fault_of(folder: Path) -> str:
    """Return what is wrong with the graphs in a Chroma folder, nothing where all are whole."""
    return next(filter(None, (_fault(folder / name, written) for name, written in _graphs(folder))), "")


def _graphs(folder: Path) -> list[tuple[str, bool]]:
    """Return the folder of each graph, and whether Chroma has noted that it was written to disk."""
    file = folder / DATABASE
    if not file.is_file():
        return []
    query = (
        "SELECT s.id, coalesce(max(m.seq_id), 0) FROM segments s LEFT JOIN max_seq_id m ON m.segment_id = s.id "
        "WHERE s.scope = 'VECTOR' GROUP BY s.id"
    )
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
            return [(str(name), bool(seen)) for name, seen in db.execute(query)]
    except sqlite3.Error:
        return []  # a database that can't be read, or an older one: Chroma itself says so, or brings it up


def _fault(graph: Path, written: bool) -> str:
    there = [name for name in (*_FILES, _IDS) if (graph / name).is_file()]
    if not written:  # what was not noted is read again from the log
        return ""
    for name in (*_FILES, _IDS):
        if name not in there:
            return f"{name} is missing"
    head = (graph / "header.bin").read_bytes()
    if head[:4] != struct.pack("<i", _VERSION):
        return "" if len(head) == _HEADER.size else "header.bin is torn"
    if len(head) != _HEADER.size:
        return "header.bin is torn"
    _, _, most, elements, size, *_ = _HEADER.unpack(head)
    for name, least in (("data_level0.bin", elements * size), ("length.bin", elements * 4)):
        if elements > most or (graph / name).stat().st_size < least:
            return f"{name} is torn"
    return ""
