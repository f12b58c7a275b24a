"""Facets: what abstracts say in known forms, such as that code is released, or how many times faster something runs.

Each facet knows how a question asks for it and how a sentence shows it. Figures and addresses are read from the raw
sentence; a form that says the opposite ("will be released soon") voids the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rag.census.theory import NO_THEOREM, PROOF

_NO = r"(?!not\b|no\b|n't|without\b|neither\b|nor\b|never\b)"  # a gap in a question must not swallow its negation
_GAP = rf"(?: {_NO}[\w'-]+)"
_NUMBER = r"(?:\d+(?:\.\d+)?|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|thousand)"


@dataclass(frozen=True, slots=True)
class Facet:
    """One facet: its words after "abstracts that", how it is asked for, what shows it, leaves it open or voids it.

    `trigger` is a cheap pattern without which no sentence can show it.
    """

    key: str
    words: str
    trigger: re.Pattern[str]
    asked: re.Pattern[str]
    shows: re.Pattern[str]
    maybe: re.Pattern[str] | None = None
    voids: re.Pattern[str] | None = None
    own: bool = False  # what a sentence only says of others leaves it open
    titled: bool = False  # a title may say it too


def _facet(
    key: str,
    words: str,
    trigger: str,
    asked: str,
    shows: str,
    maybe: str = "",
    voids: str = "",
    own: bool = False,
    titled: bool = False,
) -> Facet:
    needed, question, sentence = (re.compile(pattern, re.IGNORECASE) for pattern in (trigger, asked, shows))
    opened, voided = (re.compile(pattern, re.IGNORECASE) if pattern else None for pattern in (maybe, voids))
    return Facet(key, words, needed, question, sentence, opened, voided, own, titled)


_GIVE = (
    r"(?:releas\w+|shar(?:e|es|ed|ing)|publish\w*|open-?\s?sourc\w+|provid\w+|giv(?:e|es|ing)|offer\w*|includ\w+"
    r"|attach\w*)"
)
_OUT = (
    "(?:publicly |openly |freely |already |fully |also )*(?:available|released?|public"
    "|open(?:ly)?[- ]?(?:sourced?)?|provided|accessible|shared|online|out)"
)
_FUTURE = (
    r"\bwill\b(?! be (?:able|useful|presented|discussed))|\bsoon\b|\bupon (?:acceptance|publication)"
    r"|\bto be (?:released|published|made)|\bplan(?:s|ning)? to\b|\bintend to\b"
)
_CODE = r"\b(?:codes?|codebase|implementations?|software)\b"
_URL = r"https?://|\bwww\.|\bgithub\.(?:com|io)|\b4open\.science"
_CODE_OUT = (
    rf"{_CODE}\b[^.;]{{0,90}}\b(?:is|are|be|been|made)? ?(?:available|released?|open[- ]?sourced?|provided"
    r"|accessible|found|public(?:ly)?)\b"
    r"|\b(?:we|our|and|also)\b[^.;]{0,40}\b(?:releas|open-?sourc|publish|shar)(?:e|es|ed"
    r"|ing)\b[^.;]{0,50}\b(?:code|codebase|implementations?|software|library|toolkit)\b"
    # "We provide an efficient implementation" tells of the work, not of where to get it.
    r"|\b(?:we|our|and|also)\b[^.;]{0,40}\bprovid(?:e|es|ed|ing)\b[^.;]{0,50}\b(?:code|codebase|software"
    r"|library|toolkit"
    r"|(?:open[- ]source|public|reference|official|python|pytorch|tensorflow) (?:\w+ )?implementations?)\b"
    r"|\b(?:available|released|hosted|found|open[- ]?sourced|published) (?:now )?(?:on|at|via|from|in) (?:our "
    r"|the )?github\b"
    rf"|\b(?:code|codebase|implementation|demo|repository|project(?: page)?|website)\b[^.;]{{0,40}}(?:{_URL})"
    r"|\b(?:github|gitlab|bitbucket)\.(?:com|org)|anonymous\.4open"
    r"|\bopen[- ]sourced?\b[^.;]{0,40}\b(?:implementation|library|toolkit|software|package|code)\b"
)
_CODE_SOON = (
    rf"\b(?:code|codes|codebase|data|datasets?|models?|weights|implementation|benchmark)\b[^.;]{{0,80}}(?:{_FUTURE})"
    r"|\b(?:we|and) (?:will|plan to|intend to)\b[^.;]{0,20}\b(?:release|open-?source|publish|share"
    r"|make)\b[^.;]{0,60}\b(?:code|data\w*|models?|implementation|benchmark|weights)\b"
)
_THINGS = r"(?:models?|weights|checkpoints)"
_DATA = r"(?:data|data ?sets?|corpus|corpora)"


def _given(things: str) -> str:
    """Return the pattern of a sentence that gives these things away."""
    return (
        rf"\b{things}\b[^.;]{{0,60}}\b(?:(?:is|are|be|been) (?:\w+ )?(?:available|released|provided|accessible"
        r"|public\w*|open[- ]?sourced)|(?:publicly|freely|openly|made) available|available at)\b"
        r"|\b(?:we|our|also|and)\b[^.;]{0,40}\b(?:releas|open-?sourc|publish|shar)(?:e|es|ed"
        rf"|ing)\b[^.;]{{0,60}}\b{things}\b"
        rf"|\bopen[- ]sourced?\b[^.;]{{0,25}}\b{things}\b"
    )


def _made(nouns: str) -> str:
    """Return the pattern of a sentence that introduces something of this kind as the authors' own."""
    other = (
        "(?:method|model|framework|algorithm|approach|technique|metric|on|in|for|to|with|that|which|by|from|using"
        "|across|against|over|within|among|after|where|between|under|through|via|whether|experiments?)"
    )
    verbs = (
        r"\b(?<!recently )(?<!previously )(?<!^)(?<!^The )(?<!the )(?<!has been )(?<!have been )(?<!was )(?<!were )"
        r"(?:introduc|present|propos|releas|creat|construct|contribut|collect"
        "|curat|develop|publish|offer|provid|formulat|gather|"
        "compil|annotat|design|establish|assembl|build|built)(?:e|es|ed|t|s|ing|ment of|ion of|e of"
        r"|e is the release of)?\b"
    )
    words = rf"(?:(?!(?:{other}|of)\b)[^\s;]+ ){{0,7}}?"
    tail = (
        "(?![- ](?:distill|augment|condens|creat|construct|generat|collect|method|approach|results?|scores?"
        "|performance|evaluat|"
        r"quality|size|bias|shift|selection|search|pruning|models?\b))"
    )
    one = (
        "(?:an?|our|two|three|four|five|several|the (?:first|largest|new|novel)|its own|(?:collection|suite|set"
        "|series) of)"
    )
    gap = rf"(?:(?!(?:{other}|of)\b)[^\s;]+ ){{0,9}}?"
    return (
        rf"{verbs} {gap}{one} {words}{nouns}\b{tail}"
        rf"|\bwe (?:\w+ ){{0,3}}?{verbs} (?:the )?{words}{nouns}\b{tail}"
        rf"|\b(?:an?|our|this|the|two|three)(?: [\w-]+,?){{0,2}} (?:new|novel),? (?!york){words}{nouns}\b{tail}"
        rf"|{nouns}\b,? (?:called|named|dubbed|termed)\b"
        rf"|\bis an? {words}{nouns}\b (?:for|of|to|that|with|compris\w+|consist\w+|contain\w+|designed|cover\w+"
        "|spanning)"
        r"|\bour (?!experiment|evaluat|results|(?:\w+ )?stud)"
        rf"(?:(?!(?:{other}|of)\b)[^\s;,]+ ){{0,5}}?{nouns}\b{tail}"
    )


def _asks_made(nouns: str) -> str:
    verbs = (
        r"(?:introduc\w+|present\w*|propos\w+|releas\w+|creat\w+|build\w*|contribut\w*|construct\w*|collect\w*"
        r"|curat\w*|publish\w*|offer\w*|provid\w+|develop\w*|com(?:e|es) with|bring\w*)"
    )
    return (
        rf"(?:{verbs}(?: {_NO}[\w'-]+){{0,3}}? |\b(?:new|novel|own)(?: [\w'-]+){{0,2}}? ){nouns}(?: of (?:their"
        r"|its) own)?\b"
    )


def _counted(nouns: str) -> str:
    """Return the pattern of a number of these things."""
    return (
        rf"\b(?:{_NUMBER}|eleven|thirteen|fourteen|fifteen|sixteen)\+? (?:(?!(?:of|over|on|with|and"
        rf"|in)\b)[\w-]+,? (?:and )?){{0,5}}?{nouns}\b(?! (?:instances|examples|samples))"
    )


_BENCHMARKS = (
    "(?:benchmarks?(?! (?:data ?sets?|results?|tasks?|suites?))|benchmark (?:data ?sets?|suites?)"
    "|test ?(?:suites?|beds?)|evaluation suites?|challenge sets?|leaderboards?)"
)
_DATASETS = r"(?:data ?sets?|corpus|corpora|treebank)"
_OR_A = r"(?: or | and |/)(?:an? )?(?:new |novel )?"
_EITHER_WAY = rf"(?:{_BENCHMARKS}{_OR_A}{_DATASETS}|{_DATASETS}{_OR_A}{_BENCHMARKS})"
_FASTER = (
    "(?:speed|fast|quick|accelerat|latency|throughput|run(?:ning|s)?[- ]?time|inference time|training time"
    r"|wall[- ]?clock)\w*"
)
_TIMES = rf"(?<![\w.]){_NUMBER}\s?(?:×|x\b|[- ]?fold\b| ?times\b)"
_MULTIPLE = (
    rf"{_TIMES}[^.;]{{0,70}}?\b{_FASTER}|\b{_FASTER}(?:\.\d|[^.;]){{0,70}}?{_TIMES}"
    rf"|\b{_NUMBER} orders? of magnitude[^.;]{{0,30}}\b{_FASTER}"
)
_SOTA = r"(?:state[- ]of[- ]the[- ]arts?|sota)"
_ALL = (
    _facet(
        "code_soon",
        "promise code, data or models that are not out yet",
        r"\bwill\b|soon|upon|to be|plan|intend",
        r"\b(?:promis\w+|announc\w+|plan(?:s|ning)?|intend\w*|will (?:only )?(?:release|publish|share"
        r"|open))\b[^,;]{0,40}?\b(?:code|release)\b(?:[^,;]{0,30}?\b(?:not|n't|never)\b[^,;]{0,25}\byet\b"
        r"|[^,;]{0,20}\b(?:soon|later|future)\b)?"
        r"|\bcode\b[^,;]{0,30}?\b(?:soon|later|upon (?:acceptance|publication)|not (?:been )?(?:released |out "
        r"|available )?yet|in (?:the )?future)\b|\b(?:has|have)(?:n't| not) (?:yet )?released? (?:the "
        "|their )?code(?: yet)?",
        _CODE_SOON,
    ),
    _facet(
        "github",
        "give a GitHub address",
        r"github",
        r"(?:\b(?:links?|linking|urls?|address(?:es)?|code|repo\w*"
        rf"|host\w*)\b{_GAP}{{0,4}}? )?\bgithub\b(?: (?:links?|repo\w*|address\w*|urls?|pages?))?",
        r"\bgithub\b",
    ),
    _facet(
        "supplement",
        "have their code, data or demo in the supplementary material",
        r"supp",
        rf"(?:\b(?:code|demo|data)\b{_GAP}{{0,3}} )?\b(?:in|to|within|into) (?:the |their |its )?(?:supp\w*"
        r"|appendix)(?: materials?)?|\bsupplement\w*(?: materials?)?",
        r"\b(?:code|data|demo|implementation|video)\w*\b[^.;]{0,80}(?:#|\b)supp(?:lement\w*)?\b|(?:#"
        r"|\b)supp(?:lement\w*)?\b[^.;]{0,80}\b(?:code|data|demo|implementation)\b",
    ),
    _facet(
        "code_said",
        "say anything about the release of code",
        r"code|implement|software|source|github|gitlab|bitbucket|https?:|www|4open|will|upon",
        r"\b(?:say|says|mention|mentions|speak|speaks|talk|talks|state|states|tell)\b(?: (?:anything|something"
        r"|nothing|a word|where|whether|if|how))?(?: (?:about|of|on))?(?: (?:releas\w+|availab\w+|shar\w+"
        r"|publish\w+))?(?: of)?(?: (?:their|its|the|any|source))* code\b(?: (?:release|availability|is|can be"
        "|available|released|found))*(?! generat)",
        f"{_CODE_OUT}|{_CODE_SOON}",
    ),
    _facet(
        "code_link",
        "link to their code or project",
        r"https?:|www|github|4open",
        r"\b(?:links?|linking|urls?|web ?addresses|repositor(?:y|ies)|repos?|project pages?|websites?)\b(?: (?:to"
        r"|for|of|with|containing|where))?(?: (?:their|its|the|a|any))?(?: (?:source )?code)?\b|\bcode (?:links?"
        r"|repositor\w+|urls?)\b",
        _URL,
    ),
    _facet(
        "models_released",
        "release their models or weights",
        r"model|weight|checkpoint",
        rf"\b{_GIVE}(?: {_NO}[\w'-]+){{0,2}}? {_THINGS}(?:(?: or | and |, ){_THINGS})*\b|\bopen[- ]weights?\b"
        rf"|\bopen[- ]sourced? models?\b|\b{_THINGS} (?:is |are )?{_OUT}\b",
        _given(_THINGS),
        voids=_FUTURE,
    ),
    _facet(
        "data_released",
        "release their data",
        r"data|corp|benchmark",
        rf"\b(?:releas\w+|shar(?:e|es|ed|ing)|publish\w*|open-?\s?sourc\w+|give away)(?: {_NO}(?:their|its|the|all"
        rf"|own|new|some|any))* {_DATA}\b|\b{_DATA} (?:is |are )?(?:publicly |openly |freely )?(?:available"
        r"|released|public|open)\b",
        _given(r"(?:data|data ?sets?|corpus|corpora|benchmark)"),
        voids=_FUTURE,
    ),
    _facet(
        "code_released",
        "release code",
        r"code|implement|software|source|github|gitlab|bitbucket|https?:|www|4open",
        rf"\b(?:{_GIVE}|ha(?:ve|s|ving)|with|where)(?: {_NO}[\w'-]+){{0,3}}? code\b(?: {_OUT}\b)?(?! (?:generat"
        rf"|complet|search"
        rf"|review|model|synth|underst))|\b(?:source )?code\b (?:that )?(?:is |are |has been )?{_OUT}\b"
        r"|\bopen[- ]sourced?\b|\bcode (?:release|availability)\b|\bcode\b(?=\W*$)",
        _CODE_OUT,
        maybe=_URL,
        voids=_FUTURE,
    ),
    _facet(
        "speed_multiple",
        "state a speed-up as a multiple",
        r"×|x\b|fold|times|magnitude",
        r"(?:\b(?:x|n|\d+)[- ]?times|\b(?:multiples?|factors?)|\b\d+(?:\.\d+)?\s?(?:x|×)"
        r"|\bhow many times)\b[^,;]{0,25}?\b(?:speed-?\s?ups?|faster|quicker|acceleration"
        r"|accelerat\w*)(?: (?:factors?|figures?|by))?"
        r"(?: (?:something|anything|it|they|things?) (?:runs?|is|are|gets?|becomes?))?(?: ?\(.*?\))?"
        r"|\b(?:speed-?\s?ups?|speed (?:gains?|improvements?|increases?)|faster|quicker|accelerat\w+)\b[^,;]{0,25}?"
        r"\b(?:factors?|multiples?|times|figures?|numbers?)\b(?: ?\(.*?\))?",
        _MULTIPLE,
        maybe=rf"orders? of magnitude[^.;]{{0,30}}\b{_FASTER}",
    ),
    _facet(
        "faster",
        "claim a speed-up",
        r"fast|speed|accelerat|latency|run-?time|inference time|training time|throughput|convergence|fewer",
        r"\b(?:speed-?\s?ups?|(?:speeding|speeds?) (?:[\w-]+ ){0,3}?up|accelerat(?:e|es|ed|ion)|(?:is|are|runs?|being"
        r"|claim\w* to be|much)? ?faster|quicker)\b(?! (?:r-?cnn|rcnn|convergence))(?: (?:inference|training"
        "|decoding))?",
        rf"{_MULTIPLE}|\bspeed-?ups?\b|\b(?:significantly |much |substantially )?faster (?:than|inference|training"
        r"|convergence|decoding|runtime)|\baccelerat(?:es|ing|e|ed)\b|\breduc\w+ (?:\w+ ){0,3}(?:latency"
        "|runtime|(?:inference|training|completion|execution|computation|running|wall-clock|decoding) time)"
        r"|\blower (?:\w+ )?latency\b|\bconverges? (?:\w+ )?faster\b|\b(?:escapes?|trains?|runs?"
        r"|learns?)\b[^.;]{0,30}\bfaster\b"
        r"|\bspeed(?:s|ed|ing)? (?:[\w-]+ ){0,4}?up\b|\bspeeded up\b|\bimprov\w+ [^.;]{0,40}\bspeed\b"
        r"|\bspeed (?:and [\w -]{1,25})?(?:improvement|gain|advantage|boost)s?\b|\d ?(?:%|percent) faster\b"
        r"|\b(?:advantages?|improvements?|gains?|boosts?|increases?|better|higher|superior|faster) (?:in )?"
        r"(?:(?:both|the|and|training|inference|convergence|learning|decoding|execution|computational|running"
        r"|processing) ){0,3}speed\b|\b(?:a|small|tiny) fraction of the [\w -]{0,25}\b(?:time|iterations|speed)\b"
        r"|\bin a (?:much )?faster (?:manner|way)\b"
        r"|\b(?:boost|increas|improv|gain|rais|higher|enhanc)\w*\b(?:\.\d|[^.;]){0,40}\b(?<!lower )throughput\b"
        r"|\bthroughput\b(?:\.\d|[^.;]){0,30}\b(?:by|of|gains?|improve\w*|increase\w*) [^.;]{0,12}\d"
        r"|\bsav(?:es?|ings?|ing)\b[^.;]{0,30}\brun-?time\b"
        r"|\borders? of magnitude (?:\w+ )?faster\b|\b(?:learn|train|decod|runn|solv|converg)ing (?:\w+ )?faster\b"
        r"|\b(?:half|third|fourth|quarter|fifth|tenth|\d+ ?%) of the (?:\w+ )?(?:training|inference|decoding"
        r"|running) time\b"
        r"|\b(?:outperform|surpass|beat|exceed)\w*\b[^.;]{0,80}\bspeed\b"
        r"|\b(?:training|inference|decoding|running|computation|execution) time\b[^.;]{0,25}\b(?:is|are|be|was) "
        r"(?:\w+ )?(?:reduced|cut|halved|lowered|shortened)\b"
        r"|\b(?:improv|increas|boost)\w* [^.;]{0,20}\bconvergence (?:rate|speed)"
        r"|\bfaster,? (?:\w+,? )?(?:and|but)\b|\b(?:simpler|cheaper|smaller|lighter|better)(?: and|,) faster\b"
        r"|\b(?:we|our|it|show|showing|perform|performs|method|approach|algorithm"
        r"|model)\b[^.;]{0,80}\bfaster\b(?! r-?cnn)",
        own=True,
        maybe=r"\b(?:in|with|needs?|requir\w+|using) [^.;]{0,15}\bfewer [^.;]{0,20}"
        r"\b(?:steps|iterations|evaluations)\b",
        voids=r"^Accelerat(?:ing|ed)\b|\b(?:not|n't|never) (?:\w+ ){0,4}?(?:speed-?ups?|faster|accelerat\w+)\b"
        r"|\baccelerating returns\b|\baccelerated variants?\b|\bemerg\w+ as\b[^.;]{0,80}\baccelerat\w+"
        r"|\b(?:learning|regret|statistical|minimax|risk) rates? faster\b|\bfaster rates?\b"
        r"|\brates? (?:are|is) faster\b|\b(?:unclear|how (?:to|best))\b[^.;]{0,100}\baccelerat\w+"
        r"|\bno (?:algorithm|method)\b|\b(?:often|could|proven to|proved to) speed up\b"
        r"|\baccelerated (?:proximal|gradient|first-order)\b|\bspeed-?ups? (?:offered|provided|enabled|given) by\b"
        r"|\bmagnitude (?:less|fewer|more|lower|higher|smaller)\b|\baccelerat\w+ (?:the )?(?:\w+ )?(?:research"
        r"|progress|discover\w+|science|innovation|improvements?|developments?|adoption|acquisition)\b"
        r"|\bprogress\b[^.;]{0,70}\baccelerated\b|\b(?:people|humans?|(?:human )?experts?|practitioners) (?:\w+ )?"
        r"(?:can|often|may|routinely|usually|learn|inspect)\b[^.;]{0,160}\b(?:speed|accelerat|faster)"
        r"|\b(?:potential|hope|order|important|necessary|popular|common\w*|well-established"
        r"|widely used|known|challeng\w+|difficult\w*)\b[^.;]{0,60}\b(?:speed[- ]?ups?|accelerat\w+|faster)\b",
    ),
    _facet(
        "percent_gain",
        "state an improvement in percent",
        r"%|percent",
        r"\b(?:improve\w*|gains?|increase\w*|reduc\w+|sav\w+)\b[^,;]{0,20}?\b(?:percent\w*|per ?cent|%)"
        r"|\b(?:percent\w*|%)[^,;]{0,15}?\b(?:improve\w*|gains?|increase\w*|reduc\w+)",
        r"\b(?:improv|gain|increas|boost|outperform|surpass|reduc|decreas|sav|better|higher|lower|cut"
        r"|drop)\w*\b(?:\.\d|[^.;]){0,80}\d ?(?:%|percent\b|percentage points)|\d ?(?:%"
        r"|percent\b)[^.;]{0,60}\b(?:improv|gain|increas|boost|reduc|better|higher|lower|faster|sav|stronger"
        r"|fewer|less)\w*",
    ),
    _facet(
        "percent",
        "contain a percentage",
        r"%|percent",
        r"\b(?:percent(?:age)?s?|per ?cent)\b(?: (?:figures?|numbers?|values?))?|(?<!\w)%",
        r"\d ?(?:%|percent\b)",
    ),
    _facet(
        "new_benchmark_or_dataset",
        "introduce a benchmark or dataset",
        r"benchmark|data ?set|corpus|corpora|treebank|test|leaderboard|suite|challenge set",
        _asks_made(_EITHER_WAY),
        _made(rf"(?:{_BENCHMARKS}|{_DATASETS})"),
    ),
    _facet(
        "new_benchmark",
        "introduce a benchmark",
        r"benchmark|test|leaderboard|suite|challenge set",
        _asks_made(_BENCHMARKS),
        _made(_BENCHMARKS),
    ),
    _facet(
        "new_dataset",
        "introduce a dataset",
        r"data ?set|corpus|corpora|treebank",
        _asks_made(_DATASETS),
        _made(_DATASETS),
    ),
    _facet(
        "sota",
        "claim state-of-the-art results",
        r"state|sota",
        r"(?:\b(?:claim\w*|report\w*|set\w*|establish\w*|achiev\w*|reach\w*|beat\w*|outperform\w*"
        rf"|advanc\w+)(?: (?:to (?:be|reach|set|achieve)))? )?(?:(?:an?|the) )?(?:new )?\b{_SOTA}\b(?: (?:results?"
        "|performance|accuracy|numbers?|status))?",
        r"\b(?:new|achiev\w*|establish\w*|set(?:s|ting)?|reach\w*|demonstrat\w*|obtain\w*|attain\w*|yield\w*"
        r"|deliver\w*|advanc\w+|improv\w*|beat\w*|outperform\w*|surpass\w*|exceed\w*|provid\w*|shows?|is|are|with"
        rf"|results?|over|better than|superior to|upon|push\w*|produc\w*)\b[^.;]{{0,70}}\b{_SOTA}\b"
        rf"|\b{_SOTA} (?:results?|performance|accurac\w+|scores?)\b",
        voids=r"\b(?:compar\w*|competitive|compet\w+|match\w*|close to|on par|similar"
        rf"|near)\b[^.;]{{0,60}}\b{_SOTA}\b|\b(?:existing|current|most|prior|previous|many|even|analy[sz]\w+"
        rf"|evaluat\w+|of|recent)\b(?: \w+)? {_SOTA} (?:methods?|models?|\w+s)\b[^.;]{{0,40}}\b(?:fail|suffer"
        r"|require|rely|struggle|are|remain|lack)\w*",
    ),
    _facet(
        "training_free",
        "are training-free",
        r"free|train|tuning",
        r"\b(?:training|tuning)[- ]free\b|\bwithout (?:any )?(?:additional |further |extra |re-?)?(?:training"
        r"|fine-?tuning)\b|\b(?:need|needs|require|requires) no (?:additional |extra |re-?)?training\b"
        r"|\bno (?:additional |extra )?training (?:needed|required)\b",
        r"\b(?:training|tuning|learning|finetuning|fine-tuning|optimization)[- ]free\b"
        r"|\bwithout (?:\w+ (?:for )?){0,2}?(?:additional |further |extra |any |model |re-?"
        r"|task-specific )*(?:training|fine-?tuning|retraining|re-training)\b(?! (?:data|set|labels?|examples?"
        r"|samples?|signals?|instab|time|cost|pairs|corpora))|\b(?:requir\w+|needs?|with) no (?:additional "
        r"|further |extra |re-?|model |any )*(?:training|fine-?tuning|retraining)\b(?! (?:data|set|labels?"
        r"|examples?|samples?))|\b(?:not|n't) (?:require|need|involve)\w* (?:\w+ )?(?:training|fine-?tuning"
        r"|retraining)\b(?! (?:data|set|labels?|examples?|samples?))",
    ),
    _facet(
        "proof",
        "prove something or give a formal guarantee",
        r"pro[ov]|theor|bound|guarantee|rate|converge|optimal|o\(|impossible|np-hard|if and only if"
        r"|identifiab|asymptotic|necessary and|consisten",
        r"\b(?:mathematical\w* |formal\w* |theoretical\w* )?(?:prove|proves|proved|proving|proven"
        r"|provabl[ey])\b(?: (?:something|things|anything|results?|theorems?|a theorem|guarantees?|convergence"
        r"|bounds?))?(?: mathematical\w*| formal\w*)?|\b(?:mathematical |formal )?proofs?\b|\btheorems?\b"
        r"|\b(?:theoretical|formal|convergence|provable) guarantees?\b",
        PROOF,
        voids=NO_THEOREM,
        own=True,
        titled=True,
        maybe=r"\btheorems?\b|\banaly[sz]\w+ [^.;]{0,60}\btheoretically\b"
        r"|\btheoretical (?:analys[ie]s|results?|justification)\b|\b(?:we"
        r"|our)\b[^.;]{0,60}\b(?:upper|lower|regret|generali[sz]ation|error) bounds?\b",
    ),
    _facet(
        "theory",
        "offer theory",
        r"pro[ov]|theor|bound|guarantee|rate|converge|optimal|o\(|impossible|np-hard|if and only if"
        r"|identifiab|asymptotic|necessary and|consisten",
        r"\btheor(?:y|ies|etical(?:ly)?)\b(?: (?:analys[ie]s|results?|contributions?|justification|foundations?"
        "|grounding|work|insights?|understanding|framework|in nature|grounded))*",
        rf"{PROOF}|\btheoretical (?:\w+ )?(?:analys[ie]s|results?|justification|framework|foundations?|insights?"
        r"|understanding|study|grounding|findings|characteri[sz]ation)\b|\btheoretically\b|\btheor(?:y|ies) of\b"
        r"|\bwe (?:develop|propose|present) (?:a|the) (?:\w+ )?theory\b",
        maybe=r"\btheor(?:y|etical)\b",
    ),
    _facet(
        "survey",
        "are surveys or reviews",
        r"survey|review|overview|meta",
        r"\b(?:literature |systematic )?(?:surveys?|review(?:s| papers?| articles?))\b(?! (?:data"
        r"|questions?))(?: (?:the )?literature)?|\boverview papers?\b|\bmeta-?analys[ie]s\b",
        r"\b(?:we|this (?:paper|work|article|survey|tutorial))\b[^.;]{0,30}\b(?:surveys?|reviews?|(?:provid|giv"
        r"|present|offer)\w* (?:an?|the) (?:\w+ ){0,3}(?:survey|review|overview)) (?:of|the|on|recent|existing"
        r"|current|over|\d+)\b|\b(?:this|our|comprehensive|systematic) (?:literature )?(?:surveys?"
        r"|review)\b(?! (?:data|questions?|respon|instrument|process))|\bsystematic (?:literature )?reviews?\b"
        r"|\bmeta-?analysis of\b",
        maybe=r"\b(?:an|comprehensive) overview of\b",
    ),
    _facet(
        "parameters",
        "state the size of a model in parameters",
        r"\d ?[BMTK]\b|illion|\bparam|\d[BM]\b",
        r"\b(?:parameter|model) (?:counts?|sizes?|numbers?)\b|\b(?:number|amount|count)s? of parameters\b"
        r"|\bhow many parameters\b|\bsizes? of (?:its|their|the) models?\b|\b(?:million"
        r"|billion)s? (?:of )?parameters\b|\bparameter-count\b",
        rf"(?<![\w.]){_NUMBER} ?(?:B|M|T|K)\b(?:[- ](?:\w+[- ])?(?:param\w*|models?\b|LLMs?\b|variants?))"
        rf"|\b(?:one|{_NUMBER})[- ]?(?:billion|million|trillion|B|M|T)[- ](?:of )?(?:\w+ )?param\w*"
        rf"|\bmodels? (?:with|of"
        r"|from|ranging)[^.;]{0,20}\b\d+(?:\.\d+)?[BM]\b|\b[A-Z][\w.]+-\d+(?:\.\d+)?[Bb]\b",
        maybe=r"(?<![\w.$])\d+(?:\.\d+)?[BM]\b",
    ),
    _facet(
        "benchmark_count",
        "say on how many benchmarks or datasets they were tested",
        r"benchmark|data ?set",
        r"\b(?:on |across )?(?:how many|(?:the )?numbers? of|several|multiple|many) (?:different )?(?:benchmarks"
        r"|data ?sets)\b(?: (?:they|it|the \w+) (?:was|were|is|are) (?:tested|evaluated|tried)(?: on)?)?",
        _counted(r"(?:benchmarks?|data ?sets?)"),
    ),
    _facet(
        "task_count",
        "say on how many tasks they were tested",
        r"tasks",
        r"\b(?:on |across |in )?(?:how many|(?:the )?numbers? of|several|multiple) (?:different )?tasks\b"
        r"(?: (?:they|it|the \w+) (?:(?:was|were|is|are) )?(?:test\w*|evaluat\w*|tri\w+|cover\w*)(?: on)?)?",
        _counted("tasks"),
    ),
)

FACETS: Mapping[str, Facet] = {facet.key: facet for facet in _ALL}
