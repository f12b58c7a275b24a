"""Terms that name a topic: phrases that its papers use and the others do not.

Weights are class-based TF-IDF (Grootendorst 2022, BERTopic) over papers instead of words: how many papers of a topic
use a phrase, against how many do anywhere. A word alone is a candidate where a title has it: a title says what a paper
is about, while an abstract also holds the words of all papers ("investigate", "adaptively").
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.text.words import STOPWORDS, fold, stem
from rag.types import Paper

TERMS = 3  # to a topic
_LONGEST = 4  # words of a phrase: "multimodal large language models"
_PHRASE = 2.0  # how much more a phrase tells a reader than a word alone
_OF_LONGER = 0.5  # a phrase that stands so often within a longer one is named by that
_FEW = 200  # papers of a library up to which phrases of abstracts are candidates too: there are few titles
_SELDOM = 4  # times oftener that a word of names has its capital than not
_ANYWHERE = 0.5  # what over half of a library's papers speak of tells no topic apart

Key = tuple[str, ...]  # the stems of a phrase


@dataclass(frozen=True, slots=True)
class _Word:
    root: str
    folded: str
    written: str
    begins: bool  # a sentence: its capital letter says nothing


@dataclass(frozen=True, slots=True)
class _Uses:
    """How many papers speak of each candidate, and how many have it in their title."""

    spoken: Counter[Key]
    titled: Counter[Key]


def topic_terms(papers: Sequence[Paper], labels: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Return each topic's terms, the most telling first."""
    titles = [{key for key, _ in _phrases(paper.title)} for paper in papers]
    candidates = set().union(*titles)
    if len(papers) <= _FEW:
        candidates |= {key for paper in papers for key, _ in _phrases(paper.abstract) if len(key) > 1}
    uses = {label: _Uses(Counter(), Counter()) for label in sorted(set(labels))}
    spelt: dict[Key, Counter[str]] = {}
    cases: dict[str, Counter[str]] = {}
    for paper, label, title in zip(papers, labels, titles, strict=True):
        spoken = set(title)
        for key, text in _phrases(paper.abstract):
            if key in candidates:
                spoken.add(key)
                spelt.setdefault(key, Counter())[text] += 1
        uses[label].spoken.update(spoken)
        uses[label].titled.update(title)
        for word in _words(paper.abstract):
            if word is not None and not word.begins:
                cases.setdefault(word.folded, Counter())[word.written] += 1
    overall = sum((one.spoken for one in uses.values()), Counter[Key]())
    sizes = Counter(labels)
    return {
        label: tuple(_shown(key, spelt, cases) for key in _chosen(uses[label], overall, sizes[label], len(papers)))
        for label in uses
    }


def _chosen(uses: _Uses, overall: Counter[Key], size: int, total: int) -> list[Key]:
    least = 1 if size < 3 else max(2, size // 10)  # what a single paper of a topic says does not name it
    elsewhere = max(1, total - size)

    def worth(key: Key) -> float:
        here = uses.spoken[key] + uses.titled[key]
        apart = 1 - (overall[key] - uses.spoken[key]) / elsewhere / (uses.spoken[key] / size)
        rarity = math.log(1 + total / overall[key])
        return here / size * rarity * max(0.0, apart) ** 2 * (_PHRASE if len(key) > 1 else 1.0)

    fit = [
        key
        for key, spoken in uses.spoken.items()
        if spoken >= least and (total == size or overall[key] <= _ANYWHERE * total)
    ]
    longer = Counter[Key]()
    for key in fit:
        for part in {key[a:b] for a in range(len(key)) for b in range(a + 2, len(key) + 1)} - {key}:
            longer[part] = max(longer[part], uses.spoken[key])
    ranked = sorted(
        (key for key in fit if len(key) == 1 or longer[key] < _OF_LONGER * uses.spoken[key]),
        key=lambda key: (-worth(key), key),
    )
    found: list[Key] = []
    for key in ranked:
        if len(found) == TERMS or worth(key) <= 0:
            break
        if not any(_same(key, other) for other in found):
            found.append(key)
    return found


def _same(key: Key, named: Key) -> bool:
    """Tell whether a phrase adds nothing to one that is named: a telling word in common, or its initials."""
    if (_parts(key) & _parts(named)) - _OF_THE_FIELD:
        return True
    short, long = sorted((key, named), key=len)
    initials = "".join(word[0] for word in long)
    return len(short) == 1 and len(short[0]) > 1 and (initials.endswith(short[0]) or short[0].endswith(initials))


def _parts(key: Key) -> set[str]:
    return {stem(part) for root in key for part in (root, *re.split("[-‐‑–]", root))}


def _shown(key: Key, spelt: dict[Key, Counter[str]], cases: dict[str, Counter[str]]) -> str:
    """Return a phrase in its usual form, with capitals only where its words mostly have them within a sentence."""
    phrase = _commonest(spelt[key]) if key in spelt else " ".join(key)
    return " ".join(_usual(word, cases.get(word, Counter())) for word in phrase.split())


def _usual(word: str, forms: Counter[str]) -> str:
    # What is introduced with its acronym has capitals ("Large Language Models (LLMs)"), and is no name for that.
    capitals = sum(forms.values()) - forms[word]
    return word if forms[word] * _SELDOM >= capitals else _commonest(forms)


def _commonest(forms: Counter[str]) -> str:
    return min(forms.items(), key=lambda form: (-form[1], form[0]))[0]


_TOKEN = re.compile(r"[^\W\d_]+(?:[-‐‑–'’][^\W\d_]+)*|[.,;:()!?]")
_ENDS = frozenset(".:!?")


def _phrases(text: str) -> Iterator[tuple[Key, str]]:
    """Yield the phrases of one to four neighbouring words by their stems, and as they are spelt."""
    run: list[_Word] = []
    for word in _words(text):
        if word is None:
            run = []
            continue
        run.append(word)
        for length in range(1, min(_LONGEST, len(run)) + 1):
            phrase = run[-length:]
            key = tuple(one.root for one in phrase)
            # Repeated words and words of every paper alone name nothing; nor does a phrase of such words only.
            if len(set(key)) == length and not set(key) <= _OF_THE_FIELD:
                yield key, " ".join(one.folded for one in phrase)


def _words(text: str) -> Iterator[_Word | None]:
    """Yield the words of a text, None where a phrase can't go on."""
    begins = True
    for match in _TOKEN.finditer(text):
        written = match.group()
        if not written[0].isalpha():
            begins = begins or written in _ENDS
            yield None
            continue
        folded = fold(written)
        root = _singular(written) or stem(folded)
        if len(folded) < 2 or (len(folded) < 3 and not written.isupper()) or folded in STOPWORDS or root in _TALK:
            yield None
        else:
            yield _Word(root, folded, written, begins)
        begins = False


def _singular(written: str) -> str | None:
    """Return the letters of an acronym, also of several ("LLMs"), or None for another word."""
    letters = written.removesuffix("s")
    return fold(letters) if len(letters) > 1 and letters.isalpha() and letters.isupper() else None


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


# Words that name a topic only beside another: "language models", "graph neural networks", "representation learning".
_OF_THE_FIELD = _stems("""
model models modeling modelling learning network networks neural training data analysis search deep machine large
algorithm algorithms information optimization optimisation system systems generation prediction inference process
processing representation representations estimation structure structured function functions distribution sequence
attention task tasks sample samples image text visual human feature features time memory
""")
# Words in which papers speak of themselves and of each other: they name no topic, and no phrase goes over them.
_TALK = _stems("""
propose introduce present paper work method methods approach approaches framework novel new experiment result show
shows shown demonstrate achieve performance exist existing based using use used extensive across improve improving
outperform state art significantly problem problems address study studies train while also high low small well first
second two three many most prior previous recent different various effective efficient efficiently effectively code
available github http https url release provide enable enabling develop design apply applied application applications
evaluate evaluation evaluating such however further moreover often can may one key via both given real world empirical
empirically set number better compare baseline baselines benchmark benchmarks dataset datasets leverage leveraging
challenge challenging general generalized specific setting settings simple strong current require find finding
findings including make making important limit limited even still remain typically way order within yet able capture
reduce reducing increase level type multiple single several particular form case example examples then com www called
been has have its our their these those this that under over between during without rather than technique techniques
experimental theoretical theoretically obtain consider generate generated standard quality widely reveal revealing
build building lead leading frontier shift perturb early late whether toward towards superior comprehensive introduced
introduces focus input output best good common additional full similar understanding exploring exploration
investigating rethinking revisiting beyond survey review overview perspective fast faster accurate optimal diverse
know automatic automatically matters adapt
""")
