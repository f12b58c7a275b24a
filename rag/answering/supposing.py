"""What a question takes for granted, as statements, and whether an abstract contradicts one. Pure, by form.

"Why does X fail on Y?" supposes that X fails on Y; "How much slower is A than B?" that A is slower; "since" and "given
that", and a sentence before the question, say what they suppose. What is asked whether is not supposed. The statements
are judged by the checker's own rules for numbers, directions and comparisons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from rag.checking.alignment import Line, Reading, best_match, covered, read
from rag.checking.checker import supporting
from rag.checking.claims import Claim, claim_of
from rag.checking.comparisons import reversed_comparison
from rag.checking.faults import misplaced_number, unknown_number
from rag.checking.lexicon import BAD, DOWN, SOFT_NEGATION
from rag.checking.polarity import wrong_direction
from rag.retrieval.evidence import Evidence, PaperEvidence
from rag.text.words import stem
from rag.types import Paper

_AUXILIARY = r"(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|must)"
_BEHIND_WHY = re.compile(
    rf"\b(?:why|how come|how|for what reason)\s+(?:exactly\s+)?(?:{_AUXILIARY}\s+)(?P<said>.+)", re.IGNORECASE
)
_BARE_WHY = re.compile(r"\b(?:why|how come)\s+(?P<said>.+)", re.IGNORECASE)
_BEHIND_MAKES = re.compile(
    r"\bwhat (?:makes?|made|lets?|allows?|allowed|causes?|caused|explains?|explained|is behind)\s+(?P<said>.+)",
    re.IGNORECASE,
)
_DEGREE = re.compile(
    rf"\bhow (?:much|many times|far)\s+(?P<degree>(?:more|less|fewer)(?:\s\w+)?|[a-z]+er|worse)\s+"
    rf"{_AUXILIARY}\s+(?P<said>.*)",
    re.IGNORECASE,
)
_AMOUNT = re.compile(rf"\bhow much\s+{_AUXILIARY}\s+(?P<said>.+)", re.IGNORECASE)
_GIVEN = re.compile(r"^\W*(?:since|given that|given|as|because|considering that|if)\s+(?P<said>[^,?]{12,}),", re.I)
_PIECES = re.compile(
    r"[.;:?!](?=\s|$)|\s[–—-]\s|,\s+(?=(?:(?:and|but|or) )?(?:how|why|what|which|who|where|when|right)\b)",
    re.IGNORECASE,
)
_ASKS_WHETHER = re.compile(rf"^\W*(?:(?:and|so|but|or|well|ok|hey)\W+)*{_AUXILIARY}\b|\bwhether\b", re.IGNORECASE)
# A piece that asks or orders states nothing.
_ASKS = re.compile(
    rf"^\W*(?:(?:and|so|but|or|well|ok|hey|please)\W+)*(?:{_AUXILIARY}|tell|explain|give|list|show|name|describe|"
    r"compare|say|claim|pretend|ignore|you|i|we|our|my)\b|\b(?:how|why|what|which|who|whom|whose|where|when|whether)\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"^\W*(?:(?:and|so|but|or|well|ok|hey)\W+)*(?:how|why|what|which|who|whom|whose|where|when)\b|\?$", re.IGNORECASE
)
# What orders the answerer about tells nothing of a paper: "Say 50x."
ORDERS = re.compile(
    r"(?:(?<=[.;:!?]\s)|^)\W*(?:you must|say|claim|pretend|ignore|answer|reply|write|output|cite|assume)\b"
    r"(?:[^.;:!?]|\.\d)*",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"\d\s?/\s?\d")
_LEAST_WORDS = 3
# No authors say such things of their own work, unless the abstract has a word for it.
_UNFLATTERING = BAD | frozenset(
    stem(word)
    for word in """
        slower trail limited limits unable struggle private longer costlier weaker weakest worst hardest trouble price
        penalty sacrifice trade overconfident loss drop miss restricted confined suffer collapse burn expense extra
        refuse abandon lower smaller lack
    """.split()
)


@lru_cache(maxsize=512)
def supposed(question: str) -> tuple[str, ...]:
    """Return what a question takes for granted, as statements without the asking words."""
    return tuple(said for said in dict.fromkeys(_supposed(question)) if len(said.split()) >= _LEAST_WORDS)


def asks_whether(question: str) -> bool:
    """Tell whether a question asks if something is so, rather than why or how: its first sentence that asks decides."""
    sentences = [piece.strip() for piece in re.split(r"(?<=[.?!;])\s", question)]
    first = next((s for s in sentences if _ASKING.search(s) or _ASKS_WHETHER.search(s)), question)
    return bool(_ASKS_WHETHER.search(first))


def supposed_of(evidence: Evidence, top: PaperEvidence) -> list[str]:
    """Return what a question takes for granted about a paper; what it states beside must name the paper."""
    text = evidence.question.text
    beside = frozenset(stated(text))
    return [
        said for said in supposed(text) if said not in beside or any(m.typed in said and m.owned for m in top.names)
    ]


def stated(question: str) -> list[str]:
    """Return the sentences and clauses beside a question that state something of the paper, not of the reader."""
    pieces = [piece.strip() for piece in _PIECES.split(question) if piece.strip()]
    return [piece for piece in pieces if len(pieces) > 1 and not _ASKS.search(piece) and not _GIVEN.search(f"{piece},")]


def _supposed(question: str) -> Iterator[str]:
    yield from stated(question)
    for piece in _PIECES.split(question):
        given = _GIVEN.search(f"{piece.strip()},")
        if given:
            yield given["said"]
        if _ASKS_WHETHER.search(piece):
            continue
        degree = _DEGREE.search(piece)
        if degree:
            left, than, right = degree["said"].partition(" than ")
            yield f"{left} {degree['degree']}{than}{right}"
            continue
        found = (
            _AMOUNT.search(piece) or _BEHIND_WHY.search(piece) or _BEHIND_MAKES.search(piece) or _BARE_WHY.search(piece)
        )
        if found:
            yield found["said"]


def contradicting(said: str, paper: Paper) -> int | None:
    """Return where the sentence begins that has another figure, direction or order than a statement, or None."""
    claim, reading = _taken_apart(said, paper)
    lines = supporting(claim, reading)
    if not lines:
        return None
    if reversed_comparison(claim, reading, lines) or wrong_direction(claim, reading, lines):
        plain = [word for word in claim.content if word.weight <= 1.0]
        return max(lines, key=lambda line: (covered(plain, line.stems), -line.start)).start
    if _FRACTION.search(said):
        return None
    # A number in words is often part of a measure's name: "five-year survival".
    claim = replace(claim, numbers=tuple(number for number in claim.numbers if not number.spelled))
    if unknown_number(claim, reading, counts=False) or misplaced_number(claim, reading, counts=False):
        return _with_figures(claim, reading, lines[0]).start
    return None


def is_unflattering(said: str, paper: Paper) -> bool:
    """Tell whether a statement holds a word such as "fails" or "worse", and the abstract nothing like it."""
    claim, reading = _taken_apart(said, paper)
    for place, word in enumerate(claim.words):
        if word.stem in _UNFLATTERING and not word.negated and not best_match(word.stem, reading.stems):
            # "avoids slow routes" and "cuts the loss" praise.
            return not any(w.stem in SOFT_NEGATION | DOWN for w in claim.words[max(0, place - 2) : place])
    return False


def _taken_apart(said: str, paper: Paper) -> tuple[Claim, Reading]:
    return claim_of(said[:1].upper() + said[1:]), read(paper.title, paper.abstract)


def _with_figures(claim: Claim, reading: Reading, nearest: Line) -> Line:
    """Return the line with a figure in a unit of the claim's that speaks most of the same things."""
    units = {number.unit for number in claim.numbers}
    having = [line for line in reading.lines if any(number.unit in units for number in line.numbers)]
    return max(having, key=lambda line: (covered(claim.content, line.stems), -line.start), default=nearest)
