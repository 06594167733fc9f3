"""The agents themselves keep and resume what pollux puts back: old sessions, and threads that begin in a lost file."""

from __future__ import annotations

import hashlib
import json
import shutil
from datetime import timedelta
from pathlib import Path
from types import ModuleType

import pytest

from pollux import Library
from pollux.system.clock import now
from tests.agents.conftest import CLIS, in_full, need

CORPUS = Path(__file__).parent.parent / "corpus"
PROMPT = "And then, what came of it?"
ID = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
FORK = "01a1ddcb-3246-7362-8412-103822b6756f"
REVERTED = "01a1ddcb-3067-7e33-96b9-5edd18c47513"
BASE = f".codex/sessions/2026/11/15/rollout-2026-11-15T06-00-43-{REVERTED}.jsonl"


def library(home: Path, own: Path, **variables: str) -> Library:
    places = {f"XDG_{name}_HOME": str(own / name) for name in ("CACHE", "DATA", "CONFIG")}
    return Library({"HOME": str(home), **places, **variables}, home, hunt=False)


def old_session(home: Path, project: Path, *, document: bool) -> Path:
    """A session of Gemini CLI that was last used two months ago."""
    at = f"{now() - timedelta(days=60):%Y-%m-%dT%H:%M:%S}.000Z"
    digest = hashlib.sha256(str(project).encode()).hexdigest()
    head = {"sessionId": ID, "projectHash": digest, "startTime": at, "lastUpdated": at}
    said = [
        {"id": "m1", "timestamp": at, "type": "user", "content": "Is it raining?"},
        {"id": "m2", "timestamp": at, "type": "gemini", "content": "It is."},
    ]
    chats = home / ".gemini" / "tmp" / project.name / "chats"
    chats.mkdir(parents=True)
    (chats.parent / ".project_root").write_text(str(project))
    file = chats / f"session-{at[:10]}T10-00-{ID[:8]}.{'json' if document else 'jsonl'}"
    if document:
        file.write_text(json.dumps({**head, "messages": said, "summary": "Rain"}, indent=2))
    else:
        lines = [{**head, "kind": "main"}, *said, {"$set": {"lastUpdated": at, "summary": "Rain"}}]
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return file


@in_full
@pytest.mark.parametrize("way", ["as it was", "restored", "recovered"])
@pytest.mark.parametrize("document", [False, True], ids=["log", "document"])
@pytest.mark.parametrize("release", ["0.61.0", "0.44.0"])
def test_an_old_session_of_gemini_cli_lasts(
    harness: ModuleType, release: str, document: bool, way: str, tmp_path: Path
) -> None:
    need("gemini", release)
    home, project = tmp_path / "home", tmp_path / "weather"
    project.mkdir()
    file = old_session(home, project, document=document)
    if way != "as it was":
        with library(home, tmp_path / "own") as kept:
            kept.archive.on()
            kept.sync()
        file.unlink()
        with library(home, tmp_path / "own") as left:
            session = left.session(f"gemini:{ID}")
            rebuilt = left.recover.rebuild(session) if way == "recovered" else None
            plan = left.recover.plan(rebuilt, None) if rebuilt is not None else left.archive.plan(session, None)
            left.archive.restore(plan)
    with harness.Room("gemini", release, home, str(project), CLIS, session=ID) as made:
        settings = json.loads((made.root / "settings.json").read_text())
        del settings["general"]["sessionRetention"]
        (made.root / "settings.json").write_text(json.dumps(settings))
        harness.listing(made, 60)  # it cleans up at its start
        report = harness.resume(made, PROMPT, 120)
    assert report["resumed"] == (way != "as it was"), report["stderr"]


@pytest.mark.parametrize("release", ["0.166.0"])
@pytest.mark.parametrize("lines", [0, 14], ids=["gone", "cut"])
@pytest.mark.parametrize("thread", [FORK, REVERTED], ids=["fork", "reverted"])
def test_a_thread_whose_beginning_is_lost_is_resumed(
    harness: ModuleType, thread: str, lines: int, release: str, tmp_path: Path
) -> None:
    need("codex", release)
    home, back = tmp_path / "home", tmp_path / "back"
    shutil.copytree(CORPUS / "codex" / "0.166.0" / "home", home)
    left = (home / BASE).read_bytes().splitlines(keepends=True)[:lines]
    (home / BASE).write_bytes(b"".join(left)) if left else (home / BASE).unlink()
    project = str(tmp_path / "notes")
    with library(home, tmp_path / "own") as known:
        session = known.session(f"codex:{thread}")
        known.archive.restore(known.recover.plan(known.recover.rebuild(session), back / ".codex"))
    with harness.Room("codex", release, back, project, CLIS, session=thread) as made:
        report = harness.resume(made, PROMPT, 120)
    assert report["resumed"], report["stderr"]
    assert report["would_be_refused"] == []
    said = [one["text"] for one in report["conversation"] if one["kind"] == "text" and not one.get("context")]
    assert said == [*(m.text for m in session.messages if m.text and m.author != "client"), PROMPT]
