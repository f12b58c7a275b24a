"""A whole-corpus question -> the condition that each abstract is judged by, and whether a count or a list is wanted.

Facets are recognised first and taken out as units; what is left is read word by word: words of the frame ("which
papers"), of logic ("and", "or", "not", "without", "neither"), of relation ("mention", "about"), and content, which
becomes concepts. "And" binds closer than "or"; a new verb or "that" starts a new clause, and clauses are joined by
"and".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rag.census.concepts import is_acronym
from rag.census.forms import FACETS
from rag.census.predicates import (
    Concept,
    Described,
    Everything,
    Has,
    Literally,
    Not,
    Predicate,
    Relation,
    all_of,
    any_of,
)
from rag.retrieval.asides import without_asides
from rag.text.words import NUMBER_WORDS, STOPWORDS

Form = Literal["count", "list", "exists"]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a census is asked for: the form of the answer and the condition."""

    form: Form
    predicate: Predicate


_HOW_MANY = re.compile(
    r"\bhow (?:many|mny)\b|\b(?:number|count|share|fraction|percentage|proportion) of (?:the |these "
    r"|all )?(?:papers|abstracts|works|articles)|^\W*count\b",
    re.I,
)
_EXISTS = re.compile(
    r"^\W*(?:(?:and|so|but|well|ok|hey|please)\W+)?(?:do|does|is|are|did|has|have|any|anything)\b", re.I
)
_LISTS = re.compile(
    r"^\W*(?:(?:and|so|but|please|now)\W+)?(?:which|wich|what|list|name|show|give|find|enumerate)\b", re.I
)
_QUOTED = re.compile(r"[“\"«]([^”\"»]{2,80})[”\"»]|(?<!\w)'([^']{2,80})'(?!\w)")
_SPELT = re.compile(
    r"\b(?:abbreviation|acronym|the (?:word|term|phrase|string|name)|literally)s? (?:of )?([^\W_][\w+.-]*)", re.I
)
_PLACE = re.compile(r"§(\d+)§")
# Phrases that mean one word of logic. "Not just X" is no negation: X is taken for granted.
_LOGIC = (
    (re.compile(r"\bnot (?:only|just|merely)\b(?=.*\bbut\b)", re.I), " "),
    (re.compile(r"(?:,|\band\b|\bbut\b)? ?\bnot (?:only|just|merely) [\w-]+(?: [\w-]+)?(?=\W*$)", re.I), " "),
    (
        re.compile(
            r"\b(?:have|has|having|with) nothing to do with\b|\b(?:other than|apart from|aside from"
            "|except(?: for)?|excluding|rather than|instead of|as opposed to|but not"
            r"|do(?:es)? without|doing without|fail(?:s|ing)? to|lack(?:s|ing)?)\b",
            re.I,
        ),
        " not ",
    ),
    (
        re.compile(
            r"\b(?:as well as|along with|together with|in addition to|at the same time|and also"
            r"|plus)\b|&|\+(?= )",
            re.I,
        ),
        " and ",
    ),
    (re.compile(r"\band/or\b", re.I), " or "),
    # "Which is about A and which about B", "about A and about B": two lists in one question.
    (re.compile(r"\band (?:which|what|who)(?: ones?)?(?: is| are)? (?=(?:about|on)\b)", re.I), " or "),
    (re.compile(r"(?<=\b(about) )([^,;?]+?) and(?= about\b)", re.I), r"\2 or"),
    (re.compile(r"\bnone of (?:the|these|those|them)\b|\bno (?=papers?|abstracts?|works?)", re.I), " "),
    (re.compile(r"\b(\w+)n['’]t\b", re.I), r"\1 not "),
    (re.compile(r"\bcannot\b", re.I), "can not"),
)
_WORD = re.compile(r"§\d+§|[^\W_]+(?:[-'’./][^\W_]+)*\+?|[,;]")
# "Creative Commons (CC)", "(say 2x)": what was just said, once more or by an example.
_ASIDE = re.compile(
    r"\s\((?:[A-Z][\w-]*|(?:an?|say|like|such as|e\.?g\.?|i\.?e\.?|for \w+|in other words)\b[^)]*"
    r"|[^()]*\b(?:included|as well|too)|including [^)]*)\)"
)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NOT = _set("not no without neither never nor none nothing")
_FRAME = _set(
    """which what wich how many mny much list name show give find count enumerate tell me us please paper papers
abstract abstracts work works article articles study studies submission submissions publication publications
method methods model models framework frameworks approach approaches system systems ones one author authors
library corpus collection conference set anything something there here total overall all every each any these
those them they it its their number share fraction proportion out know want like could would can you i'd i
exactly currently altogether contribution contributions kind kinds sort sorts type types way ways new novel form
forms algorithm algorithms technique techniques thing things people researchers sample full entire whole seeds
really actually even still yet itself themselves own case cases topic topics subject area word words term read
abbreviation acronym least half single phrase everything stuff anyone anybody someone somebody who whose else
everyone fraction percentage tally list abstr anywhere common often popular widespread
listed titles team teams described hey stuff reader readers popular
relevant interesting looked clearly definitely certainly simply mostly"""
)
_MENTION = _set(
    """mention mentions mentioning mentioned say says saying contain contains containing speak speaks speaking talk
talks talking name names refer refers referring discuss discusses discussing quote cite cites call calls
describe describes include includes included including word note notes warn warns lament laments complain
complains complaining brag brags bragging boast boasts boasting
tout touts promise promises criticise criticises criticize criticizes acknowledge
acknowledges worry worries emphasise emphasises emphasize emphasizes"""
)
_VERBS = _set(
    """use uses using used employ employs employing apply applies applying applied rely relies leverage leverages adopt
adopts based deal deals dealing work works working tackle tackles tackling address addresses addressing study
studies studying treat treats treating concern concerns concerned focus focuses focusing focused go goes going
look looks looking investigate investigates explore explores propose proposes proposing proposed introduce
introduces introducing introduced present presents presenting presented report reports reporting reported claim
claims claiming claimed state states stating stated achieve achieves show shows showing shown evaluate evaluates
evaluating evaluated test tests testing tested try tries run runs ran running conduct conducts conducted perform
performs performed make makes making made give gives giving given
provide provides providing provided release releases releasing released offer offers set sets compare compares
comparing compared analyse analyze analyzes analyses consider considers involve involves involving involved
develop develops design designs do does doing did is are was were be being been has have having had get gets
need needs require requires come comes share shares attack attacks attacking train trains trained target targets
touch touches touching
cover covers covering put puts fight fights fighting relate relates
related mean combine combines combining handle handles aim aims aimed
trying demonstrate demonstrates themselves build builds built improve improves link links linking describe argue
argues
enroll enrolls enrolled enrolling recruit recruits recruited recruiting
feature features take takes let lets handle handling count counts tallies speak got"""
)
_TOPICAL = _set(
    """deal deals dealing work works working tackle tackles tackling address addresses addressing study studies studying
    treat treats treating concern concerns concerned focus focuses focusing focused investigate investigates
    touch touches touching"""
)
# Verbs that carry meaning of their own unless a preposition follows ("attack watermarks", but "train with RL").
_MEANT = _set(
    """attack attacks attacking train trains trained compare compares comparing improve improves improving combine
    test tests"""
)
_RELATES = _set("with on by using against via through in about to for of")
_EXTENT = _set("full entire whole complete")
_ANYTHING = _set("something anything things it them models")
_CLAUSE = _set("that which who whose where while")
# Verbs that are nouns right behind what they are of, where nothing follows that they could be done to: "drug design".
_NOUNS = _set("design designs study studies test tests claims reports set sets report focus runs")
_SIZES = _set("large larger small smaller big bigger huge tiny")
# Whoever asks a library of clinical papers which trials do something asks which papers do.
_STUDIES = re.compile(
    r"\b(which|what|many) ((?:(?:randomi[sz]ed|controlled|clinical|cohort|observational) )*)"
    r"(?:trials|cohorts|case reports|analyses|investigations)\b(?= \w)",
    re.I,
)
_BREAKS = _set(
    """of in for on with to from by at against between under over through via as about into towards " "toward within
across upon than behind along around inside onto among beside despite concerning "regarding"""
)
_VENUE_YEAR = re.compile(
    r"\b(?:(?:from|in|at|of|published in) )?(?P<venue>icml|iclr|neurips|nips|naacl|acl|emnlp|colm|aistats"
    r"|cvpr|iccv|eccv|aaai|ijcai|kdd|uai|coling)?[ -]?(?P<year>(?:19|20)\d\d)?\b",
    re.I,
)


def understand_census(question: str) -> Asked:
    """Read a whole-corpus question; without any condition in it, every abstract fits."""
    question = _STUDIES.sub(_as_papers, without_asides(question))
    # "Which papers say on how many tasks ...?" asks for a list.
    counts = _HOW_MANY.search(question) is not None and not _LISTS.match(question)
    form: Form = "count" if counts else "exists" if _EXISTS.match(question) else "list"
    text, known = _taken_out(_HOW_MANY.sub(" papers ", question, count=1) if counts else question)
    return Asked(form, _Reader(text, known).predicate())


def _as_papers(match: re.Match[str]) -> str:
    asks, kind = match.groups()
    return f"{asks} papers with {match[0].removeprefix(asks)} that" if kind else f"{asks} papers"


def _taken_out(text: str) -> tuple[str, list[Predicate]]:
    """Return the question with facets and literal texts replaced by their places, and what stands there."""
    known: list[Predicate] = []

    def keep(predicate: Predicate) -> str:
        known.append(predicate)
        return f" §{len(known) - 1}§ "

    text = _ASIDE.sub("", text)
    text = _QUOTED.sub(lambda m: keep(Literally((m[1] or m[2]).strip())), text)
    text = _SPELT.sub(lambda m: m[0] if m[1].casefold() in STOPWORDS else keep(Literally(m[1])), text)
    text = _LOGIC[1][0].sub(" ", _LOGIC[0][0].sub(" ", text))
    for facet in FACETS.values():
        text = facet.asked.sub(lambda m, key=facet.key: keep(Has(key)) if m[0].strip() else m[0], text)  # type: ignore[misc]
    text = _VENUE_YEAR.sub(lambda m: _described(m, keep), text)
    for pattern, word in _LOGIC:
        text = pattern.sub(word, text)
    return text, known


def _described(match: re.Match[str], keep: object) -> str:
    found = [Described(f, v) for f in ("venue", "year") if (v := match[f])]
    if not found or not callable(keep):
        return match[0]
    return " ".join(str(keep(row)) for row in found)


class _Reader:
    """Reads the words of a question into clauses; each clause is an "or" of "and"s."""

    def __init__(self, text: str, known: list[Predicate]) -> None:
        self._words = _WORD.findall(text)
        self._known = known
        self._before = ""
        self._relation: Relation = "use"
        self._chunks: list[tuple[str, ...]] = []
        self._deed = False
        self._chunk: list[str] = []
        self._items: list[Predicate | str] = []

    def predicate(self) -> Predicate:
        """Return the condition that the words add up to."""
        for place, word in enumerate(self._words):
            self._take(word, place)
        self._flush()
        clauses: list[list[Predicate | str]] = [[]]
        for item in self._items:
            if item == "clause":
                clauses.append([])
            else:
                clauses[-1].append(item)
        found = [clause for items in clauses if (clause := _clause(items)) is not None]
        return all_of(found) if found else Everything()

    def _take(self, word: str, place: int) -> None:
        lower = word.casefold()
        self._before = self._words[place - 1].casefold() if place else ""
        following = self._words[place + 1].casefold() if place + 1 < len(self._words) else ""
        placed = _PLACE.fullmatch(word)
        if placed:
            self._flush()
            self._turn()
            self._items.append(self._known[int(placed[1])])
        elif lower in _NOT:
            self._flush()
            if lower != "nor":
                self._turn()
            self._items.append("not" if lower != "nor" else "or")
        elif lower in ("and", "but", "or", ",", "either", "both"):
            self._connect(lower, following)
        elif lower in _CLAUSE:
            self._flush()
            # "Whose A ... or whose B": the second is an alternative, not a further condition.
            if not (self._items and self._items[-1] == "or"):
                self._items.append("clause")
        elif lower in _MENTION:
            self._flush()
            self._turn()
            self._relation = "mention"
        elif self._is_noun(lower, following):
            self._chunk.append(word)
        elif lower in _VERBS and (lower not in _MEANT or following in _RELATES | _ANYTHING):
            self._flush()
            self._turn()
            self._relation = "about" if lower in _TOPICAL else "use"
        else:
            self._content(word, lower, following)

    def _is_noun(self, lower: str, following: str) -> bool:
        """Tell whether a word that could be a verb ends a noun phrase: "drug design", "in user studies"."""
        behind = bool(self._chunk) and self._chunk[-1].casefold() == self._before
        return (
            lower in _NOUNS
            and behind
            and (not following[:1].isalpha() or following in _BREAKS | _KINDS | {"and", "or"})
        )

    def _turn(self) -> None:
        """Begin a clause where one condition is complete and no connective leads to the next: "on A or B | use C"."""
        starts = [place for place, item in enumerate(self._items) if item == "clause"]
        clause = self._items[starts[-1] + 1 if starts else 0 :]
        # Without an "or" the clauses would be joined by "and" all the same; what is denied stays denied to its end.
        if "or" in clause and "not" not in clause and not isinstance(clause[-1], str):
            self._items.append("clause")

    def _connect(self, word: str, following: str) -> None:
        self._flush()
        if word in ("either", "both"):
            return
        starts_verb = (following in _VERBS and following not in _MEANT) or following in _MENTION | {"with", "without"}
        if word in ("and", "but") and starts_verb:
            self._items.append("clause")
        else:
            self._items.append({"but": "and", ",": "comma"}.get(word, word))

    def _content(self, word: str, lower: str, following: str) -> None:
        lower, word = lower.removesuffix("'s"), word.removesuffix("'s")
        if lower in _BREAKS:
            if lower == "about" or (lower == "on" and self._before in _FRAME):
                self._relation = "mention" if self._relation == "mention" else "about"
            if self._chunk:
                self._chunks.append(tuple(self._chunk))
                self._chunk = []
        elif is_acronym(word) or self._means(lower, following):
            if not self._chunk and not self._chunks:
                # Right behind "papers" or "that" stands what they do: "which papers optimise prompts".
                self._deed = self._before in _FRAME | _CLAUSE
            self._chunk.append(word)
        elif lower in ("model", "models") and self._chunk and _families(self._chunk):
            # "Diffusion models" are one thing; a bare "models" is the frame.
            self._chunk.append(word)
        elif lower in ("model", "models") and self._chunk and self._chunk[-1].casefold() in _SIZES:
            self._chunk.pop()  # "large models" are the frame, large or not
        elif lower in _FRAME and lower not in _FILLERS:
            self._flush()

    def _means(self, lower: str, following: str) -> bool:
        if lower in STOPWORDS:
            return False
        if lower.isdigit() or lower in NUMBER_WORDS:
            # "Three stages" is a condition, "three papers" a wish.
            frame = following in _FRAME | _VERBS | _MENTION | _NOT | STOPWORDS | _CLAUSE
            return len(lower) > 1 and lower in NUMBER_WORDS and following[:1].isalpha() and not frame
        if lower in ("model", "system", "set", "method") and not self._chunk:
            # "Model inversion" is a thing of its own, "which model" is the frame.
            return following not in STOPWORDS | _FRAME | _VERBS | _MENTION | _NOT and following[:1].isalpha()
        if lower in _EXTENT:
            # "The full list" is the frame, "full attention" a thing.
            return following[:1].isalpha() and following not in _FRAME | _VERBS | STOPWORDS
        return lower not in _FRAME

    def _flush(self) -> None:
        if self._chunk:
            self._chunks.append(tuple(self._chunk))
        if self._chunks:
            chunks = _without_kinds(tuple(map(_without_head, self._chunks)))
            text = " ".join(word for chunk in chunks for word in chunk)
            only = chunks[0][0] if len(chunks) == 1 and len(chunks[0]) == 1 else ""
            strict = len(re.findall("[-‐]", only)) >= 2
            if self._relation == "mention" and only.rstrip("s").isupper():
                self._items.append(Literally(only))
            else:
                self._items.append(Concept(text, chunks, self._relation, strict, self._deed and len(chunks[0]) > 1))
        self._chunks, self._chunk, self._deed = [], [], False


# Words of the frame that may stand inside a thing ("methods for new classes"), so they don't end it.
_FILLERS = _set("model models system systems new novel method methods learning")
_FAMILIES = _set(
    """language diffusion vision-language world reward foundation generative multimodal mixture topic
    vision-language-action markov energy-based state-space space surrogate action"""
)


# Nouns that say nothing of their own behind what they are of: "out-of-distribution inputs".
_HEADS = _set(
    "inputs problems problem settings setting scenarios scenario issues issue research applications regime regimes"
)


# Nouns for what a named thing is or what is done with it: "Atari games", "the SVHN dataset", "translation experiments".
_KINDS = _set(
    """experiment experiments result results score scores number numbers dataset datasets benchmark benchmarks corpus
    corpora game games environment environments task tasks suite data domain domains images challenge evaluation
    evaluations test tests experimental"""
)
# Named after people, a kind is a thing of its own: "Markov games", "Bayesian games", "Gaussian environments".
_EPONYM = re.compile(r"[A-Z][a-z]+(?:ian|ov|berg)|Nash|Wasserstein|Fourier|Hawkes|Poisson|Bernoulli|Boltzmann|Turing")
_DONE = _set("experiment experiments result results evaluation evaluations scores numbers")


def _without_head(chunk: tuple[str, ...]) -> tuple[str, ...]:
    last = chunk[-1].casefold()
    named = len(chunk) > 1 and chunk[0][:1].isupper() and last in _KINDS and not _EPONYM.fullmatch(chunk[0])
    return chunk[:-1] if len(chunk) > 1 and (last in _HEADS or last in _DONE or named) else chunk


def _without_kinds(chunks: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """Return noun phrases without those that only say what kind of thing another is: "experiments on mice"."""
    told = tuple(chunk for chunk in chunks if not all(word.casefold() in _KINDS for word in chunk))
    return told or chunks


def _families(words: list[str]) -> bool:
    """Tell whether "models" behind these words makes one thing with them: "diffusion models"."""
    return words[-1].casefold() in _FAMILIES


def _says_kind(items: list[Predicate | str], place: int) -> bool:
    """Tell whether a condition is only a kind beside what it is of: "SVHN | among their datasets"."""
    item = items[place]
    if not isinstance(item, Concept) or any(w.casefold() not in _KINDS for chunk in item.chunks for w in chunk):
        return False
    beside = [items[p] for p in (place - 1, place + 1) if 0 <= p < len(items)]
    return any(isinstance(other, (Concept, Literally)) for other in beside)


def _clause(items: list[Predicate | str]) -> Predicate | None:
    """Return the condition of one clause: "or" of "and"s; what follows a "not" is denied to the clause's end."""
    items = [item for place, item in enumerate(items) if not _says_kind(items, place)]
    connectors = [item for item in items if item in ("and", "or")]
    groups: list[list[Predicate]] = [[]]
    denied = False
    for item in items:
        if item == "not":
            denied = True
        elif item == "or" or (item == "comma" and connectors and connectors[-1] == "or"):
            if not denied and groups[-1]:
                groups.append([])
        elif not isinstance(item, str):
            groups[-1].append(Not(item) if denied else item)
    found = [all_of(group) for group in groups if group]
    return any_of(found) if found else None
