"""One session file, line by line: its messages, calls and figures.

The conversation comes from `response_item`s. Events only say which prompts were the human's, and add facts that the
answers of tools lack. Everything else is bookkeeping: kept, but no part of the conversation.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from datetime import datetime
from itertools import islice
from typing import Any

import msgspec

from pollux.model import NOTHING, Part, Text, Thinking, Unknown, Usage
from pollux.sources.codex.calls.calls import (
    AnswerItem,
    Call,
    CallItem,
    call_of,
    has_leftovers,
    leftovers,
    result_without_call,
)
from pollux.sources.codex.format.content import (
    agent_mail,
    as_context,
    directory_in,
    only_words,
    part_of,
    pieces,
    split_by_author,
)
from pollux.sources.codex.format.records import Record
from pollux.sources.codex.format.schema import (
    AgentItem,
    CustomCall,
    CustomOutput,
    Envelope,
    FunctionCall,
    FunctionOutput,
    ImageCall,
    Item,
    MessageItem,
    ReasoningItem,
    SearchCall,
    ShellCall,
    ToolSearchCall,
    ToolSearchOutput,
)
from pollux.sources.codex.replay.echoes import Echoes, Prompts, ShownText
from pollux.sources.codex.replay.entries import ASSISTANT, CLIENT, HUMAN, MODEL, SYSTEM, USER, Entry
from pollux.sources.codex.replay.events import EVENTS
from pollux.sources.codex.replay.fates import Compaction
from pollux.sources.codex.usage.tokens import Meter
from pollux.wire import Notes, RecordList
from pollux.wire.record_list import MOST_RECORDS

_ROLES = ("developer", "system")


class _UnassignedUsage(msgspec.Struct):
    """Figures without a response, the message that has them for now, and the lines between which they are."""

    payer: Entry
    figures: list[Usage]
    since: int
    until: int


def _line(figures: Usage) -> int:
    return figures.line or 0


def _last_line(unassigned: _UnassignedUsage) -> int:
    return unassigned.until


class Replay:
    """The messages, calls and figures of one file, while its records are read."""

    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.entries: list[Entry] = []
        self.bookkeeping = RecordList(notes)
        self.strange = 0
        self.times: list[datetime] = []
        self.directory: str | None = None
        self.model: str | None = None
        self.models: dict[str, str] = {}
        self.echoes = Echoes()
        self.prompts = Prompts()
        self.meter = Meter()
        self.shown: set[tuple[str, str]] = set()
        self.calls: dict[str, Call] = {}
        self.spawns: list[Call] = []
        self.compactions: list[Compaction] = []
        self.waiting: dict[str, list[dict[str, Any]]] = {}
        self.line = 0
        self.ordinal = 0
        self.reviewing = False
        self.reviewed = False
        self.open: Entry | None = None
        self.last: Entry | None = None
        self.pending: list[Usage] = []
        self.paid_at: datetime | None = None
        self.unassigned: list[_UnassignedUsage] = []
        self.fresh = False
        self.counted = False
        self.limits: Any = None
        self.window: int | None = None

    def run(self, records: Iterable[tuple[int, Record]], bookkeeper: Callable[[Replay, Any, Any], None]) -> Replay:
        """Add all records. `bookkeeper` handles those that are not part of the conversation."""
        handlers = {**_CONVERSATION, dict: bookkeeper, msgspec.Raw: bookkeeper}
        time = self.times.append
        for self.line, record in records:
            if record.ordinal is not None:
                self.ordinal = record.ordinal
            at, payload = record.timestamp, record.payload
            if at is not None:
                time(at)
            handlers[type(payload)](self, payload, record)
        self._finish()
        return self

    # ------------------------------------------------------------------ entries

    def add(self, role: Any, author: Any, envelope: Envelope, parts: list[Any]) -> Entry:
        """Add a message at the present line."""
        entry = Entry(role, author, self.line, self.ordinal, envelope.timestamp, parts)
        self.entries.append(entry)
        return entry

    def turn(self, item: Item, envelope: Envelope) -> Entry:
        """The model's message that an item belongs to: a new one if something came between."""
        entry = self.open
        if entry is None:
            model = self.models.get(item.item_metadata.turn_id or "", self.model) if item.item_metadata else self.model
            entry = Entry(ASSISTANT, MODEL, self.line, self.ordinal, envelope.timestamp, [], None, model)
            # Up to 0.60 figures come first, then each call of the response with its answer.
            last = self.last
            entry.continued = not self.counted and last is not None and (last.usages is not None or last.continued)
            self.entries.append(entry)
            self.open = self.last = entry
            if self.prompts.has_waiters:
                self.prompts.forget()
            self.fresh = self.counted = False
            if self.pending:
                entry.usages, self.pending = self.pending, []
        return entry

    def name(self, model: str, turn: str | None) -> None:
        """Set the model of a turn. The turn's first messages may come before the record that names it."""
        self.model = model
        if turn is not None:
            self.models[turn] = model
        for entry in reversed(self.entries):
            if entry.is_prompt or entry.model is not None:
                break
            if entry.role is ASSISTANT or entry.usages is not None:
                entry.model = model

    def keep(self, kind: str, rest: dict[str, Any]) -> None:
        """Keep bookkeeping, and whatever else has no place in the conversation."""
        self.bookkeeping.add({"line": self.line, "kind": kind, "record": rest})

    def _finish(self) -> None:
        self.settle_pending()
        if shown_texts := self.echoes.only_shown():
            shown_texts.sort(key=lambda shown_text: (shown_text.place, shown_text.line))
            # The text that was shown last takes its figures first.
            entries = [self._with_usage(shown_text) for shown_text in reversed(shown_texts)]
            self._insert([shown_text.place for shown_text in shown_texts], entries[::-1])
        empty_payers = {
            id(unassigned.payer)
            for unassigned in self.unassigned
            if not unassigned.payer.parts and not unassigned.payer.usages
        }
        if empty_payers:
            self.entries = [entry for entry in self.entries if id(entry) not in empty_payers]
        for events in self.waiting.values():
            for event in events:
                self.keep("event_msg", event)

    def _insert(self, places: list[int], entries: list[Entry]) -> None:
        """Insert messages at some places."""
        start = 0
        result: list[Entry] = []
        for place, entry in zip(places, entries, strict=True):
            result += self.entries[start:place]
            result.append(entry)
            start = place
        self.entries = result + self.entries[start:]

    # ------------------------------------------------------------------ messages

    def _message(self, item: MessageItem, envelope: Envelope) -> None:
        role = item.role
        if role == "assistant":
            self._reply(item, envelope)
        elif role == "user":
            self._user(item, envelope)
        else:
            entry = self.add(SYSTEM, CLIENT, envelope, [part_of(piece) for piece in pieces(item.content)])
            self._add_extra(entry, item, envelope)
            entry.note(role=role)
            if role not in _ROLES:
                self.notes.line = self.line
                self.notes.add(
                    "role.unknown", f"A message is by {role!r}, whom we do not know.", subject=f"role {role!r}"
                )

    def _reply(self, item: MessageItem, envelope: Envelope) -> None:
        first = item.content[0].text if item.content and type(item.content) is list else None
        if first is not None and first[:1] == "{" and (mail := agent_mail(first)) is not None:
            self._add_extra(self.mail(mail, envelope), item, envelope)
            return
        if self.reviewed:
            # The client's text about what a reviewer found.
            self.open = None
            entry = self.add(ASSISTANT, CLIENT, envelope, [])
            self.reviewed = False
        else:
            entry = self.open or self.turn(item, envelope)
        for piece in item.content if type(item.content) is list else pieces(item.content):
            if (text := only_words(piece)) is not None:
                self.echoes.say(text)
                entry.parts.append(Text(text=text))
            else:
                part = part_of(piece)
                if type(part) is Text:
                    self.echoes.say(part.text)
                entry.parts.append(part)
        self._add_extra(entry, item, envelope)

    def _add_extra(self, entry: Entry, item: MessageItem | AgentItem, envelope: Envelope) -> None:
        """Add the id and the other fields of a message."""
        if entry.id is None:
            entry.id = item.id
        elif item.id is not None:
            entry.note(item=item.id)
        if has_leftovers(item, envelope):
            entry.note(**leftovers(item, envelope))
        if item.status not in (None, "completed"):
            entry.note(status=item.status)
        if type(item) is MessageItem:
            if item.phase is not None:
                entry.note(phase=item.phase)
            if item.end_turn is not None:
                entry.note(end_turn=item.end_turn)

    def _user(self, item: MessageItem, envelope: Envelope) -> None:
        self.open = None
        words, injected = split_by_author(item)
        if not words:
            entry = self.add(USER, CLIENT, envelope, injected)
            for part in injected:
                if type(part) is Text:
                    if self.directory is None:
                        self.directory = directory_in(part.text)
                    self.reviewed = self.reviewed or "<action>review</action>" in part.text[:1000]
        else:
            self.settle_pending()
            self.reviewing = self.reviewed = False
            entry = self.add(USER, HUMAN, envelope, [*words, *as_context(injected)] if injected else words)
            echo = self.prompts.send(entry)
            if echo is not None:
                # The echo came first and keeps its place; the sent prompt holds more.
                self.entries.pop()
                echo.note_difference(echo.parts, entry.parts)
                echo.parts, entry = entry.parts, echo
            self.last = None
        self._add_extra(entry, item, envelope)

    def _agent(self, item: AgentItem, envelope: Envelope) -> None:
        """Another agent's message: the task of a sub-agent, or its report."""
        self.open = None
        entry = self.add(USER, MODEL, envelope, [part_of(piece) for piece in pieces(item.content)])
        self._add_extra(entry, item, envelope)
        entry.note(author=item.author, recipient=item.recipient)

    def mail(self, mail: dict[str, Any], envelope: Envelope) -> Entry:
        """Another agent's message in another form."""
        self.open = None
        text = mail.pop("content")
        entry = self.add(USER, MODEL, envelope, [Text(text=text)] if text else [])
        entry.note(**mail)
        return entry

    def show_prompt(self, envelope: Envelope, parts: list[Part], rest: dict[str, Any]) -> None:
        """Add a prompt as the user interface showed it."""
        if self.reviewing:
            # The reviewer's prompt, in some releases twice.
            before = self.entries[-1] if self.entries else None
            if before is None or before.parts != parts:
                before = self.add(USER, CLIENT, envelope, list(parts))
            if rest:
                before.note(typed=rest)
            return
        entry = Entry(USER, HUMAN, self.line, self.ordinal, envelope.timestamp, list(parts), sure=True)
        original = self.prompts.type(entry)
        if original is None:
            self.open = None
            self.settle_pending()
            self.entries.append(entry)
            self.last = None
        else:
            original.sure, entry = True, original
            original.note_difference(parts, original.parts)
        if rest:
            entry.note(typed=rest)

    def show_text(self, text: str, envelope: Envelope, kind: type[Text | Thinking]) -> None:
        """Add the model's text as it was shown. A reviewer's texts are in its own file."""
        if self.reviewing:
            self.keep("event_msg", {"text": text})
            return
        place, at = len(self.entries), envelope.timestamp
        self.echoes.show(ShownText(place, self.line, self.ordinal, at, kind, text, self.model))

    def _reasoning(self, item: ReasoningItem, envelope: Envelope) -> None:
        entry = self.open or self.turn(item, envelope)
        extra: dict[str, Any] = leftovers(item, envelope) if has_leftovers(item, envelope) else {}
        if item.encrypted_content is not None:
            extra["encrypted_content"] = item.encrypted_content
        if item.id is not None:
            extra["id"] = item.id
        if item.duration_ms is not None:
            extra["duration_ms"] = item.duration_ms
        if item.status not in (None, "completed"):
            extra["status"] = item.status
        for piece in item.summary or () if item.content is None else (*(item.summary or ()), *item.content):
            if (text := only_words(piece)) is not None:
                self.echoes.say(text)
                part: Part = Thinking(text=text, extra=extra)
                extra = NOTHING
            elif type(part := part_of(piece)) is Text:
                self.echoes.say(part.text)
                part = Thinking(text=part.text, extra={**part.extra, **extra})
                extra = NOTHING
            entry.parts.append(part)
        if extra:
            entry.note(reasoning=extra)

    # ------------------------------------------------------------------ tool calls

    def _call(self, item: CallItem, envelope: Envelope) -> None:
        call = call_of(item, envelope)
        (self.open or self.turn(item, envelope)).parts.append(call)
        if call.name == "spawn_agent":
            self.spawns.append(call)
        # The names by which answers and events refer to a call.
        own, shared = item.id, None if type(item) is ImageCall else item.call_id  # type: ignore[union-attr]
        if own is not None:
            self.calls[own] = call
        if shared is not None:
            self.calls[shared] = call
        if self.waiting:
            for name in (own, shared):
                if name in self.waiting:
                    call.events = [*(call.events or ()), *self.waiting.pop(name)]

    def _answer(self, item: AnswerItem, envelope: Envelope) -> None:
        self.open = None
        self.fresh = False
        call = self.calls.get(item.call_id or "")
        if call is not None and not call.answered:
            call.answer_with(item, envelope)
            return
        # A killed run may lose a call and keep its answer.
        self.add(USER, CLIENT, envelope, [result_without_call(item, envelope)])

    def add_call_event(self, name: str, event: dict[str, Any]) -> Call | None:
        """Add an event about a call, which may be written later. A reviewer's calls are in its own file."""
        if self.reviewing:
            self.keep("event_msg", event)
            return None
        call = self.calls.get(name)
        if call is None:
            self.waiting.setdefault(name, []).append(event)
        else:
            call.add_event(event)
        return call

    def unknown(self, envelope: Envelope, raw: dict[str, Any]) -> None:
        """Add an item of an unknown kind, which may be something that the model said."""
        self.strange += 1
        if self.strange > MOST_RECORDS:
            self.keep("response_item", raw)
            return
        entry = self.turn(Item(), envelope)
        entry.parts.append(Unknown(raw=raw))

    # ------------------------------------------------------------------ usage

    def settle_pending(self) -> None:
        """Give pending figures to the last message, or to an empty one: nothing else is left of their response."""
        if not self.pending:
            return
        figures, payer = self.pending, self.last
        if payer is not None:
            since = payer.line
            payer.usages = [*(payer.usages or ()), *figures]
            self.pending = []
        else:
            since = self.entries[-1].line if self.entries else 0
            payer = self.turn(Item(), Envelope(timestamp=self.paid_at))
            payer.line = figures[0].line or self.line
        self.unassigned.append(_UnassignedUsage(payer, list(figures), since, _line(figures[-1])))
        self.open = None

    def _with_usage(self, shown_text: ShownText) -> Entry:
        """The message of a text that was only shown, with the figures after it that have no response."""
        entry = shown_text.entry()
        first = (
            bisect_right(self.unassigned, shown_text.line, key=_last_line)
            if entry.author is MODEL
            else len(self.unassigned)
        )
        for unassigned in islice(self.unassigned, first, None):
            if unassigned.since >= shown_text.line:
                break
            if own := unassigned.figures[bisect_right(unassigned.figures, shown_text.line, key=_line) :]:
                payer = unassigned.payer
                for figures in (unassigned.figures, payer.usages or []):
                    del figures[-len(own) :]
                entry.usages, payer.usages = own, payer.usages or None
                entry.model = entry.model or payer.model
                break
        return entry

    def end_turn(self) -> None:
        """End a turn: later figures do not belong to its last response."""
        self.settle_pending()
        self.open = self.last = None

    def add_usage(self, figures: Usage, at: datetime | None) -> None:
        """Add the figures of a response."""
        self.fresh = True
        last = self.last
        if last is not None and last.usages is None and not last.continued:
            last.usages = [figures]
        else:
            self.paid_at = self.paid_at if self.pending else at
            self.pending.append(figures)


_CONVERSATION: dict[type, Callable[[Replay, Any, Envelope], None]] = {
    MessageItem: Replay._message,  # noqa: SLF001 (its own table)
    ReasoningItem: Replay._reasoning,  # noqa: SLF001
    AgentItem: Replay._agent,  # noqa: SLF001
    **dict.fromkeys((FunctionCall, CustomCall, ShellCall, SearchCall, ToolSearchCall, ImageCall), Replay._call),  # noqa: SLF001
    **dict.fromkeys((FunctionOutput, CustomOutput, ToolSearchOutput), Replay._answer),  # noqa: SLF001
    **EVENTS,
}
