"""Follow-up questions -> standalone questions, by rules over the papers in play.

Only what earlier turns were about is carried on, never their markers or figures.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.answering.judgement import judge
from rag.retrieval.evidence import Evidence, Searcher
from rag.retrieval.pointing import Pointer, asks_of_both, pointers
from rag.retrieval.question import points_back
from rag.text.words import content_stems
from rag.types import Paper, Turn

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
    r"(?:[\w-]+ ){1,4}(?:that|which|who) \w+",
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


_ELLIPTIC = 2  # content words of a question that leaves its topic out
_OWN = re.compile(r"\b(?:it|its|they|their)\b", re.IGNORECASE)
_SHORT = 6  # words of a question whose "it" can't be inside a description of its own
_FEW = 2  # content words of a question about two papers that leaves out what is asked of them
# "How many of its papers ...?" and "who proposes its edges?" ask about one paper, not about the library.
_OF_ONE = re.compile(r"\bits\b|\b(?:their|his|her) (?:[\w-]+ )?papers\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Standalone:
    """A question that can be read by itself, and what is looked up for it.

    `text` is shown; `asked` are the words to answer, about the paper `carried` where the question goes on about one.
    """

    text: str
    asked: str
    carried: Paper | None = None


@dataclass(frozen=True, slots=True)
class _State:
    """What a conversation is about after a turn: the last question, its paper, the next best one, and earlier ones."""

    question: str
    paper: Paper | None
    other: Paper | None
    spoken_of: tuple[Paper, ...] = ()  # each once, in the order in which they came up


def standalone(question: str, history: Sequence[Turn], searcher: Searcher) -> Standalone:
    """Return the question with what it leaves out filled in from earlier turns."""
    state = _State("", None, None)
    for turn in history[-_REMEMBERED:]:
        resolved = _resolve(turn.question, state, searcher)
        state = _after(resolved, state, searcher)
    return _resolve(question, state, searcher)


def _after(resolved: Standalone, before: _State, searcher: Searcher) -> _State:
    evidence = searcher.gather(resolved.asked, resolved.carried.id if resolved.carried else None)
    outcome = judge(evidence).outcome
    if outcome == "too_vague":
        return _asked_back(resolved, evidence, before)
    if outcome in ("smalltalk", "not_in_corpus") or evidence.best is None:
        return before
    paper = evidence.best.paper
    named = [p for m in evidence.mentions if m.tells for p in m.papers if p != paper.id]
    rest = [scored.paper for scored in evidence.chunks[1:]]
    others = [p for p in rest if p.id in named] or rest[:1]
    other = next(iter(others), None)
    if before.paper and not named:
        other = before.paper if before.paper.id != paper.id else before.other or other
    spoken_of = {p.id: p for p in (*before.spoken_of, *(p for p in rest if p.id in named), paper)}
    return _State(resolved.asked, paper, other, tuple(spoken_of.values()))


def _asked_back(resolved: Standalone, evidence: Evidence, before: _State) -> _State:
    """Keep the papers that a name stood for: "the one on graphs" may come back as answer."""
    named = {p for m in evidence.mentions if m.tells for p in m.papers}
    if not named:
        return before
    offered = {s.paper.id: s.paper for s in evidence.chunks if s.paper.id in named}
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
    alone = searcher.gather(question)
    census_of_one = alone.question.kind == "census" and _OF_ONE.search(question) is not None
    if alone.question.kind == "smalltalk" or (alone.question.kind == "census" and not census_of_one):
        return _alone(question)
    if census_of_one or _continues(question, alone, state.paper, searcher):
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


def _asked_before(paper: Paper, state: _State, searcher: Searcher) -> str:
    """Return the question before, without the names of the paper that it was about."""
    names = [m for m in searcher.mentions(state.question) if m.tells]
    if all(paper.id in m.papers for m in names):
        return state.question
    return _of("it", state.question, searcher) or state.question


def _bare(text: str) -> str:
    return re.sub(r"[?!.\s]+$", "", _PRONOUN.sub("", text, count=1))


def _meant(pointer: Pointer, state: _State, searcher: Searcher) -> Paper | None:
    others = [p for p in state.spoken_of if state.paper is None or p.id != state.paper.id]
    if pointer.how == "earlier":
        return others[0] if others else None
    if pointer.how == "another":
        if state.paper is None:
            return None
        known = {paper.id for paper in state.spoken_of}
        found = searcher.find(f"{pointer.rest} {state.paper.title}")
        return next((scored.paper for scored in found if scored.paper.id not in known), None)
    return _described(pointer, _namesakes(state, searcher) if pointer.how == "corrects" else (), state, searcher)


def _namesakes(state: _State, searcher: Searcher) -> tuple[str, ...]:
    """Return the ids of other papers that share a name with the question before, or with its paper."""
    about = " ".join([state.question, short_name(state.paper) if state.paper else ""])
    here = state.paper.id if state.paper else ""
    return tuple(dict.fromkeys(p for m in searcher.mentions(about) if m.tells for p in m.papers if p != here))


def _described(pointer: Pointer, also: Sequence[str], state: _State, searcher: Searcher) -> Paper | None:
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
    return papers[fitting[0]] if best > 0 and best >= least and len(fitting) == 1 else None


def _share(words: Sequence[str], paper: Paper) -> float:
    there = set(content_stems(f"{paper.title}. {paper.abstract}"))
    return sum(word in there for word in words) / len(words)


def _alone(question: str) -> Standalone:
    return Standalone(question, question)


def _continues(question: str, alone: Evidence, paper: Paper, searcher: Searcher) -> bool:
    """Tell whether a question goes on about the paper of the turn before, rather than opening a topic of its own."""
    if points_back(question) and not _DESCRIBES.search(question):
        if _OWN.search(question) and len(re.findall(r"\w+", question)) <= _SHORT:
            return True
        return not _stands_alone(alone, paper, 0.75, searcher)
    # "Slowdown?" is no question of its own, whether or not the abstract has the word.
    one_word = len(re.findall(r"\w+", question)) == 1
    scrap = not alone.mentions and (one_word or _BARE_QUESTION.match(question) or _LEANS.match(question))
    if not scrap and _is_about_nothing_here(alone, paper, searcher):
        return False
    if _GOES_ON.search(question) or len(alone.question.focus) <= 3:
        return not _stands_alone(alone, paper, 0.6, searcher)
    return alone.best is None or alone.best.paper.id == paper.id


def _is_about_nothing_here(alone: Evidence, paper: Paper, searcher: Searcher) -> bool:
    """Tell whether no abstract answers a question, and the one of the turn before speaks of none of its words."""
    if not alone.question.focus or judge(alone).outcome != "not_in_corpus":
        return False
    return searcher.read(alone, [paper.id])[paper.id].covered == 0


def _stands_alone(alone: Evidence, paper: Paper, certainty: float, searcher: Searcher) -> bool:
    if alone.best is None or alone.best.paper.id == paper.id:
        return False
    verdict = judge(alone)
    mine = searcher.read(alone, [paper.id])[paper.id]
    better = alone.best.sentence_cosine > mine.sentence_cosine + 0.1
    if _DESCRIBES.search(alone.question.text) and better and alone.best.covered > mine.covered:
        return verdict.outcome != "too_vague"
    if mine.covered == 0 and alone.shares_rare_word():
        return verdict.outcome not in ("not_in_corpus", "too_vague")
    if len(alone.question.focus) <= _ELLIPTIC and not mine.missing:
        return False  # "how many regions?": all of it is in the paper at hand
    return verdict.outcome == "answered" and verdict.probability >= certainty and better


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


def _about(question: str, paper: Paper, state: _State, searcher: Searcher) -> Standalone:
    """Return "And the other one?" as the question before it, asked of the other paper."""
    bare = re.sub(r"[?!.\s]+$", "", _OTHER.sub("", question))
    if _ELLIPSIS.match(bare) and state.question:
        asked = _of("it", state.question, searcher) or state.question
    else:
        asked = _OTHER.sub("it", question)
    return Standalone(_with_name(asked, paper), asked, paper)


def short_name(paper: Paper) -> str:
    """Return what people call a paper: the name before the colon of its title, else the title."""
    name, colon, _ = paper.title.partition(":")
    return name if colon and len(name.split()) <= 4 else paper.title


def _with_name(question: str, paper: Paper) -> str:
    return f"{question.rstrip()} (about {short_name(paper)})"
