"""Where Claude Code keeps things, and what each file is by its place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pollux.sources.base import File, Root, Status
from pollux.sources.walk import FileKind, FolderRules, every_file, ignored, unknown, walk
from pollux.wire import folder_at

SESSION, AGENT, META, TITLE = "session", "agent", "meta", "title"
OUTPUT, HISTORY = "output", "history"

_AGENT = re.compile(r"agent-.+\.jsonl\Z", re.DOTALL)
_META = re.compile(r"agent-.+\.meta\.json\Z", re.DOTALL)
_NOTHING = "nothing was said in it"

_SESSION: FileKind = (SESSION, Status.IGNORED, _NOTHING)
_SUBAGENT: FileKind = (AGENT, Status.IGNORED, "nothing was said in it")
_ABOUT: FileKind = (META, Status.IGNORED, "about a sub-agent that left no session")
_TITLE: FileKind = (TITLE, Status.IGNORED, "the title of a session that left nothing else")
_OUTPUT: FileKind = (OUTPUT, Status.IGNORED, "large tool output that no session refers to")
_HISTORY: FileKind = (HISTORY, Status.IGNORED, "typed lines; the sessions they belong to have their own files")
_WORKING = ignored("the client's working files, no conversation")
_BOOKS = {
    "sessions-index.json": ignored("the client's own index"),
    ".session-aliases": ignored("other names of project folders"),
    ".DS_Store": ignored("left by a file browser"),
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
    files = walk(str(root), _ROOT, [])
    if root.name == "projects":
        walk(str(root.parent), _HOME, files, str(root))
    return iter(files)


def beside(folder: str) -> list[File]:
    """What lies in the folder named by a session."""
    return [] if os.path.islink(folder) else walk(folder, _WITHIN, [])  # noqa: PTH114


def _loose(name: str) -> FileKind:
    return _BOOKS.get(name) or unknown("not in a project's folder")


def _in_project(name: str) -> FileKind:
    if _AGENT.match(name):
        return _SUBAGENT
    if name.endswith(".jsonl"):
        return _SESSION
    return _BOOKS.get(name) or unknown("a file of a kind we do not know")


def _of_subagents(name: str) -> FileKind:
    if _AGENT.match(name):
        return _SUBAGENT
    if _META.match(name):
        return _ABOUT
    if name == "journal.jsonl":
        return ignored("a workflow's journal: the agents have their own files")
    return unknown("not a sub-agent's file by its name")


# Those of workflows lie a few folders deeper.
_SUBAGENTS: FolderRules = FolderRules(_of_subagents, lambda _: _SUBAGENTS)
# The folder named by a session: its sub-agents, its large outputs, and the client's working files.
_WITHIN_IT = {"subagents": _SUBAGENTS, "tool-results": every_file(_OUTPUT)}
_ELSE = every_file(_WORKING)
_WITHIN = FolderRules(
    lambda name: _TITLE if name == "custom-title.json" else _WORKING, lambda name: _WITHIN_IT.get(name, _ELSE)
)
_MEMORY = every_file(ignored("the agent's own memory"))
_PROJECT = FolderRules(_in_project, lambda name: _MEMORY if name == "memory" else _WITHIN)
_ROOT = FolderRules(_loose, lambda _: _PROJECT)
_HOME = FolderRules(lambda name: _HISTORY if name == "history.jsonl" else None, lambda _: None, own=False)
