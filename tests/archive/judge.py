"""Whether an agent would resume a file, by what the notes on its format say: from the bytes alone, without pollux."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import zstandard

Record = dict[str, Any]


def records(file: Path, raw: bytes) -> list[Record]:
    """Every line is a JSON object, and ends."""
    assert raw.endswith(b"\n"), f"{file}: the next record would be glued to the last one"
    document = [json.loads(line) for line in raw.split(b"\n") if line.strip()]
    assert all(isinstance(record, dict) for record in document), file
    return document


# ---------------------------------------------------------------------- Gemini CLI

CHAT = re.compile(r"session-\d{4}-\d\d-\d\dT\d\d-\d\d-(?P<id>[A-Za-z0-9_-]{1,8})\.jsonl?")


def gemini(file: Path) -> list[str]:
    """The ids of the messages that Gemini CLI would resume with."""
    project = file.parent.parent
    answer, messages = _document(file) if file.suffix == ".json" else _replayed(file)
    subagent = file.parent.name != "chats"
    if subagent:
        assert file.stem == answer["sessionId"], file
        project = project.parent
    else:
        named = CHAT.fullmatch(file.name)
        assert named is not None, file
        assert re.sub(r"[^A-Za-z0-9_-]", "_", answer["sessionId"])[:8] == named["id"], file
    assert answer.get("kind", "main") in ("main", "subagent"), file
    if re.fullmatch("[0-9a-f]{64}", project.name):
        assert answer["projectHash"] == project.name, file
    else:
        marker = (project / ".project_root").read_bytes()
        assert hashlib.sha256(marker).hexdigest() == answer["projectHash"], file
        assert re.fullmatch("[a-z0-9-]+", project.name), file
    for message in messages.values():
        assert message["type"] in ("user", "gemini", "info", "warning", "error"), file
        assert isinstance(message["timestamp"], str), file
        assert "content" in message, file
    return list(messages)


def _document(file: Path) -> tuple[Record, dict[str, Record]]:
    document = json.loads(file.read_bytes())
    messages = document["messages"]
    assert messages, f"{file}: the CLI writes none without messages"
    assert len({message["id"] for message in messages}) == len(messages), file
    assert isinstance(document["startTime"], str), file
    assert isinstance(document["lastUpdated"], str), file
    return document, {message["id"]: message for message in messages}


def _replayed(file: Path) -> tuple[Record, dict[str, Record]]:
    """The loader's own way: a rewind, a message, a change, a header."""
    answer: Record = {}
    messages: dict[str, Record] = {}
    for record in records(file, file.read_bytes()):
        if isinstance(record.get("$rewindTo"), str):
            order = list(messages)
            keep = order.index(record["$rewindTo"]) if record["$rewindTo"] in messages else 0
            messages = {name: messages[name] for name in order[:keep]}
        elif isinstance(record.get("id"), str):
            messages[record["id"]] = record
        elif isinstance(record.get("$set"), dict):
            answer |= {key: value for key, value in record["$set"].items() if key != "messages"}
            if isinstance(record["$set"].get("messages"), list):
                messages = {message["id"]: message for message in record["$set"]["messages"]}
        elif isinstance(record.get("sessionId"), str) and isinstance(record.get("projectHash"), str):
            answer |= {key: value for key, value in record.items() if key != "messages"}
            messages |= {message["id"]: message for message in record.get("messages", ())}
    assert {"sessionId", "projectHash", "startTime"} <= answer.keys(), file
    return answer, messages


# ---------------------------------------------------------------------- Claude Code


def claude(file: Path) -> list[str]:
    """The ids of the records from the last one to its root, in their order."""
    result = records(file, file.read_bytes())
    tree = [record for record in result if isinstance(record.get("uuid"), str)]
    by_id = {record["uuid"]: record for record in tree}
    assert len(by_id) == len(tree), f"{file}: a record stands twice"
    if not file.name.startswith("agent-"):
        assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", file.stem), file
        assert any(record.get("sessionId") == file.stem for record in result), file
        began = next(record["cwd"] for record in tree if "cwd" in record)
        name = re.sub(r"[^A-Za-z0-9]", "-", began)
        assert file.parent.name in (name, f"{name[:200]}-{file.parent.name[201:]}"), file
    for record in tree:
        parent = record.get("parentUuid")
        assert parent is None or parent in by_id, f"{file}: the chain to the root is broken at {record['uuid']}"
    spoken = [record for record in tree if record["type"] in ("user", "assistant")]
    assert spoken, file
    chain, at = [], spoken[-1]["uuid"]
    while at is not None:
        assert at not in chain, f"{file}: the chain goes in a circle"
        chain.append(at)
        at = by_id[at].get("parentUuid")
    return chain[::-1]


# ---------------------------------------------------------------------- Codex CLI

ROLLOUT = re.compile(
    r"rollout-(?P<day>\d{4}-\d\d-\d\d)(?:T\d\d-\d\d-\d\d)?-(?P<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
    r"(?:_[0-9a-f-]{36})?\.(?:jsonl(?:\.zst)?|json)"
)


def codex(file: Path) -> list[str]:
    """The lines of a rollout, as text."""
    named = ROLLOUT.fullmatch(file.name)
    assert named is not None, file
    days = file.parent.parts[-3:]
    assert file.parent.name in ("sessions", "archived_sessions") or "-".join(days) == named["day"], file
    if file.suffix == ".json":
        document = json.loads(file.read_bytes())
        assert document["session"]["id"] == named["id"], file
        return [json.dumps(item) for item in document["items"]]
    raw = file.read_bytes()
    if file.suffix == ".zst":
        raw = zstandard.ZstdDecompressor().decompressobj().decompress(raw)
    # Before it goes on, Codex ends a last line that has no end.
    first, *rest = records(file, raw if raw.endswith(b"\n") else raw + b"\n")
    meta = first["payload"] if first.get("type") == "session_meta" else first
    assert meta["id"] == named["id"], f"{file}: the first line does not tell whose it is"
    ordinals = [record["ordinal"] for record in rest if "ordinal" in record]
    assert ordinals == sorted(set(ordinals)), f"{file}: the lines are out of order"
    return [json.dumps(record) for record in rest]


# ---------------------------------------------------------------------- Copilot CLI


def copilot(file: Path) -> list[str]:
    """The ids of the events, in their order."""
    events = records(file, file.read_bytes())
    first = events[0]
    assert first["type"] == "session.start", f"{file}: the first event does not tell whose it is"
    assert first["data"]["sessionId"] == file.parent.name, file
    ids = [event["id"] for event in events]
    assert len(ids) == len(set(ids)), f"{file}: an event stands twice"
    return ids


# ---------------------------------------------------------------------- Qwen Code


def qwen(file: Path) -> list[str]:
    """The ids of the records from the last one to the first that is there, in their order."""
    result = records(file, file.read_bytes())
    by_id = {record["uuid"]: record for record in result}
    assert len(by_id) == len(result), f"{file}: a record stands twice"
    if not file.name.startswith("agent-"):
        assert {record["sessionId"] for record in result} == {file.stem}, file
        assert file.parent.name == "chats", f"{file}: it does not resume what is archived"
        names = {re.sub(r"[^A-Za-z0-9]", "-", record["cwd"]) for record in result}
        assert file.parent.parent.name in names, file
    chain: list[str] = []
    at = result[-1]["uuid"]
    while at in by_id:
        assert at not in chain, f"{file}: the chain goes in a circle"
        chain.append(at)
        at = by_id[at]["parentUuid"]
    return chain[::-1]


# ---------------------------------------------------------------------- OpenCode

FIGURES = {"input", "output", "reasoning", "cache"}
KINDS = {
    "session": {"id", "slug", "projectID", "directory", "title", "version", "time"},
    "user": {"id", "sessionID", "time", "agent", "model"},
    "assistant": {"id", "sessionID", "time", "parentID", "modelID", "providerID", "mode", "path", "cost", "tokens"},
    "text": {"text"},
    "reasoning": {"text", "time"},
    "tool": {"callID", "tool", "state"},
    "file": {"mime", "url"},
    "step-finish": {"reason", "cost", "tokens"},
    "completed": {"input", "output", "title", "metadata", "time"},
    "error": {"input", "error", "time"},
}
"""What `opencode import` insists on."""


def opencode(file: Path) -> list[str]:
    """The ids of the messages that OpenCode would import, in their order."""
    document = json.loads(file.read_bytes())
    info = document["info"]
    assert info["id"] == file.stem, file
    _has(info, "session", file)
    ids = []
    for message in document["messages"]:
        own = message["info"]
        _has(own, own["role"], file)
        assert own["sessionID"] == info["id"], file
        for part in message["parts"]:
            assert {"id", "sessionID", "messageID"} <= part.keys(), file
            assert (part["sessionID"], part["messageID"]) == (info["id"], own["id"]), file
            _has(part, part["type"], file)
            if part["type"] == "tool":
                _has(part["state"], part["state"]["status"], file)
        ids.append(own["id"])
    return ids


def _has(record: Record, kind: str, file: Path) -> None:
    assert KINDS.get(kind, set()) <= record.keys(), f"{file}: {kind} lacks {KINDS[kind] - record.keys()}"
    figures = record.get("tokens")
    if figures is not None:
        assert figures.keys() >= FIGURES, f"{file}: {kind}"
        assert figures["cache"].keys() == {"read", "write"}, f"{file}: {kind}"


def judged(folder: Path) -> dict[Path, list[str]]:
    """Every transcript below a folder that stands for an agent's home."""
    result: dict[Path, list[str]] = {}
    for file in sorted(folder.rglob("*.json*")):
        if file.name == "events.jsonl":
            result[file] = copilot(file)
        elif "projects" in file.parts and ("chats" in file.parts or file.name.startswith("agent-")) and _is_qwens(file):
            result[file] = qwen(file)
        elif "chats" in file.parts:
            result[file] = gemini(file)
        elif "projects" in file.parts and file.suffix == ".jsonl":
            result[file] = claude(file)
        elif file.name.startswith("rollout-"):
            result[file] = codex(file)
    return result


def _is_qwens(file: Path) -> bool:
    """Claude Code has files with such names, too, but writes its messages otherwise."""
    first = json.loads(file.read_bytes().partition(b"\n")[0]) if file.suffix == ".jsonl" else {}
    return first.get("type") == "system" or "parts" in first.get("message", {})
