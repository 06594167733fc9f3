"""Make one session from all of its files."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Author, Gap, Kind, Link, Message, Notice, Role, Session, Severity, exactness, first_words
from pollux.sources.base import File, Reading, read_with
from pollux.sources.codex import side_files
from pollux.sources.codex.calls.calls import Call
from pollux.sources.codex.forks.arrivals import mark_arrivals
from pollux.sources.codex.forks.chain import Chain, chain_of
from pollux.sources.codex.forks.joined_file import JoinedFile, joined_files
from pollux.sources.codex.forks.lesser_files import without_copies
from pollux.sources.codex.forks.reviews import session_of_review
from pollux.sources.codex.forks.rollout import Rollout, read_joined
from pollux.sources.codex.forks.threads import Threads, identity
from pollux.sources.codex.forks.twins import unite
from pollux.sources.codex.format.document import document, fingerprints_of_items, item_fingerprint, records_of
from pollux.sources.codex.gaps import gaps
from pollux.sources.codex.group import AGENT, CodexBundle
from pollux.sources.codex.replay.entries import CLIENT, HUMAN, MODEL, Entry
from pollux.sources.handed_over import casr_links
from pollux.sources.session_migrate import Manifest, read_manifest
from pollux.sources.typed_prompts import typed_sessions
from pollux.wire import Notes, display_path, tidy


def read(bundle: CodexBundle) -> Reading:
    """The session of a bundle; no session if nobody said anything."""
    return read_with(bundle, _sessions_and_notices)


def _sessions_and_notices(bundle: CodexBundle) -> tuple[list[Session], tuple[Notice, ...]]:
    bundle.threads.questions = {}
    notes = Notes()
    if bundle.kind is Kind.PROMPTS:
        sessions = _typed(bundle)
    else:
        session = _read(bundle, notes)
        sessions = [session] if session is not None else []
    bundle.depends_on = bundle.threads.questions
    notices = bundle.side_files.notices() if bundle.kind is Kind.PROMPTS or not bundle.files else ()
    return sessions, (*notices, *notes.all())


def _read(bundle: CodexBundle, notes: Notes) -> Session | None:
    if not bundle.files:
        return None
    originals, copies = without_copies(bundle.files)
    files = joined_files(originals) if len(originals) > 1 else originals
    own = [rollout for file in files if (rollout := read_joined(file, bundle.threads, notes)) is not None]
    if not own:
        return None
    if len(own) > 1:
        own.sort(key=_order)
        own, same = unite(own, notes)
        copies += same
    chain = chain_of(own, bundle.threads, notes)
    return _session(bundle, chain, copies, notes)


def _order(rollout: Rollout) -> tuple[Any, ...]:
    """A sort key: the file with the newest line comes last, because it decides which messages are live.

    If two files end at the same time, the file with fewer messages comes last: the other one also contains messages
    that were kept from earlier states. This does not apply to a file that has fewer because lines cannot be read.
    """
    messages = len(rollout.replay.entries)
    return (
        rollout.base is not None,
        _when(rollout.ended),
        not rollout.is_torn,
        -messages,
        len(rollout.replay.times),
        rollout.file.path,
    )


def _session(bundle: CodexBundle, chain: Chain, copies: list[File], notes: Notes) -> Session | None:
    first, current = chain.own[0], chain.own[-1]
    meta = first.meta
    kind, author = _kind(meta)
    manifest_file = bundle.side_files.manifest_file(bundle.id)
    manifest = read_manifest(manifest_file, notes) if manifest_file is not None else None
    note = mark_arrivals(chain.own, manifest) if kind is Kind.MAIN else None
    rollouts_and_entries = chain.entries()
    for rollout in (*chain.own, *chain.foreign):
        for call in rollout.replay.spawns:
            _set_child(call, bundle)
    messages = _messages(rollouts_and_entries, author)
    files = [*(path for rollout in chain.own for path in rollout.paths), *(file.path for file in copies)]
    files += [path for rollout in chain.foreign for path in rollout.paths]
    files += [manifest_file.path] if manifest_file is not None else []
    if kind is Kind.MAIN and bundle.id in bundle.side_files.prompts and bundle.side_files.log is not None:
        missing_lines = side_files.missing_prompts(bundle.side_files.prompts[bundle.id], messages)
        log = bundle.side_files.log.path
        messages = side_files.in_time_order(messages, [side_files.as_message(line, log) for line in missing_lines])
        files += [log] if missing_lines else []
    if not any(_is_said(message) for message in messages):
        return None
    project, evidence = _project(chain)
    ends = [max(rollout.replay.times) for rollout in chain.own if rollout.replay.times]
    starts = [at for rollout in chain.own if (at := rollout.started) is not None]
    parent, proof = _parent(first, bundle.threads)
    extra = _extra(chain, current, copies, notes) | ({"manifest": tidy(manifest)} if manifest is not None else {})
    unpaid = (entry for rollout in chain.own for entry in rollout.state.uncounted_summaries if not entry.inherited)
    accounts = [rollout.account for rollout in chain.own]
    summarized, spawned = any(True for _ in unpaid), kind is Kind.SUBAGENT
    missing = _located(gaps(accounts, uncounted_summaries=summarized, spawned=spawned, broken=chain.is_broken), chain)
    return Session(
        agent=AGENT,
        id=bundle.id,
        kind=kind,
        parent=f"{AGENT}:{parent}" if parent is not None else None,
        title=_title(bundle, chain) or _task(kind, messages),
        project=project,
        project_evidence=evidence,
        started=min(starts, default=None),
        ended=max(ends, default=None),
        messages=tuple(messages),
        links=(*_links(bundle, chain, copies, parent, proof), *_origins(bundle, note, manifest, messages)),
        notices=notes.all(),
        files=tuple(display_path(path) for path in dict.fromkeys(files)),
        exact=exactness(missing),
        gaps=missing,
        tallies=tuple(tally for rollout in chain.own if (tally := rollout.tally) is not None),
        extra=extra,
    )


def _located(missing: tuple[Gap, ...], chain: Chain) -> tuple[Gap, ...]:
    """Gaps with their places. Of several files nobody knows which one a line of a joined file is in."""
    joined = [file for rollout in chain.own if isinstance(file := rollout.file, JoinedFile)]
    if not joined:
        return missing
    if len(chain.own) > 1:
        return tuple(msgspec.structs.replace(gap, line=None) for gap in missing)
    return tuple(joined[0].located(gap) for gap in missing)


def _set_author(entry: Entry, author: Author | None, *, has_echoes: bool) -> None:
    """Set the author of a prompt. An inherited prompt keeps the author that it has in the other session."""
    if author is not None and not entry.inherited:
        entry.author = author
    elif has_echoes and entry.is_doubtful:
        entry.author = CLIENT


def _set_child(call: Call, bundle: CodexBundle) -> None:
    """Set the session that a call started, if that session exists."""
    child = call.child or _spawned_session(call)
    call.child = f"{AGENT}:{child}" if child is not None and bundle.threads.holds(child) else None


def _spawned_session(call: Call) -> str | None:
    output = call.outcome[0]
    if type(output) is not str or '"agent_id"' not in output:
        return None
    try:
        match msgspec.json.decode(output):
            case {"agent_id": str(name)}:
                return name
    except (msgspec.DecodeError, ValueError):
        pass
    return None


def _messages(rollouts_and_entries: list[tuple[Rollout, list[Entry]]], author: Author | None) -> list[Message]:
    ids = _MessageIds()
    messages: list[Message] = []
    for rollout, entries in rollouts_and_entries:
        # Releases without times do not record the texts that were shown.
        has_echoes = bool(rollout.replay.times)
        for entry in entries:
            if entry.author is HUMAN:
                _set_author(entry, author, has_echoes=has_echoes)
        messages += rollout.messages(zip(ids.of_all(entries), entries, strict=True))
    return messages


class _MessageIds:
    """Gives each message of a session an id that no other message has."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}

    def of_all(self, entries: list[Entry]) -> list[str]:
        """Each message's own id, else its line."""
        names = [entry.id or f"line-{entry.line}" for entry in entries]
        distinct = set(names)
        if len(distinct) == len(names) and distinct.isdisjoint(self._taken):
            self._taken |= distinct
            return names
        return [self._of(name, entry) for name, entry in zip(names, entries, strict=True)]

    def _of(self, name: str, entry: Entry) -> str:
        """The name, if no other message has it. Otherwise the line is added to it, then a number."""
        if name in self._taken:
            name = base = f"{name}-{entry.line}"
            while name in self._taken:
                self._counts[base] = self._counts.get(base, 1) + 1
                name = f"{base}-{self._counts[base]}"
        self._taken.add(name)
        return name


def _is_said(message: Message) -> bool:
    """Did a human or a model say it, not only the client?"""
    return message.author is not Author.CLIENT


def _kind(meta: dict[str, Any]) -> tuple[Kind, Author | None]:
    """The kind of a session and, for a sub-agent, who wrote its prompts: the parent's model, or the client."""
    match meta.get("source"):
        case {"subagent": {"thread_spawn": _}}:
            return Kind.SUBAGENT, MODEL
        case {"subagent": _} | {"internal": _}:
            return Kind.SUBAGENT, CLIENT
    thread = meta.get("thread_source")
    spawned = thread == "subagent" or (thread is None and type(meta.get("parent_thread_id")) is str)
    return (Kind.SUBAGENT, MODEL) if spawned else (Kind.MAIN, None)


def _parent(rollout: Rollout, threads: Threads) -> tuple[str | None, str]:
    """The session that started this one, and the evidence."""
    meta, evidence = rollout.meta, "its file names its parent"
    match meta:
        case {"source": {"subagent": {"thread_spawn": {"parent_thread_id": str(name)}}}}:
            return name, evidence
        case {"parent_thread_id": str(name)}:
            return name, evidence
        case {"source": {"subagent": "review"}, "forked_from_id": str(name)}:
            return name, evidence
        case {"session_id": str(root)} if _kind(meta)[0] is Kind.SUBAGENT and root != meta.get("id"):
            return root, evidence
        case {"source": {"subagent": "review"}}:
            return session_of_review(rollout, threads) or (None, "")
    return None, ""


def _project(chain: Chain) -> tuple[str | None, str | None]:
    """The working directory: from the session's meta line, else from the context that the client gave the model."""
    for rollout in chain.own:
        if type(path := rollout.meta.get("cwd")) is str and path:
            return path, "recorded"
    for rollout in chain.own:
        if rollout.replay.directory is not None:
            return rollout.replay.directory, "recorded"
    return None, None


def _task(kind: Kind, messages: list[Message]) -> str | None:
    """The title of a sub-agent: the first words of its task."""
    if kind is not Kind.SUBAGENT:
        return None
    own = (
        m for m in messages if m.role is Role.USER and not m.inherited and m.author is Author.MODEL and m.text.strip()
    )
    task = next(own, None)
    return first_words(task.text) if task is not None else None


def _title(bundle: CodexBundle, chain: Chain) -> str | None:
    """The session's name: from Codex's index of names, else from its files, else from the list of imports."""
    if (name := bundle.side_files.names.get(bundle.id)) is not None:
        return name or None
    name_in_files = next((rollout.state.name for rollout in reversed(chain.own) if rollout.state.name), None)
    record = bundle.side_files.imports.get(bundle.id)
    return name_in_files or (record.title if record is not None and record.title else None)


def _links(
    bundle: CodexBundle, chain: Chain, copies: list[File], parent: str | None, evidence: str
) -> tuple[Link, ...]:
    """The links of the session to other sessions, and between its own files."""
    first = chain.own[0]
    links: list[Link] = []
    if parent is not None:
        links.append(Link(kind="subagent_of", target=f"{AGENT}:{parent}", evidence=evidence))
    origin = first.meta.get("forked_from_id")
    if origin is None and chain.foreign:
        origin = chain.foreign[-1].meta.get("id")
    if type(origin) is str and origin != bundle.id:
        links.append(Link(kind="forked_from", target=f"{AGENT}:{origin}", evidence="its file names its origin"))
    elif first.state.parents and parent is None:
        evidence = "its file begins with the other's first line"
        links.append(Link(kind="forked_from", target=f"{AGENT}:{first.state.parents[0]}", evidence=evidence))
    elif first.copied_from is not None and (name := identity(first.copied_from)) is not None:
        evidence = "its file begins with the other's lines"
        links.append(Link(kind="continues", target=f"{AGENT}:{name}", evidence=evidence))
    key = f"{AGENT}:{bundle.id}"
    for path in [*chain.own[0].paths[1:], *(path for rollout in chain.own[1:] for path in rollout.paths)]:
        evidence = f"{display_path(path)} is a part under the same id"
        links.append(Link(kind="continues", target=key, evidence=evidence))
    for file in copies:
        evidence = f"{display_path(file.path)} holds the same, or less of it"
        links.append(Link(kind="copy_of", target=key, evidence=evidence))
    return tuple(links)


def _origins(
    bundle: CodexBundle, note: Link | None, manifest: Manifest | None, messages: list[Message]
) -> Iterator[Link]:
    """The links to the session of which this one is a copy: by its note, an import, or a converter."""
    if note is not None:
        yield note
    record = bundle.side_files.imports.get(bundle.id)
    if record is not None and (link := side_files.imported_from(record)) is not None:
        yield link
    file = bundle.side_files.manifest_file(bundle.id)
    if manifest is not None and file is not None and (link := manifest.link(display_path(file.path))) is not None:
        yield link
    yield from casr_links(messages[:1])


def _extra(chain: Chain, current: Rollout, copies: list[File], notes: Notes) -> dict[str, Any]:
    """The meta lines of the session's files, and their bookkeeping."""
    extra: dict[str, Any] = {"meta": current.meta} if current.meta else {}
    earlier = [rollout.meta for rollout in chain.own if rollout.meta and rollout.meta != current.meta]
    if earlier:
        extra["earlier"] = earlier
    bookkeeping: list[dict[str, Any]] = []
    for rollout in chain.own:
        name = {"file": display_path(rollout.file.path)} if len(chain.own) > 1 else {}
        records = rollout.records
        bookkeeping += [{**name, **record} for record in records] if name else records
        extra.update(rollout.extra)
    if bookkeeping:
        extra["records"] = bookkeeping
    if copies:
        extra["copies"] = [_copy(file, current, notes) for file in copies]
    return extra


def _copy(file: File, current: Rollout, notes: Notes) -> dict[str, Any]:
    """The facts that a copy states about itself."""
    facts: dict[str, Any] = {"file": display_path(file.path)}
    if file.path.endswith(".json"):
        notes.file, notes.line = facts["file"], None
        try:
            content = document(file.path, notes)
        except Unreadable as error:
            notes.add("file.unreadable", str(error), Severity.ERROR)
            return facts
        facts |= {"session": content.session, **content.extra}
        whole = fingerprints_of_items(current.file).fingerprints
        other = [item for n, item in enumerate(content.items or ()) if item_fingerprint(item) not in whole[n : n + 1]]
        if other:
            facts["items"] = other
        # This adds the notices about its items.
        deque(records_of(content, notes), maxlen=0)
    return facts


def _typed(bundle: CodexBundle) -> list[Session]:
    """A session of which only typed prompts are left."""
    log = bundle.side_files.log
    lines = bundle.side_files.prompts.get(bundle.id, []) if log is not None else []
    messages = [side_files.as_message(line, log.path) for line in lines if log is not None]
    files = [display_path(file.path) for file in bundle.files]
    title = bundle.side_files.names.get(bundle.id)
    return typed_sessions(AGENT, bundle.id, messages, files, bundle.side_files.notices(), title=title)


def _when(at: datetime | None) -> float:
    return at.timestamp() if at is not None else float("inf")
