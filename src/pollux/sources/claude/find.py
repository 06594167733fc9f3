"""Where Claude Code keeps things, and what each file is by its place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pollux.sources.base import File, Root, Status
from pollux.sources.walk import Walk, entries, is_folder
from pollux.wire import folder_at

SESSION, AGENT, META, TITLE = "session", "agent", "meta", "title"
OUTPUT, HISTORY = "output", "history"

_AGENT = re.compile(r"agent-.+\.jsonl\Z", re.DOTALL)
_META = re.compile(r"agent-.+\.meta\.json\Z", re.DOTALL)
_NOTHING = "nothing was said in it"

_walk = Walk({
    SESSION: (Status.IGNORED, _NOTHING),
    AGENT: (Status.IGNORED, "nothing was said in it but the client's own warm-up"),
    META: (Status.IGNORED, "about a sub-agent that left no session"),
    TITLE: (Status.IGNORED, "the title of a session that left nothing else"),
    OUTPUT: (Status.IGNORED, "large tool output that no session refers to"),
    HISTORY: (Status.IGNORED, "typed lines; the sessions they belong to have their own files"),
})  # fmt: skip
_BOOKS = {
    "sessions-index.json": "the client's own index",
    ".session-aliases": "other names of project folders",
    ".DS_Store": "left by a file browser",
}


def roots(environ: Mapping[str, str], home: Path) -> list[Root]:
    """The `projects` folders, each once."""
    if listed := environ.get("CLAUDE_PROJECTS_DIR", ""):
        found = [Root(path=Path(part).expanduser(), reason="$CLAUDE_PROJECTS_DIR") for part in _parts(listed)]
    elif moved := environ.get("CLAUDE_CONFIG_DIR", ""):
        found = [Root(path=_projects(part), reason="$CLAUDE_CONFIG_DIR") for part in _parts(moved)]
    else:
        named = environ.get("XDG_CONFIG_HOME", "")
        config = Path(named) if os.path.isabs(named) else home / ".config"  # noqa: PTH117
        found = [Root(path=home / ".claude" / "projects", reason="the default")]
        if folder_at(other := config / "claude" / "projects"):
            found.append(Root(path=other, reason="$XDG_CONFIG_HOME" if os.path.isabs(named) else "the XDG default"))  # noqa: PTH117
    once: dict[str, Root] = {}
    for root in found:
        once.setdefault(os.path.realpath(root.path), root)
    return list(once.values())


def _parts(listed: str) -> list[str]:
    """The folders of a list: joined by commas, as other tools accept it. A folder's own name may hold one."""
    if folder_at(listed):
        return [listed]
    return [part.strip() for part in listed.split(",") if part.strip()]


def _projects(config: str) -> Path:
    """The `projects` folder of a configuration; some people name that folder itself."""
    folder = Path(config).expanduser()
    return folder if folder.name == "projects" and not folder_at(folder / "projects") else folder / "projects"


def find(root: Path) -> Iterator[File]:
    """Every file under a root with its role, and the log of typed lines that lies beside the root."""
    for entry in entries(str(root)):
        if isinstance(entry, File):
            yield entry
        elif is_folder(entry):
            yield from _project(entry.path)
        elif entry.name in _BOOKS:
            yield _walk.file(entry, Status.IGNORED, _BOOKS[entry.name])
        else:
            yield _walk.file(entry, Status.UNKNOWN, "not in a project's folder")
    for entry in entries(str(root.parent)) if root.name == "projects" else ():
        if not isinstance(entry, File) and entry.name == "history.jsonl" and not is_folder(entry):
            yield _walk.file(entry, HISTORY)


def _project(folder: str) -> Iterator[File]:
    for entry in entries(folder):
        if isinstance(entry, File):
            yield entry
        elif not is_folder(entry):
            yield _beside(entry)
        elif entry.name == "memory":
            yield from _walk.all(entry.path, Status.IGNORED, "the agent's own memory")
        else:
            yield from _session(entry.path)


def _beside(entry: os.DirEntry[str]) -> File:
    """A file directly in a project's folder."""
    if _AGENT.match(entry.name):
        return _walk.file(entry, AGENT)
    if entry.name.endswith(".jsonl"):
        return _walk.file(entry, SESSION)
    if entry.name in _BOOKS:
        return _walk.file(entry, Status.IGNORED, _BOOKS[entry.name])
    return _walk.file(entry, Status.UNKNOWN, "a file of a kind we do not know")


def _session(folder: str) -> Iterator[File]:
    """The folder named by a session: its sub-agents, its large outputs, and the client's working files."""
    for entry in entries(folder):
        if isinstance(entry, File):
            yield entry
        elif not is_folder(entry):
            if entry.name == "custom-title.json":
                yield _walk.file(entry, TITLE)
            else:
                yield _walk.file(entry, Status.IGNORED, "the client's working files, no conversation")
        elif entry.name == "subagents":
            yield from _subagents(entry.path)
        elif entry.name == "tool-results":
            yield from _walk.all(entry.path, OUTPUT)
        else:
            yield from _walk.all(entry.path, Status.IGNORED, "the client's working files, no conversation")


def _subagents(folder: str) -> Iterator[File]:
    """Sub-agents' files, those of workflows a few folders deeper."""
    for entry in entries(folder):
        if isinstance(entry, File):
            yield entry
        elif is_folder(entry):
            yield from _subagents(entry.path)
        elif _AGENT.match(entry.name):
            yield _walk.file(entry, AGENT)
        elif _META.match(entry.name):
            yield _walk.file(entry, META)
        elif entry.name == "journal.jsonl":
            yield _walk.file(entry, Status.IGNORED, "a workflow's journal: the agents have their own files")
        else:
            yield _walk.file(entry, Status.UNKNOWN, "not a sub-agent's file by its name")


def beside(folder: str) -> list[File]:
    """What lies in the folder named by a session."""
    return list(_session(folder))
