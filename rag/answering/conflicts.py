"""How a sentence of an abstract stands against what a question takes for granted, and how strongly. Pure.

The question's words are laid against the words of one sentence. What then stands against it is concrete: a denial that
reaches these words, a rise where the question has a fall, "similar" where it has a difference, an opposite word, or the
same thing said of others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.checking.alignment import match
from rag.checking.lexicon import COMMON, DOWN, FRAMING, UP, opposite
from rag.text.matching import same_word
from rag.text.words import STOPWORDS, stem, tokens


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


_MORE = UP | _stems("longer thicker wider heavier deeper bigger stronger taller scale extra add most rise better win")
_LESS = DOWN | _stems("shorter thinner narrower lighter shallower weaker worst least fall fell shrank lose loses lost")
_DOWNWARDS = re.compile(
    r"\b(?:go|goes|going|went|come|comes|came|bring|brings|brought|push\w*|driv\w+) (?:\w+ ){0,3}?down\b", re.IGNORECASE
)
_EXCESS = re.compile(r"(?P<side>over|under)-?[a-z]{4,}")
_DENIAL = re.compile(
    r"\b(?:not|never|neither|nor|cannot|without|rather than|instead of|unlike|no|none of|free (?:of|from)|"
    r"fail(?:s|ed)? to|lack(?:s|ed|ing)?|unable to|no longer|avoid(?:s|ed|ing)?|obviat\w+|eliminat\w+|"
    r"remov\w+ the need for|far from|contrary to|"
    r"(?:ha(?:s|ve|d)|is|are|was|were|do(?:es)?|did|could|would|ca|wo)n['’]t)\b",
    re.IGNORECASE,
)
_NO_DENIAL = re.compile(
    r"\b(?:not only|not just|not merely|not necessarily|whether or not|no (?:less|more|fewer) than|no doubt)\b",
    re.IGNORECASE,
)
_FREE = re.compile(r"\b(?P<what>[\w-]+?)-(?:free|agnostic|less)\b", re.IGNORECASE)
_ONLY = re.compile(r"\bonly\b", re.IGNORECASE)
_ONLY_REACH = 40  # characters behind an "only" in a question: whatever else is ruled out
_REACH = 7  # words behind a denial, at most, to the end of its clause
_REACH_ENDS = re.compile(
    r"[,;:()—]|\.\s|\b(?:but|while|whereas|although|though|because|since|as|when|than|which)\b", re.IGNORECASE
)
_EQUAL = re.compile(
    r"\b(?:similar|similarly|comparable|comparably|the same|identical|identically|equal|equally|equivalent|unchanged|"
    r"untouched|on par|in both|both groups|regardless of|irrespective of|independent(?:ly)? of|did not|"
    r"no (?:statistically )?(?:significant |clear |notable |measurable |additional |further |extra )*"
    r"(?:differen\w+|effect|change|benefit|gain|improvement|impact|influence|association|correlation|relation\w*|"
    r"advantage|increase|decrease|reduction)s?|"
    r"(?:not|n['’]t) (?:statistically )?(?:significant\w*|differ\w*|change\w*|correlat\w*|affect\w*|improv\w*|help\w*|"
    r"increas\w*|decreas\w*|matter)|preserv\w+|maintain\w+|retain\w+|"
    r"without (?:sacrific\w+|compromis\w+|los\w+|degrad\w+|hurting|harming|reducing))\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:alternatives?|existing|prior|previous|current|conventional|prevailing|traditional|standard|other|earlier|"
    r"recent|unlike|most|widely|commonly|typical(?:ly)?|usual(?:ly)?|competitors?|baselines?|claimed|popular|one might|"
    r"compared (?:to|with)|than)\b",
    re.IGNORECASE,
)
_OTHERS_REACH = 60  # characters
_COMPARES = re.compile(
    r"\b(?:more|less|fewer|better|worse|outperform\w*|beat\w*|advantage|benefit\w*|help\w*|gain\w*|improv\w*|effect\w*|"
    r"affect\w*|differ\w*|increas\w*|decreas\w*|reduc\w*|drop\w*|cut\w*|ris\w+|rais\w+|grow\w*|fall\w*|chang\w*|los\w+|"
    r"cost\w*|faster|slower|hurt\w*|harm\w*|boost\w*|correlat\w*|depend\w*|matter\w*|adapt\w*|fine-?tun\w*|retrain\w*|"
    r"replac\w*|[a-z]{3,}(?<!numb)(?<!ord)(?<!pap)(?<!pow)(?<!lay)(?<!oth)(?<!und)(?<!aft)er)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[;:—]|,\s+(?:but|while|whereas|although|though|and)\b|\b(?:but|while|whereas|although|though)\b", re.IGNORECASE
)
_TAG = re.compile(
    r"\W*\b(?:right|correct|no|true|yes|isn['’]?t that (?:so|right|true)|"
    r"(?:is|does|do|are|was|did|were|has|have|can)n['’]?t (?:it|they|that|he|she|we))\W*$",
    re.IGNORECASE,
)
_NEAR = 4  # words to each side of a rise or fall that say what rises or falls
_ENOUGH = 2.0  # weight of words from which on more make no difference
_FORM = 0.85  # of a match by another form, a synonym, or another word for the same direction
_FRAME_WEIGHT, _COMMON_WEIGHT = 0.3, 0.5


def without_tag(question: str) -> str:
    """Return a question without what asks for assent at its end: "right?", "isn't it?"."""
    tag = _TAG.search(question)
    return question[: tag.start()] if tag else question


@dataclass(frozen=True, slots=True)
class _Word:
    """A word that tells something: 1 or -1 as sign if it says more or less, and whether a denial reaches it."""

    stem: str
    start: int
    weight: float
    sign: int
    denied: bool


@dataclass(frozen=True, slots=True)
class Conflict:
    """How one sentence stands against a question: each way, 0-1, and the share of the question that it speaks of."""

    share: float = 0.0
    denied: float = 0.0
    equal: float = 0.0
    turned: float = 0.0
    opposite: float = 0.0
    others: float = 0.0

    @property
    def strength(self) -> float:
        """Return the strongest way, less where the sentence speaks of little that the question does, 0-1."""
        spoken = min(1.0, 0.3 + self.share)
        ways = (self.denied, self.turned, self.opposite)
        return max(*(way * spoken for way in ways), self.equal, 0.7 * self.others * self.share)


def conflict(question: str, skipped: Sequence[tuple[int, int]], sentence: str, abstract: str) -> Conflict:
    """Lay a question, without the names at the `skipped` places, against one sentence of an abstract."""
    if sentence.endswith("?"):
        return Conflict()
    asked = [w for w in _words(without_tag(question)) if not any(a <= w.start < b for a, b in skipped)]
    told = _words(sentence)
    total = sum(w.weight for w in asked) or 1.0
    return Conflict(
        sum(q.weight * max((_same(q, s) for s in told), default=0.0) for q in asked) / total,
        min(_ENOUGH, _denied(asked, told)) / _ENOUGH,
        _equal(question, asked, sentence, told) / total,
        _turned(asked, told),
        float(_has_opposite(asked, told, _words(abstract))),
        min(_ENOUGH, _said_of_others(asked, sentence, told)) / _ENOUGH,
    )


def denies(term: str, sentence: str) -> bool:
    """Tell whether a denial of a sentence reaches a term."""
    return any(w.denied and _alike(term, w.stem) for w in _words(sentence))


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[_Word, ...]:
    denied = _reaches(text)
    down = [m.end() for m in _DOWNWARDS.finditer(text)]
    found = []
    for token in tokens(text):
        root = stem(token.text)
        excess = _EXCESS.fullmatch(token.text)
        sign = (root in _MORE or token.text == "more") - (root in _LESS)
        if token.end in down or excess:
            sign = 1 if excess and excess["side"] == "over" else -1
        if token.is_number or (token.text in STOPWORDS and not sign):
            continue
        framing = _FRAME_WEIGHT if root in FRAMING else _COMMON_WEIGHT if root in COMMON else 1.0
        weight = 0.0 if token.text in STOPWORDS else framing
        found.append(_Word(root, token.start, weight, sign, any(a <= token.start < b for a, b in denied)))
    return tuple(found)


def _reaches(text: str) -> list[tuple[int, int]]:
    """Return the places that a denial reaches."""
    skipped = [m.span() for m in _NO_DENIAL.finditer(text)]
    reaches = [m.span("what") for m in _FREE.finditer(text)]
    for found in _DENIAL.finditer(text):
        if any(a <= found.start() < b for a, b in skipped):
            continue
        end = _REACH_ENDS.search(text, found.end())
        words = list(re.finditer(r"[\w’'-]+", text[found.end() : end.start() if end else len(text)]))[:_REACH]
        if words:
            reaches.append((found.end(), found.end() + words[-1].end()))
    if text.rstrip().endswith("?"):
        reaches += [(m.end(), m.end() + _ONLY_REACH) for m in _ONLY.finditer(text)]
    return reaches


@lru_cache(maxsize=65536)
def _alike(left: str, right: str) -> float:
    return 1.0 if left == right else max(match(left, right), _FORM * same_word(left, right))


def _same(asked: _Word, told: _Word) -> float:
    """Return how surely two words say the same; more is never less."""
    if asked.stem == told.stem:
        return 1.0
    if asked.sign and told.sign:
        return _FORM if asked.sign == told.sign else 0.0
    return _alike(asked.stem, told.stem)


def _denied(asked: Sequence[_Word], told: Sequence[_Word]) -> float:
    """Return the weight of the question's words that the sentence has only where a denial reaches them."""
    weight = 0.0
    for word in asked:
        same = [s for s in told if _same(word, s)]
        if same and not word.denied and all(s.denied for s in same):
            weight += max(word.weight, _COMMON_WEIGHT * bool(word.sign))
    return weight


def _equal(question: str, asked: Sequence[_Word], sentence: str, told: Sequence[_Word]) -> float:
    """Return the weight of a comparing question's words in a clause that says there is no difference."""
    best = 0.0
    if not _COMPARES.search(question) or _EQUAL.search(question):
        return best
    for found in _EQUAL.finditer(sentence):
        left = max((place.end() for place in _CLAUSE.finditer(sentence, 0, found.start())), default=0)
        after = _CLAUSE.search(sentence, found.end())
        inside = [s for s in told if left <= s.start < (after.start() if after else len(sentence))]
        best = max(best, sum(q.weight for q in asked if any(_same(q, s) for s in inside)))
    return best


def _turned(asked: Sequence[_Word], told: Sequence[_Word]) -> float:
    """Return how surely something rises in the sentence that falls in the question, or the other way round."""
    best = 0.0
    for i, word in enumerate(asked):
        if not word.sign or word.denied or any(s.sign == word.sign and not s.denied for s in told):
            continue
        things = [w for w in asked[max(0, i - _NEAR) : i + _NEAR + 1] if w is not word]
        for k, other in enumerate(told):
            if other.sign == -word.sign and not other.denied:
                near = [s for s in told[max(0, k - _NEAR) : k + _NEAR + 1] if s is not other and s.weight]
                best = max(best, sum(w.weight for w in things if any(_same(w, s) for s in near)))
    return min(_ENOUGH, best) / _ENOUGH


def _has_opposite(asked: Sequence[_Word], told: Sequence[_Word], every: Sequence[_Word]) -> bool:
    """Tell whether a sentence has the opposite of a word of the question that the abstract nowhere has."""
    return any(
        q.weight and not q.denied and not s.denied and opposite(q.stem, s.stem) and not any(_same(q, o) for o in every)
        for q in asked
        for s in told
    )


def _said_of_others(asked: Sequence[_Word], sentence: str, told: Sequence[_Word]) -> float:
    """Return the weight of the question's words that the sentence says of other works alone."""
    best = 0.0
    for found in _OTHERS.finditer(sentence):
        near = [s for s in told if found.start() <= s.start <= found.end() + _OTHERS_REACH]
        rest = [s for s in told if s not in near]
        of_them = [q for q in asked if any(_same(q, s) for s in near) and not any(_same(q, s) for s in rest)]
        best = max(best, sum(q.weight for q in of_them))
    return best
