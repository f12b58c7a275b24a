"""How a sentence of an abstract can stand against what a question takes for granted: each way, and how strongly.

The question's words are laid against the words of one sentence. What then stands against it is concrete: a denial that
reaches some of these words, a rise where the question has a fall, "similar" where it has a difference, an opposite word,
or the same thing said of others. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.checking.alignment import match
from rag.checking.lexicon import BAD, COMMON, DOWN, FRAMING, UP, opposite
from rag.text.matching import same_word
from rag.text.words import STOPWORDS, stem, tokens


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


_MORE = UP | _stems("longer thicker wider heavier deeper bigger stronger taller scale extra add most rise better win")
_LESS = DOWN | _stems("shorter thinner narrower lighter shallower weaker worst least fall fell shrank lose loses lost go")
_DOWNWARDS = re.compile(r"\b(?:go|goes|going|went|come|comes|came|bring|brings|brought|push\w*|driv\w+) (?:\w+ ){0,3}?down\b", re.I)
_EXCESS = re.compile(r"(?P<side>over|under)-?(?P<rest>[a-z]{4,})")
# What denies, with the words that it reaches: to the end of the clause, or so many words.
_DENIAL = re.compile(
    r"\b(?:not|never|neither|nor|cannot|without|rather than|instead of|unlike|no|none of|free (?:of|from)|"
    r"fail(?:s|ed)? to|lack(?:s|ed|ing)?|unable to|no longer|avoid(?:s|ed|ing)?|obviat\w+|eliminat\w+|remov\w+ the need for|far from|"
    r"(?:ha(?:s|ve|d)|is|are|was|were|do(?:es)?|did|could|would|ca|wo)n['’]t|contrary to)\b",
    re.IGNORECASE,
)
_NO_DENIAL = re.compile(r"\b(?:not only|not just|not merely|not necessarily|whether or not|no (?:less|more|fewer) than|no doubt)\b", re.I)
_FREE = re.compile(r"\b(?P<what>[\w-]+?)-(?:free|agnostic|less)\b", re.IGNORECASE)
_REACH_ENDS = re.compile(r"[,;:()—]|\.\s|\b(?:but|while|whereas|although|though|because|since|as|when|than|which)\b", re.I)
_REACH = 7
_EQUAL = re.compile(
    r"\b(?:similar|similarly|comparable|comparably|the same|identical|identically|equal|equally|equivalent|unchanged|untouched|on par|"
    r"no (?:statistically )?(?:significant |clear |notable |measurable |additional |further |extra )*(?:differen\w+|effect|change|benefit|gain|improvement|impact|influence|association|correlation|relation\w*|advantage|increase|decrease|reduction)s?|"
    r"(?:not|n['’]t) (?:statistically )?(?:significant\w*|differ\w*|change\w*|correlat\w*|affect\w*|improv\w*|help\w*|increas\w*|decreas\w*|matter)|"
    r"in both|both groups|regardless of|irrespective of|independent(?:ly)? of|did not|preserv\w+|maintain\w+|retain\w+|without (?:sacrific\w+|compromis\w+|los\w+|degrad\w+|hurting|harming|reducing))\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"\b(?:alternatives?|existing|prior|previous|current|conventional|prevailing|traditional|standard|other|earlier|recent|unlike|"
    r"most|widely|commonly|typical(?:ly)?|usual(?:ly)?|competitors?|baselines?|claimed|popular|one might|compared (?:to|with)|than)\b",
    re.IGNORECASE,
)
_BACKGROUND = re.compile(r"\b(?:existing|prior|previous|current|conventional|prevailing|traditional|earlier|recent|however|challeng\w+|remains?|often|typically|most)\b", re.I)
_OWN = re.compile(r"\b(?:we|our|ours|this (?:paper|work|study|article)|us)\b", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?:more|less|fewer|better|worse|[a-z]{3,}er than|how much [a-z]+er|outperform\w*|beat\w*|advantage|benefit\w*|help\w*|gain\w*|"
    r"improv\w*|effect\w*|affect\w*|differ\w*|increas\w*|decreas\w*|reduc\w*|drop\w*|cut\w*|ris\w+|rais\w+|grow\w*|fall\w*|chang\w*|"
    r"los\w+|cost\w*|faster|slower|hurt\w*|harm\w*|boost\w*|correlat\w*|depend\w*|matter\w*|adapt\w*|fine-?tun\w*|retrain\w*|replac\w*|[a-z]{3,}(?<!numb)(?<!ord)(?<!pap)(?<!pow)(?<!lay)(?<!oth)(?<!und)(?<!aft)er)\b",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"\W*\b(?:right|correct|no|true|yes|(?:is|does|do|are|was|did|were|has|have|can)n['’]?t (?:it|they|that|he|she|we)|isn['’]?t that (?:so|right|true))\W*$",
    re.IGNORECASE,
)


def without_tag(question: str) -> str:
    """Return a question without what asks for assent at its end: "right?", "isn't it?"."""
    tag = _TAG.search(question)
    return question[: tag.start()] if tag else question


@dataclass(frozen=True, slots=True)
class _Word:
    stem: str
    start: int
    weight: float
    sign: int
    denied: bool


@dataclass(frozen=True, slots=True)
class Conflict:
    """How one sentence stands against a question: shares of the question's words, 0-1, and the ways, each 0-1."""

    share: float
    denied: float
    beside: float
    equal: float
    turned: float
    opposite: float
    others: float
    background: float


def _denials(text: str) -> list[tuple[int, int]]:
    """Return the spans that a denial reaches."""
    skipped = [m.span() for m in _NO_DENIAL.finditer(text)]
    spans = []
    for found in _DENIAL.finditer(text):
        if any(a <= found.start() < b for a, b in skipped):
            continue
        rest = text[found.end() :]
        end = _REACH_ENDS.search(rest)
        words = list(re.finditer(r"[\w’'-]+", rest[: end.start()] if end else rest))[:_REACH]
        if words:
            spans.append((found.end(), found.end() + words[-1].end()))
    spans += [m.span("what") for m in _FREE.finditer(text)]
    return spans


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[_Word, ...]:
    denied = _denials(text)
    down = [m.end() - 1 for m in _DOWNWARDS.finditer(text)]
    found = []
    for token in tokens(text):
        root = stem(token.text)
        sign = (root in _MORE or token.text == "more") - (root in _LESS and token.text != "go" and token.text != "goes")
        if any(abs(token.end - 1 - place) <= 1 for place in down):
            sign = -1
        excess = _EXCESS.fullmatch(token.text)
        if excess:
            sign = 1 if excess["side"] == "over" else -1
        if (token.text in STOPWORDS and not sign) or token.is_number:
            continue
        weight = 0.0 if sign and token.text in STOPWORDS else 0.3 if root in FRAMING else 0.5 if root in COMMON else 1.0
        found.append(_Word(root, token.start, weight, sign, any(a <= token.start < b for a, b in denied)))
    return tuple(found)


def _same(a: _Word, b: _Word) -> float:
    if a.stem == b.stem:
        return 1.0
    if a.sign and a.sign == b.sign:
        return 0.85
    if a.sign * b.sign < 0:
        return 0.0
    return max(match(a.stem, b.stem), 0.85 * same_word(a.stem, b.stem))


def conflict(question: str, skipped: Sequence[tuple[int, int]], sentence: str) -> Conflict:
    """Lay a question, without the names at the `skipped` places, against one sentence."""
    tag = _TAG.search(question)
    asked = [
        w for w in _words(question[: tag.start()] if tag else question)
        if not any(a <= w.start < b for a, b in skipped)
    ]
    told = _words(sentence)
    total = sum(w.weight for w in asked) or 1.0
    pairs = []
    for q in asked:
        best = max(((_same(q, s), -i) for i, s in enumerate(told)), default=(0.0, 0))
        if best[0]:
            pairs.append((q, told[-best[1]], best[0]))
    share = sum(q.weight * v for q, _, v in pairs) / total
    # Every place of a matched word counts: the denial may reach the second of two.
    denied = beside = 0.0
    for q in asked:
        same = [s for s in told if _same(q, s)]
        if not same:
            continue
        value = max(q.weight, 0.5 * bool(q.sign))
        if all(s.denied for s in same) and not q.denied:
            denied += value
        elif not q.denied:
            beside += value
    signs = [q for q in asked if q.sign and not q.denied]
    turned = _turned(asked, told)
    against = max(
        (
            1.0
            for q in asked
            for s in told
            if q.weight and opposite(q.stem, s.stem) and not q.denied and not s.denied and not any(_same(q, o) for o in told)
        ),
        default=0.0,
    )
    own = bool(_OWN.search(sentence))
    equal = float(bool(_EQUAL.search(sentence)) and bool(_COMPARES.search(question)) and not _EQUAL.search(question))
    others = 0.0
    for m in _OTHERS.finditer(sentence):
        near = [s for s in told if m.start() <= s.start <= m.end() + 60]
        others = max(others, sum(q.weight for q in asked if any(_same(q, s) for s in near) and not any(_same(q, s) for s in told if s not in near)))
    return Conflict(
        share,
        min(2.0, denied) / 2,
        min(3.0, beside) / 3,
        equal,
        turned,
        against,
        min(2.0, others) / 2,
        float(bool(_BACKGROUND.search(sentence)) and not own),
    )


def _turned(asked: Sequence[_Word], told: Sequence[_Word]) -> float:
    """Return how surely something rises in the sentence that falls in the question, or the other way round."""
    best = 0.0
    for i, q in enumerate(asked):
        if not q.sign or q.denied:
            continue
        if any(s.sign == q.sign and not s.denied for s in told):
            continue
        near_q = [w for w in asked[max(0, i - 4) : i + 5] if w is not q and w.weight]
        for k, s in enumerate(told):
            if s.sign != -q.sign or s.denied:
                continue
            near_s = [w for w in told[max(0, k - 4) : k + 5] if w is not s and w.weight]
            common = sum(w.weight for w in near_q if any(_same(w, o) for o in near_s))
            best = max(best, min(2.0, common) / 2)
    return best
