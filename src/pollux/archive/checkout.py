"""Lays kept files out as the agents had them, so that the same sources read them.

Each home that lost something gets a folder in the cache. It holds the files that the agent deleted, cut shorter or
continued otherwise, as they were kept. Files that are still whole are links to the agent's own, so that a session is
read beside the same neighbours as ever. The folder can be deleted at any moment, and is made again.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from pollux import registry
from pollux.archive.contents import Damaged
from pollux.archive.keep import Archive, wanted
from pollux.archive.merge import Union, by_file, rewritten
from pollux.archive.order import best_first
from pollux.archive.packs import BOOKS, State, is_safe
from pollux.archive.recent import Recent
from pollux.archive.survey import standing
from pollux.archive.within import Proof, Within
from pollux.errors import UnknownName
from pollux.index.sync.sync import RootScan
from pollux.projects.renamed import RenamedFolders
from pollux.sources.base import Bundle, File, Reading, Root, Source, SourceContext, fingerprint_of
from pollux.sources.source_wrapper import Wrapped
from pollux.system.bounds import mirror_home
from pollux.system.deep_folders import remove_tree
from pollux.system.files import HUGE, make_private_folder, read, write_file
from pollux.system.locks import owner, write_lock
from pollux.system.progress import Progress, Report

T = TypeVar("T")

LINK = b""
# A file cannot lie there, whatever it holds: another one has a folder's name, or the name is none here.
_NO_PLACE = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL)
ABOUT, _HELD, _UNIONS = map(os.fsdecode, BOOKS)


class Shelf(Wrapped):
    """An agent's source for kept files. It leaves out sessions of which the agent has all files itself.

    `elsewhere` are files of the tree that another home of the agent holds whole.
    """

    def __init__(self, source: Source, elsewhere: Collection[str] = ()) -> None:
        super().__init__(source)
        self._elsewhere = elsewhere

    def find(self, root: Path) -> Iterator[File]:
        """As the agent's own. A file counts as changed when another home begins or ceases to hold it."""
        for file in self.source.find(root):
            yield msgspec.structs.replace(file, inode=0) if file.path in self._elsewhere else file

    def bundles(self, root: Path, files: Iterable[File], context: SourceContext) -> list[Bundle]:
        """The sessions with kept files, and those that the agent's own root names otherwise without such files."""
        every = list(files)
        own = {file.path for file in every if not self._has(file.path)}
        listed = self.source.bundles(root, every, context)
        gone = [one for one in listed if any(file.path in own for file in one.files)]
        if not gone or not any(one.named_by_others for one in listed):
            return gone
        rest = self.source.bundles(root, [file for file in every if file.path not in own], context)
        known = {one.key for one in (*gone, *rest)}
        return gone + [one for one in listed if one.named_by_others and one.key not in known]

    def _has(self, path: str) -> bool:
        """Does the agent have this file itself?"""
        return path in self._elsewhere or os.path.islink(path)  # noqa: PTH114

    def read(self, bundle: Bundle) -> Reading:
        """As the agent's own, marked."""
        reading = self.source.read(bundle)
        return replace(reading, sessions=[replace(session, kept=True) for session in reading.sessions])


def whole(source: Source) -> Source:
    """The agent's own source, which also reads sessions of which nothing is gone."""
    return source.source if isinstance(source, Shelf) else source


class About(msgspec.Struct, kw_only=True):
    """Describes a tree: its agent and home, the folders with sessions, what it was made from, what is wrong with it.

    `elsewhere` are its files that another home of the agent holds whole. `proofs` name live files that hold all that is
    kept of a file.
    """

    agent: str
    home: bytes
    roots: list[str]
    fingerprint: str
    problem: str | None = None
    damaged: bool = False
    elsewhere: list[bytes] = []
    proofs: dict[bytes, Proof] = {}


class Trees:
    """The trees of all homes."""

    def __init__(
        self, folder: Path, renamed: RenamedFolders, source: Callable[[str], Source] = registry.source
    ) -> None:
        self.folder = folder
        self.renamed = renamed
        self.source = source
        self.problem: str | None = None
        self._roots: list[tuple[Source, Root]] | None = None

    def roots(self) -> list[tuple[Source, Root]]:
        """The roots of kept sessions, as the last `refresh` left them."""
        if self._roots is None:
            self._roots = [
                pair for path in sorted(self.folder.glob(f"*/{ABOUT}")) for pair in roots_of(path, self.source)
            ]
        return self._roots

    def refresh(self, archive: Archive, scans: Iterable[RootScan], report: Report = lambda _: None) -> None:
        """Lay out what the agents lost. `problem` says why, where that is not possible.

        It waits for another pollux that does the same, and `report` hears of that.
        """
        self.problem = None
        try:
            make_private_folder(self.folder)
            with write_lock(self.folder / "lock", report) as mine:
                if mine is not None:
                    self._refresh(archive, list(scans), lambda: mine.report(Progress()))
                else:
                    other = owner(self.folder / "lock")
                    self.problem = (
                        f"{other} is unpacking the archive and makes no progress. Archived sessions may be missing."
                    )
        except OSError as error:
            self.problem = f"The archive cannot be unpacked into {self.folder}: {error.strerror or error}."
        self._roots = None

    def _refresh(self, archive: Archive, scans: list[RootScan], pulse: Callable[[], None]) -> None:
        packs = [f"{path.name} {size}" for path, size in standing(archive.folder).items()]
        places = {tree_of(agent, home): (agent, home) for agent, home in archive.index.homes()}
        for path in self.folder.iterdir():
            if path.is_dir() and path.name not in places:
                remove_tree(path)
        for name, (agent, home) in places.items():
            pulse()
            own = scans_of(scans, agent, home)
            others = [scan for scan in scans if scan.source.name == agent and scan not in own]
            fingerprint = fingerprint_of([*packs, *(scan.snapshot for scan in (*own, *others))])
            about = _loaded(self.folder / name / ABOUT, About)
            if about is not None and about.fingerprint == fingerprint and not about.damaged:
                self.problem = about.problem or self.problem
            else:
                self._lay_out(archive, (agent, home), own, others, fingerprint)

    def _lay_out(
        self,
        archive: Archive,
        place: tuple[str, bytes],
        own: list[RootScan],
        others: list[RootScan],
        fingerprint: str,
    ) -> None:
        """Make the tree of one home anew. `own` are its roots, `others` the agent's other ones."""
        agent, home = place
        folder = self.folder / tree_of(agent, home)
        about = _loaded(folder / ABOUT, About)
        source = self._source_of(agent)
        live = {path: file for scan in own for path, file in files_of(scan, home)}
        states = archive.index.states(agent, home)
        within = Within(archive, source, about.proofs if about is not None else {})
        tree = Tree(folder, archive, agent, home)
        if source is not None:
            tree.join(source, states)
        went_on = tree.went_on(states, live, within)
        there = {path: file for path, file in live.items() if path not in went_on}
        lost, links = self._sorted_out(archive, states, home, there)
        lost |= {path: [state, *lost.get(path, ())] for path, state in went_on.items()}
        elsewhere = tree.elsewhere(lost, others, within)
        tree.lay_out(lost, links, fingerprint, elsewhere, within.proofs)
        self.problem = tree.problem or self.problem

    def _source_of(self, agent: str) -> Source | None:
        """None for an agent that is not installed any more."""
        try:
            return self.source(agent)
        except UnknownName:
            return None

    def _sorted_out(
        self, archive: Archive, states: Iterable[State], home: bytes, live: Mapping[bytes, File]
    ) -> tuple[dict[bytes, list[State]], set[bytes]]:
        """As `_sorted_out`. A file in a folder that was only renamed is not gone."""

        def there(path: bytes, size: int) -> bool:
            names = (path, *self.renamed.others(home, path))
            return any(name in live and live[name].size >= size for name in names)

        return _sorted_out(archive, states, live, there)


def _sorted_out(
    archive: Archive, states: Iterable[State], live: Mapping[bytes, File], there: Callable[[bytes, int], bool]
) -> tuple[dict[bytes, list[State]], set[bytes]]:
    """The files that are gone or were cut shorter, the best state of each first; and those that are still whole."""
    every: dict[bytes, list[State]] = {}
    for state in states:
        if state.sha is not None and is_safe(state.path):
            every.setdefault(state.path, []).append(state)
    orders = {path: best_first(archive, listed, live.get(path)) for path, listed in every.items()}
    best = {path: order.states for path, order in orders.items()}
    gone = {path for path, order in orders.items() if not there(path, order.size)}
    if not gone:
        return {}, set()
    # What lies in a folder named by a lost file goes with it: some agents' readers follow no links there.
    stems = {os.path.splitext(path)[0] for path in gone}  # noqa: PTH122
    gone |= {path for path in best if any(above in stems for above in _above(path))}
    return {path: best[path] for path in gone}, live.keys() - gone


class Tree:
    """The folder of one home, or of a home as it once was."""

    def __init__(self, folder: Path, archive: Archive, agent: str, home: bytes) -> None:
        self.folder = folder
        self._damaged = 0
        self._homeless = 0
        self._archive = archive
        self._recent = Recent(archive)
        self._agent = agent
        self._home = home
        self._joined: dict[bytes, tuple[Union, int]] = {}
        self._fullest: dict[bytes, State] = {}

    @property
    def problem(self) -> str | None:
        """What could not be laid out, as a sentence."""
        if self._damaged:
            return "Some of what is kept is damaged: see pollux archive verify."
        if self._homeless:
            why = "another file has the name of their folder, or their names are not valid here"
            return f"Some kept files ({self._homeless:,}) are not shown: {why}. They stay in the archive."
        return None

    def join(self, source: Source, states: Iterable[State]) -> None:
        """Join the states of each rewritten file, where no single state holds everything."""
        names: set[str] = set()
        for path, listed in rewritten(states).items():
            file = self.folder / _UNIONS / hashlib.sha256(path).hexdigest()
            names.add(file.name)
            before = _loaded(file, Union) or Union()
            union = before.with_all(self._archive, source, listed)
            self._damaged += union.unread
            if union != before:
                write_file(file, msgspec.msgpack.encode(union), mtime_ns=listed[-1].mtime_ns)
            if union.content:
                self._joined[path] = union, listed[-1].mtime_ns
            elif (fullest := next((state for state in listed if state.sha == union.whole), None)) is not None:
                self._fullest[path] = fullest
        for file in (self.folder / _UNIONS).glob("*"):
            if file.name not in names:
                file.unlink(missing_ok=True)

    def went_on(self, states: Iterable[State], live: Mapping[bytes, File], within: Within) -> dict[bytes, State]:
        """The states that hold something which the live file of the same path does not hold, by their paths.

        While pollux keeps what the agent writes, a live file is as it was kept last.
        """
        diverged: dict[bytes, State] = {}
        for path, listed in by_file(states).items():
            file, last = live.get(path), listed[-1]
            if file is None or path in self._joined or (not last.taken and _is_as_kept(file, last)):
                continue
            fullest = self._fullest.get(path) or last
            if within.holds(file, fullest) is False:
                diverged[path] = fullest
        return diverged

    def elsewhere(self, lost: Mapping[bytes, list[State]], scans: Iterable[RootScan], within: Within) -> set[bytes]:
        """Those of the lost files that another home of the agent holds whole."""
        paths: set[bytes] = set()
        for scan in scans:
            for path, file in files_of(scan, os.fsencode(scan.root.path.parent)):
                if path in lost and path not in self._joined and within.holds(file, lost[path][0]):
                    paths.add(path)
        return paths

    def lay_out(
        self,
        lost: Mapping[bytes, list[State]],
        links: Collection[bytes],
        fingerprint: str,
        elsewhere: Collection[bytes] = (),
        proofs: Mapping[bytes, Proof] | None = None,
    ) -> None:
        """Bring the folder up to date: the best state of each lost file, and links to the others.

        Its description is removed first and written last, so that a half-made folder has none.
        """
        make_private_folder(self.folder)
        (self.folder / ABOUT).unlink(missing_ok=True)
        before = _loaded(self.folder / _HELD, dict[bytes, bytes]) or {}
        (self.folder / _HELD).unlink(missing_ok=True)
        paths = self._beside({*links, *lost, *self._joined}, {*links} - lost.keys())
        for path in before.keys() - paths.keys():
            self._clear(path)
        contents: dict[bytes, bytes] = {}
        for path in paths:
            sha = self._lay(path, lost.get(path), before.get(path))
            if sha is not None:
                contents[path] = sha
            elif path in before:
                self._clear(path)
        names = sorted({os.fsdecode(path.split(b"/")[0]) for path in contents if b"/" in path})
        write_file(self.folder / _HELD, msgspec.msgpack.encode(contents))
        about = About(
            agent=self._agent,
            home=self._home,
            roots=names,
            fingerprint=fingerprint,
            problem=self.problem,
            damaged=bool(self._damaged),
            elsewhere=sorted(elsewhere),
            proofs=dict(proofs or {}),
        )
        write_file(self.folder / ABOUT, msgspec.msgpack.encode(about))

    def _beside(self, paths: set[bytes], links: set[bytes]) -> dict[bytes, None]:
        """The paths that can lie beside one another. A file and a folder may have one name: then one gives way.

        The agent's own files come first, then those that were kept first, then imported ones. So an import hides
        nothing.
        """
        places: dict[bytes, None] = {}
        folders: set[bytes] = set()
        for path in dict.fromkeys((*links, *self._archive.index.paths(self._agent, self._home))):
            if path not in paths:
                continue
            above = set(_above(path))
            if path in folders or not above.isdisjoint(places):
                self._homeless += 1
            else:
                places[path] = None
                folders |= above
        return places

    def _lay(self, path: bytes, states: list[State] | None, before: bytes | None) -> bytes | None:
        """Put one file into the folder, and return what identifies its content; None where that is not possible."""
        try:
            if path in self._joined:
                return self._union(path, *self._joined[path], before)
            return self._link(path, before) if states is None else self._file(path, states, before)
        except OSError as error:
            if error.errno not in _NO_PLACE:
                raise
            self._homeless += 1
            return None

    def _clear(self, path: bytes) -> None:
        """Remove a file, and the folders that held nothing else."""
        with contextlib.suppress(NotADirectoryError):
            self._place(path).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            for folder in _above(path):
                self._place(folder).rmdir()

    def _file(self, path: bytes, states: list[State], before: bytes | None) -> bytes | None:
        """The largest state that can be read."""
        for state in states:
            if state.sha == before and before is not None and self._place(path).is_file():
                return before
            if state.sha is None:
                continue
            try:
                write_file(self._place(path), self._recent.read(state.sha), mtime_ns=state.mtime_ns)
            except Damaged:
                self._damaged += 1
                continue
            return state.sha
        return None

    def _union(self, path: bytes, union: Union, mtime_ns: int, before: bytes | None) -> bytes:
        if before != union.token or not self._place(path).is_file():
            write_file(self._place(path), union.content, mtime_ns=mtime_ns)
        return union.token

    def _link(self, path: bytes, before: bytes | None) -> bytes:
        place = self._place(path)
        if before != LINK or not place.is_symlink():
            make_private_folder(place.parent)
            place.unlink(missing_ok=True)
            place.symlink_to(os.fsdecode(os.path.join(self._home, path)))  # noqa: PTH118
        return LINK

    def _place(self, path: bytes) -> Path:
        return self.folder / os.fsdecode(path)


def _is_as_kept(file: File, state: State) -> bool:
    return (file.size, file.mtime_ns) == (state.size, state.mtime_ns)


def tree_of(agent: str, home: bytes) -> str:
    """The name of a home's folder."""
    return f"{agent.replace(os.sep, '_')}-{hashlib.sha256(home).hexdigest()[:12]}"


def scans_of(scans: Iterable[RootScan], agent: str, home: bytes) -> list[RootScan]:
    """The scans of a home's roots."""
    return [scan for scan in scans if (scan.source.name, os.fsencode(scan.root.path.parent)) == (agent, home)]


def files_of(scan: RootScan, home: bytes) -> Iterator[tuple[bytes, File]]:
    """A root's files about sessions, by the way from the home."""
    for file in wanted(scan.files):
        yield os.path.relpath(os.fsencode(file.path), home), file


def _above(path: bytes) -> Iterator[bytes]:
    while path := os.path.dirname(path):  # noqa: PTH120
        yield path


def _loaded(path: Path, kind: type[T]) -> T | None:
    """What a file of ours holds; None where there is none, or it is damaged."""
    try:
        return msgspec.msgpack.decode(read(path, HUGE), type=kind)
    except (OSError, msgspec.DecodeError):
        return None


def roots_of(about: Path, named: Callable[[str], Source] = registry.source) -> Iterator[tuple[Source, Root]]:
    """The roots in a tree."""
    facts = _loaded(about, About)
    if facts is None:
        return
    try:
        source = Shelf(named(facts.agent), {str(about.parent / os.fsdecode(path)) for path in facts.elsewhere})
    except UnknownName:
        return
    mirror_home(str(about.parent), os.fsdecode(facts.home))
    for name in facts.roots:
        yield source, Root(path=about.parent / name, reason="what pollux keeps", kept=True)
