"""Where an abstract speaks of something, and in what voice: as its own, of others, in a list of examples, or denied.

Sentences are cut and stemmed once an abstract and remembered, so that a second census reads nothing again.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from rag.census.concepts import Forms, alternatives, definitions, in_its_sense, prefix, root
from rag.text.sentences import Sentence, sentences
from rag.text.words import fold

Voice = Literal["own", "others", "listed", "denied"]

_MARK = re.compile(r"o\(\s*[a-z]\^?\{?2\}?\s*\)|[^\W_]+(?:'[a-z]+)?|[,;:()—–]")
_SQUARED = re.compile(r"\bo\(\s*[a-z]\^?\{?2\}?\s*\)")  # O(N^2) is how abstracts write "quadratic"
_AMBIGUOUS = 2  # acronyms this short mean different things in different papers, unless the reader or the abstract says
_SPREAD = 3  # words that may stand between the words of one phrase
_PUNCTUATION = frozenset(",;:()—–")
_DENIES = re.compile(
    r"\b(?:unlike|without|instead of|rather than|(?:in )?contrast(?:s|ing)? (?:to|with)|as opposed to|contrary to"
    r"|not (?:an?|the|rely|require|use|need|based|involve|assume|applicable)\b(?: \w+){0,2}?|"
    "n't (?:rely|require|use|need|involve)(?: on)?|no (?:need (?:for|of)|longer)|(?:no|non|nor|neither|lacks?"
    "|lacking|avoid(?:s|ing)?|bypass(?:es|ing)?|circumvent(?:s|ing)?|"
    "eliminat(?:es|ing)|remov(?:es|ing) the need (?:for|of)|replac(?:es|ing)|free of|free from|apart from|except"
    r"|excluding)|departing from|departure from|alternative to|beyond the|outside of)\b[^,;:]{0,45}$",
    re.IGNORECASE,
)
_NOT_ONLY = re.compile(
    r"\bnot (?:only|just|merely)\b|\bwithout (?:loss|compromis|sacrific|degrad|hurting|any loss)", re.IGNORECASE
)
_FREE = re.compile(r"^[-\s]free\b|^ (?:is|are) not (?:used|required|needed)\b", re.IGNORECASE)
_WORD_END = re.compile(r"\w*")  # the stem of a word ends before the word does
_ELSEWHERE = re.compile(r"^(?:\s\([A-Z]+\))? (?:literature|community)\b", re.IGNORECASE)
# "Distillation seeks to train a small network" tells what the field does, not what the paper does.
_DEFINES = re.compile(
    r"^(?:,? (?:\([\w-]+\)|learning|methods?|techniques?|approaches|algorithms?))? (?:seeks?|aims?|refers?"
    r"|attempts?|consists?"
    r"|(?:has|have) (?:become|emerged|been|shown|achieved)|(?:is|are) (?:(?:a|an|the|one of the) )?"
    r"(?:popular|common\w*|widely|powerful|promising|well-known|standard|effective|important|key|crucial"
    r"|essential))\b",
    re.IGNORECASE,
)
_LISTS = re.compile(
    r"\b(?:such as|including|e\.g\.,?|for (?:example|instance)|like|ranging from"
    r"|as well as)\b[^.;:]{0,90}$",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:we|our|ours|us|this (?:paper|work|study|article)|the proposed|in this|(?:extensive"
    r"|additional|comprehensive|numerical|empirical|further)\s+(?:\w+\s+)?(?:experiments?"
    "|evaluations?|results|stud(?:y|ies))|experiments?|experimental|results (?:on|show"
    r"|demonstrate|indicate)|evaluations?)\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:existing|prior|previous|previously|recent|recently|current|conventional|traditional|earlier|most|many"
    "|several|prevailing|typical|standard|"
    r"other|past|inspired by|in recent years|has been|have been|literature|baselines?)\b",
    re.IGNORECASE,
)
_APPLIES = re.compile(
    r"\b(?:applications?|applied|applicable|useful|implications?|extends?|extended|relevant|potential|future"
    r"|connections?|related|relation|insights?|inspired|motivated|borrow\w*|widely|areas?|fields"
    r"|domains)\b[^.;:]{0,60}$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence of an abstract, and its words and commas as stems."""

    sentence: Sentence
    words: tuple[str, ...]
    places: tuple[int, ...]  # where each word starts in the folded sentence


@dataclass(frozen=True, slots=True)
class Sighting:
    """One sentence in which something occurs: its number, the voice, and whether the phrase stands together."""

    index: int
    voice: Voice
    whole: bool = True


@lru_cache(maxsize=65_536)
def lines(abstract: str) -> tuple[Line, ...]:
    """Return the sentences of an abstract with their stems."""
    found = []
    for sentence in sentences(abstract):
        matches = list(_MARK.finditer(fold(sentence.text)))
        found.append(Line(sentence, tuple(_word(m.group()) for m in matches), tuple(m.start() for m in matches)))
    return tuple(found)


def _word(token: str) -> str:
    return root("quadratic") if _SQUARED.fullmatch(token) else root(token)


@lru_cache(maxsize=65_536)
def _letters(abstract: str) -> str:
    text = fold(abstract)
    return f"{text} quadratic" if _SQUARED.search(text) else text


def may_hold(abstract: str, choice: frozenset[str]) -> bool:
    """Tell cheaply, before any sentence is cut, whether an abstract can hold one of these stems."""
    text = _letters(abstract)
    return any(prefix(word) in text for word in choice)


@lru_cache(maxsize=262_144)
def sightings(abstract: str, forms: Forms) -> tuple[Sighting, ...]:
    """Return the sentences that hold a noun phrase in one of its forms."""
    acronyms = forms.acronyms if forms.acronyms is not None and forms.acronyms.search(abstract) else None
    possible = [p for p in (forms.phrase, *forms.others) if p and all(may_hold(abstract, alternatives(w)) for w in p)]
    if not possible and acronyms is None:
        return ()
    meanings = dict(definitions(abstract)) if acronyms is not None else {}
    found = []
    for index, line in enumerate(lines(abstract)):
        voices: list[tuple[Voice, bool]] = []
        if acronyms is not None:
            matches = (m for m in acronyms.finditer(line.sentence.text) if _means(m.group(), forms, meanings))
            voices += [(voice(line, m.start(), m.end()), True) for m in matches]
        for phrase in possible:
            if not in_its_sense(phrase, line.sentence.text, abstract):
                continue
            places = _places(line.words, phrase, phrase == forms.phrase)
            voices += [(voice(line, *_span(line, a, b)), whole) for a, b, whole in places]
        if voices:
            best = min(voices, key=lambda v: (not v[1], _ORDER.index(v[0])))
            found.append(Sighting(index, best[0], best[1]))
    return tuple(found)


def _means(name: str, forms: Forms, meanings: Mapping[str, tuple[str, ...]]) -> bool:
    """Tell whether an acronym means the phrase here: "DP" may be differential privacy or dynamic programming."""
    bare = name.removesuffix("s")
    if bare in meanings and forms.phrase:
        return meanings[bare] in (forms.phrase, *forms.others) or set(forms.phrase) <= set(meanings[bare])
    return len(bare) > _AMBIGUOUS or bare == forms.typed


_ORDER: tuple[Voice, ...] = ("own", "others", "listed", "denied")


def _span(line: Line, first: int, last: int) -> tuple[int, int]:
    return line.places[first], line.places[last] + len(line.words[last])


def _places(words: Sequence[str], phrase: tuple[str, ...], free: bool) -> list[tuple[int, int, bool]]:
    """Return where the words of a phrase stand: first and last word, and whether they stand together."""
    wanted = [alternatives(w) for w in phrase]
    first = wanted[0]
    together = []
    for start, word in enumerate(words):
        if word in first:
            end = _follow(words, wanted, start)
            if end is not None:
                together.append((start, end, True))
    if together or len(phrase) == 1 or not free:
        return together
    positions = [[i for i, w in enumerate(words) if w in choice] for choice in wanted]
    if not all(positions):
        return []
    first_word, last_word, near = _nearest(positions, len(phrase))
    # Across a comma or a bracket the words belong to different things: "Vision-Language-Action (VLA) models".
    broken = any(word in _PUNCTUATION for word in words[first_word:last_word])
    return [(first_word, last_word, near and not broken)]


def _follow(words: Sequence[str], wanted: Sequence[frozenset[str]], start: int) -> int | None:
    """Return where a phrase that starts here ends, its words in order with at most one word between two."""
    at = start
    for choice in wanted[1:]:
        step = next((n for n in (1, 2) if at + n < len(words) and words[at + n] in choice), None)
        # "vision, language" is a list and no phrase.
        if step is None or (step == 2 and words[at + 1] in _PUNCTUATION):
            return None
        at += step
    return at


def _nearest(positions: Sequence[Sequence[int]], size: int) -> tuple[int, int, bool]:
    best: tuple[int, int] | None = None
    for anchor in positions[0]:
        chosen = [min(row, key=lambda i, a=anchor: abs(i - a)) for row in positions]  # type: ignore[misc]
        span = (min(chosen), max(chosen))
        if best is None or span[1] - span[0] < best[1] - best[0]:
            best = span
    assert best is not None
    # "Translate a machine" is not machine translation: words that change places leave it to the meaning.
    ordered = [min((i for i in row if best[0] <= i <= best[1]), default=-1) for row in positions]
    in_order = all(a < b for a, b in itertools.pairwise(ordered))
    return best[0], best[1], in_order and best[1] - best[0] < size + _SPREAD


def voice(line: Line, start: int, end: int) -> Voice:
    """Tell in what voice a sentence speaks of what stands between two offsets."""
    text = line.sentence.text
    end = _WORD_END.match(text, end).end()  # type: ignore[union-attr]
    before, after = text[:start], text[end : end + 30]
    if (_DENIES.search(before) and not _NOT_ONLY.search(before[-60:])) or _FREE.match(after):
        return "denied"
    if _LISTS.search(before) or _APPLIES.search(before):
        return "listed"
    if _ELSEWHERE.match(after) or (_DEFINES.match(text[end : end + 60]) and not _OWN.search(text)):
        return "others"
    return "others" if _OTHERS.search(text) and not _OWN.search(text) else "own"
