"""Whether the files are whole in which a Chroma folder keeps the graph over its vectors.

Chroma maps them into memory unseen: with a torn one the process ends without a word, with one that is missing it finds
only what was stored last, and in a garbled one a search follows links that lead nowhere. The layout is hnswlib's
(Malkov and Yashunin, 2016): of each element its links on the lowest level, its unit vector and its label; then, in a
file of their own, its links on the levels above. Reading 5,000 takes 10 ms.
"""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

# hnswlib's header: version, offset, most elements, elements, bytes an element, two offsets, highest level, entry point,
# three numbers of neighbours, a factor, effort.
_HEADER = struct.Struct("<i6QiI3QdQ")
_VERSION = 1  # the layout above; of another one nothing is known, and nothing is said
_VERSIONS = 100  # there are fewer versions than that
_FILES = ("header.bin", "data_level0.bin", "length.bin", "link_lists.bin")
_IDS = "index_metadata.pickle"
DATABASE = "chroma.sqlite3"
_ROWS = 4096  # elements looked at together
_UNIT = 0.01  # how far from 1 the length of a stored vector may lie; a vector of zeros has none


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
        if len(head) != _HEADER.size:
            return "header.bin is torn"
        return "" if 0 < int.from_bytes(head[:4], "little") < _VERSIONS else "header.bin is garbled"
    if len(head) != _HEADER.size:
        return "header.bin is torn"
    layout = _Layout.read(head)
    for name, least in (("data_level0.bin", layout.elements * layout.size), ("length.bin", layout.elements * 4)):
        if layout.elements > layout.most or (graph / name).stat().st_size < least:
            return f"{name} is torn"
    if not layout.is_sound():
        return "header.bin is garbled"
    for name, is_sound in (("data_level0.bin", _elements_are_sound), ("link_lists.bin", _links_are_sound)):
        if not is_sound(graph / name, layout):
            return f"{name} is garbled"
    lengths = np.fromfile(graph / "length.bin", dtype="<f4", count=layout.elements)
    return "" if _are_lengths(lengths) else "length.bin is garbled"


@dataclass(frozen=True, slots=True)
class _Layout:
    """What the header says of the other files: numbers of elements and neighbours, and places within an element."""

    most: int
    elements: int
    size: int
    label: int
    vector: int
    entry: int
    neighbours: int  # of an element on the upper levels
    lowest: int  # on the lowest

    @classmethod
    def read(cls, head: bytes) -> _Layout:
        _, _, most, elements, size, label, vector, _, entry, neighbours, lowest, *_ = _HEADER.unpack(head)
        return cls(most, elements, size, label, vector, entry, neighbours, lowest)

    def is_sound(self) -> bool:
        fits = self.vector == 4 + 4 * self.lowest and self.label == self.size - 8 and self.label > self.vector
        return fits and (self.entry < self.elements or not self.elements)


def _elements_are_sound(path: Path, layout: _Layout) -> bool:
    """Tell whether each element links to others that are there, and its vector has the length of one."""
    with path.open("rb") as file:
        for start in range(0, layout.elements, _ROWS):
            count = min(_ROWS, layout.elements - start)
            rows = np.frombuffer(file.read(count * layout.size), dtype=np.uint8).reshape(count, layout.size)
            links = rows[:, 4 : layout.vector].copy().view("<u4")
            if not _are_links(rows[:, :2].copy().view("<u2")[:, 0], links, layout):
                return False
            vectors = rows[:, layout.vector : layout.label].copy().view("<f4")
            with np.errstate(all="ignore"):
                lengths = np.sqrt((vectors * vectors).sum(axis=1))
            if not _are_lengths(lengths):
                return False
    return True


def _links_are_sound(path: Path, layout: _Layout) -> bool:
    """Tell whether the file is a list of links for each element, level by level, to others that are there."""
    held, place, width = path.read_bytes(), 0, 4 + 4 * layout.neighbours
    lists = []
    for _ in range(layout.elements):
        size = int.from_bytes(held[place : place + 4], "little")
        lists.append(held[place + 4 : place + 4 + size])
        place += 4 + size
        if size % width or place > len(held):
            return False
    rows = np.frombuffer(b"".join(lists), dtype=np.uint8).reshape(-1, width)
    return _are_links(rows[:, :2].copy().view("<u2")[:, 0], rows[:, 4:].copy().view("<u4"), layout)


def _are_links(counts: np.ndarray, links: np.ndarray, layout: _Layout) -> bool:
    used = np.arange(links.shape[1]) < counts[:, None]
    return bool((counts <= links.shape[1]).all() and (links[used] < layout.elements).all())


def _are_lengths(lengths: np.ndarray) -> bool:
    with np.errstate(all="ignore"):  # noise may be no number at all
        return bool(((np.abs(lengths - 1) <= _UNIT) | (lengths == 0)).all())
