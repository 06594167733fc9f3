"""Which files belong to one session: its transcript, its sub-agents', its large outputs, the forks it shares with."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from pollux.errors import Unreadable
from pollux.model import Kind
from pollux.sources.base import Bundle, File, SourceContext, fingerprint_of, unchanged
from pollux.sources.claude import find
from pollux.sources.claude.format.peek import Head, Roots, head_of, roots_of
from pollux.sources.claude.history import History, Kept, Typing, kept
from pollux.sources.walk import stat_file
from pollux.wire import display_path

AGENT = "claude"
UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")


class ClaudeBundle(Bundle, kw_only=True):
    """The files of one session and what lies around them.

    `name` is the id that its own records carry; `folders` are the folders named by the session. `peers` are
    transcripts that have one of `roots` in common with it; `summaries` are titles that later sessions gave to earlier
    ones.
    """

    kind: Kind = Kind.MAIN
    name: str = ""
    folders: list[str] = []
    parent: str | None = None
    evidence: str = ""
    children: list[ClaudeBundle] = []
    siblings: list[ClaudeBundle] = []
    peers: list[ClaudeBundle] = []
    roots: set[str] = set()
    metas: tuple[File, ...] = ()
    titles: tuple[File, ...] = ()
    summaries: dict[str, str] = {}
    typed: list[Typing] = []
    history: History | None = None
    depends_on: dict[str, str] = {}
    parent_files: list[str] = []

    def fingerprint(self) -> str:
        """Its own files, those of its relatives, what others call it, and the lines that were typed in it.

        Where nothing but typed lines is left, it also tells what was noticed about their log.
        """
        said = [self.id, self.kind, self.parent or "", *sorted(self.summaries.values())]
        said += [f"{line.number}\n{line.text}\n{line.at}\n{line.project}" for line in self.typed]
        if self.kind is Kind.PROMPTS:
            if self.history is not None:
                said += self.history.witnesses(self.typed, self.id)
                said += map(repr, self.history.notices)
            return fingerprint_of(said)
        relatives = [*self.children, *self.siblings, *self.peers]
        files = [*self.files, *(file for other in relatives for file in other.files)]
        return fingerprint_of(
            [*said, *(other.id for other in relatives), *(f"{file.path}\n{file.stamp}" for file in files)]
        )

    def dependencies(self) -> bytes:
        """Outputs in files of their own."""
        return msgspec.msgpack.encode(self.depends_on) if self.depends_on else b""

    def related_files(self) -> list[str]:
        """The transcripts of the session it was forked from."""
        return self.parent_files

    def is_current(self, dependencies: bytes, stamps: Mapping[str, str]) -> bool:
        """Are they as they were?"""
        return not dependencies or unchanged(dependencies, stamps)

    def group_keys(self) -> list[str] | None:
        """The projects' folders, whose sessions give one another titles; a parent, first records, a like id.

        Typed lines whose session nobody wrote down are looked for in all transcripts. Those of the others stand in one
        log, which ties their sessions together.
        """
        if self.kind is Kind.PROMPTS and self.id.endswith("-prompts"):
            return None
        relatives = (self.name, *((self.parent,) if self.parent else ()))
        return [
            *(os.path.dirname(folder) for folder in self.folders),  # noqa: PTH120
            *(f"{self.agent}:{id}" for id in relatives),
            *(f"begins with {root}" for root in self.roots),
            *((self.history.file.path,) if self.history is not None else ()),
        ]

    def companions(self) -> list[str]:
        """The transcripts that it has a beginning in common with: they tell which of its words are inherited."""
        return [display_path(file.path) for peer in self.peers for file in peer.files]

    def transcripts(self) -> list[File]:
        """The files that hold lines of the conversation."""
        return [file for file in self.files if file.role in (find.SESSION, find.AGENT)]


RootScan = Callable[[File], Head]
"""A glance at a file's head."""


def bundles(root: Path, files: Iterable[File], around: SourceContext) -> list[Bundle]:
    """The sessions under one root. One that also lies under another is the same in both."""
    own = list(files)
    beside = around.other_files()
    listed = [*own, *beside.files()]

    def look(file: File) -> Head:
        return around.peek(file, Head, head_of)

    mains = _mains(listed, look)
    agents = _agents(listed, look)
    _companions(listed, mains, agents)
    _adopt(mains, agents)
    others = [*_mains(beside.other, look).values(), *_agents(beside.other, look)]
    _introduce([*mains.values(), *agents, *others], look, lambda file: around.peek(file, Roots, roots_of))
    paths = {file.path for file in own}
    here = [one for one in (*mains.values(), *agents) if any(file.path in paths for file in one.files)]
    alone = _alone(own, {one.id: one for one in here if one.kind is Kind.MAIN}, root, around)
    return [*here, *alone]


def _mains(files: list[File], look: RootScan) -> dict[str, ClaudeBundle]:
    """Transcripts by their ids; the same id in two folders is one session that moved."""
    found: dict[str, ClaudeBundle] = {}
    summaries: dict[str, dict[str, str]] = {}
    for file in files:
        if file.role != find.SESSION:
            continue
        folder = os.path.dirname(file.path)  # noqa: PTH120
        titles = summaries.setdefault(folder, {})
        titles.update(look(file).summaries)
        name = identity(file, look)
        bundle = found.get(name)
        if bundle is None:
            bundle = found[name] = ClaudeBundle(agent=AGENT, id=name, name=name, summaries=titles)
        bundle.files = (*bundle.files, file)
        bundle.folders = [*bundle.folders, file.path.removesuffix(".jsonl")]
    for bundle in found.values():
        if len(bundle.files) > 1:
            bundle.files = tuple(sorted(bundle.files, key=lambda file: (-file.size, file.path)))
            for file in bundle.files:
                bundle.summaries = {**summaries[os.path.dirname(file.path)], **bundle.summaries}  # noqa: PTH120
    return found


def identity(file: File, look: RootScan = head_of) -> str:
    """A session's id is its file's name; a file that was renamed goes by what its records say."""
    name = stem(file.path)
    if UUID.match(name):
        return name
    head = look(file)
    return head.last or head.first or name


def stem(path: str) -> str:
    """A file's name without its ending."""
    return display_path(os.path.basename(path)).removesuffix(".jsonl")  # noqa: PTH119


def _agents(files: list[File], look: RootScan = head_of) -> list[ClaudeBundle]:
    """Sub-agents' files, each with the session it belongs to: by its folder, or by its last record (2.0)."""
    found: dict[tuple[str, str], ClaudeBundle] = {}
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
        bundle = found.get((name, parent))
        if bundle is None:
            bundle = found[name, parent] = ClaudeBundle(
                agent=AGENT, id=name, name=name, kind=Kind.SUBAGENT, parent=parent or None, evidence=evidence
            )
        bundle.files = (*bundle.files, file)
        own = folder or os.path.join(os.path.dirname(file.path), parent)  # noqa: PTH118, PTH120
        bundle.folders = [*bundle.folders, own]
    return _told_apart(list(found.values()))


def _told_apart(found: list[ClaudeBundle]) -> list[ClaudeBundle]:
    """Sub-agents have short ids, and one may come up again in another session."""
    seen: set[str] = set()
    for bundle in sorted(found, key=lambda bundle: (bundle.id, bundle.parent or "")):
        if bundle.id in seen:
            bundle.id = f"{bundle.id}@{(bundle.parent or 'unknown')[:8]}"
        seen.add(bundle.id)
    return found


def _session_folder(path: str) -> str | None:
    """The session's folder above a sub-agent's file; None for a file that lies beside the sessions."""
    inner, above = path, os.path.dirname(path)  # noqa: PTH120
    while os.path.basename(above) not in ("", "subagents") and above != inner:  # noqa: PTH119
        inner, above = above, os.path.dirname(above)  # noqa: PTH120
    return os.path.dirname(above) if os.path.basename(above) == "subagents" else None  # noqa: PTH119, PTH120


def _companions(files: list[File], mains: dict[str, ClaudeBundle], agents: list[ClaudeBundle]) -> None:
    """What the client wrote beside a transcript: a title, what a sub-agent was started for."""
    by_folder = {folder: main for main in mains.values() for folder in main.folders}
    by_path = {file.path: agent for agent in agents for file in agent.files}
    for file in files:
        if file.role == find.TITLE and (main := by_folder.get(os.path.dirname(file.path))):  # noqa: PTH120
            main.titles = (*main.titles, file)
            main.files = (*main.files, file)
        elif file.role == find.META and (agent := by_path.get(file.path.removesuffix(".meta.json") + ".jsonl")):
            agent.metas = (*agent.metas, file)
            agent.files = (*agent.files, file)


def _adopt(mains: dict[str, ClaudeBundle], agents: list[ClaudeBundle]) -> None:
    """Give each sub-agent to its session, and to the other sub-agents there: one of them may have started it."""
    families: dict[str, list[ClaudeBundle]] = {}
    for agent in agents:
        families.setdefault(agent.parent or "", []).append(agent)
    for name, family in families.items():
        if name in mains:
            mains[name].children = family
        for agent in family:
            agent.siblings = [other for other in family if other is not agent]


def _introduce(found: list[ClaudeBundle], look: RootScan, roots: Callable[[File], Roots]) -> None:
    """Transcripts that have a root in common know one another, wherever they lie: one of them is the other's fork."""
    by_root: dict[str, list[ClaudeBundle]] = {}
    for bundle in found:
        heads = {head.root for file in bundle.transcripts() if (head := look(file)).root is not None}
        bundle.roots = heads - {None}
        for root in bundle.roots.union(*(roots(file).ids for file in bundle.transcripts())):
            by_root.setdefault(root, []).append(bundle)
    for root, group in by_root.items():
        for bundle in group if len(group) > 1 else ():
            bundle.roots.add(root)
            known = {id(peer) for peer in bundle.peers}
            bundle.peers += [other for other in group if other.id != bundle.id and id(other) not in known]
            bundle.peers.sort(key=lambda peer: (peer.id, peer.files[0].path))


def _alone(files: list[File], mains: dict[str, ClaudeBundle], root: Path, around: SourceContext) -> list[ClaudeBundle]:
    """Sessions of which only typed lines are left; those of others are theirs, who may have lost some."""
    found: list[ClaudeBundle] = []
    for file in files:
        if file.role != find.HISTORY:
            continue
        history = History(file, root, [file for file in files if file.role == find.SESSION])
        for name, typed in history.sessions(around.peek(file, Kept, kept)).items():
            if name in mains:
                mains[name].typed, mains[name].history = typed, history
                continue
            found.append(
                ClaudeBundle(
                    agent=AGENT, id=name, name=name, kind=Kind.PROMPTS, files=(file,), typed=typed, history=history
                )
            )
        if not found and history.notices:
            # Nothing could be read, but somebody must say so.
            name = f"{hashlib.sha256(os.fsencode(file.path)).hexdigest()[:12]}-prompts"
            found.append(ClaudeBundle(agent=AGENT, id=name, kind=Kind.PROMPTS, files=(file,), history=history))
    return found


def bundle_of_file(path: Path, _around: SourceContext) -> ClaudeBundle:
    """A file handed over by path, wherever it lies, with what lies in the folder of its name."""
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
            held = history.sessions(kept(file))
            name = next(iter(held), stem(str(path)))
            typed = [one for lines in held.values() for one in lines]
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
    files = [file] if agent else [file, *(f for f in find.beside(own) if f.role != find.OUTPUT)]
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
    _companions(files, mains, agents)
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
