"""One session from all the files that hold it."""

from __future__ import annotations

import os
import re
from datetime import datetime
from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.model import Author, Fate, Kind, Link, Message, Notice, Origin, Role, Session, Severity, first_words
from pollux.sources.base import File
from pollux.sources.gemini import captured, histories, prompts, records
from pollux.sources.gemini.bundles import GeminiBundle
from pollux.sources.gemini.content import SUMMARY, TASK
from pollux.sources.gemini.exactness import exact, is_compressed
from pollux.sources.gemini.messages import Builder
from pollux.sources.gemini.outputs import Outputs
from pollux.sources.gemini.replay import Replay
from pollux.sources.gemini.schema import Call
from pollux.sources.gemini.subagents import carve, link_children
from pollux.wire import Notes, shown

AGENT = "gemini"


class Part(msgspec.Struct):
    """What one file gave: its replay and the messages built from it."""

    file: File
    replay: Replay
    messages: list[Message]

    @property
    def current(self) -> tuple[bool, float, bool]:
        """How the CLI would choose between files of one session: said something, updated last, the newer format."""
        said = any(message.author is not Author.CLIENT for message in self.messages)
        updated = self.replay.updated.timestamp() if self.replay.updated is not None else 0.0
        return said, updated, ".jsonl" in self.file.path


def read(bundle: GeminiBundle) -> list[Session]:
    """The session of a bundle, then the sub-agents' sessions inside its files; empty where nothing was said."""
    if bundle.kind is Kind.PROMPTS:
        return _prompts_alone(bundle)
    notes = Notes()
    outputs = Outputs(bundle)
    parts: list[Part] = []
    others: list[Session] = []
    problems: list[Unreadable] = []
    for file in bundle.files:
        notes.file = shown(file.path)
        try:
            found = records.contents(file.path, notes)
        except Unreadable as error:
            notes.add("file.unreadable", str(error), Severity.ERROR)
            problems.append(error)
            continue
        notes.file = shown(file.path)
        match found:
            case records.Log(records=lines):
                replay = Replay(notes).run(lines)
                parts.append(Part(file, replay, _built(bundle, file, replay, notes, outputs)))
            case records.History():
                others.append(histories.session(found, bundle, file, notes))
            case records.Captured(events=events):
                others.append(captured.session(events, bundle, file, notes))
            case records.Nothing(reason=reason, damaged=damaged):
                if damaged:
                    notes.add("file.damaged", f"Nothing can be read: {reason}.", Severity.ERROR)
            case records.Prompts():
                notes.add("file.prompts", "The file is a log of prompts.", Severity.INFO)
    if not parts:
        return others if others else _failed(bundle, notes, problems)
    return _assembled(bundle, parts, notes, outputs)


def _built(bundle: GeminiBundle, file: File, replay: Replay, notes: Notes, outputs: Outputs) -> list[Message]:
    def child(call: Call) -> str | None:
        return f"{AGENT}:{call.agentId}" if call.agentId is not None and call.agentId in bundle.child_ids else None

    return Builder(shown(file.path), replay.entries, notes, bundle.kind, child, outputs.fetch).build()


def _failed(bundle: GeminiBundle, notes: Notes, problems: list[Unreadable]) -> list[Session]:
    if problems and bundle.asked:
        raise problems[0]
    damaged = [notice.text for notice in notes.all() if notice.code == "file.damaged"]
    if damaged and bundle.asked:
        raise Unreadable(f"{shown(bundle.files[0].path)}: {damaged[0][0].lower()}{damaged[0][1:]}")
    bundle.problem = (str(problems[0]) if problems else None) or (damaged[0] if damaged else None)
    return []


def _assembled(bundle: GeminiBundle, parts: list[Part], notes: Notes, outputs: Outputs) -> list[Session]:
    parts.sort(key=lambda part: (_time_key(part.replay.started), part.file.path))
    current = max(parts, key=lambda part: part.current)
    messages = _joined(parts, current)
    facts = _facts(parts, current)
    if bundle.log is not None and bundle.kind is Kind.MAIN:
        lost = prompts.lost(bundle.id, messages, bundle.log, bundle.peers)
        messages = prompts.woven(messages, prompts.as_messages(lost, alone=False))
        if lost:
            used = {line.file for line in lost}
            outputs.used.update(used)
    if not any(message.author is not Author.CLIENT for message in messages):
        bundle.problem = None
        return []
    messages = _inherited(messages, facts.started)
    times = [message.at for message in messages if message.at is not None]
    updated = [part.replay.updated for part in parts if part.replay.updated is not None]
    started = min((part.replay.started for part in parts if part.replay.started is not None), default=min(times, default=None))
    project, evidence = bundle.project()
    session = Session(
        agent=AGENT,
        id=bundle.id,
        kind=bundle.kind,
        parent=f"{AGENT}:{bundle.parent}" if bundle.parent is not None else None,
        title=_title(facts.summary),
        project=project,
        project_evidence=evidence,
        started=started,
        ended=max([*updated, *times], default=None),
        messages=tuple(messages),
        links=_links(bundle, parts, current),
        notices=(*notes.all(), *(bundle.log.notices if bundle.log is not None else ())),
        files=tuple(shown(path) for path in dict.fromkeys([*(f.path for f in bundle.files), *sorted(outputs.used)])),
        extra=facts.extra,
    )
    session, *inline = carve(session)
    if bundle.children:
        session = link_children(session, [child for b in bundle.children for child in read(b)])
    own = list(session.messages)
    return [msgspec.structs.replace(session, exact=exact(own, is_compressed(own))), *inline]


def _joined(parts: list[Part], current: Part) -> list[Message]:
    """Every message of all files once, in the order of the files; the current file decides what became of it."""
    if len(parts) == 1:
        return parts[0].messages
    fates = {message.id: message.fate for message in current.messages}
    chosen: dict[str, Message] = {}
    for part in parts:
        folded = bool(part.messages) and is_compressed(part.messages[-1:])
        for message in part.messages:
            fate = fates.get(message.id)
            if fate is None and part is not current:
                fate = message.fate if message.fate is not Fate.LIVE else Fate.COMPRESSED if folded else Fate.REWOUND
            settled = message if fate in (None, message.fate) else msgspec.structs.replace(message, fate=fate)
            kept = chosen.get(message.id)
            chosen[message.id] = settled if kept is None else _richer(kept, settled)
    return list(chosen.values())


def _richer(one: Message, other: Message) -> Message:
    """Of two writings of a message the one that tells more; where it stands in a log, rather than in a document."""
    def weight(message: Message) -> tuple[bool, int, bool]:
        line = message.origin is not None and message.origin.line is not None
        return message.usage is not None, len(message.parts), line

    better, worse = (other, one) if weight(other) > weight(one) else (one, other)
    fate = other.fate
    at = min((m.at for m in (one, other) if m.at is not None), default=None)
    if worse.parts != better.parts and worse.text != better.text:
        origin = worse.origin
        kept = {"text": worse.text, "file": origin.file if origin else None, "line": origin.line if origin else None}
        extra = {**better.extra, "replaced": [*better.extra.get("replaced", ()), kept]}
        return msgspec.structs.replace(better, fate=fate, at=at, extra=extra)
    return better if (better.fate, better.at) == (fate, at) else msgspec.structs.replace(better, fate=fate, at=at)


class Facts(msgspec.Struct):
    """What the files say about the session as a whole."""

    summary: str | None
    started: datetime | None
    extra: dict[str, Any]


def _facts(parts: list[Part], current: Part) -> Facts:
    merged: dict[str, Any] = {}
    earlier: list[dict[str, Any]] = []
    unknown: list[dict[str, Any]] = []
    for part in [*(part for part in parts if part is not current), current]:
        for name, value in part.replay.facts.items():
            if name in merged and merged[name] != value:
                earlier.append({name: merged[name]})
            merged[name] = value
        earlier += part.replay.earlier_facts
        unknown += [{"file": shown(part.file.path), **record} for record in part.replay.unknown]
    summary = merged.get("summary")
    extra = {name: value for name, value in merged.items() if name != "sessionId"}
    if earlier:
        extra["replaced"] = earlier
    if unknown:
        extra["records"] = unknown
    return Facts(summary if isinstance(summary, str) else None, current.replay.started, extra)


def _title(summary: str | None) -> str | None:
    """The CLI's one-line summary; a summary that is no title (a snapshot of a compression) is none."""
    if summary is None or not summary.strip() or summary.lstrip().startswith(SUMMARY):
        return None
    return first_words(summary, 200)


def _inherited(messages: list[Message], started: datetime | None) -> list[Message]:
    """After `--session-file` the imported messages are another session's: older than the session that holds them."""
    imported = any(
        m.role is Role.SYSTEM and m.author is Author.CLIENT and m.text.startswith("Imported session from ") for m in messages
    )
    if not imported or started is None:
        return messages
    return [
        msgspec.structs.replace(m, inherited=True) if m.at is not None and m.at < started and m.role is not Role.SYSTEM else m
        for m in messages
    ]


def _links(bundle: GeminiBundle, parts: list[Part], current: Part) -> tuple[Link, ...]:
    """How the session hangs together with others, and how its own files do."""
    key = f"{AGENT}:{bundle.id}"
    links: list[Link] = []
    if bundle.parent is not None:
        links.append(Link(kind="subagent_of", target=f"{AGENT}:{bundle.parent}", evidence=bundle.evidence))
    ids = {message.id for message in current.messages}
    for part in parts:
        if part is current:
            continue
        own = [message for message in part.messages if message.id not in ids]
        said = [message for message in own if message.author is not Author.CLIENT]
        name = shown(part.file.path)
        if not said:
            how = "holds the same messages" if part.messages else "holds nothing but a header"
            links.append(Link(kind="copy_of", target=key, evidence=f"{name} {how}"))
        else:
            links.append(Link(kind="continues", target=key, evidence=f"{name} is a part under the same id"))
    return tuple(links)


def _prompts_alone(bundle: GeminiBundle) -> list[Session]:
    """A session of which only the log of typed lines is left."""
    if bundle.log is None:
        return []
    lines = prompts.lost(bundle.id, [], bundle.log, bundle.peers)
    if not lines:
        return []
    messages = prompts.as_messages(lines, alone=True)
    times = [message.at for message in messages if message.at is not None]
    project, evidence = bundle.project()
    commands = not any(message.role is Role.USER for message in messages)
    return [
        Session(
            agent=AGENT,
            id=bundle.id,
            kind=Kind.PROMPTS,
            title=first_words(messages[0].text) if commands else None,
            project=project,
            project_evidence=evidence,
            started=min(times, default=None),
            ended=max(times, default=None),
            messages=tuple(messages),
            notices=bundle.log.notices,
            files=tuple(dict.fromkeys(shown(line.file) for line in lines)),
        )
    ]


def _time_key(at: datetime | None) -> float:
    return at.timestamp() if at is not None else float("inf")


__all__ = ["AGENT", "TASK", "Notice", "Origin", "os", "re", "read"]
