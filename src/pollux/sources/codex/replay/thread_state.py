"""The state of a thread, from the records outside the conversation: meta, models, turns, summaries, events of calls."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import msgspec

from pollux.model import SummaryPart, Text
from pollux.sources.codex.find import is_line_of_parent
from pollux.sources.codex.format.content import agent_mail, words_of
from pollux.sources.codex.format.keys import KNOWN
from pollux.sources.codex.format.records import kind_and_payload, report_unknown
from pollux.sources.codex.format.schema import Bookkeeping, BookkeepingLine, ContextLine, Envelope
from pollux.sources.codex.replay.entries import CLIENT, MODEL, SYSTEM, USER, Entry
from pollux.sources.codex.replay.fates import Compaction, LiveMessages, is_summary
from pollux.sources.codex.replay.items import add_item, adopt
from pollux.sources.codex.replay.replay import Replay
from pollux.sources.codex.usage.refusals import is_refusal
from pollux.wire import Malformed, Notes, plain

_ERROR = "error"
_ABSENT = object()


class Task(msgspec.Struct):
    """A turn as the client counts turns (0.100+): its first line, and whether it ended.

    `cuts` says that a prompt during the turn interrupts the present request (0.163+); before, the prompt waits.
    """

    line: int
    cuts: bool = False
    ended: bool = False


class _Settings(dict[str, Any]):
    """The present settings."""

    def changes(self, settings: dict[str, Any]) -> dict[str, Any]:
        """The settings that are new or have changed."""
        known = self.get
        changes = {key: value for key, value in settings.items() if known(key, _ABSENT) != value}
        self.update(changes)
        return changes


class ThreadState:
    """The state of the thread in one file; `thread` is the id in the file's name.

    `parents` are the sessions from which the file has copied lines. `uncounted_summaries` have no figures.
    `first_setting` is the first line with settings or with the beginning of a turn.
    """

    def __init__(self, thread: str | None = None) -> None:
        self.thread = thread
        self.meta: dict[str, Any] = {}
        self.parents: list[str] = []
        self.turns: list[tuple[int, str]] = []
        self.tasks: list[Task] = []
        self.name: str | None = None
        self.uncounted_summaries: list[Entry] = []
        self.bare = False
        self.first_setting: int | None = None
        self._context = _Settings()
        self._raw = msgspec.Raw()
        self._latest: Any = None
        self._seen: dict[str, Any] = {}
        self._settings = _Settings()
        self._live_messages = LiveMessages()
        self._aborted_at = 0

    def apply(self, replay: Replay, payload: Any, record: BookkeepingLine | ContextLine) -> None:
        """Handle one record. Its payload is an object, or settings that are not decoded yet."""
        kind, notes = record.kind, replay.notes
        notes.line = replay.line
        if type(record) is ContextLine:
            kind, payload = self._settings_on(record, notes)
        elif type(record) is not Bookkeeping:
            report_unknown(kind, payload, notes)
        own = _KINDS.get(kind)
        if own is not None:
            own(self, replay, payload, record)
        elif kind.startswith("response_item/") and kind not in KNOWN:
            replay.unknown(record, payload)
        elif kind.startswith("event_msg/") and type(call := payload.get("call_id")) is str:
            event = replay.add_call_event(call, payload)
            child = payload.get("new_thread_id")
            if event is not None and type(child) is str:
                event.child = child
        else:
            replay.keep(kind, payload)
        if record.metadata is not None or record.extra:
            replay.keep(kind, {"line_metadata": record.metadata, **record.extra})

    # ------------------------------------------------------------------ the session

    def _meta(self, replay: Replay, payload: dict[str, Any], envelope: Envelope) -> None:
        """Handle a meta line. The first is the file's own, unless that is lost; later ones come from a parent."""
        name = payload.get("id")
        is_first = replay.line <= 1 and not (
            type(name) is str and is_line_of_parent(name, self.thread, envelope.timestamp)
        )
        if not self.meta and (is_first or self.thread in (None, name)):
            self.meta = payload
            return
        if type(name) is str and name != self.meta.get("id"):
            self.parents.append(name)
        replay.keep("session_meta", payload)

    def _bare(self, replay: Replay, payload: dict[str, Any], envelope: Envelope) -> None:
        """Handle a line without a type: up to 0.31 the first line, and marks of the API's state between the items."""
        if "record_type" not in payload and not self.meta:
            self.bare = True
            self._meta(replay, payload, envelope)
        elif payload.keys() != {"record_type"} or payload["record_type"] != "state":
            replay.keep("bare", payload)

    # ------------------------------------------------------------------ turns

    def _settings_on(self, line: ContextLine, notes: Notes) -> tuple[str, dict[str, Any]]:
        """The settings on a line. They are decoded only if they differ from the last ones."""
        if line.payload != self._raw:
            self._raw, raw = line.payload, bytes(line.payload)
            try:
                self._latest = plain(raw, notes)
            except Malformed:
                # Nested too deeply to be decoded.
                self._latest = raw.decode("utf-8", "replace")
        kind, payload = kind_and_payload(line.kind, self._latest, notes)
        if payload is self._latest:
            report_unknown(kind, payload, notes)
        return kind, payload

    def _turn_context(self, replay: Replay, payload: dict[str, Any], _: Envelope) -> None:
        """Keep settings, which are written for each request or turn, only if they changed."""
        self._set_at(replay.line)
        if payload is not self._seen and (changed := self._context.changes(payload)):
            replay.keep("turn_context", changed)
        self._seen = payload
        if type(model := payload.get("model")) is str and model:
            replay.name(model, turn if type(turn := payload.get("turn_id")) is str else None)
        self._turn(replay, payload)

    def _set_at(self, line: int) -> None:
        if self.first_setting is None:
            self.first_setting = line

    def _turn(self, replay: Replay, payload: dict[str, Any]) -> None:
        if type(turn := payload.get("turn_id")) is str and (not self.turns or self.turns[-1][1] != turn):
            self.turns.append((replay.line, turn))

    def _settings_applied(self, replay: Replay, payload: dict[str, Any], _: Envelope) -> None:
        self._set_at(replay.line)
        settings = payload.get("thread_settings")
        if type(settings) is not dict:
            replay.keep("event_msg/thread_settings_applied", payload)
            return
        payload["thread_settings"] = self._settings.changes(settings)
        replay.keep("event_msg/thread_settings_applied", payload)
        if replay.model is None and type(model := settings.get("model")) is str and model:
            replay.name(model, None)

    def _named(self, replay: Replay, payload: dict[str, Any], _: Envelope) -> None:
        if type(name := payload.get("thread_name")) is str:
            self.name = name
        replay.keep("event_msg/thread_name_updated", payload)

    def _started(self, replay: Replay, payload: dict[str, Any], _: Envelope) -> None:
        self._set_at(replay.line)
        replay.end_turn()
        replay.fresh = False
        if not replay.reviewing:
            # No field says so, but the releases that do this also write `turn_attribution`.
            self.tasks.append(Task(replay.line, cuts="turn_attribution" in payload))
        self._turn(replay, payload)
        replay.keep("event_msg/task_started", payload)

    def _completed(self, replay: Replay, payload: dict[str, Any], envelope: Envelope) -> None:
        replay.open = None
        if self.tasks:
            self.tasks[-1].ended = True
        words = payload.get("last_agent_message")
        if type(words) is str and replay.echoes.knows(words):
            del payload["last_agent_message"]
        error = payload.get("error")
        if type(error) is dict and type(text := error.get("message")) is str:
            self._notice(replay, envelope, text, error)
            del payload["error"]
        replay.keep("event_msg/task_complete", payload)

    def _error(self, replay: Replay, payload: dict[str, Any], envelope: Envelope) -> None:
        if type(text := payload.get("message")) is str:
            self._notice(replay, envelope, text, payload)
        else:
            replay.keep("event_msg/error", payload)

    def _notice(self, replay: Replay, envelope: Envelope, text: str, error: dict[str, Any]) -> None:
        """Add an error, which is the only trace of a failed request."""
        entry = replay.add(SYSTEM, CLIENT, envelope, [Text(text=text)])
        entry.refused = is_refusal(text, error.get("codex_error_info"))
        entry.note(level=_ERROR, error={key: value for key, value in error.items() if key not in ("message", "type")})

    def _aborted(self, replay: Replay, payload: dict[str, Any], _: Envelope) -> None:
        """Cancel the calls of the turn that have no answer, or that the human refused at its end."""
        replay.end_turn()
        went_on = False
        before, self._aborted_at = self._aborted_at, len(replay.entries)
        for entry in islice(reversed(replay.entries), len(replay.entries) - before):
            if entry.is_prompt and not entry.is_doubtful:
                break
            for call in entry.calls:
                call.cancelled = not call.answered or (call.is_denied and not went_on)
            went_on = went_on or entry.author is MODEL
        replay.keep("event_msg/turn_aborted", payload)

    def _rolled_back(self, replay: Replay, payload: dict[str, Any], _: Envelope) -> None:
        replay.open = replay.last = None
        turns = payload.get("num_turns")
        if type(turns) is int:
            self._live_messages.roll_back(replay.entries, turns)
        replay.keep("event_msg/thread_rolled_back", payload)

    def _compacted(self, replay: Replay, payload: dict[str, Any], envelope: Envelope) -> None:
        """Add a summary. The model's new context is a copy, no new conversation, and is kept with the summary."""
        summary = payload.get("message")
        text = summary if type(summary) is str else ""
        rest = {key: value for key, value in payload.items() if key != "message" or type(summary) is not str}
        last = replay.entries[-1] if replay.entries else None
        if is_summary(last, text) and last is not None:
            entry = last
            entry.note(line=replay.line)
        else:
            entry = replay.add(USER, CLIENT, envelope, [SummaryPart(text=text)] if text else [])
            if not replay.fresh:
                self.uncounted_summaries.append(entry)
        replay.compactions.append(Compaction(entry, payload.get("replacement_history")))
        if replay.pending:
            entry.usages, replay.pending = [*(entry.usages or ()), *replay.pending], []
            entry.model = entry.model or replay.model
        if rest:
            entry.note(compacted=rest)
        replay.open = replay.last = None

    def _review(self, replay: Replay, payload: dict[str, Any], _: Envelope) -> None:
        replay.reviewing = payload.get("type") == "entered_review_mode"
        replay.keep(f"event_msg/{payload.get('type')}", payload)

    def _item(self, replay: Replay, payload: dict[str, Any], envelope: Envelope) -> None:
        add_item(replay, payload, envelope)

    # ------------------------------------------------------------------ other agents

    def _between(self, replay: Replay, payload: dict[str, Any], envelope: Envelope) -> None:
        """Add a message from one agent to another, unless an item holds it already."""
        mail = agent_mail(payload)
        last = replay.entries[-1] if replay.entries else None
        if mail is None or (last is not None and words_of(last.parts) == words_of([Text(text=mail["content"])])):
            replay.keep("inter_agent_communication", payload)
        else:
            replay.mail(mail, envelope)

    def _activity(self, replay: Replay, payload: dict[str, Any], _: Envelope) -> None:
        adopt(replay, {**payload, "type": "SubAgentActivity", "id": payload.get("event_id")})
        replay.keep("event_msg/sub_agent_activity", payload)


_KINDS: dict[str, Callable[[ThreadState, Replay, dict[str, Any], Envelope], None]] = {
    "session_meta": ThreadState._meta,  # noqa: SLF001 (its own table)
    "bare": ThreadState._bare,  # noqa: SLF001
    "turn_context": ThreadState._turn_context,  # noqa: SLF001
    "compacted": ThreadState._compacted,  # noqa: SLF001
    "event_msg/thread_settings_applied": ThreadState._settings_applied,  # noqa: SLF001
    "event_msg/thread_name_updated": ThreadState._named,  # noqa: SLF001
    "event_msg/sub_agent_activity": ThreadState._activity,  # noqa: SLF001
    "inter_agent_communication": ThreadState._between,  # noqa: SLF001
    "event_msg/task_started": ThreadState._started,  # noqa: SLF001
    "event_msg/task_complete": ThreadState._completed,  # noqa: SLF001
    "event_msg/turn_aborted": ThreadState._aborted,  # noqa: SLF001
    "event_msg/thread_rolled_back": ThreadState._rolled_back,  # noqa: SLF001
    "event_msg/error": ThreadState._error,  # noqa: SLF001
    "event_msg/entered_review_mode": ThreadState._review,  # noqa: SLF001
    "event_msg/exited_review_mode": ThreadState._review,  # noqa: SLF001
    "event_msg/item_completed": ThreadState._item,  # noqa: SLF001
}
