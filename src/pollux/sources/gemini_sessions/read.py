"""Reads one session from all of its files."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from pollux.errors import Unreadable
from pollux.model import Author, Gap, Kind, Link, Message, Notice, Role, Session, Severity, exactness, first_words
from pollux.sources.base import File, Reading, read_with
from pollux.sources.gemini_sessions.bundle import Dependencies, GeminiBundle
from pollux.sources.gemini_sessions.format import records
from pollux.sources.gemini_sessions.format.content import CONTEXTS, SUMMARY, begins_with
from pollux.sources.gemini_sessions.format.message_ids import hash_of
from pollux.sources.gemini_sessions.format.schema import Call
from pollux.sources.gemini_sessions.gaps import SILENT, UNRECORDED, gaps, tallies
from pollux.sources.gemini_sessions.identity import stem
from pollux.sources.gemini_sessions.messages.messages import Builder, Companions
from pollux.sources.gemini_sessions.messages.outputs import Outputs
from pollux.sources.gemini_sessions.messages.subagents import (
    link_children,
    objective_of,
    split_subagents,
    wants_children,
)
from pollux.sources.gemini_sessions.other_files import captured_runs, saved_chats
from pollux.sources.gemini_sessions.prompts import prompts
from pollux.sources.gemini_sessions.prompts.prompt_log import PromptLog
from pollux.sources.gemini_sessions.replay.chat_files import ChatFile, families_of, is_subagent, join_files
from pollux.sources.gemini_sessions.replay.replay import Replay
from pollux.sources.handed_over import Arrival, as_copies, casr_links, is_casr_notice, with_note
from pollux.sources.typed_prompts import command_title, typed_sessions
from pollux.wire import Notes, display_path

_SYSTEM = Role.SYSTEM


def read(bundle: GeminiBundle) -> Reading:
    """The session of a bundle, then the sub-agents' sessions in its files; none for an empty conversation."""
    return read_with(bundle, _read)


def _read(bundle: GeminiBundle) -> tuple[list[Session], tuple[Notice, ...]]:
    bundle.depends_on = Dependencies()
    if bundle.kind is Kind.PROMPTS and bundle.log is not None:
        bundle.depends_on.since, bundle.depends_on.until = prompts.typing_period(
            [], bundle.log.lines.get(bundle.id, [])
        )
        return _prompts_session(bundle.id, bundle.log, bundle), bundle.log.notices
    notes = Notes()
    outputs = Outputs(bundle, notes)
    chats: list[ChatFile] = []
    others: list[Session] = []
    for file in bundle.files:
        notes.file = display_path(file.path)
        try:
            content = records.parse_file(file.path, notes)
            replay = Replay(notes).run(content.records if isinstance(content, records.Log) else ())
        except Unreadable as error:
            notes.add("file.unreadable", str(error), Severity.ERROR)
            continue
        match content:
            case records.Log():
                chats.append(_chat(bundle, file, replay, notes, outputs))
            case records.History():
                others.append(saved_chats.session(content, bundle, file, notes))
            case records.CapturedRun(events=events):
                others.append(captured_runs.session(events, bundle, file, notes))
            case records.Prompts():
                log = PromptLog([file])
                others += [session for name in log.lines for session in _prompts_session(name, log, bundle)]
            case records.EmptyFile(reason=reason, damaged=True):
                notes.add("file.damaged", f"Nothing can be read: {reason}.", Severity.ERROR)
    return _sessions(bundle, chats, notes, outputs) if chats else others, notes.all()


def _chat(bundle: GeminiBundle, file: File, replay: Replay, notes: Notes, outputs: Outputs) -> ChatFile:
    ids = bundle.child_ids

    def child(call: Call) -> str | None:
        return f"{bundle.agent}:{call.agentId}" if call.agentId is not None and call.agentId in ids else None

    kind = Kind.SUBAGENT if replay.facts.get("kind") == Kind.SUBAGENT else bundle.kind
    builder = Builder(display_path(file.path), replay.entries, notes, kind, Companions(child, outputs.fetch))
    messages = builder.build()
    if elsewhere := bundle.elsewhere.get(file.path):
        messages = [replace(m, inherited=True) if hash_of(m.id) in elsewhere else m for m in messages]
    return ChatFile(file, replay, messages, builder.spawns, file.path in bundle.damaged)


def _sessions(bundle: GeminiBundle, chats: list[ChatFile], notes: Notes, outputs: Outputs) -> list[Session]:
    """The main session of these files, and the sub-agents with their own file under the same id."""
    families = families_of(chats) if len(chats) > 1 and bundle.kind is not Kind.SUBAGENT else []
    agents = [family for family in families if is_subagent(family)]
    mains = [chat for family in families if not is_subagent(family) for chat in family] or chats
    session = _session(bundle, mains, notes, outputs)
    if session is None:
        return []
    if session.kind is Kind.PROMPTS:
        return [session]
    children = [_subagent(bundle, session, copies) for copies in agents] if mains is not chats else []
    inline: list[Session] = []
    if any(chat.spawns for chat in mains):
        session, *inline = split_subagents(session)
        if wants_children(session):
            session = link_children(
                session, [*children, *(child for member in bundle.children for child in read(member).sessions)]
            )
    own = session.messages
    missing = gaps(own)
    if any(chat.may_lack_calls for chat in mains):
        missing = (*missing, Gap(why=UNRECORDED, certain=False))
    session = replace(session, exact=exactness(missing), gaps=missing, tallies=tallies(own))
    return [session, *children, *inline]


def _session(bundle: GeminiBundle, chats: list[ChatFile], notes: Notes, outputs: Outputs) -> Session | None:
    """The session that these files hold together; None for an empty conversation."""
    current = chats[0]
    if len(chats) > 1:
        chats.sort(key=lambda chat: (_time_key(chat.replay.started), -chat.turns, -chat.file.size, chat.file.path))
        current = max(chats, key=lambda chat: chat.current)
    typed = bundle.log.lines.get(bundle.id, []) if bundle.log is not None and len(chats) > 1 else []
    messages = join_files(chats, current, typed)
    facts = _facts(bundle, chats, current)
    kind = Kind.SUBAGENT if current.is_subagent else bundle.kind
    used = set(outputs.used)
    if bundle.log is not None and kind is Kind.MAIN:
        bundle.depends_on.since, bundle.depends_on.until = prompts.typing_period(
            messages, bundle.log.lines.get(bundle.id, [])
        )
        log_match = prompts.match_log(bundle.id, messages, bundle.log, bundle.peers)
        messages = log_match.all_messages()
        used.update(line.file for line in log_match.lost)
    if not any(_has_content(message) for message in messages):
        return None
    if kind is Kind.MAIN and all(_is_preparation(message) for message in messages):
        kind = Kind.PROMPTS
    arrival = with_note(_converted(messages)) if kind is Kind.MAIN else Arrival(messages)
    messages = _inherited(arrival.messages)
    times = [message.at for message in messages if message.at is not None]
    started = [chat.replay.started for chat in chats if chat.replay.started is not None] or times
    updated = [chat.replay.updated for chat in chats if chat.replay.updated is not None]
    project, evidence = bundle.project()
    log_notices = bundle.log.notices if bundle.log is not None else ()
    return Session(
        agent=bundle.agent,
        id=bundle.id,
        kind=kind,
        parent=f"{bundle.agent}:{bundle.parent}" if bundle.parent is not None else None,
        title=_title(facts.summary) or (_task_title(messages) if kind is Kind.SUBAGENT else command_title(messages)),
        project=project,
        project_evidence=evidence,
        project_hash=bundle.hash,
        started=min(started, default=None),
        ended=max([*updated, *times], default=None),
        messages=tuple(messages),
        links=(*_links(bundle, chats, current), *arrival.links, *casr_links(messages[:1])),
        notices=(*notes.all(), *log_notices),
        files=tuple(display_path(path) for path in dict.fromkeys([*(chat.file.path for chat in chats), *sorted(used)])),
        extra=facts.extra,
    )


def _has_content(message: Message) -> bool:
    """Is this more than a message of the client? A message of an unknown kind counts, too."""
    return message.author is not Author.CLIENT or (message.role is Role.SYSTEM and "level" not in message.extra)


def _is_preparation(message: Message) -> bool:
    """Is this not part of a conversation: a command, a line of the client, or the context at the beginning?"""
    if message.role is Role.SYSTEM:
        return message.author is Author.HUMAN or "level" in message.extra
    return message.author is Author.CLIENT and begins_with(message.text, CONTEXTS)


def _subagent(bundle: GeminiBundle, parent: Session, chats: list[ChatFile]) -> Session:
    """A sub-agent with its own file under its parent's id (up to 0.34): the file's name is its id."""
    chat = max(chats, key=lambda chat: chat.current)
    messages = list(join_files(chats, chat, []))
    task = next((n for n, message in enumerate(messages) if message.author is Author.HUMAN), None)
    for number, message in enumerate(messages):
        if message.author is Author.HUMAN:
            author = Author.MODEL if number == task else Author.CLIENT
            messages[number] = replace(message, author=author)
    evidence = "its file carries the parent's id"
    missing = gaps(tuple(messages))
    if all(message.usage is None or message.text for message in messages):
        missing = (*missing, Gap(why=SILENT, certain=False))
    return Session(
        agent=bundle.agent,
        id=stem(chat.file.path),
        kind=Kind.SUBAGENT,
        parent=parent.key,
        title=_title(chat.replay.facts.get("summary")) or _task_title(messages),
        project=parent.project,
        project_evidence=parent.project_evidence,
        project_hash=parent.project_hash,
        started=chat.replay.started,
        ended=chat.replay.updated,
        messages=tuple(messages),
        links=(Link(kind="subagent_of", target=parent.key, evidence=evidence),),
        files=tuple(display_path(copy.file.path) for copy in chats),
        exact=exactness(missing),
        gaps=missing,
        tallies=tallies(tuple(messages)),
        extra=_facts(bundle, chats, chat).extra,
    )


class SessionFacts(msgspec.Struct):
    """What the files say about the session as a whole."""

    summary: str | None
    extra: dict[str, Any]


def _facts(bundle: GeminiBundle, chats: list[ChatFile], current: ChatFile) -> SessionFacts:
    merged: dict[str, Any] = {}
    earlier: list[dict[str, Any]] = []
    unknown: list[dict[str, Any]] = []
    for chat in [*(chat for chat in chats if chat is not current), current]:
        for name, value in chat.replay.facts.items():
            if name in merged and merged[name] != value:
                earlier.append({name: merged[name]})
            merged[name] = value
        earlier += chat.replay.earlier_facts
        if chat.replay.unknown:
            unknown += [{"file": display_path(chat.file.path), **record} for record in chat.replay.unknown.all()]
    summary = merged.get("summary")
    extra = {name: value for name, value in merged.items() if name != "sessionId" or value != bundle.id}
    if len(chats) > 1:
        starts = sorted(chat.replay.started for chat in chats if chat.replay.started is not None)
        earlier += [{"startTime": at.isoformat()} for at in dict.fromkeys(starts[1:])]
    if earlier:
        extra["replaced"] = earlier
    if unknown:
        extra["records"] = unknown
    return SessionFacts(summary if isinstance(summary, str) else None, extra)


def _title(summary: str | None) -> str | None:
    """The CLI's one-line summary; None for other texts: a snapshot of a compression, a sub-agent's report."""
    text = summary.strip() if summary is not None else ""
    return first_words(text, 200) if text and not text.startswith((SUMMARY, "{", "[")) else None


def _task_title(messages: list[Message]) -> str | None:
    """The title of a sub-agent: the objective in its task."""
    task = next(
        (message.text for message in messages if message.author is Author.MODEL and message.role is Role.USER), ""
    )
    return first_words(objective_of(task)) or None


def _inherited(messages: list[Message]) -> list[Message]:
    """After `--session-file`, all messages before the line that says so belong to another session."""
    imports = [m.at for m in messages if m.role is _SYSTEM and m.at and m.text.startswith("Imported session from ")]
    if not imports:
        return messages
    return [
        replace(m, inherited=True) if m.at is not None and m.at < max(imports) and m.role is not Role.SYSTEM else m
        for m in messages
    ]


def _converted(messages: list[Message]) -> list[Message]:
    """The messages, those marked that casr converted, if it says so: it gives them no ids."""
    if not (messages and is_casr_notice(messages[0].author, messages[0].text)):
        return messages
    converted = as_copies(messages, [m.id.startswith("item-") for m in messages])
    return [replace(m, author=Author.CLIENT) if is_casr_notice(m.author, m.text) else m for m in converted]


def _links(bundle: GeminiBundle, chats: list[ChatFile], current: ChatFile) -> tuple[Link, ...]:
    """The links of a session to others, and between its own files."""
    key = f"{bundle.agent}:{bundle.id}"
    links: list[Link] = []
    if bundle.parent is not None:
        links.append(Link(kind="subagent_of", target=f"{bundle.agent}:{bundle.parent}", evidence=bundle.evidence))
    ids = {message.id for message in current.messages} if len(chats) > 1 else set()
    for chat in chats:
        if chat is current:
            continue
        own = [message for message in chat.messages if message.id not in ids]
        conversation = [message for message in own if message.author is not Author.CLIENT]
        name = display_path(chat.file.path)
        if not any(message.author is not Author.CLIENT for message in chat.messages):
            # A resume leaves a file with a header and the client's context, which is a copy of nothing.
            continue
        if not conversation:
            links.append(Link(kind="copy_of", target=key, evidence=f"{name} holds the same messages"))
        else:
            links.append(Link(kind="continues", target=key, evidence=f"{name} is a part under the same id"))
    return tuple(links)


def _prompts_session(name: str, log: PromptLog, bundle: GeminiBundle) -> list[Session]:
    """A session of which only typed lines are left; none if other sessions hold all of them."""
    lines = prompts.match_log(name, [], log, bundle.peers).lost
    messages = prompts.as_messages(lines, alone=True)
    files = dict.fromkeys(display_path(line.file) for line in lines)
    project, evidence = bundle.project() if lines else (None, None)
    return typed_sessions(
        bundle.agent,
        name,
        messages,
        files,
        log.notices,
        title=command_title(messages),
        project=project,
        project_evidence=evidence,
        project_hash=bundle.hash,
    )


def _time_key(at: datetime | None) -> float:
    return at.timestamp() if at is not None else float("inf")
