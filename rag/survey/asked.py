"""Which questions ask about the collection itself: its size, its topics, the largest figure, a column of all papers.

Such a question names no paper, yet it is no condition that an abstract meets or does not: it asks for a sum over all of
them. Pure, English, by rules; `rag.survey.collection` answers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rag.retrieval.whole import PAPERS, PLURAL
from rag.text.words import content_stems

Aspect = Literal["contents", "topics", "extreme", "column"]

_PLACE = r"(?:library|corpus|collection|conference|set|database|dataset of abstracts)"
_HERE = (
    rf"(?:here|in (?:here|there|total|all|this|the (?:whole )?{_PLACE}|(?:this|your|our|my) {_PLACE})"
    rf"|(?:do|does|have|did) (?:you|we|it|the {_PLACE}|this {_PLACE})(?: have| hold| contain| know| cover)?)"
)
_COUNT = re.compile(
    rf"^\W*(?:(?:and|so|ok|hey|please)\W+)?(?:how (?:many|mny)|(?:what is |what's )?the (?:total )?number of|count)"
    rf" (?:the |of the )?{PAPERS}"
    rf"(?:(?: (?:are|is|were|was))?\W*$| (?:are|is) (?:there|{_HERE}|indexed|loaded|stored)\b.{{0,25}}$"
    rf"| {_HERE}\W*(?:{_HERE})?\W*$)",
    re.IGNORECASE,
)
_CONTENTS = re.compile(
    rf"^\W*(?:(?:and|so|ok|hey|please)\W+)?(?:(?:what|which) {PLURAL} (?:are |is )?(?:there|{_HERE})(?: {_HERE})?"
    r"|(?:can you )?(?:list|show|name|give)(?: me)? (?:all|every|everything)(?: of)?(?: the| your| these)?"
    rf"(?: {PAPERS})?(?: {_HERE})?(?: titles)?|what(?: is|'s) in (?:the|this|your) {_PLACE}"
    rf"|what (?:do|can) you (?:have|know|cover)|what does (?:the|this) {_PLACE} (?:have|hold|contain|cover))\W*$",
    re.IGNORECASE,
)
_TOPICS = re.compile(
    r"\b(?:main|major|key|common(?:est)?|most (?:common|frequent|popular)|dominant|overall|different|broad|general"
    r"|what|which) (?:research )?(?:topics?|themes?|areas|subjects?|trends?)\b"
    r"|\b(?:topics|themes) (?:are|does|do|that)\b"
    r"|\b(?:overview|summary|summari[sz]e|gist) (?:of )?(?:the|this|these|all)?\s?(?:whole |entire )?"
    rf"(?:{_PLACE}|{PLURAL})\b"
    rf"|\bwhat (?:is|are) (?:this|the|these) (?:{_PLACE}|{PLURAL}) (?:all )?about\W*$",
    re.IGNORECASE,
)
_LARGE = "largest|biggest|highest|greatest|max|maximum|maximal|strongest|top|record|best"
_SMALL = "smallest|lowest|least|minimum|minimal|min|fewest"
_DONE = {"fastest": "speedup", "quickest": "speedup", "most accurate": "accuracy", "most parameters": "parameters"}
_SUPERLATIVE = re.compile(rf"\b(?:(?P<large>{_LARGE})|(?P<small>{_SMALL})|(?P<done>{'|'.join(_DONE)}))\b", re.I)
# Whose largest figure: of all papers, and of none that the question describes.
_OF_ALL = re.compile(
    rf"^\W*(?:(?:and|so|ok)\W+)?(?:(?:which|what|whose|wich) (?:of (?:the|these) )?(?:{PAPERS}|methods?|models?"
    r"|approach(?:es)?|systems?|works?|one|team|authors)\b|who\b)"
    r"|\bwhat are the\b"
    rf"|\b(?:any(?:one|body)|someone|any {PAPERS}|among|across|over all|of all|overall|in any|reported|{PLURAL}"
    rf"|here|in (?:the|this|your) {_PLACE})\b",
    re.IGNORECASE,
)
_COLUMN = re.compile(
    r"\b(?:what|which|list|name|give me|show)(?: are| all| me| the| kinds? of| sorts? of| types? of)* "
    r"(?P<name>(?:evaluation |test )?(?:data ?sets?|benchmarks?|corpora|tasks|models?|metrics?|methods|numbers|figures"
    r"|results|code links|problems|baselines)"
    r"(?: (?:are|is) (?:given|reported|claimed) (?:for|on)(?: the)? [\w -]{3,40}?)?) (?:(?:are|is|were|get|that) )?"
    r"(?:(?:being )?(?:used|reported|tested|evaluated|given|proposed|introduced|tackled|studied)(?: on| for)? )?"
    r"(?:(?:in|by|across|over|among|from) (?:all |each |any )?(?:of )?(?:the|these|those|this|your)?"
    rf"\s?(?:{PAPERS}|{_PLACE})|do (?:the|these|those|all) {PLURAL}(?: \w+)?(?: on)?)\W*$",
    re.IGNORECASE,
)
FRAME = frozenset(
    content_stems(
        "which what who whose paper papers abstract work method model approach system report reports reported claim"
        " claims claimed get gets give gives achieve achieves has have show shows anyone anybody reach reaches largest"
        " biggest highest greatest max maximum top record best smallest lowest least minimum fastest quickest most"
        " overall across among library corpus collection number figure value here all any of the give team authors"
        " numbers figures results announce announces boast boasts obtain obtains offer offers state states yield yields"
        " single seen found use uses used train trains trained contain contains"
    )
)
# What data sets are counted in.
ITEMS = (
    r"(?:examples?|samples?|instances?|questions?|tasks|pairs|tokens|images|videos?|documents|hours|papers|languages|articles"
    r"|sentences|dialogues?|conversations|records|annotations|items|problems|queries|clips|triples|entries|patients|scans)"
)
# Words under which abstracts give one measure, and the kinds of number that it is given in.
_MEASURES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        r"speed-?ups?|speed|accelerat\w+|faster",
        r"speed-?ups?|faster|accelerat\w+|quicker|speeds? up",
        ("times", "percent"),
    ),
    (
        r"gains?|improvements?|increases?|boosts?",
        r"gains?|improv\w+|increas\w+|boost\w*|higher|outperform\w*|rais\w+|\+\d",
        ("percent", "points", "times"),
    ),
    (
        r"reductions?|savings?|decreases?|drops?",
        r"reduc\w+|sav(?:es?|ing\w*)|decreas\w+|drops?|cuts?|lower\w*|fewer|less",
        ("percent", "times", "points"),
    ),
    (r"accurac(?:y|ies)|accurate", r"accurac(?:y|ies)|accurate\w*", ("percent", "points")),
    (r"data ?sets?|corpus|corpora|benchmarks?|test ?sets?", rf"{ITEMS}", ("items",)),
    (r"parameters?|size", r"parameters?|\d ?[BM]\b|model", ("count",)),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of the collection: the aspect, of what (a measure or a column), and which end of it."""

    aspect: Aspect
    about: str = ""
    largest: bool = True


def asked_of_collection(question: str) -> Asked | None:
    """Return what a question that names no paper asks of the collection as a whole, or None."""
    if _COUNT.search(question):
        return Asked("contents")
    if _CONTENTS.search(question):
        return Asked("contents", "titles")
    if _TOPICS.search(question) and not _about_something(question):
        return Asked("topics")
    if found := _COLUMN.search(question):
        name = re.sub(r"\b(?:are|is) (?:given|reported|claimed)\b ?", "", found["name"])
        figures = re.match(r"(?:numbers|figures|results)\b", name, re.IGNORECASE)
        return Asked("extreme" if figures and measures(name)[0] else "column", name)
    superlative = _SUPERLATIVE.search(question)
    if superlative and _OF_ALL.search(question):
        meant = _DONE.get((superlative["done"] or "").lower(), "")
        about = f"{question[: superlative.start()]} {question[superlative.end() :]} {meant}"
        stems = [stem for stem in content_stems(about) if stem not in FRAME]
        if stems and measures(about)[0]:
            return Asked("extreme", about, superlative["small"] is None)
    return None


_ABOUT = frozenset(
    content_stems(
        "main major key common commonest most frequent popular dominant overall different broad general what which"
        " research topic topics theme themes area areas subject subjects trend trends overview summary summarise"
        " summarize gist whole entire library corpus collection conference set papers paper abstract abstracts works"
        " covered cover here discussed represented give me treated appear present all included list"
    )
)


def _about_something(question: str) -> bool:
    return any(stem not in _ABOUT for stem in content_stems(question))


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure that a question names: how abstracts word it, and in which kinds of number they give it."""

    said: re.Pattern[str]
    units: tuple[str, ...]


def measures(text: str) -> tuple[list[Measure], str]:
    """Return the measures that a question names, and what is left of it without them."""
    found = []
    for asked, said, units in _MEASURES:
        rest = re.sub(rf"\b(?:{asked})\b", " ", text, flags=re.IGNORECASE)
        if rest != text:
            found.append(Measure(re.compile(rf"\b(?:{said})", re.IGNORECASE), units))
            text = rest
    return found, text
