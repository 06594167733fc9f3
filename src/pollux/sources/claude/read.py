"""One session from all the files that hold it."""

from __future__ import annotations

from datetime import datetime
from math import inf
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Author, Kind, Link, Message, Notice, Role, Session, Severity, exactness, first_words
from pollux.sources.base import Reading, read_with
from pollux.sources.claude import history
from pollux.sources.claude.format.outputs import Outputs
from pollux.sources.claude.format.schema import Line
from pollux.sources.claude.format.side_records import Meta, Title
from pollux.sources.claude.gaps import gaps
from pollux.sources.claude.group import AGENT, ClaudeBundle
from pollux.sources.claude.messages import queue
from pollux.sources.claude.messages.messages import Builder
from pollux.sources.claude.messages.replies import Pair
from pollux.sources.claude.transcript import Transcript
from pollux.sources.claude.tree import branches, elsewhere, forks
from pollux.sources.claude.tree.copies import copies_in, difference
from pollux.sources.claude.tree.subagents import Chain, Spawned, divided, read_meta, starter
from pollux.sources.claude.tree.tree import Tree, leaf_of
from pollux.sources.typed import command_title, typed_sessions
from pollux.wire import Malformed, Notes, decode, display_path, read_bytes, tidy


def read(bundle: ClaudeBundle) -> Reading:
    """The session of a bundle, then the sub-agents' sessions inside its file (1.0); none where nothing was said."""
    return read_with(bundle, _read)


def _read(bundle: ClaudeBundle) -> tuple[list[Session], tuple[Notice, ...]]:
    bundle.depends_on = {}
    if bundle.kind is Kind.PROMPTS:
        return _typed(bundle), bundle.history.notices if bundle.history is not None else ()
    notes = Notes()
    transcripts: list[Transcript] = []
    for file in bundle.transcripts():
        notes.file = display_path(file.path)
        try:
            transcripts.append(Transcript(file.path, bundle.name, notes).read())
        except Unreadable as error:
            notes.add("file.unreadable", str(error), Severity.ERROR)
    if len(transcripts) > 1:
        transcripts.sort(key=_begun)
    sessions = _Reader(bundle, transcripts, notes).sessions() if transcripts else []
    if not sessions:
        _note_damage(transcripts, notes)
    return sessions, notes.all()


def _begun(transcript: Transcript) -> tuple[float, int]:
    """Parts of a session stand in the order in which they began; of copies the longest comes first."""
    times = (line.timestamp.timestamp() for _, line in transcript.lines if line.timestamp is not None)
    return next(times, inf), -len(transcript.lines)


def _left(written: tuple[Transcript, list[Pair]]) -> tuple[float, float]:
    """When a file was left that has some lines of its own. Of two that were left at once the one that began later."""
    times = [line.timestamp.timestamp() for _, line in written[1] if line.timestamp is not None]
    return max(times, default=-inf), min(times, default=-inf)


def _note_damage(transcripts: list[Transcript], notes: Notes) -> None:
    for transcript in transcripts:
        if transcript.damaged and not (transcript.lines or transcript.books or transcript.strange):
            notes.file = transcript.file
            notes.add("file.damaged", "Nothing can be read: no line of the file is a record.", Severity.ERROR)


class _Reader:
    """The transcripts of one bundle on the way to sessions."""

    def __init__(self, bundle: ClaudeBundle, transcripts: list[Transcript], notes: Notes) -> None:
        self.bundle = bundle
        self.transcripts = transcripts
        self.notes = notes
        # The large outputs of calls that a fork took over lie with its parent.
        self.outputs = Outputs([folder for one in [bundle, *bundle.peers] for folder in one.folders], notes)
        self.by_uuid: dict[str, Line] = {}
        self._books: dict[str, Any] = {}
        for transcript in transcripts:
            self.by_uuid = {**transcript.by_uuid, **self.by_uuid} if self.by_uuid else transcript.by_uuid

    def sessions(self) -> list[Session]:
        """The main session first."""
        bundle = self.bundle
        own, chains = self._divided()
        spawned = Spawned(bundle, self.transcripts, chains)
        builder = Builder(bundle.name, self.notes, self.outputs, spawned.by_call)
        for transcript in self.transcripts:
            builder.told(step.content or "" for step in transcript.prompts_of_queue())
        builder.build([(transcript.file, lines) for transcript, lines in own])
        messages = self._settled(builder, own)
        fork = None
        if bundle.peers or (bundle.kind is Kind.MAIN and any(map(forks.has_copies, self.transcripts))):
            fork = forks.fork_of(bundle, [pair for transcript in self.transcripts for pair in transcript.lines])
        if fork is not None:
            messages = forks.inherited(messages, builder.items, fork.shared)
            parents = [peer for peer in bundle.peers if peer.id == fork.name]
            bundle.parent_files = [display_path(file.path) for peer in parents for file in peer.transcripts()]
        if bundle.peers:
            messages = elsewhere.completed(messages, bundle, self.notes)
        for transcript in self.transcripts if bundle.kind is Kind.MAIN else ():
            if transcript.queue:
                messages = queue.woven(messages, queue.lost_prompts(transcript, messages))
        messages += self._typed(messages)
        if not any(_is_said(message) for message in messages):
            return []
        children = [self._chain(chain, builder.facts, spawned, fork) for chain in chains]
        bundle.depends_on = self.outputs.asked
        return [self._session(builder, messages, fork), *children]

    def _typed(self, messages: list[Message]) -> list[Message]:
        """What was typed when the transcript had ended: then it was cut."""
        log, typed = self.bundle.history, self.bundle.typed
        lost = history.after(typed, messages) if log is not None and self.bundle.kind is Kind.MAIN else []
        if log is None or not lost:
            return []
        self.outputs.used.append(log.file.path)
        return history.as_messages(lost, lost[0].project, display_path(log.file.path))

    def _divided(self) -> tuple[list[tuple[Transcript, list[Pair]]], list[Chain]]:
        """The lines of each file, copies left out; those of sub-agents inside a main transcript apart."""
        own: list[tuple[Transcript, list[Pair]]] = []
        chains: list[Chain] = []
        seen: set[str | None] = set()
        for transcript in self.transcripts:
            lines = self._once(transcript)
            if len(self.transcripts) > 1:
                lines = [pair for pair in lines if pair[1].uuid is None or pair[1].uuid not in seen]
                seen.update(transcript.by_uuid)
            if self.bundle.kind is Kind.MAIN and transcript.sidechains:
                lines, inner = divided(lines, self.bundle.id)
                if not lines and len(inner) == 1 and len(self.transcripts) == 1:
                    # A sub-agent's transcript under another name.
                    lines, inner = inner[0].lines, []
                chains += inner
            own.append((transcript, lines))
        return own, chains

    def _once(self, transcript: Transcript) -> list[Pair]:
        """The lines of a file without those that were written again; what only a copy says is kept beside."""
        copies = copies_in(transcript.lines, transcript.by_uuid)
        if not copies:
            return transcript.lines
        again = transcript.books.setdefault("again", [])
        for number, line in transcript.lines:
            if line.uuid in copies:
                again.append({"line": number, **difference(line, copies[line.uuid])})
        self.by_uuid = {**self.by_uuid, **copies}
        return [pair for pair in transcript.lines if pair[1].uuid not in copies]

    def _settled(self, builder: Builder, own: list[tuple[Transcript, list[Pair]]]) -> list[Message]:
        """The messages in the order in which they happened, with what became of them."""
        tree = Tree([line for _, lines in own for _, line in lines], self.by_uuid)
        if (order := branches.in_order(builder.items, tree)) is not None:
            builder.reorder(order)
        if self.bundle.kind is not Kind.MAIN:
            return builder.messages
        prompts = {line.uuid for line in builder.prompts if line.type == "user"}
        written = [(transcript, lines) for transcript, lines in own if lines]
        last, rows = max(written, key=_left) if written else (self.transcripts[-1], [])
        gone = branches.fates(builder, tree, leaf_of(tree, rows, last.mark, prompts))
        if not gone:
            return builder.messages
        return [
            msgspec.structs.replace(message, fate=gone[number]) if number in gone else message
            for number, message in enumerate(builder.messages)
        ]

    def _session(self, builder: Builder, messages: list[Message], fork: forks.Fork | None) -> Session:
        bundle = self.bundle
        meta = self._meta()
        parent = starter(bundle, meta)
        times = _times(messages)
        kind = bundle.kind
        if kind is Kind.MAIN and not (builder.items and any(_is_talk(message) for message in messages)):
            # Nothing was sent: prompts that never left the queue, commands for the client.
            kind = Kind.PROMPTS
        missing = gaps(messages)
        typed = next((line.project for line in bundle.typed if line.project is not None), None)
        return Session(
            agent=AGENT,
            id=bundle.id,
            kind=kind,
            parent=f"{AGENT}:{parent}" if parent is not None else None,
            title=self._title(meta, messages),
            project=_project(builder.facts) or typed,
            project_evidence="recorded" if "cwd" in builder.facts else "history" if typed is not None else None,
            started=times[0],
            ended=times[1],
            messages=tuple(messages),
            links=self._links(parent, fork),
            notices=self.notes.all(),
            files=self._files(),
            exact=exactness(missing),
            gaps=missing,
            tallies=tuple(transcript.tally for transcript in self.transcripts if transcript.tally is not None),
            extra=self._extra(builder, meta),
        )

    def _chain(self, chain: Chain, facts: dict[str, Any], spawned: Spawned, fork: forks.Fork | None) -> Session:
        """A sub-agent that lies inside its parent's transcript."""
        transcript = self.transcripts[0]
        builder = Builder(self.bundle.name, self.notes, self.outputs, spawned.by_call)
        messages = builder.build([(transcript.file, chain.lines)]).messages
        if fork is not None:
            messages = forks.inherited(messages, builder.items, fork.shared)
        times = _times(messages)
        parent = f"{AGENT}:{self.bundle.id}"
        key = f"{AGENT}:{chain.id}"
        missing = gaps(messages)
        how = "a call hands over its first words" if spawned.parent_call(key) else "it lies in the session's transcript"
        return Session(
            agent=AGENT,
            id=chain.id,
            kind=Kind.SUBAGENT,
            parent=parent,
            title=first_words(chain.task) or None,
            project=_project({**facts, **builder.facts}),
            project_evidence="recorded" if "cwd" in builder.facts else None,
            started=times[0],
            ended=times[1],
            messages=tuple(messages),
            links=(Link(kind="subagent_of", target=parent, evidence=how),),
            files=(transcript.file,),
            exact=exactness(missing),
            gaps=missing,
            extra=dict(builder.facts),
        )

    def _meta(self) -> Meta | None:
        found: Meta | None = None
        for file in self.bundle.metas:
            self.notes.file = display_path(file.path)
            meta = read_meta(file, self.notes)
            if meta is None:
                self.notes.add("file.damaged", "Nothing can be read: the file is no JSON object.", Severity.ERROR)
            found = found or meta
        return found

    def _title(self, meta: Meta | None, messages: list[Message]) -> str | None:
        """The human's own title, else the agent's, else what a later session called this one; a sub-agent's task."""
        if self.bundle.kind is Kind.SUBAGENT:
            described = meta.description if meta is not None else None
            task = next((m.text for m in messages if m.role is Role.USER and m.text and not m.inherited), "")
            return described or first_words(task) or None
        titles = [transcript.titles for transcript in reversed(self.transcripts)]
        beside = [title for title in map(self._beside, self.bundle.titles) if title]
        said = [
            *(held["custom-title"] for held in titles if "custom-title" in held),
            *beside,
            *(held["ai-title"] for held in titles if "ai-title" in held),
            *(held["agent-name"] for held in titles if "agent-name" in held),
        ]
        return next((_titled(title) for title in said if _titled(title)), None) or self._summary()

    def _beside(self, file: Any) -> str | None:
        """The title that lies in a file of its own (2.1.325)."""
        self.notes.file = display_path(file.path)
        try:
            title = decode(Title, read_bytes(file.path), self.notes)
        except (Unreadable, Malformed):
            title = None
        if title is None:
            self.notes.add("file.damaged", "Nothing can be read: the file is no JSON object.", Severity.ERROR)
            return None
        self._books |= tidy(title)
        return title.customTitle

    def _summary(self) -> str | None:
        """The summary that names the latest of the session's records, in its own files or at the top of later ones."""
        for named in [*(transcript.summaries for transcript in self.transcripts), self.bundle.summaries]:
            leaves = named.keys() & self.by_uuid.keys()
            last = next((leaf for leaf in reversed(self.by_uuid) if leaf in leaves), None) if leaves else None
            # A release asked a model that answered with JSON: that is no title.
            if last is not None and not named[last].startswith(("{", "[")):
                return _titled(named[last])
        return None

    def _links(self, parent: str | None, fork: forks.Fork | None) -> tuple[Link, ...]:
        links: list[Link] = []
        if parent is not None:
            links.append(Link(kind="subagent_of", target=f"{AGENT}:{parent}", evidence=self.bundle.evidence))
        if fork is not None:
            links.append(Link(kind="forked_from", target=f"{AGENT}:{fork.name}", evidence=fork.evidence))
        return tuple(links)

    def _files(self) -> tuple[str, ...]:
        paths = [file.path for file in self.bundle.files]
        return tuple(display_path(path) for path in dict.fromkeys([*paths, *self.outputs.used]))

    def _extra(self, builder: Builder, meta: Meta | None) -> dict[str, Any]:
        """What the files say beside the conversation: the setting, the client's books, records we do not know."""
        extra: dict[str, Any] = dict(builder.facts)
        if meta is not None and (rest := tidy(meta)):
            extra["meta"] = rest
        if self._books:
            extra["title"] = self._books
        if builder.ticks:
            extra["progress"] = [tidy(line) for line in builder.ticks]
        for transcript in self.transcripts:
            for kind, records in transcript.books.items():
                extra.setdefault("records", {}).setdefault(kind, []).extend(records)
            if transcript.strange:
                strange = [{"file": transcript.file, **record} for record in transcript.strange.all()]
                extra.setdefault("unknown", []).extend(strange)
        return extra


def _is_said(message: Message) -> bool:
    """Is it more than the client's own talk?"""
    return message.author is not Author.CLIENT


def _is_talk(message: Message) -> bool:
    """Is it part of a conversation, and not just a command for the client?"""
    return message.author is not Author.CLIENT and message.role is not Role.SYSTEM


def _times(messages: list[Message]) -> tuple[datetime | None, datetime | None]:
    own = [m.at for m in messages if m.at is not None and not m.inherited]
    times = own or [m.at for m in messages if m.at is not None]
    return min(times, default=None), max(times, default=None)


def _project(facts: dict[str, Any]) -> str | None:
    """The directory in which the session began; the folder's name cannot be read backwards."""
    cwd = facts.get("cwd")
    return cwd if type(cwd) is str else None


def _titled(text: str) -> str | None:
    return first_words(text, 200) or None


def _typed(bundle: ClaudeBundle) -> list[Session]:
    """A session of which only typed lines are left."""
    log = bundle.history
    assert log is not None  # noqa: S101 (made with the bundle)
    lines = log.lost(bundle.typed, bundle.id)
    file = display_path(log.file.path)
    project = next((line.project for line in lines if line.project is not None), None)
    messages = history.as_messages(lines, project, file)
    return typed_sessions(
        AGENT,
        bundle.id,
        messages,
        [file],
        log.notices,
        title=command_title(messages),
        project=project,
        project_evidence="history" if project is not None else None,
    )
