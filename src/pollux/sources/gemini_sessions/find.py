"""What each file in a project's folder under `tmp` is, by its place."""

from __future__ import annotations

import re

from pollux.sources.base import File, Status
from pollux.sources.walk import FileKind, FolderRules, every_file, ignored, unknown, walk

SESSION, SUBAGENT, CHECKPOINT, PROMPTS = "session", "subagent", "checkpoint", "prompts"
MARKER, OUTPUT, SHELL, REGISTRY = "marker", "output", "shell", "registry"

# Session files, backups of those that the CLI could not read, and half-written rewrites (0.55+).
_CHAT = re.compile(r"session-.*\.jsonl?(?:\.unreadable-\d+|\.tmp-\d+)?\Z", re.DOTALL)
_AGENT = re.compile(r".+\.jsonl?(?:\.unreadable-\d+|\.tmp-\d+)?\Z", re.DOTALL)
_OLD_OUTPUT = re.compile(r".+\.output\Z|[A-Za-z0-9_-]+_[A-Za-z0-9_.-]+\.txt\Z")

_NOTHING = "nothing was said in it"
_SESSION: FileKind = (SESSION, Status.IGNORED, _NOTHING)
_SUBAGENT: FileKind = (SUBAGENT, Status.IGNORED, _NOTHING)
_CHECKPOINT: FileKind = (CHECKPOINT, Status.IGNORED, _NOTHING)
_PROMPTS: FileKind = (PROMPTS, Status.READ, None)
_OUTPUT: FileKind = (OUTPUT, Status.IGNORED, "large tool output that no session refers to")
_PROJECT_FILES: dict[str, FileKind] = {
    ".project_root": (MARKER, Status.READ, None),
    "logs.json": _PROMPTS,
    "shell_history": (SHELL, Status.IGNORED, "commands typed in shell mode"),
}
_UNEXPECTED = unknown("not a session file by its name")


def in_project(folder: str) -> list[File]:
    """Of a project's folder: the note that names the project, and large outputs."""
    return [file for file in walk(folder, PROJECT, []) if file.role in (MARKER, OUTPUT)]


def _project_file(name: str) -> FileKind:
    """A file directly in a project's folder."""
    if (known := _PROJECT_FILES.get(name)) is not None:
        return known
    if name.startswith("checkpoint") and name.endswith(".json"):
        return _CHECKPOINT
    if name.startswith("logs.json.") and name.endswith(".bak"):
        return _PROMPTS
    return _OUTPUT if _OLD_OUTPUT.match(name) else unknown("a file of an unknown kind")


def _chat(name: str) -> FileKind:
    """A file among the sessions. Most names are usual ones, which need no pattern."""
    is_usual = name.startswith("session-") and name.endswith(".jsonl")
    return _SESSION if is_usual or _CHAT.match(name) else _UNEXPECTED


BIN = every_file(ignored("programs the CLI downloaded"))
_AGENTS = FolderRules(
    lambda name: _SUBAGENT if _AGENT.match(name) else _UNEXPECTED,
    lambda _: every_file(unknown("below the folders of sub-agents' sessions")),
)
_FOLDERS = {
    "chats": FolderRules(_chat, lambda _: _AGENTS),
    "checkpoints": every_file(_CHECKPOINT),
    "tool-outputs": every_file(_OUTPUT),
    "bin": BIN,
    "logs": every_file(ignored("network and console logs, not conversations")),
    "plans": every_file(ignored("plans the agent wrote")),
    "tracker": every_file(ignored("the agent's task tracker")),
    "tasks": every_file(ignored("the agent's task tracker")),
    "memory": every_file(ignored("the agent's own memory")),
    "images": every_file(ignored("pictures pasted from the clipboard")),
    "background-processes": every_file(ignored("logs of background commands")),
}
# A folder with the name of a session holds its plans and tasks.
_WORKING = every_file(ignored("the agent's working files, not a conversation"))
PROJECT = FolderRules(_project_file, lambda name: _FOLDERS.get(name, _WORKING))
