"""How a text speaks of a term: the word itself, a form of it, or another word for the same thing. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from rag.text.words import STOPWORDS, Token, stem, tokens

_PREFIX = 5  # letters that two stems share when they are forms of one word: "visual" and "visualis"
_STOP = re.compile(r"[.,;:?!]\s")
_SHORTEST = 4  # letters of a stem that may have forms; its forms share as many, which rules most pairs out at once

# Words of questions and words of abstracts for one thing: the general language of the field, one group a line.
_GROUPS = """
fast faster quick quicker quickly speed speedup accelerate accelerates rapid latency throughput
cut reduce reduces shrink decrease lower save smaller compress less drop attenuate suppress suppresses
improve gain boost better increase raise enhance outperform surpass beat win
accuracy correct accurate score precise
cost expensive compute overhead price budget
memory storage footprint ram
data dataset corpus samples
test benchmark evaluate dataset suite
code github repository source repo implementation release available
teacher instructor tutor
problem challenge limitation issue obstacle bottleneck difficulty shortcoming fail trouble wrong weakness
cause stems due reason because driver
avoid prevent stop mitigate alleviate circumvent
train learn finetune fine-tune tuning curriculum
component part module piece consists comprise stage
human person people expert annotator
field domain area discipline
compare versus against baseline rival competitor
prove proof theorem theoretical theory
attack adversary inversion
robot manipulation arm grasp
picture image photo visual
watch see look visible view
film video clip movie
language text
decide choose select pick determine
guess predict forecast outcome
big large size scale huge
split partition divide
token word
remove erase wash strip cancel
detect spot find recognise recognize identify
make build construct create generate synthesize produce
remember memorize recall store
render draw renderer
answer response reply
mistake error fault
confidence certainty calibration awareness
open public
question query
quantization quantisation quantized bit precision
phase stage step
write wrote written
find found
build built
choose chose chosen
keep kept
teach taught
hold held
fall fell fallen
rise rose risen
lose lost loss
begin began start
mean meant meaning
speak spoke spoken speaker
""".strip().splitlines()


def _synonyms() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for line in _GROUPS:
        group = frozenset(stem(t.text) for t in tokens(line))
        for word in group:
            table[word] = table.get(word, frozenset()) | group
    return table


_SYNONYMS = _synonyms()


def same_word(a: str, b: str) -> bool:
    """Tell whether two stems are forms of one word."""
    if a == b:
        return True
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    if len(short) < _SHORTEST or not short.isalpha():
        return False
    shared = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(short))
    return (shared >= _PREFIX and shared >= len(short) - 2) or (shared == len(short) and len(long) - len(short) <= 3)


def match_strength(term: str, stems: frozenset[str]) -> float:
    """Return how surely a text with these stems speaks of a term: 1 the word, 0.85 a form, 0.6 a synonym, else 0."""
    if term in stems:
        return 1.0
    head = term[:_SHORTEST]
    if any(other.startswith(head) and same_word(term, other) for other in stems):
        return 0.85
    return 0.6 if _SYNONYMS.get(term, frozenset()) & stems else 0.0


def coverage(terms: Sequence[str], weights: Mapping[str, float], stems: frozenset[str]) -> float:
    """Return the weighted share of terms that a text speaks of, 0-1; 0 where there are no terms."""
    total = sum(weights[t] for t in terms)
    return sum(weights[t] * match_strength(t, stems) for t in terms) / total if total else 0.0


def rarity(count: int, documents: int) -> float:
    """Return the inverse document frequency of a term in `count` of so many documents (BM25's form)."""
    return math.log(1 + (documents - count + 0.5) / (count + 0.5))


def stands_for(acronym: str, text: str) -> bool:
    """Tell whether words of a text side by side begin with an acronym's letters: "RL", "reinforcement learning".

    Function words may stand inside ("chain of thought"), counted or not, but at neither end, and no stop between.
    """
    letters = re.sub(r"[^a-z]", "", acronym.casefold().removesuffix("s") if acronym[-1:] == "s" else acronym.casefold())
    words = list(tokens(text))
    return len(letters) >= 2 and any(_spells(letters, words[place:], text) for place in range(len(words)))


def _spells(letters: str, words: Sequence[Token], text: str) -> bool:
    """Tell whether the first words spell an acronym with their initials."""
    left, end = letters, -1
    for word in words[: 2 * len(letters)]:
        function = word.text in STOPWORDS
        broken = end >= 0 and _STOP.search(text, end, word.start) is not None
        if broken or (word.text[0] != left[0] and (end < 0 or not function)):
            return False
        if word.text[0] == left[0]:
            left = left[1:]
            if not left or (function and end < 0):
                return not function
        end = word.end
    return False
