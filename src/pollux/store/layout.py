"""How the files of a root hang together, so that what changed in one group of sessions leaves the others alone.

Most of the time one session of thousands grew. Which files make up a session may depend on others, but not on all:
a source says by what its sessions are tied together, and those that share no tie are groups of their own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from pollux.sources.base import Bundle, File

_EVERYBODY = 0
"""The group of files that nobody knows the reach of: where one of them changes, everything is looked at."""


class Layout(msgspec.Struct, array_like=True):
    """The files of a root as they were when all of it was in the catalogue. `knowledge`: what was known beside them.

    `groups` has a number for each file. It is negative for a file that is no session's own, but lies among those of a
    group: it goes along with them, and if it changes everything is looked at. `ties` are those of all bundles, `keys`
    the bundles' own; each has the number of its group.
    """

    files: list[File]
    groups: list[int]
    ties: dict[str, int]
    keys: dict[str, int]
    knowledge: str = ""

    @classmethod
    def of(cls, files: list[File], bundles: Sequence[Bundle]) -> Layout:
        """The layout of a root of which these are all bundles."""
        tied = {bundle.key: ties for bundle in bundles if (ties := ties_of(bundle)) is not None}
        ties = _grouped(tied.values())
        shared = {file.path for bundle in bundles if bundle.key not in tied for file in bundle.files}
        groups = [_EVERYBODY if file.path in shared else _group(file.path, ties) for file in files]
        return cls(files, groups, ties, {key: ties[key] for key in tied})

    def written(self, knowledge: str) -> bytes | None:
        """The layout as it is kept; None where a file's name is no text, and so cannot be."""
        self.knowledge = knowledge
        try:
            return msgspec.msgpack.encode(self)
        except UnicodeEncodeError:
            return None

    def part(self, knowledge: str, files: list[File]) -> Part | None:
        """The groups in which something changed; None where that may concern everything."""
        if knowledge != self.knowledge:
            return None
        known = {file.path: number for number, file in enumerate(self.files)}
        groups: list[int] = []
        touched: set[int] = set()
        fresh: set[str] = set()
        for file in files:
            number = known.pop(file.path, None)
            if number is None:
                group = abs(_group(file.path, self.ties))
                fresh.add(file.path)
            else:
                group = self.groups[number]
                if self.files[number] == file:
                    groups.append(group)
                    continue
            if group <= _EVERYBODY:
                return None
            groups.append(group)
            touched.add(group)
        return None if known else Part(self, files, groups, touched, fresh)


class Part:
    """The groups of a root in which something changed."""

    def __init__(
        self, layout: Layout, files: list[File], groups: list[int], touched: set[int], fresh: set[str]
    ) -> None:
        self._layout = layout
        self._every = files
        self._groups = groups
        self._touched = touched
        self._fresh = fresh
        self.files = [file for file, group in zip(files, groups, strict=True) if abs(group) in touched]
        self.keys = {key for key, group in layout.keys.items() if group in touched}

    def whole(self, bundles: Sequence[Bundle]) -> Layout | None:
        """The root's layout now, where these bundles of the part are what they would be among all others.

        That is so where none has gone, none is tied to anything new or to two groups, and every new file is some
        session's own.
        """
        known, added, keys = self._layout.ties, dict[str, int](), dict[str, int]()
        for bundle in bundles:
            ties = ties_of(bundle) or ()
            groups = {known[tie] for tie in ties if tie in known}
            strange = {tie for tie in ties if tie not in known}
            if len(groups) != 1 or not groups <= self._touched or not strange - {bundle.key} <= self._fresh:
                return None
            added |= dict.fromkeys(strange, *groups)
            keys[bundle.key] = known.get(bundle.key) or added[bundle.key]
        if not self.keys <= keys.keys() or not added.keys() >= self._fresh:
            return None
        return Layout(self._every, self._groups, known | added, self._layout.keys | keys)


def ties_of(bundle: Bundle) -> list[str] | None:
    """What ties a bundle to others: what its source says, its files and its key."""
    told = bundle.ties()
    return None if told is None else [bundle.key, *told, *(file.path for file in bundle.files)]


def _grouped(tied: Iterable[Iterable[str]]) -> dict[str, int]:
    """A number for every tie, the same for those that some bundle has in common."""
    joined = _Joined()
    for ties in tied:
        joined.join(ties)
    return {tie: joined.first(number) for tie, number in joined.numbers.items()}


class _Joined:
    """Numbers that were found to mean the same."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self._same = [_EVERYBODY]

    def join(self, ties: Iterable[str]) -> None:
        """All of these have one number."""
        common = 0
        for tie in ties:
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


def _group(path: str, ties: dict[str, int]) -> int:
    """A file's group: its own, or, negative, that of the nearest folder above it."""
    if (group := ties.get(path)) is not None:
        return group
    return next((-ties[folder] for folder in _above(path) if folder in ties), _EVERYBODY)


def _above(path: str) -> Iterator[str]:
    while (folder := os.path.dirname(path)) != path:  # noqa: PTH120
        yield folder
        path = folder
