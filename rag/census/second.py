"""A census by words, judged again by a model: where the two differ and neither can be shown wrong, it is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from rag.census.concepts import Vocabulary, forms_of
from rag.census.forms import FACETS
from rag.census.judging import Census, Finding, Similarity
from rag.census.predicates import AllOf, AnyOf, Atom, Concept, Has, Not, Predicate
from rag.census.rendering import understood
from rag.census.scope import sightings
from rag.library.chunking import quote
from rag.model.judgements import Judgement
from rag.text.words import content_stems

_BEARS = 0.25  # cosine from which a quote without a word of the condition may still show it


def judged_again(census: Census, judgements: Mapping[str, Judgement], similarity: Similarity | None) -> Census:
    """Return the census with a model's judgements taken in, each as far as it stands up.

    A "yes" needs a quote that bears on the condition and does not deny it; a "no" opens what words had settled.
    """
    bears = _bearing(census, similarity)
    rows = tuple(_again(row, judgements.get(row.paper.id), census, bears) for row in census.findings)
    return replace(census, findings=rows)


def _again(row: Finding, judged: Judgement | None, census: Census, bears: Callable[[str], bool]) -> Finding:
    if judged is None:
        return row
    if judged.outcome == "yes" and judged.end > judged.start:
        shown = quote(row.paper, judged.start, judged.end)
        if _denies(census.predicate, shown.text):
            return row if row.outcome == "no" else Finding(row.paper, "unsure", row.quotes or (shown,))
        if row.outcome == "yes":
            return row
        return Finding(row.paper, "yes", (shown,)) if bears(shown.text) else row
    if judged.outcome == "no" and row.outcome == "yes":
        return Finding(row.paper, "unsure", row.quotes, row.note)
    if row.outcome == "unsure" and judged.outcome == "no":
        return Finding(row.paper, "no")
    return row


def _bearing(census: Census, similarity: Similarity | None) -> Callable[[str], bool]:
    """Return what tells whether a quote speaks of the condition at all."""
    condition = understood(census)
    words = set(content_stems(f"{condition} {census.question}"))

    def bears(text: str) -> bool:
        if words & set(content_stems(text)):
            return True
        return similarity is not None and similarity(condition, [text])[0] >= _BEARS

    return bears


def _denies(predicate: Predicate, text: str) -> bool:
    """Tell whether a quote that is to show a condition says the opposite ("will be released soon")."""
    if isinstance(predicate, Not):
        return False
    if isinstance(predicate, AllOf):
        return any(_denies(part, text) for part in predicate.parts)
    if isinstance(predicate, AnyOf):
        return all(_denies(part, text) for part in predicate.parts)
    return _atom_denied(predicate, text)


def _atom_denied(atom: Atom, text: str) -> bool:
    if isinstance(atom, Has):
        voids = FACETS[atom.key].voids
        return voids is not None and voids.search(text) is not None
    if isinstance(atom, Concept):
        seen = [s for words in atom.chunks for s in sightings(text, forms_of(words, Vocabulary(())))]
        return bool(seen) and all(s.voice == "denied" for s in seen)
    return False
