"""History: the conversations of this browser, to open, name, take away and delete."""

from __future__ import annotations

from typing import Any

import gradio as gr

from ui import cards, render
from ui.conversation import Conversation
from ui.desk import AT_ONCE, Desk, our_html, session
from ui.exports import conversation_markdown
from ui.keeping import Keeping, read_keeping
from ui.tabs.ask import ASK, AskParts, chat_of, question_box


def history_tab(desk: Desk, page: gr.Blocks, tab: gr.Tab, ask: AskParts, new: gr.Button) -> None:
    """Lay out the list of conversations and wire it; also what a reload and a link bring back."""
    with gr.Column(elem_classes="sheet"):
        chosen = gr.Dropdown([], label="Conversation", info="Kept in this browser only", elem_id="kept-chats")
        name = gr.Textbox(label="Name", max_lines=1, max_length=80, elem_id="kept-name")
        with gr.Row(elem_id="kept-actions"):
            open_it = gr.Button("Open", size="sm")
            rename = gr.Button("Rename", size="sm")
            delete = gr.Button("Delete", size="sm", elem_id="kept-delete")
        preview = our_html(elem_id="kept-preview")

    listing = [chosen, name, preview]
    talk = [desk.where, desk.masthead, ask.conversation, ask.messages, desk.panel, ask.box]

    def enter(kept: Any) -> tuple[Any, ...]:
        keeping = read_keeping(kept)
        return _listed(keeping, keeping.current)

    def pick(kept: Any, chat_id: str) -> tuple[Any, ...]:
        return _listed(read_keeping(kept), chat_id)

    def rename_it(kept: Any, chat_id: str, words: str) -> tuple[Any, ...]:
        keeping = read_keeping(kept).renamed(chat_id or "", words or "")
        return (keeping.written(), *_listed(keeping, chat_id))

    def delete_it(kept: Any, chat_id: str) -> tuple[Any, ...]:
        keeping = read_keeping(kept).without(chat_id or "")
        return (keeping.written(), *_listed(keeping, keeping.current))

    def open_chat(kept: Any, chat_id: str, request: gr.Request) -> tuple[Any, ...]:
        keeping = read_keeping(kept).opened(chat_id or "")
        for known in desk.shelf.names():
            desk.chat(known).discard(session(request))
        chat = keeping.find(keeping.current)
        shown = _shown(desk, chat.library if chat else "", chat.conversation if chat else Conversation())
        return (keeping.written(), *shown, gr.Tabs(selected=ASK))

    def come_back(kept: Any, request: gr.Request) -> tuple[Any, ...]:
        keeping = read_keeping(kept)
        linked = desk.links().load(str(request.query_params.get("answer", "")))
        if linked:
            conversation, library = linked
            return (keeping.opened("").written(), *_shown(desk, library, conversation))
        chat = keeping.find(keeping.current)
        if not chat:
            return (gr.skip(),) * (len(talk) + 1)
        return (gr.skip(), *_shown(desk, chat.library, chat.conversation))

    def start_over(where: str, kept: Any, request: gr.Request) -> tuple[Any, ...]:
        desk.chat(where).discard(session(request))
        shown = _shown(desk, where, Conversation())
        return (read_keeping(kept).opened("").written(), *shown, gr.Tabs(selected=ASK))

    tab.select(enter, [desk.kept], listing, **AT_ONCE)
    chosen.input(pick, [desk.kept, chosen], listing, **AT_ONCE)
    rename.click(rename_it, [desk.kept, chosen, name], [desk.kept, *listing], **AT_ONCE)
    delete.click(delete_it, [desk.kept, chosen], [desk.kept, *listing], **AT_ONCE)
    open_it.click(open_chat, [desk.kept, chosen], [desk.kept, *talk, desk.tabs], **AT_ONCE)
    new.click(start_over, [desk.where, desk.kept], [desk.kept, *talk, desk.tabs], **AT_ONCE)
    page.load(come_back, [desk.kept], [desk.kept, *talk], **AT_ONCE)


def _shown(desk: Desk, where: str, conversation: Conversation) -> tuple[Any, ...]:
    library = desk.library(where)
    return (
        library.name,
        render.header_html(library.name, library.count, desk.mode, desk.model),
        conversation,
        chat_of(conversation, library),
        cards.empty_panel_html(),
        question_box(text=""),
    )


def _listed(keeping: Keeping, chat_id: str | None) -> tuple[Any, Any, str]:
    if not keeping.chats:
        hint = '<p class="hint">No conversation has been kept yet; each answer is, in this browser only.</p>'
        return gr.update(choices=[], value=None), "", hint
    chat = keeping.find(chat_id or "") or keeping.chats[0]
    choices = [(kept.name, kept.id) for kept in keeping.chats]
    text = conversation_markdown(chat.conversation, chat.name)
    asked = len(chat.conversation.exchanges)
    return (
        gr.update(choices=choices, value=chat.id),
        chat.name,
        cards.blocks(
            f'<p class="lead-line">{asked} {"question" if asked == 1 else "questions"}.</p>',
            f'<div class="actions">{cards.save_button("Save as Markdown", "conversation.md", text)}</div>',
            *(render.question_html(exchange) for exchange in chat.conversation.exchanges),
        ),
    )
