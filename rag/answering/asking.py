"""What thing does a question ask for, and has the abstract a word of it? "ensemble width" in "ensemble width of X?".

Pure, by the forms of English questions, without a tagger. An abstract that has no word of a concrete thing seldom tells
it; words such as "share" or "trick" may be asked for whatever an abstract calls the thing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal

from rag.checking.alignment import best_match
from rag.text.counting import is_deed
from rag.text.kinds import is_spoken_of, same_kind
from rag.text.matching import match_strength
from rag.text.names import name_key, spelt_out
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
_DETERMINERS = frozenset("the a an its their his her this that these those it them one each every".split())
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
    stem(word)
    for word in """
        times fewer less more tougher better worse faster slower bigger smaller larger higher lower cheaper shorter
        longer deeper heavier quicker stronger weaker older younger easier harder earlier later percent
    """.split()
)
# What "how much" asks for by its one name; of anything else, an abstract tells how much in words of its own.
_MEASURED = frozenset(
    stem(word) for word in "memory data compute computation time energy money power storage bandwidth traffic".split()
)
_BESIDE = 8  # words to either side of a number that say what it measures
_MOST = 3  # words of a noun phrase that are kept
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
# Things that papers call by name: who asks which they are wants to hear names.
_ASKS_NAMES = re.compile(
    r"\b(?:which|what(?: are)?|name)\s+(?:the\s+|its\s+|their\s+)?(?:exact\s+)?(?:[\w-]+\s+){0,3}?"
    r"(?P<what>datasets?|benchmarks?|models?|llms?|vlms?|lms|languages?(?! models?)|countr(?:y|ies)|robots?|cameras?|"
    r"gpus?|networks?|nets?|classifiers?|encoders?|decoders?|tools?|corp(?:us|ora)|baselines?|famil(?:y|ies)|systems?|simulators?|"
    r"optimi[sz]ers?|tokeni[sz]ers?|software|companies|hospitals?|universit(?:y|ies)|cities|schemes?|rivals?|"
    r"manufacturers?|brands?|databases?|treebanks?|checkpoints?|games|simulations?|machines?|scanners?|assays?|kits?|trackers?|microscopes?|instruments?|platforms?|"
    r"competitors?)\b",
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
# Properties that a number with its unit tells by itself.
_MEASURES = _FIGURES | {
    stem(word) for word in ("temperature", "often", "fast", "much", "big", "large", "good", "percent")
}
_UNIT = re.compile(r"\s?(?:[%°×]|x\b|(?:percent|points?|times|hours?|minutes?|seconds?)\b|[A-Z][A-Z\d]{0,4}\b|ms\b)")
_IN_FIGURES = re.compile(
    r"\bin (?:percent|%|numbers|figures|hours|seconds|dollars|points)|\bpercent\b|%|\bby how much\b", re.IGNORECASE
)
_CAPITALISED = re.compile(r"(?<![.“\"(\s])\s+\(?([A-Z][\w-]+)")


@dataclass(frozen=True, slots=True)
class Asked:
    """The thing that a question asks for: the stems of its words, the noun last, and the form that shows it."""

    stems: tuple[str, ...]
    form: Form
    span: tuple[int, int] = field(default=(0, 0), compare=False)  # in the question, the word that asks included

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
            return _from(word, _counted(after[1:], mass=following == "much"))
        if word.text == "how" and following in _DEGREES:
            return Asked((stem(following),), "degree", (word.start, after[0].end))
        if word.text in _ASKERS and after:
            return _from(word, _behind_which(after))
        if word.text in ("how", "why", "who", "where", "when"):
            return None
    return None if not words or words[0].text in _AUXILIARIES else _before_of(words)


def asked_words(question: str, names: Sequence[tuple[int, int]] = ()) -> str:
    """Return what a question asks for, as typed, to stand behind "does not say"; "" where its form shows nothing."""
    thing = asked(question, names)
    if thing is None or thing.form in ("bare", "degree") or thing.stems == (stem("names"),):
        return ""
    start, end = thing.span
    words = question[start:end].split()
    words = words[: next((n for n, word in enumerate(words) if n > 1 and is_deed(word)), len(words))]
    if words[0][1:].islower():
        words[0] = words[0].lower()
    return " ".join(words if thing.form == "which" or words[0] == "how" else ["the", *words])


_A_WORK = r"(?:papers?|works?|articles?|stud(?:y|ies)|abstracts?|publications?|posters?|talks?)"
# A reader who describes a paper to have it named: "the poster where ...", "which work lets ...", "whose is that".
_SEEKS = re.compile(
    rf"\b(?:which|what|wich) (?:one|{_A_WORK})\b(?! of\b)"
    rf"|^\W*(?:(?:the|that|any|an?|some) )?(?:{_A_WORK}|one|something|anything|someone|anyone) "
    r"(?:where|that|which|who|whose|about|on|with|for|saying|showing|doing|by|from|in which)\b"
    rf"|\b(?:is|was|are) there (?:(?:an?|any|some|another) )?(?:{_A_WORK}|one|something|anything|anyone|someone)\b"
    r"|\b(?:is|was|are) there (?:an?|any|some|another) (?:[\w-]+ ){1,3}(?:where|that|which|who|for|on)\b"
    # "Which system draws ...": the deed tells the work; "which system does it run on" asks for a part of one.
    r"|\b(?:which|what) (?:system|method|framework|approach|benchmark|model|agent|algorithm|technique)s? "
    r"(?!does\b|is\b|was\b|has\b)[a-z]+s\b"
    rf"|\b(?:remember|recall|forgot|looking for|find|know) (?:\w+ )?(?:the|an?|that|this|some) "
    rf"(?:\w+ )?(?:{_A_WORK}|title|name|one)\b"
    rf"|\bthere was (?:an? |this |some )?{_A_WORK}\b|\bwhat(?:['’]?s| is| was) the one\b"
    rf"|\bwhat(?:['’]?s| is| was) the {_A_WORK} (?:on|about|that|which|where)\b"
    rf"|\bwhose (?:{_A_WORK} )?(?:is|was)\b"
    r"|\b(?:do you know|name) (?:it|that one)\b",
    re.IGNORECASE,
)
_ALSO_ASKS = re.compile(
    r"(?:[,;.?–—-]|\band)\s+(?:(?:on|in|by|with|for|at|to)\s+)?"
    r"(?:how|why|what(?! (?:one|paper|work))|when|where|who)\b",
    re.IGNORECASE,
)


def seeks_paper(question: str) -> bool:
    """Tell whether a question describes a paper and asks which it is; any abstract that is found tells that."""
    found = _SEEKS.search(question)
    return found is not None and not _ALSO_ASKS.search(question, found.end())


def is_absent(thing: Asked, stems: frozenset[str]) -> bool:
    """Tell whether a text with these stems has no word of a concrete thing."""
    if thing.is_open or thing.stems[-1] in _MEASURES:
        return False
    # Behind "which" a verb may have come along ("which layer steers"): then the first word is the noun.
    tried = {thing.stems[-1], thing.stems[0]} if thing.form == "which" else {thing.stems[-1]}
    return not any(
        match_strength(term, stems) or best_match(term, stems) or is_spoken_of(term, stems) for term in tried
    )


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


def gives_name(sentence: str, known: Collection[str]) -> bool:
    """Tell whether a sentence has a capitalised word besides its first, the `known` keys and the field's acronyms."""
    return any(name_key(name) not in known and not spelt_out(name) for name in _CAPITALISED.findall(sentence))


def tells_figure(sentence: str, thing: Asked | None, focus: Sequence[str]) -> float:
    """Return how much of what a question asks for stands beside a number of a sentence, 0-1.

    Half of it is the noun itself, where it is one that an abstract has no other word for. A unit stands for the
    property that it measures: "61 °C" is a temperature, "66.5 F1" a score.
    """
    words = list(tokens(sentence))
    head = "" if thing is None or thing.is_open else thing.stems[-1]
    most = 0.0
    for place, word in enumerate(words):
        if not _is_figure(sentence, word):
            continue
        near = words[max(0, place - _BESIDE) : place + _BESIDE]
        beside = frozenset(stem(w.text) for w in near if w is not word)
        measured = bool(_UNIT.match(sentence, word.end))
        said = [term for term in focus if not (measured and term in _MEASURES)]
        spoken = sum(_speaks_of(term, beside) for term in said) / len(said) if said else 1.0
        open_head = not head or (measured and head in _MEASURES)
        most = max(most, spoken if open_head else 0.5 * (_speaks_of(head, beside) > 0) + 0.5 * spoken)
    return most


def _is_figure(text: str, word: Token) -> bool:
    """Tell whether a word is a number that is no part of a name such as "GPT-4" or "2-WL"."""
    before, after = text[max(0, word.start - 1) : word.start], text[word.end : word.end + 2]
    named = before.isalpha() or before == "-" or (after[:1] == "-" and after[1:].isupper())
    return (word.is_number or (word.text in NUMBER_WORDS and word.text != "one")) and not named


def _speaks_of(term: str, stems: frozenset[str]) -> float:
    return max(match_strength(term, stems), 0.6 * bool(best_match(term, stems) or is_spoken_of(term, stems)))


def _behind_which(words: Sequence[Token]) -> Asked | None:
    if words[0].text in _BE:
        # "What is the gate for?" asks for a purpose, whatever the gate is called.
        purpose = any(a.text == "for" and b.text in _BOUNDS for a, b in pairwise(words)) or words[-1].text == "for"
        return None if purpose else _before_of(words[1:])
    if words[0].text in _AUXILIARIES:
        return None
    kind_of = len(words) > 2 and words[0].text in _KINDS and words[1].text == "of"
    words = words[2:] if kind_of else words
    found = _without_deeds(_noun_phrase(words), words)
    return _thing(found, "which") if found else None


def _without_deeds(found: Sequence[Token], words: Sequence[Token]) -> list[Token]:
    """Return a noun phrase behind "which" without the verb that may have come along: "encoder" of "encoder sits in"."""
    found = list(found)
    end = next((n for n, word in enumerate(found) if is_deed(word.text)), len(found))
    if end < len(found):
        return found[:end]
    behind = next((w.text for w in words if found and w.start >= found[-1].end), "")
    verb = bool(found) and found[-1].text.endswith("s") and len(same_kind(stem(found[-1].text))) == 1
    follows = behind in _DETERMINERS if len(found) == 1 else bool(behind) and behind not in _AUXILIARIES
    return found[:-1] if verb and follows else found


def _before_of(words: Sequence[Token]) -> Asked | None:
    """Return the phrase before "of", "in", "for"; without such a word it is only the beginning of the question."""
    found = _noun_phrase(words)
    if not found:
        return None
    behind = next((w for w in words if w.start >= found[-1].end), None)
    form: Form = "of" if behind is not None and behind.text in _BOUNDS else "bare"
    return _thing(found, form)


def _counted(words: Sequence[Token], *, mass: bool) -> Asked | None:
    """Return what is counted; "how many times faster" counts no thing that stands in an abstract."""
    end = next((n for n, word in enumerate(words) if n and is_deed(word.text)), len(words))
    thing = _phrase(words[:end], "count")
    if thing is None:
        return None
    compared = thing.stems[0] in _COMPARED or (mass and thing.stems[-1] not in _MEASURED)
    return Asked(thing.stems[:1], "degree", thing.span) if compared else thing


def _phrase(words: Sequence[Token], form: Form) -> Asked | None:
    found = _noun_phrase(words)
    return _thing(found, form) if found else None


def _thing(words: Sequence[Token], form: Form) -> Asked:
    return Asked(tuple(stem(w.text) for w in words), form, (words[0].start, words[-1].end))


def _from(asker: Token, thing: Asked | None) -> Asked | None:
    """Return a thing with the word that asks for it, where it is not asked "what is the ...?"."""
    if thing is None or thing.form not in ("count", "which", "degree"):
        return thing
    return replace(thing, span=(asker.start, thing.span[1]))


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
