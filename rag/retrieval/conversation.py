"""Follow-up questions -> standalone questions, by rules over the papers in play.

Only what earlier turns were about is carried on, never their markers or figures.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag.answering.judgement import judge
from rag.errors import InputError
from rag.retrieval.evidence import Evidence, Searcher
from rag.retrieval.question import points_back
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
    r"(?:on|about|that|which|who|where|with|for|of)\b",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(
    r"^\W*(?:and|but|so|or|ok(?:ay)?)?\W*(?:what about|how about|for|with|in|and)?\s*(?:the\s+)?$", re.IGNORECASE
)


_ELLIPTIC = 2  # content words of a question that leaves its topic out


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
    """What a conversation is about after a turn: the last question, its paper, and the next best one."""

    question: str
    paper: Paper | None
    other: Paper | None


def turns(history: Sequence[Any] | None) -> tuple[Turn, ...]:
    """Return earlier turns as values: questions as strings, or objects or mappings with question and answer.

    Chat messages (`role`, `content`) are paired up. Raises `InputError` for anything else.
    """
    if isinstance(history, str):
        raise InputError("history is one text, but it must be a list of earlier questions; wrap it in a list.")
    found: list[Turn] = []
    for item in history or ():
        fields = (
            item if isinstance(item, Mapping) else {k: getattr(item, k, None) for k in ("question", "answer", "text")}
        )
        role, content = fields.get("role"), fields.get("content")
        if isinstance(item, str):
            found.append(Turn(item))
        elif role == "assistant" and isinstance(content, str):
            if found:
                found[-1] = Turn(found[-1].question, content)
        elif role == "user" and isinstance(content, str):
            found.append(Turn(content))
        elif isinstance(fields.get("question"), str):
            answer = fields.get("answer") if fields.get("answer") is not None else fields.get("text")
            answer = getattr(answer, "text", answer)
            found.append(Turn(str(fields["question"]), answer if isinstance(answer, str) else ""))
        else:
            raise InputError(
                f"history has an entry of type {type(item).__name__} without a question; "
                "give strings or objects with question and answer."
            )
    return tuple(turn for turn in found if turn.question.strip())


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
    if outcome in ("smalltalk", "too_vague", "not_in_corpus") or evidence.best is None:
        return before
    paper = evidence.best.paper
    named = [p for m in evidence.mentions if m.tells for p in m.papers if p != paper.id]
    rest = [scored.paper for scored in evidence.chunks[1:]]
    others = [p for p in rest if p.id in named] or rest[:1]
    other = next(iter(others), None)
    if before.paper and not named:
        other = before.paper if before.paper.id != paper.id else before.other or other
    return _State(resolved.asked, paper, other)


def _resolve(question: str, state: _State, searcher: Searcher) -> Standalone:
    switched = _SWITCHES.sub("", question)
    if state.paper is None or switched != question:
        return _alone(switched or question)
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
    if alone.question.kind in ("smalltalk", "census"):
        return _alone(question)
    if _continues(question, alone, state.paper, searcher):
        return Standalone(_with_name(question, state.paper), question, state.paper)
    return _alone(question)


def _alone(question: str) -> Standalone:
    return Standalone(question, question)


def _continues(question: str, alone: Evidence, paper: Paper, searcher: Searcher) -> bool:
    """Tell whether a question goes on about the paper of the turn before, rather than opening a topic of its own."""
    if points_back(question) and not _DESCRIBES.search(question):
        return not _stands_alone(alone, paper, 0.75, searcher)
    if _is_about_nothing_here(alone, paper, searcher):
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
