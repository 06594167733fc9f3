"""Groups files into sessions: since 0.4 by their names, before as Gemini CLI's."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from pollux.errors import Unreadable
from pollux.model import Kind
from pollux.sources.base import Bundle, File, OtherFiles, SourceContext
from pollux.sources.gemini_sessions import find as old_files, group as old_sessions
from pollux.sources.gemini_sessions.bundle import GeminiBundle
from pollux.sources.qwen import find
from pollux.sources.qwen.bundle import QwenBundle
from pollux.sources.resume_command import is_uuid
from pollux.sources.walk import stat_file
from pollux.wire import read_head

AGENT = "qwen"
_KEYS = (b'"uuid"', b'"parentUuid"', b'"sessionId"')
_FIRST = re.compile(
    rb'\s*\{\s*"uuid"\s*:\s*"[^"]*"\s*,\s*"parentUuid"\s*:\s*(?:null|"[^"]*")\s*,'
    rb'\s*"sessionId"\s*:\s*"([\w.:-]{1,100})"'
)
_AGENT = re.compile(rb'"agentId"\s*:\s*"([\w.:-]{1,200})"')
_UNUSUAL = re.compile(r"[^A-Za-z0-9_-]")
"""What the name of a copy has, and hardly any sub-agent's id."""

_HEAD = 4096
_TYPES = re.compile(rb'"type"\s*:\s*"(?:user|assistant|tool_result|system)"')


def bundles(root: Path, files: Iterable[File], context: SourceContext) -> list[Bundle]:
    """The sessions under one root. A session that also lies under another root is the same in both."""
    own = list(files)
    elsewhere = context.other_files()
    present = [*own, *elsewhere.files()]
    kept = _only_kept(elsewhere.other, present)
    mains = _sessions([*present, *kept], root, context)
    old = _old_sessions(root, own, context, elsewhere)
    typed = {bundle.id: bundle for bundle in old if bundle.kind is Kind.PROMPTS}
    for bundle in mains:
        if bundle.kind is Kind.MAIN and (log := typed.get(bundle.id)) is not None and log.log is not None:
            bundle.log = log.log
            bundle.log.sessions.add(bundle.id)
    ids = {bundle.id for bundle in mains}
    everything: list[Bundle] = [*mains, *(bundle for bundle in old if bundle.id not in ids)]
    if not elsewhere.joined and not kept:
        return everything
    paths = {file.path for file in own}
    return [bundle for bundle in everything if any(file.path in paths for file in bundle.files)]


def _only_kept(kept: Iterable[File], present: Iterable[File]) -> list[File]:
    """The files of sub-agents that Qwen Code has deleted: their requests are still in their parents' telemetry."""

    def place(file: File) -> tuple[str, str]:
        folder, name = os.path.split(file.path)
        return os.path.basename(folder), name.removesuffix(".meta.json").removesuffix(".jsonl")  # noqa: PTH119

    files = [file for file in kept if file.role in (find.AGENT, find.META)]
    known = {place(file) for file in present if file.role == find.AGENT} if files else set()
    return [file for file in files if place(file) not in known]


def _sessions(files: list[File], root: Path, context: SourceContext) -> list[QwenBundle]:
    """The sessions since 0.4, those of sub-agents included."""
    mains: dict[str, QwenBundle] = {}
    agents: dict[tuple[str, str], QwenBundle] = {}
    # Outputs may lie among the files of other groups.
    around = [*files, *(context.root_files or ())]
    stamps = {file.path: file.stamp for file in around if file.role == old_files.OUTPUT}
    for file in files:
        if file.role == find.CHAT:
            id = _session_id(file, context)
            bundle = mains.setdefault(id, QwenBundle(agent=AGENT, id=id, root=str(root), stamps=stamps))
            bundle.files = (*bundle.files, file)
        elif file.role in (find.AGENT, find.META):
            parent = os.path.basename(os.path.dirname(file.path))  # noqa: PTH119, PTH120
            name = _agent_id(file, context)
            bundle = agents.setdefault((parent, name), _subagent(name, parent, str(root), stamps))
            bundle.files = (*bundle.files, file)
    _name_agents(agents, mains)
    # A note alone says nothing of what was said.
    return [*mains.values(), *(bundle for bundle in agents.values() if bundle.transcripts())]


def _subagent(name: str, parent: str, root: str, stamps: dict[str, str]) -> QwenBundle:
    return QwenBundle(agent=AGENT, id=name, kind=Kind.SUBAGENT, parent=parent, agent_id=name, root=root, stamps=stamps)


def _name_agents(agents: dict[tuple[str, str], QwenBundle], mains: dict[str, QwenBundle]) -> None:
    """A sub-agent's id is its own only within its session: the same id in another one gets that session's as suffix."""
    seen: set[str] = set(mains)
    for (parent, name), bundle in sorted(agents.items()):
        if bundle.id in seen:
            bundle.id = f"{name}@{parent[:8]}"
        if bundle.id in seen:
            bundle.id = f"{name}@{parent}"
        seen.add(bundle.id)
    for (parent, name), bundle in agents.items():
        family = [other for (session, _), other in agents.items() if session == parent] if len(agents) > 1 else []
        for member in (*family, *((mains[parent],) if parent in mains else ())):
            if member is not bundle and bundle.transcripts():
                member.children = {**member.children, name: bundle.key}
                member.helpers = (*member.helpers, *bundle.transcripts())


def _session_id(file: File, context: SourceContext) -> str:
    """The id in a file's name; in that of a file that somebody copied or renamed, the one in its first record."""
    stem = os.path.basename(file.path).removesuffix(".jsonl")  # noqa: PTH119
    return stem if is_uuid(stem) else context.peek(file, Head, head_of).id or stem


class Head(msgspec.Struct):
    """What the first record of a file says: the session's id, and that of a sub-agent, if it does."""

    id: str | None = None
    agent: str | None = None


def head_of(file: File) -> Head:
    """Look at the beginning of a file."""
    try:
        first = read_head(file.path, _HEAD).partition(b"\n")[0]
    except Unreadable:
        return Head()
    session, agent = _FIRST.match(first), _AGENT.search(first)
    return Head(*(found[1].decode() if found is not None else None for found in (session, agent)))


def _agent_id(file: File, context: SourceContext) -> str:
    """The id in the name of a sub-agent's file; in that of a copy, the one that its first record names."""
    name = os.path.basename(file.path).removeprefix("agent-")  # noqa: PTH119
    name = name.removesuffix(".meta.json").removesuffix(".jsonl")
    if file.role == find.META or not _UNUSUAL.search(name):
        return name
    named = context.peek(file, Head, head_of).agent
    return named if named is not None and name.startswith(named) else name


def _old_sessions(root: Path, own: list[File], context: SourceContext, elsewhere: OtherFiles) -> list[GeminiBundle]:
    """What lies in `tmp`: sessions up to 0.3, saved conversations, and logs of typed prompts."""
    inside = replace(
        context,
        other_files=lambda: OtherFiles(
            {path / "tmp": _in_tmp(path, files) for path, files in elsewhere.joined.items()},
            [file for file in elsewhere.other if file.role in (old_files.SESSION, old_files.SUBAGENT)],
        ),
        root_files=_in_tmp(root, context.root_files) if context.root_files is not None else None,
    )
    found: Sequence[Any] = old_sessions.bundles(AGENT, root / "tmp", _in_tmp(root, own), inside)
    return list(found)


def _in_tmp(root: Path, files: Iterable[File]) -> list[File]:
    above = os.path.join(root, "tmp", "")  # noqa: PTH118
    return [file for file in files if file.path.startswith(above)]


def bundle_of_file(path: Path, context: SourceContext) -> Bundle:
    """The bundle of a file by its path, anywhere."""
    if not path.name.endswith(".jsonl"):
        return old_sessions.bundle_of_file(AGENT, path, context)
    name = path.name
    try:
        if name.startswith("agent-"):
            file = stat_file(path, find.AGENT)
            bundle = _subagent(_agent_id(file, context), path.parent.name, "", {})
            meta = path.with_name(name.removesuffix(".jsonl") + ".meta.json")
            notes = (stat_file(meta, find.META),) if meta.is_file() else ()
            bundle.files = (file, *notes)
        else:
            file = stat_file(path, find.CHAT)
            bundle = QwenBundle(agent=AGENT, id=_session_id(file, context), files=(file,))
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.") from error
    bundle.asked = True
    bundle.root = next((str(above.parent) for above in path.resolve().parents if above.name == "projects"), None)
    return bundle


def recognizes(path: Path, head: bytes) -> bool:
    """Does the beginning of a file look like something Qwen Code wrote?"""
    if all(key in head[:2000] for key in _KEYS) and _TYPES.search(head) is not None:
        return (
            b'"provenance"' in head
            or re.search(rb'"(?:role|subtype)"\s*:\s*"\w+"\s*,\s*"(?:parts|systemPayload)"', head) is not None
        )
    return b'"projectHash"' in head and b'"type": "qwen"' in head and path.suffix == ".json"
