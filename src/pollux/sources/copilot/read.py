"""Make a session, and those of its sub-agents, of the files of a bundle."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from pollux.model import Author, Gap, Kind, Link, Notice, Role, Session, Severity, Text, exactness, first_words
from pollux.sources.base import File, Reading, read_with
from pollux.sources.copilot import find
from pollux.sources.copilot.format.events import Line, read_events
from pollux.sources.copilot.gaps import gaps_of
from pollux.sources.copilot.group import AGENT, CopilotBundle
from pollux.sources.copilot.replay.arrivals import mark_arrived
from pollux.sources.copilot.replay.entries import Entry
from pollux.sources.copilot.replay.fates import finish, pay
from pollux.sources.copilot.replay.replay import Replay
from pollux.sources.copilot.replay.streams import Stream
from pollux.sources.copilot.replay.witness import add_figures, add_lost, add_rewound, stored_entries
from pollux.sources.copilot.store import StoredSession, stored_session
from pollux.sources.copilot.workspace import read_workspace, title_of
from pollux.sources.order_by_time import order_by_time
from pollux.system.clock import recorded
from pollux.wire import Notes, display_path

_CUT = ("line.torn", "line.invalid")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.IGNORECASE)


def read(bundle: CopilotBundle) -> Reading:
    """The session of a bundle, then its sub-agents'; no session if nobody said anything."""
    return read_with(bundle, _sessions_and_notices)


def _sessions_and_notices(bundle: CopilotBundle) -> tuple[list[Session], tuple[Notice, ...]]:
    notes = Notes()
    lines = _lines(bundle.transcripts(), notes)
    replay = Replay(notes)
    replay.play(lines)
    workspace: dict[str, str] = {}
    for file in bundle.files:
        if file.role == find.WORKSPACE:
            workspace = {**read_workspace(file.path, notes), **workspace}
    store = stored_session(bundle.store, bundle.id, notes) if bundle.store is not None else None
    if not lines and store is not None and store.turns:
        return [_left_in_store(bundle, store, workspace, notes)], notes.all()
    finish(replay, bundle.id)
    sessions = _Sessions(bundle, replay, workspace, notes)
    if store is not None:
        sessions.restored = add_rewound(replay, store)
        if any(notice.code in _CUT for notice in notes.all()) or not replay.stream(None).entries:
            add_lost(replay, store)
        add_figures(replay, store)
        sessions.store = store
    pay(replay)
    sessions.arrived = mark_arrived(replay.stream(None).entries)
    return sessions.all(), notes.all()


def _left_in_store(bundle: CopilotBundle, store: StoredSession, workspace: dict[str, str], notes: Notes) -> Session:
    """A session of which no event is left: the prompts and last answers that the store still holds."""
    messages = [entry.message() for entry in stored_entries(store)]
    times = [message.at for message in messages if message.at is not None]
    begun = store.facts.get("created_at")
    project = workspace.get("cwd") or store.facts.get("cwd")
    notes.file, notes.line = store.file, None
    notes.add("session.index-only", "No event of the session is left; its prompts and last answers are.")
    gap = Gap(why="Of this session only the agent's index is left.", certain=False, file=store.file)
    extra: dict[str, Any] = {"store": store.facts} if store.facts else {}
    if workspace:
        extra["workspace"] = workspace
    return Session(
        agent=AGENT,
        id=bundle.id,
        title=title_of(workspace) or store.facts.get("summary"),
        project=project,
        project_evidence="recorded" if project is not None else None,
        started=(recorded(begun) if begun is not None else None) or min(times, default=None),
        ended=max(times, default=None),
        messages=tuple(messages),
        notices=notes.all(),
        files=(*(display_path(file.path) for file in bundle.files), store.file),
        exact=exactness([gap]),
        gaps=(gap,),
        extra=extra,
    )


def _lines(files: Iterable[File], notes: Notes) -> list[Line]:
    """The events of all files, each once. The file with the newest event counts; others may hold what it lost."""
    read = [_lines_of(file, notes) for file in files]
    if len(read) < 2:
        return read[0] if read else []
    read.sort(key=lambda lines: max((at.timestamp() for line in lines if (at := line.event.timestamp)), default=0.0))
    named = [_named(lines) for lines in read]
    newest = {name for name, line in named[-1].items() if line.event.id}
    by_name: dict[str, Line] = {}
    for lines in named:
        for name, line in lines.items():
            line.older = bool(newest) and name not in newest
            by_name[name] = line
    rows = [[(name, line.event.timestamp) for name, line in lines.items()] for lines in named]
    return [by_name[name] for name in order_by_time(reversed(rows))]


def _lines_of(file: File, notes: Notes) -> list[Line]:
    path = display_path(file.path)
    lines = list(read_events(file.path, notes))
    if not lines and any(notice.code in _CUT and notice.file == path for notice in notes.all()):
        notes.file, notes.line = path, None
        notes.add("file.damaged", "Nothing can be read: no line of the file is an event.", Severity.ERROR)
    return lines if len({line.event.id for line in lines}) == len(lines) else list(_named(lines).values())


def _named(lines: list[Line]) -> dict[str, Line]:
    """The events of a file, each once, by names: their ids. Another event of the same id is named by both."""
    named: dict[str, Line] = {}
    again: dict[str, set[str]] = {}
    for line in lines:
        name = line.event.id or f"{line.file}:{line.number}"
        if name in named:
            told = again.setdefault(name, {repr(named[name].event)})
            if (words := repr(line.event)) in told:
                continue
            told.add(words)
            name += f"\n{len(told)}"
        named[name] = line
    return named


class _Sessions:
    """The sessions of a bundle."""

    def __init__(self, bundle: CopilotBundle, replay: Replay, workspace: dict[str, str], notes: Notes) -> None:
        self._bundle = bundle
        self._replay = replay
        self._workspace = workspace
        self._notes = notes
        self.restored = False
        self.store: StoredSession | None = None
        self.arrived: tuple[Link, ...] = ()
        self._files = tuple(display_path(file.path) for file in bundle.files)
        self._main_stream = replay.stream(None)  # where only events of sub-agents are left, it is empty
        for stream in replay.streams.values():
            if stream.name is not None and not stream.entries:
                self._silent(stream)
        self._ids = {name: self._id(stream) for name, stream in replay.streams.items()}
        for stream in reversed(replay.streams.values()):
            if stream.name and stream.entries and stream.call in replay.calls:
                replay.calls[stream.call].child = self._key(stream.name)

    def all(self) -> list[Session]:
        """The main agent's, then its sub-agents'; none where nobody said anything."""
        streams = self._replay.streams
        children = [self._child(stream) for name, stream in streams.items() if name is not None and stream.entries]
        main = self._main(self._main_stream, has_children=bool(children))
        return [main, *children] if main is not None else []

    def _silent(self, stream: Stream) -> None:
        """A sub-agent that said nothing is no session: what is noted of it goes to the main agent."""
        for record in stream.records.all():
            self._main_stream.records.add({**record, "agent": stream.name})

    def _id(self, stream: Stream) -> str:
        """Sub-agents have ids of their own since 1.0.66; before, only the call that started them names them.

        In a fork they are copies.
        """
        if stream.name is None:
            return self._bundle.id
        copied = bool(stream.entries) and all(entry.inherited for entry in stream.entries)
        return stream.name if _UUID.match(stream.name) and not copied else f"{self._bundle.id}-{stream.name}"

    def _key(self, name: str | None) -> str:
        return f"{AGENT}:{self._ids[name]}"

    def _main(self, stream: Stream, *, has_children: bool) -> Session | None:
        replay = self._replay
        entries = stream.entries
        if not has_children and all(entry.author is Author.CLIENT for entry in entries):
            return None
        context = replay.start.get("context")
        cwd = context.get("cwd") if type(context) is dict else None
        project = cwd if type(cwd) is str and cwd else self._workspace.get("cwd") or None
        extra: dict[str, Any] = {"start": replay.start} if replay.start else {}
        if self._workspace:
            extra["workspace"] = self._workspace
        if stream.records:
            extra["records"] = stream.records.all()
        gaps = gaps_of(replay, None, entries, restored=self.restored)
        started = replay.start.get("startTime")
        return Session(
            agent=AGENT,
            id=self._bundle.id,
            title=title_of(self._workspace),
            project=project,
            project_evidence="recorded" if project is not None else None,
            started=(recorded(started) if type(started) is str else None) or min(self._times(stream), default=None),
            ended=max(self._times(stream), default=None),
            messages=tuple([entry.message() for entry in entries]),
            links=(*self._links(), *self.arrived),
            notices=self._notes.all(),
            files=(*self._files, *self._used_store(entries)),
            exact=exactness(gaps),
            gaps=gaps,
            extra=extra,
        )

    def _used_store(self, entries: list[Entry]) -> list[str]:
        """The store, if messages or figures come from it."""
        if self.store is None:
            return []
        file = self.store.file
        used = any(entry.file == file or any(usage.file == file for usage in entry.usages) for entry in entries)
        return [file] if used else []

    def _times(self, stream: Stream) -> list[datetime]:
        if self._replay.fork is None:
            return stream.times
        return [entry.at for entry in stream.entries if entry.at is not None and not entry.inherited] or stream.times

    def _links(self) -> tuple[Link, ...]:
        fork = self._replay.fork
        links = []
        if fork is not None and fork.origin != self._bundle.id:
            links.append(
                Link(kind="forked_from", target=f"{AGENT}:{fork.origin}", evidence="an event names its origin")
            )
        events = [file.path for file in self._bundle.transcripts()]
        for path in events[1:]:
            evidence = f"{display_path(path)} is another state of the same file"
            links.append(Link(kind="copy_of", target=f"{AGENT}:{self._bundle.id}", evidence=evidence))
        return tuple(links)

    def _child(self, stream: Stream) -> Session:
        replay = self._replay
        entries = self._with_task(stream)
        parent = self._key(self._parent(stream))
        extra: dict[str, Any] = {"subagent": stream.facts} if stream.facts else {}
        if stream.records:
            extra["records"] = stream.records.all()
        gaps = gaps_of(replay, stream.name, entries, restored=True)
        context = replay.start.get("context")
        cwd = context.get("cwd") if type(context) is dict else None
        task = next((entry for entry in entries if entry.asks and _text(entry)), None)
        return Session(
            agent=AGENT,
            id=self._ids[stream.name],
            kind=Kind.SUBAGENT,
            parent=parent,
            title=first_words(_text(task)) if task is not None else None,
            project=cwd if type(cwd) is str and cwd else self._workspace.get("cwd") or None,
            project_evidence="recorded" if cwd or self._workspace.get("cwd") else None,
            started=min(stream.times, default=None),
            ended=max(stream.times, default=None),
            messages=tuple([entry.message() for entry in entries]),
            links=(Link(kind="subagent_of", target=parent, evidence="its events stand in the other's file"),),
            files=tuple(display_path(file.path) for file in self._bundle.transcripts()),
            exact=exactness(gaps),
            gaps=gaps,
            extra=extra,
        )

    def _parent(self, stream: Stream) -> str | None:
        owner = self._replay.owners.get(stream.call or "")
        return owner if owner in self._replay.streams and owner != stream.name else None

    def _with_task(self, stream: Stream) -> list[Entry]:
        """The messages of a sub-agent. Up to 1.0.66 its task stands only in the call that started it."""
        call = self._replay.calls.get(stream.call or "")
        task = call.input.get("prompt") if call is not None and type(call.input) is dict else None
        if call is None or type(task) is not str or not task or any(entry.asks for entry in stream.entries):
            return stream.entries
        first = stream.entries[0]
        entry = Entry(
            id=f"{call.id}-task",
            role=Role.USER,
            author=Author.MODEL,
            line=call.line,
            place=first.place,
            file=first.file,
            stream=stream.name,
            at=call.at,
            parts=[Text(text=task)],
            fate=first.fate,
            inherited=first.inherited,
        )
        return [entry, *stream.entries]


def _text(entry: Entry) -> str:
    return "\n".join(part.text for part in entry.parts if type(part) is Text)
