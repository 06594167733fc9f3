"""Group files by session: a thread and its reverts, plain and compressed copies, growing copies."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from pollux.errors import Unreadable
from pollux.model import Kind
from pollux.sources.base import Bundle, File, SourceContext, WordFiles, fingerprint_of
from pollux.sources.codex import find
from pollux.sources.codex.forks.threads import Head, Threads, head_of, identity, stem
from pollux.sources.codex.format.compressed import MAGIC, unpacked_head
from pollux.sources.codex.format.document import ItemFingerprints, fingerprints_of_items
from pollux.sources.codex.format.tools import ADDED_WORDS
from pollux.sources.codex.side_files import SideFiles
from pollux.sources.session_migrate import MANIFEST
from pollux.sources.typed_prompts import last_change
from pollux.sources.walk import stat_file
from pollux.wire import display_path, read_head

AGENT = "codex"
_DOCUMENTS = "documents"
_ENVELOPE = re.compile(
    rb'\s*\{\s*"timestamp"\s*:\s*"[^"]*"\s*,(?:\s*"ordinal"\s*:\s*\d+\s*,)?\s*"type"\s*:\s*'
    rb'"(?:session_meta|response_item|event_msg|turn_context|compacted|world_state|token_usage_record)"'
)
_BARE = re.compile(rb'\s*\{\s*"id"\s*:\s*"[^"]+"\s*,\s*"timestamp"\s*:\s*"[^"]+"\s*,\s*"instructions"\s*:')
_DOCUMENT = re.compile(rb'\s*\{\s*"session"\s*:\s*\{\s*"timestamp"')
_TYPED = re.compile(rb'\s*\{\s*"session_id"\s*:\s*"[^"]+"\s*,\s*"ts"\s*:\s*\d+\s*,\s*"text"\s*:')


class CodexBundle(Bundle, kw_only=True):
    """The files of one session, and the files beside the sessions."""

    asks_all = True

    kind: Kind = Kind.MAIN
    threads: Threads
    side_files: SideFiles
    depends_on: dict[str, str] = {}

    @property
    def changed_ns(self) -> int:
        """When one of its files last changed, or a line was last typed in it."""
        return last_change(
            self.files,
            (line.at for line in self.side_files.prompts.get(self.id, ())),
            only_typed=self.kind is Kind.PROMPTS,
        )

    def fingerprint(self) -> str:
        """A text that changes with the session's files, and with what the side files say about it."""
        side_files = self.side_files
        texts = [self.id, self.kind, side_files.names.get(self.id, ""), repr(side_files.imports.get(self.id))]
        if (manifest := side_files.manifest_file(self.id)) is not None:
            texts.append(f"{manifest.path}\n{manifest.stamp}")
        texts += [f"{line.number}\n{line.record}" for line in side_files.prompts.get(self.id, ())]
        if self.kind is Kind.PROMPTS or not self.files:
            return fingerprint_of([*texts, *map(repr, side_files.notices())])
        return fingerprint_of([*texts, *(f"{file.path}\n{file.stamp}" for file in self.files)])

    def dependencies(self) -> bytes:
        """The questions about other sessions, each with a value that changes with its answer."""
        return msgspec.msgpack.encode(self.depends_on) if self.depends_on else b""

    def word_files(self, dependencies: bytes) -> WordFiles | None:
        """Its own files; None where other sessions or files beside them have a part in it."""
        side_files = self.side_files
        if dependencies or self.kind is Kind.PROMPTS or self.id in side_files.prompts or self.id in side_files.imports:
            return None
        return WordFiles(tuple(file.path for file in self.files), ADDED_WORDS)

    def is_current(self, dependencies: bytes, stamps: Mapping[str, str]) -> bool:  # noqa: ARG002 (others may lie elsewhere)
        """Are the answers still the same?"""
        then: dict[str, str] = msgspec.msgpack.decode(dependencies, type=dict[str, str]) if dependencies else {}
        return all(self.threads.answers(question) == answer for question, answer in then.items())

    def group_keys(self) -> list[str]:
        """The first releases copied whole sessions into new documents. Other ties are questions about other files."""
        return [_DOCUMENTS] if _is_document(self) else []

    def own_files(self) -> tuple[File, ...]:
        """Its files without the log of typed prompts."""
        return () if self.kind is Kind.PROMPTS else self.files

    def related_files(self) -> list[str]:
        """The files of the sessions that it continues."""
        return [display_path(file.path) for question in list(self.depends_on) for file in self.threads.behind(question)]


def bundles(root: Path, files: Iterable[File], context: SourceContext) -> list[Bundle]:
    """The sessions under one root. A session with files under two roots is one session."""
    listed = list(files)
    rollouts = [file for file in listed if file.role == find.ROLLOUT]
    if not rollouts and root.name != find.LIVE:
        return []
    others = context.other_files()
    elsewhere = [file for file in others.files() if file.role == find.ROLLOUT]
    kept = [file for file in others.other if file.role == find.ROLLOUT]

    def look(file: File) -> Head:
        return context.peek(file, Head, head_of)

    # What a session asks about others may concern any file under the root.
    others_here = {file.path for file in context.root_files or ()} - {file.path for file in listed}
    rollouts_here = [file for file in context.root_files or listed if file.role == find.ROLLOUT]
    threads = Threads(root, rollouts_here, look, elsewhere, kept)
    side_files = SideFiles(listed if root.name == find.LIVE else _side_files_of(root))
    sessions: dict[str, CodexBundle] = {}
    for file in threads.files if rollouts else ():
        if file.path not in others_here:
            _add_to_bundle(sessions, file, look(file), threads, side_files)
    paths = {file.path for file in rollouts}
    grown = _merge_growing_copies(list(sessions.values()), context)
    result = [bundle for bundle in grown if any(file.path in paths for file in bundle.files)]
    if root.name == find.LIVE and context.root_files is None:
        result += _sessions_without_files(sessions, threads, side_files)
    return list(result)


def _add_to_bundle(
    sessions: dict[str, CodexBundle], file: File, head: Head, threads: Threads, side_files: SideFiles
) -> None:
    name = head.id or stem(file.path)
    bundle = sessions.get(name)
    if bundle is None:
        bundle = sessions[name] = CodexBundle(agent=AGENT, id=name, threads=threads, side_files=side_files)
    bundle.files = (*bundle.files, file)


def _side_files_of(root: Path) -> list[File]:
    """The side files of a root that does not list them itself."""
    roles = (find.NAMES, find.IMPORTS, find.PROMPTS, MANIFEST)
    return [file for file in find.beside(root.parent / find.LIVE) if file.role in roles]


def _merge_growing_copies(bundles: list[CodexBundle], context: SourceContext) -> list[CodexBundle]:
    """Join growing copies: the first releases began a new file with all messages so far after each pause."""
    documents = [bundle for bundle in bundles if _is_document(bundle)]
    fingerprints = {
        bundle.id: context.peek(bundle.files[0], ItemFingerprints, fingerprints_of_items).fingerprints
        for bundle in documents
    }
    documents.sort(key=lambda bundle: (len(fingerprints[bundle.id]), bundle.id), reverse=True)
    gone: set[str] = set()
    for index, bundle in enumerate(documents):
        mine = fingerprints[bundle.id]
        whole = next(
            (o for o in documents[:index] if mine and o.id not in gone and fingerprints[o.id][: len(mine)] == mine),
            None,
        )
        if whole is not None:
            whole.files = (*whole.files, *bundle.files)
            gone.add(bundle.id)
    return [bundle for bundle in bundles if bundle.id not in gone]


def _is_document(bundle: CodexBundle) -> bool:
    """Are all its files whole documents, as the first releases wrote them?"""
    return all(file.path.endswith(".json") for file in bundle.files)


def _sessions_without_files(
    sessions: dict[str, CodexBundle], threads: Threads, side_files: SideFiles
) -> list[CodexBundle]:
    """Bundles of sessions of which only typed prompts are left, and one for the notices about side files."""
    log = side_files.log
    names = (
        [name for name in side_files.prompts if name not in sessions and name not in threads.ids]
        if log is not None
        else []
    )
    alone = [
        CodexBundle(
            agent=AGENT,
            id=name,
            kind=Kind.PROMPTS,
            files=(log,),
            threads=threads,
            side_files=side_files,
        )
        for name in names
        if log is not None
    ]
    if side_files.notices():
        alone.append(
            CodexBundle(agent=AGENT, id=f"{side_files.fallback_id}-and-names", threads=threads, side_files=side_files)
        )
    return alone


def recognizes(path: Path, head: bytes) -> bool:
    """Does the beginning of a file look as if Codex CLI wrote it?"""
    if head.startswith(MAGIC):
        head = unpacked_head(head)
        if not head:
            return path.name.endswith(".jsonl.zst")
    if any(form.match(head) for form in (_ENVELOPE, _BARE, _DOCUMENT, _TYPED)):
        return True
    return find.parse_name(str(path))[0] is not None


def bundle_of_file(path: Path, context: SourceContext) -> CodexBundle:  # noqa: ARG001 (as the protocol has it)
    """The bundle of a file that somebody names by its path."""
    try:
        file = stat_file(path, find.ROLLOUT)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.") from error
    folder = _enclosing(path)
    threads = Threads(folder)
    if path.suffix == ".jsonl" and _is_log(path):
        side_files = SideFiles([stat_file(path, find.PROMPTS)])
        name = next(iter(side_files.prompts), "") or stem(str(path))
        return CodexBundle(
            agent=AGENT, id=name, kind=Kind.PROMPTS, files=(file,), threads=threads, side_files=side_files, asked=True
        )
    side_files = SideFiles(_side_files_of(folder) if folder.name in (find.LIVE, find.ARCHIVE) else ())
    name = identity(str(path)) or f"{hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:12]}-{stem(str(path))}"
    return CodexBundle(agent=AGENT, id=name, files=(file,), threads=threads, side_files=side_files, asked=True)


def _is_log(path: Path) -> bool:
    try:
        return _TYPED.match(read_head(path, 4096)) is not None
    except Unreadable:
        return False


def _enclosing(path: Path) -> Path:
    """The folder of sessions that contains a file; else the file's own folder."""
    resolved = path.resolve()
    return next((p for p in resolved.parents if p.name in (find.LIVE, find.ARCHIVE)), resolved.parent)
