"""Gemini CLI finds a project by a folder's name, or by its note and registry: a move changes these.

Up to 0.28 a folder is named by the hash of the path, and gets the hash of the new one. Since 0.29 its name is a slug
that may stay: the note `.project_root` names its project, and `projects.json` names the folder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from pollux.errors import OutputError
from pollux.model.project_hash import project_hash
from pollux.sources.gemini_sessions.projects.projects import marker_of, registry_of
from pollux.sources.rehome_plan import RehomePlan, Rename, Rewrite
from pollux.system.files import read
from pollux.wire import display_path


def plan_rehome(root: Path, moved: Mapping[str, str]) -> RehomePlan:
    """The changes under a root and in the folder of file histories next to it.

    Raises `OutputError` where the new path already has a history, or the list of projects cannot be read.
    """
    new_hashes = {project_hash(old): project_hash(new) for old, new in moved.items()}
    registry = root.parent / "projects.json"
    known = _known(registry)
    conflicts = [registry for new in moved.values() if new in known]
    steps: list[Rename | Rewrite] = []
    folders: list[str] = []
    for folder in _folders(root, root.parent / "history"):
        marker = marker_of(str(folder / ".project_root"))
        if folder.name in new_hashes:
            steps.append(Rename(path=str(folder), to=str(folder.with_name(new_hashes[folder.name]))))
        elif marker is not None and marker in moved:
            steps.append(_note(folder / ".project_root", marker, moved[marker]))
        elif marker in moved.values():
            conflicts.append(folder)
        if folder.name in new_hashes or marker in moved:
            folders.append(str(folder))
    rewrites, left = _registry(registry, {old: new for old, new in moved.items() if old in known})
    if conflicts and (steps or rewrites):
        raise OutputError(f"{display_path(conflicts[-1])} knows the new path already.", "Nothing was changed.")
    if folders:
        left.append(
            "session files go on carrying the hash of the old path, which its list of sessions does not ask for"
        )
    return RehomePlan(steps=(*steps, *rewrites), folders=tuple(folders), left=tuple(left))


def _known(registry: Path) -> Mapping[str, str]:
    """The projects that Gemini CLI knows. Raises `OutputError` where the list cannot be read: it might name them."""
    try:
        read(registry)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise OutputError(
            f"{display_path(registry)} cannot be read: {error.strerror or error}.", "Nothing was changed."
        ) from error
    return registry_of(registry)


def _folders(*above: Path) -> Iterator[Path]:
    for parent in above:
        if parent.is_dir():
            yield from sorted(folder for folder in parent.iterdir() if folder.is_dir() and not folder.is_symlink())


def _note(file: Path, old: str, new: str) -> Rewrite:
    raw = read(file)
    return Rewrite(path=str(file), before=raw, after=raw.replace(_raw(old), _raw(new), 1), what=_what(old, new))


def _registry(file: Path, moved: Mapping[str, str]) -> tuple[list[Rewrite], list[str]]:
    """The list of projects with the new paths, and otherwise unchanged."""
    if not moved:
        return [], []
    before = after = read(file)
    for old, new in moved.items():
        name = re.compile(rb"(?:" + b"|".join(re.escape(text) for text in _quoted(old)) + rb")(?=\s*:)")
        after, count = name.subn(lambda _, new=new: _quoted(new)[0], after)  # type: ignore[misc]
        if count != 1:
            return [], [f"{display_path(file)} names {display_path(old)} more than once or in an unusual way"]
    what = "; ".join(_what(old, new) for old, new in moved.items())
    return [Rewrite(path=str(file), before=before, after=after, what=what)], []


def _quoted(path: str) -> tuple[bytes, bytes]:
    return _raw(json.dumps(path, ensure_ascii=False)), json.dumps(path).encode()


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _what(old: str, new: str) -> str:
    return f"{display_path(old)} → {display_path(new)}"
