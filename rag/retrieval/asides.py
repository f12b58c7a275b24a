"""What readers say around a question: greetings, thanks, who wants to know, what for, and in which manner.

"My advisor asks which papers release code, for a slide, please" asks which papers release code. Pure, English, by
rules; what is left is read, what the reader typed is what is shown.
"""

from __future__ import annotations

import re

# Where a question about papers begins.
_HEAD = (
    r"(?:(?:which|wich|what|how (?:many|mny|often|common)|who|whose|list|name|show|find|give|get|count|enumerate|tell"
    r"|is there|are there|do|does|did|has|have|any|all|papers?|abstracts?|works?|can|could|would|compare|why"
    r"|where|when)\b)"
)
_POLITE = r"(?:please|pls|plz|thanks|thank you|thx|ty|cheers|many thanks|thanks (?:a lot|in advance|so much)|tia)"
_MINE = r"(?:a|an|my|our|the|this|some|his|her|their|your)"
_PERSON = (
    r"(?:advis[oe]r|supervisor|boss|reviewers?|colleagues?|professor|prof|friend|students?|manager|co-?authors?|editor"
    r"|team|lab|labmates?|pi|committee|postdoc|phd student|somebody|someone)"
)
_WORK = (
    r"(?:slides?|talk|survey|paper|thesis|report|review|presentation|class|lecture|poster|meeting|seminar|reading group"
    r"|related[ -]work(?: section)?|section|stats?|statistics|overview|table|blog(?: ?post)?|project|proposal|grant"
    r"|literature review|article|newsletter|citation|comparison|notes|chapter|introduction|tutorial|homework|essay)"
)
_SAID = r"(?:according to|in|within|from|by|going by)"
_LEADS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^\W*(?:hi|hello|hey|hiya|ok|okay|so|well|good (?:morning|afternoon|evening)|dear \w+|{_POLITE}|quick"
        r" question|question|q)"
        r"(?: (?:there|all|everyone|guys|again|bot|assistant))?(?:[\s,!.:;–—-]+)(?=\w)",
        rf"^\W*(?:just )?(?:for|in|regarding|re|as|working on|writing|preparing) (?:{_MINE} )?(?:[\w-]+"
        rf" ){{0,3}}?{_WORK}"
        rf"(?: (?:on|about) [\w -]{{2,40}}?)?\s*(?:[,:;–—-]+\s*|(?={_HEAD})|(?=i (?:need|want)\b))",
        # Only a purpose stands before a colon; the topic of a question may, and then no such head follows.
        rf"^\W*(?:for|about|regarding|re|quick|another|one more|last|next) [\w' -]{{2,40}}:\s*(?={_HEAD})",
        rf"^\W*(?:{_MINE} )?(?:\w+ )?{_PERSON} (?:(?:just )?(?:asks?|asked|is asking|wants?|wanted|needs?"
        r"|wonders?|insists?"
        r"|demands?|says?)(?: (?:us|me))?)(?: (?:to (?:know|see|have)|for|about|whether|if|that))?[\s,:]+",
        r"^\W*(?:and |but |so |now )?i(?:'m| am| was|'d| would|'ve| have)?(?: (?:just|really|also|still"
        r"|currently|only))?"
        r" (?:need|want|wanted|like|love|looking|look|interested|curious|wonder(?:ing)?|search(?:ing)?|trying"
        r"|try|asking|ask|hop(?:e|ing))"
        r"(?: (?:to (?:know|see|get|find|have|list|learn|read)(?: out)?|for|in|about|if you (?:can|could)"
        r" (?:list|show|tell me|find)"
        r"|whether|if|you to (?:list|show|find|tell me)))?[\s,:]+",
        r"^\W*(?:can|could|would|will) (?:you|u|anyone|somebody) (?:please |kindly |perhaps |maybe )?"
        r"(?=(?:tell|show|list|find|give|name|count|help|point|enumerate|compare|explain|summari[sz]e)\b)",
        rf"^\W*(?:please |kindly )?(?:tell|help) (?:me|us)(?: (?:to )?(?:find(?: out)?|know|see))?[\s,:]+(?={_HEAD})",
        r"^\W*(?:do you know|any idea|does anyone know|i don't know|not sure|remind me)[\s,:]+(?=(?:which|what"
        r"|how|who|why|where)\b)",
    )
)  # fmt: skip
_MANNER = (
    r"roughly|approximately|exactly|at all|in (?:some|any) (?:way|form|sense|shape)(?: or (?:form|other|another))?"
    r"|one way or (?:another|the other)|in one way or another|somehow|somewhere|explicitly|if any|if at all|in general"
    r"|altogether|primarily|mainly|and (?:which|what)(?: ones?| they are| are they)?|at the moment|so far|that"
    r" you know of"
    r"|or so|as well|and why|or not"
)
_TAILS = tuple(
    re.compile(rf"[\s,;.!?(–—-]+(?:{pattern})[\s.!?)…:;-]*$", re.IGNORECASE)
    for pattern in (
        _POLITE,
        r"(?:[Ii] (?:need|want) (?:it|them|this|all of (?:it|them)) )?for (?:an?|my|our|some|this) "
        rf"(?:\w+ )?{_WORK}",
        r"(?:i (?:need|want) )?(?:all|each|every one|everything|the (?:full|whole|complete) list)(?: (?:of"
        r" (?:them|it)|papers|abstracts))?",
        r"(?:all|every) (?:of )?(?:the |these |those )?(?:papers|abstracts|works|ones)",
        rf"with (?:{_MINE} )?(?:[\w-]+ )?(?:quotes?|citations?|titles?|evidence|references?|ids?"
        r"|sources?|factors?|figures?|numbers?|values?|names?)(?: each)?",
        r"(?:names|titles|ids) only|only (?:the )?(?:names|titles|ids)|just (?:the )?(?:names|titles|ids)",
        rf"{_SAID} (?:its|their|the|the paper's|each|any)(?: own)? (?:abstracts?|summary|text)",
        _MANNER,
        r"as (?:a |an )?(?:\w+ )?(?:part|component|ingredient|element|piece) of (?:the|their|its|a|an)(?: \w+)? "
        r"(?:methods?|approach(?:es)?|pipelines?|systems?|recipes?|training|frameworks?|models?|solutions?)",
        r"(?:in|by|from|across) (?:which|what) (?:papers?|abstracts|works)",
        r"(?:list|name|show|give)(?: me)?(?: them)? (?:all|every one|everything)",
        r"as an? (?:\w+ ){0,2}(?:step|stage|component|tool|module|ingredient|objective|loss|building block)",
        r"asking (?:because|since|as|for)\b[^?]*",
        r"(?:which|what) (?:ones?|papers?|of (?:them|these|those))? ?(?:are|is|do|does|can)? ?(?:there|(?:you|we) have"
        r"|i find|exist)?"
        r" ?(?:(?:in )?(?:here|there)|in (?:this|the|your) (?:library|collection|corpus|set))",
        r"(?:name|list|show|give|cite) (?:me )?(?:them|these|those|the (?:titles|names))(?: too| as well| all)?",
        r"(?:which|what) (?:papers?|ones?)",
    )
)  # fmt: skip
_INSIDE = (
    (re.compile(r"\b(?:some|any|a|the|one|certain) (?:kind|sort|form|type|flavou?r|variant|version)s? of\b", re.I), ""),
    (re.compile(r"\b(?:has|have|having) (?:something|anything) to do with\b", re.I), "are about"),
    (re.compile(r"\bw/(?=\s)", re.I), "with"),
    (re.compile(r"(?<=papers)\s?\((?:if|or|and|e\.g)[^)]*\)", re.I), ""),
    (
        re.compile(
            r"^\W*(?:of|among|from|out of) (?:all )?(?:of )?(?:the |these |those )?(?:\w+ )?(?:papers|abstracts"
            r"|works)(?: here)?,? "
            r"(?:which|what|who|how many)(?: ones?)?\b",
            re.I,
        ),
        "which papers",
    ),
    (re.compile(r"\bgive an? (?:overview|list|summary) of (?=papers|abstracts|works)", re.I), "list "),
    (
        re.compile(
            r"\b(?:would|might|could|may) (?:be )?(?:of )?interest(?:ing)?(?: to| for)? (?:an? |some(?:one|body) )?"
            r"(?:who (?:is|works) (?:in|on|interested in) )?",
            re.I,
        ),
        "are about ",
    ),
    (
        re.compile(
            r"\b(?:is|are) (?:relevant|useful|of interest|interesting|good) (?:for|to) (?:an? |some(?:one|body)"
            r" |people |anyone )?"
            r"(?:(?:who (?:is|are) )?(?:interested in|working on|into) )?",
            re.I,
        ),
        "are about ",
    ),
    (re.compile(r"\b(?:i|we)(?:'m| am)? into ([^.?!]+)[.!]", re.I), r"papers on \1 "),
    (
        re.compile(
            r"\bif (?:i|we|you) (?:care|want to (?:know|learn|read)|am interested|are interested)(?: about| in)? ", re.I
        ),
        "about ",
    ),
    # Results on a named benchmark come from trying it, whatever the paper is about.
    (
        re.compile(
            r"\b(?:reports?|reporting|present(?:s|ing)?|gives?|shows?|ha(?:s|ve)) (?:any |their |new |some )?"
            r"(?:results?|scores?|numbers?|figures?|performance) (?:on|for) (?=(?:the )?(?-i:\w*[A-Z]\w*[A-Z]))",
            re.I,
        ),
        "evaluate on ",
    ),
    (
        re.compile(
            r"\b(?:reports?|reporting|present(?:s|ing)?|gives?|shows?) (?:any |their |new |some )?"
            r"(?:results?|findings|experiments?|evidence|work) (?:on|about|for|in|concerning) ",
            re.I,
        ),
        "are about ",
    ),
    (re.compile(r"\bmak(?:e|es|ing) (?:(?:any|heavy|explicit|some) )?use of\b", re.I), "use"),
    (re.compile(r"\bplays? (?:an?|any|some) (?:\w+ )?(?:role|part)\b(?! in)", re.I), "is used"),
    (re.compile(r"\bwhat(?:'s| is) (?:out )?there (?:on|about)\b", re.I), "papers on"),
    (re.compile(r"\b(?:come|comes|came|crop|crops|pop|pops|show|shows) up\b", re.I), "is mentioned"),
    (re.compile(rf"\b{_SAID} (?:its|their|the|the paper's)(?: own)? abstracts?\b,?", re.I), ""),
    (re.compile(r"\b(?:explicitly|actually|really|literally|roughly|apparently|specifically|basically)\b", re.I), ""),
    (re.compile(r"\b(?:every|each) (?:single|last) (?=(?:one|papers?|abstracts?|works?)\b)", re.I), "every "),
)
# A scrap behind the question: "anything on tides? height or speed". One that begins with a word of logic adds to it.
_SCRAP = re.compile(
    rf"(?<=\?)(?!\W*(?:and|or|but|nor|not|no|only|also|with|without|excluding|except|if|in|from|{_HEAD})\b)"
    rf"(?!.*{_HEAD})(?:\W+[\w-]+){{1,6}}\W*$",
    re.IGNORECASE,
)
_ROUNDS = 4
_PAPERS = r"(?:papers?|abstracts?|works?|articles?|studies|submissions|publications|methods|ones)"
# Where the question itself begins, behind a sentence or half-sentence about the reader or to the tool.
_CORE = re.compile(
    r"\b(?:(?:which|what|wich|how many|how mny) (?:of (?:the |these |those |them|your )?)?(?:[\w-]+"
    rf" ){{0,2}}?{_PAPERS}\b"
    rf"|(?<!\bi )(?<!\bwe )(?<!\bwho )(?<!\bto ){_PAPERS} "
    r"(?:that|which|who|where|with|w/|on|about|related|concerned|in which|dealing|using)(?!\w))",
    re.IGNORECASE,
)
# All that may be said before it, if that is to be left out: any other word may be what the question is about.
_IDLE = frozenset(
    """
    i i'm i'd i've im ill i'll we we're we've you u me us my our your am are is was be been being have has had do
    does did to a an the of for in on at and or so but just only also now currently please pls can could would
    will should may need needs want wants wanted like looking look collecting collect preparing prepare writing
    write working work gathering gather compiling compile making make building build reading read doing checking
    check scan search searching find finding go going through browse show give get list listing table overview
    summary survey review paper papers abstract abstracts section related talk slides thesis project report
    presentation quick question one thing two hey hi hello thanks all every any each these those this that them it
    here library collection corpus reviewer student phd professor as if know see tell let let's help count title
    titles name names another more next then
    """.split()
)
_BARE = frozenset(
    "list show give find name me please any all every each a an the some is are there at least one do does only".split()
)
_WORDS = re.compile(r"[^\W_]+(?:['’][a-z]+)?")


def without_asides(text: str) -> str:
    """Return a question without what is said around it; as it is where nothing else would be left."""
    left = text
    for _ in range(_ROUNDS):
        before = left
        for lead in _LEADS:
            left = _kept(lead.sub("", left, count=1), left)
        for tail in _TAILS:
            left = _kept(tail.sub("", left), left)
        if left == before:
            break
    left = _kept(_SCRAP.sub("", left), left)
    for pattern, instead in _INSIDE:
        left = _kept(pattern.sub(instead, left), left)
    core = _CORE.search(left)
    lead_in = _WORDS.findall(left[: core.start()].lower().replace("’", "'")) if core else []
    if core and not _BARE.issuperset(lead_in) and _IDLE.issuperset(lead_in):
        # "I'd like papers on X" asks for a list of them.
        left = (
            left[core.start() :]
            if core.group()[:3].lower() in ("whi", "wha", "wic", "how")
            else f"list {left[core.start() :]}"
        )
    return " ".join(left.split()) if left != text else text


def _kept(shorter: str, text: str) -> str:
    """Return the shorter text if it still says something."""
    return shorter if len(shorter.split()) >= 2 else text
