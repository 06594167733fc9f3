"""Which files belong to one session: a thread and its reverts, plain and compressed twins, growing copies."""

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
from pollux.sources.codex.format.document import Items, items_of
from pollux.sources.codex.format.tools import ADDED_WORDS
from pollux.sources.codex.prompts import Beside
from pollux.sources.walk import stat_file
from pollux.wire import display_path, read_head

AGENT = "codex"
_ENVELOPE = re.compile(
    rb'\s*\{\s*"timestamp"\s*:\s*"[^"]*"\s*,(?:\s*"ordinal"\s*:\s*\d+\s*,)?\s*"type"\s*:\s*'
    rb'"(?:session_meta|response_item|event_msg|turn_context|compacted|world_state|token_usage_record)"'
)
_BARE = re.compile(rb'\s*\{\s*"id"\s*:\s*"[^"]+"\s*,\s*"timestamp"\s*:\s*"[^"]+"\s*,\s*"instructions"\s*:')
_DOCUMENT = re.compile(rb'\s*\{\s*"session"\s*:\s*\{\s*"timestamp"')
_TYPED = re.compile(rb'\s*\{\s*"session_id"\s*:\s*"[^"]+"\s*,\s*"ts"\s*:\s*\d+\s*,\s*"text"\s*:')


class CodexBundle(Bundle, kw_only=True):
    """The files of one session and what lies around them."""

    kind: Kind = Kind.MAIN
    threads: Threads
    beside: Beside
    depends_on: dict[str, str] = {}

    def fingerprint(self) -> str:
        """Its own files, and what the files beside the sessions say of it."""
        beside = self.beside
        texts = [self.id, self.kind, beside.names.get(self.id, ""), repr(beside.imports.get(self.id))]
        texts += [f"{line.number}\n{line.typed}" for line in beside.typed.get(self.id, ())]
        if self.kind is Kind.PROMPTS or not self.files:
            return fingerprint_of([*texts, *map(repr, beside.notices())])
        return fingerprint_of([*texts, *(f"{file.path}\n{file.stamp}" for file in self.files)])

    def dependencies(self) -> bytes:
        """What it asked about other sessions, and what the answers depend on."""
        return msgspec.msgpack.encode(self.depends_on) if self.depends_on else b""

    def word_files(self, dependencies: bytes) -> WordFiles | None:
        """Its own files; None where other sessions or files beside them have a part in it."""
        beside = self.beside
        if dependencies or self.kind is Kind.PROMPTS or self.id in beside.typed or self.id in beside.imports:
            return None
        return WordFiles(tuple(file.path for file in self.files), ADDED_WORDS)

    def is_current(self, dependencies: bytes, stamps: Mapping[str, str]) -> bool:  # noqa: ARG002 (others may lie elsewhere)
        """Would it be told the same?"""
        then: dict[str, str] = msgspec.msgpack.decode(dependencies, type=dict[str, str]) if dependencies else {}
        return all(self.threads.answers(question) == answer for question, answer in then.items())

    def related_files(self) -> list[str]:
        """The files of the sessions it goes on from."""
        return [display_path(file.path) for question in list(self.depends_on) for file in self.threads.behind(question)]


def bundles(root: Path, files: Iterable[File], context: SourceContext) -> list[Bundle]:
    """The sessions under one root. A session that also lies under another root is the same in both."""
    listed = list(files)
    rollouts = [file for file in listed if file.role == find.ROLLOUT]
    elsewhere = [file for file in context.other_files().files() if file.role == find.ROLLOUT]

    def look(file: File) -> Head:
        return context.peek(file, Head, head_of)

    threads = Threads(root, rollouts, look, elsewhere)
    beside = Beside(listed if root.name == find.LIVE else _files_beside(root))
    sessions: dict[str, CodexBundle] = {}
    for file in threads.files if rollouts else ():
        _put(sessions, file, look(file), threads, beside)
    paths = {file.path for file in rollouts}
    grown = _grown(list(sessions.values()), context)
    result = [bundle for bundle in grown if any(file.path in paths for file in bundle.files)]
    if root.name == find.LIVE:
        result += _alone(sessions, threads, beside)
    return list(result)


def _put(sessions: dict[str, CodexBundle], file: File, head: Head, threads: Threads, beside: Beside) -> None:
    name = head.id or stem(file.path)
    bundle = sessions.get(name)
    if bundle is None:
        bundle = sessions[name] = CodexBundle(agent=AGENT, id=name, threads=threads, beside=beside)
    bundle.files = (*bundle.files, file)


def _files_beside(root: Path) -> list[File]:
    """The home's own files, for a folder that is not the one they are counted with."""
    return [f for f in find.find(root.parent / find.LIVE) if f.role in (find.NAMES, find.IMPORTS, find.PROMPTS)]


def _grown(bundles: list[CodexBundle], context: SourceContext) -> list[CodexBundle]:
    """The first releases began a new file and id after each pause, with everything so far in it: the longest counts."""
    documents = [bundle for bundle in bundles if all(file.path.endswith(".json") for file in bundle.files)]
    seals = {bundle.id: context.peek(bundle.files[0], Items, items_of).seals for bundle in documents}
    documents.sort(key=lambda bundle: (len(seals[bundle.id]), bundle.id), reverse=True)
    gone: set[str] = set()
    for index, bundle in enumerate(documents):
        mine = seals[bundle.id]
        whole = next(
            (o for o in documents[:index] if mine and o.id not in gone and seals[o.id][: len(mine)] == mine), None
        )
        if whole is not None:
            whole.files = (*whole.files, *bundle.files)
            gone.add(bundle.id)
    return [bundle for bundle in bundles if bundle.id not in gone]


def _alone(sessions: dict[str, CodexBundle], threads: Threads, beside: Beside) -> list[CodexBundle]:
    """Sessions of which only typed prompts are left; and where the log cannot be read, somebody must say so."""
    log = beside.log
    names = (
        [name for name in beside.typed if name not in sessions and name not in threads.ids] if log is not None else []
    )
    alone = [
        CodexBundle(
            agent=AGENT,
            id=name,
            kind=Kind.PROMPTS,
            files=(log,),
            threads=threads,
            beside=beside,
        )
        for name in names
        if log is not None
    ]
    if beside.notices():
        alone.append(CodexBundle(agent=AGENT, id=f"{beside.nobody}-and-names", threads=threads, beside=beside))
    return alone


def recognizes(path: Path, head: bytes) -> bool:
    """Does the beginning of a file look like something Codex CLI wrote?"""
    if head.startswith(MAGIC):
        head = unpacked_head(head)
        if not head:
            return path.name.endswith(".jsonl.zst")
    if any(form.match(head) for form in (_ENVELOPE, _BARE, _DOCUMENT, _TYPED)):
        return True
    return find.named(str(path))[0] is not None


def bundle_of_file(path: Path, context: SourceContext) -> CodexBundle:  # noqa: ARG001 (as the protocol has it)
    """A file handed over by path, wherever it lies."""
    try:
        file = stat_file(path, find.ROLLOUT)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.") from error
    folder = _enclosing(path)
    threads = Threads(folder)
    if path.suffix == ".jsonl" and _is_log(path):
        beside = Beside([stat_file(path, find.PROMPTS)])
        name = next(iter(beside.typed), "") or stem(str(path))
        return CodexBundle(
            agent=AGENT, id=name, kind=Kind.PROMPTS, files=(file,), threads=threads, beside=beside, asked=True
        )
    beside = Beside(_files_beside(folder) if folder.name in (find.LIVE, find.ARCHIVE) else ())
    name = identity(str(path)) or f"{hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:12]}-{stem(str(path))}"
    return CodexBundle(agent=AGENT, id=name, files=(file,), threads=threads, beside=beside, asked=True)


def _is_log(path: Path) -> bool:
    try:
        return _TYPED.match(read_head(path, 4096)) is not None
    except Unreadable:
        return False


def _enclosing(path: Path) -> Path:
    """The folder of sessions a file lies in; else its own folder."""
    resolved = path.resolve()
    return next((p for p in resolved.parents if p.name in (find.LIVE, find.ARCHIVE)), resolved.parent)
