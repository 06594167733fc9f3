"""One session from all the files that hold it."""

from __future__ import annotations

from collections import deque
from datetime import datetime
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Author, Kind, Link, Message, Notice, Role, Session, Severity, exactness, first_words
from pollux.sources.base import File, Reading, read_with
from pollux.sources.codex import prompts
from pollux.sources.codex.calls.calls import Call
from pollux.sources.codex.forks.chain import Chain, Part, chained, part, whole
from pollux.sources.codex.forks.reviews import asked_by
from pollux.sources.codex.forks.threads import Shelf, identity, stem
from pollux.sources.codex.format.document import document, items_of, records_of, seal_of
from pollux.sources.codex.gaps import gaps
from pollux.sources.codex.group import AGENT, CodexBundle
from pollux.sources.codex.replay.entries import CLIENT, HUMAN, MODEL, Entry
from pollux.sources.codex.usage.tokens import tally
from pollux.sources.typed import typed_sessions
from pollux.wire import Notes, shown


def read(bundle: CodexBundle) -> Reading:
    """The session of a bundle; none where nothing was said."""
    return read_with(bundle, _asking)


def _asking(bundle: CodexBundle) -> tuple[list[Session], tuple[Notice, ...]]:
    bundle.shelf.asked = {}
    notes = Notes()
    if bundle.kind is Kind.PROMPTS:
        sessions = _typed(bundle)
    else:
        session = _read(bundle, notes)
        sessions = [session] if session is not None else []
    bundle.depends_on = bundle.shelf.asked
    beside = bundle.beside.notices() if bundle.kind is Kind.PROMPTS or not bundle.files else ()
    return sessions, (*beside, *notes.all())


def _read(bundle: CodexBundle, notes: Notes) -> Session | None:
    if not bundle.files:
        return None
    chosen, copies = _chosen(bundle.files)
    own = [held for file in chosen if (held := part(file, bundle.shelf, notes)) is not None]
    if not own:
        return None
    if len(own) > 1:
        own, same = whole(own)
        copies += same
        own.sort(key=lambda held: (held.base is not None, _when(held.started), held.file.path))
    chain = chained(own, bundle.shelf, notes)
    return _session(bundle, chain, copies, notes)


def _chosen(files: tuple[File, ...]) -> tuple[list[File], list[File]]:
    """The files to be read, and those that hold the same: compressed twins, archived copies, shorter documents."""
    if len(files) == 1:
        return [*files], []
    chosen: dict[str, File] = {}
    copies: list[File] = []
    for file in sorted(files, key=lambda file: (file.path.endswith(".zst"), -file.size, file.path)):
        name = "document" if file.path.endswith(".json") else stem(file.path)
        if name in chosen:
            copies.append(file)
        else:
            chosen[name] = file
    return list(chosen.values()), copies


def _session(bundle: CodexBundle, chain: Chain, copies: list[File], notes: Notes) -> Session | None:
    first, current = chain.own[0], chain.own[-1]
    meta = first.meta
    kind, author = _kind(meta)
    placed = chain.entries()
    for held in (*chain.own, *chain.foreign):
        for call in held.walk.spawns:
            _adopt(call, bundle)
    messages = _messages(placed, author)
    files = [*(held.file.path for held in chain.own), *(file.path for file in copies)]
    files += [held.file.path for held in chain.foreign]
    if kind is Kind.MAIN and bundle.id in bundle.beside.typed and bundle.beside.log is not None:
        lost = prompts.lost(bundle.beside.typed[bundle.id], messages)
        log = bundle.beside.log.path
        messages = prompts.woven(messages, [prompts.as_message(line, log) for line in lost])
        files += [log] if lost else []
    if not any(_is_said(message) for message in messages):
        return None
    project, told = _project(chain)
    ends = [max(held.walk.times) for held in chain.own if held.walk.times]
    starts = [at for held in chain.own if (at := held.started) is not None]
    parent, evidence = _parent(first, bundle.shelf)
    extra = _extra(chain, current, copies, notes)
    unpaid = (entry for held in chain.own for entry in held.books.uncounted if not entry.inherited)
    accounts = [held.account for held in chain.own]
    missing = gaps(accounts, uncounted=any(True for _ in unpaid), spawned=kind is Kind.SUBAGENT)
    return Session(
        agent=AGENT,
        id=bundle.id,
        kind=kind,
        parent=f"{AGENT}:{parent}" if parent is not None else None,
        title=_title(bundle, chain) or _task(kind, messages),
        project=project,
        project_evidence=told,
        started=min(starts, default=None),
        ended=max(ends, default=None),
        messages=tuple(messages),
        links=_links(bundle, chain, copies, parent, evidence),
        notices=notes.all(),
        files=tuple(shown(path) for path in dict.fromkeys(files)),
        exact=exactness(missing),
        gaps=missing,
        tallies=tuple(t for held in chain.own if (t := tally(held.walk.meter, shown(held.file.path))) is not None),
        extra=extra,
    )


def _settle(entry: Entry, author: Author | None, *, echoed: bool) -> None:
    """Whose prompts they were: what was inherited was said by whoever said it there."""
    if author is not None and not entry.inherited:
        entry.author = author
    elif echoed and entry.is_doubtful:
        entry.author = CLIENT


def _adopt(call: Call, bundle: CodexBundle) -> None:
    """Which session a call started, where there is one."""
    child = call.child or _spawned(call)
    call.child = f"{AGENT}:{child}" if child is not None and bundle.shelf.holds(child) else None


def _spawned(call: Call) -> str | None:
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


def _messages(placed: list[tuple[Part, list[Entry]]], author: Author | None) -> list[Message]:
    taken: set[str] = set()
    messages: list[Message] = []
    for held, entries in placed:
        file, document = shown(held.file.path), held.file.path.endswith(".json")
        # Before lines had times, nothing was written of what was shown.
        echoed = bool(held.walk.times)
        for entry in entries:
            if entry.author is HUMAN:
                _settle(entry, author, echoed=echoed)
            name = entry.id or f"line-{entry.line}"
            while name in taken:
                name = f"{name}-{entry.line}"
            taken.add(name)
            messages.append(entry.message(name, file, document))
    return messages


def _is_said(message: Message) -> bool:
    """Is it more than the client's own talk?"""
    return message.author is not Author.CLIENT


def _kind(meta: dict[str, Any]) -> tuple[Kind, Author | None]:
    """Whether a session is a sub-agent's, and then who wrote its prompts: the parent's model, or the client."""
    match meta.get("source"):
        case {"subagent": {"thread_spawn": _}}:
            return Kind.SUBAGENT, MODEL
        case {"subagent": _} | {"internal": _}:
            return Kind.SUBAGENT, CLIENT
    thread = meta.get("thread_source")
    spawned = thread == "subagent" or (thread is None and type(meta.get("parent_thread_id")) is str)
    return (Kind.SUBAGENT, MODEL) if spawned else (Kind.MAIN, None)


def _parent(held: Part, shelf: Shelf) -> tuple[str | None, str]:
    """The session that started one, and how we know."""
    meta, evidence = held.meta, "its file names its parent"
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
            return asked_by(held, shelf) or (None, "")
    return None, ""


def _project(chain: Chain) -> tuple[str | None, str | None]:
    """The working directory: of the session itself, else as the client told the model."""
    for held in chain.own:
        if type(path := held.meta.get("cwd")) is str and path:
            return path, "recorded"
    for held in chain.own:
        if held.walk.directory is not None:
            return held.walk.directory, "recorded"
    return None, None


def _task(kind: Kind, messages: list[Message]) -> str | None:
    """A sub-agent's task names it."""
    if kind is not Kind.SUBAGENT:
        return None
    own = (
        m for m in messages if m.role is Role.USER and not m.inherited and m.author is Author.MODEL and m.text.strip()
    )
    task = next(own, None)
    return first_words(task.text) if task is not None else None


def _title(bundle: CodexBundle, chain: Chain) -> str | None:
    """The name somebody gave it: as the index has it last, else as its files do, else as it was imported."""
    if (name := bundle.beside.names.get(bundle.id)) is not None:
        return name or None
    named = next((held.books.name for held in reversed(chain.own) if held.books.name), None)
    record = bundle.beside.imports.get(bundle.id)
    return named or (record.title if record is not None and record.title else None)


def _links(
    bundle: CodexBundle, chain: Chain, copies: list[File], parent: str | None, evidence: str
) -> tuple[Link, ...]:
    """How the session hangs together with others, and how its own files do."""
    first = chain.own[0]
    links: list[Link] = []
    if parent is not None:
        links.append(Link(kind="subagent_of", target=f"{AGENT}:{parent}", evidence=evidence))
    origin = first.meta.get("forked_from_id")
    if origin is None and chain.foreign:
        origin = chain.foreign[-1].meta.get("id")
    if type(origin) is str and origin != bundle.id:
        links.append(Link(kind="forked_from", target=f"{AGENT}:{origin}", evidence="its file names its origin"))
    elif first.books.copied and parent is None:
        evidence = "its file begins with the other's first line"
        links.append(Link(kind="forked_from", target=f"{AGENT}:{first.books.copied[0]}", evidence=evidence))
    elif first.copied_from is not None and (name := identity(first.copied_from)) is not None:
        evidence = "its file begins with the other's lines"
        links.append(Link(kind="continues", target=f"{AGENT}:{name}", evidence=evidence))
    key = f"{AGENT}:{bundle.id}"
    for held in chain.own[1:]:
        evidence = f"{shown(held.file.path)} is a part under the same id"
        links.append(Link(kind="continues", target=key, evidence=evidence))
    told = (f"{shown(file.path)} holds the same, or less of it" for file in copies)
    links += [Link(kind="copy_of", target=key, evidence=evidence) for evidence in told]
    record = bundle.beside.imports.get(bundle.id)
    if record is not None and (link := prompts.imported_from(record)) is not None:
        links.append(link)
    return tuple(links)


def _extra(chain: Chain, current: Part, copies: list[File], notes: Notes) -> dict[str, Any]:
    """What the files say about the session, and their bookkeeping."""
    extra: dict[str, Any] = {"meta": current.meta} if current.meta else {}
    earlier = [held.meta for held in chain.own if held is not current and held.meta]
    if earlier:
        extra["earlier"] = earlier
    kept: list[dict[str, Any]] = []
    for held in chain.own:
        name = {"file": shown(held.file.path)} if len(chain.own) > 1 else {}
        kept += [{**name, **record} for record in held.walk.kept.all()] if name else held.walk.kept.all()
        extra.update(held.extra)
    if kept:
        extra["records"] = kept
    if copies:
        extra["copies"] = [_copy(file, current, notes) for file in copies]
    return extra


def _copy(file: File, current: Part, notes: Notes) -> dict[str, Any]:
    """What a file that holds the same says about itself."""
    held: dict[str, Any] = {"file": shown(file.path)}
    if file.path.endswith(".json"):
        notes.file, notes.line = held["file"], None
        try:
            found = document(file.path, notes)
        except Unreadable as error:
            notes.add("file.unreadable", str(error), Severity.ERROR)
            return held
        held |= {"session": found.session, **found.extra}
        whole = items_of(current.file).seals
        other = [item for n, item in enumerate(found.items or ()) if seal_of(item) not in whole[n : n + 1]]
        if other:
            held["items"] = other
        # What is odd about it is told, too.
        deque(records_of(found, notes), maxlen=0)
    return held


def _typed(bundle: CodexBundle) -> list[Session]:
    """A session of which only typed prompts are left."""
    log = bundle.beside.log
    lines = bundle.beside.typed.get(bundle.id, []) if log is not None else []
    messages = [prompts.as_message(line, log.path) for line in lines if log is not None]
    files = [shown(file.path) for file in bundle.files]
    title = bundle.beside.names.get(bundle.id)
    return typed_sessions(AGENT, bundle.id, messages, files, bundle.beside.notices(), title=title)


def _when(at: datetime | None) -> float:
    return at.timestamp() if at is not None else float("inf")
