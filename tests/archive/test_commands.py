"""The commands as a person types them, and the programs' side of them."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.archive.conftest import CORPUS
from tests.cli.program import Pollux

HOMES = ("gemini/0.44.0", "claude/2.1.325", "codex/0.166.0")


@pytest.fixture
def pollux(tmp_path: Path) -> Pollux:
    return Pollux(tmp_path, "0.44.0")


def good(done: subprocess.CompletedProcess[str]) -> Any:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_off_until_the_user_says_so(pollux: Pollux) -> None:
    assert pollux("sync").returncode == 0
    assert good(pollux("archive", "status", "--json"))["files"] == 0
    assert "archives" in pollux("archive", "on").stderr
    assert good(pollux("archive", "status", "--json"))["keeping"] is True
    assert pollux("archive", "off").returncode == 0
    file = pollux.file("weather/chats/session-2026-11-15T09-00-abcdabcd.jsonl", session("hello"))
    before = good(pollux("archive", "status", "--json"))["states"]
    file.unlink()
    assert good(pollux("archive", "status", "--json"))["states"] == before


def test_one_count_of_states(pollux: Pollux, tmp_path: Path) -> None:
    file = pollux.file("weather/chats/session-2026-11-15T09-00-abcdabcd.jsonl", session("hello"))
    assert pollux("archive", "on").returncode == 0
    file.unlink()
    assert pollux("archive", "run").returncode == 0
    carried = str(tmp_path / "all.pollux")
    counts = {
        good(pollux("archive", *words, "--json"))["states"] for words in (["status"], ["verify"], ["export", carried])
    }
    assert len(counts) == 1


def session(*said: str) -> str:
    lines = [{"sessionId": "abcdabcd", "projectHash": "0" * 64, "startTime": "2026-11-15T09:00:00Z", "kind": "main"}]
    lines += [
        {"id": f"m{n}", "timestamp": f"2026-11-15T09:0{n}:00Z", "type": "user", "content": text}
        for n, text in enumerate(said)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_from_deleting_to_restoring(pollux: Pollux) -> None:
    file = pollux.file("weather/chats/session-2026-11-15T09-00-abcdabcd.jsonl", session("first", "second"))
    raw = file.read_bytes()
    assert pollux("archive", "on").returncode == 0
    file.unlink()
    (answer,) = [one for one in good(pollux("list", "--json")) if one["id"] == "abcdabcd"]
    assert answer["kept"] is True
    assert good(pollux("show", "abcdabcd", "--json"))["kept"] is True
    assert good(pollux("search", "second", "--json"))[0]["key"] == "gemini:abcdabcd"
    assert [one["change"] for one in good(pollux("history", "abcdabcd", "--json"))] == ["new", "gone"]
    assert [one["from"] for one in good(pollux("recover", "--json")) if one["key"] == "gemini:abcdabcd"] == ["kept"]
    assert pollux("archive", "restore", "abcdabcd").returncode == 2
    result = pollux("archive", "restore", "abcdabcd", "--in-place")
    assert result.returncode == 2
    assert str(file.name) in result.stderr
    assert not file.exists()
    assert pollux("archive", "restore", "abcdabcd", "--in-place", "--yes").returncode == 0
    assert file.read_bytes() == raw


def test_earlier_states_are_shown(pollux: Pollux) -> None:
    file = pollux.file("weather/chats/session-2026-11-15T09-00-abcdabcd.jsonl", session("first", "second"))
    assert pollux("archive", "on", POLLUX_NOW="2026-11-15T10:00:00Z").returncode == 0
    file.write_text(session("other"))
    assert pollux("sync", POLLUX_NOW="2026-11-15T11:00:00Z").returncode == 0
    then = pollux("show", "abcdabcd", "--as-of", "2026-11-15T10:30", "--json")
    assert [m["parts"][0]["text"] for m in good(then)["messages"]] == ["first", "second"]
    early = pollux("show", "abcdabcd", "--as-of", "2026-11-14", "--json")
    assert early.returncode == 1
    assert "first kept" in early.stderr
    whole = good(pollux("recover", "abcdabcd", "--json"))
    assert {m["parts"][0]["text"] for m in whole["messages"]} == {"first", "second", "other"}


def test_a_recovered_document_has_the_figures_of_a_session(pollux: Pollux) -> None:
    document = good(pollux("show", "last", "--json"))
    printed = good(pollux("recover", "last", "--to", "json"))
    assert printed == good(pollux("recover", "last", "--json"))
    assert document.keys() - printed.keys() == set()
    for name in ("cost_usd", "family_usage"):
        assert printed[name] == document[name]


def test_recovered_sessions_read_back(pollux: Pollux, tmp_path: Path) -> None:
    pollux.file("weather/chats/session-2026-11-15T09-00-abcdabcd.jsonl", session("first", "second"))
    assert pollux("recover", "abcdabcd", "-o", str(tmp_path / "out.json")).returncode == 0
    assert len(good(pollux("show", str(tmp_path / "out.json"), "--json"))["messages"]) == 2
    assert pollux("recover", "abcdabcd", "-o", str(tmp_path / "out.json")).returncode == 5


def test_a_recovered_document_is_written_as_a_whole_or_not_at_all(pollux: Pollux, tmp_path: Path) -> None:
    pollux.file("weather/chats/session-2026-11-15T09-00-abcdabcd.jsonl", session("first" * 1000, "second"))
    file = tmp_path / "out" / "out.json"
    file.parent.mkdir()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        result = pollux("recover", "abcdabcd", "-o", str(file))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (result.returncode, f"{file} cannot be written: File too large." in result.stderr) == (5, True)
    assert not list(file.parent.iterdir())


@pytest.mark.parametrize("command", [["recover"], ["archive", "restore"]], ids=" ".join)
def test_a_file_in_place_of_the_folder_is_named(pollux: Pollux, tmp_path: Path, command: list[str]) -> None:
    pollux.file("weather/chats/session-2026-11-15T09-00-abcdabcd.jsonl", session("first", "second"))
    pollux("archive", "on")
    file = tmp_path / "page.svg"
    file.write_bytes(b"x")
    result = pollux(*command, "abcdabcd", "-o", str(file))
    assert (result.returncode, result.stdout) == (5, "")
    assert result.stderr == f"pollux: {file} is a file, not a folder.\nName another folder with -o.\n"


def test_recovered_files_go_where_the_agent_looks(pollux: Pollux, tmp_path: Path) -> None:
    file = pollux.file("weather/chats/session-2026-11-15T09-00-abcdabcd.jsonl", session("first", "second"))
    raw = file.read_bytes()
    assert pollux("archive", "on").returncode == 0
    file.write_bytes(raw[: len(raw) - 20])
    back = tmp_path / "back"
    result = pollux("recover", "abcdabcd", "-o", str(back))
    assert result.returncode == 0
    assert result.stdout.splitlines()[0] == str(back / "tmp" / "weather" / "chats" / file.name)
    assert "2 messages read back" in result.stderr
    assert (back / "tmp" / "weather" / "chats" / file.name).read_bytes() == raw
    assert all(
        document["there"] for document in good(pollux("recover", "abcdabcd", "-o", str(back), "--json"))["files"]
    )
    assert pollux("recover", "abcdabcd", "--in-place", "--yes").returncode == 5  # another is there
    file.unlink()
    refusal = pollux("recover", "abcdabcd", "--in-place")
    assert refusal.returncode == 2
    assert file.name in refusal.stderr
    assert not file.exists()
    document = good(pollux("recover", "abcdabcd", "--in-place", "--yes", "--json"))
    assert (document["key"], document["messages"], document["left_out"], document["made"]) == (
        "gemini:abcdabcd",
        2,
        [],
        [],
    )
    assert file.read_bytes() == raw


def test_files_hold_no_typed_lines_and_are_not_made_of_them_alone(pollux: Pollux, tmp_path: Path) -> None:
    line = {"sessionId": "abcdabcd", "messageId": 0, "type": "user", "message": "only typed"}
    line["timestamp"] = "2026-11-15T09:07:00.000Z"
    pollux.file("weather/logs.json", json.dumps([line, {**line, "sessionId": "eeee1111-aaaa"}]))
    pollux.file("weather/chats/session-2026-11-15T09-00-abcdabcd.jsonl", session("first"))
    document = good(pollux("recover", "abcdabcd", "-o", str(tmp_path / "back"), "--json"))
    assert document["messages"] == 1
    assert [(Path(one["file"]).name, one["messages"]) for one in document["left_out"]] == [("logs.json", 1)]
    alone = pollux("recover", "eeee1111", "-o", str(tmp_path / "other"))
    assert alone.returncode == 1
    assert (
        "Only typed prompts are left of gemini:eeee1111-aaaa; its agent could not resume the session." in alone.stderr
    )
    assert not (tmp_path / "other").exists()
    for senseless in (["-o", "x", "--in-place"], ["--to", "x", "-o", "y"], ["--yes"], ["--to", "claude", "-o", "y"]):
        assert pollux("recover", "abcdabcd", *senseless).returncode == 2
    for senseless in (["--to", "gemini"], ["--to", "json", "--in-place"]):
        assert pollux("recover", "abcdabcd", *senseless).returncode == 2
    assert pollux("recover", "-o", "x").returncode == 2


def test_export_import_and_prune(pollux: Pollux, tmp_path: Path) -> None:
    file = pollux.file("weather/chats/session-2026-11-15T09-00-abcdabcd.jsonl", session("first"))
    assert pollux("archive", "on").returncode == 0
    file.unlink()
    carried = tmp_path / "all.pollux"
    assert good(pollux("archive", "export", str(carried), "--json"))["damaged"] == 0
    assert pollux("archive", "export", str(carried)).returncode == 5
    assert pollux("archive", "prune", "abcdabcd").returncode == 2
    assert good(pollux("archive", "prune", "abcdabcd", "--yes", "--json"))["states"] == 2
    assert pollux("show", "abcdabcd").returncode == 2
    assert good(pollux("archive", "import", str(carried), "--json"))["states"] == 1  # it was there when it was exported
    assert pollux("show", "abcdabcd").returncode == 0
    assert pollux("archive", "verify").returncode == 0
    assert pollux("archive", "import", str(pollux.home / "nothing")).returncode == 3


def test_damage_is_told_with_status_four(pollux: Pollux) -> None:
    assert pollux("archive", "on").returncode == 0
    (pack,) = (pollux.folder / "xdg" / "data" / "pollux" / "archive").glob("*.pack")
    raw = bytearray(pack.read_bytes())
    raw[len(raw) // 2] ^= 4
    pack.write_bytes(raw)
    assert pollux("archive", "verify").returncode == 4
    carried = pollux("archive", "export", str(pollux.folder / "all.pollux"))
    assert (carried.returncode, "1 damaged record left out" in carried.stderr) == (4, True)


def test_a_moved_project(pollux: Pollux) -> None:
    assert pollux("rehome").returncode == 1
    unknown = pollux("rehome", "/home/nobody/code", "/srv/code")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "No agent has sessions of /home/nobody/code." in unknown.stderr
    assert pollux("rehome").returncode == 1
    assert pollux("rehome", "/home/ada/code/weather", "/srv/weather").returncode == 0
    paths = {one["project"] for one in good(pollux("list", "--json"))}
    assert "/srv/weather" in paths
    assert "/home/ada/code/weather" not in paths
    assert good(pollux("rehome", "--json")) == [{"old": "/home/ada/code/weather", "new": "/srv/weather"}]
    assert pollux("rehome", "/srv/weather", "/home/ada/code/weather").returncode == 2
    assert pollux("rehome", "/home/ada/code/weather", "--undo").returncode == 0
    assert "/home/ada/code/weather" in {one["project"] for one in good(pollux("list", "--json"))}


def test_a_project_moved_in_place(pollux: Pollux) -> None:
    old, new = "/home/ada/code/weather", "/srv/weather"
    note = pollux.home / ".gemini" / "tmp" / "weather" / ".project_root"
    for path in pollux.home.rglob("*"):
        os.utime(path, (1_760_000_000, 1_760_000_000))
    assert pollux("rehome", old, new, "--yes").returncode == 2
    assert pollux("rehome", old, "--in-place").returncode == 2
    result = pollux("rehome", old, new, "--in-place")
    assert result.returncode == 0
    assert f"{old} → {new}" in result.stdout
    assert "--yes" in result.stderr
    assert note.read_text() == old
    assert good(pollux("rehome", old, new, "--in-place", "--yes", "--json"))["done"] is True
    assert note.read_text() == new
    assert {one["project"] for one in good(pollux("list", "--json")) if "/weather/" in one["files"][0]} == {new}
    assert pollux("rehome", old, "--undo").returncode == 0
    assert note.read_text() == old
    os.utime(note)
    busy = pollux("rehome", old, new, "--in-place", "--yes", POLLUX_NOW="")
    assert busy.returncode == 5
    assert "last minutes" in busy.stderr
    assert note.read_text() == old


def test_a_change_of_the_mode_alone_is_kept(pollux: Pollux) -> None:
    file = pollux.file("weather/chats/session-2026-11-15T09-00-abcdabcd.jsonl", session("first"))
    os.utime(file, (1_700_000_000, 1_700_000_000))
    file.chmod(0o644)
    assert pollux("archive", "on").returncode == 0
    file.chmod(0o600)
    assert "1 file kept" in pollux("archive", "run").stdout
    assert "nothing new" in pollux("archive", "run").stdout
    file.unlink()
    assert pollux("archive", "restore", "abcdabcd", "--in-place", "--yes").returncode == 0
    assert file.stat().st_mode & 0o777 == 0o600
    changes = [one["change"] for one in good(pollux("history", "abcdabcd", "--json"))]
    assert changes[:2] == ["new", "mode"]


def test_the_sample_is_read_only(pollux: Pollux) -> None:
    for arguments in (
        ("rehome", "/a", "/b"),
        ("rehome", "/a", "--undo"),
        ("cache", "clear"),
        ("archive", "on"),
        ("archive", "off"),
        ("archive", "run"),
        ("archive", "import", "x.pollux"),
        ("archive", "prune", "last", "--yes"),
    ):
        result = pollux("--sample", *arguments)
        assert (result.returncode, "read-only" in result.stderr) == (2, True), arguments
        assert "/dev/null" not in result.stderr


@pytest.mark.parametrize("home", HOMES)
def test_what_an_archive_from_elsewhere_holds_as_well_is_not_gone(tmp_path: Path, home: str) -> None:
    here, there = (Pollux(_made(tmp_path / name)) for name in ("here", "there"))
    for one in (here, there):
        shutil.copytree(CORPUS / home / "home", one.home, dirs_exist_ok=True, symlinks=True)
        one.env["CODEX_HOME"] = str(one.home / ".codex")
    file = tmp_path / "all.pollux"
    assert there("archive", "run").returncode == 0
    assert there("archive", "export", str(file)).returncode == 0
    before = good(here("list", "--all", "--json"))
    assert here("archive", "import", str(file)).returncode == 0
    after = good(here("list", "--all", "--json"))
    assert [(one["key"], one["kept"], one["files"]) for one in after] == [
        (one["key"], False, one["files"]) for one in before
    ]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_only_what_is_whole_elsewhere_is_not_gone(pollux: Pollux, tmp_path: Path) -> None:
    name = "weather/chats/session-2026-11-15T09-00-abcdabcd.jsonl"
    live = pollux.file(name, session("first", "second"))
    other = Pollux(_made(tmp_path / "other"), "0.44.0")
    file = other.file(name, session("first", "second", "third"))

    def kept() -> tuple[bool, int]:
        (answer,) = [one for one in good(pollux("list", "--json")) if one["id"] == "abcdabcd"]
        return answer["kept"], answer["counts"]["prompts"]

    other("archive", "run")
    other("archive", "export", str(tmp_path / "all.pollux"))
    assert kept() == (False, 2)
    assert pollux("archive", "import", str(tmp_path / "all.pollux")).returncode == 0
    assert kept() == (True, 3)  # the one from elsewhere went on
    live.write_bytes(file.read_bytes())
    assert kept() == (False, 3)
    live.write_text(session("first", "second", "third", "fourth"))
    assert kept() == (False, 4)
    live.write_text(session("first", "third"))
    assert kept() == (True, 3)
    live.unlink()
    assert kept() == (True, 3)


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize(
    ("theirs", "prompts"),
    [
        (["first", "second", "third"], ["first", "second", "third"]),
        (["first", "something else, and at length"], ["first", "second"]),
    ],
)
def test_ones_own_state_goes_before_another_of_the_same_file(
    pollux: Pollux, tmp_path: Path, live: bool, theirs: list[str], prompts: list[str]
) -> None:
    """The other machine has the same home. Only where it went on from here its state is shown."""
    name, all_of_it = "weather/chats/session-2026-11-15T09-00-abcdabcd.jsonl", str(tmp_path / "all.pollux")
    other = {"XDG_DATA_HOME": str(tmp_path / "other"), "XDG_CACHE_HOME": str(tmp_path / "other-cache")}
    file = pollux.file(name, session(*theirs))
    assert pollux("archive", "run", **other).returncode == 0
    assert pollux("archive", "export", all_of_it, **other).returncode == 0
    file.write_text(session("first", "second"))
    assert pollux("archive", "run").returncode == 0
    if not live:
        file.unlink()
    assert pollux("archive", "import", all_of_it).returncode == 0
    document = good(pollux("show", "abcdabcd", "--json"))
    assert [message["parts"][0]["text"] for message in document["messages"]] == prompts
    restored = [one["path"] for one in good(pollux("archive", "restore", "abcdabcd", "-o", "restored", "--json"))]
    (path,) = [one for one in restored if one.endswith(name)]
    assert (pollux.home / path).read_text("utf-8") == session(*prompts)


def test_doctor_where_all_is_kept(pollux: Pollux, tmp_path: Path) -> None:
    file = tmp_path / "all.pollux"
    pollux("archive", "run")
    pollux("archive", "export", str(file))
    other = Pollux(_made(tmp_path / "other"))
    assert other("doctor").returncode == 1
    assert other("archive", "import", str(file)).returncode == 0
    result = other("doctor")
    assert (result.returncode, "The archive holds" in result.stderr) == (0, True)
    assert other("doctor", "--json").returncode == 0


def test_a_file_in_the_way_of_a_restored_one(pollux: Pollux) -> None:
    file = pollux.file("weather/chats/session-2026-11-15T09-00-abcdabcd.jsonl", session("first"))
    pollux("archive", "run")
    out = pollux.folder / "out" / file.relative_to(pollux.home / ".gemini")
    out.parent.mkdir(parents=True)
    out.write_text("other")
    result = pollux("archive", "restore", "abcdabcd", "-o", str(pollux.folder / "out"))
    assert result.returncode == 5
    assert "with -o." in result.stderr


def test_what_is_lost_is_told_and_can_be_given_up(pollux: Pollux) -> None:
    file = pollux.file("weather/chats/session-2026-11-15T09-00-abcdabcd.jsonl", session("hello"))
    assert pollux("archive", "on").returncode == 0
    file.unlink()
    assert pollux("archive", "run").returncode == 0
    (pack,) = pollux.folder.glob("**/archive/*.pack")
    os.truncate(pack, pack.stat().st_size // 2)
    result = pollux("archive", "verify")
    assert result.returncode == 4
    assert "of the packs are missing" in result.stdout
    assert "pollux archive prune --lost" in result.stdout
    for command in (["list"], ["archive"], ["doctor"]):
        assert "is missing: see pollux archive verify." in pollux(*command).stderr
    assert pollux("archive", "prune").returncode == 2
    assert pollux("archive", "prune", "abcdabcd", "--lost").returncode == 2
    assert pollux("archive", "prune", "--lost").returncode == 2
    assert good(pollux("archive", "prune", "--lost", "--yes", "--json"))["states"] >= 1
    assert pollux("archive", "verify").returncode == 0
    assert pollux("list").stderr == ""


def test_nothing_is_whole_where_nothing_is(tmp_path: Path) -> None:
    empty = Pollux(tmp_path)
    result = empty("recover")
    assert result.returncode == 1
    assert "No sessions were found." in result.stderr


def test_the_sample_has_no_archive(pollux: Pollux) -> None:
    result = pollux("--sample", "archive")
    assert "/dev/null" not in result.stdout
    assert "the sample is not kept" in result.stdout
    assert good(pollux("--sample", "archive", "status", "--json"))["folder"] is None
