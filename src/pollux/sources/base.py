"""The protocol of a source, and the values that sources and the library share."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import msgspec

from pollux.errors import Unreadable
from pollux.model import Notice, Session, Value
from pollux.system.decoders import msgpack_decoder

__all__ = [
    "Bundle",
    "File",
    "FileAccount",
    "OtherFiles",
    "Reading",
    "Retention",
    "Root",
    "Source",
    "SourceContext",
    "Status",
    "fingerprint_of",
    "other_files",
    "read_with",
    "unchanged",
]


class Root(Value, frozen=True, kw_only=True):
    """A folder in which an agent keeps sessions, and how we know it (a variable's name, or the default).

    `kept`: it is a folder of ours, with files that the agent deleted.
    """

    path: Path
    reason: str
    kept: bool = False


class Status(StrEnum):
    """How `doctor` accounts for a file."""

    READ = "read"
    COPY = "copy"
    IGNORED = "ignored"
    UNREADABLE = "unreadable"
    UNKNOWN = "unknown"


class File(Value, frozen=True, kw_only=True, array_like=True):
    """A file under a root: its name, its stat, and its role, which its place gives.

    `role` is the source's own word, `mode` says who may read the file. `status` and `reason` are what `doctor` says
    about the file unless a session is read from it.
    """

    path: str
    role: str
    size: int = 0
    mtime_ns: int = 0
    inode: int = 0
    status: Status = Status.IGNORED
    reason: str | None = None
    mode: int = 0

    @property
    def stamp(self) -> str:
        """A text that changes whenever the file is written to, replaced, or moved."""
        return f"{self.size}.{self.mtime_ns}.{self.inode}"


class Retention(Value, frozen=True, kw_only=True):
    """After how many days an agent deletes unused sessions, and which setting in which file changes that.

    `days` is None where it keeps everything. `stated` says that the user set it; otherwise it is the default.
    `folder` is the name of the folders whose files alone are deleted; None where all sessions are.
    """

    agent: str
    setting: str
    file: str
    days: float | None
    stated: bool
    advice: str
    folder: str | None = None

    def concerns(self, file: str) -> bool:
        """Will this file be deleted when it was not used for so long?"""
        return self.folder is None or f"/{self.folder}/" in file


class FileAccount(Value, frozen=True, kw_only=True):
    """What `doctor` says about one file."""

    path: str
    agent: str
    status: Status
    reason: str | None = None
    bytes: int = 0
    sessions: tuple[str, ...] = ()


class WordFiles(NamedTuple):
    """The files whose bytes hold every word of a bundle's sessions, and the words that the source adds itself.

    Titles may come from anywhere.
    """

    paths: tuple[str, ...]
    added: str = ""


class Bundle(msgspec.Struct, kw_only=True):
    """The files that hold one session, before they are read: what `find` and a peek into the files can say.

    `asked`: a person named the file, so a problem with it is an error. `asks_all`: what a bundle with dependencies
    depends on may be any other bundle, so it is looked at with every change.
    """

    asks_all: ClassVar[bool] = False

    agent: str
    id: str
    files: tuple[File, ...] = ()
    asked: bool = False

    @property
    def key(self) -> str:
        """The key that its session will have."""
        return f"{self.agent}:{self.id}"

    @property
    def size(self) -> int:
        """The bytes of its files."""
        return sum(file.size for file in self.files)

    @property
    def changed_ns(self) -> int:
        """When it last changed (nanoseconds): no session in it ended later, if times are right."""
        return max((file.mtime_ns for file in self.files), default=0)

    @property
    def named_by_others(self) -> bool:
        """Does its id depend on files of other bundles?"""
        return False

    def transcripts(self) -> Sequence[File]:
        """The files that hold the conversation itself."""
        return self.files

    def related_files(self) -> list[str]:
        """Other files on which the result depends, as paths for people. They are known once the bundle is read."""
        return []

    # These methods say when a session must be read again.

    def fingerprint(self) -> str:
        """A text that changes whenever the bundle's own files change."""
        return fingerprint_of(f"{file.path}\n{file.stamp}" for file in self.files)

    def dependencies(self) -> bytes:
        """What else the result depends on, encoded by the source, or nothing. It is known once the bundle is read."""
        return b""

    def is_current(self, dependencies: bytes, stamps: Mapping[str, str]) -> bool:  # noqa: ARG002 (for those that have some)
        """Are the dependencies of an earlier reading unchanged? `stamps` has the stamps of all files by path."""
        return not dependencies

    def word_files(self, dependencies: bytes) -> WordFiles | None:  # noqa: ARG002 (for those that know it)
        """The files that hold all words, by the dependencies of an earlier reading; None where nobody knows them.

        Each word must stand there as it is, or in JSON.
        """
        return None

    def group_keys(self) -> Iterable[str] | None:
        """Names that it shares with all bundles that influence it, or that it influences.

        They may be paths of folders, keys of sessions, or any other names. None where every bundle may influence it:
        then all bundles of the root are always grouped together.
        """
        return None

    def folder_facts(self) -> Iterable[tuple[str, str]]:
        """Folders, each with what this bundle says of it: that something new is said influences all that lies there."""
        return ()

    def own_files(self) -> Sequence[File]:
        """Its files without those that may affect any bundle: these are passed on to all groups."""
        return self.files


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """The result of reading a bundle: its session, then the sessions inside it; none for an empty conversation.

    Without a session, `problem` says what is wrong, if anything is, and `notices` has the notices. `dependencies` are
    other files and lines on which the result depends, encoded by the source. `related_files` are such files, as paths
    for people.
    """

    sessions: list[Session]
    problem: str | None = None
    notices: tuple[Notice, ...] = ()
    dependencies: bytes = b""
    related_files: tuple[str, ...] = ()


B = TypeVar("B", bound=Bundle)


DAMAGE = ("file.unreadable", "file.damaged", "file.truncated")
"""The codes of notices that say why nothing could be read."""


def read_with(bundle: B, read: Callable[[B], tuple[list[Session], tuple[Notice, ...]]]) -> Reading:
    """The reading of a bundle by a function, which returns sessions and notices.

    The function gets a copy of the bundle, in which it may note dependencies.
    """
    own = msgspec.structs.replace(bundle)
    sessions, notices = read(own)
    problem = next((notice.text for notice in notices if notice.code in DAMAGE), None) if not sessions else None
    if problem is not None and bundle.asked:
        raise Unreadable(problem)
    return Reading(
        sessions=sessions,
        problem=problem,
        notices=() if sessions else notices,
        dependencies=own.dependencies(),
        related_files=tuple(own.related_files()),
    )


def fingerprint_of(texts: Iterable[str]) -> str:
    """A short digest of these texts."""
    whole = "\0".join(texts).encode("utf-8", "surrogateescape")
    return hashlib.blake2b(whole, digest_size=16).hexdigest()


def distinct(bundles: list[Bundle]) -> list[Bundle]:
    """The same bundles, each under a key of its own.

    Should a source give one key twice, as for files that somebody moved about, neither bundle is lost for that.
    """
    keys = {bundle.key for bundle in bundles}
    if len(keys) == len(bundles):
        return bundles
    result: list[Bundle] = []
    for bundle in bundles:
        if bundle.key in keys:
            keys.remove(bundle.key)
            result.append(bundle)
        else:
            digest = fingerprint_of(file.path for file in bundle.files)[:8]
            result.append(msgspec.structs.replace(bundle, id=f"{bundle.id}@{digest}"))
    return result


def unchanged(dependencies: bytes, stamps: Mapping[str, str]) -> bool:
    """Do these files, encoded with their stamps, still have the same stamps? A missing file has none."""
    former: dict[str, str] = msgspec.msgpack.decode(dependencies, type=dict[str, str])
    return all(stamps.get(path, "") == stamp for path, stamp in former.items())


T = TypeVar("T")


class OtherFiles(NamedTuple):
    """The files under an agent's other roots, each once.

    A session that lies under several roots is one. Its files are `joined`, by the roots that they lie under. The
    `other` files only show which messages belong to another session.
    """

    joined: dict[Path, list[File]]
    other: list[File]

    def files(self) -> list[File]:
        """All joined files."""
        return [file for members in self.joined.values() for file in members]


def other_files(root: Root, files: Iterable[File], others: Iterable[tuple[Root, Iterable[File]]]) -> OtherFiles:
    """The files under other roots. The same file under another name, such as a link of ours, is left out.

    Files that pollux keeps are read with all that the agent has. Files of the agent are read as they stand there.
    """
    result = OtherFiles({}, [])
    elsewhere = [(other, list(members)) for other, members in others]
    known = {file.stamp for file in files} if any(members for _, members in elsewhere) else set[str]()
    for other, members in elsewhere:
        for file in members:
            if file.stamp not in known:
                known.add(file.stamp)
                (result.joined.setdefault(other.path, []) if root.kept or not other.kept else result.other).append(file)
    return result


class SourceContext(msgspec.Struct, kw_only=True):
    """What a source may know beyond the files of one root.

    `peeks` are the results of earlier peeks, by kind and path, with the stamp that the file had then. `peeked` are
    those that a source asked for: some have a stamp of several files, such as a database and its log. `other_files`
    gives the files under the agent's other roots. `needs` says which sessions an early answer needs, by their ids and
    the times (nanoseconds) of their last changes: the others may lack what ties them to other sessions. Without it, all
    are needed. `root_files` are all files under the root where a source gets only some groups of them; `stored_peeks`
    gives what is known of them.
    """

    peeks: dict[tuple[str, str], tuple[str, bytes]] = {}
    peeked: set[tuple[str, str]] = set()
    other_files: Callable[[], OtherFiles] = lambda: OtherFiles({}, [])
    needs: Callable[[str, int], bool] | None = None
    root_files: list[File] | None = None
    stored_peeks: Callable[[str, Iterable[File]], dict[tuple[str, str], tuple[str, bytes]]] = lambda _kind, _files: {}

    def load_peeks(self, kind: type[Any], files: Iterable[File]) -> None:
        """Load earlier peeks of a kind into files of other groups."""
        for place, peek in self.stored_peeks(kind.__name__, files).items():
            self.peeks.setdefault(place, peek)

    def former(self, file: File, kind: type[T]) -> T | None:
        """The result of the last peek into a file, even if the file changed since."""
        _, encoded = self.peeks.get((kind.__name__, file.path), ("", b""))
        if not encoded:
            return None
        return msgpack_decoder(kind).decode(encoded)

    def peek(self, file: File, kind: type[T], look: Callable[[File], T]) -> T:
        """The result of a peek into a file. The file is opened only if it changed since the last peek."""
        place = (kind.__name__, file.path)
        self.peeked.add(place)
        stamp, _ = self.peeks.get(place, ("", b""))
        if stamp == file.stamp and (earlier := self.former(file, kind)) is not None:
            return earlier
        result = look(file)
        # A result that cannot be encoded is read again next time.
        with contextlib.suppress(OverflowError, UnicodeEncodeError):
            self.peeks[place] = (file.stamp, msgspec.msgpack.encode(result))
        return result


class Source(Protocol):
    """Finds and reads the sessions of one agent.

    `find` looks at names and stat only. `bundles` peeks into files to join those of one session. `read` turns a bundle
    into its session and the sub-agents' sessions in the same files. Wrong content never raises an error.

    An agent that names a project by the SHA-256 of its path gives a session `project_hash`, and `project` only where
    its own files name the path: other paths are found later.
    """

    @property
    def name(self) -> str:
        """The agent's name in keys and options."""

    @property
    def title(self) -> str:
        """The agent's name for people."""

    def roots(self, environ: Mapping[str, str], home: Path) -> list[Root]:
        """The folders in which this agent keeps sessions, even if they do not exist."""

    def find(self, root: Path) -> Iterator[File]:
        """Every file under the root, with the role that its place gives it."""

    def bundles(self, root: Path, files: Iterable[File], context: SourceContext) -> list[Bundle]:
        """The bundles of these files: one for each session."""

    def read(self, bundle: Bundle) -> Reading:
        """The sessions in a bundle's files. The bundle itself is not changed."""

    def recognizes(self, path: Path, head: bytes) -> bool:
        """Does this file look like one of this agent's?"""

    def bundle_of_file(self, path: Path, context: SourceContext) -> Bundle:
        """The bundle of a single file that need not lie under a root."""
