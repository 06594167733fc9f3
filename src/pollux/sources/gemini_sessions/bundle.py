"""The files of one session, the files around them, and the dependencies of its reading."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from pollux.model import Kind
from pollux.sources.base import Bundle, File, WordFiles, fingerprint_of
from pollux.sources.gemini_sessions import find
from pollux.sources.gemini_sessions.format.tools import ADDED_WORDS
from pollux.sources.gemini_sessions.projects.projects import Folder, Projects
from pollux.sources.gemini_sessions.prompts.prompt_log import Line, PromptLog
from pollux.sources.gemini_sessions.prompts.prompts import may_hold_lines
from pollux.sources.typed_prompts import last_change
from pollux.system.decoders import msgpack_decoder
from pollux.wire import display_path


class Dependencies(msgspec.Struct):
    """What a reading depends on beyond its own files: large outputs, files of other sessions, a part of the log.

    `files` are outputs with their stamps. `peers` are the session files of a period with their stamps, by period.
    """

    files: dict[str, str] = {}
    peers: dict[tuple[float, float], dict[str, str]] = {}
    log: str | None = None
    since: float | None = None
    until: float | None = None


class GeminiBundle(Bundle, kw_only=True):
    """The files of one session and the files around them.

    `log` and `peers` are the project's log of typed prompts and its other session files. `damaged` are the paths of
    files that lost their heads. `elsewhere` are messages that only another session wrote, as hashes of their ids,
    by the path of their file.
    """

    kind: Kind = Kind.MAIN
    parent: str | None = None
    evidence: str = ""
    hash: str | None = None
    begun: datetime | None = None
    folders: tuple[Folder, ...] = ()
    projects: Projects | None = None
    log: PromptLog | None = None
    children: tuple[GeminiBundle, ...] = ()
    tag: str | None = None
    damaged: frozenset[str] = frozenset()
    elsewhere: dict[str, frozenset[int]] = {}
    depends_on: Dependencies = msgspec.field(default_factory=Dependencies)

    def take(self, other: GeminiBundle) -> None:
        """Add the files of another bundle: they hold the same session."""
        self.files = (*self.files, *other.files)
        self.folders = (*self.folders, *(folder for folder in other.folders if folder not in self.folders))
        self.damaged |= other.damaged
        self.elsewhere = {**self.elsewhere, **other.elsewhere}

    @property
    def named_by_others(self) -> bool:
        """Typed lines after a `/clear` have their own id only if the session before it has its file."""
        return self.kind is Kind.PROMPTS

    @property
    def changed_ns(self) -> int:
        """When one of its files last changed, or a line was last typed in it."""
        return last_change(self.files, (line.at for line in self._typed()), only_typed=self.kind is Kind.PROMPTS)

    def _typed(self) -> list[Line]:
        """The lines of the log under its id."""
        return self.log.lines.get(self.id, []) if self.log is not None else []

    def fingerprint(self) -> str:
        """A digest of its own files and its sub-agents' files, their ids, and the project."""
        texts = [text or "" for text in (self.id, self.kind, self.parent, self.hash, *self.project())]
        if self.kind is not Kind.PROMPTS:
            texts += [f"{file.path}\n{file.stamp}" for file in self.files]
        texts += [f"{child.id}\n{file.path}\n{file.stamp}" for child in self.children for file in child.files]
        texts += [f"{path}\n{sorted(numbers)}" for path, numbers in sorted(self.elsewhere.items())]
        return fingerprint_of(texts)

    def dependencies(self) -> bytes:
        """Other files, and the lines of the log from its time."""
        if self.log is not None:
            self.depends_on.log = self.log.fingerprint(self.id, self.depends_on.since, self.depends_on.until)
        return msgspec.msgpack.encode(self.depends_on)

    def is_current(self, dependencies: bytes, stamps: Mapping[str, str]) -> bool:
        """Are those files and lines unchanged?"""
        former = msgpack_decoder(Dependencies).decode(dependencies)
        now = self.log.fingerprint(self.id, former.since, former.until) if self.log is not None else None
        if now != former.log or any(stamps.get(path, "") != stamp for path, stamp in former.files.items()):
            return False
        return all(_stamps(self._alive(*time)) == peers for time, peers in former.peers.items())

    def word_files(self, dependencies: bytes) -> WordFiles | None:
        """Its own files, those of its sub-agents, and the log of typed prompts; None for outputs in other files."""
        if self.kind is Kind.PROMPTS or not dependencies:
            return None
        if msgpack_decoder(Dependencies).decode(dependencies).files:
            return None
        files = [*self.files, *(file for child in self.children for file in child.files)]
        files += self.log.files if self.log is not None else ()
        return WordFiles(tuple(dict.fromkeys(file.path for file in files)), ADDED_WORDS)

    def related_files(self) -> list[str]:
        """The notes that say which project its folders belong to."""
        return [display_path(path) for folder in self.folders for path in folder.markers]

    def group_keys(self) -> list[str] | None:
        """A parent, and the session that first had the same id; the project's folders and its log, if these tie it.

        A file without its head may be a copy of any other.
        """
        if self.damaged:
            return None
        relatives = [f"{self.agent}:{id}" for id in (self.id.partition("@")[0], self.parent) if id is not None]
        if not self._is_tied:
            return relatives
        return [
            *relatives,
            *(key for folder in self.folders for key in (folder.path, folder.hash, folder.marked) if key),
            *((self.hash,) if self.hash is not None else ()),
            *((file.path for file in self.log.files) if self.log is not None else ()),
        ]

    @property
    def _is_tied(self) -> bool:
        """Do other files of the project have a say in it, beyond the project's path?"""
        if self.kind not in (Kind.MAIN, Kind.SUBAGENT) or self.log is not None:
            return True
        return any(folder.is_tied for folder in self.folders)

    def folder_facts(self) -> list[tuple[str, str]]:
        """The project's path, which may stand in any of its sessions."""
        path, evidence = self.project()
        return [(folder.path, f"{self.hash} {evidence} {path}") for folder in self.folders]

    @property
    def folder_paths(self) -> list[str]:
        """The project's folders under `tmp`."""
        return [folder.path for folder in self.folders]

    @property
    def child_ids(self) -> set[str]:
        """The ids of its sub-agents' sessions."""
        return {child.id for child in self.children}

    def peers(self, line: Line) -> list[File]:
        """The project's other session files that were alive when a line was typed."""
        files = self._alive(line.since, line.until)
        self.depends_on.peers[line.since, line.until] = _stamps(files)
        return files

    def _alive(self, since: float, until: float) -> list[File]:
        own = {file.path for file in self.files}
        others = (f for folder in self.folders for f in folder.files if f.role == find.SESSION and f.path not in own)
        return [file for file in others if may_hold_lines(file, since, until)]

    def project(self) -> tuple[str | None, str | None]:
        """The project's path and how we know it."""
        if self.projects is None:
            return None, None
        for folder in (*self.folders, *(() if self.folders else (None,))):
            path, evidence = self.projects.of(folder, self.hash, self._hints)
            if path is not None:
                return path, evidence
        marker = next((folder.marker for folder in self.folders if folder.marker), None)
        return marker, "marker" if marker is not None else None

    def _hints(self) -> list[File]:
        """Files in which the project's path may be found."""
        roles = (find.SESSION, find.SUBAGENT, find.CHECKPOINT)
        return [f for folder in self.folders for f in folder.files if f.role in roles] or list(self.files)


def _stamps(files: list[File]) -> dict[str, str]:
    return {display_path(file.path): file.stamp for file in files}
