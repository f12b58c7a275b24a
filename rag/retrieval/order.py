"""In which order papers become evidence: what names add to their fused scores, copies, and the parts of a question."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rag.library.catalog import Catalog
from rag.retrieval.evidence import Place
from rag.retrieval.hybrid import CROWD, are_copies, words_of
from rag.retrieval.mentions import Mention
from rag.text.words import content_stems
from rag.types import ScoredChunk

# What a name adds to the fused scores, which are 0-1: a paper's own outweighs nearly any similarity, one that it only
# uses moves it ahead of others that are about as near; one shared by two tips the scale.
_OWN_BONUS, _NAME_BONUS = {1: 0.6, 2: 0.3}, {1: 0.3, 2: 0.1}
_TOGETHER = 0.3  # of a paper that has two of the names, where neither tells it alone
_CARRIED_BONUS = 1.1  # the paper that a follow-up is about outweighs any similarity
_ORDINARY_WORD = 0.4  # share of the bonus where the typed word is an ordinary one too; none for a name only used
_IN_PASSING = 6  # content words from which on a name is less and less what the query is about
_CONTEXT = 0.3  # what the whole question says of a paper, beside what one part of it says
_COPY_PLACE = 4  # in the evidence, of a near-copy of the best paper


def bonus_of(
    text: str, mentions: Collection[Mention], carried: str | None, together: Sequence[str]
) -> dict[str, float]:
    """Return what each named paper gets on top of its fused score, and the one that a follow-up is about.

    So do those with several of the names `together`, however many papers have each of them.

    A long query is about more than the names in it: beyond `_IN_PASSING` words each counts for less.
    """
    share = min(1.0, _IN_PASSING / max(1, len(content_stems(text))))
    bonus: dict[str, float] = {carried: _CARRIED_BONUS} if carried else {}
    for mention in mentions:
        bonuses = _OWN_BONUS if mention.owned else _NAME_BONUS
        weight = 0.0 if mention.common else share * bonuses.get(len(mention.papers), 0.0)
        weight *= 1.0 if mention.certain else _ORDINARY_WORD * mention.owned
        for paper_id in mention.papers if weight else ():
            bonus[paper_id] = max(bonus.get(paper_id, 0.0), weight) + 0.1 * (paper_id in bonus)
    for paper_id in together:
        bonus[paper_id] = max(bonus.get(paper_id, 0.0), share * _TOGETHER)
    return bonus


def order_of(
    found: Sequence[ScoredChunk],
    bonus: Mapping[str, float],
    catalog: Catalog,
    within: Sequence[str] | None = None,
) -> list[ScoredChunk]:
    """Put named papers first; one that retrieval missed is added."""
    there = {s.paper.id for s in found}
    allowed = None if within is None else set(within)
    added = [i for i in bonus if i not in there and (allowed is None or i in allowed)]
    papers = catalog.get(added)
    firsts = {c.paper_id: c for c in reversed(catalog.chunks_of(added))}
    rows = [*found, *(ScoredChunk(firsts[i], papers[i], 0.0, "lexical") for i in added if i in firsts)]
    scored = [ScoredChunk(s.chunk, s.paper, s.score + bonus.get(s.paper.id, 0.0), s.source) for s in rows]
    return sorted(scored, key=lambda s: (-s.score, s.paper.id))


def in_context(places: Sequence[Place], whole: Mapping[str, float]) -> list[Place]:
    """Order what one part of a question found, with a share of what the whole question says of the same papers."""
    return sorted(places, key=lambda p: (-p.score - _CONTEXT * whole.get(p.paper_id, 0.0), p.paper_id))


def with_copy(order: Sequence[ScoredChunk]) -> list[ScoredChunk]:
    """Put a near-copy of the best paper, which stands behind the other papers, among the first of the evidence."""
    best = words_of(order[0].chunk.text) if order else frozenset()
    copy = next((s for s in order[_COPY_PLACE:CROWD] if are_copies(best, words_of(s.chunk.text))), None)
    if copy is None:
        return list(order)
    rest = [scored for scored in order if scored is not copy]
    return [*rest[: _COPY_PLACE - 1], copy, *rest[_COPY_PLACE - 1 :]]


def lead_of(scores: Sequence[float]) -> float:
    """Return how far the first of some scores stands above the mean of the others; all of it where there are none."""
    return scores[0] - sum(scores[1:]) / max(1, len(scores) - 1) if scores else 0.0
