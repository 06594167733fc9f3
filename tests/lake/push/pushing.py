"""A machine that pushes, and what then lies in the lake."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import zstandard

from pollux.lake.documents import Document, News, NewsEntry, decode, read_as
from pollux.lake.permissions import EVERYTHING, Permission, Permissions
from pollux.lake.push import Pusher
from pollux.lake.send import PushOutcome
from pollux.lake.settings import push_settings
from pollux.lake.store import Store, open_store
from pollux.library.library import Library
from pollux.system.directories import Places


class Machine:
    """A home, the sessions in it, and a pollux that pushes them."""

    def __init__(self, folder: Path, person: str = "ada") -> None:
        self.home = folder / "home"
        self.person = person
        self._lines = 0
        (self.home / ".gemini").mkdir(parents=True, exist_ok=True)
        self.environ = {"HOME": str(self.home)}
        self.environ |= {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CACHE", "CONFIG", "DATA")}
        self.places = Places(self.environ)

    def talk(self, name: str, *texts: str, project: str = "weather") -> str:
        """Write a session, or go on with one. Returns its key."""
        folder = self.home / ".gemini" / "tmp" / project
        file = folder / "chats" / f"session-{name}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        (folder / ".project_root").write_text(f"/home/ada/code/{project}")
        with file.open("a") as out:
            if not out.tell():
                header = {
                    "sessionId": name,
                    "projectHash": "0" * 64,
                    "startTime": "2026-11-14T08:00:00Z",
                    "kind": "main",
                }
                out.write(json.dumps(header) + "\n")
            for text in texts:
                self._lines += 1
                at = f"2026-11-14T09:{self._lines // 60 % 60:02d}:{self._lines % 60:02d}.000Z"
                line = {"id": f"{name}-{self._lines}", "timestamp": at, "type": "user", "content": text}
                out.write(json.dumps(line) + "\n")
        return f"gemini:{name}"

    def allow(self, path: str = EVERYTHING, **how: Any) -> None:
        """Allow a project, or everything."""
        Permissions(self.places.lake).allow(Permission(path=path, **how))

    def settings(self, text: str) -> None:
        """Write the user's settings."""
        self.places.settings.parent.mkdir(parents=True, exist_ok=True)
        self.places.settings.write_text(text)

    def library(self, **environ: str) -> Library:
        """The library over this home."""
        return Library({**self.environ, **environ}, self.home, hunt=False)

    def pusher(self, lake: object = None) -> Pusher:
        """What pushes, as it is now."""
        url = str(lake) if lake is not None else None
        return Pusher(self.library(), self.places, push_settings(self.places, url, self.person))

    def push(self, lake: object, *, again: bool = False) -> PushOutcome:
        """Push once."""
        return self.pusher(lake).push(again=again)


def new_lake(folder: Path) -> Store:
    """An empty lake, as far as those see it who push."""
    (folder / "tables").mkdir(parents=True)
    return open_store(str(folder))


def told(store: Store) -> list[NewsEntry]:
    """All documents of which there is news."""
    return [entry for one in store.paths("news") for entry in read_as(News, store.get(one.path)).documents]


def newest(store: Store) -> Mapping[tuple[str, str], Document]:
    """What a loader takes: of each session of each machine, the document with the highest number in the news."""
    found: dict[tuple[str, str], NewsEntry] = {}
    for one in store.paths("news"):
        news = read_as(News, store.get(one.path))
        for entry in news.documents:
            before = found.get((news.machine, entry.key))
            if before is None or entry.seq > before.seq:
                found[news.machine, entry.key] = entry
    return {key: decode(store.get(entry.path)) for key, entry in found.items()}


def every_byte(store: Store) -> bytes:
    """Everything under the lake, unpacked, with the paths."""
    pieces = []
    for one in store.paths():
        data = store.get(one.path)
        pieces += [one.path.encode(), zstandard.decompress(data) if one.path.endswith(".zst") else data]
    return b"\n".join(pieces)
