"""Power cuts: an indexing process is killed hard, the next run completes it (long form: `tests.core.crashes`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rag.library.catalog import Catalog
from rag.library.indexing import complete
from rag.library.store import ChromaStore
from tests.core.crashes import crash, whole_run
from tests.fakes import WordEmbedder, make_paper


class Unlinked:
    """A store whose graph leads to one of its vectors no more, until that is stored again; the first upserts fail."""

    def __init__(self, store: ChromaStore, lost: str, failing: int = 0) -> None:
        self._store, self._lost, self._failing, self.upserted = store, lost, failing, 0

    def upsert(self, batch: Any, vectors: Any) -> None:
        self._store.upsert(batch, vectors)
        self.upserted += len(batch)
        if any(chunk.id == self._lost for _, chunk, _ in batch) and not self._failing:
            self._lost = ""
        if self._failing:
            raise KeyboardInterrupt

    def query(self, vector: Any, k: int, ids: Any = None) -> list[tuple[str, float]]:
        return [row for row in self._store.query(vector, k, ids) if row[0] != self._lost]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def test_a_vector_that_lost_its_links_in_an_interruption_is_stored_again_and_not_embedded_again(tmp_path: Path) -> None:
    catalog, store = Catalog(tmp_path), ChromaStore(tmp_path, None, "links")
    catalog.sync(
        "a.txt", [make_paper(f"Mill {n} hums at {n} hertz.", f"m{n:02}") for n in range(30)], remove_missing=True
    )
    with pytest.raises(KeyboardInterrupt):
        complete(catalog, Unlinked(store, "m07:0", failing=1), WordEmbedder())  # type: ignore[arg-type]
    embedder, unlinked = WordEmbedder(), Unlinked(store, "m07:0")

    complete(catalog, unlinked, embedder)  # type: ignore[arg-type]

    assert (embedder.texts, unlinked.upserted, store.count()) == ([], 1, 30)
    assert "m07:0" in dict(unlinked.query(store.vectors(["m07:0"])["m07:0"], 10))
    again = Unlinked(store, "m08:0")
    complete(catalog, again, embedder)  # type: ignore[arg-type]
    assert again.upserted == 0  # nothing was interrupted any more
    catalog.close()


@pytest.mark.slow
def test_a_killed_run_loses_nothing_and_the_next_pays_for_nothing_twice(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    seconds = whole_run(tmp_path / "whole", 300)
    for number, share in enumerate((0.45, 0.7, 0.85)):
        folder = tmp_path / str(number)
        folder.mkdir()
        crash(folder, 300, share * seconds, number)
