"""A model judges abstracts by a condition, several in one request; what it says counts only where its quote is found.

    condition + abstracts -> prompt -> reply -> lines -> quote located in its abstract -> Judgement | nothing

Nothing is what a line is worth that can't be read, names no source or quotes what no abstract says: the judgement by
words then stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.errors import ModelError
from rag.model.client import count_tokens
from rag.model.judgements import Judgement, Judgements
from rag.model.prompts import FilledPrompt, load_prompt, one_line, source_block
from rag.model.requests import whole_reply
from rag.types import ChatModel, Chunk, Paper, ScoredChunk, Usage

FIELDS = ("condition", "count", "sources")
_BATCH = 8  # abstracts in one request: enough to share the rules, few enough for a small model to keep apart
_WINDOW = 8192
_REPLY = 60  # tokens that a line with its quote takes
_LINE = re.compile(r"^\W{0,4}(\d{1,3})\W{1,4}(yes|no|unsure)\b(.*)$", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“„«](.+)[\"”“»]")
_SHORTEST = 12  # characters of a quote that shows something
_READABLE = 0.5  # share of a batch's sources that a reply must speak of to be believed at all


@dataclass(frozen=True, slots=True)
class Cost:
    """What judging takes: requests, tokens of prompts and replies, and how many judgements are remembered."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    remembered: int = 0

    def __str__(self) -> str:
        tokens = f"{self.prompt_tokens + self.completion_tokens:,} tokens"
        calls = f"{self.calls:,} {'request' if self.calls == 1 else 'requests'}, {tokens}"
        return f"{calls}, {self.remembered:,} remembered" if self.remembered else calls


class ModelJudge:
    """Judges papers by one condition with a model, and remembers each judgement; `used` counts what it took."""

    def __init__(self, model: ChatModel, condition: str, papers: Sequence[Paper], kept: Judgements) -> None:
        self._model, self._condition, self._kept = model, one_line(condition), kept
        self._prompt = load_prompt("census", FIELDS)
        self.found = {p.id: j for p in papers if (j := kept.get(self._key(p))) is not None}
        self._batches = list(self._cut([paper for paper in papers if paper.id not in self.found]))
        self._remembered, self._usage = len(self.found), Usage()
        self.error: ModelError | None = None

    @property
    def name(self) -> str:
        """Return the model's name."""
        return self._model.name

    @property
    def open_papers(self) -> int:
        """Return how many papers are not judged yet."""
        return sum(map(len, self._batches))

    @property
    def estimated(self) -> Cost:
        """Return what judging the rest will take, by counting tokens; a reply is taken to be a line a source."""
        prompts = [self._filled(batch) for batch in self._batches]
        tokens = sum(self._count(prompt.system) + self._count(prompt.user) for prompt in prompts)
        return Cost(len(prompts), tokens, _REPLY * sum(map(len, self._batches)), self._remembered)

    @property
    def used(self) -> Cost:
        """Return what it took so far."""
        u = self._usage
        return Cost(u.calls, u.prompt_tokens, u.completion_tokens, self._remembered)

    @property
    def usage(self) -> Usage:
        """Return the requests and tokens so far."""
        return self._usage

    def run(self) -> Iterator[int]:
        """Ask the model batch by batch; yield how many papers are judged. A failure ends it and is kept as `error`."""
        for batch in self._batches:
            try:
                reply = self._ask(batch)
            except ModelError as error:
                self.error = error
                return
            said = read_reply(reply, batch)
            self.found |= said
            for paper in batch:
                if paper.id in said:
                    self._kept.keep(self._key(paper), said[paper.id])
            yield len(self.found)

    def _ask(self, batch: Sequence[Paper]) -> str:
        reply = whole_reply(self._model, self._filled(batch))
        self._usage += reply.usage
        return reply.text

    def _cut(self, papers: Sequence[Paper]) -> Iterator[list[Paper]]:
        """Cut papers into batches that fit the model's window with their replies."""
        window = int(getattr(self._model, "context_window", _WINDOW))
        most = max(1, min(_BATCH, int(getattr(self._model, "max_tokens", _BATCH * _REPLY)) // _REPLY))
        batch: list[Paper] = []
        for paper in papers:
            if batch and (len(batch) >= most or self._size([*batch, paper]) > window):
                yield batch
                batch = []
            batch.append(paper)
        if batch:
            yield batch

    def _size(self, batch: Sequence[Paper]) -> int:
        prompt = self._filled(batch)
        return self._count(prompt.system) + self._count(prompt.user) + _REPLY * len(batch)

    def _filled(self, batch: Sequence[Paper]) -> FilledPrompt:
        blocks = (source_block(number, _whole(paper)) for number, paper in enumerate(batch, start=1))
        return self._prompt.fill(
            {"condition": self._condition, "count": str(len(batch)), "sources": "\n\n".join(blocks)}
        )

    def _count(self, text: str) -> int:
        counted = getattr(self._model, "count_tokens", None)
        return int(counted(text)) if counted else count_tokens(text, self._model.name)

    def _key(self, paper: Paper) -> tuple[str, ...]:
        return (self._model.name, self._prompt.system, self._condition, paper.abstract)


def _whole(paper: Paper) -> ScoredChunk:
    return ScoredChunk(Chunk(f"{paper.id}#0", paper.id, paper.abstract, 0, len(paper.abstract)), paper, 1.0, "lexical")


def read_reply(text: str, batch: Sequence[Paper]) -> dict[str, Judgement]:
    """Return what a reply says of each paper, by id, as far as it holds; nothing where most of it can't be read.

    A source that is judged twice in different ways is not judged.
    """
    rows: dict[int, set[tuple[str, str]]] = {}
    for line in text.splitlines():
        match = _LINE.match(line.strip())
        if match and 1 <= int(match[1]) <= len(batch):
            rows.setdefault(int(match[1]), set()).add((match[2].lower(), match[3]))
    if len(rows) < _READABLE * len(batch):
        return {}
    found = {}
    for number, said in rows.items():
        judgement = _judgement(*next(iter(said)), batch[number - 1]) if len(said) == 1 else None
        if judgement is not None:
            found[batch[number - 1].id] = judgement
    return found


def _judgement(outcome: str, rest: str, paper: Paper) -> Judgement | None:
    if outcome != "yes":
        return Judgement("no" if outcome == "no" else "unsure")
    quoted = _QUOTED.search(rest)
    place = located(quoted[1], paper.abstract) if quoted else None
    return Judgement("yes", *place) if place else None


def located(words: str, abstract: str) -> tuple[int, int] | None:
    """Return where a quote stands in an abstract, whatever its spaces and capitals; None for one that does not."""
    parts = words.strip(" .…").split()
    if len(" ".join(parts)) < _SHORTEST:
        return None
    match = re.search(r"\s+".join(map(re.escape, parts)), abstract, re.IGNORECASE)
    return match.span() if match else None
