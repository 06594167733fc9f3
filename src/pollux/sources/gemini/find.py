"""Where Gemini CLI keeps things, and what each file is by its place."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from pollux.sources.base import File, Root, Status
from pollux.sources.walk import Walk, entries, is_folder, stat_file
from pollux.wire import folder_at

SESSION, SUBAGENT, CHECKPOINT, PROMPTS = "session", "subagent", "checkpoint", "prompts"
MARKER, OUTPUT, SHELL, REGISTRY = "marker", "output", "shell", "registry"

# Besides session files: backups of ones the CLI could not read, and half-written rewrites (0.55+).
_CHAT = re.compile(r"session-.*\.jsonl?(?:\.unreadable-\d+|\.tmp-\d+)?\Z", re.DOTALL)
_AGENT = re.compile(r".+\.jsonl?(?:\.unreadable-\d+|\.tmp-\d+)?\Z", re.DOTALL)
_OLD_OUTPUT = re.compile(r".+\.output\Z|[A-Za-z0-9_-]+_[A-Za-z0-9_.-]+\.txt\Z")

# What `doctor` says of files by their role, unless a session was read from them.
_PLACES = {
    SESSION: (Status.IGNORED, "nothing was said in it"),
    SUBAGENT: (Status.IGNORED, "nothing was said in it"),
    CHECKPOINT: (Status.IGNORED, "nothing was said in it"),
    PROMPTS: (Status.READ, None),
    MARKER: (Status.READ, None),
    REGISTRY: (Status.READ, None),
    OUTPUT: (Status.IGNORED, "large tool output that no session refers to"),
    SHELL: (Status.IGNORED, "commands typed in shell mode"),
}
_walk = Walk(_PLACES)
_FOLDERS = {"checkpoints": CHECKPOINT, "tool-outputs": OUTPUT}
_LEFT_ALONE = {
    "bin": "programs the CLI downloaded",
    "logs": "network and console logs, not conversations",
    "plans": "plans the agent wrote",
    "tracker": "the agent's task tracker",
    "tasks": "the agent's task tracker",
    "memory": "the agent's own memory",
    "images": "pictures pasted from the clipboard",
    "background-processes": "logs of background commands",
}


def roots(environ: Mapping[str, str], home: Path) -> list[Root]:
    """The `tmp` folders that hold the projects."""
    for name in ("POLLUX_GEMINI_DIR", "GEMINI_SESSIONS_DIR"):
        if listed := [part for part in environ.get(name, "").split(os.pathsep) if part]:
            return [Root(path=Path(part).expanduser(), reason=f"${name}") for part in listed]
    if moved := environ.get("GEMINI_CLI_HOME", ""):
        base = Path(moved).expanduser()
        # One published note took the variable for the `.gemini` folder itself, and people followed it.
        folder = base if not folder_at(base / ".gemini") and folder_at(base / "tmp") else base / ".gemini"
        return [Root(path=folder / "tmp", reason="$GEMINI_CLI_HOME")]
    return [Root(path=home / ".gemini" / "tmp", reason="the default")]


def find(root: Path) -> Iterator[File]:
    """Every file under a root with its role, and the list of projects beside it."""
    with contextlib.suppress(OSError):
        registry = stat_file(root.parent / "projects.json", REGISTRY)
        yield msgspec.structs.replace(registry, status=Status.READ)
    for entry in entries(str(root)):
        if isinstance(entry, File):
            yield entry
        elif not is_folder(entry):
            yield _walk.file(entry, Status.UNKNOWN, "not in a project's folder")
        elif entry.name == "bin":
            yield from _walk.all(entry.path, Status.IGNORED, _LEFT_ALONE["bin"])
        else:
            yield from _project(entry.path)


def _project(folder: str) -> Iterator[File]:
    for entry in entries(folder):
        if isinstance(entry, File):
            yield entry
        elif not is_folder(entry):
            yield _loose(entry)
        elif entry.name == "chats":
            yield from _chats(entry.path)
        elif entry.name in _FOLDERS:
            yield from _walk.all(entry.path, _FOLDERS[entry.name])
        else:
            # A folder named by a session holds its plans and tasks.
            reason = _LEFT_ALONE.get(entry.name, "the agent's working files, no conversation")
            yield from _walk.all(entry.path, Status.IGNORED, reason)


def _loose(entry: os.DirEntry[str]) -> File:
    """A file directly in a project's folder."""
    name = entry.name
    if name == ".project_root":
        return _walk.file(entry, MARKER)
    if name.startswith("checkpoint") and name.endswith(".json"):
        return _walk.file(entry, CHECKPOINT)
    if name == "logs.json" or (name.startswith("logs.json.") and name.endswith(".bak")):
        return _walk.file(entry, PROMPTS)
    if name == "shell_history":
        return _walk.file(entry, SHELL)
    if _OLD_OUTPUT.match(name):
        return _walk.file(entry, OUTPUT)
    return _walk.file(entry, Status.UNKNOWN, "a file of a kind we do not know")


def _chats(folder: str) -> Iterator[File]:
    for entry in entries(folder):
        if isinstance(entry, File):
            yield entry
        elif is_folder(entry):
            for inner in entries(entry.path):
                if isinstance(inner, File):
                    yield inner
                elif is_folder(inner):
                    yield from _walk.all(inner.path, Status.UNKNOWN, "deeper than sub-agents' sessions lie")
                elif _AGENT.match(inner.name):
                    yield _walk.file(inner, SUBAGENT)
                else:
                    yield _walk.file(inner, Status.UNKNOWN, "not a session file by its name")
        elif _CHAT.match(entry.name):
            yield _walk.file(entry, SESSION)
        else:
            yield _walk.file(entry, Status.UNKNOWN, "not a session file by its name")
