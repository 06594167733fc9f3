"""Groups files into sessions: the transcript, sub-agents, large outputs, and forks that share records."""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from pathlib import Path

import msgspec

from pollux.errors import Unreadable
from pollux.model import Kind
from pollux.sources.base import Bundle, File, SourceContext, WordFiles, fingerprint_of, unchanged
from pollux.sources.claude import find
from pollux.sources.claude.format.oldest_record import oldest_record
from pollux.sources.claude.format.peek import Head, head_of
from pollux.sources.claude.format.record_ids import RecordIds, record_ids_of
from pollux.sources.claude.format.tools import ADDED_WORDS
from pollux.sources.claude.history import History, TypedLines, Typing, read_typed_lines
from pollux.sources.session_migrate import MANIFEST, session_of
from pollux.sources.typed_prompts import last_change
from pollux.sources.walk import stat_file
from pollux.wire import display_path

AGENT = "claude"
_HOUR = 3600 * 10**9
UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")


class ClaudeBundle(Bundle, kw_only=True):
    """The files of one session and the files around them.

    `name` is the id in its own records; `folders` are the session's own folders. `heads` are the ids of the records
    with which its files, or copies of parts of them, begin; `is_cut` says that a file lost its first records. `named`
    are the sessions that its records name. `peers` are sessions that share a reply or a prompt with it, or one of which
    names the other. `summaries` are titles that later sessions of the project gave to earlier ones, `given` a digest of
    those that this one gave.
    """

    kind: Kind = Kind.MAIN
    name: str = ""
    folders: list[str] = []
    parent: str | None = None
    evidence: str = ""
    children: list[ClaudeBundle] = []
    siblings: list[ClaudeBundle] = []
    peers: list[ClaudeBundle] = []
    heads: set[str] = set()
    named: set[str] = set()
    is_cut: bool = False
    metas: tuple[File, ...] = ()
    titles: tuple[File, ...] = ()
    manifests: tuple[File, ...] = ()
    summaries: dict[str, str] = {}
    summaries_digest: str = ""
    given: str = ""
    typed: list[Typing] = []
    history: History | None = None
    depends_on: dict[str, str] = {}
    parent_files: list[str] = []

    @property
    def changed_ns(self) -> int:
        """When one of its files last changed, or a line was last typed in it."""
        return last_change(self.files, (line.at for line in self.typed), only_typed=self.kind is Kind.PROMPTS)

    def fingerprint(self) -> str:
        """A digest of its own files, those of its relatives, its titles in other sessions, and its typed lines.

        If only typed lines are left, it includes the notices about their log.
        """
        texts = [self.id, self.kind, self.parent or "", self.summaries_digest]
        texts += [f"{line.number}\n{line.text}\n{line.at}\n{line.project}" for line in self.typed]
        if self.kind is Kind.PROMPTS:
            if self.history is not None:
                texts += self.history.lost_dependencies(self.typed, self.id)
                texts += map(repr, self.history.notices)
            return fingerprint_of(texts)
        relatives = [*self.children, *self.siblings, *self.peers]
        files = [*self.files, *(file for other in relatives for file in other.files)]
        return fingerprint_of(
            [*texts, *(other.id for other in relatives), *(f"{file.path}\n{file.stamp}" for file in files)]
        )

    def dependencies(self) -> bytes:
        """Outputs in other files."""
        return msgspec.msgpack.encode(self.depends_on) if self.depends_on else b""

    def related_files(self) -> list[str]:
        """The transcripts of the session it was forked from."""
        return self.parent_files

    def is_current(self, dependencies: bytes, stamps: Mapping[str, str]) -> bool:
        """Are those outputs unchanged?"""
        return not dependencies or unchanged(dependencies, stamps)

    def word_files(self, dependencies: bytes) -> WordFiles | None:
        """Its own files and those of its relatives; None for outputs in other files, or typed lines."""
        if dependencies or self.typed or self.kind is Kind.PROMPTS:
            return None
        relatives = [*self.children, *self.siblings, *self.peers]
        files = [*self.files, *self.metas, *(file for other in relatives for file in other.files)]
        return WordFiles(tuple(dict.fromkeys(file.path for file in files)), ADDED_WORDS)

    def group_keys(self) -> list[str] | None:
        """Its own folders, a parent, peers, first records, the same id; the titles it gives to others of its project.

        Typed lines without a session id are searched for in all transcripts. Other typed lines stand in one log, which
        their sessions share. Without its first records, a session may share any record with any other.
        """
        if (self.kind is Kind.PROMPTS and self.id.endswith("-prompts")) or self.is_cut:
            return None
        parents = (self.parent,) if self.parent else ()
        relatives = (self.name, *parents, *self.named, *(peer.name for peer in self.peers))
        return [
            *self.folders,
            *(f"{os.path.dirname(folder)}\0titles {self.given}" for folder in self.folders if self.given),  # noqa: PTH120
            *(f"{self.agent}:{id}" for id in relatives),
            *(f"begins with {head}" for head in self.heads),
            *((self.history.file.path,) if self.history is not None else ()),
        ]

    def companions(self) -> list[str]:
        """The transcripts that share records with it: they show which of its messages are inherited."""
        return [display_path(file.path) for peer in self.peers for file in peer.files]

    def transcripts(self) -> list[File]:
        """The files that hold lines of the conversation."""
        return [file for file in self.files if file.role in (find.SESSION, find.AGENT)]


RootScan = Callable[[File], Head]
"""A peek at a file's head."""


def bundles(root: Path, files: Iterable[File], context: SourceContext) -> list[Bundle]:
    """The sessions under one root. A session that also lies under another root is the same in both."""
    own = list(files)
    elsewhere = context.other_files()
    all_files = [*own, *elsewhere.files()]

    def look(file: File) -> Head:
        return context.peek(file, Head, head_of)

    since = _since([*all_files, *elsewhere.other], look, context)
    mains = _mains(all_files, look)
    _add_titles(mains.values(), [*_transcripts_around(own, context), *elsewhere.files()], look, since)
    agents = _agents(all_files, look)
    _attach_side_files(all_files, mains, agents)
    _adopt(mains, agents)
    others = [*_mains(elsewhere.other, look).values(), *_agents(elsewhere.other, look)]
    transcripts = [*mains.values(), *agents, *others]
    _link_peers(transcripts, since, look, lambda file: context.peek(file, RecordIds, record_ids_of))
    paths = {file.path for file in own}
    here = [bundle for bundle in (*mains.values(), *agents) if any(file.path in paths for file in bundle.files)]
    prompts_only = _prompts_only(own, {bundle.id: bundle for bundle in here if bundle.kind is Kind.MAIN}, root, context)
    return [*here, *prompts_only]


def _since(files: list[File], look: RootScan, context: SourceContext) -> float:
    """Files that last changed before this time (nanoseconds) have nothing to do with the sessions that are needed.

    A copy of a record, a name of a session, and a title of a session are all written after that session began.
    """
    if context.needs is None:
        return 0
    typed: dict[str | None, list[datetime | None]] = {}
    for log in (file for file in files if file.role == find.HISTORY):
        for session, line in context.peek(log, TypedLines, read_typed_lines).lines:
            typed.setdefault(session, []).append(line.at)

    def is_needed(file: File) -> bool:
        id = _own_id(file, look)
        changed = last_change((file,), typed.get(id, ()), only_typed=False)
        return context.needs is None or context.needs(id, changed)

    transcripts = (file for file in files if file.role in (find.SESSION, find.AGENT))
    starts = [oldest_record(file) for file in transcripts if is_needed(file)]
    return min((0 if start is None else start * 10**9 - _HOUR for start in starts), default=math.inf)


def _own_id(file: File, look: RootScan) -> str:
    return stem(file.path).removeprefix("agent-") if file.role == find.AGENT else identity(file, look)


def _mains(files: list[File], look: RootScan) -> dict[str, ClaudeBundle]:
    """Transcripts by id. The same id in two folders is one session that moved."""
    sessions: dict[str, ClaudeBundle] = {}
    for file in files:
        if file.role != find.SESSION:
            continue
        name = identity(file, look)
        bundle = sessions.get(name)
        if bundle is None:
            bundle = sessions[name] = ClaudeBundle(agent=AGENT, id=name, name=name)
        bundle.files = (*bundle.files, file)
        bundle.folders = [*bundle.folders, file.path.removesuffix(".jsonl")]
    for bundle in sessions.values():
        if len(bundle.files) > 1:
            bundle.files = tuple(sorted(bundle.files, key=lambda file: (-file.size, file.path)))
    return sessions


def _transcripts_around(files: list[File], context: SourceContext) -> list[File]:
    """The transcripts in the folders of some files: they may give these titles."""
    if context.root_files is None:
        return files
    folders = tuple({os.path.join(os.path.dirname(file.path), "") for file in files if file.role == find.SESSION})  # noqa: PTH118, PTH120
    around = [file for file in context.root_files if file.role == find.SESSION and file.path.startswith(folders)]
    context.load_peeks(Head, around)
    return around


def _add_titles(mains: Iterable[ClaudeBundle], files: list[File], look: RootScan, since: float) -> None:
    """Add the titles that the transcripts of a folder give to one another."""
    summaries: dict[str, dict[str, str]] = {}
    given: dict[str, list[str]] = {}
    for file in files:
        if file.role == find.SESSION:
            titles = summaries.setdefault(os.path.dirname(file.path), {})  # noqa: PTH120
            if file.mtime_ns >= since and (own := look(file).summaries):
                titles.update(own)
                given[file.path] = [text for pair in own for text in pair]
    # All sessions of a folder share its summaries, so their digest is made once.
    digests = {folder: fingerprint_of(sorted(titles.values())) for folder, titles in summaries.items()}
    for bundle in mains:
        folder, *others = (os.path.dirname(own) for own in bundle.folders)  # noqa: PTH120
        bundle.summaries, bundle.summaries_digest = summaries[folder], digests[folder]
        if others:
            for other in others:
                bundle.summaries = {**summaries[other], **bundle.summaries}
            bundle.summaries_digest = fingerprint_of(sorted(bundle.summaries.values()))
        if texts := [text for file in bundle.files for text in given.get(file.path, ())]:
            bundle.given = fingerprint_of(texts)


def identity(file: File, look: RootScan = head_of) -> str:
    """A session's id: its file's name or, for a renamed file, the id in its records."""
    name = stem(file.path)
    if UUID.match(name):
        return name
    head = look(file)
    return head.last or head.first or name


def stem(path: str) -> str:
    """A file's name without its extension."""
    return display_path(os.path.basename(path)).removesuffix(".jsonl")  # noqa: PTH119


def _agents(files: list[File], look: RootScan = head_of) -> list[ClaudeBundle]:
    """Sub-agents' files, each with its session: by its folder, or by its last record (2.0)."""
    subagents: dict[tuple[str, str], ClaudeBundle] = {}
    for file in files:
        if file.role != find.AGENT:
            continue
        name = stem(file.path).removeprefix("agent-")
        folder = _session_folder(file.path)
        if folder is not None:
            parent, evidence = display_path(os.path.basename(folder)), "its file lies in the session's folder"  # noqa: PTH119
        else:
            head = look(file)
            parent, evidence = head.last or head.first or "", "its records carry the session's id"
        bundle = subagents.get((name, parent))
        if bundle is None:
            bundle = subagents[name, parent] = ClaudeBundle(
                agent=AGENT, id=name, name=name, kind=Kind.SUBAGENT, parent=parent or None, evidence=evidence
            )
        bundle.files = (*bundle.files, file)
        own = folder or os.path.join(os.path.dirname(file.path), parent)  # noqa: PTH118, PTH120
        bundle.folders = [*bundle.folders, own]
    return _distinguish(list(subagents.values()))


def _distinguish(subagents: list[ClaudeBundle]) -> list[ClaudeBundle]:
    """Sub-agents have short ids, and the same id may occur in another session: then it gets a suffix."""
    seen: set[str] = set()
    for bundle in sorted(subagents, key=lambda bundle: (bundle.id, bundle.parent or "")):
        if bundle.id in seen:
            bundle.id = f"{bundle.id}@{(bundle.parent or 'unknown')[:8]}"
        seen.add(bundle.id)
    return subagents


def _session_folder(path: str) -> str | None:
    """The session's folder above a sub-agent's file; None for a file next to the sessions."""
    inner, above = path, os.path.dirname(path)  # noqa: PTH120
    while os.path.basename(above) not in ("", "subagents") and above != inner:  # noqa: PTH119
        inner, above = above, os.path.dirname(above)  # noqa: PTH120
    return os.path.dirname(above) if os.path.basename(above) == "subagents" else None  # noqa: PTH119, PTH120


def _attach_side_files(files: list[File], mains: dict[str, ClaudeBundle], agents: list[ClaudeBundle]) -> None:
    """Add the small files about a transcript: a title, where it was converted from, the purpose of a sub-agent."""
    by_folder = {folder: main for main in mains.values() for folder in main.folders}
    by_path = {file.path: agent for agent in agents for file in agent.files}
    for file in files:
        if file.role == find.TITLE and (main := by_folder.get(os.path.dirname(file.path))):  # noqa: PTH120
            main.titles = (*main.titles, file)
            main.files = (*main.files, file)
        elif file.role == MANIFEST and (main := mains.get(session_of(file))):
            main.manifests = (*main.manifests, file)
            main.files = (*main.files, file)
        elif file.role == find.META and (agent := by_path.get(file.path.removesuffix(".meta.json") + ".jsonl")):
            agent.metas = (*agent.metas, file)
            agent.files = (*agent.files, file)


def _adopt(mains: dict[str, ClaudeBundle], agents: list[ClaudeBundle]) -> None:
    """Give each sub-agent to its session, and to the session's other sub-agents: one of them may have started it."""
    families: dict[str, list[ClaudeBundle]] = {}
    for agent in agents:
        families.setdefault(agent.parent or "", []).append(agent)
    for name, family in families.items():
        if name in mains:
            mains[name].children = family
        for agent in family:
            agent.siblings = [other for other in family if other is not agent]


def _link_peers(
    transcripts: list[ClaudeBundle], since: float, look: RootScan, look_at_ids: Callable[[File], RecordIds]
) -> None:
    """Make transcripts that share a reply or a prompt peers, wherever they lie: one of them is a fork of the other.

    A session that the records of another one name is its peer, too, even if it lost all that they shared. Transcripts
    that did not change `since` a time are not looked into.
    """
    mains: dict[str, list[ClaudeBundle]] = {}
    for bundle in transcripts:
        if bundle.kind is Kind.MAIN:
            mains.setdefault(bundle.name, []).append(bundle)
    groups: list[list[ClaudeBundle]] = []
    ids: list[set[int]] = []
    looked_into = [bundle for bundle in transcripts if any(file.mtime_ns >= since for file in bundle.files)]
    for bundle in looked_into:
        peeks = [look_at_ids(file) for file in bundle.transcripts()]
        bundle.heads = {root for file in bundle.transcripts() if (root := look(file).root) is not None}
        ids.append(set[int]().union(*(peek.all() for peek in peeks)))
        if bundle.kind is Kind.MAIN:
            bundle.heads |= {head for peek in peeks for head in peek.heads()}
            bundle.is_cut = any(peek.is_cut for peek in peeks)
            names = {name for peek in peeks for name in peek.sessions} - {bundle.name}
            bundle.named = names
            groups += [[bundle, *mains[name]] for name in names & mains.keys()]
    for group in [*groups, *_holders(looked_into, ids)]:
        for bundle in group:
            known = {id(peer) for peer in bundle.peers}
            bundle.peers += [other for other in group if other.id != bundle.id and id(other) not in known]
    for bundle in transcripts:
        bundle.peers.sort(key=lambda peer: (peer.id, peer.files[0].path))


def _holders(transcripts: list[ClaudeBundle], ids: list[set[int]]) -> Iterable[list[ClaudeBundle]]:
    """The groups of transcripts that share an id, each once. `ids` are the ids in each transcript."""
    repeated = _repeated(ids)
    holders: dict[int, list[ClaudeBundle]] = {}
    for bundle, own in zip(transcripts, ids, strict=True):
        for number in own & repeated:
            holders.setdefault(number, []).append(bundle)
    return {tuple(map(id, group)): group for group in holders.values()}.values()


def _repeated(sets: Iterable[set[int]]) -> set[int]:
    """The numbers that are in more than one of some sets."""
    known: set[int] = set()
    repeated: set[int] = set()
    for numbers in sets:
        repeated |= numbers & known
        known |= numbers
    return repeated


def _prompts_only(
    files: list[File], mains: dict[str, ClaudeBundle], root: Path, context: SourceContext
) -> list[ClaudeBundle]:
    """Sessions of which only typed lines are left. Other sessions get their own typed lines."""
    sessions: list[ClaudeBundle] = []
    for file in files:
        if file.role != find.HISTORY:
            continue
        history = History(file, root, [file for file in files if file.role == find.SESSION])
        for name, typed in history.sessions(context.peek(file, TypedLines, read_typed_lines)).items():
            if name in mains:
                mains[name].typed, mains[name].history = typed, history
                continue
            sessions.append(
                ClaudeBundle(
                    agent=AGENT, id=name, name=name, kind=Kind.PROMPTS, files=(file,), typed=typed, history=history
                )
            )
        if not sessions and history.notices:
            # Nothing could be read, but the notices must be reported.
            name = f"{hashlib.sha256(os.fsencode(file.path)).hexdigest()[:12]}-prompts"
            sessions.append(ClaudeBundle(agent=AGENT, id=name, kind=Kind.PROMPTS, files=(file,), history=history))
    return sessions


def bundle_of_file(path: Path, _context: SourceContext) -> ClaudeBundle:
    """The bundle of a file by its path, anywhere, with the files in the folder of its name."""
    agent = path.name.startswith("agent-")
    try:
        if path.name == "history.jsonl" or _is_history(path):
            file = stat_file(path, find.HISTORY)
            root = path.parent / "projects"
            history = History(
                file,
                root,
                [stat_file(inner, find.SESSION) for inner in sorted(root.glob("*/*.jsonl")) if not inner.is_symlink()],
            )
            by_session = history.sessions(read_typed_lines(file))
            name = next(iter(by_session), stem(str(path)))
            typed = [line for lines in by_session.values() for line in lines]
            return ClaudeBundle(
                agent=AGENT,
                id=name,
                name=name,
                kind=Kind.PROMPTS,
                files=(file,),
                typed=typed,
                history=history,
                asked=True,
            )
        file = stat_file(path, find.AGENT if agent else find.SESSION)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.") from error
    own = str(path).removesuffix(".jsonl")
    folder = _session_folder(str(path.resolve()))
    files = [file] if agent else [file, *(f for f in find.session_folder_files(own) if f.role != find.OUTPUT)]
    mains: dict[str, ClaudeBundle] = {}
    name = stem(str(path)).removeprefix("agent-") if agent else identity(file)
    bundle = ClaudeBundle(
        agent=AGENT,
        id=name,
        name=name,
        kind=Kind.SUBAGENT if agent else Kind.MAIN,
        files=(file,),
        folders=[folder or own],
        asked=True,
    )
    if agent:
        head = head_of(file)
        bundle.parent = display_path(os.path.basename(folder)) if folder is not None else head.last  # noqa: PTH119
        bundle.evidence = "its file lies in the session's folder" if folder else "its records carry the session's id"
        meta = Path(own + ".meta.json")
        if meta.is_file() and not meta.is_symlink():
            bundle.metas = (stat_file(meta, find.META),)
            bundle.files = (file, *bundle.metas)
        return bundle
    mains[name] = bundle
    agents = _agents(files)
    for child in agents:
        child.parent = name
    _attach_side_files(files, mains, agents)
    _adopt(mains, agents)
    return bundle


def _is_history(path: Path) -> bool:
    return path.suffix == ".jsonl" and path.name.startswith("history")


def recognizes(path: Path, head: bytes) -> bool:
    """Does the beginning of a file look like something Claude Code wrote?"""
    if path.suffix not in (".jsonl", ".json", "", ".txt", ".bak"):
        return False
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not start.startswith(b"{"):
        # A transcript whose first lines are garbage.
        return re.search(rb'\n[^\S\n]*+\{[^\n]*"parentUuid"', head) is not None
    if b'"parentUuid"' in head and (b'"sessionId"' in head or b'"uuid"' in head):
        return True
    if re.match(rb'\{\s*"type"\s*:\s*"(?:summary|queue-operation|file-history-snapshot|mode|custom-title)"', start):
        return b'"leafUuid"' in head or b'"sessionId"' in head or b'"snapshot"' in head
    if b'"display"' in head and b'"pastedContents"' in head:
        return True
    return path.name.startswith("agent-") and b'"isSidechain"' in head
