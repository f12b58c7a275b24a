"""How close a sentence is to an abstract: does it speak of the same thing at all, in whatever words? Pure.

A free paraphrase shares few words with its source, but rare ones; a sentence about another paper shares the words of
the field. So words count by how ordinary they are in abstracts, and a logistic model (fitted on people's summaries of
their own and of other papers, SciTLDR) weighs what they show.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from rag.checking.alignment import Reading, best_match, neighbours
from rag.checking.claims import Claim, Word
from rag.text.words import stem

# Words of every fifth abstract, tenth, twentieth, fortieth. Of the others each says much about which paper it is.
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
    """
    accelerate access accurate add adopt advances advantage affect against align along although amount annotated
    answer arbitrary aspect assess associated assume assumption attempt attribute autoencoder automatic average
    avoid aware batch bayesian beyond black box capacity care cause certain characterize choice classic close
    cluster collect com communication complete component concept conduct constant constrained constraint contain
    content contrast contribute conventional convex correct correlated create cross crucial decoder deploy depth
    descent desired determine differential difficulty dimension discover discrete discriminator distance
    distinct document downstream driven easily emerge employ encourage enhance ensure especially essential
    establish evidence exact examine exhibit expected expensive expert explain expressive facilitate fact fail
    family fast feedback field filter fine finite flexible follow formal forward found four free full
    fundamental future gain game gap great ground group guarantee guide hand handle hard help hidden
    hierarchical highlight illustrate impact implicit independent indicate individual induce inherent insight
    instance instruction integrate invariant involve joint kernel lack larger length likelihood literature log
    lower made maintain major manner margin matrix maximize maximum mitigate modern module moreover motivated
    multi near negative node normal numerous offer online open overcome pair paradigm parallel parametric part
    pattern perspective play poor pose position posterior pre precise preference preserve pretrained principle
    probabilistic probability procedure program progress promise prompt propagation public query rank reduction
    refer region regression relationship relevant reliable remain remarkable representation resource response
    retrieval reveal risk role rule run scalable scenario self sensitive sentence separate sequential series
    short shot signal simultaneous smaller smooth sparse special speed stage statistics sub subset substantial
    suffer sufficient superior support synthetic systematic tackle temporal theory therefore token tool toward
    trade translation true tuned uncertainty unified unit unknown unlike update user usually variance variant
    variation vary verify version view vision yield zero
    """,
)
_WEIGHTS = (0.8, 1.6, 2.3, 3.0)
COMMONPLACE = _WEIGHTS[1]
_RARE = 4.2
_RARITY = {stem(word): weight for words, weight in zip(_ORDINARY, _WEIGHTS, strict=True) for word in words.split()}
# Shared words beyond this weight prove no more.
_ENOUGH = 20.0

COEFFICIENTS = {"whole": 1.35, "line": 3.05, "shared": 0.51, "length": -3.5, "pairs": 1.08, "title": 0.42, "told": 1.95}
INTERCEPT = -0.42


def rarity(word: str) -> float:
    """Return how much a stem tells about which paper a text is about: 0.8 for "learn", 4.2 for a rare one."""
    return _RARITY.get(word, _RARE)


def closeness(claim: Claim, reading: Reading) -> float:
    """Return the log-odds that a sentence is about what an abstract says."""
    values = features(claim, reading)
    return INTERCEPT + sum(COEFFICIENTS[name] * value for name, value in values.items())


def features(claim: Claim, reading: Reading) -> dict[str, float]:
    """Return what shows that a sentence is about an abstract, by the names of the coefficients.

    `whole` and `line` are the shares of its words that stand in the abstract and in its best sentence, `shared` and
    `title` the weight of those that stand anywhere and in the title, `pairs` how many stand side by side as there;
    `told` is whether it has a number or coined name, which are checked apart.
    """
    words = plain_stems(claim.content)
    lines = [line.stems | reading.title_stems for line in reading.lines] or [reading.title_stems]
    whole = frozenset[str]().union(*lines)
    return {
        "whole": held(words, whole),
        "line": max(held(words, stems) for stems in lines),
        "shared": min(sum(rarity(word) for word in words if word in whole), _ENOUGH),
        "length": math.log1p(len(words)),
        "pairs": float(len(neighbours(claim.words) & reading.pairs)),
        "title": sum(rarity(word) for word in words if word in reading.title_stems),
        "told": float(tells(claim)),
    }


def tells(claim: Claim) -> bool:
    """Tell whether a sentence has a number or coined name, which alone can tell what it is about."""
    return bool(claim.numbers) or any(name.coined for name in claim.names)


def plain_stems(content: Sequence[Word]) -> frozenset[str]:
    """Return the stems of the words, without those of coined names: one right name must not carry invented words."""
    plain = [word.stem for word in content if word.weight <= 1.0]
    return frozenset(plain if len(plain) > 1 else (word.stem for word in content))


def held(words: Iterable[str], stems: frozenset[str]) -> float:
    """Return the share, 0-1, of the words' weight that occurs among the stems, by itself or as a synonym."""
    found = [(rarity(word), 1.0 if word in stems else best_match(word, stems)) for word in words]
    total = sum(weight for weight, _ in found)
    return sum(weight * match for weight, match in found) / total if total else 1.0
