"""Groups files into sessions: copies, twins, stubs and parts are joined by their id."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from pollux.errors import Unreadable
from pollux.model import Kind
from pollux.sources.base import Bundle, File, SourceContext
from pollux.sources.gemini_sessions import find
from pollux.sources.gemini_sessions.bundle import GeminiBundle
from pollux.sources.gemini_sessions.identity import Identity, identity, stem
from pollux.sources.gemini_sessions.members import PROMPT, Logs, Member, members
from pollux.sources.gemini_sessions.projects.projects import Folder, Projects
from pollux.sources.gemini_sessions.prompts.prompt_log import PromptLog
from pollux.sources.typed_prompts import prompts_id
from pollux.sources.walk import stat_file
from pollux.wire import Malformed, Notes, plain


def bundles(agent: str, root: Path, files: Iterable[File], context: SourceContext) -> list[Bundle]:
    """The sessions of an agent under one root. A session that also lies under another root is the same in both."""
    own = list(files)
    elsewhere = context.other_files()
    around = _files_around(root, own, context)
    roots = {root: around, **elsewhere.joined}
    folders = _with_markers([folder for path in sorted(roots) for folder in _folders(path, roots[path])])
    projects = Projects(sorted(roots), context, [folder.marker for folder in folders if folder.marker is not None])
    logs = _logs(folders, context)
    left_out = {file.path for file in around} - {file.path for file in own}
    chats = members(folders, elsewhere.other, logs, context, left_out)
    _tie(chats, logs)
    mains, subagents = _with_copies(
        _mains((chat for chat in chats if not chat.is_subagent), projects, agent),
        _subagents((chat for chat in chats if chat.is_subagent), projects, agent),
    )
    _distinguish([*mains, *subagents])
    _divide_logs(mains, [log for _, log in logs.values()])
    _adopt(mains, subagents)
    checkpoints = _checkpoints(folders, projects, agent)
    children = (child for main in mains for child in main.children)
    all_bundles = [*mains, *children, *checkpoints, *_prompts_only(logs, mains, projects, agent)]
    if len(roots) == 1:
        return [*all_bundles]
    paths = {file.path for file in own}
    return [bundle for bundle in all_bundles if any(file.path in paths for file in bundle.files)]


def _files_around(root: Path, files: list[File], context: SourceContext) -> list[File]:
    """All files in the folders of some files, which may be only a part of them."""
    if context.root_files is None:
        return files
    above = os.path.join(root, "")  # noqa: PTH118
    own = {file.path for file in files}
    folders = tuple({folder + os.sep for path in own if (folder := _folder_of(above, path))})
    return [file for file in context.root_files if file.path in own or file.path.startswith(folders)]


def _tie(chats: Iterable[Member], logs: Logs) -> None:
    """Note the folders whose files depend on one another."""
    for folders, _ in logs.values():
        for folder in folders:
            folder.is_tied = True
    for chat in chats:
        if chat.is_damaged or not chat.named.own.is_whole:
            chat.folder.is_tied = chat.named.folder.is_tied = True


def _folders(root: Path, files: Iterable[File]) -> list[Folder]:
    """The projects' folders under a root."""
    by_folder: dict[str, list[File]] = {}
    above = os.path.join(root, "")  # noqa: PTH118 (`Path` takes as long as all the rest, for thousands of files)
    for file in files:
        if file.role != find.REGISTRY:
            by_folder.setdefault(_folder_of(above, file.path), []).append(file)
    return [Folder(path, members) for path, members in by_folder.items() if path]


def _with_markers(folders: list[Folder]) -> list[Folder]:
    """The folders. A folder without a note gets that of the folder with the same name under another root."""
    notes = {folder.name: folder.marker for folder in folders if folder.marker is not None}
    for folder in folders:
        if folder.marker is None and folder.name in notes:
            folder.mark(notes[folder.name])
    return folders


def _folder_of(above: str, path: str) -> str:
    """The project's folder a file lies in, below the root with this path; empty for a file that lies in none."""
    name, inside, _ = path[len(above) :].partition(os.sep) if path.startswith(above) else ("", "", "")
    return above + name if inside else ""


def _mains(chats: Iterable[Member], projects: Projects, agent: str) -> list[GeminiBundle]:
    """The main sessions."""
    bundles = _SessionsByName()
    for chat in chats:
        folder, _, own = chat.named
        project = own.project or folder.hash
        bundle = bundles.bundle((chat.name,), own, folder) or bundles.add(
            (chat.name,),
            own,
            folder,
            GeminiBundle(agent=agent, id=chat.name, hash=project, projects=projects, log=chat.log),
        )
        bundle.begun = min(filter(None, (bundle.begun, own.started)), default=None)
        chat.join(bundle)
    return bundles.all()


class _SessionsByName:
    """The sessions so far, by their names and projects."""

    def __init__(self) -> None:
        self._by_project: dict[tuple[str, ...], GeminiBundle] = {}
        self._by_folder: dict[tuple[str, ...], GeminiBundle] = {}

    def bundle(self, names: tuple[str, ...], own: Identity, folder: Folder) -> GeminiBundle | None:
        """The session that a file belongs to. A file without a project goes by the name of its folder."""
        namesake = self._by_folder.get((*names, folder.name)) if own.project is None else None
        return namesake or self._by_project.get((*names, _project(own, folder)))

    def add(self, names: tuple[str, ...], own: Identity, folder: Folder, bundle: GeminiBundle) -> GeminiBundle:
        """Add a session."""
        self._by_project[*names, _project(own, folder)] = bundle
        self._by_folder.setdefault((*names, folder.name), bundle)
        return bundle

    def all(self) -> list[GeminiBundle]:
        """All sessions."""
        return list(self._by_project.values())


def _project(own: Identity, folder: Folder) -> str:
    return own.project or folder.hash or folder.name


def _divide_logs(mains: list[GeminiBundle], logs: list[PromptLog]) -> None:
    """Give each log the sessions that have files, so that it can divide its lines among them."""
    for log in logs:
        own = [main for main in mains if main.log is log]
        log.sessions.update(main.id for main in own)
        # Logs in JSON Lines (0.39+) come from releases in which `/clear` begins another session.
        renewing = {main.id for main in own if any(".jsonl" in file.path for file in main.files)}
        log.divide({main.id: main.begun for main in own if main.begun is not None}, renewing)


def _in_project(name: str, bundle: GeminiBundle) -> str:
    return f"{name}@{(bundle.hash or 'unknown')[:8]}"


def _distinguish(members: list[GeminiBundle]) -> list[GeminiBundle]:
    """Users may choose ids (0.41+), even twice: the same id in another project gets the project's hash as a suffix.

    A session of an unknown project must not change the id of another one.
    """
    seen: set[str] = set()
    for bundle in sorted(members, key=lambda bundle: (bundle.id, bundle.hash is None, bundle.hash or "")):
        if bundle.id in seen:
            bundle.id = _in_project(bundle.id, bundle)
        seen.add(bundle.id)
    return members


def _subagents(chats: Iterable[Member], projects: Projects, agent: str) -> list[GeminiBundle]:
    """The bundles of sub-agents, with their parent's id. Copies in another folder of the project are joined."""
    subagents = _SessionsByName()
    for chat in chats:
        folder, file, own = chat.named
        parent, evidence = chat.name.partition(PROMPT)[0], "its id is that of a prompt of its parent"
        if file.role == find.SUBAGENT:
            parent = os.path.basename(os.path.dirname(file.path))  # noqa: PTH119, PTH120
            evidence = f"its file lies in the folder named by {parent}"
        bundle = subagents.bundle((chat.name, parent), own, folder) or subagents.add(
            (chat.name, parent),
            own,
            folder,
            GeminiBundle(
                agent=agent,
                id=chat.name,
                kind=Kind.SUBAGENT,
                parent=parent,
                evidence=evidence,
                hash=own.project or folder.hash,
                projects=projects,
            ),
        )
        chat.join(bundle)
    return subagents.all()


def _with_copies(
    mains: list[GeminiBundle], subagents: list[GeminiBundle]
) -> tuple[list[GeminiBundle], list[GeminiBundle]]:
    """The sessions, where a file may also lie in the other's place: people copy files into folders among the chats.

    A session that lies in the folder of another one is its sub-agent. If there is no other one, the folder is a copy.
    """
    by_place = {_place(main): main for main in mains}
    names = {main.id for main in mains}
    joined: set[tuple[str, str]] = set()
    own: list[GeminiBundle] = []
    for subagent in sorted(subagents, key=lambda subagent: subagent.parent not in names):
        place = _place(subagent)
        other = by_place.get(place)
        if subagent.parent in names - {subagent.id}:
            if other is not None and other.kind is Kind.MAIN:
                subagent.take(other)
                joined.add(place)
            by_place[place] = subagent
            own.append(subagent)
        elif other is not None:
            other.take(subagent)
        else:
            by_place[place] = subagent
            own.append(subagent)
    return [main for main in mains if _place(main) not in joined], own


def _place(bundle: GeminiBundle) -> tuple[str, str]:
    """The id of a session, and its project."""
    return bundle.id, bundle.hash or bundle.folders[0].name


def _adopt(mains: list[GeminiBundle], children: list[GeminiBundle]) -> None:
    """Give each sub-agent to its parent; without a parent it is a session of its own."""
    by_id = {main.id: main for main in mains}
    for child in children:
        parent_id = child.parent or ""
        parent = by_id.get(_in_project(parent_id, child)) or by_id.get(parent_id)
        if parent is None:
            mains.append(child)
        else:
            child.parent = parent.id
            parent.children = (*parent.children, child)


def _checkpoints(folders: Iterable[Folder], projects: Projects, agent: str) -> list[GeminiBundle]:
    """Saved conversations. A copy that a migration left in another folder of the project is the same checkpoint."""
    checkpoints: dict[tuple[str, str, int], GeminiBundle] = {}
    # Slug folders first: the name of the current folder is part of the id.
    for folder in sorted(folders, key=lambda folder: folder.name == folder.hash):
        for file in folder.files:
            if file.role != find.CHECKPOINT:
                continue
            place = os.path.relpath(file.path, folder.path)
            key = (folder.hash or folder.name, place, file.size)
            if key in checkpoints:
                checkpoints[key].files = (*checkpoints[key].files, file)
                checkpoints[key].folders = (*checkpoints[key].folders, folder)
                continue
            seed = f"{folder.name}/{place}".encode("utf-8", "surrogateescape")
            checkpoints[key] = GeminiBundle(
                agent=agent,
                id=f"{hashlib.sha256(seed).hexdigest()[:12]}-checkpoint",
                kind=Kind.CHECKPOINT,
                files=(file,),
                hash=folder.hash,
                folders=(folder,),
                projects=projects,
                tag=tag_of(file.path),
            )
    return list(checkpoints.values())


def tag_of(path: str) -> str | None:
    """The name under which the user saved a conversation."""
    name = os.path.basename(path)  # noqa: PTH119
    match = re.match(r"checkpoint-(.+)\.json\Z", name, re.DOTALL)
    return unquote(match.group(1)) if match else None


def _logs(folders: Iterable[Folder], context: SourceContext) -> Logs:
    """The logs of typed prompts, one a project: a migration copies the log too."""
    by_project: dict[str, list[Folder]] = {}
    for folder in folders:
        if any(file.role == find.PROMPTS for file in folder.files):
            by_project.setdefault(folder.hash or folder.name, []).append(folder)
    roles = (find.PROMPTS, find.SHELL)
    return {
        name: (group, PromptLog((f for folder in group for f in folder.files if f.role in roles), context))
        for name, group in by_project.items()
    }


def _prompts_only(logs: Logs, mains: list[GeminiBundle], projects: Projects, agent: str) -> list[GeminiBundle]:
    """Sessions of which only typed lines are left."""
    known = {(main.id, main.hash) for main in mains} | {(main.id, None) for main in mains}
    sessions: list[GeminiBundle] = []
    for folders, log in logs.values():
        # An unreadable log has no sessions, but its notices must be reported.
        if not log.lines and log.notices:
            name = prompts_id(folders[0].path.encode("utf-8", "surrogateescape"))
            log.lines[name] = []
        digest = folders[0].hash
        for session in log.lines:
            if (session, digest) in known or (session, None) in known:
                continue
            sessions.append(
                GeminiBundle(
                    agent=agent,
                    id=session,
                    kind=Kind.PROMPTS,
                    files=log.files,
                    hash=digest,
                    folders=tuple(folders),
                    projects=projects,
                    log=log,
                )
            )
    return _distinguish(sessions)


def bundle_of_file(agent: str, path: Path, context: SourceContext) -> GeminiBundle:
    """The bundle of a file by its path, anywhere."""
    try:
        file = stat_file(path, find.SESSION)
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.") from error
    own = identity(file)
    name, project = own.id, own.project
    folder = _enclosing(path)
    projects = Projects([Path(folder.path).parent if folder is not None else path.parent], context)
    if name is None:
        digest = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:12]
        name = f"{digest}-{'checkpoint' if tag_of(str(path)) else stem(str(path)) or 'file'}"
    return GeminiBundle(
        agent=agent,
        id=name,
        files=(file,),
        hash=project or (folder.hash if folder is not None else None),
        folders=(folder,) if folder is not None else (),
        projects=projects,
        tag=tag_of(str(path)),
        asked=True,
    )


def _enclosing(path: Path) -> Folder | None:
    """The project's folder above a file, if there is one: it may hold large outputs and the project's path."""
    for parent in list(path.resolve().parents)[:3]:
        if (parent / ".project_root").is_file() or (parent.parent.name == "tmp" and (parent / "chats").is_dir()):
            return Folder(str(parent), find.in_project(str(parent)))
    return None


def recognizes(path: Path, head: bytes) -> bool:
    """Does the beginning of a file look like something Gemini CLI wrote?"""
    if b'"projectHash"' in head or b'"$set"' in head[:200]:
        return True
    if b'"sessionId"' in head[:200] and re.search(rb'"(?:startTime|lastUpdated|messages)"', head):
        return True
    if re.search(rb'"history"\s*:|"clientHistory"\s*:|"role"\s*:\s*"(?:user|model)"', head) and b'"parts"' in head:
        return True
    if (
        path.name.startswith(("session-", "checkpoint"))
        and path.suffix in (".json", ".jsonl")
        and head.lstrip()[:1] in (b"{", b"[")
    ):
        return True
    if head.lstrip()[:1] == b"[" and re.search(rb'"messageId"\s*:', head) and b'"message"' in head:
        return True
    try:
        first = plain(head.split(b"\n", 1)[0], Notes())
    except Malformed:
        first = None
    if (
        isinstance(first, dict)
        and first.get("type") in ("init", "message")
        and ("session_id" in first or "role" in first)
    ):
        return True
    return re.search(rb'"response"\s*:|"stats"\s*:', head) is not None and head.lstrip()[:1] == b"{"
