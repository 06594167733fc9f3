"""Where Gemini CLI keeps things, and what each file is by its place."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from pollux.sources.base import File, Root, Status
from pollux.sources.gemini_sessions.find import BIN, PROJECT, REGISTRY
from pollux.sources.walk import FileKind, FolderRules, unknown, walk
from pollux.system.named_path import named_path
from pollux.wire import folder_at


def roots(environ: Mapping[str, str], home: Path) -> list[Root]:
    """The `tmp` folders that hold the projects."""
    for name in ("POLLUX_GEMINI_DIR", "GEMINI_SESSIONS_DIR"):
        if paths := [part for part in environ.get(name, "").split(os.pathsep) if part]:
            return [Root(path=named_path(part), reason=f"${name}") for part in paths]
    if cli_home := environ.get("GEMINI_CLI_HOME", ""):
        base = named_path(cli_home)
        # A published note took the variable for the `.gemini` folder itself, and people followed it.
        folder = base if not folder_at(base / ".gemini") and folder_at(base / "tmp") else base / ".gemini"
        return [Root(path=folder / "tmp", reason="$GEMINI_CLI_HOME")]
    return [Root(path=home / ".gemini" / "tmp", reason="the default")]


def find(root: Path) -> Iterator[File]:
    """Every file under a root with its role, and the list of projects next to it."""
    return iter(walk(str(root), _ROOT, walk(str(root.parent), _HOME, [], str(root))))


_REGISTRY: FileKind = (REGISTRY, Status.READ, None)
_HOME = FolderRules(lambda name: _REGISTRY if name == "projects.json" else None, lambda _: None, own=False)
_ROOT = FolderRules(lambda _: unknown("not in a project's folder"), lambda name: BIN if name == "bin" else PROJECT)
