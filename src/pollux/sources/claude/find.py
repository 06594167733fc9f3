"""Where Claude Code keeps things, and what each file is by its place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pollux.sources.base import File, Root, Status
from pollux.sources.session_migrate import FOLDER, RULES
from pollux.sources.walk import FileKind, FolderRules, every_file, ignored, unknown, walk
from pollux.system.named_path import named_path
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
_HISTORY: FileKind = (HISTORY, Status.IGNORED, "typed prompts; the sessions they belong to have their own files")
_WORKING = ignored("the client's working files, not a conversation")
_CLIENT_FILES = {
    "sessions-index.json": ignored("the client's own index"),
    ".session-aliases": ignored("other names of project folders"),
    ".DS_Store": ignored("left by a file browser"),
}


def roots(environ: Mapping[str, str], home: Path) -> list[Root]:
    """The `projects` folders, each once."""
    if projects_dirs := environ.get("CLAUDE_PROJECTS_DIR", ""):
        folders = [Root(path=named_path(part), reason="$CLAUDE_PROJECTS_DIR") for part in _parts(projects_dirs)]
    elif config_dirs := environ.get("CLAUDE_CONFIG_DIR", ""):
        folders = [Root(path=_projects(part), reason="$CLAUDE_CONFIG_DIR") for part in _parts(config_dirs)]
    else:
        xdg_config = environ.get("XDG_CONFIG_HOME", "")
        config = Path(xdg_config) if os.path.isabs(xdg_config) else home / ".config"  # noqa: PTH117
        folders = [Root(path=home / ".claude" / "projects", reason="the default")]
        if folder_at(other := config / "claude" / "projects"):
            reason = "$XDG_CONFIG_HOME" if os.path.isabs(xdg_config) else "the XDG default"  # noqa: PTH117
            folders.append(Root(path=other, reason=reason))
    unique: dict[str, Root] = {}
    for root in folders:
        unique.setdefault(os.path.realpath(root.path), root)
    return list(unique.values())


def _parts(paths: str) -> list[str]:
    """The folders of a list, separated by commas, as other tools accept it. A folder's own name may have a comma."""
    if folder_at(paths):
        return [paths]
    return [part.strip() for part in paths.split(",") if part.strip()]


def _projects(config: str) -> Path:
    """The `projects` folder of a configuration folder. Some people name the `projects` folder itself."""
    folder = named_path(config)
    return folder if folder.name == "projects" and not folder_at(folder / "projects") else folder / "projects"


def find(root: Path) -> Iterator[File]:
    """Every file under a root with its role; beside it, the log of typed prompts and the manifests of conversions."""
    files = walk(str(root), _ROOT, [])
    if root.name == "projects":
        walk(str(root.parent), _HOME, files, str(root))
    return iter(files)


def session_folder_files(folder: str) -> list[File]:
    """The files in a session's own folder."""
    return [] if os.path.islink(folder) else walk(folder, _SESSION_FOLDER, [])  # noqa: PTH114


def _in_root(name: str) -> FileKind:
    return _CLIENT_FILES.get(name) or unknown("not in a project's folder")


def _in_project(name: str) -> FileKind:
    if name.endswith(".jsonl"):
        return _SUBAGENT if name.startswith("agent-") and _AGENT.match(name) else _SESSION
    return _CLIENT_FILES.get(name) or unknown("a file of an unknown kind")


def _of_subagents(name: str) -> FileKind:
    if _AGENT.match(name):
        return _SUBAGENT
    if _META.match(name):
        return _ABOUT
    if name == "journal.jsonl":
        return ignored("a workflow's journal: the agents have their own files")
    return unknown("not a sub-agent's file by its name")


# The files of workflows lie a few folders deeper.
_SUBAGENTS: FolderRules = FolderRules(_of_subagents, lambda _: _SUBAGENTS)
# A session's own folder: its sub-agents, its large outputs, and the client's working files.
_SESSION_FOLDERS = {"subagents": _SUBAGENTS, "tool-results": every_file(_OUTPUT)}
_OTHER_FOLDER = every_file(_WORKING)
_SESSION_FOLDER = FolderRules(
    lambda name: _TITLE if name == "custom-title.json" else _WORKING,
    lambda name: _SESSION_FOLDERS.get(name, _OTHER_FOLDER),
)
_MEMORY = every_file(ignored("the agent's own memory"))
_PROJECT = FolderRules(_in_project, lambda name: _MEMORY if name == "memory" else _SESSION_FOLDER)
_ROOT = FolderRules(_in_root, lambda _: _PROJECT)
_HOME = FolderRules(
    lambda name: _HISTORY if name == "history.jsonl" else None,
    lambda name: RULES if name == FOLDER else None,
    own=False,
)
