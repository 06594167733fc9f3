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

# Everything in a copy is as old: what a reader says must not depend on when a clone was made.
_MOMENT = 1_800_000_000 * 10**9


class Home:
    """A folder `<name>/home` as an agent left it, with `<name>/env.json` beside it where it needs variables."""

    def __init__(self, subject: Subject, folder: Path) -> None:
        self.subject = subject
        self.name = folder.name
        self.path = folder / "home"
        beside = folder / "env.json"
        self.environ = {**subject.environ, **(json.loads(beside.read_text("utf-8")) if beside.exists() else {})}

    @cached_property
    def files(self) -> list[str]:
        """Every file of the home, relative to it."""
        return sorted(os.path.relpath(path, self.path) for path in self.path.rglob("*") if path.is_file())

    @cached_property
    def families(self) -> list[frozenset[str]]:
        """Files that belong together: of one session, of a session and its sub-agents."""
        with Stage(self, self.files) as stage:
            sessions = stage.sessions()
            groups = [set(stage.relative(session.files)) for session in sessions]
            groups += [set(stage.relative(file.path for file in bundle.files)) for bundle in stage.bundles()]
            by_key = {session.key: set(stage.relative(session.files)) for session in sessions}
            groups += [by_key[s.key] | by_key[s.parent] for s in sessions if s.parent in by_key]
        return _joined(groups)

    def family(self, file: str) -> frozenset[str]:
        """The file and what belongs to it."""
        return next((group for group in self.families if file in group), frozenset({file}))

    def around(self, file: str, *, alone: bool = False) -> list[str]:
        """The file, what belongs to it (not where it is `alone`), and what lies beside it without being a session's."""
        family = frozenset({file}) if alone else self.family(file)
        held = frozenset().union(*self.families)
        folders = {_folder(self._roots, member) for member in family}
        near = (other for other in self.files if other not in held and _folder(self._roots, other) in {*folders, ""})
        return sorted({*family, *near})

    @cached_property
    def _roots(self) -> list[str]:
        found = self.subject.source.roots(self.variables(self.path), self.path)
        return [os.path.relpath(root.path, self.path) for root in found]

    def variables(self, home: Path) -> dict[str, str]:
        """The environment an agent's reader is started with when this home lies at `home`."""
        named = {name: text.replace("{HOME}", str(home)) for name, text in self.environ.items()}
        return {"HOME": str(home), **named}


def homes(subject: Subject, folder: Path) -> list[Home]:
    """Every home in a folder of homes."""
    return [Home(subject, inner) for inner in sorted(folder.iterdir()) if (inner / "home").is_dir()]


class Stage:
    """A temporary home that holds some files of a real one; one of them can be changed again and again."""

    def __init__(self, home: Home, files: Iterable[str]) -> None:
        self.source = home.subject.source
        self.folder = Path(tempfile.mkdtemp(prefix="pollux-kit-", dir=_quick_place()))
        for name in files:
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(home.path / name, target)
            os.utime(target, ns=(_MOMENT, _MOMENT))
        self._around = SourceContext()
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
        """Cut a file off after so many bytes."""
        path = self.folder / name
        os.truncate(path, size)
        self._tick(path)

    def _tick(self, file: int | Path) -> None:
        """Every change gets a time of its own, also where the clock of the file system is coarse."""
        self._ticks += 1
        os.utime(file, ns=(_MOMENT, _MOMENT + self._ticks))

    def bundles(self) -> Iterator[Bundle]:
        """All bundles under all roots."""
        for root in self._roots:
            yield from self.source.bundles(root, list(self.source.find(root)), self._around)

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
    """The sessions as JSON, in the pieces in which the writer makes them: about one a message."""
    out: list[str] = []
    for session in sessions:
        WRITER.write(session, out.append, _OPTIONS)
    return out


_OPTIONS = Options()


@cache
def _quick_place() -> str | None:
    """Memory, where the system offers it as a file system."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 (mkdtemp makes a folder of our own)


def _folder(roots: list[str], name: str) -> str:
    """The first folder below a root in which a file lies; empty for a file outside of them."""
    for root in roots:
        if name.startswith(root + os.sep):
            return os.path.join(root, Path(name[len(root) + 1 :]).parts[0])  # noqa: PTH118
    return ""


def _joined(groups: list[set[str]]) -> list[frozenset[str]]:
    """Groups that share a file are one."""
    found: list[set[str]] = []
    for group in groups:
        apart = [other for other in found if not other & group]
        found = [*apart, group.union(*(other for other in found if other & group))]
    return [frozenset(group) for group in found]
