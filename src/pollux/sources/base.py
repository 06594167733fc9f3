"""What an agent's package must offer, and the few words sources and library share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import msgspec

from pollux.model import Notice, Session, Value


class Root(Value, frozen=True, kw_only=True):
    """A folder in which an agent keeps sessions, and what told us so (a variable's name, or the default)."""

    path: Path
    reason: str


class Status(StrEnum):
    """How `doctor` accounts for a file."""

    READ = "read"
    COPY = "copy"
    IGNORED = "ignored"
    UNREADABLE = "unreadable"
    UNKNOWN = "unknown"


class File(Value, frozen=True, kw_only=True):
    """A file under a root: its name, its stat, and what its place says it is.

    `role` is the source's own word. `status` and `reason` are what `doctor` says of the file unless a session is read
    from it.
    """

    path: str
    role: str
    size: int = 0
    mtime_ns: int = 0
    inode: int = 0
    status: Status = Status.IGNORED
    reason: str | None = None


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

    `problem` and `notices` are set by reading, where no session came of it: why, and what was noticed.
    """

    agent: str
    id: str
    files: tuple[File, ...] = ()
    problem: str | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def key(self) -> str:
        """The key its session will have."""
        return f"{self.agent}:{self.id}"

    @property
    def changed_ns(self) -> int:
        """When one of its files last changed."""
        return max((file.mtime_ns for file in self.files), default=0)


class Memory(Protocol):
    """What pollux remembers about which project a folder's hash stands for."""

    def path_of(self, digest: str) -> str | None:
        """The path once learnt for this hash."""

    def learn(self, digest: str, path: str) -> None:
        """Remember a path that was proved to have this hash."""

    def gave_up(self, digest: str, seal: str) -> bool:
        """Was this hash searched for in vain under the same circumstances?"""

    def give_up(self, digest: str, seal: str) -> None:
        """Remember that a search was in vain, and its circumstances."""


class Surroundings(msgspec.Struct, kw_only=True):
    """What a source may know about the machine beyond its own folders, to tell which project a session belongs to.

    `neighbours` names the directories other agents worked in; it is called only when all else failed. `asked` is the
    project a person named. Without `hunt` the disk is not searched.
    """

    home: Path
    cwd: Path
    memory: Memory
    neighbours: Callable[[], Iterable[str]] = tuple
    asked: str | None = None
    hunt: bool = True


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

    def roots(self, environ: Mapping[str, str], home: Path) -> list[Root]:
        """Where this agent keeps sessions, whether or not the folders exist."""

    def find(self, root: Path) -> Iterator[File]:
        """Every file under the root, with the role its place gives it."""

    def bundles(self, root: Path, files: Iterable[File], around: Surroundings) -> list[Bundle]:
        """The sessions these files hold."""

    def read(self, bundle: Bundle) -> list[Session]:
        """The bundle's session, then those inside it; empty where nothing was said."""

    def claims(self, path: Path, head: bytes) -> bool:
        """Does a file handed over by path look like this agent's?"""

    def loose(self, path: Path, around: Surroundings) -> Bundle:
        """The bundle of a single file that need not lie under a root."""
