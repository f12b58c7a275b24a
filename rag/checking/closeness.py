"""How close a sentence is to an abstract: does it speak of the same thing at all, in whatever words? Pure.

A free paraphrase shares few words with its source, but rare ones; a sentence about another paper shares the words of
the field. So words count by how ordinary they are in abstracts, and a logistic model (fitted on people's summaries of
their own and of other papers, SciTLDR) weighs what they show.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rag.checking.alignment import Reading, best_match
from rag.checking.claims import Word
from rag.text.words import stem

# Words of every fifth abstract, every tenth, every twentieth. Of the others each says much about a paper.
_ORDINARY = (
    """
    achieve algorithm approach art base compute data dataset deep demonstrate differ effect efficient experience
    general generate image improve large learn method model network neural new optimal paper perform problem
    propose provide recent represent result set show state task train two work
    """,
    """
    accuracy across adapt additional address adversary allow analysis apply applicable approximate architecture
    baseline benchmark better call challenge classification combine compare complex control convolution design
    develop direct distribute domain empirical enable estimate evaluate even example exist experimental feature
    find first framework function gradient high important include infer inform input introduce label language
    layer lead limit loss machine make multiple natural need non novel number object observe often order
    outperform parameter particular predict present previous process real reinforce relate require robust sample
    scale severe significant similar simple space specific standard structure study success supervised system
    technique term test theoretical time weight well world
    """,
    """
    ability able action active agent aim alternate among analyze attack attention augment available become
    behavior benefit best bias bound build capable capture case change class classify code common competitive
    compress condition connect consider consist construct context continue converge correspond cost critic
    current decision define depend derive despite detect difficult dimensional diverse due dynamic embedded
    encode end environment error explicit exploit explore extend extension extract factor faster final fix focus
    form formulate fully furthermore goal graph higher human identify implement incorporate increase initial
    inspire interact interest interpret investigate issue iterate key knowledge known latent less level leverage
    linear local long low map match mean measure mechanism memory metric minimal noise obtain operate origin
    output perturb point policy popular possible potential power practice prior produce property prove quality
    question random range rate reason recognition recurrent reduce regular rely research respect reward scheme
    score search second select semantic sequence share shown simulate single size small solution solve source
    step stochastic strategy strong suggest take target text three tradition transfer transform type typical
    understand unsupervised utility valid value variable variety various vector visual way wide word
    """,
)
_WEIGHTS = (0.8, 1.5, 2.2)
COMMONPLACE = _WEIGHTS[1]
_RARE = 3.5
_RARITY = {stem(word): weight for words, weight in zip(_ORDINARY, _WEIGHTS, strict=True) for word in words.split()}
# Shared words beyond this weight prove no more.
_ENOUGH = 20.0

COEFFICIENTS = {"whole": 0.99, "line": 5.36, "shared": 0.79, "length": -2.99}
INTERCEPT = -0.78


def rarity(word: str) -> float:
    """Return how much a stem tells about which paper a text is about: 0.8 for "learn", 3.5 for a rare one."""
    return _RARITY.get(word, _RARE)


def closeness(content: Sequence[Word], reading: Reading) -> float:
    """Return the log-odds that a sentence with these words is about what an abstract says."""
    values = features(content, reading)
    return INTERCEPT + sum(COEFFICIENTS[name] * value for name, value in values.items())


def features(content: Sequence[Word], reading: Reading) -> dict[str, float]:
    """Return the share of the words in the abstract, in its best sentence, the weight of those shared, their number."""
    words = plain_stems(content)
    lines = [line.stems | reading.title_stems for line in reading.lines] or [reading.title_stems]
    whole = frozenset[str]().union(*lines)
    return {
        "whole": held(words, whole),
        "line": max(held(words, stems) for stems in lines),
        "shared": min(sum(rarity(word) for word in words if word in whole), _ENOUGH),
        "length": math.log1p(len(words)),
    }


def plain_stems(content: Sequence[Word]) -> frozenset[str]:
    """Return the stems of the words, without those of coined names: one right name must not carry invented words."""
    plain = [word.stem for word in content if word.weight <= 1.0]
    return frozenset(plain if len(plain) > 1 else (word.stem for word in content))


def held(words: Iterable[str], stems: frozenset[str]) -> float:
    """Return the share, 0-1, of the words' weight that occurs among the stems, by itself or as a synonym."""
    found = [(rarity(word), 1.0 if word in stems else best_match(word, stems)) for word in words]
    total = sum(weight for weight, _ in found)
    return sum(weight * match for weight, match in found) / total if total else 1.0
