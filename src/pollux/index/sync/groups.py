"""Groups of sessions in a root: a change in one group does not affect the others.

Most of the time only one session of thousands grew. Which files make up a session may depend on other sessions, but not
on all. A source names the group keys of each session; sessions that share a key are in one group.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from pollux.sources.base import Bundle, File

_UNKNOWN = 0
"""The group of files that may affect any session: if one of them changes, everything is compared."""

_FEW = 200
"""If more files than these are new in a layout, all of it is written again."""


class EncodedLayout(NamedTuple):
    """A layout to be stored: all of it, or the news since it was stored last."""

    layout: bytes | None
    news: bytes | None


class FileState(msgspec.Struct, array_like=True):
    """A file as it was, and its group.

    The group is negative for a file that belongs to no session, but lies among the files of a group. It is passed on
    with them, and if it changes, everything is compared.
    """

    size: int
    mtime_ns: int
    inode: int
    group: int


class News(msgspec.Struct, array_like=True):
    """What changed in a layout since all of it was written: mostly one file of thousands."""

    files: dict[str, FileState]
    keys: dict[str, int]


class Layout(msgspec.Struct, array_like=True):
    """The files of a root as they were when all of it was in the catalogue.

    `keys` are the keys of its bundles, `group_keys` the other names that bundles share; each with the number of its
    group. `news` is None for a layout that was never written.
    """

    files: dict[str, FileState]
    keys: dict[str, int]
    group_keys: dict[str, int]
    news: News | None = None

    @classmethod
    def of(cls, files: Iterable[File], bundles: Sequence[Bundle]) -> Layout:
        """The layout of a root with these bundles; empty if one of them has unknown group keys."""
        names = {
            bundle.key: [*_group_names(bundle, group_keys)]
            for bundle in bundles
            if (group_keys := bundle.group_keys()) is not None
        }
        if len(names) < len(bundles):
            return cls({}, {}, {})
        groups = _number_groups(names.values())
        states = {file.path: _file_state(file, _group(file.path, groups)) for file in files}
        keys = {key: groups.pop(key) for key in names}
        return cls(states, keys, {name: group for name, group in groups.items() if name not in states})

    @classmethod
    def read(cls, layout: bytes, news: bytes | None) -> Layout:
        """Decode a layout and the news since it was written."""
        complete = msgspec.msgpack.decode(layout, type=cls)
        complete.news = msgspec.msgpack.decode(news, type=News) if news is not None else News({}, {})
        complete.files.update(complete.news.files)
        complete.keys.update(complete.news.keys)
        return complete

    def encode(self) -> EncodedLayout:
        """Encode the layout: only the news if these are few; nothing without groups, or if a name is no text."""
        try:
            if self.news is not None and len(self.news.files) <= _FEW:
                return EncodedLayout(None, msgspec.msgpack.encode(self.news))
            self.news = None
            return EncodedLayout(msgspec.msgpack.encode(self) if self.keys else None, None)
        except UnicodeEncodeError:
            return EncodedLayout(None, None)

    def part(self, files: list[File]) -> Part | None:
        """The groups in which something changed; None if that may affect everything."""
        changed: dict[str, FileState] = {}
        fresh: set[str] = set()
        for file in files:
            before = self.files.get(file.path)
            if before is None:
                fresh.add(file.path)
                changed[file.path] = _file_state(file, abs(_group(file.path, self.group_keys)))
            elif before.mtime_ns != file.mtime_ns or before.size != file.size or before.inode != file.inode:
                changed[file.path] = _file_state(file, before.group)
        if len(files) - len(fresh) < len(self.files) or any(state.group <= _UNKNOWN for state in changed.values()):
            return None
        news = self.news and News({**self.news.files, **changed}, self.news.keys)
        now = Layout({**self.files, **changed}, self.keys, self.group_keys, news)
        return Part(now, files, changed, fresh)

    def group(self, name: str) -> int:
        """The group of a name, as far as it is known."""
        if (state := self.files.get(name)) is not None:
            return state.group
        return self.keys.get(name) or self.group_keys.get(name, _UNKNOWN)


class Part:
    """The groups of a root in which something changed."""

    def __init__(self, layout: Layout, files: Iterable[File], changed: dict[str, FileState], fresh: set[str]) -> None:
        self._layout = layout
        self._fresh = fresh
        self._touched = {state.group for state in changed.values()}
        self.files = [file for file in files if abs(layout.files[file.path].group) in self._touched]

    def complete(self, bundles: Sequence[Bundle]) -> Layout | None:
        """The root's present layout, if these bundles of the part are the same as among all others; else None.

        They are the same if no bundle is gone, none has a new group key or belongs to two groups, and every new file
        belongs to a bundle.
        """
        layout, own = self._layout, set[str]()
        keys: dict[str, int] = {}
        for bundle in bundles:
            group_keys = bundle.group_keys()
            if group_keys is None:
                return None
            groups = {layout.group(name) for name in _group_names(bundle, group_keys) if name != bundle.key}
            if before := layout.group(bundle.key):
                groups.add(before)
            if len(groups) != 1 or not groups <= self._touched:
                return None
            if not before:
                (keys[bundle.key],) = groups
            own.update(file.path for file in bundle.files)
        expected = {key for key, group in layout.keys.items() if group in self._touched}
        if expected - {bundle.key for bundle in bundles} or not own >= self._fresh:
            return None
        news = layout.news and News(layout.news.files, {**layout.news.keys, **keys})
        return Layout(layout.files, {**layout.keys, **keys}, layout.group_keys, news)


def _group_names(bundle: Bundle, group_keys: Iterable[str]) -> Iterator[str]:
    """All names by which a bundle may share a group: its key, its group keys and its files."""
    yield bundle.key
    yield from group_keys
    for file in bundle.files:
        yield file.path


def _file_state(file: File, group: int) -> FileState:
    return FileState(file.size, file.mtime_ns, file.inode, group)


def _number_groups(name_lists: Iterable[Iterable[str]]) -> dict[str, int]:
    """A number for every name. Names of one bundle have the same number."""
    sets = _DisjointSets()
    for group_keys in name_lists:
        sets.join(group_keys)
    return {name: sets.first(number) for name, number in sets.numbers.items()}


class _DisjointSets:
    """Names in disjoint sets, each set with a number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._same = [_UNKNOWN]

    def join(self, group_keys: Iterable[str]) -> None:
        """Put some names into one set."""
        common = 0
        for name in group_keys:
            number = self.numbers.get(name)
            if number is None:
                if not common:
                    common = len(self._same)
                    self._same.append(common)
                self.numbers[name] = common
            elif not common:
                common = self.first(number)
            elif (other := self.first(number)) != common:
                self._same[max(common, other)] = common = min(common, other)

    def first(self, number: int) -> int:
        """The number of the set to which a number belongs now."""
        while self._same[number] != number:
            self._same[number] = number = self._same[self._same[number]]
        return number


def _group(path: str, group_keys: dict[str, int]) -> int:
    """The group of a file; if it has none, that of the nearest folder above it, negative."""
    if (group := group_keys.get(path)) is not None:
        return group
    return next((-group_keys[folder] for folder in _folders_above(path) if folder in group_keys), _UNKNOWN)


def _folders_above(path: str) -> Iterator[str]:
    while (folder := os.path.dirname(path)) != path:  # noqa: PTH120
        yield folder
        path = folder
