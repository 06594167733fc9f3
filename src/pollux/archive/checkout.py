"""Writes kept files into a folder as the agents had them, so that the same sources read them.

Each home that lost something gets a folder in the cache. It holds the files that the agent deleted, cut shorter or
continued otherwise, as they were kept. Complete files are links to the agent's own, so that a session is
read together with the same files as ever. The folder can be deleted at any time: pollux makes it again.
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
from pollux.archive.archive import Archive, session_files
from pollux.archive.content_reader import ContentReader
from pollux.archive.contents import Damaged
from pollux.archive.documents import live_documents
from pollux.archive.live_files import LiveFiles, Proof
from pollux.archive.merge import MergedContent, by_file, rewritten
from pollux.archive.order import best_first
from pollux.archive.packs import BOOKS, State, is_safe
from pollux.archive.survey import active_packs
from pollux.errors import UnknownName
from pollux.index.sync.sync import RootScan
from pollux.projects.renamed_folders import RenamedFolders
from pollux.sources.base import Bundle, File, Reading, Root, Source, SourceContext, fingerprint_of
from pollux.sources.source_wrapper import SourceWrapper
from pollux.system.decoders import msgpack_decoder
from pollux.system.deep_folders import remove_tree
from pollux.system.files import HUGE, make_private_folder, read, write_file
from pollux.system.link_bounds import mirror_home
from pollux.system.locks import owner, write_lock
from pollux.system.progress import Progress, Report

T = TypeVar("T")

LINK = b""
# A file cannot be written there: another file has the name of its folder, or the name is not valid here.
_NO_PLACE = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL)
ABOUT, _HELD, _UNIONS = map(os.fsdecode, BOOKS)


class ArchivedSource(SourceWrapper):
    """An agent's source for kept files. It leaves out sessions of which the agent has all files itself.

    `elsewhere` are files of the checkout that another home of the agent holds completely.
    """

    def __init__(self, source: Source, elsewhere: Collection[str] = ()) -> None:
        super().__init__(source)
        self._elsewhere = elsewhere

    def find(self, root: Path) -> Iterator[File]:
        """As the agent's own. A file has changed if it appeared in another home, or vanished from it."""
        for file in self.source.find(root):
            yield msgspec.structs.replace(file, inode=0) if file.path in self._elsewhere else file

    def bundles(self, root: Path, files: Iterable[File], context: SourceContext) -> list[Bundle]:
        """The sessions with kept files, and sessions whose ids would differ without the kept files."""
        every = list(files)
        own = {file.path for file in every if not self._has(file.path)}
        bundles = self.source.bundles(root, every, context)
        affected = [bundle for bundle in bundles if any(file.path in own for file in bundle.files)]
        if not affected or not any(bundle.named_by_others for bundle in bundles):
            return affected
        rest = self.source.bundles(root, [file for file in every if file.path not in own], context)
        keys = {bundle.key for bundle in (*affected, *rest)}
        return affected + [bundle for bundle in bundles if bundle.named_by_others and bundle.key not in keys]

    def _has(self, path: str) -> bool:
        """Does the agent have this file itself?"""
        return path in self._elsewhere or os.path.islink(path)  # noqa: PTH114

    def read(self, bundle: Bundle) -> Reading:
        """As the agent's own source does, with the session marked as kept."""
        reading = self.source.read(bundle)
        return replace(reading, sessions=[replace(session, kept=True) for session in reading.sessions])


def with_complete_sessions(source: Source) -> Source:
    """The agent's own source, which also reads sessions that lost nothing."""
    return source.source if isinstance(source, ArchivedSource) else source


class CheckoutInfo(msgspec.Struct, kw_only=True):
    """Describes a checkout: its agent, home and roots, a fingerprint of what it was made from, and its problem.

    `elsewhere` are its files that another home of the agent holds completely. `proofs` name live files that hold
    everything that is kept of a file.
    """

    agent: str
    home: bytes
    roots: list[str]
    fingerprint: str
    problem: str | None = None
    damaged: bool = False
    elsewhere: list[bytes] = []
    proofs: dict[bytes, Proof] = {}


class Checkouts:
    """The checkouts of all homes."""

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

    def forget(self) -> None:
        """Look the roots up again: another process may have checked something out."""
        self._roots = None

    def refresh(self, archive: Archive, scans: Iterable[RootScan], report: Report = lambda _: None) -> None:
        """Check out what the agents lost. `problem` says why if that is not possible.

        It waits for another process that does the same, and then calls `report`.
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
        packs = [f"{path.name} {size}" for path, size in active_packs(archive.folder).items()]
        places = {checkout_name(agent, home): (agent, home) for agent, home in archive.index.homes()}
        for path in self.folder.iterdir():
            if path.is_dir() and path.name not in places:
                remove_tree(path)
        for name, (agent, home) in places.items():
            pulse()
            own = scans_of(scans, agent, home)
            others = [scan for scan in scans if scan.source.name == agent and scan not in own]
            fingerprint = fingerprint_of([*packs, *(scan.snapshot for scan in (*own, *others))])
            info = _loaded(self.folder / name / ABOUT, CheckoutInfo)
            if info is not None and info.fingerprint == fingerprint and not info.damaged:
                self.problem = info.problem or self.problem
            else:
                self._check_out(archive, (agent, home), own, others, fingerprint)

    def _check_out(
        self,
        archive: Archive,
        place: tuple[str, bytes],
        own: list[RootScan],
        others: list[RootScan],
        fingerprint: str,
    ) -> None:
        """Update the checkout of one home. `own` are its roots, `others` the agent's other roots."""
        agent, home = place
        folder = self.folder / checkout_name(agent, home)
        info = _loaded(folder / ABOUT, CheckoutInfo)
        source = self._source_of(agent)
        live = {path: file for scan in own for path, file in files_of(scan, home)}
        states = archive.index.states(agent, home)
        last = archive.index.last(agent, home)
        documents = {path: file for scan in own for path, file in live_documents(scan, home, last).items()}
        live |= documents
        live_files = LiveFiles(archive, source, info.proofs if info is not None else {})
        checkout = Checkout(folder, archive, agent, home)
        if source is not None:
            checkout.join(source, states)
        diverged = checkout.diverged_states(states, live, live_files)
        unchanged = {path: file for path, file in live.items() if path not in diverged}
        lost, links = self._lost_and_complete(archive, states, home, unchanged)
        lost |= {path: [state, *lost.get(path, ())] for path, state in diverged.items()}
        elsewhere = checkout.elsewhere(lost, others, live_files)
        checkout.update(lost, links - documents.keys(), fingerprint, elsewhere, live_files.proofs)
        self.problem = checkout.problem or self.problem

    def _source_of(self, agent: str) -> Source | None:
        """None for an agent that is not installed any more."""
        try:
            return self.source(agent)
        except UnknownName:
            return None

    def _lost_and_complete(
        self, archive: Archive, states: Iterable[State], home: bytes, live: Mapping[bytes, File]
    ) -> tuple[dict[bytes, list[State]], set[bytes]]:
        """What `_lost_and_complete` gives, where a file in a folder that was only renamed is not lost."""

        def there(path: bytes, size: int) -> bool:
            names = (path, *self.renamed.others(home, path))
            return any(name in live and live[name].size >= size for name in names)

        return _lost_and_complete(archive, states, live, there)


def _lost_and_complete(
    archive: Archive, states: Iterable[State], live: Mapping[bytes, File], there: Callable[[bytes, int], bool]
) -> tuple[dict[bytes, list[State]], set[bytes]]:
    """The files that are gone or were cut shorter, with the best state of each first; and the complete files."""
    every: dict[bytes, list[State]] = {}
    for state in states:
        if state.sha is not None and is_safe(state.path):
            every.setdefault(state.path, []).append(state)
    orders = {path: best_first(archive, listed, live.get(path)) for path, listed in every.items()}
    best = {path: order.states for path, order in orders.items()}
    gone = {path for path, order in orders.items() if not there(path, order.size)}
    if not gone:
        return {}, set()
    # Files in a folder with the name of a lost file are copied too: some agents' readers follow no links there.
    stems = {os.path.splitext(path)[0] for path in gone}  # noqa: PTH122
    gone |= {path for path in best if any(above in stems for above in _above(path))}
    return {path: best[path] for path in gone}, live.keys() - gone


class Checkout:
    """The checkout of one home, or of a home at an earlier time."""

    def __init__(self, folder: Path, archive: Archive, agent: str, home: bytes) -> None:
        self.folder = folder
        self._damaged = 0
        self._homeless = 0
        self._archive = archive
        self._recent = ContentReader(archive)
        self._agent = agent
        self._home = home
        self._joined: dict[bytes, tuple[MergedContent, int]] = {}
        self._fullest: dict[bytes, State] = {}

    @property
    def problem(self) -> str | None:
        """What could not be checked out, as a sentence."""
        if self._damaged:
            return "Some of what is kept is damaged: see pollux archive verify."
        if self._homeless:
            why = "another file has the name of their folder, or their names are not valid here"
            return f"Some kept files ({self._homeless:,}) are not shown: {why}. They stay in the archive."
        return None

    def join(self, source: Source, states: Iterable[State]) -> None:
        """Join the states of each rewritten file, where no single state holds everything."""
        names: set[str] = set()
        for path, versions in rewritten(states).items():
            file = self.folder / _UNIONS / hashlib.sha256(path).hexdigest()
            names.add(file.name)
            before = _loaded(file, MergedContent) or MergedContent()
            union = before.with_all(self._archive, source, versions)
            self._damaged += union.unread
            if union != before:
                write_file(file, msgspec.msgpack.encode(union), mtime_ns=versions[-1].mtime_ns)
            if union.content:
                self._joined[path] = union, versions[-1].mtime_ns
            elif (fullest := next((state for state in versions if state.sha == union.whole), None)) is not None:
                self._fullest[path] = fullest
        for file in (self.folder / _UNIONS).glob("*"):
            if file.name not in names:
                file.unlink(missing_ok=True)

    def diverged_states(
        self, states: Iterable[State], live: Mapping[bytes, File], live_files: LiveFiles
    ) -> dict[bytes, State]:
        """The states with content that the live file of the same path lacks, by their paths.

        While pollux keeps what the agent writes, a live file is as it was kept last.
        """
        diverged: dict[bytes, State] = {}
        for path, versions in by_file(states).items():
            file, last = live.get(path), versions[-1]
            if file is None or path in self._joined or (not last.taken and _is_as_kept(file, last)):
                continue
            fullest = self._fullest.get(path) or last
            if live_files.holds(file, fullest) is False:
                diverged[path] = fullest
        return diverged

    def elsewhere(
        self, lost: Mapping[bytes, list[State]], scans: Iterable[RootScan], live_files: LiveFiles
    ) -> set[bytes]:
        """The lost files that another home of the agent holds completely."""
        paths: set[bytes] = set()
        for scan in scans:
            for path, file in files_of(scan, os.fsencode(scan.root.path.parent)):
                if path in lost and path not in self._joined and live_files.holds(file, lost[path][0]):
                    paths.add(path)
        return paths

    def update(
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
        paths = self._non_colliding({*links, *lost, *self._joined}, {*links} - lost.keys())
        for path in before.keys() - paths.keys():
            self._clear(path)
        contents: dict[bytes, bytes] = {}
        for path in paths:
            sha = self._write(path, lost.get(path), before.get(path))
            if sha is not None:
                contents[path] = sha
            elif path in before:
                self._clear(path)
        names = sorted({os.fsdecode(path.split(b"/")[0]) for path in contents if b"/" in path})
        write_file(self.folder / _HELD, msgspec.msgpack.encode(contents))
        info = CheckoutInfo(
            agent=self._agent,
            home=self._home,
            roots=names,
            fingerprint=fingerprint,
            problem=self.problem,
            damaged=bool(self._damaged),
            elsewhere=sorted(elsewhere),
            proofs=dict(proofs or {}),
        )
        write_file(self.folder / ABOUT, msgspec.msgpack.encode(info))

    def _non_colliding(self, paths: set[bytes], links: set[bytes]) -> dict[bytes, None]:
        """The paths without conflicts. If a file and a folder have the same name, one of them is left out.

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

    def _write(self, path: bytes, states: list[State] | None, before: bytes | None) -> bytes | None:
        """Put one file into the folder, and return what identifies its content; None if that is not possible."""
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
        """Remove a file, and the folders that are empty then."""
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

    def _union(self, path: bytes, union: MergedContent, mtime_ns: int, before: bytes | None) -> bytes:
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


def checkout_name(agent: str, home: bytes) -> str:
    """The name of a home's folder."""
    return f"{agent.replace(os.sep, '_')}-{hashlib.sha256(home).hexdigest()[:12]}"


def scans_of(scans: Iterable[RootScan], agent: str, home: bytes) -> list[RootScan]:
    """The scans of a home's roots."""
    return [scan for scan in scans if (scan.source.name, os.fsencode(scan.root.path.parent)) == (agent, home)]


def files_of(scan: RootScan, home: bytes) -> Iterator[tuple[bytes, File]]:
    """A root's files about sessions, by their path below the home."""
    for file in session_files(scan.files):
        yield os.path.relpath(os.fsencode(file.path), home), file


def _above(path: bytes) -> Iterator[bytes]:
    while path := os.path.dirname(path):  # noqa: PTH120
        yield path


def _loaded(path: Path, kind: type[T]) -> T | None:
    """The content of one of pollux's own files; None if it is missing or damaged."""
    try:
        return msgpack_decoder(kind).decode(read(path, HUGE))
    except (OSError, msgspec.DecodeError):
        return None


def roots_of(info_file: Path, named: Callable[[str], Source] = registry.source) -> Iterator[tuple[Source, Root]]:
    """The roots in a checkout."""
    info = _loaded(info_file, CheckoutInfo)
    if info is None:
        return
    try:
        source = ArchivedSource(
            named(info.agent), {str(info_file.parent / os.fsdecode(path)) for path in info.elsewhere}
        )
    except UnknownName:
        return
    mirror_home(str(info_file.parent), os.fsdecode(info.home))
    for name in info.roots:
        yield source, Root(path=info_file.parent / name, reason="what pollux keeps", kept=True)
