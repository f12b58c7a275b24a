"""Words for the things that papers count and name: "chatbots", "LLMs" and "models" may be one thing. Pure, by hand."""

from __future__ import annotations

from functools import lru_cache

from rag.text.matching import match_strength
from rag.text.words import stem

_A_FORM = 0.85  # strength of a match by the word itself or a form of it

# Words of one line may stand for one another; a thing of none of these kinds may go by any word.
_KINDS = tuple(
    frozenset(stem(word) for word in line.split())
    for line in """
        people persons person participants subjects individuals respondents volunteers users adults humans population
        people annotators raters judges graders experts workers crowdworkers
        people patients cases subjects participants individuals adults women men boys girls children kids infants babies
        people doctors physicians radiologists surgeons clinicians practitioners experts professionals nurses dentists
        people students pupils learners residents trainees children kids
        women woman females mothers patients participants
        men man males patients participants
        models llms lms vlms mllms chatbots networks systems baselines methods competitors rivals classifiers
        papers articles publications studies abstracts documents manuscripts trials
        pictures images photos photographs frames scenes
        clips videos films movies
        questions queries problems items pairs prompts examples instances samples rows records tasks puzzles
        datasets benchmarks corpora corpus tasks tests suites testbeds
        tumours tumors cases lesions samples specimens
        languages tongues
        rounds iterations steps
        hospitals centres centers clinics institutions
        robots arms
        clients devices nodes agents workers participants
    """.strip().splitlines()
)


@lru_cache(maxsize=1024)
def same_kind(term: str) -> frozenset[str]:
    """Return the stems that may stand for a thing, its own among them."""
    return frozenset([term]).union(*(kind for kind in _KINDS if term in kind))


def is_spoken_of(term: str, stems: frozenset[str]) -> bool:
    """Tell whether a text with these stems has a word of a thing's kind."""
    return any(match_strength(other, stems) >= _A_FORM for other in same_kind(term))
