"""Which questions ask of the whole library: which, how many, list, does any, who, how common. Pure, by rules.

A question that asks of all papers must never be answered from the few that a search finds; one that asks a single
paper for a number of its own ("how many tasks") must not be counted over the library.
"""

from __future__ import annotations

import re

from rag.retrieval.asides import without_asides

PAPERS = r"(?:papers?|abstracts?|works|articles|studies|submissions|publications)"
PLURAL = r"(?:papers|abstracts|works|articles|studies|submissions|publications)"
_THINGS = r"(?:methods|models|frameworks|benchmarks|datasets|approaches|systems|ones)"
_ALL = rf"(?:{PLURAL}|(?:this |the |your |our )?(?:library|corpus|collection|conference)|them|these|those)"
_HERE = r"(?:here|in (?:here|there|this (?:library|corpus|collection|set)))"
_WORK = r"(?:anything|something|everything|stuff|work|research|studies)"
_ON = r"(?:on|about|regarding|concerning|around|related to|dealing with|with|that|which|using|without|in)"
# What a paper does, as a plain plural says it: "how many release code?", "who uses RL?"
_DOES = (
    "(?:use|employ|apply|adopt|leverage|rely|release|share|publish|open-?source|report|claim|mention|name|state|say"
    "|contain|include|cite|discuss|prove|introduce|propose|present|study|investigate|evaluate|test|train|fine-?tune"
    "|need|require|work|deal|focus|address|tackle|compare|give|provide|offer|achieve|reach|beat|come|talk|speak|look"
    "|consider|put"
    "|leave|hide|host|upload|complain|criticise|criticize|warn|note|stress|argue|do|don['’]?t|do not|have"
    "|are (?:about|on|surveys|reviews|training|concerned)|aren['’]?t|are not)"
)
_CENSUS = re.compile(
    rf"\bhow (?:many|mny) (?:of (?:(?:the|these|those|all|your)\s+)?(?:\w+\s+)?{PAPERS}|(?:of (?:them|these"
    rf"|those)\b)"
    rf"|(?:[\w-]+\s+){{0,4}}?{PLURAL})\b"
    rf"|\b(?:how (?:many|mny)|overall|in total)\W+{_DOES}\b"
    r"(?! (?:cases?|sets?|items?|hours|participants)\b)"
    r"(?! (?:i|we|you|they|it|he|she|people) (?:need|have to|get|want|use|take|require)\b)"
    rf"|\b(?:number|share|count|fraction|proportion|percentage|majority|rest|most|many|few|some|half) of (?:the "
    rf"|all |your |our )?{_ALL}\b"
    rf"|\b(?:which|what|wich) (?:of (?:the |these |those )?|(?!of\b|is\b|are\b|do\b|does\b"
    rf"|in\b)[\w-]+ ){{0,4}}?{PLURAL}\b"
    rf"|\b(?:which|what|wich) of (?:them|these|those)\b(?! (?:two|three|is|was|does|has)\b)"
    rf"|\b(?:list|name|enumerate|show|give|find)(?: me)? (?:all|every|each"
    rf"|the)?\s?(?:the )?(?:[\w-]+ ){{0,3}}?(?:{PLURAL}|{_THINGS})\b"
    rf"|\b(?:list|name|enumerate|show|find)(?: me)? (?:every|each|any) (?:paper|study|abstract|article|trial)\b"
    rf"|^\W*(?:please )?the (?:ones|papers) {_ON}\b"
    rf"|\b(?:do|does|is|are|did|has|have) (?:any|there any|there a|some|all|most|many)\b.{{0,20}}\b{PAPERS}\b"
    rf"|^\W*(?:\w+\W+)?(?:do|does|is|are|did|has|have) (?:any|all|most|many|some|at least \w+"
    rf"|more than \w+)\b(?: of (?:them|these|those))? "
    rf"(?:{_DOES}|{PAPERS}|(?:about|on))\b|\b(?:any|all|most|many|some|none) of (?:them|these|those)\b"
    rf"|\bare there (?:any|some|others?) (?:that|which|with|without|on|about)\b"
    rf"|\b(?:do|does|did|is|are|was|were|has|have) (?:a single|at least \w+|more than (?:one|\d+)"
    rf"|even one)\b.{{0,15}}\b{PAPERS}\b"
    rf"|\bis there more than (?:one|\d+) {PAPERS}\b|\bis there (?:any|some) (?:other )?(?:work|research|study)\b"
    rf"|\b(?:any|all|every|no) (?:of )?(?:the |these |those |other )?(?:[A-Z][\w-]*[A-Z]\w* )?{PAPERS}\b"
    rf"|\b(?:is|are) (?:there )?(?:anything|something) (?:here |in here )?(?:on|about|in here|here|related|that)\b"
    rf"|^\W*(?:any|any {_WORK}|anything|got anything) {_ON}\b|\banything {_HERE}\b"
    rf"|\b(?:list|show|give|find|get|all(?: of)?|every)(?: me)? (?:everything|anything|(?:the )?(?:work"
    rf"|research)) (?:here )?{_ON}\b"
    rf"|\b(?:what|anything|something)(?: else)? (?:is there|do (?:you|we) have|have (?:you"
    rf"|we)(?: got)?)\b.{{0,12}}\b(?:on|about)\b"
    rf"|\b(?:do|have) (?:you|we)(?: have| got)? (?:anything|something|any)\b"
    r"|\b(?:do|does|did|has|have|is|are|was) (?:any(?:one|body)|someone|somebody)(?: else)?(?: here| in here)? "
    rf"(?!know|tell|help|explain)\w+\b"
    rf"|\bhow (?:common|often|popular|widespread|frequent(?:ly)?|prevalent|rare|usual)\b.*\b(?:{_HERE}|(?:in|across"
    rf"|among|over) (?:all |the "
    rf"|these |this |your )*{_ALL})\b|\b(?:used|mentioned|discussed|studied|treated"
    rf"|covered)\b.{{0,20}}\b(?:anywhere|(?:in|by) any)\b"
    rf"|\bis there (?:at least (?:one|\d+) |a (?:single )?|one )?{PAPERS} (?:that|which|in|where|using"
    r"|with)\b(?! is\b.*\bthat\b)"
    rf"|\bare there {PLURAL}\b|\bin how many {PLURAL}\b|^\W*{PLURAL} (?:that|which|on|about|with|where|in which)\b"
    rf"|\b(?:everything|all) (?:you|we) have (?:on|about)\b|\b(?:all|any) (?:the )?(?:[\w-]+ ){{1,3}}stuff\b"
    rf"|^\W*(?:which|what|list|show me|any) (?:the |all )?(?:[\w-]+ ){{0,2}}?(?:surveys?|reviews?|tutorials?"
    r"|meta-analyses) (?:are|do|is|have|you|here|in|on|about|exist)\b"
    rf"|\bwhich of the {_THINGS} described\b|:\s*(?:which|what) {PLURAL}\W*$|\ba topic here\b"
    rf"|^\W*where (?:is|are) .{{3,40}} (?:used|applied|studied|mentioned|discussed)\W*$"
    r"|^\W*what (?:can|could|should) (?:i|we|one) read (?:here )?(?:on|about)\b"
    rf"|\banywhere in (?:the|this|your) (?:library|corpus|collection)\b"
    r"|\bwhat are all (?:the )?\w+"
    rf"|^\W*(?:of|among) the {PAPERS}"
    rf"|\b(?:papers|abstracts|works) (?:that|which|with|w/|in which|on|about|related to|where|in here|here"
    r"|without|dealing with|working on|concerned with"
    r"|(?:us|mention|involv|address|tackl|cover|discuss|employ|apply|leverag|propos|introduc|releas|study"
    r"|report)ing)(?!\w)"
    rf"|^\W*(?:all |the |every )?(?:[\w-]+ ){{1,3}}papers\W*$|^\W*(?:all |any |every |the )?{PLURAL} [a-z]{{3,}}ing\b"
    rf"|\b(?:which|what) {_THINGS}\b(?! (?:does|do|did|is|are|was|were|has|have|can)\b)"
    rf"|\bhow many {_THINGS} (?!does|do|did|is|was|were|has|have)\b",
    re.IGNORECASE,
)
# "Which models are trained with both ...?" asks of the library, unless the question names one paper's method.
_UNNAMED = re.compile(
    rf"^\W*(?:(?:and|so|ok|well)\W+)?(?:which|what|how many) (?:[\w-]+ ){{0,2}}?{_THINGS} (?:are|do|have|were|can)\b"
    r"|^\W*(?:and )?which (?:use|employ|apply|release|report|mention|evaluate|test|rely|propose|introduce|study)\b"
    r"|^\W*whose (?:method|model|approach|framework|system|code|data)s?\b"
    rf"|\b(?:what|which) (?:percentage|percent|share|fraction|proportion|number) (?:of (?:them|these"
    rf"|{PAPERS}) )?(?!do\b){_DOES}\b",
    re.IGNORECASE,
)
# "Who uses RL?" asks of all; with a whole description behind it, it looks for one paper.
_WHO = re.compile(
    r"^\W*(?:and )?(?:who(?: else| here)*|(?:which|what) (?:authors|people|teams|groups))(?: is| are)?"
    rf" {_DOES}(?:e?s|ing)?\b",
    re.IGNORECASE,
)
_SHORT = 7  # words of a question that describes no paper
# "Plug-and-play methods, list all", "distillation is used in which papers?"
_LISTED = re.compile(
    r"\b(?:list|name|show|give)(?: me)?(?: them)? (?:all|every one|everything)(?: of them)?[\s,.!]*"
    r"(?:please|pls|plz|thanks)?\W*$"
    rf"|\b(?:in|by|from|across) (?:which|what) {PLURAL}\W*$"
    r"|\W(?:which|what)(?: ones?)? (?:do|have|did) (?:we|you|i)(?: have| got)?(?: here)?\W*$",
    re.IGNORECASE,
)
_MANY = re.compile(
    rf"\b(?:all|every)(?: of)?(?: the| these)? (?:{PAPERS}|of them)\b|\b(?:authors|people|teams|groups)\b", re.I
)
# "The survey of 120 papers" is one paper, and so is what it counts: "how many papers does the survey review?"
_OF_PAPERS = re.compile(
    r"\b(?:surveys?|reviews?|study|analysis|audit|meta-analysis|overview) of (?:\d[\d,]* )?(?:\w+ )?"
    r"(?:papers|abstracts|works|articles|studies|publications)\b",
    re.IGNORECASE,
)
_PAPERS_STUDIED = re.compile(
    r"\b(?:of|per|in|to|by) (?:the|this|that|an?) \d[\d,.]*[km]?[- ](?:papers?|abstracts?|articles?)[- ]"
    r"(?:analysis|study|survey|review|audit|meta-analysis)\b",
    re.IGNORECASE,
)
_ITS_PAPERS = re.compile(
    rf"\bhow many (?:of the )?(?:\w+ )?{PLURAL} (?:does|did|do|were|was|are|has|have) .*\b(?:the|this"
    rf"|that) (?:[\w-]+ ){{0,4}}?"
    rf"(?:surveys?|reviews?|overview|meta-analysis)\b|\b(?:surveyed|reviewed|included) {PLURAL}\b",
    re.IGNORECASE,
)
# Why something is so, asks one paper, whatever it counts.
_WHY = re.compile(r"^\W*(?:(?:and|so|but|ok|well)\W+)?(?:why|how come)\b", re.IGNORECASE)


def asks_of_all(text: str, named: bool) -> bool:
    """Tell whether a question asks of the whole library; `named` tells that it names a paper or its method."""
    if _LISTED.search(text) and not named:
        return True
    many = 2 * (_MANY.search(text) is not None)
    text = _PAPERS_STUDIED.sub("of the survey", _OF_PAPERS.sub("survey", without_asides(text)))
    if _ITS_PAPERS.search(text) or _WHY.search(text):
        return False
    if _CENSUS.search(text):
        return True
    short = len(text.split()) <= _SHORT + many and _WHO.search(text) is not None
    return not named and (short or _UNNAMED.search(text) is not None)
