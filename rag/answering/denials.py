"""Does an abstract deny what a question takes for granted? Compares the question's words with each denying clause.

The words may differ ("labelled by hand", "needs no annotation"), so synonyms of the checker's lexicon count as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag.answering.supposing import supposed_of
from rag.checking.alignment import best_match
from rag.checking.lexicon import COMMON, DOWN, FRAMING, UP, opposite
from rag.retrieval.evidence import Evidence, PaperEvidence
from rag.retrieval.ranking import Ranked, asked_thing
from rag.text.matching import match_strength
from rag.text.names import spelt_out
from rag.text.words import STOPWORDS, content_stems, stem, tokens


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


# A question that denies, or asks what is wrong, takes nothing for granted that a denial could break.
NEGATED = re.compile(
    r"\b(?:not|no|never|without|instead|rather|avoid\w*|unlike|fail\w*|wrong|lack\w*|neither|none|nothing|nobody|no one|spare[ds]?|free|"
    r"hardly|only|overcome\w*|circumvent\w*|bypass\w*|sidestep\w*|prevent\w*|eliminat\w*|get(?:s|ting)? (?:around|rid of))\b|n't\b",
    re.IGNORECASE,
)
# Words of an abstract that deny, or that put a thing on others than the authors.
_DENIED = re.compile(
    r"(?:\bwithout|\brather than|\binstead of(?: relying on)?|\bunlike|\bneither|\b(?:need|require|use|involve|contain|assume|report|have|has|is|are)s? no(?!t)|"
    r"\bno need for|\bnot (?:need|require|use|involve|rely on)|\beliminat\w+(?: the)?(?: need for)?|\bavoid\w*|\bremov\w+ the need for)\s+(?P<what>[^,.;:—()]{3,80})"
    r"|(?:^|[,;:]\s|\b(?:and|but|with|there is)\s)no (?!(?:\w+ )?(?:differen|effect|chang)\w*)(?P<none>[^,.;:—()]{3,60})"
    r"|\b(?P<free>[\w-]+?)-free\b|\bchallenge the (?:intuition|assumption|belief|view) that (?P<belief>[^,.;]+)",
    re.IGNORECASE,
)
_OWN = re.compile(r"\W*(?:(?:In|To|By|Here)\b[^,]{0,60},\s+)?(?:we|this (?:paper|work)|our)\b", re.IGNORECASE)
_OF_OTHERS = re.compile(
    r"\b(?:existing|prior|previous|current|conventional|prevailing|most|recent|traditional|standard|other|earlier)\b[^.]{0,40}"
    r"\b(?:methods?|approach(?:es)?|works?|stud(?:y|ies)|agents?|defenses?|systems?|models?|VLAs|techniques?|strategies|benchmarks)\b|\bits reliance on\b",
    re.IGNORECASE,
)
_NO_EFFECT = re.compile(
    r"\b(?:(?:do|does|did|could|can|will|would)\s+not|cannot|fail(?:s|ed)? to)\s+(?:[a-z]+ly\s+)?(?P<verb>[a-z]+)"
    r"|\bno\s+(?P<degree>[a-z]{3,}er|[a-z]+ (?:gain|effect|benefit|improvement)s?|(?:gain|effect|benefit|improvement|information|evidence)s?|(?:more|less) [a-z]+)\b",
    re.IGNORECASE,
)
_OF_USE = _stems("require rely need assume use involve")  # denied uses are told apart by what is used
_GOOD = UP | _stems("help helps benefit matter succeed useful")
_UNTOUCHED = re.compile(r"\b(?:unchanged|untouched|frozen|off-the-shelf|unmodified)\b", re.IGNORECASE)
_ADAPTING = _stems("fine-tuned finetuned fine tuned tune retrained retrain trained adapted updated modified")
# What is denied in one word, and the words of a question that suppose it.
_SUPPOSES = (
    (
        _stems("experiment experiments"),
        _stems(
            "dataset datasets test tested benchmark benchmarks empirical empirically experiment experiments measured"
        ),
    ),
    (
        _stems("annotation annotations label labels labelling annotated"),
        _stems("annotate annotated annotators annotator labelled labeled label labels hand"),
    ),
)
# What is denied right behind the denying word, to the end of its noun phrase.
_DENIED_HEAD = re.compile(
    r"\b(?:no|not|without|rather than|instead of|neither|nor|never)\s+(?P<what>[^,.;:—()]+?)"
    r"(?=\s+(?:is|are|was|were|at|that|which|can|for|in|of|on|to|when|than|nor|or|and|but)\b|[,.;:—()]|$)",
    re.IGNORECASE,
)
# "Sentences without support in the second round" denies no round.
_ELSEWHERE = re.compile(r"\s(?:in|at|during|when|while|after)\s", re.IGNORECASE)
# Two denials make none: "tasks that it could not solve without X".
_DENIES_BEFORE = re.compile(
    r"\b(?:not|never|cannot|unable|fails?|failed)\b[^.,;]*$|n't\b[^.,;]*$|\b(?:that|which|who) $", re.IGNORECASE
)
_STEADY = re.compile(r"\b(?:unchanged|the same|identical|equal)\s+(?P<what>[^,.;:—()]{3,40})", re.IGNORECASE)
_TURNS = UP | DOWN
_TAKES_LONGER = re.compile(
    r"\b(?:rais|increas|lengthen|grow|add)\w*\b[^.;,]{0,30}\b(?:time|latency|cost|memory|overhead)\b", re.I
)
_TAKES_LESS = re.compile(
    r"\b(?:lower|reduc|decreas|shorten|cut|sav)\w*\b[^.;,]{0,30}\b(?:time|latency|cost|memory|overhead)\b", re.I
)
_SPEEDS = re.compile(r"\b(?:speed\w*[- ]?up|faster|accelerat\w*|quicker|sav(?:e|es|ing))\b", re.I)
_SLOWS = re.compile(r"\b(?:slow\w*|longer|costlier|more expensive)\b", re.I)
_CHALLENGES = re.compile(r"\b(?:challenge|however|bottleneck|problem|existing|remains?|limit\w*)\b", re.IGNORECASE)
_EXCESS = re.compile(r"\b(?P<side>over|under)-?(?P<rest>[a-z]{4,})", re.IGNORECASE)
_BETTER = re.compile(r"\b(?:better|superior)\b", re.IGNORECASE)
_WORSE = re.compile(r"\b(?:worse|inferior)\b", re.IGNORECASE)
_SUPERLATIVE = 6  # letters from which a word in -est is one ("weakest", not "test" or "forest")
_FORM = 0.85  # the word or a form of it, no synonym
_OPPOSITES = tuple(
    (_stems(left), _stems(right))
    for left, right in (
        (
            "increase increases raise raises grow grows more higher larger enlarge inflate lengthen",
            "reduce reduces reducing decrease decreases lower shrink cut fewer less smaller shorten compress compresses suppress suppresses",
        ),
        ("slow slower slowdown slows decelerate", "fast faster speed speedup accelerate accelerates quicker"),
        (
            "degrade degrades worse worsen hurt hurts harm harms deteriorate lose loses drop lowered lowers",
            "improve improves improving outperform outperforms better gain gains enhance enhances preserve preserving surpass boost boosts help helps",
        ),
    )
)


def denied_use(evidence: Evidence, top: PaperEvidence) -> Ranked | None:
    """Return the sentence that denies a thing which the question takes the paper to use, need or do."""
    text = evidence.question.text
    focus = [t for t in evidence.question.focus if len(t) > 3] + _spelt_out(text)
    asked = asked_thing(text)
    for ranked in top.ranked:
        rest = _stems_but(top, ranked)
        for match in _DENIED.finditer(ranked.facts.sentence.text):
            what = _ELSEWHERE.split(
                match["what"] or match["none"] or match["belief"] or match["free"].replace("-", " ")
            )[0]
            denied = frozenset(content_stems(what))
            hit = [t for t in focus if _speaks_of(t, denied)]
            head = bool(asked) and _speaks_of(asked, denied)
            supposed = any(denied & denies and t in supposes for t in focus for denies, supposes in _SUPPOSES)
            subject = bool(match["belief"]) and any(match_strength(t, frozenset(content_stems(what)[:1])) for t in hit)
            enough = len(hit) >= 2 or bool(hit and match["free"]) or head or subject or supposed
            if enough and not all(match_strength(t, rest) == 1.0 for t in hit or [asked]):
                return ranked
    return None


def adapts(question: str) -> bool:
    """Tell whether a question speaks of a part as having been trained or changed."""
    return bool(_ADAPTING.intersection(content_stems(question)))


def denied_change(evidence: Evidence, top: PaperEvidence) -> Ranked | None:
    """Return the sentence that says a named part stayed as it was, where the question takes it to have been adapted."""
    return next(
        (
            r
            for r in top.ranked
            if _UNTOUCHED.search(r.facts.sentence.text)
            and any(m.name in r.facts.sentence.text for m in evidence.mentions)
        ),
        None,
    )


def denied_head(evidence: Evidence, top: PaperEvidence) -> Ranked | None:
    """Return the sentence that denies just the thing asked for, or one thing while it speaks of two others asked."""
    asked, focus = asked_thing(evidence.question.text), _asked_stems(evidence)
    for ranked in top.ranked:
        for match in _DENIED_HEAD.finditer(ranked.facts.sentence.text):
            if _DENIES_BEFORE.search(ranked.facts.sentence.text[: match.start()]):
                continue
            denied = [s for s in content_stems(match["what"]) if s][-1:]
            hit = [t for t in focus if denied and match_strength(t, frozenset(denied)) >= _FORM]
            others = [t for t in focus if t not in hit and match_strength(t, ranked.facts.stems) >= _FORM]
            if hit and (asked in hit or len(others) >= 2):
                return ranked
    return None


def denied_turn(evidence: Evidence, top: PaperEvidence) -> Ranked | None:
    """Return the sentence that keeps a thing as it was, where the question takes it to have risen or fallen.

    Two words side by side name the thing: "word error rate".
    """
    focus = _asked_stems(evidence)
    if not _TURNS.intersection(focus):
        return None
    for ranked in top.ranked:
        for match in _STEADY.finditer(ranked.facts.sentence.text):
            steady = frozenset(content_stems(match["what"]))
            if any(a in steady and b in steady for a, b in pairwise(focus)):
                return ranked
    return None


def denied_effect(evidence: Evidence, top: PaperEvidence) -> Ranked | None:
    """Return the sentence that denies an effect which the question takes for granted: "did not help", "no fairer"."""
    asked = _asked_stems(evidence)
    for ranked in top.ranked:
        stems = ranked.facts.stems
        for match in _NO_EFFECT.finditer(ranked.facts.sentence.text):
            effect = [stem(w) for w in (match["verb"] or match["degree"]).lower().split() if w not in STOPWORDS]
            if not effect or effect[-1] in _OF_USE:
                continue
            hit = [t for t in asked if any(best_match(t, [w]) or (t in _GOOD and w in _GOOD) for w in effect)]
            if hit and any(t not in hit and best_match(t, stems) for t in asked):
                return ranked
    return None


def said_of_others(text: str, top: PaperEvidence) -> Ranked | None:
    """Return the sentence on other methods which has a phrase of the question that the paper's own sentences lack."""
    # "We introduce a benchmark of recent studies" speaks of its own work, whatever it is made of.
    others = [
        r for r in top.ranked if _OF_OTHERS.search(r.facts.sentence.text) and not _OWN.match(r.facts.sentence.text)
    ]
    own = " ".join(f" {' '.join(content_stems(r.facts.sentence.text))} " for r in top.ranked if r not in others)
    phrases = [f" {a} {b} " for a, b in pairwise(content_stems(text)) if not {a, b} <= COMMON | FRAMING]
    for ranked in others:
        theirs = f" {' '.join(content_stems(ranked.facts.sentence.text))} "
        if any(p in theirs and p not in own for p in phrases):
            return ranked
    return None


def reversed_direction(evidence: Evidence, top: PaperEvidence) -> Ranked | None:
    """Return the sentence that says the opposite of what the question has: more for less, over for under."""
    return _other_excess(evidence.question.text, top) or _other_speed(evidence, top) or _other_way(evidence, top)


def reversed_order(evidence: Evidence, top: PaperEvidence) -> Ranked | None:
    """Return the sentence that has the same thing worse where the question has it better, or the other way round."""
    text = evidence.question.text
    for asked, told in ((_BETTER, _WORSE), (_WORSE, _BETTER)):
        place = asked.search(text)
        if place is None or told.search(text):
            continue
        subject = [t for t in content_stems(text[: place.start()]) if t in evidence.question.focus]
        for ranked in top.ranked:
            said = ranked.facts.sentence.text
            turned = told.search(said)
            before = frozenset(content_stems(said[: turned.start()])) if turned else frozenset()
            if not asked.search(said) and sum(match_strength(t, before) == 1.0 for t in subject) >= 2:
                return ranked
    return None


def _other_speed(evidence: Evidence, top: PaperEvidence) -> Ranked | None:
    text = evidence.question.text
    for asked, told in ((_SPEEDS, _TAKES_LONGER), (_SLOWS, _TAKES_LESS)):
        if not asked.search(text):
            continue
        for ranked in top.ranked:
            match = told.search(ranked.facts.sentence.text)
            about = [t for t in evidence.question.focus if match_strength(t, ranked.facts.stems) == 1.0]
            if match and len(about) >= 2 and not asked.search(ranked.facts.sentence.text):
                return ranked
    return None


def _other_excess(text: str, top: PaperEvidence) -> Ranked | None:
    for asked in _EXCESS.finditer(text):
        other = "under" if asked["side"].lower() == "over" else "over"
        pattern = re.compile(rf"\b{other}-?{re.escape(asked['rest'][:7])}", re.IGNORECASE)
        own = re.compile(
            rf"(?<!opposite of the usual )\b{asked['side']}-?{re.escape(asked['rest'][:7])}", re.IGNORECASE
        )
        said = [r for r in top.ranked if pattern.search(r.facts.sentence.text)]
        if said and not any(own.search(r.facts.sentence.text) for r in top.ranked):
            return said[0]
    return None


def _other_way(evidence: Evidence, top: PaperEvidence) -> Ranked | None:
    said = " ".join(supposed_of(evidence, top))
    asked = {stem(t.text) for t in tokens(said)}
    rest = [t for t in evidence.question.focus if not any(t in a or t in b for a, b in _OPPOSITES)]
    for left, right in [*_OPPOSITES, *((b, a) for a, b in _OPPOSITES)]:
        if not asked & left or asked & right:
            continue
        for ranked in top.ranked[:4]:
            stems = ranked.facts.stems
            about = sum(match_strength(t, stems) >= _FORM for t in rest)
            tells = stems & right and not stems & left and not _CHALLENGES.search(ranked.facts.sentence.text)
            if tells and about and about >= min(2, len(rest)):
                return ranked
    return None


def opposite_word(evidence: Evidence, top: PaperEvidence) -> Ranked | None:
    """Return the sentence that has the opposite of a word of the question, of the same thing, where nothing has the word."""
    asked = [t for t in evidence.question.focus if len(t) > 3]
    every = frozenset().union(*(r.facts.stems for r in top.ranked))
    absent = [t for t in asked if t not in every]
    for ranked in top.ranked:
        stems = ranked.facts.stems
        if _OF_OTHERS.search(ranked.facts.sentence.text):
            continue
        for term in absent:
            turned = [s for s in stems if opposite(term, s) or opposite(_plain(term), _plain(s))]
            about = [t for t in asked if t != term and t not in turned and match_strength(t, stems) >= _FORM]
            if turned and not best_match(term, every) and len(about) >= 2:
                return ranked
    return None


def _plain(word: str) -> str:
    """Return a superlative without its ending."""
    return word.removesuffix("est") if len(word) > _SUPERLATIVE else word


def _speaks_of(term: str, denied: frozenset[str]) -> bool:
    return match_strength(term, denied) >= _FORM or best_match(term, denied) >= _FORM


def _stems_but(top: PaperEvidence, ranked: Ranked) -> frozenset[str]:
    return frozenset().union(*(r.facts.stems for r in top.ranked if r is not ranked))


def _spelt_out(text: str) -> list[str]:
    """Return the stems behind the common acronyms of a question: "rl" is reinforcement learning."""
    return [s for word in re.findall(r"[A-Za-z]+", text) for s in content_stems(spelt_out(word))]


def _asked_stems(evidence: Evidence) -> list[str]:
    return list(dict.fromkeys(_content(evidence)))


def _content(evidence: Evidence) -> Iterator[str]:
    names: Sequence[tuple[int, int]] = [(m.start, m.end) for m in evidence.mentions if m.tells]
    for token in tokens(evidence.question.text):
        inside = any(start <= token.start < end for start, end in names)
        if not inside and not token.is_number and token.text not in STOPWORDS:
            yield stem(token.text)
