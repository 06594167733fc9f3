"""Names the session of every session file: by its head, by files with the same messages, or by the files around it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator

import msgspec

from pollux.sources.base import File, SourceContext
from pollux.sources.gemini_sessions import find
from pollux.sources.gemini_sessions.bundle import GeminiBundle
from pollux.sources.gemini_sessions.damaged_heads import FileIdentity, Owner, owners_of_damaged
from pollux.sources.gemini_sessions.identity import Identity, id_around, identity, stem
from pollux.sources.gemini_sessions.projects.projects import Folder
from pollux.sources.gemini_sessions.prompts.prompt_log import PromptLog

Logs = dict[str, tuple[list[Folder], PromptLog]]
"""The logs of typed prompts with their folders, by project."""
# Between a session's id and a prompt's number: 0.35 and 0.36 name a sub-agent's session after the prompt that it
# serves.
PROMPT = "########"


class Member(msgspec.Struct):
    """A session file in its folder, the id of its session, and the log of typed prompts of its project.

    `named` is the file that names the session: the file itself, unless its head is damaged. `elsewhere` are messages
    that only another session wrote.
    """

    folder: Folder
    file: File
    named: FileIdentity
    name: str
    log: PromptLog | None
    is_damaged: bool
    elsewhere: frozenset[int]

    @property
    def is_subagent(self) -> bool:
        """Does it hold a sub-agent's session?"""
        return self.named.file.role == find.SUBAGENT or PROMPT in self.name

    def join(self, bundle: GeminiBundle) -> None:
        """Add the file to a bundle."""
        bundle.files = (*bundle.files, self.file)
        if self.folder not in bundle.folders:
            bundle.folders = (*bundle.folders, self.folder)
        if self.is_damaged:
            bundle.damaged = bundle.damaged | {self.file.path}
        if self.elsewhere:
            bundle.elsewhere = {**bundle.elsewhere, self.file.path: self.elsewhere}


def members(
    folders: Iterable[Folder],
    others: Iterable[File],
    logs: Logs,
    context: SourceContext,
    left_out: Collection[str] = (),
) -> list[Member]:
    """The session files in these folders. `others` lie elsewhere, and only name the sessions of damaged files.

    Files that name no project come last: they may be cut, and others in the same folder name it.
    """
    names = _Names(logs)
    files = [(folder, [file for file in folder.files if file.path not in left_out]) for folder in folders]
    items = [item for folder, own in files for item in _identities(folder, own, context)]
    for item in items:
        names.add(item)
    owners = owners_of_damaged(items, _identities(Folder("", []), others, context), context, names.has_name)
    result = [_member(item, owners.get(item.file.path), names) for item in items]
    return sorted(result, key=lambda member: (member.named.own.project is None, member.file is not member.named.file))


def _identities(folder: Folder, files: Iterable[File], context: SourceContext) -> Iterator[FileIdentity]:
    """The identities of the session files among some files."""
    for file in files:
        if file.role in (find.SESSION, find.SUBAGENT):
            yield FileIdentity(folder, file, context.peek(file, Identity, identity))


def _member(item: FileIdentity, owner: Owner | None, names: _Names) -> Member:
    named, elsewhere = owner or Owner(item)
    if not named.folder.path:
        named = named._replace(folder=item.folder)
    is_damaged = owner is not None
    return Member(item.folder, item.file, named, names.name(named), names.log(named), is_damaged, elsewhere)


class _Names:
    """The ids that the files around a file without an id suggest."""

    def __init__(self, logs: Logs) -> None:
        self._logs = logs
        self._by_folder: dict[str, list[FileIdentity]] = {}

    def add(self, item: FileIdentity) -> None:
        """Add a session file."""
        self._by_folder.setdefault(item.folder.path, []).append(item)

    def has_name(self, item: FileIdentity) -> bool:
        """Does anything around a file without an id give it one?"""
        return self._around(item) is not None

    def name(self, item: FileIdentity) -> str:
        """The id of a file's session. The file's own name is the last resort."""
        return item.own.id or self._around(item) or stem(item.file.path)

    def log(self, item: FileIdentity) -> PromptLog | None:
        """The log of typed prompts of a file's project."""
        folder = item.folder
        project = item.own.project or folder.hash
        log = self._logs.get(project or folder.name) or self._logs.get(folder.hash or folder.name)
        return log[1] if log is not None else None

    def _around(self, item: FileIdentity) -> str | None:
        if item.file.role == find.SUBAGENT or not item.own.has_content:
            return None
        return id_around(item.file.path, self._ids_around(item))

    def _ids_around(self, item: FileIdentity) -> Iterator[str]:
        """The ids that a project names: in its files, in names of folders, in the log of typed prompts."""
        for other in self._by_folder[item.folder.path]:
            if other.file.role == find.SUBAGENT:
                yield os.path.basename(os.path.dirname(other.file.path))  # noqa: PTH119, PTH120
            elif other.own.id is not None:
                yield other.own.id
        log = self.log(item)
        if log is not None:
            yield from log.lines
