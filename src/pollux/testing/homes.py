"""Homes as an agent left them, and the small copies in which the kit damages one file at a time."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Self

from pollux.library.doctor import Doctor, examine, read_all
from pollux.model import Session
from pollux.sources.base import Bundle, SourceContext
from pollux.testing.subject import Subject
from pollux.wire import display_path
from pollux.writers import Options
from pollux.writers.json import WRITER

# All files in a copy have the same time: a reading must not depend on when a clone was made.
_MOMENT = 1_800_000_000 * 10**9


class Home:
    """A folder `<name>/home` as an agent left it, with `<name>/env.json` if it needs variables."""

    def __init__(self, subject: Subject, folder: Path) -> None:
        self.subject = subject
        self.name = folder.name
        self.path = folder / "home"
        variables_file = folder / "env.json"
        self.environ = {
            **subject.environ,
            **(json.loads(variables_file.read_text("utf-8")) if variables_file.exists() else {}),
        }

    @cached_property
    def files(self) -> list[str]:
        """Every file of the home, relative to it."""
        return sorted(os.path.relpath(path, self.path) for path in self.path.rglob("*") if path.is_file())

    @cached_property
    def families(self) -> list[frozenset[str]]:
        """Files that belong together: those of a session and its sub-agents."""
        with Stage(self, self.files) as stage:
            sessions = stage.sessions()
            groups = [set(stage.relative(session.files)) for session in sessions]
            groups += [set(stage.relative(file.path for file in bundle.files)) for bundle in stage.bundles()]
            by_key = {session.key: set(stage.relative(session.files)) for session in sessions}
            groups += [by_key[s.key] | by_key[s.parent] for s in sessions if s.parent in by_key]
        return _join_groups(groups)

    def family(self, file: str) -> frozenset[str]:
        """The file and the files that belong to it."""
        return next((group for group in self.families if file in group), frozenset({file}))

    def around(self, file: str, *, alone: bool = False) -> list[str]:
        """The file, its family (unless it is `alone`), and the files next to them that belong to no session."""
        family = frozenset({file}) if alone else self.family(file)
        session_files = frozenset().union(*self.families)
        folders = {_folder(self._roots, member) for member in family}
        neighbours = (
            other
            for other in self.files
            if other not in session_files and _folder(self._roots, other) in {*folders, ""}
        )
        return sorted({*family, *neighbours})

    @cached_property
    def _roots(self) -> list[str]:
        roots = self.subject.source.roots(self.variables(self.path), self.path)
        return [os.path.relpath(root.path, self.path) for root in roots]

    def variables(self, home: Path) -> dict[str, str]:
        """The environment of an agent's reader if this home lies at `home`."""
        own = {name: text.replace("{HOME}", str(home)) for name, text in self.environ.items()}
        return {"HOME": str(home), **own}


def homes(subject: Subject, folder: Path) -> list[Home]:
    """Every home in a folder of homes."""
    return [Home(subject, inner) for inner in sorted(folder.iterdir()) if (inner / "home").is_dir()]


class Stage:
    """A temporary home with some files of a real one; its files can be changed again and again."""

    def __init__(self, home: Home, files: Iterable[str]) -> None:
        self.source = home.subject.source
        self.folder = Path(tempfile.mkdtemp(prefix="pollux-kit-", dir=_memory_folder()))
        for name in files:
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(home.path / name, target)
            os.utime(target, ns=(_MOMENT, _MOMENT))
        self._context = SourceContext()
        self._roots = [root.path for root in self.source.roots(home.variables(self.folder), self.folder)]
        self._ticks = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def put(self, name: str, raw: bytes) -> None:
        """Give a file new bytes."""
        with open(self.folder / name, "wb", buffering=0) as out:  # noqa: PTH123
            out.write(raw)
            self._tick(out.fileno())

    def cut(self, name: str, size: int) -> None:
        """Cut a file off after `size` bytes."""
        path = self.folder / name
        os.truncate(path, size)
        self._tick(path)

    def _tick(self, file: int | Path) -> None:
        """Give every change its own time, even if the clock of the file system is coarse."""
        self._ticks += 1
        os.utime(file, ns=(_MOMENT, _MOMENT + self._ticks))

    def bundles(self) -> Iterator[Bundle]:
        """All bundles under all roots."""
        for root in self._roots:
            yield from self.source.bundles(root, list(self.source.find(root)), self._context)

    def sessions(self) -> list[Session]:
        """Every session of the home."""
        return [session for bundle in self.bundles() for session in self.source.read(bundle).sessions]

    def doctor(self) -> Doctor:
        """The account of all files."""
        bundles = list(self.bundles())
        files = [file for root in self._roots for file in self.source.find(root)]
        return examine([(self.source, files, bundles, read_all(self.source, bundles))])

    def relative(self, paths: Iterable[str]) -> list[str]:
        """Paths relative to the home."""
        return [os.path.relpath(path, self.folder) for path in paths]

    def shown(self, name: str) -> str:
        """A file's path as sessions and notices give it."""
        return display_path(self.folder / name)


def pieces(sessions: Iterable[Session]) -> list[str]:
    """The sessions as JSON, in the pieces of the writer: about one for each message."""
    out: list[str] = []
    for session in sessions:
        WRITER.write(session, out.append, _OPTIONS)
    return out


_OPTIONS = Options()


@cache
def _memory_folder() -> str | None:
    """A folder in memory, if the system has one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 (mkdtemp makes a folder of our own)


def _folder(roots: list[str], name: str) -> str:
    """The first folder below a root in which a file lies; empty for a file outside of them."""
    for root in roots:
        if name.startswith(root + os.sep):
            return os.path.join(root, Path(name[len(root) + 1 :]).parts[0])  # noqa: PTH118
    return ""


def _join_groups(groups: list[set[str]]) -> list[frozenset[str]]:
    """The groups, joined where they share a file."""
    separate_groups: list[set[str]] = []
    for group in groups:
        separate = [other for other in separate_groups if not other & group]
        separate_groups = [*separate, group.union(*(other for other in separate_groups if other & group))]
    return [frozenset(group) for group in separate_groups]
