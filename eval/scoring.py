"""Judge one answer: gold question x answer -> scores, each with what was judged and why."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from eval import metrics
from eval.credit import score_credit
from eval.gold import GoldQuestion
from eval.matching import content_words, number_stated, numbers, tokens
from eval.measures import METRICS, RETRIEVAL, Score, State
from eval.names import coined_names, known, names
from eval.reading import Reading, Sentence, read_answer
from eval.support import Check, score_support
from rag.types import REFUSALS, Answer, Citation, Paper

_ANSWERS = ("answered", "false_premise")
# Where the abstract is silent, what comes nearest in it is quoted; other refusals cite nothing.
_POINTS_ON = ("abstract_silent",)
_OF_TEXT = ("3", "4", "5", "6", "7", "8", "9", "10")

# A factual sentence is held by its citations when they contain this share of its content words. Verbatim quotes reach
# 1.0; the rest leaves room for the frame around a quote ("PBS-Attn says:").
_HELD = 0.6


def score_failure(question: GoldQuestion, searched: bool, state: State, why: str) -> tuple[Score, ...]:
    """Return the scores of a question that got no answer: zero wherever an answer would have been judged."""
    return tuple(
        Score(metric.key, state, 0.0, 1.0, why)
        if applies(metric.key, question, searched)
        else Score(metric.key, "not_applicable")
        for metric in METRICS
    )


def applies(metric: str, question: GoldQuestion, searched: bool) -> bool:
    """Return whether a metric has something to say about a question, whatever the system answers."""
    if metric in ("right", "outcome"):
        return True
    if metric.startswith("search_"):
        return searched and applies(metric.removeprefix("search_"), question, searched)
    if metric in RETRIEVAL:
        # A census is answered over the whole library, which metric 12 judges; five places could not hold its papers.
        return bool(question.papers) and question.kind != "census"
    if metric == "no_decoration":
        return not question.answerable and question.outcome not in _POINTS_ON
    if metric == "count_exact":
        return question.count is not None
    if metric.startswith("census_"):
        return question.kind == "census" and question.answerable
    if metric in ("must_share", "must_all"):
        return question.answerable and bool(question.must or question.must_not)
    return question.answerable


def score_answer(
    question: GoldQuestion,
    answer: Answer,
    papers: Mapping[str, Paper],
    searched: Sequence[str] | None = None,
    check: Check | None = None,
) -> tuple[Score, ...]:
    """Return the scores of one answer, in the order of `METRICS`.

    `searched` is what search() ranked, by paper; `check` is the checker that judges sentences in a model's own words.
    """
    found: dict[str, Score] = {}
    for score in (
        *_score_retrieval(question, answer, searched),
        *_score_facts(question, answer),
        *_score_text(question, answer, papers, check),
        *_score_outcome(question, answer),
        *_score_census(question, answer, papers),
    ):
        found[score.metric] = score
    found["right"] = _score_right(question, answer, found)
    return tuple(found.get(metric.key, Score(metric.key, "not_applicable")) for metric in METRICS)


def cited_papers(answer: Answer) -> tuple[str, ...]:
    """Return the ids of the cited papers, each once."""
    return metrics.first_of_each(citation.paper_id for citation in answer.citations)


def _score_retrieval(question: GoldQuestion, answer: Answer, searched: Sequence[str] | None) -> list[Score]:
    if not applies("hit@1", question, searched=False):
        return []
    evidence = metrics.first_of_each(row.paper.id for row in answer.evidence)
    scores = _rank_scores("", evidence, question.papers)
    return scores if searched is None else scores + _rank_scores("search_", searched, question.papers)


def _rank_scores(prefix: str, ranked: Sequence[str], gold: Sequence[str]) -> list[Score]:
    why = f"gold {', '.join(gold)}; ranked {', '.join(ranked[:5]) or 'nothing'}"
    values = {
        "hit@1": metrics.hit_at_1(ranked, gold),
        "recall@5": metrics.recall_at(5, ranked, gold),
        "mrr": metrics.reciprocal_rank(ranked, gold),
        "ndcg@10": metrics.ndcg_at(10, ranked, gold),
    }
    return [Score(prefix + key, "scored", value, 1.0, why) for key, value in values.items()]


def _score_facts(question: GoldQuestion, answer: Answer) -> list[Score]:
    if not applies("must_all", question, searched=False):
        return []
    text = read_answer(answer.text, answer.citations).words
    forbidden = metrics.forbidden_facts(text, question.must_not)
    missing = metrics.missing_facts(text, question.must)
    why = "; ".join(
        [f"missing {' | '.join(group)}" for group in missing] + [f"holds the forbidden {key}" for key in forbidden]
    )
    groups = len(question.must) or 1
    present = 0 if forbidden or answer.outcome in REFUSALS else len(question.must) - len(missing)
    if not question.must and not forbidden and answer.outcome not in REFUSALS:
        present = 1
    return [
        Score("must_share", "scored", float(present), float(groups), why),
        Score("must_all", "scored", float(present == groups), 1.0, why or f"outcome {answer.outcome}"),
    ]


def _score_text(
    question: GoldQuestion, answer: Answer, papers: Mapping[str, Paper], check: Check | None
) -> list[Score]:
    """Score metrics 3 to 10, for anything that was given as an answer, also where a refusal was wanted."""
    if answer.outcome not in _ANSWERS:
        if not question.answerable:
            return []
        why = f"outcome {answer.outcome}"
        return [Score(metric.key, "refused", why=why) for metric in METRICS if metric.number in _OF_TEXT]
    reading = read_answer(answer.text, answer.citations)
    by_marker = {citation.marker: citation for citation in answer.citations}
    scores = [
        _score_numbers(question, answer, reading, papers),
        _score_names(question, answer, reading, papers),
        _score_validity(question, answer, reading, papers),
        score_credit(answer, reading, papers),
        _score_citation_recall(question, reading, by_marker, papers),
        *score_support(question, answer, reading, papers, check),
    ]
    if question.answerable:
        value = metrics.word_f1(reading.words, question.answers)
        words = len(content_words(reading.words))
        scores.append(Score("gold_f1", "scored", value, 1.0, f"{words} content words"))
        scores.append(_score_citation_precision(question, reading, by_marker, papers))
    return scores


def _score_numbers(question: GoldQuestion, answer: Answer, reading: Reading, papers: Mapping[str, Paper]) -> Score:
    """Judge each number by the abstracts that its sentence cites, or, without a marker, by all cited ones."""
    by_marker = {citation.marker: citation for citation in answer.citations}
    asked = numbers(" ".join([question.question, *question.history]))
    counts = {len(papers), len(cited_papers(answer)), *_looked_at(answer, len(papers))}
    # A paper named by its whole title ("Not decided: Two Remedies for ...") claims nothing by the numbers in it.
    titled = [n for paper in papers.values() if paper.title in answer.text for n in numbers(paper.title)]
    wrong, total = [], 0
    for sentence in reading.sentences:
        cited = [by_marker[m] for m in sentence.markers if m in by_marker] if sentence.markers else answer.citations
        sources = [*titled, *(n for text in _texts_of(cited, papers) for n in numbers(text))]
        # The frame may repeat the question's numbers, a correction the false one; a marked fact may not.
        if not sentence.factual or answer.outcome == "false_premise":
            sources += asked
        claims = [n for n in numbers(sentence.text) if not _counts_papers(sentence, n.start, n.value, counts)]
        total += len(claims)
        wrong += [n.stem + n.unit for n in claims if not number_stated(n, sources)]
    if not total:
        return Score("numbers", "not_applicable", why="the answer holds no number")
    return Score("numbers", "scored", float(total - len(wrong)), float(total), _not_found(wrong))


_LIMITED = re.compile(r"\b([\d,]+) of ([\d,]+) papers were looked at")


def _looked_at(answer: Answer, papers: int) -> list[int]:
    """Return how many papers an answer was limited to by the venue or year of its question, as it says."""
    found = [match for warning in answer.warnings for match in _LIMITED.finditer(warning)]
    return [int(m[1].replace(",", "")) for m in found if int(m[2].replace(",", "")) == papers]


_COUNTED = frozenset(token.stem for token in tokens("abstract paper library"))
_COUNT_REACH = 5


_TALLY = re.compile(r"([\d,]+) (?:abstracts|abstract) read: ([\d,]+) yes(?:, ([\d,]+) unsure)?(?:, ([\d,]+) no)?\b")


def _tallies(sentence: Sentence, start: int, counts: set[int]) -> bool:
    """Return whether a number stands in a tally that adds up and cites each yes, or each yes and each unsure.

    "19 abstracts read: 5 yes, 1 unsure, 13 no" cites five abstracts or six.
    """
    tally = _TALLY.search(sentence.text)
    if tally is None or not tally.start() <= start < tally.end():
        return False
    total, yes, unsure, no = (int((group or "0").replace(",", "")) for group in tally.groups())
    return total in counts and total == yes + unsure + no and not counts.isdisjoint({yes, yes + unsure})


def _counts_papers(sentence: Sentence, start: int, value: object, counts: set[int]) -> bool:
    """Return whether a number counts what was searched or cited ("3 of 19 abstracts"), and does so rightly."""
    if _tallies(sentence, start, counts):
        return True
    if value not in counts:
        return False
    after = [token.stem for token in tokens(sentence.text) if token.start > start][:_COUNT_REACH]
    return any(stem in _COUNTED for stem in after)


def _score_names(question: GoldQuestion, answer: Answer, reading: Reading, papers: Mapping[str, Paper]) -> Score:
    sources = [*_texts_of(answer.citations, papers), question.question, *question.history]
    # Ordinary capitals ("Here", "Paper") are only read as names where something is claimed.
    claimed = [
        name
        for sentence in reading.sentences
        for name in (names(sentence.text) if sentence.factual else coined_names(sentence.text))
    ]
    claimed = list(dict.fromkeys(claimed))
    wrong = [name for name in claimed if not known(name, sources)]
    if not claimed:
        return Score("names", "not_applicable", why="the answer holds no name")
    return Score("names", "scored", float(len(claimed) - len(wrong)), float(len(claimed)), _not_found(wrong))


def _texts_of(citations: Sequence[Citation], papers: Mapping[str, Paper]) -> list[str]:
    """Return what the cited papers say: abstract, title and metadata such as venue and year."""
    texts = []
    for paper_id in dict.fromkeys(citation.paper_id for citation in citations):
        paper = papers.get(paper_id)
        if paper is not None:
            texts += [paper.abstract, paper.title, *(str(value) for value in paper.metadata.values())]
    return texts


def _not_found(wrong: Sequence[str]) -> str:
    return f"in no cited abstract: {', '.join(wrong)}" if wrong else ""


def _score_validity(question: GoldQuestion, answer: Answer, reading: Reading, papers: Mapping[str, Paper]) -> Score:
    """Check that every marker has its citation and every citation its marker, its words and its evidence."""
    evidence = {row.paper.id for row in answer.evidence}
    known_markers = [citation.marker for citation in answer.citations]
    faults = [f"[{m}] has no citation" for m in dict.fromkeys(reading.markers) if m not in known_markers]
    unresolved = len(faults)
    for citation in answer.citations:
        fault = _citation_fault(citation, reading, papers, evidence)
        if known_markers.count(citation.marker) > 1:
            fault = f"[{citation.marker}] stands for several citations"
        faults += [fault] if fault else []
    total = len(answer.citations) + unresolved
    if not total:
        # Nothing to be valid or not: that a fact has no citation is what citation recall counts.
        return Score("citation_validity", "not_applicable", why="an answer without any citation")
    return Score("citation_validity", "scored", float(total - len(faults)), float(total), "; ".join(faults))


def _citation_fault(
    citation: Citation, reading: Reading, papers: Mapping[str, Paper], evidence: set[str]
) -> str | None:
    paper = papers.get(citation.paper_id)
    name = f"[{citation.marker}]"
    if citation.marker not in reading.markers:
        return f"{name} does not occur in the text"
    if paper is None:
        return f"{name} cites {citation.paper_id}, which is not in the library"
    if not 0 <= citation.start < citation.end <= len(paper.abstract):
        return f"{name} has the offsets {citation.start}:{citation.end}, outside the abstract"
    if paper.abstract[citation.start : citation.end] != citation.quote:
        return f"{name} quotes what does not stand at {citation.start}:{citation.end}"
    if citation.paper_id not in evidence:
        return f"{name} cites {citation.paper_id}, which was not in the evidence"
    return None


def _uncited(metric: str, question: GoldQuestion, why: str) -> Score:
    """Score an answer that cites nothing: zero, except where the answer is that no paper does."""
    if question.answerable and not question.papers:
        return Score(metric, "not_applicable", why="there is nothing to cite")
    return Score(metric, "scored", 0.0, 1.0, why)


def _score_citation_recall(
    question: GoldQuestion, reading: Reading, by_marker: Mapping[int, Citation], papers: Mapping[str, Paper]
) -> Score:
    factual = [sentence for sentence in reading.sentences if sentence.factual]
    bare = []
    for sentence in factual:
        cited = [by_marker[m] for m in sentence.markers if m in by_marker]
        if not _holds(cited, sentence, papers):
            bare.append(sentence.text)
    if not factual:
        return _uncited("citation_recall", question, "an answer without a factual sentence")
    why = f"not held by a citation: {bare[0][:120]}" if bare else ""
    return Score("citation_recall", "scored", float(len(factual) - len(bare)), float(len(factual)), why)


def _score_citation_precision(
    question: GoldQuestion,
    reading: Reading,
    by_marker: Mapping[int, Citation],
    papers: Mapping[str, Paper],
) -> Score:
    """Judge each use of a marker: its paper is a gold paper, and it holds its sentence alone or is needed for it.

    The second half is the citation precision of T. Gao et al. (ALCE, EMNLP 2023).
    """
    uses = [(s, [by_marker[m] for m in s.markers if m in by_marker]) for s in reading.sentences]
    total = sum(len(cited) for _, cited in uses)
    if not total:
        return _uncited("citation_precision", question, "nothing is cited")
    faults = [_use_fault(question, sentence, c, cited, papers) for sentence, cited in uses for c in cited]
    wrong = [fault for fault in faults if fault]
    why = "; ".join(dict.fromkeys(wrong))
    return Score("citation_precision", "scored", float(total - len(wrong)), float(total), why)


def _use_fault(
    question: GoldQuestion,
    sentence: Sentence,
    citation: Citation,
    cited: Sequence[Citation],
    papers: Mapping[str, Paper],
) -> str:
    if citation.paper_id not in question.papers:
        return f"not a gold paper: {citation.paper_id}"
    others = [other for other in cited if other is not citation]
    needed = _holds(cited, sentence, papers) and not _holds(others, sentence, papers)
    if needed or _holds([citation], sentence, papers):
        return ""
    return f"[{citation.marker}] adds nothing to: {sentence.text[:120]}"


def _holds(cited: Sequence[Citation], sentence: Sentence, papers: Mapping[str, Paper]) -> bool:
    """Tell whether the cited papers hold the content words of a sentence."""
    return bool(cited) and metrics.covered(sentence.text, _texts_of(cited, papers)) >= _HELD


def _score_outcome(question: GoldQuestion, answer: Answer) -> list[Score]:
    why = "" if answer.outcome == question.outcome else f"wanted {question.outcome}, got {answer.outcome}"
    scores = [Score("outcome", "scored", float(not why), 1.0, why)]
    if answer.outcome not in _ANSWERS and answer.outcome not in _POINTS_ON:
        cited = ", ".join(cited_papers(answer))
        scores.append(Score("no_decoration", "scored", float(not cited), 1.0, f"cites {cited}" if cited else ""))
    return scores


def _score_census(question: GoldQuestion, answer: Answer, papers: Mapping[str, Paper]) -> list[Score]:
    scores = []
    if applies("census_f1", question, searched=False):
        # A refusal lists nothing, whatever it mentions.
        found = cited_papers(answer) if answer.outcome not in REFUSALS else ()
        precision, recall = (measure(found, question.papers) for measure in (metrics.set_precision, metrics.set_recall))
        missed = [paper for paper in question.papers if paper not in found]
        why = f"missed {', '.join(missed)}" if missed else ""
        scores = [
            Score("census_precision", "scored", precision, 1.0, why),
            Score("census_recall", "scored", recall, 1.0, why),
            Score("census_f1", "scored", metrics.f1(precision, recall), 1.0, why),
        ]
    if question.count is not None:
        stated = stated_count(question, answer, len(papers))
        why = "" if stated == question.count else f"wanted {question.count}, got {stated}"
        scores.append(Score("count_exact", "scored", float(not why), 1.0, why))
    return scores


def stated_count(question: GoldQuestion, answer: Answer, corpus: int) -> int | None:
    """Return the count that an answer gives: the first number of its own words, else how many papers it cites.

    The denominator (the size of the library) and numbers that the question holds are passed over while others remain.
    """
    if answer.outcome in REFUSALS:
        return None
    asked = {n.value for n in numbers(question.question)}
    words = tokens(read_answer(answer.text, answer.citations).own_words)
    own = [int(t.value) for t in words if t.value is not None and t.value == int(t.value) and t.value not in asked]
    left = [value for value in own if value != corpus]
    cited = cited_papers(answer)
    if left:
        return left[0]
    if not cited and any(token.stem in ("none", "no") for token in words):
        return 0
    return own[0] if own else len(cited)


def _score_right(question: GoldQuestion, answer: Answer, found: Mapping[str, Score]) -> Score:
    """Judge the whole: for a refusal its outcome; for an answer also its facts, its papers and its count."""
    wrong = [] if answer.outcome == question.outcome else [found["outcome"].why]
    if question.answerable and not wrong:
        wrong += [found[key].why for key in ("must_all", "count_exact") if key in found and not found[key].hits]
        uncited = [paper for paper in question.papers if paper not in cited_papers(answer)]
        wrong += [f"does not cite {', '.join(uncited)}"] if uncited else []
    return Score("right", "scored", float(not wrong), 1.0, "; ".join(wrong))
