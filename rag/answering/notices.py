"""What an answer tells besides itself: how a question was understood, and what a model's part in it cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rag.retrieval.limits import Limits

if TYPE_CHECKING:
    from rag.model.judging import ModelJudge
    from rag.model.translation import Translation


def of_cost(judge: ModelJudge, estimated: str, wide: bool) -> list[str]:
    """Return what the model's part in a census cost, or would have cost, and why it has none."""
    if wide:
        return [
            f"Judged by words alone: asking the model too would take about {estimated}; "
            "do so with: rag census --mode llm"
        ]
    found = [f"The model judged too: estimated {estimated}; used {judge.used}."]
    if judge.error is not None:
        found.append(f"{judge.error} What it had not judged is judged by words alone.")
    elif not judge.found:
        found.append("No reply of the model could be used; this is judged by words alone.")
    return found


def of_translation(made: Translation) -> tuple[str, ...]:
    """Return what says that a question was asked in English, or that it could not be."""
    if made.lines[0]:
        return (f"Asked in English: “{made.lines[0]}”",)
    return (f"The question was not turned into English. {made.trouble or 'The reply of the model could not be used.'}",)


def of_limits(limits: Limits, left: int, papers: int) -> tuple[str, ...]:
    """Return what says that a question was taken to be about some of the papers only, and how to take that off."""
    if limits.nowhere:
        return (f"{limits.nowhere} All papers were looked at.",)
    if not limits.filters:
        return ()
    if not left:
        return (f"No paper here is of {limits.shown} together; leave “{limits.words}” out to ask all {papers}.",)
    return (f"Only {limits.shown}: {left} of {papers} papers were looked at; leave “{limits.words}” out to ask all.",)
