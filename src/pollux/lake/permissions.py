"""What the user allows to leave this machine: projects, each with a level. Nothing is allowed from the start."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from unicodedata import normalize

import msgspec

from pollux.errors import RequestError, StoreError, UnknownName
from pollux.index.catalogue.values import Project
from pollux.lake.documents import Level
from pollux.model import Value
from pollux.system.decoders import json_decoder
from pollux.system.files import read, write_file

EVERYTHING = ""
"""The path that stands for every session, also for those of no known project."""


class Permission(Value, frozen=True, kw_only=True):
    """A folder whose sessions may go to lakes, and those of the folders in it.

    `level` is None where the settings decide. `name` is what lakes get to see instead of the path.
    """

    path: str
    level: Level | None = None
    name: str | None = None

    def covers(self, project: str | None) -> bool:
        """Does it allow the sessions of a project? What `..` leads out of is not its folder."""
        if self.path == EVERYTHING:
            return True
        if project is None:
            return False
        return f"{normalize('NFC', os.path.normpath(project))}/".startswith(f"{self.path.rstrip('/')}/")


class Permissions:
    """Everything that is allowed, in a file of the user's data."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "allowed.json"

    def all(self) -> list[Permission]:
        """All permissions, by path. Raises `StoreError` where it cannot be known what is allowed."""
        try:
            return json_decoder(list[Permission]).decode(read(self._file))
        except FileNotFoundError:
            return []
        except (OSError, msgspec.DecodeError) as error:
            problem = f"{self._file} cannot be read, so nothing counts as allowed: {error}."
            raise StoreError(problem, "Remove the file and allow the projects again.") from error

    def allow(self, permission: Permission) -> None:
        """Allow a project, or change how it is allowed. Raises `StoreError`."""
        self._write([permission, *(one for one in self.all() if one.path != permission.path)])

    def withdraw(self, path: str) -> bool:
        """Withdraw a permission; False where there was none."""
        before = self.all()
        self._write(one for one in before if one.path != path)
        return any(one.path == path for one in before)

    def _write(self, permissions: Iterable[Permission]) -> None:
        content = msgspec.json.encode(sorted(permissions, key=lambda one: one.path))
        try:
            write_file(self._file, content, durable=True)
        except OSError as error:
            raise StoreError(f"{self._file} cannot be written: {error.strerror}.") from error


def permission_for(project: str | None, permissions: Iterable[Permission]) -> Permission | None:
    """The permission that counts for a project: the one for the folder that is nearest to it."""
    matching = [one for one in permissions if one.covers(project)]
    return max(matching, key=lambda one: len(one.path), default=None)


def covered(permissions: Iterable[Permission], projects: Iterable[Project]) -> dict[str, int]:
    """How many sessions each permission covers, by its path; sub-agents' and the like come on top."""
    known, counts = list(permissions), Counter[str]()
    for project in projects:
        if (permission := permission_for(project.path, known)) is not None:
            counts[permission.path] += sum(project.agents.values())
    return counts


def folder_path(typed: str) -> str:
    """The whole path of a folder that the user typed."""
    return normalize("NFC", os.path.abspath(os.path.expanduser(typed)))  # noqa: PTH100, PTH111


def project_path(typed: str, projects: Iterable[Project]) -> str:
    """The folder that the user means: a path, or the name of a project with sessions. Raises `RequestError`."""
    if os.sep in typed or typed.startswith(("~", ".")):
        return folder_path(typed)
    known = {project.path: project.name for project in projects if project.path is not None}
    paths = sorted(path for path, name in known.items() if name == typed)
    if len(paths) > 1:
        raise RequestError(f"{len(paths)} projects are called {typed!r}.", f"Name its path: {', '.join(paths)}")
    if not paths:
        raise UnknownName("project", typed, known.values(), hint="Name its path, or see: pollux projects")
    return paths[0]
