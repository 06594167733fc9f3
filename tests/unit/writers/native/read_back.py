"""Places written sessions where their agents keep them, and reads them as pollux reads any home."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from pollux.library.library import Filter, Library
from pollux.model import Fate, Session, Text, ToolCall
from pollux.writers.native.conversation import AnsweredCall, Conversation, NativeFormat, Words


def place(target: NativeFormat, conversation: Conversation, home: Path) -> Path:
    """Write a conversation where its agent looks for it."""
    id, time = conversation.id, "2026-11-16T10-00"
    dashed = re.sub(r"[^A-Za-z0-9]", "-", conversation.folder)
    slug = re.sub(r"[^a-z0-9]+", "-", Path(conversation.folder).name.lower()) or "root"
    file = {
        "gemini": home / ".gemini" / "tmp" / slug / "chats" / f"session-{time}-{id[:8]}.jsonl",
        "claude": home / ".claude" / "projects" / dashed / f"{id}.jsonl",
        "opencode": home / ".local" / "share" / "opencode" / "import" / f"{id}.json",
        "copilot": home / ".copilot" / "session-state" / id / "events.jsonl",
        "qwen": home / ".qwen" / "projects" / dashed / "chats" / f"{id}.jsonl",
        "codex": home / ".codex" / "sessions" / "2026" / "11" / "16" / f"rollout-{time}-00-{id}.jsonl",
    }[target.agent]
    file.parent.mkdir(parents=True, exist_ok=True)
    if target.agent == "gemini":
        (file.parent.parent / ".project_root").write_text(conversation.folder)
    file.write_text("".join(target.lines(conversation)), "utf-8")
    return file


def read(home: Path, folder: Path) -> dict[str, Session]:
    """The sessions of a home, by id."""
    own = {f"XDG_{name}_HOME": str(folder / name) for name in ("CACHE", "DATA", "CONFIG")}
    with Library({"HOME": str(home), **own}, folder, hunt=False) as library:
        return {session.id: session for session in library.sessions(Filter(everything=True))}


def written_words(conversation: Conversation) -> list[str]:
    """What a conversation says, in order: its note, words, calls and results."""
    words = [conversation.note]
    for turn in conversation.turns:
        for piece in turn.pieces:
            if isinstance(piece, Words):
                words.append(piece.text)
            elif isinstance(piece, AnsweredCall):
                words += [piece.name, piece.output]
    return words


def read_words(session: Session) -> list[str]:
    """What a session says, in order."""
    words: list[str] = []
    for message in session.messages:
        if message.fate is Fate.LIVE:
            for part in message.parts:
                if isinstance(part, Text):
                    words.append(part.text)
                elif isinstance(part, ToolCall):
                    words += [part.name, part.output or ""]
    return words


def difference(written: Iterable[str], read: Iterable[str]) -> tuple[str, str] | None:
    """The first place where what was read is not what was written, apart from marks that a target needs."""
    one = "\n".join(written)
    other = "\n".join(read)
    left, right = (_plain(text) for text in (one, other))
    if left == right:
        return None
    place = next((n for n, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    return left[place - 60 : place + 90], right[place - 60 : place + 90]


def _plain(text: str) -> str:
    return re.sub(r"\s+", "", text.replace("[failed]\n", "").replace("Prompt: ", ""))
