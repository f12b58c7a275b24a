"""The answerer with a model: its draft is cut into sentences, and only what an abstract supports is passed on.

    evidence -> prompt -> stream -> sentence -> markers -> check -> Statement | Rejected

A marker for the wrong paper is corrected where another source supports the sentence; where none does, both go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from rag.checking.alignment import read
from rag.checking.checker import check_sentence, nearness, speaks_of_one
from rag.checking.claims import names
from rag.checking.faults import is_heading
from rag.config import Config
from rag.errors import ModelError
from rag.model.budget import fit
from rag.model.client import OpenAIChatModel, Reply, count_tokens
from rag.model.drafts import draft_sentences
from rag.model.markers import Marked, read_markers
from rag.model.prompts import NO_ANSWER
from rag.text.words import content_stems, fold
from rag.types import ChatModel, Checked, Paper, Quote, Rejected, ScoredChunk, Statement, Turn, Usage

# A small model repeats itself without end: so many repeats, or so many sentences in all, and the stream is closed.
_MOST_REPEATS = 3
_MOST_SENTENCES = 24
_WINDOW, _REPLY = 8192, 512
# What a sentence must keep of its words in one sentence of the abstract to be shown without a mark of its own.
NEARLY_VERBATIM = 0.9
# Of fewer words than these, names and numbers among them, each was checked.
_FEW_WORDS = 4
# "Zorbo: 405" says a number of nothing.
_BARE = re.compile(r"\W*[\w-]+\s*[:=]\s*[\W\d]+")
# A row of a table.
_ROW = re.compile(r"\s*\|.*\|")
_HEADING = "it is a heading, no sentence"
_ROUND = "it says the same words over and over"
# Percent of its letters that a sentence shares with the quote that may stand in its place.
_NEARLY_THE_SAME = 75
# Percent of its letters that a title may be recognised by: a small model misspells them.
_SAME_TITLE = 90
_TITLE = "it only repeats a title"
# Reasons that speak of a mark, a heading or a cut, not of something invented.
HARMLESS = ("there is no such source", "the cited source", "the reply was cut", _TITLE, _HEADING)
_WORK = "(?:method|authors?|approach|model|framework|system|paper|work)"
_REFERS_BACK = re.compile(rf"^(?:It|They|Its|Their|This {_WORK}|The {_WORK})\b")
_POINTS_BACK = re.compile(rf"^(?:This|These|That|Those|Such|Both|Thus|Therefore|Hence)\b(?! {_WORK}\b)")
# A model that says "we" copies the authors, or makes something up in their name.
_FIRST_PERSON = re.compile(r"(?:In this (?:paper|work), )?(?:We|Our)\b", re.IGNORECASE)
_NO_ANSWER = re.compile(rf"\b{NO_ANSWER}\b|\bNO ANSWER\b", re.IGNORECASE)
# Four words that come back twice more in one sentence, or five that come back: the model goes round in circles.
_CIRCLES = re.compile(
    r"\b(\w+(?:\W+\w+){3})\b(?:.*?\b\1\b){2}|\b(\w+(?:\W+\w+){4})\b.*?\b\2\b", re.IGNORECASE | re.DOTALL
)
_SAME_WORD = re.compile(r"(?<!\S)(\S+)(?:\s+\1){2}", re.IGNORECASE)
# Percent of its letters from which a sentence is shown as the sentence of the abstract that it all but is: the word in
# which they differ is more often a slip than an improvement.
_ALL_BUT_THE_SAME = 93
# A sentence of which so much repeats a line word for word is a copy that went astray.
_COPIED = 0.75
_FURTHER_CLAUSE = re.compile(r"[,;–—]")


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered source of the prompt."""

    number: int
    scored: ScoredChunk

    @property
    def paper(self) -> Paper:
        """Return the paper it comes from."""
        return self.scored.paper


class LLMAnswerer:
    """Write one answer with a model; make a new one for each question, the model may be shared."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.usage = Usage()
        self.cut = False
        self.no_answer = False
        self.wrote = False
        self.error: ModelError | None = None
        self._reply: Iterator[str] | None = None
        self._stopped = False

    def stop(self) -> None:
        """End the request to the model at once, from any thread; one that has not begun will not."""
        self._stopped = True
        if isinstance(self._reply, Reply):
            self._reply.stop()

    def statements(
        self, question: str, history: Sequence[Turn], evidence: Sequence[ScoredChunk]
    ) -> Iterator[Statement | Rejected]:
        """Yield what the model wrote, sentence by sentence: verified with its quotes, or rejected with the reason.

        A stream that breaks off after something was shown ends quietly with `cut` set and the failure in `error`; one
        that fails before raises its `ModelError`.
        """
        if not evidence:
            return
        fitted = fit(
            question,
            history,
            evidence,
            window=getattr(self._model, "context_window", _WINDOW),
            max_tokens=getattr(self._model, "max_tokens", _REPLY),
            count=self._count,
        )
        desk = _Desk(question, fitted.evidence)
        self._reply = self._open(fitted.prompt.system, fitted.prompt.user, fitted.max_tokens)
        try:
            # The request begins with the first piece that is read, so a stop that came before it sends nothing.
            if not self._stopped:
                yield from self._read(desk, self._reply)
        except ModelError as error:
            if not desk.kept:
                raise
            self.cut, self.error = True, error
        finally:
            close = getattr(self._reply, "close", None)
            if close:
                close()
            self.usage = getattr(self._reply, "usage", None) or self._model.usage
            self.cut = self.cut or bool(getattr(self._reply, "cut", False))

    def _open(self, system: str, user: str, max_tokens: int) -> Iterator[str]:
        if hasattr(self._model, "max_tokens"):
            return self._model.stream(system, user, max_tokens=max_tokens)  # type: ignore[call-arg]
        return self._model.stream(system, user)

    def _count(self, text: str) -> int:
        counted = getattr(self._model, "count_tokens", None)
        return int(counted(text)) if counted else count_tokens(text, self._model.name)

    def _read(self, desk: _Desk, reply: Iterator[str]) -> Iterator[Statement | Rejected]:
        sources = [source.scored.chunk.text for source in desk.sources]
        repeats = 0
        for number, sentence in enumerate(draft_sentences(reply, sources), start=1):
            self.wrote = True
            if _NO_ANSWER.search(sentence):
                self.no_answer = True
                if number == 1:
                    return
                continue
            if desk.repeated(sentence):
                repeats += 1
                if repeats >= _MOST_REPEATS:
                    return
                continue
            for event in desk.judge(sentence, unfinished=self._unfinished(sentence)):
                yield event
                if isinstance(event, Rejected) and event.reason == _ROUND:
                    return
            if number >= _MOST_SENTENCES:
                return

    def _unfinished(self, sentence: str) -> bool:
        """Tell whether a reply was cut inside this sentence."""
        cut = bool(getattr(self._reply, "cut", False))
        return cut and not re.search(r"[.!?…。\]】)”\"]\s*$", sentence)


class _Desk:
    """Where one draft is judged: its sources, what was already said, and what a pronoun stands for."""

    def __init__(self, question: str, evidence: Sequence[ScoredChunk]) -> None:
        self.sources = [Source(number, scored) for number, scored in enumerate(evidence, start=1)]
        self.papers = list({source.paper.id: source.paper for source in self.sources}.values())
        self.kept = 0
        self._said: set[str] = set()
        self._lost = False
        asked = {name.key for name in names(f"x {question}")} | {fold(word) for word in re.findall(r"[\w-]+", question)}
        named = [paper for paper in self.papers if read(paper.title, paper.abstract).own & asked]
        # A sentence that names nothing speaks of the one paper the question names, then of the last sentence's paper.
        self._asked = named[0] if len(named) == 1 else None
        self._drafted: Paper | None = self._asked
        self._shown: Paper | None = self._drafted

    def repeated(self, sentence: str) -> bool:
        """Tell whether the draft said this before."""
        plain = _letters(read_markers(sentence, [""] * 9).text)
        seen = plain in self._said
        self._said.add(plain)
        return seen

    def judge(self, sentence: str, *, unfinished: bool = False) -> Iterator[Statement | Rejected]:
        """Yield the rejected marks of a sentence, and the sentence with its quotes or with the reason against it."""
        marked = read_markers(sentence, [source.scored.chunk.text for source in self.sources])
        for mark in marked.unresolved:
            yield Rejected(mark, marked.text, f"there is no such source, only {len(self.sources)}")
        if unfinished:
            yield Rejected(_shown_marks(marked), marked.text, "the reply was cut in this sentence")
            return
        cited = [source.paper for source in self.sources if source.number in marked.cited]
        if self._lost and _POINTS_BACK.match(marked.text):
            yield Rejected(_shown_marks(marked), marked.text, "refers back to a sentence that was dropped")
            return
        fault = self._empty(marked.text)
        if fault:
            yield Rejected(_shown_marks(marked), marked.text, fault)
            return
        text, checked = self._supported(sentence, marked, cited)
        if checked.verdict == "not_checkable":
            return
        if is_heading(marked.text) or (len(content_stems(marked.text)) <= 1 and not re.search(r"\d", marked.text)):
            yield Rejected(_shown_marks(marked), marked.text, _HEADING)
            return
        if checked.verdict == "unsupported":
            self._drafted, self._lost = self._subject(marked.text, cited), True
            yield Rejected(_shown_marks(marked), marked.text, checked.reason)
            return
        near = max(nearness(text, quote.paper) for quote in checked.quotes)
        free = near < NEARLY_VERBATIM and len(content_stems(text)) > _FEW_WORDS
        if (free and not cited) or (near < NEARLY_VERBATIM and _FIRST_PERSON.match(text)):
            line = _nearest_line(text, checked.quotes)
            if line is None:
                reason = (
                    "speaks as the authors, but not in their words" if cited else "cites nothing, and is not verbatim"
                )
                yield Rejected(_shown_marks(marked), marked.text, reason)
                return
            text, checked = line.text, Checked(line.text, "supported", "", (line,))
        text, checked = _as_quoted(text, checked)
        owners = {quote.paper.id for quote in checked.quotes}
        if self._asked is not None and self._asked.id not in owners and not self._named(text):
            # Read as an answer about the paper in the question, it would credit that paper with another's work.
            yield Rejected(
                _shown_marks(marked), marked.text, "is about another paper than the question, and names none"
            )
            return
        wrong = [n for n in marked.cited if self.sources[n - 1].paper.id not in owners]
        for number in wrong:
            yield Rejected(f"[{number}]", marked.text, "the cited source does not say this; another one does")
        self.kept += 1
        self._lost = False
        owner = checked.quotes[0].paper
        self._drafted = self._shown = owner
        yield Statement((text, *(self._placed(quote) for quote in checked.quotes)))

    def _empty(self, text: str) -> str:
        """Return why a sentence says nothing, whatever its words: a title, or the same words over and over."""
        plain = _letters(text)
        titles = [_letters(title) for p in self.papers for title in (p.title, p.title.partition(":")[2]) if title]
        if any(fuzz.ratio(plain, title) >= _SAME_TITLE for title in titles):
            return _TITLE
        if _BARE.fullmatch(text) or _ROW.match(text):
            return "it is no sentence"
        return _ROUND if _CIRCLES.search(text) or _SAME_WORD.search(text) else ""

    def _supported(self, sentence: str, marked: Marked, cited: Sequence[Paper]) -> tuple[str, Checked]:
        """Check a sentence against what it cites, then against every source; a clause with an invented mark may go."""
        shorter = _without_clause(sentence, marked) if marked.unresolved else ""
        if shorter:
            mended = self._check(shorter, cited)
            if mended.verdict == "supported":
                return self._resolved(shorter), mended
        return self._resolved(marked.text), self._check(marked.text, cited)

    def _check(self, text: str, cited: Sequence[Paper]) -> Checked:
        if self._drafted is not None and speaks_of_one(text) and not self._named(text):
            return check_sentence(text, [self._drafted], draft=True)
        checked = check_sentence(text, _unique(cited), draft=True) if cited else None
        if checked is not None and checked.verdict != "unsupported":
            return checked
        rest = [paper for paper in self.papers if paper not in cited]
        everywhere = check_sentence(text, _unique([*cited, *rest]), draft=True) if rest or checked is None else checked
        return everywhere if everywhere.verdict != "unsupported" or checked is None else checked

    def _resolved(self, text: str) -> str:
        """Put the paper's name for a pronoun whose sentence before was dropped, so that it can't point elsewhere."""
        refers = _REFERS_BACK.match(text)
        if not refers or self._drafted is None or self._drafted is self._shown:
            return text
        own = _display_name(self._drafted)
        possessive = refers.group() in ("Its", "Their")
        return text if not own else f"{own}{'’s' if possessive else ''}{text[refers.end() :]}"

    def _subject(self, text: str, cited: Sequence[Paper]) -> Paper | None:
        named = self._named(text)
        return named[0] if named else cited[0] if cited else self._drafted

    def _named(self, text: str) -> list[Paper]:
        """Return the papers whose own work a text names."""
        keys = {name.key for name in names(f"x {text}")}
        return [paper for paper in self.papers if read(paper.title, paper.abstract).own & keys]

    def _placed(self, quote: Quote) -> Quote:
        """Return the quote with the retrieved chunk that holds it, else the paper's best chunk."""
        chunks = [s.scored.chunk for s in self.sources if s.paper.id == quote.paper.id]
        holding = [c for c in chunks if c.start <= quote.start and quote.end <= c.end]
        return Quote(quote.paper, (holding or chunks)[0].id, quote.start, quote.end)


def _nearest_line(text: str, quotes: Sequence[Quote], least: float = _NEARLY_THE_SAME) -> Quote | None:
    """Return the quote that a sentence all but repeats, to be shown in its place."""
    best = max(quotes, key=lambda quote: fuzz.ratio(_letters(text), _letters(quote.text)))
    return best if fuzz.ratio(_letters(text), _letters(best.text)) >= least else None


def _as_quoted(text: str, checked: Checked) -> tuple[str, Checked]:
    """Put the sentence of the abstract in the place of one that differs from it in a word or two."""
    line = _nearest_line(text, checked.quotes, _ALL_BUT_THE_SAME)
    line = line or next((quote for quote in checked.quotes if _ends_otherwise(text, quote.text)), None)
    if line is None or _letters(line.text) == _letters(text):
        return text, checked
    return line.text, Checked(line.text, "supported", "", (line,))


def _ends_otherwise(text: str, line: str) -> bool:
    """Tell whether a sentence repeats a line from its beginning, and ends in a word that the line does not have."""
    ours, theirs = _letters(text).split(), _letters(line).split()
    same = next((n for n, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), len(ours))
    return same >= max(_COPIED * len(ours), _FEW_WORDS) and bool(set(ours[same:]) - set(theirs))


def _letters(text: str) -> str:
    return re.sub(r"\W+", " ", fold(text)).strip()


def _unique(papers: Sequence[Paper]) -> list[Paper]:
    return list({paper.id: paper for paper in papers}.values())


def _shown_marks(marked: Marked) -> str:
    return "".join(f"[{number}]" for number in marked.cited) or "".join(marked.unresolved)


def _without_clause(sentence: str, marked: Marked) -> str:
    """Return the sentence without the last clause, if that is where the invented mark stands."""
    place = sentence.find(marked.unresolved[0])
    cuts = [m.start() for m in _FURTHER_CLAUSE.finditer(sentence[: max(place, 0)])]
    if not cuts:
        return ""
    return read_markers(sentence[: cuts[-1]], [""] * 99).text.rstrip(" ,;–—") + "."


def _display_name(paper: Paper) -> str:
    own = read(paper.title, paper.abstract).own
    return next((name.text for name in names(f"x {paper.abstract}") if name.key in own), "")


def make_model(config: Config) -> ChatModel:
    """Return the chat model that the settings name."""
    from rag.config import LOCAL_MODEL

    if config.model == LOCAL_MODEL:
        from rag.model.local import LocalChatModel

        return LocalChatModel(config)
    return OpenAIChatModel(config)
