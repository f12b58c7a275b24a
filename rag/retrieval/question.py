"""What a question asks for: its kind, the answer it expects, its content words. Pure, English, by rules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rag.retrieval.whole import asks_of_all
from rag.text.words import NUMBER_WORDS, STOPWORDS, stem, tokens

Kind = Literal["smalltalk", "census", "compare", "single", "empty"]
Expects = Literal["number", "reason", "mechanism", "address", "meaning", "overview", "yes_no", "name", "anything"]

_SMALLTALK = re.compile(
    r"^\W*(?:(?:hi|hello|hey|hiya|yo|good (?:morning|afternoon|evening|day|night)|greetings|howdy|thanks|thank you|thx|ty|cheers|"
    r"bye|goodbye|see you|ciao|ok|okay|cool|great|nice|perfect|awesome|got it|sorry|please|welcome|how are you|how's it going|"
    r"what's up|sup|who are you|what are you|what can you do|help|are you (?:a )?(?:bot|human|robot|there|real)|you|there|all|everyone|"
    r"very much|so much|a lot|again|today|doing|that help(?:s|ed)|that was helpful|very helpful|for (?:your|the) help|lovely|well done|"
    r"good job|nice work|good bot|much appreciated|later|have a (?:nice|good) \w+|nice to meet you|hows it going|how r u|"
    r"that's all|thats all|for now|mate|bot|team|folks|and|i|am|im|fine|good|my name is \w+|night|then|lol|haha)\W*)+$",
    re.IGNORECASE,
)
# "Is there a paper where ...?" followed by a whole description looks for that one paper.
_ONE_PAPER = re.compile(
    r"(?:\b(?:any|a|an|the|that|which|what) (?:paper|abstract|work|article|study)|^\W*(?:\w+ ){0,2}(?:any|some)thing)\b",
    re.IGNORECASE,
)
_DESCRIPTION = 6
_COMPARE = re.compile(
    r"\b(?:compare[ds]?|comparison|versus|vs\.?|difference|differences|differ|different from|in common|both|contrast|"
    r"similarit\w+|rather than|or rather|respectively|better than|faster than|which (?:one )?(?:is|of the two|has the)|each)\b",
    re.IGNORECASE,
)
# "Do the papers here agree on dropout?" sets those on one thing side by side; it doesn't count who agrees.
_AGREE = re.compile(
    r"^\W*(?:do|does|did)\b.{0,40}\b(?:papers?|abstracts?|works|studies|authors|results|findings|they)\b.{0,20}"
    r"\b(?:agree|disagree|contradict each other|conflict|differ)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\bhow (?:much|many|fast|large|big|long|often|far|high|low|small|well|deep|good|strong|wide|quick(?:ly)?|accurate)\b|\bby how\b"
    r"|\b(?:what|which) (?:\w+ ){0,3}?(?:percent(?:age)?|fraction|share|number|factor|rate|ratio|amount|accuracy|score|gain|speed-?up|size|"
    r"proportion|count|threshold|budget|improvement|resolution|complexity|figure|range|percentile|reduction|multiple|degree)\b"
    r"|\b(?:speed-?up|gain|percent(?:age)?|factor|ratio|size|accuracy|score|number of|count|how many|numbers?)\b\s*\??\s*$"
    r"|\b(?:x|times) (?:faster|slower|larger|higher)\b|#\s?of\b|\bhow mny\b|\bnumber of\b",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"\bwhy\b|\bwhat (?:causes?|makes?|motivat\w+|limits?|prevents?|stops?)\b|\bhow come\b|\breasons?\b|\bwhat(?:'s| is) (?:wrong|the (?:problem|issue|cause|matter|weakness|flaw))\b|\bpurpose\b|\bwhat for\b|\bmotivation\b|\bbecause of what\b",
    re.I,
)
_MECHANISM = re.compile(
    r"\bhow (?:do|does|did|is|are|was|were|can|could|exactly|to|they|it)\b|\bby (?:what|which) (?:means|trick|mechanism|way)\b|\bin (?:what|which) way\b|\bmechanism\b|\bwhat (?:trick|technique|strategy|mechanism)\b|^\W*how\b|\bhow\b\W*$",
    re.I,
)
_ADDRESS = re.compile(
    r"\b(?:github|repo(?:sitory)?|url|link|(?:where|can i).{0,40}\b(?:code|data|download|find)|(?:code|weights|data|source|demo)\b.{0,25}\b(?:available|released?|public|open|online|out)|open[- ]?source[d]?|code (?:for|of)|download)\b|\bcode\W*$",
    re.I,
)
_MEANING = re.compile(
    r"\b(?:stands? for|abbreviat\w+|acronym|short for|spell(?:ed)? out|full name|expand(?:ed|s)?|meaning of|what does [\w-]+ mean)\b",
    re.I,
)
_OVERVIEW = re.compile(
    r"^\W*(?:what(?:'s| is| are) [\w\s-]{1,40}\??$|tell me (?:about|more)|explain\b|describe\b|summar\w+|overview|give me (?:a|the) (?:summary|overview|gist)|what(?:'s| is) [\w\s-]+ about)|\b(?:in a nutshell|tl;?dr|gist)\b",
    re.I,
)
_YES_NO = re.compile(
    r"^\W*(?:(?:and|so|but|well|ok|hey)\W+)?(?:is|are|does|do|did|can|could|was|were|has|have|will|would|should)\b",
    re.I,
)
_NAME = re.compile(r"\b(?:which|what|who|whose|name)\b", re.I)

# Words that any paper's question may hold: they say little about which paper or fact is meant.
SCAFFOLD = frozenset(
    """
        paper papers work works method methods approach approaches model models system systems technique
        techniques study studies research author authors abstract abstracts propose proposes proposed
        introduce introduces introduced present presents presented people thing things team guy guys tell
        explain describe mention mentions mentioned report reports reported talk called name names kind type
        sort way ways exactly actually really new novel framework frameworks algorithm idea main make makes
        made work does do did go goes come show shows shown find finds found want need claim claims article
        publication many much far long one ones two three question answer please know think achieve achieves
        result results evaluate evaluated evaluation experiment experiments experimental test tested tests
        trick according compare compares compared comparison comparing versus vs differ differs difference differences contrast
        got something anything everything else what's thats bit lot word words detail
        details
    """.split()
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart: `focus` are the stems of its content words that are neither scaffold nor names."""

    text: str
    kind: Kind
    expects: Expects
    focus: tuple[str, ...]
    numbers: tuple[str, ...]


def understand(text: str, name_spans: tuple[tuple[int, int], ...] = ()) -> Question:
    """Take a question apart; words inside `name_spans` (start, end) are names and no part of the focus."""
    focus: list[str] = []
    numbers: list[str] = []
    for token in tokens(text):
        if any(start <= token.start < end for start, end in name_spans):
            continue
        if token.is_number:
            numbers.append(token.text)
        if token.text in NUMBER_WORDS and token.text not in ("one", "two", "three"):
            numbers.append(NUMBER_WORDS[token.text])
        if token.text not in STOPWORDS and token.text not in SCAFFOLD and not token.is_number:
            focus.append(stem(token.text))
    kind = _kind(text, bool(name_spans))
    if kind == "census" and len(focus) >= _DESCRIPTION and _ONE_PAPER.search(text):
        kind = "single"
    return Question(text, kind, _expects(text), tuple(dict.fromkeys(focus)), tuple(numbers))


def _kind(text: str, named: bool) -> Kind:
    if not any(c.isalnum() for c in text):
        return "empty"
    if _SMALLTALK.match(text):
        return "smalltalk"
    if _AGREE.search(text):
        return "compare"
    if asks_of_all(text, named):
        return "census"
    return "compare" if _COMPARE.search(text) else "single"


def _expects(text: str) -> Expects:
    order: tuple[tuple[re.Pattern[str], Expects], ...] = (
        (_MEANING, "meaning"),
        (_ADDRESS, "address"),
        (_NUMBER, "number"),
        (_REASON, "reason"),
        (_OVERVIEW, "overview"),
        (_MECHANISM, "mechanism"),
        (_YES_NO, "yes_no"),
        (_NAME, "name"),
    )
    return next((kind for pattern, kind in order if pattern.search(text)), "anything")


_POINTS_BACK = re.compile(
    r"\b(?:it|its|it's|that|this|they|them|their|theirs|these|those|there|he|she|same|"
    r"the (?:paper|model|method|framework|approach|benchmark|dataset|authors?|system|technique|work|study|agent))\b",
    re.IGNORECASE,
)


def points_back(text: str) -> bool:
    """Tell whether a question speaks of something named before: "it", "the paper", "these authors"."""
    return bool(_POINTS_BACK.search(text))


_CONNECTOR = re.compile(
    r"\s*(?:,|;|:|\?|\b(?:and|or|vs\.?|versus|than|compared (?:to|with)|unlike|whereas|while|but|against)\b)\s*",
    re.IGNORECASE,
)


def parts(text: str) -> list[tuple[int, str]]:
    """Return the parts between connecting words that say enough to describe a paper, with their places."""
    found, start = [], 0
    for match in [*_CONNECTOR.finditer(text), None]:
        end = match.start() if match else len(text)
        phrase = text[start:end]
        if sum(t.text not in STOPWORDS and t.text not in SCAFFOLD for t in tokens(phrase)) >= 2:
            found.append((start, phrase))
        start = match.end() if match else end
    return found


_NEXT_QUESTION = re.compile(
    r"(?:[,;]?\s+and|[,;])\s+(?:also\s+|then\s+)?(?=(?:how|what|which|who|whose|where|why|when|by how|by what|on what|on which|"
    r"is|are|does|do|did|was|were|can|has|have)\b)|[?;]\s+(?=\w)",
    re.IGNORECASE,
)


def questions_in(text: str) -> list[tuple[int, str]]:
    """Return the questions in "how fast is X, and on what data?", each with its place; one without content is none."""
    cuts = [(m.start(), m.end()) for m in _NEXT_QUESTION.finditer(text)]
    spans = zip([0, *(end for _, end in cuts)], [*(start for start, _ in cuts), len(text)], strict=True)
    found = [(a, text[a:b].strip()) for a, b in spans]
    return [(a, q) for a, q in found if any(t.text not in STOPWORDS and t.text not in SCAFFOLD for t in tokens(q))]
