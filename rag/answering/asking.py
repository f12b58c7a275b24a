"""What thing does a question ask for, and has the abstract a word of it? "ensemble width" in "ensemble width of X?".

Pure, by the forms of English questions, without a tagger. An abstract that has no word of a concrete thing seldom tells
it; words such as "share" or "trick" may be asked for whatever an abstract calls the thing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from rag.checking.alignment import best_match
from rag.text.matching import match_strength
from rag.text.words import NUMBER_WORDS, STOPWORDS, Token, stem, tokens

Form = Literal["count", "degree", "which", "of", "bare"]

_BE = frozenset(["is", "are", "was", "were", "s"])
_AUXILIARIES = _BE | frozenset("be been does do did has have had can could will would should may might must".split())
_BOUNDS = frozenset(
    """
        of in for on at from with by to per used needed behind inside under across among between within during over via
        than as about against into without vs versus and or but that which who when if because while
    """.split()
)
_SKIPPED = frozenset(
    """
        the a an its their his her this these those that any each every some all no one please tell me give state exact
        exactly avg average mean total overall final and so ok also just now then wait hey hi um er well
    """.split()
)
_KINDS = frozenset(["kind", "kinds", "type", "types", "sort", "sorts"])
_ASKERS = frozenset(["which", "what", "whose"])
_QUANTITY = frozenset(["many", "much", "mny", "few"])
_DEGREES = frozenset(
    """
        long fast quick quickly big large small deep wide often expensive costly cheap accurate well good high low far
        strong old heavy slow close
    """.split()
)
_COMPARED = frozenset(
    stem(word) for word in ["times", "fewer", "less", "more", "tougher", "better", "faster", "percent"]
)
_WHOLE = frozenset(stem(word) for word in ["paper", "work", "article", "study", "abstract", "publication", "one"])
_MOST = 3  # words of a noun phrase that are kept
_FORM = 0.85  # the word or a form of it, no synonym
# What any abstract may tell in words of its own: no sign of silence where the word itself is missing.
_OPEN = frozenset(
    stem(word)
    for word in """
        thing things trick tricks way ways kind sort type class classes place places part parts share fraction
        proportion percent percentage nr number numbers factor rate ratio amount figure figures value times multiple
        gain improvement speedup increase decrease drop reduction difference result results outcome finding findings
        score scores paper papers work works study studies article abstract one ones anything something name title
        problem problems issue issues reason reasons cause causes idea ideas claim claims evidence insight method
        methods approach approaches technique techniques strategy strategies mechanism mechanisms system framework
        recipe ingredient ingredients step steps stage stages stand component components criterion phenomenon effect
        effects behaviour behavior property properties respect respects aspect aspects question questions answer
        example examples case cases condition conditions scenario setting settings guarantee theorem test tests testbed
        bed beds set sets point points cost bill price word words look search find people person group groups others
        rival alternative link formula solver solvers algorithm algo weakness strength advantage disadvantage
        limitation benefit downside catch explanation assumption goal aim task tasks role purpose meaning topic area
        field domain better worse best worst more less tougher happen happens make makes come comes get gets wrong
        confuse confuses time duration size speed accuracy
    """.split()
)
_ASKS_NAMES = re.compile(
    r"\b(?:which|what are)\s+(?:the\s+|its\s+|their\s+)?(?:[\w-]+\s+){0,3}?"
    r"(?P<what>datasets?|benchmarks?|models?|llms?|lms|languages?(?! models?)|countr(?:y|ies)|"
    r"robots?|cameras?|gpus?|networks?|classifiers?|encoders?|decoders?|tools?|corpora|baselines?|famil(?:y|ies)|systems?|companies|hospitals?|cities)\b",
    re.IGNORECASE,
)
_NAMES_OF = re.compile(r"\bnames? of\b", re.IGNORECASE)
# Properties that are told in figures.
_FIGURES = frozenset(
    stem(word)
    for word in """
        size dimension dimensionality width depth length height epsilon bleu rouge f1 accuracy score rate ratio percent
        percentage share fraction number count threshold budget weight temperature duration time latency speed
        throughput gain improvement reduction speedup cost price margin error perplexity recall precision auc map miou
        psnr fid nr parameters bits resolution probability frequency increase decrease drop
    """.split()
)
_IN_FIGURES = re.compile(
    r"\bin (?:percent|%|numbers|figures|hours|seconds|dollars|points)|\bpercent\b|%|\bby how much\b", re.IGNORECASE
)
_CAPITALISED = re.compile(r"(?<![.“\"(\s])\s+\(?([A-Z][\w-]+)")


@dataclass(frozen=True, slots=True)
class Asked:
    """The thing that a question asks for: the stems of its words, the noun last, and the form that shows it."""

    stems: tuple[str, ...]
    form: Form

    @property
    def is_open(self) -> bool:
        """Tell whether an abstract may tell such a thing without any word for it."""
        # Behind "which" the first word may be the noun: "which trick saved ...".
        open_first = self.form == "which" and self.stems[0] in _OPEN
        return self.form in ("degree", "bare") or self.stems[-1] in _OPEN or open_first


def asked(question: str, names: Sequence[tuple[int, int]] = ()) -> Asked | None:
    """Return the thing that a question asks for, None where its form shows none; `names` are spans of names."""
    words = [t for t in tokens(question) if not any(start <= t.start < end for start, end in names)]
    for place, word in enumerate(words):
        after = words[place + 1 :]
        following = after[0].text if after else ""
        if (word.text == "how" and following in _QUANTITY) or (word.text == "number" and following == "of"):
            return _counted(after[1:])
        if word.text == "how" and following in _DEGREES:
            return Asked((stem(following),), "degree")
        if word.text in _ASKERS and after:
            return _behind_which(after)
        if word.text in ("how", "why", "who", "where", "when"):
            return None
    return None if not words or words[0].text in _AUXILIARIES else _before_of(words)


def asks_for_paper(thing: Asked | None) -> bool:
    """Tell whether the thing asked for is a paper itself, which any abstract that is found tells."""
    return thing is not None and thing.form in ("which", "count") and thing.stems[0] in _WHOLE


def is_absent(thing: Asked, stems: frozenset[str]) -> bool:
    """Tell whether a text with these stems has no word of a concrete thing."""
    if thing.is_open:
        return False
    # Behind "which" a verb may have come along ("which layer steers"): then the first word is the noun.
    tried = {thing.stems[-1], thing.stems[0]} if thing.form == "which" else {thing.stems[-1]}
    return not any(match_strength(term, stems) or best_match(term, stems) for term in tried)


def named_kind(question: str) -> str:
    """Return the stem of the kind of thing whose names a question wants to hear, "" where it asks for none."""
    of = _NAMES_OF.search(question)
    if of:
        named = _noun_phrase(list(tokens(question[of.end() :])))
        return stem(named[-1].text) if named else ""
    match = _ASKS_NAMES.search(question)
    return stem(match["what"].lower()) if match else ""


def asks_for_figure(question: str, thing: Asked | None) -> bool:
    """Tell whether the answer to a question has to hold a number."""
    told_in_figures = thing is not None and (thing.form in ("count", "degree") or thing.stems[-1] in _FIGURES)
    return told_in_figures or bool(_IN_FIGURES.search(question))


def gives_name(sentence: str, own: Collection[str]) -> bool:
    """Tell whether a sentence has a capitalised word, its first and the paper's `own` names (as keys) apart."""
    return any(name.lower().replace("-", "") not in own for name in _CAPITALISED.findall(sentence))


def _behind_which(words: Sequence[Token]) -> Asked | None:
    if words[0].text in _BE:
        return _before_of(words[1:])
    if words[0].text in _AUXILIARIES:
        return None
    kind_of = len(words) > 2 and words[0].text in _KINDS and words[1].text == "of"
    return _phrase(words[2:] if kind_of else words, "which")


def _before_of(words: Sequence[Token]) -> Asked | None:
    """Return the phrase before "of", "in", "for"; without such a word it is only the beginning of the question."""
    found = _noun_phrase(words)
    if not found:
        return None
    behind = next((w for w in words if w.start >= found[-1].end), None)
    form: Form = "of" if behind is not None and behind.text in _BOUNDS else "bare"
    return Asked(tuple(stem(w.text) for w in found), form)


def _counted(words: Sequence[Token]) -> Asked | None:
    """Return what is counted; "how many times faster" counts no thing that stands in an abstract."""
    thing = _phrase(words, "count")
    return Asked(thing.stems[:1], "degree") if thing is not None and thing.stems[0] in _COMPARED else thing


def _phrase(words: Sequence[Token], form: Form) -> Asked | None:
    found = _noun_phrase(words)
    return Asked(tuple(stem(w.text) for w in found), form) if found else None


def _noun_phrase(words: Sequence[Token]) -> list[Token]:
    """Return the content words that a run of words opens with, as far as they belong together."""
    found: list[Token] = []
    for word in words:
        if word.text in _SKIPPED or word.is_number or word.text in NUMBER_WORDS:
            if found:
                break
        elif word.text in _AUXILIARIES or word.text in _BOUNDS or word.text in STOPWORDS or len(found) == _MOST:
            break
        else:
            found.append(word)
    return found
