"""Which names and words of a question neither the library nor the dictionary knows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.retrieval.hybrid import Retriever
from rag.retrieval.mentions import Mention
from rag.text.dictionary import Dictionary, spellings
from rag.text.matching import stands_for
from rag.text.names import coined_names, long_names, name_key, spelt_out
from rag.text.words import STOPWORDS, Token, content_stems, stem, tokens
from rag.types import Paper

_STRANGE = 5  # shorter words that no dictionary has are more often typos than names
_LETTERS_AND_DIGITS = re.compile(r"(?=.*\d)[a-z][a-z\d]{2,}")
_OPENING = "“„«‘\"'"
_GENERIC = frozenset(
    """
        ai ml nlp cv pc ok faq pdf url us uk eu tldr id sota api qa ram cpu gpu tpu gb
    """.split()
)


class Strangers:
    """Finds what is unknown in questions to one library."""

    def __init__(self, retriever: Retriever, words: Dictionary) -> None:
        self._retriever, self._words = retriever, words

    def find(self, text: str, mentions: Sequence[Mention], papers: Sequence[Paper]) -> tuple[str, ...]:
        """Return names of the question that the library does not know, then its lower-case words that nobody knows."""
        taken = [(m.start, m.end) for m in mentions]
        candidates = (
            [] if text.isupper() else [(n.text, n.start, n.end) for n in (*long_names(text), *coined_names(text))]
        )
        candidates += [(text[t.start : t.end], t.start, t.end) for t in tokens(text) if self._is_strange(text, t)]
        unknown: dict[str, None] = {}
        for name, start, end in candidates:
            explained = any(stands_for(name, paper.abstract) for paper in papers)
            inside = any(a < end and start < b for a, b in taken)
            if not (inside or explained or name_key(name) in _GENERIC or self._knows(name)):
                unknown[name] = None
                taken.append((start, end))
        return tuple(unknown)

    def _knows(self, name: str) -> bool:
        """Tell whether the library holds a name: as one word, as these words side by side, or spelt out."""
        words = [stem(t.text) for t in tokens(name) if t.text not in STOPWORDS]
        # An ordinary word is looked up as any word is: "probabilities" stands in an index of stems.
        ordinary = len(words) == 1 and (name.islower() or name.istitle())
        alone = [name_key(name), *(words if ordinary else ())]
        if ordinary:
            alone += [stem(other) for other in spellings(name.casefold())]
        if any(self._retriever.document_frequency(alone).values()):
            return True
        if len(words) > 1 and self._retriever.has_phrase(words):
            return True
        meaning = content_stems(spelt_out(name))
        return bool(meaning) and all(self._retriever.document_frequency(meaning).values())

    def _is_strange(self, text: str, token: Token) -> bool:
        """Tell whether a word is no English word that we know, nor one with a slip of the finger."""
        word = token.text
        if _LETTERS_AND_DIGITS.fullmatch(word):
            return True
        if len(word) < _STRANGE or not word.isascii() or not word.isalpha() or word in STOPWORDS:
            return False
        # The first word of a sentence, or of a title in quotation marks, has its capital from where it stands.
        first = token.start < 2 or text[token.start - 2] in ".!?:" or text[token.start - 1] in _OPENING
        capital = text[token.start].isupper() and not first
        if self._words.explains(word):
            # "the Perspective API": an ordinary word that is a name here, unless every word is capitalised.
            return capital and not _is_title_case(text)
        return capital or not self._words.resembles(word)


def _is_title_case(text: str) -> bool:
    words = [t for t in tokens(text) if t.text not in STOPWORDS]
    return 2 * sum(text[t.start].isupper() for t in words) > len(words)
