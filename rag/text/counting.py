"""How many of what: the thing that a question counts, and whether a text has a number of such things. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from rag.text.kinds import is_spoken_of
from rag.text.matching import match_strength
from rag.text.words import NUMBER_WORDS, STOPWORDS, stem, tokens

_COUNTS = re.compile(
    r"\b(?:how (?:many|mny)|(?<!on the )(?<!with the )(?<!in the )(?:the )?\bnumber of|count of|# ?of)\s+"
    r"(?:of\s+)?(?:the\s+|their\s+|its\s+|these\s+|those\s+)?",
    re.IGNORECASE,
)
_NOUN_PHRASE_ENDS = frozenset(["per", "each", "used", "needed", "behind", "times"])
# Past tenses, beside those in -ed, that end the phrase of what is counted: "how many clients took part".
_DID = frozenset(
    """
        took made got ran did went came gave saw won died kept sent fell rose lost held left met needed had showed wrote
        read felt found chose grew paid sat stood take make get run go come give see win die keep fall rise lose hold
        need show write feel find choose fare agree live survive
    """.split()
)
_LINKS = frozenset(["of", "is", "was", "from", "to", "by", "at", "are", "were", "reaches", "equals"])
_NOUN_PHRASE = 3  # words
_REACH = 5  # words behind a number among which stands what it counts


def is_deed(word: str) -> bool:
    """Tell whether a word behind a noun says what was done: "clients took part", "people answered"."""
    return word in _DID or (len(word) >= len("acted") and word.endswith("ed") and word != "speed")


@lru_cache(maxsize=256)
def counted_thing(question: str) -> tuple[str, ...]:
    """Return the stems of the words behind "how many" that name what is counted; none where nothing is."""
    match = _COUNTS.search(question)
    found: list[str] = []
    for token in tokens(question[match.end() :]) if match else ():
        ends = token.text in STOPWORDS or token.text in _NOUN_PHRASE_ENDS or is_deed(token.text)
        if ends or token.is_number or len(found) == _NOUN_PHRASE:
            break
        found.append(stem(token.text))
    return tuple(found)


def counts(thing: Collection[str], text: str) -> bool:
    """Tell whether a number of a text counts such a thing, by any word of its kind: "40 physicians" are doctors."""
    words = list(tokens(text))
    for place, token in enumerate(words):
        if token.is_number or (token.text in NUMBER_WORDS and token.text != "one"):
            near = [w.text for w in words[place + 1 : place + 1 + _REACH]]
            # "The number of subjects was 40."
            if place >= 2 and words[place - 1].text in _LINKS:
                near.append(words[place - 2].text)
            stems = frozenset(map(stem, near))
            if any(match_strength(term, stems) or is_spoken_of(term, stems) for term in thing):
                return True
    return False
