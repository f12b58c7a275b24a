"""Terms that name a topic: words and pairs of words that its papers use and the others do not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

from rag.text.matching import rarity
from rag.text.words import STOPWORDS, fold, stem
from rag.types import Paper

TERMS = 4  # to a topic


def topic_terms(papers: Sequence[Paper], labels: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return each topic's terms: words and pairs of words that its papers use and the others do not."""
    spoken: list[dict[tuple[str, ...], str]] = [_phrases(paper.abstract) for paper in papers]
    overall = Counter(key for row in spoken for key in row)
    sizes = Counter(labels)
    inside: dict[int, Counter[tuple[str, ...]]] = {label: Counter() for label in sizes}
    for row, label in zip(spoken, labels, strict=True):
        inside[label].update(row.keys())
    forms: dict[tuple[str, ...], Counter[str]] = {}
    for row in spoken:
        for key, form in row.items():
            if len(sizes) == 1 or overall[key] > 1 or len(papers) < 3 * len(sizes):
                forms.setdefault(key, Counter())[form] += 1
    return {label: _best_terms(inside[label], overall, sizes[label], len(papers), forms) for label in sizes}


def _best_terms(
    here: Counter[tuple[str, ...]],
    overall: Counter[tuple[str, ...]],
    size: int,
    total: int,
    forms: Mapping[tuple[str, ...], Counter[str]],
) -> tuple[str, ...]:
    def worth(key: tuple[str, ...]) -> float:
        share, elsewhere = here[key] / size, (overall[key] - here[key]) / max(1, total - size)
        return float((share - elsewhere) * rarity(overall[key], total) ** 0.5 * (1.5 if len(key) > 1 else 1.0))

    # What a single paper of a topic says does not name the topic.
    least = 2 if size > 2 else 1
    ranked = sorted((key for key in here if key in forms and here[key] >= least), key=lambda key: (-worth(key), key))
    chosen: list[tuple[str, ...]] = []
    for key in ranked:
        if len(chosen) == TERMS or worth(key) <= 0:
            break
        # A word of a phrase that is named already names nothing new, nor does a phrase around a named word.
        if not any(set(key) & set(other) for other in chosen):
            chosen.append(key)
    return tuple(forms[key].most_common(1)[0][0] for key in chosen)


_WORD = re.compile(r"[^\W\d_]+(?:[-‐‑–][^\W\d_]+)*|[.,;:()!?]")


@lru_cache(maxsize=16_384)
def _phrases(abstract: str) -> dict[tuple[str, ...], str]:
    """Return the words and pairs of neighbouring words of an abstract by their stems, as they are written."""
    found: dict[tuple[str, ...], str] = {}
    previous: tuple[str, str] | None = None
    for match in _WORD.finditer(abstract):
        word = fold(match.group())
        root = stem(word)
        shown = match.group() if match.group().isupper() or not match.group().istitle() else word
        if previous and root in _HEADS:
            found.setdefault((previous[0], root), f"{previous[1]} {shown}")
        if not word[0].isalpha() or len(word) < 3 or word in STOPWORDS or root in _COMMON:
            previous = None
            continue
        found.setdefault((root,), shown)
        if previous:
            found.setdefault((previous[0], root), f"{previous[1]} {shown}")
        previous = (root, shown)
    return found


# Words that name a topic only behind another: "language models", "representation learning".
_HEADS = frozenset(stem(word) for word in ("model", "learning", "network", "training", "data", "analysis", "search"))
_COMMON = frozenset(
    stem(word)
    for word in """
propose introduce present paper work method approach model framework novel new experiment result show
demonstrate achieve performance exist existing based using use used extensive across improve outperform
learning learn data task state art significantly problem address study training train which while also high
low large small well first second two three many most prior previous recent different various effective
efficient effectively code available github http https url release provide enable develop design apply
evaluate evaluation such however further moreover often can may one key via both given real world empirical
empirically analysis set number better compare baseline benchmark dataset leverage challenge challenging
general specific setting simple strong current require find including time make important limit limited even
still remain typically way order within yet able capture process reduce increase level type multiple single
several particular form case example then com www called been has have its our their these those this that
under over between during without rather than methods approaches algorithm algorithms technique techniques
neural network networks deep machine shown experimental theoretical theoretically information obtain consider
generate generated standard quality widely reveal build building lead leading frontier shift perturb human
early late whether toward towards shows superior comprehensive introduced introduces focus input output system
best good common additional full similar
""".split()
)
