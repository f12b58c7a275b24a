"""Judge sentences against abstracts: does one say this, and with which words? Pure, no model.

A sentence is supported when a paper has its names and numbers for the same things, covers its words in one to three
sentences, and contradicts none of them by negation, antonym, direction or an exchanged comparison.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rag.checking.alignment import Line, Reading, covered, read, support
from rag.checking.claims import Claim, Word, claim_of, same_number
from rag.checking.comparisons import reversed_comparison
from rag.checking.faults import (
    borrowed_definition,
    foreign_subject,
    misdefined_name,
    misplaced_name,
    misplaced_number,
    unknown_name,
    unknown_number,
)
from rag.checking.polarity import turned_around, unfounded_blame, wrong_direction, wrong_negation
from rag.model.markers import find_markers, without_markers
from rag.text.sentences import sentences
from rag.types import Checked, Paper, Quote

# Share of a sentence's words, and of each of its clauses', that the abstract must hold. Fixed on mutations of SciTLDR
# (`python -m tests.benchmarks.checker`): lower lets invented halves through, higher loses honest paraphrase.
LEAST_COVERED = 0.48
LEAST_CLAUSE = 0.25
# Words gathered from all over an abstract prove little: so much must stand in a single sentence of it.
LEAST_IN_ONE = 0.4
# A sentence of so few words says little else, so more of it must be there.
_FEW_WORDS, _LEAST_OF_FEW = 3, 0.6
_CLAUSE_WORDS = 3
# Papers whose words fit a sentence best are judged; the others can't support it.
_CANDIDATES = 6

_CLAUSES = re.compile(r"[,;:—]|\s–\s|\b(?:and|while|whereas|but|which|because|thereby|thus|so that|although)\b", re.I)
_PLEASANTRY = re.compile(
    r"^\W*(?:i hope|let me know|sure\b|certainly|of course|here (?:is|are)|hello|hi\b|thanks?\b|thank you|i['’]m|i am|"
    r"feel free|in (?:summary|conclusion)\W*$|please\b|note that\W*$|yes\W*$|no\W*$|okay|great)",
    re.I,
)
_ABOUT_SOURCES = re.compile(
    r"\b(?:sources?|abstracts?|excerpts?|passages?|context|papers?)\b.{0,40}"
    r"\b(?:do(?:es)? not|don['’]t|doesn['’]t|never)\b.{0,20}"
    r"\b(?:mention|say|state|specify|provide|contain|answer|give|report|include|discuss|address)",
    re.I,
)


_COURTESY_WORDS = 5
_NOT_PROSE = re.compile(r"^\s*[\[{]\s*[\"{]|[\"']\s*:\s*[\"'\[{]")
_UNNAMED_SUBJECT = re.compile(
    r"^(?:it|they|its|their|he|she|this|these|we|our|the (?:method|authors?|paper|approach|model|framework|system|work|"
    r"researchers|score|accuracy|result|results|speedup|gain|improvement|benchmark|dataset))\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class _Judged:
    """One paper's say on one sentence: no fault, or the fault and how serious it is."""

    paper: Paper
    fault: str
    rank: int
    lines: tuple[Line, ...]


def check(text: str, papers: Iterable[Paper]) -> list[Checked]:
    """Judge a pasted text sentence by sentence against papers; citation markers in it are not read."""
    known = list(papers)
    rows: list[Checked] = []
    for line in text.splitlines():
        for sentence in sentences(line):
            plain = without_markers(sentence.text, find_markers(sentence.text, ()))
            if re.search(r"\w", plain):
                rows.append(check_sentence(plain, known))
    return rows


def check_sentence(sentence: str, papers: Sequence[Paper]) -> Checked:
    """Judge one sentence: one paper must support it, or each part of a sentence about several its own."""
    if _NOT_PROSE.search(sentence):
        return Checked(sentence, "unsupported", "is no sentence")
    claim = claim_of(sentence)
    silent = _not_checkable(claim)
    if silent:
        return Checked(sentence, "not_checkable", silent)
    judged = [_judge(claim, paper) for paper in _candidates(claim, papers)]
    if not judged:
        return Checked(sentence, "unsupported", "there is no abstract to support it")
    best = max(judged, key=lambda row: row.rank)
    if not best.fault:
        return Checked(sentence, "supported", "", _quotes(best))
    parts = _by_parts(sentence, papers) if len(papers) > 1 else ()
    if parts:
        return Checked(sentence, "supported", "", parts)
    return Checked(sentence, "unsupported", best.fault)


def nearness(sentence: str, paper: Paper) -> float:
    """Return the share, 0-1, of a sentence's words that one sentence of the abstract holds: 1 for its own words."""
    claim, reading = claim_of(sentence), read(paper.title, paper.abstract)
    return max((_share(claim.content, line.stems | reading.title_stems) for line in reading.lines), default=0.0)


def speaks_of_one(sentence: str) -> bool:
    """Tell whether a sentence speaks of the work at hand without naming it: "It reaches…", "The method needs…"."""
    return bool(_UNNAMED_SUBJECT.match(sentence))


def _not_checkable(claim: Claim) -> str:
    text = claim.text.strip()
    named = any(name.coined for name in claim.names)
    if _PLEASANTRY.search(text) and not claim.numbers and not named and len(claim.content) <= _COURTESY_WORDS:
        return "a courtesy, not a claim"
    if text.endswith("?"):
        return "a question, not a claim"
    if _ABOUT_SOURCES.search(text) and not claim.numbers:
        return "speaks of the sources, not of a result"
    if text.endswith(":") and len(claim.content) <= _COURTESY_WORDS and not claim.numbers:
        return "announces something, but says nothing"
    if not claim.content and not claim.names and (not claim.numbers or not claim.words):
        return "says nothing that could be checked"
    return ""


def _candidates(claim: Claim, papers: Sequence[Paper]) -> list[Paper]:
    if len(papers) <= _CANDIDATES:
        return list(papers)
    named = {name.key for name in claim.names if name.coined}
    stems = [word.stem for word in claim.content]

    def fit(paper: Paper) -> tuple[int, int]:
        reading = read(paper.title, paper.abstract)
        return (len(named & reading.name_keys), sum(s in reading.stems for s in stems))

    return sorted(papers, key=fit, reverse=True)[:_CANDIDATES]


def _judge(claim: Claim, paper: Paper) -> _Judged:
    reading = read(paper.title, paper.abstract)
    lines = tuple(_supporting(claim, reading))
    for rank, find in enumerate(_checks(claim, reading, lines)):
        fault = find()
        if fault:
            return _Judged(paper, fault, rank, lines)
    return _Judged(paper, "", 99, lines)


def _checks(claim: Claim, reading: Reading, lines: Sequence[Line]) -> list[Callable[[], str]]:
    """Return the checks in order; the further a paper comes, the better its reason fits."""
    return [
        lambda: unknown_name(claim, reading),
        lambda: _too_little(claim, reading, lines),
        lambda: unknown_number(claim, reading),
        lambda: foreign_subject(claim, reading),
        lambda: misplaced_number(claim, reading),
        lambda: (
            misplaced_name(claim, reading, lines)
            or misdefined_name(claim, reading)
            or borrowed_definition(claim, reading)
        ),
        lambda: wrong_negation(claim, reading, lines),
        lambda: turned_around(claim, lines) or turned_around(claim, reading.lines),
        lambda: unfounded_blame(claim, reading),
        lambda: wrong_direction(claim, lines),
        lambda: reversed_comparison(claim, reading, lines),
    ]


def _supporting(claim: Claim, reading: Reading) -> list[Line]:
    """Choose the lines that hold the claim's words, and with them each line that holds one of its numbers."""
    words = claim.content or claim.words
    holding = [line for line in reading.lines if any(same_number(n, g) for n in claim.numbers for g in line.numbers)]
    if claim.numbers and len(holding) == 1:
        rest = [line for line in support(words, reading.lines) if line not in holding]
        base = holding[0].stems
        extra = [line for line in rest[:2] if covered(words, base | line.stems) >= covered(words, base) + 1.0]
        return [*holding, *extra]
    return support(words, reading.lines)


def _too_little(claim: Claim, reading: Reading, lines: Sequence[Line]) -> str:
    if not lines:
        return "the abstract says nothing of the kind"
    stems = frozenset[str]().union(*(line.stems for line in lines)) | reading.title_stems
    least = LEAST_COVERED if len(claim.content) > _FEW_WORDS else _LEAST_OF_FEW
    if _share(claim.content, stems) < least:
        return "the abstract does not say this"
    if max(_share(claim.content, line.stems | reading.title_stems) for line in lines) < LEAST_IN_ONE:
        return "no sentence of the abstract says this"
    for piece in _pieces(claim):
        own = support(piece, reading.lines, most=2)
        held = (
            frozenset[str]().union(*(line.stems for line in own)) | reading.title_stems if own else reading.title_stems
        )
        if _share(piece, held) < LEAST_CLAUSE:
            return f"the abstract does not say the part “{claim.text[piece[0].start : piece[-1].end]}”"
    return ""


def _share(words: Sequence[Word], stems: frozenset[str]) -> float:
    # Names are checked on their own; counted here, one right name would carry two invented words.
    plain = [word for word in words if word.weight <= 1.0]
    # A word said twice proves no more than once.
    words = list({word.stem: word for word in (plain if len(plain) > 1 else words)}.values())
    total = sum(word.weight for word in words)
    return covered(words, stems) / total if total else 1.0


def _pieces(claim: Claim) -> list[list[Word]]:
    """Return the claim's words by clause; a short clause joins the one before it."""
    cuts = [match.start() for match in _CLAUSES.finditer(claim.text)]
    groups: dict[int, list[Word]] = {}
    for word in claim.content:
        groups.setdefault(sum(cut <= word.start for cut in cuts), []).append(word)
    pieces: list[list[Word]] = []
    for group in groups.values():
        if pieces and (len(group) < _CLAUSE_WORDS or len(pieces[-1]) < _CLAUSE_WORDS):
            pieces[-1] = pieces[-1] + group
        else:
            pieces.append(group)
    return pieces if len(pieces) > 1 else []


_PARTS = re.compile(r"\s*(?:;|,?\s+\b(?:while|whereas|but|and)\b)\s+", re.I)


def _by_parts(sentence: str, papers: Sequence[Paper]) -> tuple[Quote, ...]:
    """Support a sentence about several papers part by part; each part must name its paper."""
    parts = [part for part in _PARTS.split(sentence) if part.strip()]
    if len(parts) < 2:
        return ()
    found: dict[tuple[str, int], Quote] = {}
    for part in parts:
        claim = claim_of(part if part[:1].isupper() else part[:1].upper() + part[1:])
        owners = [p for p in papers if {n.key for n in claim.names} & read(p.title, p.abstract).own]
        good = [row for row in (_judge(claim, paper) for paper in owners) if not row.fault]
        if not good:
            return ()
        found.update({(q.paper.id, q.start): q for q in _quotes(good[0])})
    return tuple(found.values())


def _quotes(judged: _Judged) -> tuple[Quote, ...]:
    ordered = sorted(judged.lines, key=lambda line: line.start)
    return tuple(Quote(judged.paper, "", line.start, line.end) for line in ordered)
