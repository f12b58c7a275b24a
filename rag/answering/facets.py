"""What readers ask of a paper, by kind, and how an abstract that tells it reads.

A question that asks for one of these things can be answered only by an abstract with the words of that thing; without
them the abstract is silent, however near its sentences lie otherwise. General knowledge of research papers, by hand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.answering.called import DEVICE, DRUG, LANGUAGE, MODEL
from rag.text.counting import counted_thing, counts
from rag.text.kinds import same_kind
from rag.text.matching import match_strength
from rag.text.sentences import sentences
from rag.text.words import NUMBER_WORDS, stem, tokens


@dataclass(frozen=True, slots=True)
class Facet:
    """A thing that is asked for: how a question asks it, and what an abstract that tells it must hold."""

    name: str
    asked: re.Pattern[str]
    told: re.Pattern[str]


def _facet(name: str, asked: str, told: str) -> Facet:
    return Facet(name, re.compile(asked, re.IGNORECASE), re.compile(told, re.IGNORECASE))


_TIME = r"\b(?:hours?|days?|weeks?|months?|minutes?|seconds?|milliseconds?|ms|overnight|real[- ]time)\b|\d\s?(?:h|s|ms|min)\b"
_SPAN = r"\d[\d,.]*[ -]?(?:gpu[- ]|tpu[- ])?(?:h|s|ms|min|hours?|days?|weeks?|minutes?|seconds?)\b|\b(?:one|two|three|four|five|six|an?|single) (?:gpu[- ])?(?:hour|day|week|minute|night)s?\b"

FACETS: tuple[Facet, ...] = (
    _facet(
        "percentage",
        r"\b(?:what|which|how (?:many|much)|exact) (?:\w+ )?(?:percent(?:age)?(?: points?)?|points)\b",
        r"%|\bper ?cent\w*|\bpoints?\b|\b(?:half|third|quarter|fifth)\b|\d-fold|×",
    ),
    _facet(
        "hardware",
        r"\b(?:gpus?|tpus?|cpus?|a100s?|h100s?|v100s?|rtx|graphics cards?|hardware|accelerators?|cuda|chips?|machine did|cluster|cloud)\b",
        r"\b(?:gpus?|tpus?|cpus?|a100s?|h100s?|v100s?|rtx|hardware|accelerators?|cuda|chips?|clusters?|cloud|devices?|laptops?|phones?)\b",
    ),
    _facet(
        "device",
        r"\b(?:which|what) (?:\w+ ){0,2}?(?:gpus?|tpus?|cpus?|graphics cards?|hardware|accelerators?|chips?|processors?|machines?)\b",
        DEVICE,
    ),
    _facet(
        "duration",
        r"\bhow long (?:does|did|do|is|was|are|were|would|it|the|to)\b(?!.{0,40}\b(?:sequence|context|text|document|sentence|list|video|clip)s?\b)|(?<!\bat )(?<!\bduring )\b(?:training|inference|wall[- ]?clock|run(?:ning)?|compute) ?time\b|\bhow many (?:gpu[- ]?)?(?:hours|days|minutes|seconds|weeks)\b|\blatency\b",
        _TIME + r"|\blatency\b|\btimes? (?:faster|as fast)\b|×|\bspeed",
    ),
    _facet(
        "training time",
        r"\bhow (?:long|many (?:gpu[- ]?)?(?:hours|days|minutes|weeks))\b.{0,25}\btrain\w*|\btrain\w*\b.{0,30}\bhow (?:long|many (?:hours|days))\b|\btraining time\b",
        _SPAN,
    ),
    _facet(
        "layers",
        r"\bhow (?:many|deep).{0,20}\b(?:layers?|blocks?|heads?)\b|\bhow deep is\b|\bnumber of (?:layers|heads)\b|\bhidden (?:size|dimension)\b",
        r"\b(?:layers?|blocks|heads|hidden (?:size|dimension))\b",
    ),
    _facet(
        "backbone",
        r"\bbackbones?\b|\bwhat (?:kind|type|sort) of (?:network|architecture|encoder|net)\b|\bwhich (?:architecture|encoder|network|nets?)\b|\bwhich (?:\w+ ){0,3}?(?:llms?|lms?|models?) (?:exactly|were|was|did|do|does|are|is)\b.{0,40}(?:\?|$)|\bresnets?\b|\bvits?\b|\bbuilt on\b",
        r"\b(?:resnet\w*|transformers?|convolution\w*|lstms?|gpt\w*|llama\w*|qwen\w*|bert\w*|mixtral|mamba|u-?net|vits?|conformer|mlp|gnn|9B|\d+B)\b",
    ),
    _facet(
        "named model",
        r"\b(?:which|what) (?:[\w-]+ ){0,2}?(?:base|underlying|foundation|pre-?trained|starting|decoder|encoder|language|embedding|teacher|"
        r"student|judge|reward) (?:language )?(?:models?|llms?|lms?|checkpoints?)\b|\b(?:which|what) (?:llms?|lms?|vlms?|checkpoints?)\b",
        MODEL,
    ),
    _facet(
        "loss",
        r"\b(?:what|which|the|its|training) (?:\w+ )?(?:loss(?:es)?|objective)\b(?! (?:in|of)\b)|\bloss functions?\b",
        r"\b(?:loss(?:es)?|objectives?|likelihood|reward|criterion|entropy|contrastive|regulari[sz]\w+|distillation|policy optimization)\b",
    ),
    _facet("optimiser", r"\boptimi[sz]ers?\b|\badamw?\b", r"\boptimi[sz]ers?\b|\badamw?\b|\bsgd\b"),
    _facet("temperature", r"\btemperature\b", r"\btemperature\b|\bkelvin\b|\bdegrees\b|°"),
    *(
        _facet(name, rf"\b{word}\b", rf"\b{word}\b")
        for name, word in (
            ("learning rate", r"(?:learning[- ]rates?|lr)"),
            ("batch size", r"batch(?:[- ]sizes?|es)?"),
            ("epochs", r"(?:epochs?|passes)"),
            ("warm-up", r"warm-?up"),
            ("hyper-parameters", r"hyper-?parameters?"),
            ("weight decay", r"weight[- ]decay"),
            ("dropout", r"dropout"),
            ("momentum", r"momentum"),
            ("schedule", r"schedul\w+"),
        )
    ),
    _facet(
        "seeds",
        r"\b(?:random seeds?|how many (?:seeds|runs)|error bars?|standard deviations?|p-?values?|statistically significant|significance|confidence intervals?|variance (?:across|over|between))\b",
        r"\b(?:seeds?|runs|deviation|significan\w+|p\s?[<=]|confidence interval|variance)\b",
    ),
    _facet(
        "memory",
        r"\b(?:memory footprint|vram|ram|how much memory|gigabytes?|gb)\b",
        r"\b(?:memory|vram|ram|gb|gigabytes?|footprint)\b",
    ),
    _facet(
        "parameters",
        r"\b(?:number of|how many|how big|total)\b.{0,25}\b(?:params?|parameters)\b|\bparam(?:eter)? count\b|\bhow (?:big|large) is (?:the|its|their) (?:model|network|gate|encoder|agent)\b|\bparams\b",
        r"\b\d[\d.,]*\s?(?:m|b|k|million|billion)\b(?:[- ]parameter| parameters| model)?|\bparameters?\b",
    ),
    _facet(
        "people",
        r"\bwho (?:wrote|published|did) (?:the|this|that|it)\b(?! \w+s\b)|\bwho (?:are|is) the (?:first |lead )?authors?\b|\bauthors?(?:'|’)? (?:names?|affiliations?)\b|\baffiliations?\b|\bwhich (?:university|lab|company|institution|group|team)\b|\bwhat (?:lab|university|company)\b|\bat which lab\b",
        r"\b(?:university|institute|laborator\w+)\b",
    ),
    _facet(
        "funding",
        r"\bfund(?:ed|ing|er|ers)\b|\bsponsor\w*|\bpaid for\b",
        r"\bfund(?:ed|ing)\b|\bgrants?\b|\bsponsor\w*",
    ),
    _facet(
        "age",
        r"\bhow (?:old|young) (?:were|was|are|is)\b|\b(?:average|mean|median|avg) age\b|\bat what age\b|\bage (?:range|of)\b",
        r"\bage[sd]?\b|\byears? old\b|\b\d+[- ]year|\by/o\b",
    ),
    _facet(
        "dose", r"\bdos(?:e|es|age|ages|ing)\b", r"\bdos(?:e|es|age|ages|ing)\b|\d\s?(?:mg|µg|mcg|ml|iu|gy|mgy|msv)\b"
    ),
    _facet(
        "drug",
        r"\b(?:which|what) (?:\w+ ){0,2}?(?:drugs?|medications?|medicines?|anti(?:biotics?|depressants?|psychotics?|epileptics?|"
        r"coagulants?|virals?|hypertensives?|emetics?)|statins?|steroids?|painkillers?|analgesics?|opioids?|sedatives?|"
        r"an(?:a)?esthetics?|chemotherap(?:y|ies)|vaccines?|inhibitors?|diuretics?|beta[- ]?blockers?)\b",
        DRUG,
    ),
    _facet(
        "drop-outs",
        r"\bdrop(?:ped|s)?[- ]?outs?\b|\bwithdr[ae]w\w*|\blost to follow",
        r"\bdrop(?:ped|s)?[- ]?outs?\b|\bwithdr[ae]w\w*|\blost to\b|\bexclu\w+|\bcomplet(?:ed|ers?|ion)\b|\battrition\b|\badher\w+",
    ),
    _facet(
        "surgery",
        r"\b(?:had|have|underwent|needed|got) (?:an? )?(?:surgery|operations?)\b|\b(?:were|was) operated\b",
        r"\bsurg\w+|\boperat(?:ed|ions?|ive)\b|\w+ectom\w+|\bresect\w+|\bpostoperat\w+",
    ),
    _facet(
        "concentration",
        r"\b(?:which|what) (?:\w+ )?concentrations?\b|\bconcentrations? of\b",
        r"\bconcentrat\w+|\d\s?(?:ppm|ppb|[mµun]?mol|[mµn]g|[mµn]m|%|iu)\b|\btit(?:er|re)s?\b",
    ),
    _facet(
        "accuracy of a test", r"\b(?:sensitivity|specificity)\b(?! to)", r"\bsensitiv\w+|\bspecificit\w+|\bdetect\w+"
    ),
    _facet(
        "harm",
        r"\b(?:side[- ]effects?|adverse (?:events?|effects?|reactions?))\b",
        r"\b(?:side[- ]effects?|adverse|complications?|toxicit\w+|tolerat\w+|safety|safe)\b",
    ),
    _facet(
        "survival",
        r"\b(?:died|deaths?|mortality|survival)\b",
        r"\b(?:died|deaths?|mortality|surviv\w+|fatal\w*|deceased|dead)\b",
    ),
    _facet("licence", r"\blicen[cs]e[ds]?\b|\bcommercial(?:ly)? use\b", r"\blicen[cs]e|\bcommercial"),
    _facet(
        "annotators",
        r"\b(?:annotators?|labell?ers?|crowd[- ]?workers?|mturk|mechanical turk|inter-?annotator|kappa|agreement (?:between|among)|raters?|recruit(?:ed|ment)?|paid|pay|wages?|compensat\w+)\b",
        r"\b(?:annotators?|annotated|labell?ed|crowd|turk|agreement|kappa|raters?|recruited|paid|volunteers?|experts)\b",
    ),
    _facet(
        "limits",
        r"\b(?:limitations?|drawbacks? of (?:the|this|their)|future work|failure cases?|where does it fail|what are its weaknesses|negative societal|broader impacts?)\b",
        r"\b(?:limitations?|limited|future|fails?|failures?|however|drawbacks?|risks?)\b",
    ),
    _facet(
        "ablation",
        r"\bablat\w+|\bsensitiv\w+ to\b|\bhow sensitive\b|\bhow (?:was|is|were|are) .{0,40}\b(?:chosen|selected|set)\b",
        r"\bablat\w+|\bsensitiv\w+|\bchosen\b|\btuned?\b|\bselect\w*|\bcriterion\b",
    ),
    _facet(
        "money",
        r"\b(?:how much (?:did|does) .{0,30}\bcost|dollars?|usd|price per|carbon|energy consumption|co2|kwh)\b|\$",
        r"\$|\bdollars?\b|\bcosts?\b|\bprices?\b|\benergy\b|\bcarbon\b|\bcheap",
    ),
    _facet(
        "noise",
        r"\brobust(?:ness)? (?:to|against)\b|\b(?:under|with) (?:distribution shift|noise|noisy)\b|\badversarial(?:ly)? (?:attack|robust)",
        r"\brobust\w*|\bnois[ey]\w*|\bshifts?\b|\badversar\w+|\bcorrupt\w+|\bperturb\w+|\btoleran\w+|\bsensitiv\w+|\bspurious\b|\battacks?\b",
    ),
    _facet(
        "named language",
        r"\b(?:which|what|name)(?: (?:the|other|two|three|four|five|six|seven|eight|nine|ten|\d+))? languages?\b(?! (?:models?|family|families|pairs?))",
        LANGUAGE,
    ),
    _facet(
        "languages",
        r"\b(?:other|how many|more) languages?\b|\blanguages other than\b|\bmultilingual\b|\bonly english\b|\bnon-english\b",
        r"\blanguages\b|\bmultilingual|\b(?:english|german|french|chinese|spanish|arabic|hindi|yoruba|welsh|breton|swahili|finnish|japanese|korean)\b|\bcross-lingual",
    ),
    _facet(
        "length",
        r"\b(?:longest|maximum|max|how long)\b.{0,30}\b(?:contexts?|sequences?|inputs?|documents?|tokens?)\b|\bcontext (?:length|window|size)\b.{0,15}(?:\?|$)|\bhow many tokens\b",
        r"\b\d[\d,.]*\s?k?[- ]?(?:tokens?|words|frames)\b|\b\d+k\b|\bcontext length by\b",
    ),
    _facet(
        "privacy",
        r"\b(?:differential(?:ly)? priva\w+|privacy (?:guarantee|budget)|epsilon)\b",
        r"\bpriva\w+|\bepsilon\b|ε|\\varepsilon|\bdelta\b|δ",
    ),
    _facet("delta", r"\bdelta\b|δ", r"\bdelta\b|δ|\\delta"),
    _facet(
        "people as subjects",
        r"\bhuman (?:subjects?|participants?|shoppers?|users?|stud(?:y|ies)|judges?|testers?)\b|\buser study\b|\bdo (?:real )?(?:people|humans)\b",
        r"\b(?:human|people|person|participants?|users?|volunteers?|students?|experts?|raters?|reviewers?)\b",
    ),
    _facet(
        "figures",
        r"\bhow (?:much|fast|large|accurate)\b|\b(?:accuracy|speed-?up|percent\w*|score)s? (?:gain|of|on|improvement)\b|\b(?:gain|improvement|reduction)\b[^.?]{0,30}\?",
        r"\d|\b(?:half|twice|double[sd]?|thirds?|quarter|one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|order of magnitude)\b",
    ),
    _facet(
        "sensor",
        r"\bwhich (?:camera|sensor|robot|microphone|lidar|scanner|platform)\b|\bwhat (?:camera|sensor|robot|robot platform|lidar)\b",
        r"\b(?:franka|ur5|unitree|aloha|prophesee|davis|realsense|velodyne|kinova|spot|humanoid)\b",
    ),
    _facet(
        "rival",
        r"\b(?:which|what|who)\b(?:(?!\b(?:than|over|against|to|beats?)\b).){0,25}\b(?:baselines?|rivals?|competitors?)\b",
        r"\b(?:outperform\w*|beats?|surpass\w*|compared (?:to|with)|over|than|against|such as|like|including)\b[^.]{0,40}\b(?-i:[A-Z]{2,}\w*|[A-Z][a-z]+[A-Z]\w*)",
    ),
    _facet(
        "corpus",
        r"\b(?:trained|pre-?trained|fine-?tuned) on (?:what|which)\b|\bwhat (?:data|corpus|dataset) (?:was|is|were|did)\b.{0,30}\btrain\w*|\bwhich (?:training )?(?:corpus|training data)\b|\bhow many training (?:examples|samples|images)\b|\btraining set size\b",
        r"\b(?:trained|training|fine-?tuned|learn\w*)\b[^.]{0,60}\b(?:on|from|with)\b|\bdatasets?\b|\bcorpus\b|\bcorpora\b",
    ),
    _facet(
        "searching",
        r"\bhow did .{0,40}\b(?:search|select|screen|choose|find) (?:for )?(?:and \w+ )?(?:their |the )?(?:papers|studies|articles)\b|\bdatabases? (?:did|were) .{0,20}search",
        r"\b(?:search(?:ed)?|screen\w*|databases?|selection criteria|scopus|inclusion)\b",
    ),
)


def asked_facets(question: str) -> list[Facet]:
    """Return the things that a question asks for."""
    return [facet for facet in FACETS if facet.asked.search(question)]


_TWO_QUESTIONS = re.compile(
    r"[,;]?\s+and\s+(?=(?:how|what|which|who|whose|where|why|when|is|are|does|do|did|was|were)\b)|\?\s+(?=\S)",
    re.IGNORECASE,
)


_ALWAYS_CALLED_SO = frozenset(
    stem(w)
    for w in """
        layers layer parameters parameter gpus gpu tpus hours days weeks tokens token epochs epoch seeds seed heads blocks
        annotators languages steps iterations dimensions
    """.split()
)


def _counts_nothing(question: str, abstract: str) -> bool:
    """Tell whether a question asks how many of a thing there are, and no number of the abstract counts such a thing.

    A thing that the abstract does not have may go by another word there, unless it is of a kind whose words are known.
    """
    counted = counted_thing(question)
    there = frozenset(stem(token.text) for token in tokens(abstract))
    known = any(t in _ALWAYS_CALLED_SO or len(same_kind(t)) > 1 or match_strength(t, there) == 1.0 for t in counted)
    if not known:
        return False
    if any(
        re.search(rf"\bnumber of (?:\w+ ){{0,2}}?{re.escape(t)}\w*\b[^.]{{0,80}}[\d$]", abstract, re.I) for t in counted
    ):
        return False
    return not counts(counted, abstract)


_ENUMERATED = re.compile(
    r"\b(?:which|what|name|list)(?: are| were)?(?: the| its| these| those)? "
    r"(four|five|six|seven|eight|nine|ten|eleven|twelve|[4-9]|[1-4]\d)\s+(?!%|percent\b|points?\b|times\b)[a-z]",
    re.IGNORECASE,
)
_BETWEEN_ITEMS = re.compile(r",(?!\d)|;|\b(?:and|or)\b|\(\w{1,3}\)")


def _lists_too_few(question: str, abstract: str) -> bool:
    """Tell whether a question asks which four or more things they are, and no sentence names so many."""
    match = _ENUMERATED.search(question)
    if not match:
        return False
    number = int(NUMBER_WORDS.get(match[1].lower(), match[1]))
    most = max((len(_BETWEEN_ITEMS.findall(s.text)) for s in sentences(abstract)), default=0)
    return most < number - 1


def is_silent(question: str, abstract: str) -> bool:
    """Tell whether a question asks for a thing that the abstract has no word of; of two in one, the first decides."""
    first = next((part for part in _TWO_QUESTIONS.split(question) if part.strip()), question)
    return (
        _counts_nothing(first, abstract)
        or _lists_too_few(first, abstract)
        or any(not facet.told.search(abstract) for facet in asked_facets(first))
    )
