"""A thread that begins in another file: Codex CLI refuses it where that file is gone or cut, so it becomes one file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from pollux import Library
from pollux.errors import CannotResume
from pollux.library.library import Filter
from pollux.sources.codex.flatten import flattened, missing_beginning
from pollux.sources.resume_files import ResumeFile

HOME = Path(__file__).parents[3] / "corpus" / "codex" / "0.166.0" / "home"
FORK = "01a1ddcb-3246-7362-8412-103822b6756f"
REVERTED = "01a1ddcb-3067-7e33-96b9-5edd18c47513"
BASE = f"sessions/2026/11/15/rollout-2026-11-15T06-00-43-{REVERTED}.jsonl"
LOST = "the file that it begins in is gone, and its beginning with it"
CUT = "the file that it begins in was cut, and the rest of its beginning is lost"
ACCIDENTS: dict[str, tuple[Callable[[Path], object], str, int]] = {
    "gone": (Path.unlink, LOST, 0),
    "cut": (lambda file: file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:14])), CUT, 13),
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    shutil.copytree(HOME, tmp_path / "home")
    return tmp_path / "home"


def library(home: Path, codex: Path, name: str = "own") -> Library:
    own = {f"XDG_{kind}_HOME": str(home.parent / name / kind) for kind in ("CACHE", "DATA", "CONFIG")}
    return Library({"HOME": str(home), "CODEX_HOME": str(codex), **own}, home, hunt=False)


def ordinals(file: Path) -> list[int]:
    return [json.loads(line)["ordinal"] for line in file.read_text().splitlines()]


@pytest.mark.parametrize("accident", ACCIDENTS)
@pytest.mark.parametrize("thread", [FORK, REVERTED])
def test_a_thread_whose_beginning_is_not_complete_becomes_one_file(home: Path, thread: str, accident: str) -> None:
    befall, why, inherited = ACCIDENTS[accident]
    befall(home / ".codex" / BASE)
    with library(home, home / ".codex") as before:
        session = before.session(f"codex:{thread}")
        rebuilt = before.recover.rebuild(session)
        (flat,) = [file for file in rebuilt.files if file.made is not None]
        before.archive.restore(before.recover.plan(rebuilt, home.parent / "back"))
    assert flat.made == why
    written = home.parent / "back" / flat.path
    first = json.loads(written.read_text().partition("\n")[0])
    assert "history_base" not in first["payload"]
    assert first["payload"]["id"] == thread
    assert ordinals(written) == list(range(11 + inherited))
    with library(home, home.parent / "back", "again") as after:
        again = after.session(f"codex:{thread}")
        others = [entry.summary.key for entry in after.list(Filter(everything=True))]
    assert [(m.text, m.fate, m.inherited) for m in again.messages] == [
        (m.text, m.fate, m.inherited) for m in session.messages
    ]
    assert replace(again.usage, exact=None) == replace(session.usage, exact=None)
    assert session.usage.exact is (True if thread == FORK else None)
    assert others == [f"codex:{thread}"] or (thread == FORK and accident == "cut")


def test_a_thread_whose_beginning_is_complete_stays_in_its_files(home: Path) -> None:
    with library(home, home / ".codex") as known:
        rebuilt = known.recover.rebuild(known.session(f"codex:{FORK}"))
    assert [file.made for file in rebuilt.files] == [None, None]
    assert all(file.content == (home / ".codex" / file.path).read_bytes() for file in rebuilt.files)


@pytest.mark.parametrize("accident", ACCIDENTS)
@pytest.mark.parametrize("thread", [FORK, REVERTED])
def test_resume_says_that_codex_would_refuse(home: Path, thread: str, accident: str) -> None:
    befall, why, _ = ACCIDENTS[accident]
    befall(home / ".codex" / BASE)
    with library(home, home / ".codex") as known, pytest.raises(CannotResume) as caught:
        known.resume.plan(f"codex:{thread}", folder=str(home))
    assert caught.value.reason == "beginning"
    assert str(caught.value) == f"Codex CLI refuses codex:{thread}: {why}."
    assert caught.value.hint == f"Go on with a copy that it resumes: pollux handoff codex:{thread} --to codex"


def test_a_whole_beginning_is_not_missing(home: Path) -> None:
    files = [str(file) for file in (home / ".codex").rglob("rollout-*.jsonl")]
    assert missing_beginning(FORK, files) is None
    assert missing_beginning(REVERTED, files) is None
    assert missing_beginning("not-there", files) is None


def test_files_that_lead_to_one_another_come_to_an_end() -> None:
    names = [f"01a1ddcb-0000-7000-8000-00000000000{n}" for n in (1, 2)]

    def file(own: str, other: str) -> ResumeFile:
        base = {"thread_id": other, "end_ordinal_exclusive": 1, "end_byte_offset": 1}
        line = {"ordinal": 1, "type": "session_meta", "payload": {"id": own, "history_base": base}}
        content = f"{json.dumps(line)}\n".encode()
        return ResumeFile(path=f"sessions/rollout-2026-11-15T06-00-43-{own}.jsonl", content=content)

    files = flattened([file(names[0], names[1]), file(names[1], names[0])])
    assert [json.loads(one.content)["payload"] for one in files] == [{"id": name} for name in names]
