"""The parts that answers are made with, each made on first use and anew where the library's texts have changed."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from rag.library.catalog import Catalog
from rag.library.embedding import Remembering, vocabulary, weights_folder
from rag.library.keeping import Keeper
from rag.library.sentence_vectors import SentenceVectors
from rag.retrieval.filters import FilterTable
from rag.retrieval.hybrid import Retriever
from rag.retrieval.kept import kept_index
from rag.retrieval.lexical import LexicalIndex
from rag.retrieval.mentions import NameIndex
from rag.retrieval.searcher import Searcher
from rag.text.dictionary import Dictionary


class Parts:
    """Words, names, filters and the searcher of one library; every thread gets the same ones."""

    def __init__(
        self, folder: Path, keeper: Keeper, remembering: Remembering | None, sentences: SentenceVectors | None
    ) -> None:
        self._folder, self._keeper = folder, keeper
        self._catalog: Catalog = keeper.catalog
        self._remembering, self._sentences = remembering, sentences
        self._guard = threading.RLock()
        self._names: tuple[Any, Searcher] | None = None
        self._lexical: tuple[Any, LexicalIndex] | None = None
        self._table: tuple[Any, FilterTable] | None = None
        self._english: Dictionary | None = None

    def words(self) -> LexicalIndex:
        """Return the lexical index of the texts as they stand now; every thread gets the same one."""
        version = self._catalog.version()
        with self._guard:
            if self._lexical is None or self._lexical[0] != version:
                index = kept_index(self._folder, self._catalog.mark(), lambda: LexicalIndex(self._catalog.terms()))
                self._lexical = (version, index)
            return self._lexical[1]

    def filters(self) -> FilterTable:
        """Return what finds papers by venue, year, author and keyword."""
        version = self._catalog.version()
        with self._guard:
            if self._table is None or self._table[0] != version:
                self._table = (version, FilterTable(self._catalog.metadata()))
            return self._table[1]

    def dictionary(self) -> Dictionary:
        """Return the common words of English, as the embedding model's vocabulary has them."""
        with self._guard:
            if self._english is None:
                folder = weights_folder()
                self._english = Dictionary(vocabulary(folder) if folder else ())
            return self._english

    def searcher(self) -> Searcher:
        """Return what gathers evidence from this library, as it stands now."""
        with self._guard:
            version = self._catalog.names_version()
            if self._names is None or self._names[0] != version:
                words, index = self.dictionary(), self.words()
                retriever = Retriever(self._catalog, self._keeper.near, self._remembering, lambda: index)
                names = NameIndex(self._catalog.names(), words.__contains__, index.holding)
                searcher = Searcher(
                    self._catalog,
                    retriever,
                    self._remembering,
                    names,
                    words,
                    self._sentences,
                    lambda: self._keeper.misses,
                )
                self._names = (version, searcher)
            return self._names[1]
