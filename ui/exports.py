"""What a reader takes away of a conversation: Markdown."""

from __future__ import annotations

from ui.conversation import Conversation


def conversation_markdown(conversation: Conversation, name: str) -> str:
    """Return a conversation as Markdown, each answer with its numbered sources and their quotes."""
    parts = [f"# {name}\n"]
    for exchange in conversation.exchanges:
        parts.append(f"## {exchange.question}\n\n{exchange.shown_text.strip()}\n")
        cited = exchange.answer.citations if exchange.answer else ()
        parts += [f"[{c.marker}] {c.title} ({c.paper_id})\n> {' '.join(c.quote.split())}\n" for c in cited]
    return "\n".join(parts)
