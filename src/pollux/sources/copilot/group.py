"""Group files by session: each folder is one, and so is each file of events that lies between them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import Bundle, File, SourceContext, WordFiles, fingerprint_of
from pollux.sources.copilot import find
from pollux.sources.copilot.format.tools import ADDED_WORDS
from pollux.sources.copilot.store import StoreIndex, index_of, store_among
from pollux.sources.walk import stat_file
from pollux.wire import read_head

AGENT = "copilot"
_OWN = (find.EVENTS, find.WORKSPACE)
_EVENT = re.compile(rb'\s*\{\s*"type"\s*:\s*"session\.start"\s*,\s*"data"\s*:\s*\{')
_ID = re.compile(rb'"sessionId"\s*:\s*"([\w.:-]{1,100})"')
_HEAD = 4096
_ANY_EVENT = re.compile(rb'\s*\{\s*"type"\s*:\s*"[a-z_]+\.[a-z_.]+"\s*,\s*"data"\s*:\s*\{')


class CopilotBundle(Bundle, kw_only=True):
    """The files of one session, and the store beside the sessions. `turned_ns` is when the store's last turn ended.

    `damage` says what cannot be read of the store.
    """

    store: File | None = None
    digest: str = ""
    damage: tuple[str, ...] = ()
    turned_ns: int = 0

    @property
    def changed_ns(self) -> int:
        """When one of its files last changed. Of a session without files only the turns are known."""
        return max((file.mtime_ns for file in self.files), default=self.turned_ns)

    def fingerprint(self) -> str:
        """A text that changes with the session's files, its rows in the store, and the store's damage."""
        return fingerprint_of(
            [self.id, self.digest, *self.damage, *(f"{file.path}\n{file.stamp}" for file in self.files)]
        )

    def transcripts(self) -> list[File]:
        """Its files of events."""
        return [file for file in self.files if file.role == find.EVENTS]

    def word_files(self, dependencies: bytes) -> WordFiles | None:  # noqa: ARG002 (it has none)
        """Its own files; None where the store has rows of it."""
        if self.digest:
            return None
        return WordFiles(tuple(file.path for file in self.files), ADDED_WORDS)

    def group_keys(self) -> list[str]:
        """No other session influences it."""
        return [f"{AGENT}:{self.id}"]


class Head(msgspec.Struct):
    """What the first event of a file says: the session's id, if it does."""

    id: str | None = None


def head_of(file: File) -> Head:
    """Look at the beginning of a file of events."""
    try:
        first = read_head(file.path, _HEAD).partition(b"\n")[0]
    except Unreadable:
        return Head()
    match = _ID.search(first) if _EVENT.match(first) else None
    return Head(match[1].decode() if match is not None else None)


def bundles(root: Path, files: Iterable[File], context: SourceContext) -> list[Bundle]:
    """The sessions under one root. A session with files under two roots, or in a copied folder, is one session."""
    listed = list(files)
    sessions: dict[str, CopilotBundle] = {}
    for name, members in _by_id(root, listed, context).items():
        sessions[name] = CopilotBundle(agent=AGENT, id=name, files=tuple(members))
    elsewhere: set[str] = set()
    others = context.other_files()
    for other, members in others.joined.items():
        for name, more in _by_id(other, members, context).items():
            elsewhere.add(name)
            if name in sessions:
                sessions[name].files += tuple(more)
    found = [bundle for bundle in sessions.values() if bundle.transcripts()]
    own = store_among(listed) or store_among(context.root_files or ())
    # Of sessions that only the archive has, the agent's store may hold more.
    store = own or store_among(others.files())
    if store is None:
        return list(found)
    index = context.peek(store, StoreIndex, index_of)
    for bundle in found:
        bundle.store, bundle.digest, bundle.damage = store, index.digests.get(bundle.id, ""), index.damage
    if own is not None and context.root_files is None:
        # What the archive has of a session is more than its index.
        known = {*(bundle.id for bundle in found), *elsewhere, *_kept_ids(others.other, context)}
        found += [
            CopilotBundle(
                agent=AGENT,
                id=id,
                files=sessions[id].files if id in sessions else (),
                store=store,
                digest=index.digests.get(id, ""),
                damage=index.damage,
                turned_ns=at,
            )
            for id, at in index.turns.items()
            if id not in known
        ]
    return list(found)


def _kept_ids(files: Iterable[File], context: SourceContext) -> set[str]:
    """The sessions of which there are events among files that pollux keeps."""
    events = [file for file in files if file.role == find.EVENTS]
    return {context.peek(file, Head, head_of).id or os.path.basename(os.path.dirname(file.path)) for file in events}  # noqa: PTH119, PTH120


def _by_id(root: Path, files: Iterable[File], context: SourceContext) -> dict[str, list[File]]:
    """The files of sessions by the id that their first event names, else by the name of their folder."""
    folders: dict[str, list[File]] = {}
    for file in files:
        if file.role in _OWN:
            folders.setdefault(_folder(file.path, root), []).append(file)
    sessions: dict[str, list[File]] = {}
    for name, members in folders.items():
        heads = [context.peek(file, Head, head_of) for file in members if file.role == find.EVENTS]
        id = next((head.id for head in heads if head.id is not None), name)
        sessions.setdefault(id, []).extend(members)
    return sessions


def _folder(path: str, root: Path) -> str:
    """The name of the folder in which a file of a session lies, or of the file itself."""
    steps = Path(os.path.relpath(path, root)).parts
    return steps[0] if len(steps) > 1 else steps[0].removesuffix(".jsonl")


def recognizes(path: Path, head: bytes) -> bool:
    """Does the beginning of a file look as if Copilot CLI wrote it?"""
    return _EVENT.match(head) is not None or (path.name == find.EVENTS_NAME and _ANY_EVENT.match(head) is not None)


def bundle_of_file(path: Path, context: SourceContext) -> CopilotBundle:  # noqa: ARG001 (as the protocol has it)
    """The bundle of a file that somebody names by its path."""
    try:
        files = [stat_file(path, find.EVENTS)]
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.") from error
    resolved = path.resolve()
    in_folder = resolved.name == find.EVENTS_NAME
    workspace = path.parent / find.WORKSPACE_NAME
    if in_folder and workspace.is_file():
        files.append(stat_file(workspace, find.WORKSPACE))
    name = head_of(files[0]).id or (resolved.parent.name if in_folder else resolved.stem)
    folder = path.parent.parent if in_folder else path.parent
    store = store_among(find.beside(folder)) if folder.name == find.FOLDER else None
    return CopilotBundle(agent=AGENT, id=name, files=tuple(files), store=store, asked=True)
