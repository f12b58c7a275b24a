"""Questions about two or three papers: each named or described side is looked up for itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rag.answering.extractive import quoted
from rag.retrieval.evidence import Evidence, PaperEvidence
from rag.retrieval.question import parts, understand
from rag.retrieval.searcher import Searcher
from rag.text.words import content_stems
from rag.types import Statement

MAX_SIDES = 5
_SENTENCES_A_SIDE = 2
_HEAD_WORDS = 3  # of a title before its colon that may be a name
_COMPARES = re.compile(
    r"\b(?:compare[ds]?|comparison|comparing|versus|vs|differences?|differs?|both|contrast|similar\w*|respectively|each|either|"
    r"better than|faster than|larger than|smaller than|more than|in common|the two|two papers|other than|"
    r"which (?:of|one)|what about)\b",
    re.IGNORECASE,
)


# "What did v1 claim and what does the camera-ready say?" asks of both papers that have one name.
_EARLIER = r"(?:v1|first version|preprint|workshop(?: version| paper)?|draft|arxiv(?: version)?|older)"
_LATER = (
    r"(?:v2|second version|camera[- ]ready|final(?: version)?|published|conference(?: version| paper)?|newer|journal)"
)
_VERSIONS = re.compile(
    r"\b(?:both|two|the) versions\b|\bversions (?:differ|disagree)|"
    rf"\b{_EARLIER}\b.{{3,60}}\b{_LATER}\b|\b{_LATER}\b.{{3,60}}\b{_EARLIER}\b",
    re.IGNORECASE,
)


_VERSUS_BEFORE = re.compile(r"\b(?:vs\.?|versus)\s+$", re.IGNORECASE)
_VERSUS_AFTER = re.compile(r"\s+(?:vs\.?|versus)\s", re.IGNORECASE)
_WORKS = r"(?:papers|abstracts|works|studies|articles|methods|approaches)"
_THE_TWO = re.compile(
    rf"\b(?:the|both|these) two (?:(?P<what>(?!{_WORKS}\b)[\w-]+(?: [\w-]+){{0,4}}?) {_WORKS}\b|"
    rf"{_WORKS} (?:on|about) (?P<about>[\w-]+(?: [\w-]+){{0,3}}))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Nearness:
    """How near a phrase has to be to its best paper, and how much nearer than to the next, to describe it."""

    cosine: float
    gap: float


_LOOSE = _Nearness(0.3, 0.05)  # where the question compares
_STRICT = _Nearness(0.45, 0.12)  # where it only joins two phrases


def sides(text: str, evidence: Evidence, searcher: Searcher) -> list[PaperEvidence]:
    """Return the papers that a question sets side by side, in the order it names them; fewer than two: it does not.

    A side is a name that tells one paper, or, where the question compares, a phrase that describes one.
    """
    places: dict[str, int] = {}
    compares = bool(_COMPARES.search(text))
    for mention in evidence.mentions:
        if mention.tells and len(mention.papers) == 1:
            paper = mention.papers[0]
            # Without a word of comparison only what a paper calls itself is a side; a part may be a false premise.
            # "SAPO and RVPO" asks of both all the same.
            if evidence.names_alone or searcher.is_name_of(mention, paper, strictly=not compares):
                places.setdefault(paper, mention.start)
    if compares:
        for paper, start in (*_headed(text, evidence), *_set_against(text, evidence), *_the_two(text, searcher)):
            places.setdefault(paper, start)
    if len(places) < 2:
        for start, phrase in parts(text):
            described = _described(phrase, searcher, _LOOSE if compares else _STRICT)
            if described and described not in places:
                places[described] = start
    if len(places) < 2 and _VERSIONS.search(text):
        shared = [m for m in evidence.mentions if m.owned and m.certain and len(m.papers) == 2]
        places = {paper: n for m in shared[:1] for n, paper in enumerate(m.papers)}
    if len(places) < 2:
        return []
    ordered = sorted(places, key=lambda identity: places[identity])[:MAX_SIDES]
    found = searcher.read(_of_attribute(text, evidence), ordered)
    return [found[identity] for identity in ordered if identity in found]


def _headed(text: str, evidence: Evidence) -> Iterator[tuple[str, int]]:
    """Yield the papers found whose title begins with a name that the question holds as written, and where.

    "Ethos: Rectifying Language Models" is called Ethos, though no inner capital shows that it is a name.
    """
    for scored in evidence.chunks:
        head, colon, _ = scored.paper.title.partition(":")
        if colon and len(head.split()) <= _HEAD_WORDS:
            found = re.search(rf"(?<![\w-]){re.escape(head.strip())}(?![\w-])", text)
            if found:
                yield scored.paper.id, found.start()


def _set_against(text: str, evidence: Evidence) -> Iterator[tuple[str, int]]:
    """Yield the papers whose own name stands beside a "vs", even where it is an ordinary word as typed, and where."""
    for mention in evidence.mentions:
        beside = _VERSUS_BEFORE.search(text, 0, mention.start) or _VERSUS_AFTER.match(text, mention.end)
        if beside and mention.owned and len(mention.papers) == 1:
            yield mention.papers[0], mention.start


def _the_two(text: str, searcher: Searcher) -> Iterator[tuple[str, int]]:
    """Yield the two papers of "the two papers on dams", and where it says so, the first that speak of all of it."""
    found = _THE_TWO.search(text)
    if found is None:
        return
    what = content_stems(found["what"] or found["about"])
    chunks = searcher.gather(found["what"] or found["about"]).chunks
    stems = [frozenset(content_stems(f"{s.paper.title} {s.paper.abstract}")) for s in chunks]
    fitting = [s.paper.id for s, words in zip(chunks, stems, strict=True) if what and words.issuperset(what)]
    if len(fitting) >= 2:
        yield from ((paper, found.start()) for paper in fitting[:2])


def _of_attribute(text: str, evidence: Evidence) -> Evidence:
    """Return the evidence for what is asked of every side alike, where a question asks anything beyond their names."""
    for mention in sorted((m for m in evidence.mentions if m.tells), key=lambda m: -m.start):
        text = text[: mention.start] + text[mention.end :]
    attribute = understand(re.sub(r"\s+", " ", text).strip())
    return replace(evidence, question=attribute, mentions=()) if attribute.focus or attribute.numbers else evidence


def meanings(evidence: Evidence, searcher: Searcher) -> list[PaperEvidence]:
    """Return the papers that share the one name a question holds, where nothing else in it tells them apart.

    So two methods with one acronym, or the papers that use one benchmark, are all shown; else none. Where there are too
    many, near-copies of one paper stand for it once.
    """
    telling = [m for m in evidence.mentions if m.certain and len(m.papers) >= 2]
    if len(evidence.mentions) != 1 or not telling or evidence.carried:
        return []
    if evidence.question.expects not in ("name", "overview", "meaning", "anything"):
        return []
    if evidence.question.focus and telling[0].owned:
        return []
    papers = telling[0].papers
    shown = papers if len(papers) <= MAX_SIDES else searcher.distinct(papers)
    if not 2 <= len(shown) <= MAX_SIDES:
        return []
    found = searcher.read(evidence, shown)
    most = max((p.covered for p in found.values()), default=0.0)
    fitting = [p for p in found.values() if p.covered >= 0.5 * most]
    return fitting if len(fitting) >= 2 else []


def compose_meanings(found: Sequence[PaperEvidence]) -> list[Statement]:
    """Return one line a paper, each with its own quote."""
    opening = Statement(("The name stands in more than one abstract:",), factual=False)
    return [opening, *(quoted(side, _SENTENCES_A_SIDE, lead=f"\n- {side.paper.title}: ") for side in found)]


def compose_sides(found: Sequence[PaperEvidence]) -> list[Statement]:
    """Return one line a side, each with its own quotes, and what can't be concluded from them."""
    opening = Statement(("Each line quotes one abstract:",), factual=False)
    lines = [quoted(side, _SENTENCES_A_SIDE, lead=f"\n- {side.paper.title}: ") for side in found]
    caution = "\nThe abstracts do not compare these papers; their figures come from different experiments."
    return [opening, *lines, Statement((caution,), factual=False)]


def _described(phrase: str, searcher: Searcher, least: _Nearness) -> str | None:
    """Return the paper that a phrase describes, if it is near enough and clearly nearer than the next."""
    if any(m.tells and len(m.papers) == 1 for m in searcher.mentions(phrase)):
        return None
    found = searcher.nearest(phrase)
    if found is None:
        return None
    cosine = found.cosine
    if cosine is None:
        evidence = searcher.gather(phrase)
        cosine = evidence.best.cosine if evidence.best else 0.0
    shared = any(m.tells for m in searcher.mentions(phrase))
    near = cosine >= least.cosine and cosine - found.next_cosine >= least.gap
    return found.paper_id if shared or near else None
