"""Reads one session from all of its files."""

from __future__ import annotations

from datetime import datetime
from math import inf
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Author, Gap, Kind, Link, Message, Notice, Role, Session, Severity, exactness, first_words
from pollux.sources.base import Reading, read_with
from pollux.sources.claude import history
from pollux.sources.claude.format.outputs import Outputs
from pollux.sources.claude.format.schema import Line
from pollux.sources.claude.format.side_records import SubagentMeta, TitleFile
from pollux.sources.claude.gaps import gaps, lost_records
from pollux.sources.claude.group import AGENT, ClaudeBundle
from pollux.sources.claude.messages import queue
from pollux.sources.claude.messages.messages import Builder
from pollux.sources.claude.messages.replies import Pair
from pollux.sources.claude.transcript import Transcript
from pollux.sources.claude.tree import branches, copied_figures, forks
from pollux.sources.claude.tree.arrivals import arrival_of, manifests_in
from pollux.sources.claude.tree.copies import copies_in, difference
from pollux.sources.claude.tree.subagents import Chain, StartedSessions, read_meta, split_chains, starting_session
from pollux.sources.claude.tree.tree import Tree, leaf_of
from pollux.sources.typed_prompts import command_title, typed_sessions
from pollux.wire import Malformed, Notes, decode, display_path, read_bytes, tidy

_CONTEXT_ELSEWHERE = "fork-context-ref"
"""A record at the beginning of a sub-agent's file: the conversation before it stands in another file."""


def read(bundle: ClaudeBundle) -> Reading:
    """The session of a bundle, then the sub-agents' sessions in its file (1.0); none for an empty conversation."""
    return read_with(bundle, _read)


def _read(bundle: ClaudeBundle) -> tuple[list[Session], tuple[Notice, ...]]:
    bundle.depends_on = {}
    if bundle.kind is Kind.PROMPTS:
        return _prompts_session(bundle), bundle.history.notices if bundle.history is not None else ()
    notes = Notes()
    transcripts: list[Transcript] = []
    for file in bundle.transcripts():
        notes.file = display_path(file.path)
        try:
            transcripts.append(Transcript(file.path, bundle.name, notes).read())
        except Unreadable as error:
            notes.add("file.unreadable", str(error), Severity.ERROR)
    if len(transcripts) > 1:
        transcripts.sort(key=_order_key)
    sessions = _Reader(bundle, transcripts, notes).sessions() if transcripts else []
    if not sessions:
        _note_damage(transcripts, notes)
    return sessions, notes.all()


def _order_key(transcript: Transcript) -> tuple[float, int]:
    """A sort key: parts of a session in the order of their beginnings, of copies the longest first."""
    times = (line.timestamp.timestamp() for _, line in transcript.lines if line.timestamp is not None)
    return next(times, inf), -len(transcript.lines)


def _last_written_key(part: tuple[Transcript, list[Pair]]) -> tuple[float, float]:
    """A sort key: when a file with own lines was last written. Of two with the same time, the later beginning wins."""
    times = [line.timestamp.timestamp() for _, line in part[1] if line.timestamp is not None]
    return max(times, default=-inf), min(times, default=-inf)


def _note_damage(transcripts: list[Transcript], notes: Notes) -> None:
    for transcript in transcripts:
        if transcript.damaged and not (transcript.lines or transcript.side_records or transcript.unknown):
            notes.file = transcript.file
            notes.add("file.damaged", "Nothing can be read: no line of the file is a record.", Severity.ERROR)


class _Reader:
    """Makes the sessions of one bundle's transcripts."""

    def __init__(self, bundle: ClaudeBundle, transcripts: list[Transcript], notes: Notes) -> None:
        self.bundle = bundle
        self.transcripts = transcripts
        self.notes = notes
        # The large outputs of inherited calls lie in the parent's folder.
        self.outputs = Outputs([folder for member in [bundle, *bundle.peers] for folder in member.folders], notes)
        self.by_uuid: dict[str, Line] = {}
        self._title_fields: dict[str, Any] = {}
        self._manifests = manifests_in(bundle.manifests, notes)
        self._origins: tuple[Link, ...] = ()
        for transcript in transcripts:
            self.by_uuid = {**transcript.by_uuid, **self.by_uuid} if self.by_uuid else transcript.by_uuid

    def sessions(self) -> list[Session]:
        """The sessions, the main one first."""
        bundle = self.bundle
        own, chains = self._own_and_chains()
        spawned = StartedSessions(bundle, self.transcripts, chains)
        builder = Builder(bundle.name, self.notes, self.outputs, spawned.by_call)
        for transcript in self.transcripts:
            builder.add_queue(step.content or "" for step in transcript.prompts_of_queue())
        builder.build([(transcript.file, lines) for transcript, lines in own])
        messages = self._with_fates(builder, own)
        fork = None
        if bundle.peers or (bundle.kind is Kind.MAIN and any(map(forks.has_copies, self.transcripts))):
            fork = forks.fork_of(bundle, [pair for transcript in self.transcripts for pair in transcript.lines])
        if fork is not None:
            messages = forks.inherited(messages, builder.items, fork.shared)
            parents = [peer for peer in bundle.peers if peer.id == fork.name]
            bundle.parent_files = [display_path(file.path) for peer in parents for file in peer.transcripts()]
        if bundle.kind is Kind.MAIN:
            messages, self._origins = arrival_of(messages, builder.items, self._manifests)
        if bundle.peers:
            messages = copied_figures.with_copied_figures(messages, bundle, self.notes)
        for transcript in self.transcripts if bundle.kind is Kind.MAIN else ():
            if transcript.queue:
                messages = queue.insert_queued(messages, queue.lost_prompts(transcript, messages))
        messages += self._prompts_session(messages)
        if not any(_has_content(message) for message in messages):
            return []
        children = [self._chain(chain, builder.facts, spawned, fork) for chain in chains]
        bundle.depends_on = self.outputs.asked
        return [self._session(builder, messages, fork), *children]

    def _prompts_session(self, messages: list[Message]) -> list[Message]:
        """Prompts that were typed after the end of the transcript, which was cut."""
        log, typed = self.bundle.history, self.bundle.typed
        lost = history.unrecorded(typed, messages) if log is not None and self.bundle.kind is Kind.MAIN else []
        if log is None or not lost:
            return []
        self.outputs.used.append(log.file.path)
        return history.as_messages(lost, lost[0].project, display_path(log.file.path))

    def _own_and_chains(self) -> tuple[list[tuple[Transcript, list[Pair]]], list[Chain]]:
        """The lines of each file without copies, and separately those of sub-agents in a main transcript."""
        own: list[tuple[Transcript, list[Pair]]] = []
        chains: list[Chain] = []
        seen: set[str | None] = set()
        for transcript in self.transcripts:
            lines = self._without_copies(transcript)
            if len(self.transcripts) > 1:
                lines = [pair for pair in lines if pair[1].uuid is None or pair[1].uuid not in seen]
                seen.update(transcript.by_uuid)
            if self.bundle.kind is Kind.MAIN and transcript.sidechains:
                lines, inner = split_chains(lines, self.bundle.id)
                if not lines and len(inner) == 1 and len(self.transcripts) == 1:
                    # A sub-agent's transcript under another name.
                    lines, inner = inner[0].lines, []
                chains += inner
            own.append((transcript, lines))
        return own, chains

    def _without_copies(self, transcript: Transcript) -> list[Pair]:
        """The lines of a file without copies. What only a copy has is kept separately."""
        # A chain has only one path, so nothing in it is on another one.
        copies = {} if transcript.is_chain else copies_in(transcript.lines, transcript.by_uuid)
        if not copies:
            return transcript.lines
        again = transcript.side_records.setdefault("again", [])
        for number, line in transcript.lines:
            if line.uuid in copies:
                again.append({"line": number, **difference(line, copies[line.uuid])})
        self.by_uuid = {**self.by_uuid, **copies}
        return [pair for pair in transcript.lines if pair[1].uuid not in copies]

    def _with_fates(self, builder: Builder, own: list[tuple[Transcript, list[Pair]]]) -> list[Message]:
        """The messages in the order in which they happened, with their fates."""
        is_chain = len(own) == 1 and own[0][0].is_chain and own[0][1] is own[0][0].lines
        tree = Tree([line for _, lines in own for _, line in lines], self.by_uuid, is_chain=is_chain)
        # In a chain of messages in one file, each follows the one before it.
        is_in_order = tree.is_chain and len(own) == 1 and not builder.ticks
        if not is_in_order and (order := branches.in_order(builder.items, tree)) is not None:
            builder.reorder(order)
        if self.bundle.kind is not Kind.MAIN:
            return builder.messages
        prompts = {line.uuid for line in builder.prompts if line.type == "user"}
        written = [(transcript, lines) for transcript, lines in own if lines]
        if len(written) > 1:
            written = [max(written, key=_last_written_key)]
        last, rows = written[0] if written else (self.transcripts[-1], [])
        fates = branches.fates(builder, tree, leaf_of(tree, rows, last.mark, prompts))
        if not fates:
            return builder.messages
        return [
            msgspec.structs.replace(message, fate=fates[number]) if number in fates else message
            for number, message in enumerate(builder.messages)
        ]

    def _session(self, builder: Builder, messages: list[Message], fork: forks.Fork | None) -> Session:
        bundle = self.bundle
        meta = self._meta()
        parent = starting_session(bundle, meta)
        times = _times(messages)
        kind = bundle.kind
        if kind is Kind.MAIN and not (builder.items and any(_is_conversation(message) for message in messages)):
            # Nothing was sent: only queued prompts, or commands for the client.
            kind = Kind.PROMPTS
        missing = (*gaps(messages), *self._lost_records())
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

    def _chain(self, chain: Chain, facts: dict[str, Any], spawned: StartedSessions, fork: forks.Fork | None) -> Session:
        """The session of a sub-agent in its parent's transcript."""
        transcript = self.transcripts[0]
        builder = Builder(self.bundle.name, self.notes, self.outputs, spawned.by_call)
        messages = builder.build([(transcript.file, chain.lines)]).messages
        if fork is not None:
            messages = forks.inherited(messages, builder.items, fork.shared)
        times = _times(messages)
        parent = f"{AGENT}:{self.bundle.id}"
        key = f"{AGENT}:{chain.id}"
        missing = (*gaps(messages), *lost_records(transcript.file, chain.lines, self._uuids()))
        how = "a call has its first words" if spawned.parent_call(key) else "it lies in the session's transcript"
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

    def _lost_records(self) -> list[Gap]:
        """The gaps of records that were lost without a trace. An unreadable line is a gap in any case."""
        transcripts = [
            transcript
            for transcript in self.transcripts
            if not (transcript.is_chain or transcript.damaged or _CONTEXT_ELSEWHERE in transcript.side_records)
        ]
        uuids = self._uuids() if transcripts else set()
        return [
            missing for transcript in transcripts for missing in lost_records(transcript.file, transcript.lines, uuids)
        ]

    def _uuids(self) -> set[str]:
        """The uuids of all records of the session, also of those that are no part of the conversation."""
        return self.by_uuid.keys() | set[str]().union(*(transcript.other_uuids for transcript in self.transcripts))

    def _meta(self) -> SubagentMeta | None:
        result: SubagentMeta | None = None
        for file in self.bundle.metas:
            self.notes.file = display_path(file.path)
            meta = read_meta(file, self.notes)
            if meta is None:
                self.notes.add("file.damaged", "Nothing can be read: the file is not a JSON object.", Severity.ERROR)
            result = result or meta
        return result

    def _title(self, meta: SubagentMeta | None, messages: list[Message]) -> str | None:
        """The human's title, or the agent's, or that of a later session; for a sub-agent, its task."""
        if self.bundle.kind is Kind.SUBAGENT:
            described = meta.description if meta is not None else None
            task = next((m.text for m in messages if m.role is Role.USER and m.text and not m.inherited), "")
            return described or first_words(task) or None
        titles = [transcript.titles for transcript in reversed(self.transcripts)]
        from_files = [title for title in map(self._title_in_file, self.bundle.titles) if title]
        candidates = [
            *(by_kind["custom-title"] for by_kind in titles if "custom-title" in by_kind),
            *from_files,
            *(by_kind["ai-title"] for by_kind in titles if "ai-title" in by_kind),
            *(by_kind["agent-name"] for by_kind in titles if "agent-name" in by_kind),
        ]
        return next((_short_title(title) for title in candidates if _short_title(title)), None) or self._summary()

    def _title_in_file(self, file: Any) -> str | None:
        """The title in its own file (2.1.325)."""
        self.notes.file = display_path(file.path)
        try:
            title = decode(TitleFile, read_bytes(file.path), self.notes, "custom-title.json")
        except (Unreadable, Malformed):
            title = None
        if title is None:
            self.notes.add("file.damaged", "Nothing can be read: the file is not a JSON object.", Severity.ERROR)
            return None
        self._title_fields |= tidy(title)
        return title.customTitle

    def _summary(self) -> str | None:
        """The summary of the latest of the session's records, in its own files or at the top of later ones."""
        for summaries in [*(transcript.summaries for transcript in self.transcripts), self.bundle.summaries]:
            leaves = summaries.keys() & self.by_uuid.keys()
            last = next((leaf for leaf in reversed(self.by_uuid) if leaf in leaves), None) if leaves else None
            # In some releases the model answered with JSON, which is not a title.
            if last is not None and not summaries[last].startswith(("{", "[")):
                return _short_title(summaries[last])
        return None

    def _links(self, parent: str | None, fork: forks.Fork | None) -> tuple[Link, ...]:
        links: list[Link] = []
        if parent is not None:
            links.append(Link(kind="subagent_of", target=f"{AGENT}:{parent}", evidence=self.bundle.evidence))
        if fork is not None and fork.name is not None:
            links.append(Link(kind="forked_from", target=f"{AGENT}:{fork.name}", evidence=fork.evidence))
        return (*links, *self._origins)

    def _files(self) -> tuple[str, ...]:
        paths = [file.path for file in self.bundle.files]
        return tuple(display_path(path) for path in dict.fromkeys([*paths, *self.outputs.used]))

    def _extra(self, builder: Builder, meta: SubagentMeta | None) -> dict[str, Any]:
        """What the files hold besides the conversation: the setting, the client's bookkeeping, unknown records."""
        extra: dict[str, Any] = dict(builder.facts)
        if meta is not None and (rest := tidy(meta)):
            extra["meta"] = rest
        if self._manifests:
            extra["manifests"] = [tidy(manifest) for manifest in self._manifests.values()]
        if self._title_fields:
            extra["title"] = self._title_fields
        if builder.ticks:
            extra["progress"] = [tidy(line) for line in builder.ticks]
        for transcript in self.transcripts:
            for kind, records in transcript.side_records.items():
                extra.setdefault("records", {}).setdefault(kind, []).extend(records)
            if transcript.unknown:
                unknown = [{"file": transcript.file, **record} for record in transcript.unknown.all()]
                extra.setdefault("unknown", []).extend(unknown)
        return extra


def _has_content(message: Message) -> bool:
    """Is this more than a message of the client?"""
    return message.author is not Author.CLIENT


def _is_conversation(message: Message) -> bool:
    """Is this part of a conversation, and not only a command for the client?"""
    return message.author is not Author.CLIENT and message.role is not Role.SYSTEM


def _times(messages: list[Message]) -> tuple[datetime | None, datetime | None]:
    own = [m.at for m in messages if m.at is not None and not m.inherited]
    times = own or [m.at for m in messages if m.at is not None]
    return min(times, default=None), max(times, default=None)


def _project(facts: dict[str, Any]) -> str | None:
    """The directory in which the session began. The folder's name cannot be turned back into a path."""
    cwd = facts.get("cwd")
    return cwd if type(cwd) is str else None


def _short_title(text: str) -> str | None:
    return first_words(text, 200) or None


def _prompts_session(bundle: ClaudeBundle) -> list[Session]:
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
