"""Follow-up questions -> standalone questions, by rules over the papers in play.

Only what earlier turns were about is carried on, never their markers or figures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag.answering.judgement import judge
from rag.retrieval.evidence import Evidence
from rag.retrieval.pointing import Pointer, asks_of_both, pointers
from rag.retrieval.question import points_back
from rag.retrieval.searcher import Searcher
from rag.retrieval.signal import about
from rag.retrieval.whole import PAPERS
from rag.text.words import content_stems
from rag.types import Outcome, Paper, ScoredChunk, Turn

_REMEMBERED = 6  # turns looked back; older ones no longer decide what "it" is
_OTHER = re.compile(r"\b(?:the|that) other (?:one|paper|\w+)\b|\bthe (?:second|latter) (?:one|paper)\b", re.IGNORECASE)
_GOES_ON = re.compile(
    r"^\W*(?:and|but|so|also|or|then|what about|how about|what else|why|how|by what|since when|ok(?:ay)?)\b",
    re.IGNORECASE,
)
_SWITCHES = re.compile(
    r"^\W*(?:new topic|another (?:topic|question|thing)|different (?:topic|question)|change of (?:topic|subject)|"
    r"next|unrelated|something else|switching)\b[^\w]*",
    re.IGNORECASE,
)
_COMPARES = re.compile(r"\b(?:compar\w+|versus|vs|differ\w*|than|both)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|this|that|them|these)\b", re.IGNORECASE)
# "And the work on slip before it happens?" describes a paper of its own; its "it" is inside.
_DESCRIBES = re.compile(
    r"\b(?:the|a|that|any) (?:work|paper|study|one|method|model|survey|data ?set|corpus|recordings?|people) "
    r"(?:on|about|that|which|who|where|with|for|of)\b"
    r"|\b(?:is|are) there (?:\w+ ){0,2}(?:ones?|papers?|work|stud(?:y|ies)|(?:some|any)(?:thing|one)) "
    r"(?:that|which|who)\b"
    # "Robot that remembers where things are" describes one too.
    r"|^\W*(?!(?:is|are|was|were|does|do|did|can|could|has|have|will|would|should|what|which|who|how|why|where|when|and|so|but)\b)"
    r"(?:[\w-]+ ){1,4}(?:that|who|(?<!on )(?<!in )(?<!with )(?<!for )(?<!by )(?<!at )(?<!to )(?<!of )(?<!from )which)"
    r" \w+",
    re.IGNORECASE,
)
# "Which RL algorithm?" leaves out what it is about, "what is RL?" does not.
_BARE_QUESTION = re.compile(
    r"^\W*(?:(?:and|so|but|ok)\W+)?(?:which|what|how(?: many| much)?|why|where|when|who)\b"
    r"(?!\W+(?:is|are|was|were|does|do|did|s)\b)(?:[^\w?]+[\w-]+){0,2}\W*$",
    re.IGNORECASE,
)
# "And without asking anyone?" leans on the question before it.
_LEANS = re.compile(
    r"^\W*(?:and|but|or)\W+(?:with(?:out)?|for|in|on|at|under|after|before|when|if|using|by)\b", re.IGNORECASE
)
_ELLIPSIS = re.compile(
    r"^\W*(?:and|but|so|or|ok(?:ay)?)?\W*(?:what about|how about|for|with|in|and)?\s*(?:the\s+)?$", re.IGNORECASE
)


# Does a question go on about the paper of the turn before? Fitted by `python -m tests.benchmarks.followups`.
CONTINUES: Mapping[str, float] = {
    "same": 2.40,  # by itself it finds that very paper
    "points": 2.94,  # "it", "the method"
    "goes_on": 1.72,  # it begins with "and", "what about", "why"
    "bare": 1.97,  # "which RL algorithm?", one word, "and without labels?"
    "short": 3.50,  # how few words it has
    "focus": -4.88,  # how many of them have content
    "about": -1.84,  # how likely it is about the paper that it finds by itself
    "cosine_lead": -1.73,  # how much nearer that paper is than the one before, by its cosine,
    "words_lead": -1.39,  # by its words,
    "sentence_lead": -1.75,  # and by its nearest sentence
    "covered": 1.14,  # share of its words that the paper before speaks of
    "rare": -1.27,  # it speaks of none, and the paper found has a rare one
}
CONTINUES_INTERCEPT = 1.36
_WHOLE = 3  # words of the shortest question that says what it is about
_FEW = 2  # content words of a question about two papers that leaves out what is asked of them
# "How many of its papers ...?" and "who proposes its edges?" ask about one paper, not about the library.
_PARTITIVE = re.compile(
    r"\b(?:any|many|few|some|none|all|most|which|how many) of (?:these|those|them)\b", re.IGNORECASE
)
_PAPERS = re.compile(rf"\b{PAPERS}\b", re.IGNORECASE)
_SPOKEN_OF = 0.5  # share of a question's words that the paper spoken of has to hold
_OF_ONE = re.compile(r"\bits\b|\b(?:their|his|her) (?:[\w-]+ )?papers\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A paper that a conversation came to, by id and title."""

    id: str
    title: str

    @classmethod
    def of(cls, scored: ScoredChunk) -> Spoken:
        """Return the paper of a passage that was found."""
        return cls(scored.paper.id, scored.paper.title)


@dataclass(frozen=True, slots=True)
class Standalone:
    """A question that can be read by itself, and what is looked up for it.

    `text` is shown; `asked` are the words to answer, about the paper `carried` where the question goes on about one.
    """

    text: str
    asked: str
    carried: Spoken | None = None


@dataclass(frozen=True, slots=True)
class _State:
    """What a conversation is about after a turn: the last question, its paper, the next best one, and earlier ones."""

    question: str
    paper: Spoken | None
    other: Spoken | None
    spoken_of: tuple[Spoken, ...] = ()  # each once, in the order in which they came up


@dataclass(frozen=True, slots=True)
class _Heard:
    """What one turn was about, by itself: all that later turns need of its evidence."""

    outcome: Outcome
    near: tuple[Spoken, ...]  # the papers found, best first
    named: frozenset[str]  # ids of those that the turn names
    names_any: bool
    names_others: bool  # names papers other than its best one


def standalone(question: str, history: Sequence[Turn], searcher: Searcher) -> Standalone:
    """Return the question with what it leaves out filled in from earlier turns."""
    state = _State("", None, None)
    for turn in history[-_REMEMBERED:]:
        resolved = _resolve(turn.question, state, searcher)
        state = _after(resolved, state, searcher)
    return _resolve(question, state, searcher)


def _after(resolved: Standalone, before: _State, searcher: Searcher) -> _State:
    heard = _heard(resolved, searcher)
    if heard.outcome == "too_vague":
        return _asked_back(resolved, heard, before)
    if heard.outcome in ("smalltalk", "not_in_corpus") or not heard.near:
        return before
    paper, *rest = heard.near
    named = [p for p in rest if p.id in heard.named]
    other = next(iter(named or rest), None)
    if before.paper and not heard.names_others:
        other = before.paper if before.paper.id != paper.id else before.other or other
    spoken_of = {p.id: p for p in (*before.spoken_of, *named, paper)}
    return _State(resolved.asked, paper, other, tuple(spoken_of.values()))


def _heard(resolved: Standalone, searcher: Searcher) -> _Heard:
    carried = resolved.carried.id if resolved.carried else None

    def hear() -> _Heard:
        evidence = searcher.gather(resolved.asked, carried)
        near = tuple(Spoken.of(scored) for scored in evidence.chunks)
        named = frozenset(p for m in evidence.mentions if m.tells for p in m.papers)
        best = frozenset([near[0].id]) if near else frozenset()
        found = named & {p.id for p in near}
        return _Heard(judge(evidence).outcome, near, found, bool(named), bool(named - best))

    return searcher.remember(("heard", resolved.asked, carried), hear)


def _asked_back(resolved: Standalone, heard: _Heard, before: _State) -> _State:
    """Keep the papers that a name stood for: "the one on graphs" may come back as answer."""
    if not heard.names_any:
        return before
    offered = {p.id: p for p in heard.near if p.id in heard.named}
    spoken_of = {p.id: p for p in before.spoken_of} | offered
    return _State(resolved.asked, before.paper, before.other, tuple(spoken_of.values()))


def _resolve(question: str, state: _State, searcher: Searcher) -> Standalone:
    switched = _SWITCHES.sub("", question)
    if switched != question:
        return _alone(switched or question)
    both = _of_both(question, state, searcher)
    if both:
        return _alone(both)
    pointed = _pointed(question, state, searcher)
    if pointed is not None:
        return pointed
    if state.paper is None:
        return _alone(question)
    mentions = [m for m in searcher.mentions(question) if m.tells]
    if _OTHER.search(question) and state.other is not None and not mentions:
        return _about(question, state.other, state, searcher)
    # "What is its F1?": a name that the paper shares with others does not lead away from it.
    here = all(state.paper.id in m.papers for m in mentions)
    shared = here and (points_back(question) or not any(m.owned for m in mentions))
    if mentions and not here and _COMPARES.search(question):
        name = short_name(state.paper)
        return _alone(_PRONOUN.sub(lambda _: name, question, count=1))
    if mentions and not shared:
        return _alone(_filled(question, mentions[0].start, mentions[0].end, state, searcher))
    if _goes_on(question, state.paper, searcher):
        return Standalone(_with_name(question, state.paper), question, state.paper)
    return _alone(question)


def _of_both(question: str, state: _State, searcher: Searcher) -> str:
    """Return "which of the two is larger?" with the names of the last two papers; "" where it is no such question."""
    if state.paper is None or not asks_of_both(question) or any(m.tells for m in searcher.mentions(question)):
        return ""
    before = [paper for paper in state.spoken_of if paper.id != state.paper.id]
    if not before:
        return ""
    names = f"{short_name(before[-1])} and {short_name(state.paper)}"
    # With hardly a word of its own it asks once more what was asked of one.
    again = _of("each", state.question, searcher) if len(content_stems(question)) <= _FEW else ""
    return f"{question.rstrip()} ({names}{f': {again}' if again else ''})"


def _pointed(question: str, state: _State, searcher: Searcher) -> Standalone | None:
    """Return a question about the paper that it points to, None where it points to none that was spoken of."""
    for pointer in pointers(question):
        paper = _meant(pointer, state, searcher)
        if paper is not None:
            elliptic = not pointer.rest or _ELLIPSIS.match(_bare(pointer.rest))
            asked = _asked_before(paper, state, searcher) if elliptic else pointer.rest
            return Standalone(_with_name(asked, paper), asked, paper)
        if pointer.how == "corrects":
            # Not the question before: its names would lead back to what was not meant.
            return _alone(f"{pointer.topic}: {pointer.rest}" if pointer.rest else pointer.topic)
    return None


def _asked_before(paper: Spoken, state: _State, searcher: Searcher) -> str:
    """Return the question before, without the names of the paper that it was about."""
    names = [m for m in searcher.mentions(state.question) if m.tells]
    if all(paper.id in m.papers for m in names):
        return state.question
    return _of("it", state.question, searcher) or state.question


def _bare(text: str) -> str:
    return re.sub(r"[?!.\s]+$", "", _PRONOUN.sub("", text, count=1))


def _meant(pointer: Pointer, state: _State, searcher: Searcher) -> Spoken | None:
    others = [p for p in state.spoken_of if state.paper is None or p.id != state.paper.id]
    if pointer.how == "earlier":
        return others[0] if others else None
    if pointer.how == "another":
        if state.paper is None:
            return None
        known = {paper.id for paper in state.spoken_of}
        found = searcher.find(f"{pointer.rest} {state.paper.title}")
        return next((Spoken.of(scored) for scored in found if scored.paper.id not in known), None)
    return _described(pointer, _namesakes(state, searcher) if pointer.how == "corrects" else (), state, searcher)


def _namesakes(state: _State, searcher: Searcher) -> tuple[str, ...]:
    """Return the ids of other papers that share a name with the question before, or with its paper."""
    about = " ".join([state.question, short_name(state.paper) if state.paper else ""])
    here = state.paper.id if state.paper else ""
    return tuple(dict.fromkeys(p for m in searcher.mentions(about) if m.tells for p in m.papers if p != here))


def _described(pointer: Pointer, also: Sequence[str], state: _State, searcher: Searcher) -> Spoken | None:
    """Return the paper in play that a description fits best: most of its words, None where no word or several fit."""
    words = pointer.words
    ids = [*also, *(paper.id for paper in state.spoken_of)]
    if not words or not ids:
        return None
    papers = {scored.paper.id: scored.paper for scored in searcher.find(pointer.topic, tuple(ids))}
    fit = {key: _share(words, paper) for key, paper in papers.items()}
    best = max(fit.values(), default=0.0)
    fitting = [key for key, share in fit.items() if share == best]
    least = 0.0 if pointer.how in ("corrects", "returns") else 1.0
    one = best > 0 and best >= least and len(fitting) == 1
    return Spoken(fitting[0], papers[fitting[0]].title) if one else None


def _share(words: Sequence[str], paper: Paper) -> float:
    there = set(content_stems(f"{paper.title}. {paper.abstract}"))
    return sum(word in there for word in words) / len(words)


def _alone(question: str) -> Standalone:
    return Standalone(question, question)


def _goes_on(question: str, paper: Spoken, searcher: Searcher) -> bool:
    """Tell whether a question without a name is about the paper of the turn before."""

    def decide() -> bool:
        alone = searcher.gather(question)
        if alone.question.kind == "census":
            return _OF_ONE.search(question) is not None or _of_its_parts(question, alone, paper, searcher)
        return alone.question.kind != "smalltalk" and _continues(question, alone, paper, searcher)

    return searcher.remember(("goes on", question, paper.id), decide)


def _of_its_parts(question: str, alone: Evidence, paper: Spoken, searcher: Searcher) -> bool:
    """Tell whether "how many of these recovered?" counts what the paper of the turn before speaks of, not papers."""
    if not _PARTITIVE.search(question) or _PAPERS.search(question):
        return False
    return bool(alone.question.focus) and searcher.read(alone, [paper.id])[paper.id].covered >= _SPOKEN_OF


def _continues(question: str, alone: Evidence, paper: Spoken, searcher: Searcher) -> bool:
    """Tell whether a question goes on about the paper of the turn before, rather than opening a topic of its own."""
    values = continuation_features(question, alone, paper, searcher)
    if not values["points"] and _DESCRIBES.search(question):
        return bool(values["same"])
    scrap = values["points"] or values["bare"] or len(re.findall(r"\w+", question)) < _WHOLE + 2 * values["goes_on"]
    if not scrap and _is_about_nothing_here(alone, values["covered"]):
        return False
    return CONTINUES_INTERCEPT + sum(weight * values[name] for name, weight in CONTINUES.items()) >= 0


def continuation_features(question: str, alone: Evidence, paper: Spoken, searcher: Searcher) -> dict[str, float]:
    """Return what tells whether a question goes on about a paper, from its words and from what it finds by itself."""
    mine = searcher.read(alone, [paper.id])[paper.id]
    best = alone.best or mine
    words = len(re.findall(r"\w+", question))
    cosine = alone.cosine.get(paper.id, 0.0)
    return {
        "same": float(best.paper.id == paper.id),
        # "The robot that remembers": its "that" points to nothing before.
        "points": float(points_back(_DESCRIBES.sub(" ", question))),
        "goes_on": float(bool(_GOES_ON.search(question))),
        "bare": float(bool(_BARE_QUESTION.match(question) or _LEANS.match(question) or words == 1)),
        "short": max(0, 8 - words) / 8,
        "focus": min(8, len(alone.question.focus)) / 8,
        "about": about(alone),
        "cosine_lead": best.cosine - cosine,
        "words_lead": alone.words.get(best.paper.id, 0.0) - alone.words.get(paper.id, 0.0),
        "sentence_lead": best.sentence_cosine - mine.sentence_cosine,
        "covered": mine.covered,
        "rare": float(mine.covered == 0 and alone.shares_rare_word()),
    }


def _is_about_nothing_here(alone: Evidence, covered: float) -> bool:
    """Tell whether no abstract answers a question, and the one of the turn before speaks of none of its words."""
    return bool(alone.question.focus) and covered == 0 and judge(alone).outcome == "not_in_corpus"


def _filled(question: str, start: int, end: int, state: _State, searcher: Searcher) -> str:
    """Return "And TARNLEX?" as the question before it, asked of the new name."""
    bare = question[:start] + question[end:]
    if not _ELLIPSIS.match(re.sub(r"[?!.\s]+$", "", bare)):
        return question
    name = question[start:end]
    return _of(name, state.question, searcher) or f"{state.question.rstrip(' ?')} ({name})?"


def _of(name: str, question: str, searcher: Searcher) -> str:
    """Return a question with its first name replaced by another; "" where it has none."""
    previous = [m for m in searcher.mentions(question) if m.tells]
    return question[: previous[0].start] + name + question[previous[0].end :] if previous else ""


def _about(question: str, paper: Spoken, state: _State, searcher: Searcher) -> Standalone:
    """Return "And the other one?" as the question before it, asked of the other paper."""
    bare = re.sub(r"[?!.\s]+$", "", _OTHER.sub("", question))
    if _ELLIPSIS.match(bare) and state.question:
        asked = _of("it", state.question, searcher) or state.question
    else:
        asked = _OTHER.sub("it", question)
    return Standalone(_with_name(asked, paper), asked, paper)


def short_name(paper: Spoken) -> str:
    """Return what people call a paper: the name before the colon of its title, else the title."""
    name, colon, _ = paper.title.partition(":")
    return name if colon and len(name.split()) <= 4 else paper.title


def _with_name(question: str, paper: Spoken) -> str:
    return f"{question.rstrip()} (about {short_name(paper)})"
