"""Is each cited fact credited to the paper that says it? A count of its own, over what the reader sees.

An answer names a paper by its title ("The abstract of “T” says: ...", a line that begins with T); what is quoted from
there on, up to the next title, is credited to that paper. Its citations have to be of that paper, its figures in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eval.matching import number_stated, numbers, tokens
from eval.measures import Score
from eval.reading import Reading
from rag.types import Answer, Paper

_LEAST_WORDS = 2  # of a title that counts as named; a title of one word is a word like any other


def score_credit(answer: Answer, reading: Reading, papers: Mapping[str, Paper]) -> Score:
    """Judge each sentence with a marker: it is credited to a paper that it cites, and its figures are in one."""
    by_marker = {citation.marker: citation.paper_id for citation in answer.citations}
    titles = {key: _words(paper.title) for key, paper in papers.items() if len(_words(paper.title)) >= _LEAST_WORDS}
    credited: set[str] = set()
    before: tuple[str, ...] = ()
    wrong, total = [], 0
    for sentence in reading.sentences:
        words = _words(sentence.text)
        # A title that asks ("Rewire or Remember? Two Remedies") is read as two sentences.
        across = _named((*before, *words), titles) - _named(before, titles)
        credited, before = _named(words, titles) or across or credited, words
        cited = {by_marker[marker] for marker in sentence.markers if marker in by_marker}
        if not cited:
            continue
        total += 1
        sources = [n for key in cited if key in papers for n in numbers(f"{papers[key].title}. {papers[key].abstract}")]
        strange = [n.stem + n.unit for n in numbers(sentence.text) if not number_stated(n, sources)]
        if credited and not credited & cited:
            wrong.append(f"credited to {', '.join(sorted(credited))}, cites {', '.join(sorted(cited))}")
        elif strange:
            wrong.append(f"in no cited abstract: {', '.join(strange)}")
    if not total:
        return Score("credit", "not_applicable", why="no sentence has a marker")
    return Score("credit", "scored", float(total - len(wrong)), float(total), "; ".join(wrong))


def _words(text: str) -> tuple[str, ...]:
    return tuple(token.stem for token in tokens(text))


def _named(words: Sequence[str], titles: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the papers whose titles stand in a run of words, titles inside longer ones of them left out."""
    text = f" {' '.join(words)} "
    found = {key: title for key, title in titles.items() if f" {' '.join(title)} " in text}
    return {key for key, title in found.items() if not _inside(title, found)}


def _inside(title: Sequence[str], others: Mapping[str, Sequence[str]]) -> bool:
    whole = " ".join(title)
    return any(whole in " ".join(other) for other in others.values() if len(other) > len(title))
