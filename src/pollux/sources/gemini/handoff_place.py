"""Where Gemini CLI finds a conversation that was handed over.

Since 0.43 it loads a conversation from any file, and begins a session of its own with it: nothing is written among its
files. From 0.39 on it resumes such a file from the folder of its project.
"""

from __future__ import annotations

import os
import re
from datetime import UTC
from pathlib import Path

from pollux.errors import CannotResume
from pollux.model.project_hash import project_hash
from pollux.sources.gemini.resume_command import PROGRAM
from pollux.sources.gemini_sessions.projects.projects import marker_of, registry_of
from pollux.sources.handoff_place import HandoffPlace, HandoffRequest, NewFile
from pollux.sources.resume_command import home_variable
from pollux.system.files import list_folder

INSTRUCTIONS = "GEMINI.md"

_MARKER = ".project_root"
_ODD = re.compile(r"[^a-z0-9]+")


def handoff_place(request: HandoffRequest) -> HandoffPlace:
    """`gemini --session-file FILE` with a file of ours, or `gemini --resume ID` in an older release."""
    if request.is_before(0, 39):
        raise CannotResume(
            "release",
            f"Gemini CLI {'.'.join(map(str, request.release or ()))} does not read such a file.",
            "Update Gemini CLI: 0.39 and later can.",
        )
    root = next((root for root in request.roots if root.name == "tmp" and root.parent.name == ".gemini"), None)
    at = request.at.astimezone(UTC)
    name = f"session-{at:%Y-%m-%dT%H-%M}-{request.id[:8]}.jsonl"
    if not request.is_before(0, 43):
        file = request.own / name
        return HandoffPlace(
            file=file,
            root=None,
            words=(PROGRAM.name, "--session-file", str(file)),
            environ=_home(request, root) if root is not None else {},
            keeps_id=False,
        )
    if root is None:
        raise CannotResume(
            "home",
            f"Gemini CLI looks for sessions only in a folder '.gemini/tmp', and cannot be told to look in "
            f"{request.roots[0]}.",
            "Update Gemini CLI: 0.43 and later load a conversation from any file.",
        )
    project = _project(root, request.folder)
    marker = NewFile(path=project / _MARKER, content=os.fsencode(request.folder))
    return HandoffPlace(
        file=project / "chats" / name,
        root=root,
        words=(PROGRAM.name, "--resume", request.id),
        environ=_home(request, root),
        beside=(marker,) if project.name != project_hash(request.folder) else (),
    )


def _home(request: HandoffRequest, root: Path) -> dict[str, str | None]:
    return home_variable(request, "GEMINI_CLI_HOME", root.parent.parent, request.home)


def _project(root: Path, folder: str) -> Path:
    """The folder of a project: the one that says so, else the one of its hash, else a new one.

    A new folder beside the one of the hash would keep Gemini CLI from taking over what is there.
    """
    owners = {place: marker_of(str(place / _MARKER)) for place in list_folder(root) if place.is_dir()}
    registered = registry_of(root.parent / "projects.json").get(folder)
    mine = [place for place, owner in owners.items() if owner == folder]
    if mine:
        return next((place for place in mine if place.name == registered), mine[0])
    if registered is not None and Path(registered).name == registered and not owners.get(root / registered):
        return root / registered
    hashed = root / project_hash(folder)
    if hashed in owners:
        return hashed
    slug = _ODD.sub("-", Path(folder).name.lower()).strip("-") or "project"
    taken = {place.name for place in owners} | set(registry_of(root.parent / "projects.json").values())
    names = (slug if number == 0 else f"{slug}-{number}" for number in range(len(taken) + 1))
    return root / next(name for name in names if name not in taken)
