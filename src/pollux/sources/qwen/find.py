"""Where Qwen Code keeps things, and what each file is by its place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from pollux.errors import Unreadable
from pollux.sources.absolute_path import absolute_path
from pollux.sources.base import File, Root, Status
from pollux.sources.gemini_sessions.find import PROJECT as OLD_PROJECT
from pollux.sources.settings import setting
from pollux.sources.walk import FileKind, FolderRules, every_file, ignored, unknown, walk
from pollux.system.decoders import json_decoder
from pollux.wire import REFUSED, read_lines

CHAT, AGENT, META = "chat", "agent", "meta"

_AGENT = re.compile(r"agent-.+\.jsonl\Z", re.DOTALL)
_META = re.compile(r"agent-.+\.meta\.json\Z", re.DOTALL)
_NOTHING = "nothing was said in it"
_CHAT: FileKind = (CHAT, Status.IGNORED, _NOTHING)
_SUBAGENT: FileKind = (AGENT, Status.IGNORED, _NOTHING)
_ABOUT: FileKind = (META, Status.IGNORED, "about a sub-agent that left no session")


class _Used(msgspec.Struct):
    """The project in a line of the log of used tokens."""

    project: str


def roots(environ: Mapping[str, str], home: Path) -> list[Root]:
    """The folder with `projects` and `tmp`: a variable or a setting moves it away from the agent's own folder."""
    if runtime := environ.get("QWEN_RUNTIME_DIR", ""):
        return [Root(path=_expanded(runtime, home), reason="$QWEN_RUNTIME_DIR")]
    own, reason = home / ".qwen", "the default"
    if moved := environ.get("QWEN_HOME", ""):
        own, reason = _expanded(moved, home), "$QWEN_HOME"
    place = setting(own / "settings.json", "advanced", "runtimeOutputDir")
    if not isinstance(place, str) or not place.strip():
        return [Root(path=own, reason=reason)]
    why = "the setting advanced.runtimeOutputDir"
    folder = Path(_with_home(place.strip(), home))
    if folder.is_absolute():
        return [Root(path=folder, reason=why)]
    # A relative folder lies in each project. The log of used tokens names the projects of 0.18 and later.
    found = {os.path.normpath(Path(project) / folder): None for project in _used_projects(own)}
    return [Root(path=own, reason=reason), *(Root(path=Path(path), reason=why) for path in found)]


def _expanded(text: str, home: Path) -> Path:
    return absolute_path(Path(_with_home(text, home)))


def _with_home(text: str, home: Path) -> str:
    return str(home) + text[1:] if text == "~" or text.startswith(("~/", "~\\")) else text


def _used_projects(own: Path) -> Iterator[str]:
    decoder = json_decoder(_Used)
    try:
        for _, line in read_lines(own / "usage_record.jsonl"):
            try:
                project = decoder.decode(line).project
            except REFUSED:
                continue
            if os.path.isabs(project) and "\0" not in project:  # noqa: PTH117
                yield project
    except Unreadable:
        return


def find(root: Path) -> Iterator[File]:
    """Every file under a root with its role."""
    return iter(walk(str(root), _ROOT, []))


def _chat(name: str) -> FileKind:
    if name.endswith(".ledger.jsonl"):
        return ignored("the client's ledger of a session")
    if name.endswith(".jsonl"):
        return _CHAT
    if name.endswith(".json"):
        return ignored("the client's note beside a session")
    return unknown("not a session file by its name")


def _of_subagents(name: str) -> FileKind:
    if _AGENT.match(name):
        return _SUBAGENT
    return _ABOUT if _META.match(name) else unknown("not a sub-agent's file by its name")


_OTHER = every_file(ignored("the agent's own files, not conversations"))
_ARCHIVE = FolderRules(_chat, lambda _: every_file(unknown("below the archived sessions")))
_CHATS = FolderRules(_chat, lambda name: _ARCHIVE if name == "archive" else _OTHER)
_SUBAGENTS = FolderRules(
    lambda _: unknown("not in the folder of a session"), lambda _: FolderRules(_of_subagents, lambda _: _OTHER)
)
_PROJECT_FOLDERS = {
    "chats": _CHATS,
    "subagents": _SUBAGENTS,
    "memory": every_file(ignored("the agent's own memory")),
    "workflows": every_file(ignored("workflows, not conversations")),
}
_OLD = FolderRules(
    lambda name: ignored("a lock of the agent") if name == "scheduled_tasks.lock" else OLD_PROJECT.file(name),
    OLD_PROJECT.folder,
)
_PROJECT = FolderRules(
    lambda _: ignored("the agent's notes on a project"), lambda name: _PROJECT_FOLDERS.get(name, _OTHER)
)
_FOLDERS = {
    "projects": FolderRules(lambda _: unknown("not in a project's folder"), lambda _: _PROJECT),
    "tmp": FolderRules(lambda _: ignored("the agent's working files"), lambda _: _OLD),
    "todos": every_file(ignored("plans, which the sessions hold, too")),
    "debug": every_file(ignored("debug logs, not conversations")),
    "usage": every_file(ignored("figures of requests, which the sessions hold, too")),
    "file-history": every_file(ignored("earlier versions of edited files")),
}
_ROOT = FolderRules(lambda _: ignored("settings and notes, not conversations"), lambda name: _FOLDERS.get(name, _OTHER))
