"""Sub-agents: the calls that started them, and those of 1.0 in their parent's transcript."""

from __future__ import annotations

from typing import Any

import msgspec

from pollux.errors import Unreadable
from pollux.sources.base import File
from pollux.sources.claude.format.schema import ClientRecord, Line
from pollux.sources.claude.format.side_records import SubagentMeta
from pollux.sources.claude.format.tools import SPAWNS
from pollux.sources.claude.group import AGENT, ClaudeBundle
from pollux.sources.claude.messages.authors import task_notices, texts_of
from pollux.sources.claude.messages.client_messages import queued
from pollux.sources.claude.messages.replies import Pair
from pollux.sources.claude.transcript import Transcript
from pollux.system.files import HUGE
from pollux.wire import Malformed, Notes, decode, read_bytes, read_lines


class Chain(msgspec.Struct):
    """A sub-agent's lines inside its parent's transcript (1.0)."""

    id: str
    lines: list[Pair]

    @property
    def task(self) -> str:
        """The task that the parent gave."""
        return task_of([line for _, line in self.lines])


def task_of(lines: list[Line]) -> str:
    """The words of the first user's record."""
    first = next((line for line in lines if line.type == "user" and line.message is not None), None)
    return texts_of(first.message.content).strip() if first is not None and first.message is not None else ""


def split_chains(lines: list[Pair], name: str) -> tuple[list[Pair], list[Chain]]:
    """The session's own lines, and the chains of sub-agents among them. Each chain has its own root."""
    own: list[Pair] = []
    chains: dict[str, Chain] = {}
    by_uuid: dict[str, Chain] = {}
    for pair in lines:
        number, line = pair
        if not line.isSidechain:
            own.append(pair)
            continue
        chain = chains.get(line.agentId or "") or by_uuid.get(line.parentUuid or "")
        if chain is None:
            suffix = line.agentId or (line.uuid or f"line{number}")[:8]
            while suffix in chains:
                suffix = f"{suffix}-{number}"
            chain = chains[suffix] = Chain(f"{name}-{suffix}", [])
        chain.lines.append(pair)
        if line.uuid is not None:
            by_uuid[line.uuid] = chain
    return own, list(chains.values())


class StartedSessions:
    """Which call started which sub-agent, by the best evidence first. `by_call` has the keys of sessions."""

    def __init__(self, bundle: ClaudeBundle, transcripts: list[Transcript], chains: list[Chain]) -> None:
        # Inherited calls started sub-agents of the parent.
        others = [child for peer in bundle.peers for child in peer.children]
        self._keys = {child.name: child.key for child in [*others, *bundle.children, *bundle.siblings]}
        self.by_call: dict[str, str] = {}
        if not self._keys and not chains:
            return
        lines = [line for transcript in transcripts for _, line in transcript.lines]
        for child in [*bundle.children, *bundle.siblings]:
            for file in child.metas:
                meta = read_meta(file, Notes())
                if meta is not None and meta.toolUseId is not None:
                    self._add(meta.toolUseId, child.name)
        for line in lines:
            self._from_line(line)
        for transcript in transcripts:
            for step in transcript.prompts_of_queue():
                self._from_notice(step.content or "")
        self._by_task(lines, bundle, chains)

    def parent_call(self, key: str) -> str | None:
        """The call that started a session."""
        return next((call for call, child in self.by_call.items() if child == key), None)

    def _add(self, call: Any, name: Any) -> None:
        if type(call) is str and type(name) is str and name in self._keys:
            self.by_call.setdefault(call, self._keys[name])

    def _from_line(self, line: Line) -> None:
        detail = line.toolUseResult
        if type(detail) is dict and "agentId" in detail and line.message is not None:
            for block in line.message.content if type(line.message.content) is list else ():
                if block.tool_use_id is not None:
                    self._add(block.tool_use_id, detail["agentId"])
        elif type(line) is ClientRecord:
            if type(line.data) is dict:
                self._add(line.parentToolUseID, line.data.get("agentId"))
            elif line.attachment is not None:
                self._from_notice(texts_of(queued(line.attachment)))
        elif line.type == "user" and line.message is not None:
            self._from_notice(texts_of(line.message.content))

    def _from_notice(self, text: str) -> None:
        for notice in task_notices(text):
            self._add(notice.get("tool-use-id"), notice.get("task-id"))

    def _by_task(self, lines: list[Line], bundle: ClaudeBundle, chains: list[Chain]) -> None:
        """Match by words: the task in a call, and the first words of a sub-agent (the only way in 1.0)."""
        unmatched = [(f"{AGENT}:{chain.id}", chain.task) for chain in chains]
        matched = set(self.by_call.values())
        unmatched += [(child.key, _first_words(child)) for child in bundle.children if child.key not in matched]
        for line in lines if unmatched else ():
            content = line.message.content if line.message is not None and line.type == "assistant" else None
            for block in content if type(content) is list else ():
                if block.name in SPAWNS and block.id is not None and block.id not in self.by_call:
                    task = block.input.get("prompt") if type(block.input) is dict else None
                    match = next(
                        (candidate for candidate in unmatched if type(task) is str and candidate[1] == task.strip()),
                        None,
                    )
                    if match is not None:
                        unmatched.remove(match)
                        self.by_call[block.id] = match[0]


def _first_words(child: ClaudeBundle) -> str:
    """The task of a sub-agent with its own file."""
    for file in child.transcripts():
        try:
            for _, raw in read_lines(file.path):
                line = decode(Line, raw, Notes())
                if line is not None and line.type == "user":
                    return task_of([line])
        except (Unreadable, Malformed):
            continue
    return ""


def read_meta(file: File, notes: Notes) -> SubagentMeta | None:
    """The client's file about a sub-agent."""
    try:
        return decode(SubagentMeta, read_bytes(file.path), notes, "meta.json")
    except (Unreadable, Malformed):
        return None


def starting_session(bundle: ClaudeBundle, meta: SubagentMeta | None) -> str | None:
    """The id of the session that started a sub-agent: its session, or another sub-agent of it (2.1.325)."""
    if meta is not None and meta.toolUseId is not None and (meta.spawnDepth or 0) > 1:
        call = meta.toolUseId.encode()
        for sibling in bundle.siblings:
            for file in sibling.transcripts():
                try:
                    if call in read_bytes(file.path, HUGE):
                        return sibling.id
                except Unreadable:
                    continue
    return bundle.parent
