"""Groups of sessions in a root: a change in one group does not affect the others.

Most of the time only one session of thousands grew. Which files make up a session may depend on other sessions, but not
on all. A source names the group keys of each session; sessions that share a key are in one group.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec

from pollux.sources.base import Bundle, File
from pollux.system.decoders import msgpack_decoder

_UNKNOWN = 0
"""The group of files that may affect any session: if one of them changes, everything is compared."""

_FEW = 200
"""If more files than these are new in a layout, everything is compared, and all of it is written again."""


_TOGETHER = 256
"""So many groups are stored in one piece of a layout."""


class EncodedLayout(NamedTuple):
    """A layout to be stored: all of it in pieces, or the news since it was stored last."""

    layout: list[bytes]
    news: bytes | None


class Group(msgspec.Struct, array_like=True):
    """The keys of a group's bundles, the other names that its bundles have, and what they say of folders."""

    keys: list[str]
    names: list[str]
    facts: list[tuple[str, str]] = []


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
    """What changed in a layout since all of it was written: mostly one file of thousands.

    `changed` are files by their places in the layout, `added` new files by their paths. `groups` are new, or replace
    those with the same numbers.
    """

    changed: dict[int, FileState]
    added: dict[str, FileState]
    groups: dict[int, Group]


class Columns(msgspec.Struct, array_like=True):
    """The files of a root, in the order in which they are found, and the group of each.

    Equal lists are compared at once, so that a changed file is found quickly. `asks_all`: bundles with dependencies may
    depend on any other.
    """

    paths: list[str]
    sizes: list[int]
    times: list[int]
    inodes: list[int]
    groups: list[int]
    group_count: int
    asks_all: bool


def encode_layout(files: Sequence[File], bundles: Sequence[Bundle]) -> EncodedLayout:
    """The layout of a root with these bundles: nothing if one has unknown group keys, or if a name is no text."""
    nothing = EncodedLayout([], None)
    names: dict[str, list[str]] = {}
    for bundle in bundles:
        group_keys = bundle.group_keys()
        if group_keys is None:
            return nothing
        names[bundle.key] = _group_names(bundle, group_keys)
    numbers = _number_groups(names.values())
    count = max(numbers.values(), default=0) + 1
    columns = Columns(
        [file.path for file in files],
        [file.size for file in files],
        [file.mtime_ns for file in files],
        [file.inode for file in files],
        [_group(file.path, numbers) for file in files],
        count,
        any(bundle.asks_all for bundle in bundles),
    )
    groups = [Group([], []) for _ in range(count)]
    for bundle in bundles:
        if facts := bundle.folder_facts():
            groups[numbers[bundle.key]].facts += facts
    for key in names:
        groups[numbers.pop(key)].keys.append(key)
    paths = set(columns.paths)
    for name, number in numbers.items():
        if name not in paths:
            groups[number].names.append(name)
    pieces = [columns, *(groups[start : start + _TOGETHER] for start in range(0, count, _TOGETHER))]
    try:
        return EncodedLayout([msgspec.msgpack.encode(piece) for piece in pieces], None) if names else nothing
    except UnicodeEncodeError:
        return nothing


class Layout:
    """The files of a root as they were when all of it was in the catalogue, and what is new since.

    `piece` gives the pieces that hold groups. They are read when they are needed.
    """

    def __init__(self, layout: bytes, news: bytes | None, piece: Callable[[int], bytes | None]) -> None:
        self.files = msgpack_decoder(Columns).decode(layout)
        self.news = msgpack_decoder(News).decode(news) if news is not None else News({}, {}, {})
        self._piece = piece
        self._pieces: dict[int, list[Group]] = {}

    def group(self, number: int) -> Group:
        """A group by its number."""
        if (changed := self.news.groups.get(number)) is not None:
            return changed
        place, inside = divmod(number, _TOGETHER)
        if place not in self._pieces:
            self._pieces[place] = msgpack_decoder(list[Group]).decode(self._piece(place + 1) or b"")
        return self._pieces[place][inside]

    @property
    def next_group(self) -> int:
        """The number of a new group."""
        return max(self.files.group_count, *(number + 1 for number in self.news.groups), 1)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The groups of all names but files."""
        numbers: dict[str, int] = {}
        for number in range(1, self.next_group):
            group = self.group(number)
            numbers.update(dict.fromkeys(group.keys, number))
            numbers.update(dict.fromkeys(group.names, number))
        return numbers

    @cached_property
    def facts(self) -> set[tuple[str, str]]:
        """What is said of folders."""
        return {fact for number in range(1, self.next_group) for fact in self.group(number).facts}

    @cached_property
    def file_groups(self) -> dict[str, int]:
        """The groups of all files."""
        added = {path: state.group for path, state in self.news.added.items()}
        return {**dict(zip(self.files.paths, self.files.groups, strict=True)), **added}

    def number(self, name: str) -> int:
        """The group of a name, as far as it is known."""
        return self.numbers.get(name) or abs(self.file_groups.get(name, _UNKNOWN))

    def part(self, files: list[File], asking: Iterable[str] = ()) -> Part | None:
        """The groups in which something changed, and those of the bundles `asking`; None if everything is affected."""
        added = self.news.added
        known = [file for file in files if file.path not in added] if added else files
        if [file.path for file in known] != self.files.paths:
            paths = set(self.files.paths)
            known = [file for file in known if file.path in paths]
            if [file.path for file in known] != self.files.paths:
                return None
        changed = self._changed(known)
        fresh: dict[str, FileState] = {}
        if len(known) < len(files):
            paths = set(self.files.paths)
            rest = [file for file in files if file.path not in paths]
            fresh = {file.path: self._fresh(file) for file in rest if file.path not in added}
            if len(rest) - len(fresh) < len(added):
                return None
            states = {file.path: _file_state(file, added[file.path].group) for file in rest if file.path in added}
            added = {path: state for path, state in states.items() if state != added[path]}
        touched = {state.group for states in (changed, added, fresh) for state in states.values()}
        if any(group <= _UNKNOWN for group in touched):
            return None
        asked = {self.number(key) for key in asking}
        return None if _UNKNOWN in asked else Part(self, files, Changes(changed, added, fresh), touched | asked)

    def _changed(self, files: list[File]) -> dict[int, FileState]:
        """The changed ones of the known files, by their places."""
        columns, before = self.files, self.news.changed
        places = {
            *_different([file.mtime_ns for file in files], columns.times),
            *_different([file.size for file in files], columns.sizes),
            *_different([file.inode for file in files], columns.inodes),
            *before,
        }
        states = {place: _file_state(files[place], columns.groups[place]) for place in sorted(places)}
        return {place: state for place, state in states.items() if state != before.get(place)}

    def _fresh(self, file: File) -> FileState:
        """A new file. Without a known folder above it, it belongs to a new group."""
        return _file_state(file, abs(_group(file.path, self.numbers)) or self.next_group)


class Changes(NamedTuple):
    """The files that changed: by their places in the layout, or by path if they were added later, and new ones."""

    changed: dict[int, FileState]
    added: dict[str, FileState]
    fresh: dict[str, FileState]


class Part:
    """The groups of a root in which something changed. Files that may affect any session are passed on with them."""

    def __init__(self, layout: Layout, files: list[File], changes: Changes, touched: set[int]) -> None:
        self._layout = layout
        self._all_files = files
        self._changes = changes
        self._touched = touched
        columns = layout.files
        numbers = {_UNKNOWN, *touched, *(-number for number in touched)}
        passed_on = {path: abs(no) for path, no in zip(columns.paths, columns.groups, strict=True) if no in numbers}
        passed_on.update((path, state.group) for path, state in layout.news.added.items() if state.group in touched)
        self._own = {path: number for path, number in passed_on.items() if number != _UNKNOWN}
        passed_on.update(dict.fromkeys(changes.fresh, _UNKNOWN))
        self.files = [file for file in files if file.path in passed_on]
        self._groups = {number: layout.group(number) for number in touched if number < layout.next_group}
        self._names = {name: no for no, group in self._groups.items() for name in (*group.keys, *group.names)}

    def bundles(self, bundles: Sequence[Bundle]) -> list[Bundle]:
        """Those of some bundles that belong to the part. The others have only files that may affect any session."""
        return [
            bundle
            for bundle in bundles
            if any(file.path in self._own or file.path in self._changes.fresh for file in bundle.files)
        ]

    def complete(self, bundles: Sequence[Bundle]) -> EncodedLayout | Part | None:
        """The root's present layout, if these bundles of the part are the same as among all others.

        They are the same if no bundle is gone, none belongs to two groups, and every new file belongs to a bundle. If
        one belongs to a group outside the part, this returns the part with that group. None: compare everything.
        """
        beyond: set[int] = set()
        facts: set[tuple[str, str]] = set()
        changed: list[tuple[Bundle, list[str], set[int]]] = []
        table = {**self._names, **self._own}
        for bundle in bundles:
            group_keys = bundle.group_keys()
            if group_keys is None:
                return None
            names = _group_names(bundle, group_keys)
            facts.update(bundle.folder_facts())
            if len(groups := set(map(table.get, names))) == 1 and None not in groups:
                continue
            # Names of other groups are only looked at if a name is new here.
            numbers = {table.get(name) or self._layout.number(name) for name in names} - {_UNKNOWN}
            beyond |= numbers - self._touched
            changed.append((bundle, names, numbers))
        new_names = self._new_names(changed)
        if new_names is None:
            return None
        if beyond:
            return Part(self._layout, self._all_files, self._changes, self._touched | beyond)
        if self._is_unlike(bundles) or self._affects_others(facts, new_names):
            return None
        return self._news(new_names)

    def _new_names(self, changed: list[tuple[Bundle, list[str], set[int]]]) -> dict[int, Group] | None:
        """What is new in each group, by bundles with new names and the groups of their known ones.

        Bundles that share a new name belong to one group. None where one belongs to two.
        """
        sets = _number_groups(names for _, names, _ in changed)
        known: dict[int, set[int]] = {}
        for bundle, _, numbers in changed:
            known.setdefault(sets[bundle.key], set()).update(numbers)
        if any(len(numbers) > 1 for numbers in known.values()):
            return None
        new_names: dict[int, Group] = {}
        for bundle, names, _ in changed:
            number = next(iter(known[sets[bundle.key]]), self._layout.next_group)
            self._note(bundle, names, number, new_names)
        return new_names

    def _note(self, bundle: Bundle, names: list[str], number: int, new_names: dict[int, Group]) -> None:
        """Note the group of new files of a bundle, and the names of it that the group does not have yet."""
        files = {file.path for file in bundle.files}
        for path in files & self._changes.fresh.keys():
            self._changes.fresh[path].group = number
        unknown = {name: None for name in names if name not in self._names and name not in files}
        new = new_names.setdefault(number, Group([], []))
        new.facts += bundle.folder_facts()
        # Another bundle may have named it before it came.
        if all(bundle.key not in group.keys for group in self._groups.values()):
            new.keys.append(bundle.key)
            unknown.pop(bundle.key, None)
        new.names += unknown

    def _is_unlike(self, bundles: Sequence[Bundle]) -> bool:
        """Is a bundle gone, or does a new file belong to none?"""
        keys = {bundle.key for bundle in bundles}
        files = {file.path for bundle in bundles for file in bundle.files}
        return not (self._changes.fresh.keys() <= files and all(keys.issuperset(g.keys) for g in self._groups.values()))

    def _affects_others(self, facts: set[tuple[str, str]], new_names: dict[int, Group]) -> bool:
        """Is a new name or fact, or a fact that is gone, about a folder in which files of other groups lie?"""
        known = {fact for group in self._groups.values() for fact in group.facts}
        new = facts - known
        changed = [*(known - facts), *(new - self._layout.facts if new else ())]
        folders = {folder for folder, _ in changed}
        folders |= {name for group in new_names.values() for name in group.names if os.path.isabs(name)}  # noqa: PTH117
        above = tuple(os.path.join(folder, "") for folder in folders)  # noqa: PTH118
        return bool(above) and any(
            path.startswith(above) and path not in self._own for path in self._layout.file_groups
        )

    def _news(self, new_names: dict[int, Group]) -> EncodedLayout | None:
        """The news of the layout; None where they have become many, or a name is no text."""
        before, now = self._layout.news, self._changes
        groups = dict(before.groups)
        for number, new in new_names.items():
            old = self._groups.get(number) or Group([], [])
            facts = list({*old.facts, *new.facts})
            groups[number] = Group([*old.keys, *new.keys], [*old.names, *new.names], facts)
        news = News({**before.changed, **now.changed}, {**before.added, **now.added, **now.fresh}, groups)
        if len(news.changed) + len(news.added) > _FEW:
            return None
        try:
            return EncodedLayout([], msgspec.msgpack.encode(news))
        except UnicodeEncodeError:
            return None


def _group_names(bundle: Bundle, group_keys: Iterable[str]) -> list[str]:
    """All names by which a bundle may share a group: its key, its group keys and its own files."""
    return [bundle.key, *group_keys, *[file.path for file in bundle.own_files()]]


def _file_state(file: File, group: int) -> FileState:
    return FileState(file.size, file.mtime_ns, file.inode, group)


def _different(now: list[int], before: list[int]) -> list[int]:
    """The places at which two lists differ."""
    if now == before:
        return []
    return [place for place, (new, old) in enumerate(zip(now, before, strict=True)) if new != old]


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
