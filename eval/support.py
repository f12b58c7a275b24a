"""Metrics 4 and 7: each sentence shown as fact is supported by what it cites, and turned around nowhere.

A quote that stands word for word in a cited abstract is supported by construction. A sentence in a model's own words
must pass the evaluator's own checks (words, numbers, names, polarity) and, where one is handed in, a checker: whatever
either faults counts as unsupported. How good that checker is, the report's first line says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from eval import metrics
from eval.gold import GoldQuestion
from eval.matching import content_words, number_stated, numbers
from eval.measures import Score
from eval.names import known, names
from eval.polarity import turned_around
from eval.reading import Reading, Sentence
from rag.types import Answer, Checked, Citation, Paper

Check = Callable[[str, Sequence[Paper]], Sequence[Checked]]

# Of the content words of a sentence in a model's own words, and of the frame around a quote.
_LEAST_HELD = 0.6
# "The abstract of … says": so few words around a quote claim nothing.
_FRAME_WORDS = 4


def score_support(
    question: GoldQuestion, answer: Answer, reading: Reading, papers: Mapping[str, Paper], check: Check | None
) -> list[Score]:
    """Return the scores of support and of polarity for one answer."""
    by_marker = {citation.marker: citation for citation in answer.citations}
    unsupported, turned, total, own_words = [], [], 0, 0
    for sentence in reading.sentences:
        if not sentence.factual:
            continue
        total += 1
        cited = [by_marker[marker] for marker in sentence.markers if marker in by_marker]
        sources = [papers[c.paper_id] for c in cited if c.paper_id in papers]
        if _is_quoted(sentence, cited, sources, question):
            continue
        own_words += 1
        reversal = turned_around(sentence.text, [paper.abstract for paper in sources])
        turned += [f"{sentence.text[:120]} ({reversal})"] if reversal else []
        fault = reversal or own_fault(sentence.text, sources) or _checked_fault(sentence.text, sources, check)
        unsupported += [f"{sentence.text[:120]} ({fault})"] if fault else []
    return [_items("support", total, unsupported), _items("polarity", own_words, turned)]


def _items(metric: str, total: int, faults: Sequence[str]) -> Score:
    if not total:
        return Score(metric, "not_applicable", why="no sentence to judge")
    why = f"not supported: {faults[0]}" if faults else ""
    return Score(metric, "scored", float(total - len(faults)), float(total), why)


def _is_quoted(sentence: Sentence, cited: Sequence[Citation], sources: Sequence[Paper], question: GoldQuestion) -> bool:
    """Tell whether a sentence is a verbatim quote of what it cites, in a frame that claims nothing of its own."""
    rest, quoted = sentence.text, False
    abstracts = {paper.id: paper.abstract for paper in sources}
    for citation in cited:
        stands = abstracts.get(citation.paper_id, "")[citation.start : citation.end] == citation.quote
        pattern = r"\s+".join(re.escape(word) for word in citation.quote.split())
        shorter = re.sub(pattern, " ", rest) if stands and pattern else rest
        quoted, rest = quoted or shorter != rest, shorter
    if not quoted:
        return False
    said = [question.question, *question.history, *(text for p in sources for text in (p.title, p.abstract))]
    return len(content_words(rest)) <= _FRAME_WORDS or metrics.covered(rest, said) >= _LEAST_HELD


def own_fault(sentence: str, sources: Sequence[Paper]) -> str:
    """Return what the evaluator's own checks find wrong with a sentence, or nothing."""
    texts = [text for paper in sources for text in (paper.abstract, paper.title, *map(str, paper.metadata.values()))]
    if not texts:
        return "it cites nothing"
    given = [number for text in texts for number in numbers(text)]
    strange = [number.stem + number.unit for number in numbers(sentence) if not number_stated(number, given)]
    if strange:
        return f"the number {strange[0]} is in no cited abstract"
    foreign = [name for name in names(sentence) if not known(name, texts)]
    if foreign:
        return f"the name {foreign[0]} is in no cited abstract"
    held = metrics.covered(sentence, texts)
    return f"only {held:.0%} of its words are in a cited abstract" if held < _LEAST_HELD else ""


def _checked_fault(sentence: str, sources: Sequence[Paper], check: Check | None) -> str:
    if check is None:
        return ""
    return next((row.reason for row in check(sentence, sources) if row.verdict == "unsupported"), "")
