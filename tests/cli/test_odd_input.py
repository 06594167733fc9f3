"""Hostile and damaged content, and what must never reach a terminal."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.cli.program import Pollux
from tests.cli.session_text import EVIL, harmless, session


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["show", "evil"],
        ["show", "evil", "--full"],
        ["show", "evil", "--raw"],
        ["projects"],
        ["doctor", "--all"],
    ],
    ids=" ".join,
)
def test_no_control_character_gets_out(empty: Pollux, arguments: list[str]) -> None:
    empty.file("evil\x1b[2J/chats/session-2026-11-15T05-00-evil.json", session("evil\x1b[1m", EVIL, EVIL))
    empty.file("evil\x1b[2J/.project_root", "/home/ada/\x1b[31mred")
    result = empty(*arguments)
    assert result.returncode == 0
    assert result.stdout
    assert harmless(result.stdout)
    assert harmless(result.stderr)


def test_errors_are_cleaned_too(empty: Pollux) -> None:
    for name in ("\x1b[2J", "./\x1b[2J.json", "gemini:\x1b[2J"):
        result = empty("show", name)
        assert result.returncode in (2, 3)
        assert harmless(result.stderr)


def test_json_keeps_everything(empty: Pollux) -> None:
    empty.file("p/chats/session-2026-11-15T05-00-evil.json", session("evil", EVIL))
    result = empty("show", "evil", "--json")
    assert json.loads(result.stdout)["messages"][0]["parts"][0]["text"] == EVIL
    assert not any(ord(character) < 0x20 for character in result.stdout.rstrip("\n"))


def test_names_that_are_no_text(empty: Pollux) -> None:
    bad = os.fsdecode(b"b\xffd")
    empty.file(f"{bad}/chats/session-2026-11-15T05-00-{bad}.json", session("0123abcd"))
    empty.file(f"{bad}/.project_root", b"/home/ada/b\xffd")
    for arguments in (
        ["list"],
        ["show", "0123"],
        ["show", "0123", "--raw"],
        ["projects"],
        ["doctor", "--all"],
        ["agents"],
    ):
        for more in ([], ["--json"]):
            result = empty(*arguments, *more)
            assert result.returncode == 0, result.stderr
            if more:
                assert "b\\\\xffd" in result.stdout or arguments[0] == "agents"
    assert "Hello there." in empty("show", "0123", "--raw").stdout
    assert empty("export", "--all", "--to", "json", "-o", "out").returncode == 0


def test_a_folder_instead_of_a_file(pollux: Pollux) -> None:
    result = pollux("show", str(pollux.home))
    assert result.returncode == 3
    assert "is a folder" in result.stderr


def test_a_file_nobody_wrote(pollux: Pollux) -> None:
    odd = pollux.folder / "shopping.txt"
    odd.write_text("milk\n")
    result = pollux("show", str(odd))
    assert result.returncode == 3
    assert "Traceback" not in result.stderr


def test_a_home_that_the_system_does_not_open(empty: Pollux) -> None:
    far = {"HOME": f"/{'x' * 300}"}
    for arguments, status in ((["list"], 3), (["list", "--json"], 3), (["projects"], 3), (["doctor", "--strict"], 3)):
        result = empty(*arguments, **far)
        assert (result.returncode, "went wrong" in result.stderr) == (status, False), arguments
    assert "File name too long" in empty("list", **far).stderr
    refused = json.loads(empty("agents", "--json", **far).stdout)
    assert {(row["found"], row["refused"]) for row in refused} == {(False, "File name too long")}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_home_without_rights(empty: Pollux) -> None:
    empty.home.chmod(0)
    own = {f"XDG_{name}_HOME": "" for name in ("CACHE", "CONFIG", "DATA")}
    assert empty("list", **own).returncode == 3
    for arguments in (["archive"], ["key", "list"], ["cache", "info"], ["cache", "clear"]):
        result = empty(*arguments, **own)
        assert result.returncode == 4
        assert "Permission denied" in result.stderr
    empty.home.chmod(0o700)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(empty: Pollux) -> None:
    file = empty.file("p/chats/session-2026-11-15T05-00-0123abcd.json", session("0123abcd"))
    file.chmod(0)
    assert empty("show", str(file)).returncode == 3
    assert empty("doctor", "--strict").returncode == 3
    assert "cannot be read" in empty("doctor").stdout


def test_a_session_file_anywhere(empty: Pollux) -> None:
    loose = empty.folder / "kept.json"
    loose.write_text(session("0123abcd"))
    assert "Hello there." in empty("show", str(loose)).stdout
    assert json.loads(empty("show", str(loose), "--json").stdout)["id"] == "0123abcd"
    assert "Hello there." in empty("export", str(loose), "--to", "markdown").stdout


def test_the_beginning_of_a_message_must_be_its_alone(empty: Pollux) -> None:
    empty.file("p/chats/session-2026-11-15T05-00-one.json", session("one"))
    result = empty("show", "one", "--at", "m")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "pollux: 2 messages start with 'm'.\nType more of the id: m1, m2\n"
    assert "▶ m2" in empty("show", "one", "--at", "m2").stdout


def test_an_id_that_looks_like_a_path(empty: Pollux) -> None:
    empty.file("p/chats/session-2026-11-15T05-00-one.json", session("../../one:x"))
    assert empty("show", "gemini:../../one:x").returncode == 0
    assert empty("export", "--all", "--to", "json", "-o", str(empty.folder / "out")).returncode == 0
    (written,) = (empty.folder / "out").glob("*.json")
    assert json.loads(written.read_text())["id"] == "../../one:x"


def test_doctor_names_what_is_new(empty: Pollux) -> None:
    planted = json.loads(session("0123abcd")) | {"hologram": {"x": 1}}
    file = empty.file("p/chats/session-2026-11-15T05-00-0123abcd.json", json.dumps(planted))
    result = empty("doctor", "--strict")
    assert result.returncode == 3
    assert "hologram" in result.stdout
    assert file.name in result.stdout
    report = json.loads(empty("doctor", "--json").stdout)
    assert {"files", "unknown", "totals", "notices"} <= set(report)
    assert any("hologram" in one["what"] for one in report["unknown"])


def test_damage_is_marked(empty: Pollux) -> None:
    lines = [json.dumps(line) for line in json.loads(session("0123abcd"))["messages"]]
    header = json.dumps({"sessionId": "0123abcd", "projectHash": "0" * 64, "startTime": "2026-11-15T05:00:00.000Z"})
    file = empty.file(
        "p/chats/session-2026-11-15T05-00-0123abcd.jsonl", "\n".join([header, lines[0], "{garbage", lines[1], ""])
    )
    assert empty("list").stdout.splitlines()[1].startswith("!")
    assert f"{file.name}:3" in empty("show", "0123").stdout
    result = empty("doctor")
    assert result.returncode == 0
    assert f"{file.name}:3" in result.stdout
    assert empty("doctor", "--strict").returncode == 3


def test_a_history_of_which_nothing_can_be_read(empty: Pollux) -> None:
    empty.file("p/chats/session-2026-11-15T05-00-0123abcd.json", "noise")
    for arguments in (["list"], ["stats"], ["search", "hello"], ["projects"]):
        result = empty(*arguments)
        assert (result.returncode, result.stdout) == (3, ""), arguments
        assert "No session could be read: pollux doctor names the files." in result.stderr
        assert "nothing that can be read" in result.stderr
        assert empty(*arguments, "--json").returncode == 3
    for arguments in (["audit"], ["timeline"], ["scan", "--all"], ["export", "--all", "--to", "json", "-o", "out"]):
        assert empty(*arguments).returncode == 3, arguments
    assert empty("show", "last").returncode == 3


def test_an_agent_of_which_nothing_can_be_read(empty: Pollux) -> None:
    empty.file("p/chats/session-2026-11-15T05-00-0123abcd.json", session("0123abcd"))
    noise = empty.home / ".claude" / "projects" / "p" / "01234567-0000-4000-8000-000000000001.jsonl"
    noise.parent.mkdir(parents=True)
    noise.write_text("noise")
    for more in ([], ["--json"]):
        assert empty("list", "--agent", "claude", *more).returncode == 3
        assert empty("list", "--agent", "codex", *more).returncode == 1
        assert empty("list", "no", "such", *more).returncode == 1
        assert empty("search", "nowhere", *more).returncode == 1


@pytest.mark.parametrize(
    "arguments",
    [["archive", "restore", "last", "-o"], ["recover", "last", "-o"], ["export", "last", "--to", "json", "-o"]],
)
def test_an_empty_path_names_nothing(pollux: Pollux, arguments: list[str]) -> None:
    result = pollux(*arguments, "")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "pollux: --output is empty.\nName a file or a folder.\n"


def test_marks_that_cannot_be_read_are_not_said_to_be_none(empty: Pollux) -> None:
    file = Path(empty.env["XDG_DATA_HOME"]) / "pollux" / "marks" / "marks.jsonl"
    for damage in (lambda: file.write_bytes(b"garbage\n"), file.mkdir):
        shutil.rmtree(file.parent, ignore_errors=True)
        file.parent.mkdir(parents=True)
        damage()
        result = empty("mark")
        assert (result.returncode, result.stdout) == (4, "")
        assert result.stderr.count("cannot be") == 1
