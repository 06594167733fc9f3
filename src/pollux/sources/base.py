"""What an agent's package must offer, and the few words sources and library share."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec

from pollux.errors import Unreadable
from pollux.model import Notice, Session, Value


class Root(Value, frozen=True, kw_only=True):
    """A folder in which an agent keeps sessions, and what told us so (a variable's name, or the default).

    `kept`: it is one of ours, with what the agent deleted.
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
    """A file under a root: its name, its stat, and what its place says it is.

    `role` is the source's own word, `mode` says who may read it. `status` and `reason` are what `doctor` says of the
    file unless a session is read from it.
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
        """Differs whenever the file was written to, replaced, or moved."""
        return f"{self.size}.{self.mtime_ns}.{self.inode}"


class Retention(Value, frozen=True, kw_only=True):
    """After how many days an agent deletes what nobody touched, and what to write where to change that.

    `days` is None where it keeps everything; `stated` says that the user set it, not the agent's default.
    """

    agent: str
    setting: str
    file: str
    days: float | None
    stated: bool
    advice: str


class Ledger(Value, frozen=True, kw_only=True):
    """One line of the account of all files."""

    path: str
    agent: str
    status: Status
    reason: str | None = None
    bytes: int = 0
    sessions: tuple[str, ...] = ()


class Bundle(msgspec.Struct, kw_only=True):
    """The files that hold one session, before they are read: what `find` and a glance at their heads can tell.

    `asked` is set where a person named the file, so that a problem with it is theirs to hear.
    """

    agent: str
    id: str
    files: tuple[File, ...] = ()
    asked: bool = False

    @property
    def key(self) -> str:
        """The key its session will have."""
        return f"{self.agent}:{self.id}"

    @property
    def size(self) -> int:
        """The bytes of its files."""
        return sum(file.size for file in self.files)

    @property
    def changed_ns(self) -> int:
        """When one of its files last changed."""
        return max((file.mtime_ns for file in self.files), default=0)

    @property
    def named_by_others(self) -> bool:
        """Does its id hang on files that are not its own?"""
        return False

    def transcripts(self) -> Sequence[File]:
        """The files that hold the conversation itself."""
        return self.files

    def related_files(self) -> list[str]:
        """While it is read: the files beside its own on which the result depends, as paths for people."""
        return []

    # What follows lets a session that was read once be kept until reading it again could give something else.

    def fingerprint(self) -> str:
        """A text that changes whenever the files change that show before reading."""
        return fingerprint_of(f"{file.path}\n{file.stamp}" for file in self.files)

    def dependencies(self) -> bytes:
        """While it is read: what else the result depends on, encoded by the source; empty where on nothing."""
        return b""

    def is_current(self, dependencies: bytes, stamps: Mapping[str, str]) -> bool:  # noqa: ARG002 (for those that have some)
        """Are the dependencies of an earlier reading unchanged? `stamps` has those of all files, by their paths."""
        return not dependencies

    def group_keys(self) -> Iterable[str] | None:
        """Names that it shares with all bundles that influence it, or that it influences.

        Paths of folders, keys of sessions, whatever else has a name. None where that may be any: then all bundles of
        the root are always looked at together.
        """
        return None


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What came of reading a bundle: its session, then those inside it; none where nothing was said.

    Where there is none, `problem` says why, if something is wrong, and `notices` what was noticed. `dependencies` are
    the files and lines beyond its own without which it would be read otherwise, in the source's own words;
    `related_files` are such files by their paths for people.
    """

    sessions: list[Session]
    problem: str | None = None
    notices: tuple[Notice, ...] = ()
    dependencies: bytes = b""
    related_files: tuple[str, ...] = ()


B = TypeVar("B", bound=Bundle)


DAMAGE = ("file.unreadable", "file.damaged", "file.truncated")
"""The notices that say why nothing could be read."""


def read_with(bundle: B, read: Callable[[B], tuple[list[Session], tuple[Notice, ...]]]) -> Reading:
    """What a function reads from a bundle: sessions, and what was noticed where there are none.

    It may note in the bundle what the sessions depend on: it gets a copy.
    """
    own = copy(bundle)
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
    """A short text that stands for all of these."""
    digest = hashlib.blake2b(digest_size=16)
    for text in texts:
        digest.update(text.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()


def unchanged(dependencies: bytes, stamps: Mapping[str, str]) -> bool:
    """Are these files, encoded with their stamps, as they were? A missing file has no stamp."""
    then: dict[str, str] = msgspec.msgpack.decode(dependencies, type=dict[str, str])
    return all(stamps.get(path, "") == stamp for path, stamp in then.items())


T = TypeVar("T")


@cache
def _decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(kind)


class Memory(Protocol):
    """What pollux remembers about which project a folder's hash stands for."""

    def path_of(self, digest: str) -> str | None:
        """The path once learnt for this hash."""

    def learn(self, digest: str, path: str) -> None:
        """Remember a path that was proved to have this hash."""

    @property
    def stamp(self) -> str:
        """Differs when something was learnt."""

    def gave_up(self, digest: str, fingerprint: str) -> bool:
        """Was this hash searched for in vain under the same circumstances?"""

    def give_up(self, digest: str, fingerprint: str) -> None:
        """Remember that a search was in vain, and its circumstances."""


class Beside(NamedTuple):
    """The files under an agent's other roots, each once.

    A session that lies under several roots is one. Its files are `joined`, by the roots that they lie under. The
    `other` ones only tell which of its words are another session's.
    """

    joined: dict[Path, list[File]]
    other: list[File]

    def files(self) -> list[File]:
        """All that are joined."""
        return [file for listed in self.joined.values() for file in listed]


def beside(root: Root, files: Iterable[File], others: Iterable[tuple[Root, Iterable[File]]]) -> Beside:
    """What lies beside the files of a root. One of them by another name, such as a link of ours, is left out.

    What pollux keeps goes with all that the agent has. What the agent has is told as it stands there.
    """
    found = Beside({}, [])
    known = {file.stamp for file in files}
    for other, listed in others:
        for file in listed:
            if file.stamp not in known:
                known.add(file.stamp)
                (found.joined.setdefault(other.path, []) if root.kept or not other.kept else found.other).append(file)
    return found


class SourceContext(msgspec.Struct, kw_only=True):
    """What a source may know about the machine beyond its own folders, to tell which project a session belongs to.

    `asked` is the project a person named. Without `hunt` the disk is not searched. `heads` is what glances at files
    told earlier, by what was looked for and path, with the stamp the file had then. `beside` tells what lies under the
    agent's other roots.
    """

    home: Path
    cwd: Path
    memory: Memory
    asked: str | None = None
    hunt: bool = True
    heads: dict[tuple[str, str], tuple[str, bytes]] = {}
    beside: Callable[[], Beside] = lambda: Beside({}, [])

    def peek(self, file: File, kind: type[T], look: Callable[[File], T]) -> T:
        """What a look into the file tells; the file is opened only where it changed since somebody looked."""
        place = (kind.__name__, file.path)
        stamp, held = self.heads.get(place, ("", b""))
        if stamp == file.stamp:
            wanted: Any = kind
            known: T = _decoder(wanted).decode(held)
            return known
        told = look(file)
        # What cannot be written down is looked up again.
        with contextlib.suppress(OverflowError, UnicodeEncodeError):
            self.heads[place] = (file.stamp, msgspec.msgpack.encode(told))
        return told


class Source(Protocol):
    """Finds and reads the sessions of one agent.

    `find` looks at names and stat only; `bundles` glances at heads to join the files of one session; `read` turns one
    bundle into its session and the sub-agents' sessions that lie inside the same files. Wrong content never raises.
    """

    @property
    def name(self) -> str:
        """The agent's name in keys and options."""

    @property
    def title(self) -> str:
        """The agent's name for people."""

    @property
    def wonders(self) -> bool:
        """Does it ask the memory which project a hash stands for? Then others are read first, who may know."""

    def roots(self, environ: Mapping[str, str], home: Path) -> list[Root]:
        """Where this agent keeps sessions, whether or not the folders exist."""

    def find(self, root: Path) -> Iterator[File]:
        """Every file under the root, with the role its place gives it."""

    def bundles(self, root: Path, files: Iterable[File], around: SourceContext) -> list[Bundle]:
        """The sessions these files hold."""

    def read(self, bundle: Bundle) -> Reading:
        """What the bundle's files hold. The bundle itself stays as it is."""

    def recognizes(self, path: Path, head: bytes) -> bool:
        """Does a file handed over by path look like this agent's?"""

    def bundle_of_file(self, path: Path, around: SourceContext) -> Bundle:
        """The bundle of a single file that need not lie under a root."""
