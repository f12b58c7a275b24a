"""An invented corpus, gold over it, and answerers: a good one, and ones that are broken in one way each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from eval.gold import GoldQuestion
from rag.types import Answer, Chunk, Citation, Paper, ScoredChunk

TEXTS = {
    "tarn": "TARNLEX parses legal text. On the OAKMOOR benchmark it scores 71.4 F1 and runs 2.75× faster.",
    "wexle": "WEXLE parses clinical notes. On the OAKMOOR benchmark it scores 74.1 F1 with 12,000 parameters.",
    "breton": "We translate between Welsh and Breton with 3,200 sentence pairs. Back-translation adds 2.6 BLEU.",
    "spar": "SPAR routes sparse attention in three stages. It keeps 99.1% of accuracy on long documents.",
}


def make_paper(paper_id: str, abstract: str, **metadata: object) -> Paper:
    return Paper(paper_id, abstract.split(".")[0], True, abstract, abstract, metadata)


PAPERS = {paper_id: make_paper(paper_id, abstract) for paper_id, abstract in TEXTS.items()}


def make_gold(id: str = "q1", kind: str = "single_fact", **fields: object) -> GoldQuestion:
    values: dict[str, object] = {
        "question": "What does TARNLEX score?",
        "outcome": "answered",
        "papers": ("tarn",),
        "must": (("71.4",),),
        "answers": ("TARNLEX scores 71.4 F1.",),
    }
    return GoldQuestion(id, kind, **(values | fields))  # type: ignore[arg-type]


def refusal(id: str, question: str, outcome: str, papers: tuple[str, ...] = ()) -> GoldQuestion:
    return make_gold(id, outcome, question=question, outcome=outcome, papers=papers, must=(), answers=("It says so.",))


GOLD = (
    make_gold("sf-tarn"),
    make_gold("sf-wexle", question="wexle size?", papers=("wexle",), must=(("12,000",), ("74.1",))),
    make_gold("sf-breton", question="How many pairs for Breton?", papers=("breton",), must=(("3200",),)),
    make_gold("sf-spar", question="How many steps does SPAR take?", papers=("spar",), must=(("3",),)),
    make_gold("wp-legal", "which_paper", question="law parser?", papers=("tarn",), must=(("TARNLEX",),)),
    make_gold("ce-oak", "census", question="How many papers use OAKMOOR?", papers=("tarn", "wexle"), must=(), count=2),
    make_gold(
        "fp-tarn",
        "false_premise",
        question="Why is TARNLEX 9.9 times faster?",
        outcome="false_premise",
        must=(("2.75×",),),
    ),
    refusal("nc-pasta", "How long do I cook pasta?", "not_in_corpus"),
    refusal("nc-vision", "Which parser reads street signs?", "not_in_corpus"),
    refusal("as-gpu", "On which GPU was WEXLE trained?", "abstract_silent", ("wexle",)),
    refusal("tv-it", "what does it score", "too_vague"),
    refusal("st-hi", "hello", "smalltalk"),
)
BY_QUESTION = {gold.question: gold for gold in GOLD}


def evidence_of(*paper_ids: str) -> tuple[ScoredChunk, ...]:
    return tuple(
        ScoredChunk(Chunk(f"{p}-0", p, TEXTS[p], 0, len(TEXTS[p])), PAPERS[p], 1.0 - i / 10, "both")
        for i, p in enumerate(paper_ids)
    )


def cite(marker: int, paper_id: str, quote: str) -> Citation:
    start = TEXTS[paper_id].index(quote)
    return Citation(marker, paper_id, f"{paper_id}-0", PAPERS[paper_id].title, quote, start, start + len(quote))


def make_answer(text: str, *citations: Citation, outcome: str = "answered", **fields: object) -> Answer:
    values: dict[str, object] = {
        "evidence": evidence_of(*dict.fromkeys(c.paper_id for c in citations if c.paper_id in PAPERS)),
        "confidence": 0.9,
    }
    return Answer("q", "q", text, outcome, citations, **(values | fields))  # type: ignore[arg-type]


def good(question: str, history: list[str]) -> Answer:
    """Quote the whole abstract of each gold paper, or refuse as the gold wants it."""
    gold = BY_QUESTION[question]
    if not gold.answerable:
        return make_answer(
            "The abstracts do not say.", outcome=gold.outcome, confidence=0.8, evidence=evidence_of(*gold.papers)
        )
    citations = [cite(n, paper, TEXTS[paper]) for n, paper in enumerate(gold.papers, start=1)]
    lines = [f"{len(citations)} of {len(PAPERS)} abstracts answer this:"]
    lines += [f'- {c.title}: "{c.quote}" [{c.marker}]' for c in citations]
    return make_answer("\n".join(lines), *citations, outcome=gold.outcome)


def _broken(change: Callable[[Answer], Answer]) -> Callable[[str, list[str]], Answer]:
    def ask(question: str, history: list[str]) -> Answer:
        answer = good(question, history)
        return change(answer) if answer.citations else answer

    return ask


def _wrong_numbers(answer: Answer) -> Answer:
    return replace(answer, text=answer.text + " It also gains 55.5 points [1].")


def _other_paper(answer: Answer) -> Answer:
    other = next(p for p in PAPERS if p not in {c.paper_id for c in answer.citations})
    citation = cite(1, other, TEXTS[other])
    return replace(answer, text=f'"{citation.quote}" [1]', citations=(citation,), evidence=evidence_of(other))


def _shifted(answer: Answer) -> Answer:
    text = answer.text
    for citation in reversed(answer.citations):
        text = text.replace(f"[{citation.marker}]", f"[{citation.marker + 1}]")
    return replace(answer, text=text)


def _altered_quote(answer: Answer) -> Answer:
    changed = tuple(
        replace(c, quote=c.quote.replace("parses", "reads").replace("We", "They")) for c in answer.citations
    )
    changed = tuple(replace(c, quote=c.quote.replace("routes", "sends")) for c in changed)
    return replace(answer, citations=changed)


def _invented_names(answer: Answer) -> Answer:
    return replace(answer, text=answer.text + " It beats ZORBLAX [1].")


def _uncited(answer: Answer) -> Answer:
    text = answer.text
    for citation in answer.citations:
        text = text.replace(f" [{citation.marker}]", "")
    return replace(answer, text=text, citations=())


def _unretrieved(answer: Answer) -> Answer:
    return replace(answer, evidence=())


def always_refuses(question: str, history: list[str]) -> Answer:
    return make_answer("Nothing here is about that.", outcome="not_in_corpus")


def never_refuses(question: str, history: list[str]) -> Answer:
    gold = BY_QUESTION[question]
    if gold.answerable:
        return good(question, history)
    paper = gold.papers[0] if gold.papers else "tarn"
    return make_answer(f'"{TEXTS[paper]}" [1]', cite(1, paper, TEXTS[paper]))


def drops_facts(question: str, history: list[str]) -> Answer:
    answer = good(question, history)
    if not answer.citations:
        return answer
    paper = answer.citations[0].paper_id
    quote = TEXTS[paper].split(". ")[0] + "."
    return replace(answer, text=f'"{quote}" [1]', citations=(cite(1, paper, quote),))


def crashes(question: str, history: list[str]) -> Answer:
    raise RuntimeError("out of memory")


def _stray_citations(answer: Answer) -> Answer:
    strays = [p for p in PAPERS if p not in {c.paper_id for c in answer.citations}][:2]
    citations = tuple(cite(8 + n, p, TEXTS[p]) for n, p in enumerate(strays))
    text = "".join(f' See also "{c.quote}" [{c.marker}].' for c in citations)
    evidence = evidence_of(*dict.fromkeys(c.paper_id for c in (*answer.citations, *citations)))
    return replace(answer, text=answer.text + text, citations=(*answer.citations, *citations), evidence=evidence)


def _turned_around(answer: Answer) -> Answer:
    sentence = " ".join(TEXTS[answer.citations[0].paper_id].split(". ")[0].split())
    return replace(answer, text=f"{answer.text}\nIt is not so that {sentence} [1].")


def overconfident(question: str, history: list[str]) -> Answer:
    return replace(drops_facts(question, history), confidence=1.0)


wrong_numbers = _broken(_wrong_numbers)
wrong_papers = _broken(_other_paper)
shifted_markers = _broken(_shifted)
altered_quotes = _broken(_altered_quote)
invented_names = _broken(_invented_names)
uncited = _broken(_uncited)
unretrieved = _broken(_unretrieved)
stray_citations = _broken(_stray_citations)
turned_around = _broken(_turned_around)
