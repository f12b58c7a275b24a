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
from rag.checking.closeness import closeness, held, plain_stems, rarity, tells
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
from rag.checking.polarity import exchanged_opposites, turned_around, unfounded_blame, wrong_direction, wrong_negation
from rag.checking.roles import exchanged_roles, exchanged_sides
from rag.checking.scope import other_stage, unfounded_certainty, widened
from rag.model.markers import find_markers, without_markers
from rag.text.sentences import sentences
from rag.types import Checked, Paper, Quote

# A person's sentence must be about the paper: these are the least log-odds that it is. And the abstract must hold so
# much of each of its clauses, words weighed by how rare they are, and in one line so much of all. Fixed on SciTLDR
# (`python -m tests.benchmarks.checker`): higher loses free paraphrase, lower lets other papers' sentences through.
LEAST_CLOSE = -0.85
LEAST_CLAUSE, LEAST_LINE = 0.1, 0.2
# A clause is missed where its words, weighed so, say more than a reader's own gloss.
_CLAUSE_WEIGHT = 14.0
# Of so few words all must lie close to the abstract's.
_SHORT = 6
# Fewer words than this tell nothing beside the names and numbers of a sentence.
_TELLING_WORDS = 3
# A draft is about the papers it was given, but a model that strays invents clauses in their words: so much of the
# sentence, of one of few words, of one line of the abstract, of each clause must be there. Of a short sentence as well.
_DRAFT_COVERED, _DRAFT_FEW, _DRAFT_IN_ONE, _DRAFT_CLAUSE = 0.42, 0.6, 0.34, 0.3
# What a model adds in "…, which can be used to …" is most often its own.
_FURTHER = re.compile(r"\bwhich\b[^,;]{0,40}$", re.I)
_DRAFT_FURTHER = 0.6
_FEW_WORDS = 3
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


_LONGEST_SENTENCE, _SHOWN = 3000, 80  # characters; more is data, or a text without an end mark
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
            if len(sentence.text) > _LONGEST_SENTENCE:
                rows.append(Checked(f"{sentence.text[:_SHOWN]}…", "not_checkable", "is too long for a sentence"))
                continue
            plain = without_markers(sentence.text, find_markers(sentence.text, ()))
            if re.search(r"\w", plain):
                rows.append(check_sentence(plain, known))
    return rows


def check_sentence(sentence: str, papers: Sequence[Paper], *, draft: bool = False) -> Checked:
    """Judge one sentence: one paper must support it, or each part of a sentence about several its own.

    With `draft` it is judged as a model's: it may be about nothing else, but must keep closer to the abstract's words.
    """
    if _NOT_PROSE.search(sentence):
        return Checked(sentence, "unsupported", "is no sentence")
    claim = claim_of(sentence)
    silent = _not_checkable(claim)
    if silent:
        return Checked(sentence, "not_checkable", silent)
    judged = [_judge(claim, paper, draft) for paper in _candidates(claim, papers)]
    if not judged:
        return Checked(sentence, "unsupported", "there is no abstract to support it")
    best = max(judged, key=lambda row: row.rank)
    if not best.fault:
        return Checked(sentence, "supported", "", _quotes(best))
    parts = _by_parts(sentence, papers, draft) if len(papers) > 1 else ()
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


def _judge(claim: Claim, paper: Paper, draft: bool) -> _Judged:
    reading = read(paper.title, paper.abstract)
    lines = tuple(supporting(claim, reading))
    for rank, find in enumerate(_checks(claim, reading, lines, draft)):
        fault = find()
        if fault:
            return _Judged(paper, fault, rank, lines)
    return _Judged(paper, "", 99, lines)


def _checks(claim: Claim, reading: Reading, lines: Sequence[Line], draft: bool) -> list[Callable[[], str]]:
    """Return the checks in order; the further a paper comes, the better its reason fits."""
    return [
        lambda: unknown_name(claim, reading),
        lambda: "" if draft else _too_little(claim, reading),
        lambda: (
            _too_free(claim, reading, lines) if draft or len({word.stem for word in claim.content}) <= _SHORT else ""
        ),
        lambda: unknown_number(claim, reading, counts=draft),
        lambda: foreign_subject(claim, reading),
        lambda: misplaced_number(claim, reading, counts=draft),
        lambda: (
            misplaced_name(claim, reading, lines)
            or misdefined_name(claim, reading)
            or borrowed_definition(claim, reading)
        ),
        lambda: wrong_negation(claim, reading, lines),
        lambda: turned_around(claim, reading, lines) or turned_around(claim, reading, reading.lines),
        lambda: exchanged_opposites(claim, lines),
        lambda: unfounded_blame(claim, reading),
        lambda: wrong_direction(claim, reading, lines),
        lambda: reversed_comparison(claim, reading, lines),
        lambda: exchanged_sides(claim, lines) or exchanged_roles(claim, lines),
        lambda: widened(claim, reading) or unfounded_certainty(claim, reading) or other_stage(claim, reading),
    ]


def supporting(claim: Claim, reading: Reading) -> list[Line]:
    """Choose the lines that hold the claim's words, and with them each line that holds one of its numbers."""
    words = claim.content or claim.words
    holding = [line for line in reading.lines if any(same_number(n, g) for n in claim.numbers for g in line.numbers)]
    if claim.numbers and len(holding) == 1:
        rest = [line for line in support(words, reading.lines) if line not in holding]
        base = holding[0].stems
        extra = [line for line in rest[:2] if covered(words, base | line.stems) >= covered(words, base) + 1.0]
        return [*holding, *extra]
    return support(words, reading.lines)


def _too_little(claim: Claim, reading: Reading) -> str:
    """Find a sentence, or a clause of one, that speaks of something else than the abstract."""
    if not reading.lines:
        return "the abstract says nothing of the kind"
    stems = plain_stems(claim.content)
    if tells(claim) and len(stems) < _TELLING_WORDS:
        return ""
    if closeness(claim, reading) < LEAST_CLOSE:
        return "the abstract does not say this"
    if max(held(stems, line.stems | reading.title_stems) for line in reading.lines) < LEAST_LINE:
        return "no sentence of the abstract says this"
    everything = frozenset[str]().union(*(line.stems for line in reading.lines), reading.title_stems)
    for piece in _pieces(claim):
        stems = plain_stems(piece)
        if sum(map(rarity, stems)) >= _CLAUSE_WEIGHT and held(stems, everything) < LEAST_CLAUSE:
            return _unsaid(claim, piece)
    return ""


def _too_free(claim: Claim, reading: Reading, lines: Sequence[Line]) -> str:
    """Find a sentence whose words are gathered from all over an abstract, or stand there only in part."""
    if not lines:
        return "the abstract says nothing of the kind"
    stems = frozenset[str]().union(*(line.stems for line in lines)) | reading.title_stems
    least = _DRAFT_COVERED if len(claim.content) > _FEW_WORDS else _DRAFT_FEW
    if _share(claim.content, stems) < least:
        return "the abstract does not say this"
    if max(_share(claim.content, line.stems | reading.title_stems) for line in lines) < _DRAFT_IN_ONE:
        return "no sentence of the abstract says this"
    for piece in _pieces(claim):
        own = frozenset[str]().union(*(line.stems for line in support(piece, reading.lines, most=2)))
        further = _FURTHER.search(claim.text[: piece[0].start]) is not None
        if _share(piece, own | reading.title_stems) < (_DRAFT_FURTHER if further else _DRAFT_CLAUSE):
            return _unsaid(claim, piece)
    return ""


def _unsaid(claim: Claim, piece: Sequence[Word]) -> str:
    return f"the abstract does not say the part “{claim.text[piece[0].start : piece[-1].end]}”"


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


def _by_parts(sentence: str, papers: Sequence[Paper], draft: bool) -> tuple[Quote, ...]:
    """Support a sentence about several papers part by part; each part must name its paper."""
    parts = [part for part in _PARTS.split(sentence) if part.strip()]
    if len(parts) < 2:
        return ()
    found: dict[tuple[str, int], Quote] = {}
    for part in parts:
        claim = claim_of(part if part[:1].isupper() else part[:1].upper() + part[1:])
        if all(any(n.start <= word.start < n.end for n in claim.names) for word in claim.words):
            return ()  # "A and B are both fast" says of A what has to stand in its own abstract
        owners = [p for p in papers if {n.key for n in claim.names} & read(p.title, p.abstract).own]
        good = [row for row in (_judge(claim, paper, draft) for paper in owners) if not row.fault]
        if not good:
            return ()
        found.update({(q.paper.id, q.start): q for q in _quotes(good[0])})
    return tuple(found.values())


def _quotes(judged: _Judged) -> tuple[Quote, ...]:
    ordered = sorted(judged.lines, key=lambda line: line.start)
    return tuple(Quote(judged.paper, "", line.start, line.end) for line in ordered)
