"""How the files of a root hang together, so that what changed in one group of sessions leaves the others alone.

Most of the time one session of thousands grew. Which files make up a session may depend on others, but not on all:
a source says by what its sessions are tied together, and those that share no tie are groups of their own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from pollux.sources.base import Bundle, File

_EVERYBODY = 0
"""The group of what nobody knows the reach of: where a file of it changes, everything is looked at."""

_FEW = 200
"""Where more files than these are new in a layout, all of it is written down again."""


class Written(NamedTuple):
    """A layout to be kept: all of it, or the news since it was kept last."""

    layout: bytes | None
    news: bytes | None


class Kept(msgspec.Struct, array_like=True):
    """A file as it was, and its group.

    The group is negative for a file that is no session's own, but lies among those of a group: it goes along with them,
    and if it changes everything is looked at.
    """

    size: int
    mtime_ns: int
    inode: int
    group: int

    def same(self, file: File) -> bool:
        """Is it as it was?"""
        return self.mtime_ns == file.mtime_ns and self.size == file.size and self.inode == file.inode


class News(msgspec.Struct, array_like=True):
    """What became different in a layout since all of it was written down: mostly one file of thousands."""

    files: dict[str, Kept]
    keys: dict[str, int]


class Layout(msgspec.Struct, array_like=True):
    """The files of a root as they were when all of it was in the catalog.

    `keys` are those of its bundles, `group_keys` the other names that bundles share; each with the number of its group.
    `news` is None where it was never written down.
    """

    files: dict[str, Kept]
    keys: dict[str, int]
    group_keys: dict[str, int]
    news: News | None = None

    @classmethod
    def of(cls, files: Iterable[File], bundles: Sequence[Bundle]) -> Layout:
        """The layout of a root of which these are all bundles; empty where they cannot be told apart."""
        tied = {
            bundle.key: [*_names(bundle, group_keys)]
            for bundle in bundles
            if (group_keys := bundle.group_keys()) is not None
        }
        if len(tied) < len(bundles):
            return cls({}, {}, {})
        groups = _grouped(tied.values())
        kept = {file.path: _kept(file, _group(file.path, groups)) for file in files}
        keys = {key: groups.pop(key) for key in tied}
        return cls(kept, keys, {tie: group for tie, group in groups.items() if tie not in kept})

    @classmethod
    def read(cls, layout: bytes, news: bytes | None) -> Layout:
        """A layout that was written down, and the news of it."""
        kept = msgspec.msgpack.decode(layout, type=cls)
        kept.news = msgspec.msgpack.decode(news, type=News) if news is not None else News({}, {})
        kept.files.update(kept.news.files)
        kept.keys.update(kept.news.keys)
        return kept

    def written(self) -> Written:
        """What is to be kept: only the news where these are few; nothing without groups, or where a name is no text."""
        try:
            if self.news is not None and len(self.news.files) <= _FEW:
                return Written(None, msgspec.msgpack.encode(self.news))
            self.news = None
            return Written(msgspec.msgpack.encode(self) if self.keys else None, None)
        except UnicodeEncodeError:
            return Written(None, None)

    def part(self, files: list[File]) -> Part | None:
        """The groups in which something changed; None where that may concern everything."""
        changed: dict[str, Kept] = {}
        fresh: set[str] = set()
        for file in files:
            before = self.files.get(file.path)
            if before is None:
                fresh.add(file.path)
                changed[file.path] = _kept(file, abs(_group(file.path, self.group_keys)))
            elif not before.same(file):
                changed[file.path] = _kept(file, before.group)
        if len(files) - len(fresh) < len(self.files) or any(one.group <= _EVERYBODY for one in changed.values()):
            return None
        news = self.news and News({**self.news.files, **changed}, self.news.keys)
        now = Layout({**self.files, **changed}, self.keys, self.group_keys, news)
        return Part(now, files, changed, fresh)

    def group(self, tie: str) -> int:
        """The group that a name belongs to, as far as that is known."""
        if (kept := self.files.get(tie)) is not None:
            return kept.group
        return self.keys.get(tie) or self.group_keys.get(tie, _EVERYBODY)


class Part:
    """The groups of a root in which something changed."""

    def __init__(self, layout: Layout, files: Iterable[File], changed: dict[str, Kept], fresh: set[str]) -> None:
        self._layout = layout
        self._fresh = fresh
        self._touched = {kept.group for kept in changed.values()}
        self.files = [file for file in files if abs(layout.files[file.path].group) in self._touched]

    def whole(self, bundles: Sequence[Bundle]) -> Layout | None:
        """The root's layout now, where these bundles of the part are what they would be among all others.

        That is so where none has gone, none is tied to anything new or to two groups, and every new file is some
        session's own.
        """
        layout, own = self._layout, set[str]()
        keys: dict[str, int] = {}
        for bundle in bundles:
            group_keys = bundle.group_keys()
            if group_keys is None:
                return None
            groups = {layout.group(tie) for tie in _names(bundle, group_keys) if tie != bundle.key}
            if before := layout.group(bundle.key):
                groups.add(before)
            if len(groups) != 1 or not groups <= self._touched:
                return None
            if not before:
                (keys[bundle.key],) = groups
            own.update(file.path for file in bundle.files)
        gone = {key for key, group in layout.keys.items() if group in self._touched} - {one.key for one in bundles}
        if gone or not own >= self._fresh:
            return None
        news = layout.news and News(layout.news.files, {**layout.news.keys, **keys})
        return Layout(layout.files, {**layout.keys, **keys}, layout.group_keys, news)


def _names(bundle: Bundle, group_keys: Iterable[str]) -> Iterator[str]:
    """By what a bundle is tied to others: what its source says, its files and its key."""
    yield bundle.key
    yield from group_keys
    for file in bundle.files:
        yield file.path


def _kept(file: File, group: int) -> Kept:
    return Kept(file.size, file.mtime_ns, file.inode, group)


def _grouped(tied: Iterable[Iterable[str]]) -> dict[str, int]:
    """A number for every tie, the same for those that some bundle has in common."""
    joined = _Joined()
    for group_keys in tied:
        joined.join(group_keys)
    return {tie: joined.first(number) for tie, number in joined.numbers.items()}


class _Joined:
    """Numbers that were found to mean the same."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._same = [_EVERYBODY]

    def join(self, group_keys: Iterable[str]) -> None:
        """All of these have one number."""
        common = 0
        for tie in group_keys:
            number = self.numbers.get(tie)
            if number is None:
                if not common:
                    common = len(self._same)
                    self._same.append(common)
                self.numbers[tie] = common
            elif not common:
                common = self.first(number)
            elif (other := self.first(number)) != common:
                self._same[max(common, other)] = common = min(common, other)

    def first(self, number: int) -> int:
        """The least number that means the same."""
        while self._same[number] != number:
            self._same[number] = number = self._same[self._same[number]]
        return number


def _group(path: str, group_keys: dict[str, int]) -> int:
    """A file's group: its own, or, negative, that of the nearest folder above it."""
    if (group := group_keys.get(path)) is not None:
        return group
    return next((-group_keys[folder] for folder in _above(path) if folder in group_keys), _EVERYBODY)


def _above(path: str) -> Iterator[str]:
    while (folder := os.path.dirname(path)) != path:  # noqa: PTH120
        yield folder
        path = folder
