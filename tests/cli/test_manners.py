"""Exit statuses, streams, odd input, and what must never reach a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import ROOT, Pollux

EVIL = "hello \x1b]0;title\x07\x1b[31m red \u202eevil \x9b2J\rover\x00"


def session(id: str, text: str = "Hello there.", title: str | None = None) -> str:
    """A small session as Gemini CLI 0.36 writes it."""
    message = {"id": "m1", "timestamp": "2026-11-15T05:00:00.000Z", "type": "user", "content": text}
    reply = {
        "id": "m2",
        "timestamp": "2026-11-15T05:00:01.000Z",
        "type": "gemini",
        "content": text,
        "model": "gemini-2.5-pro",
    }
    times = {"startTime": "2026-11-15T05:00:00.000Z", "lastUpdated": "2026-11-15T05:00:01.000Z"}
    named = {"summary": title} if title else {}
    return json.dumps(
        {"sessionId": id, "projectHash": "0" * 64, **times, "messages": [message, reply], **named}, indent=2
    )


def harmless(text: str) -> bool:
    return not any(
        (ord(c) < 0x20 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u202a\u2066" for c in text
    )


# ---------------------------------------------------------------------- start-up


def test_version_loads_next_to_nothing(pollux: Pollux) -> None:
    program = "import sys; sys.argv = ['pollux', '--version']; from pollux.cli import main; main(); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], env=pollux.env, capture_output=True, text=True, check=True)
    version, modules = done.stdout.splitlines()
    assert version == pollux("--color", "never", "--version").stdout.strip()
    loaded = {name.partition(".")[0] for name in modules.split()}
    assert not loaded & {"click", "msgspec", "rich"}
    assert "pollux.library" not in modules.split()


def test_the_command_line_itself_is_light(pollux: Pollux) -> None:
    program = "import sys; from pollux.cli.app import run; run(['list', '--help']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], env=pollux.env, capture_output=True, text=True, check=True)
    modules = done.stdout.splitlines()[-1].split()
    assert not {"msgspec", "rich", "pollux.library", "pollux.cli.commands.show"} & set(modules)


def test_list_does_without_rich_where_text_is_plain(home_of: Callable[[str], Pollux]) -> None:
    pollux = home_of("upgrade")
    program = "import sys; from pollux.cli.app import run; run(['list']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], env=pollux.env, capture_output=True, text=True, check=True)
    assert not {name for name in done.stdout.splitlines()[-1].split() if name.startswith("rich")}


@pytest.mark.parametrize("command", [["list"], ["show", "last"], ["stats", "--by", "tool"], ["audit"], ["projects"]])
def test_prices_are_loaded_by_those_alone_who_ask_for_them(pollux: Pollux, command: list[str]) -> None:
    program = "import sys; from pollux.cli.app import run; run(sys.argv[1:]); print(*sys.modules)"
    ran = [sys.executable, "-c", program, *command]
    done = subprocess.run(ran, env=pollux.env, capture_output=True, text=True, check=True)
    assert not {"genai_prices", "pydantic"} & set(done.stdout.splitlines()[-1].split())


def test_the_list_of_prices_is_loaded_once(pollux: Pollux) -> None:
    program = "import sys; from pollux.cli.app import run; run(['stats']); print(*sys.modules)"
    ran = [sys.executable, "-c", program]
    loaded = [
        "genai_prices" in subprocess.run(ran, env=pollux.env, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert loaded == [True, False]


# ---------------------------------------------------------------------- streams


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["show", "last"],
        ["search", "weather"],
        ["projects"],
        ["doctor"],
        ["agents"],
        ["writers"],
        ["sync"],
        ["cache", "info"],
    ],
    ids=lambda a: a[0],
)
def test_json_is_one_document(pollux: Pollux, arguments: list[str]) -> None:
    done = pollux(*arguments, "--json")
    assert done.returncode == 0
    assert done.stderr == ""
    json.loads(done.stdout)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["show", "ffff"], 2),
        (["show", "2"], 2),
        (["show", "/nowhere/x.json"], 3),
        (["list", "--since", "soon"], 2),
        (["list", "--bogus"], 2),
        (["show", "last", "--at", "nowhere"], 2),
        (["search", ""], 2),
        (["search", "--regex", ""], 2),
        (["watch", "ffff"], 2),
        (["cache", "bogus"], 2),
        (["bogus"], 2),
    ],
)
def test_errors_for_programs(pollux: Pollux, arguments: list[str], status: int) -> None:
    done = pollux(*arguments, "--json")
    assert (done.returncode, done.stdout) == (status, "")
    error = json.loads(done.stderr)
    assert error["error"].endswith((".", "?"))
    assert set(error) == {"error", "hint"}


def test_a_closed_pipe_is_silent(pollux: Pollux) -> None:
    command = [sys.executable, "-m", "pollux", "show", "3be08721", "--full"]
    with subprocess.Popen(command, env=pollux.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [["list"], ["list", "--json"], ["export", "last", "--to", "json"]])
def test_a_full_disk(pollux: Pollux, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "pollux", *arguments]
        done = subprocess.run(command, env=pollux.env, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 5
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_stdout(pollux: Pollux) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m pollux list >&-"], env=pollux.env, capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr


def test_interrupted(pollux: Pollux) -> None:
    program = (
        "import sys; from pollux.cli import app; import pollux.library\n"
        "def stop(*a, **k): raise KeyboardInterrupt\n"
        "pollux.library.Library.list = stop; sys.exit(app.run(['list']))"
    )
    done = subprocess.run([sys.executable, "-c", program], env=pollux.env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")


def test_a_bug_is_one_sentence_and_debugging_shows_it(pollux: Pollux) -> None:
    program = (
        "import sys; from pollux.cli import app; import pollux.library\n"
        "def broken(*a, **k): raise ZeroDivisionError('oops')\n"
        "pollux.library.Library.list = broken; sys.exit(app.run(['list']))"
    )
    for debug in ("", "1"):
        env = {**pollux.env, "POLLUX_DEBUG": debug}
        done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 70
        assert ("Traceback" in done.stderr) == bool(debug)
        assert "pollux: Something went wrong inside pollux (ZeroDivisionError: oops)." in done.stderr


def test_colours(pollux: Pollux) -> None:
    plain = pollux("list").stdout
    assert "\x1b" not in plain
    assert "\x1b" in pollux("list", "--color", "always").stdout
    assert "\x1b" in pollux("--color", "always", "list").stdout
    assert "\x1b" in pollux("list", NO_COLOR="", FORCE_COLOR="1").stdout
    assert pollux("list", FORCE_COLOR="1").stdout == plain
    assert pollux("list", "--color", "never", NO_COLOR="", FORCE_COLOR="1").stdout == plain
    assert pollux("list", "--color", "sometimes").returncode == 2


def test_a_pipe_has_no_width(pollux: Pollux) -> None:
    assert "to support wind speed." in pollux("list", COLUMNS="").stdout
    assert "to support wind speed." not in pollux("list", COLUMNS="70").stdout


def test_an_old_locale_still_prints(pollux: Pollux) -> None:
    done = pollux("list", LANG="C", LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "\\u7528" in done.stdout
    assert "用" in pollux("list", "--json", PYTHONIOENCODING="ascii").stdout


# ---------------------------------------------------------------------- hostile and damaged content


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
    done = empty(*arguments)
    assert done.returncode == 0
    assert done.stdout
    assert harmless(done.stdout)
    assert harmless(done.stderr)


def test_errors_are_cleaned_too(empty: Pollux) -> None:
    for name in ("\x1b[2J", "./\x1b[2J.json", "gemini:\x1b[2J"):
        done = empty("show", name)
        assert done.returncode in (2, 3)
        assert harmless(done.stderr)


def test_json_keeps_everything(empty: Pollux) -> None:
    empty.file("p/chats/session-2026-11-15T05-00-evil.json", session("evil", EVIL))
    done = empty("show", "evil", "--json")
    assert json.loads(done.stdout)["messages"][0]["parts"][0]["text"] == EVIL
    assert harmless(done.stdout.replace("\u202e", "").replace("\x9b", "").replace("\x7f", ""))


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
            done = empty(*arguments, *more)
            assert done.returncode == 0, done.stderr
            if more:
                assert "b\\\\xffd" in done.stdout or arguments[0] == "agents"
    assert "Hello there." in empty("show", "0123", "--raw").stdout
    assert empty("export", "--all", "--to", "json", "-o", "out").returncode == 0


def test_a_folder_instead_of_a_file(pollux: Pollux) -> None:
    done = pollux("show", str(pollux.home))
    assert done.returncode == 3
    assert "is a folder" in done.stderr


def test_a_file_nobody_wrote(pollux: Pollux) -> None:
    odd = pollux.folder / "shopping.txt"
    odd.write_text("milk\n")
    done = pollux("show", str(odd))
    assert done.returncode == 3
    assert "Traceback" not in done.stderr


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
    done = empty("show", "one", "--at", "m")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "pollux: 2 messages start with 'm'.\nType more of the id: m1, m2\n"
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
    done = empty("doctor", "--strict")
    assert done.returncode == 3
    assert "hologram" in done.stdout
    assert file.name in done.stdout
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
    done = empty("doctor")
    assert done.returncode == 0
    assert f"{file.name}:3" in done.stdout
    assert empty("doctor", "--strict").returncode == 3


# ---------------------------------------------------------------------- export


def test_export_of_everything(pollux: Pollux) -> None:
    every = json.loads(pollux("list", "--all", "--json").stdout)
    report = pollux.folder / "report.json"
    done = pollux("export", "--all", "--to", "json", "-o", "out", "--json-report", str(report))
    assert (done.returncode, done.stdout) == (0, "")
    written = [json.loads(file.read_text("utf-8")) for file in (pollux.home / "out").glob("*.json")]
    assert {one["key"]: one["family_usage"] for one in written} == {one["key"]: one["family_usage"] for one in every}
    assert json.loads(report.read_text()) == {
        "kept": sum(len(one["messages"]) for one in written),
        "dropped": [],
        "fabricated": [],
        "sessions": len(every),
    }
    before = sorted((pollux.home / "out").iterdir())
    assert pollux("export", "--all", "--to", "json", "-o", "out").returncode == 0
    assert sorted((pollux.home / "out").iterdir()) == before


def test_export_equals_show(pollux: Pollux) -> None:
    assert pollux("export", "last", "--to", "json").stdout == pollux("show", "last", "--json").stdout


def test_export_to_where_nothing_can_be_written(pollux: Pollux) -> None:
    blocked = pollux.folder / "file"
    blocked.write_text("mine")
    for output in (f"{blocked}/x.md", "/proc/none/x.md", str(pollux.folder / "no" / "such" / "x.md")):
        assert pollux("export", "last", "--to", "markdown", "-o", output).returncode == 5
    assert pollux("export", "--all", "--to", "markdown", "-o", str(blocked)).returncode == 5
    assert pollux("export", "last", "--to", "markdown", "-o", str(blocked)).returncode == 5
    assert blocked.read_text() == "mine"
    done = pollux("export", "last", "--to", "markdown", "--json-report", "/proc/none/x.json")
    assert done.returncode == 5


def test_nothing_is_written_among_the_agents_files(pollux: Pollux) -> None:
    link = pollux.folder / "link"
    link.symlink_to(pollux.home / ROOT, target_is_directory=True)
    before = {file: file.read_bytes() for file in (pollux.home / ROOT).rglob("*") if file.is_file()}
    first = str(next(file for file in before if file.suffix == ".jsonl"))
    for output in (first, str(link), str(link / "x.json"), str(pollux.home / ROOT / "new" / "")):
        done = pollux("export", "last", "--to", "json", "-o", output, "--force")
        assert done.returncode == 5, output
    assert {file: file.read_bytes() for file in (pollux.home / ROOT).rglob("*") if file.is_file()} == before


def test_a_link_with_our_name_is_left_alone_and_never_followed(pollux: Pollux) -> None:
    out, mine = pollux.folder / "out", pollux.folder / "mine"
    mine.write_text("mine")
    export = ("export", "last", "--to", "json", "-o", f"{out}/")
    assert pollux(*export).returncode == 0
    (file,) = out.glob("*.json")
    file.unlink()
    file.symlink_to(mine)
    assert pollux(*export).returncode == 5
    assert file.is_symlink()
    assert pollux(*export, "--force").returncode == 0
    assert mine.read_text() == "mine"
    assert json.loads(file.read_text())


def test_an_exported_document_is_a_session(pollux: Pollux) -> None:
    assert pollux("export", "last", "--to", "json", "-o", "kept.json").returncode == 0
    shown = pollux("show", "kept.json", "--json")
    assert shown.stdout == (pollux.home / "kept.json").read_text("utf-8")
    assert (
        pollux("export", "kept.json", "--to", "markdown").stdout == pollux("export", "last", "--to", "markdown").stdout
    )
    (pollux.home / "torn.json").write_bytes((pollux.home / "kept.json").read_bytes()[:-40])
    assert pollux("show", "torn.json").returncode == 3


def test_a_disk_that_becomes_full(pollux: Pollux) -> None:
    """Once the folder is open no file may grow beyond a block: the same error at the same place, for no disk."""
    program = (
        "import resource, sys; from pollux.cli import app; from pollux.export.folder import Folder\n"
        "def enter(self): resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)); return self\n"
        "Folder.__enter__ = enter; sys.exit(app.run(['export', '--all', '--to', 'markdown', '-o', 'out']))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=pollux.env, cwd=pollux.home, capture_output=True, text=True, check=False)
    assert done.returncode == 5, done.stderr
    assert "cannot be written: File too large." in done.stderr
    assert done.stderr.count("\n") == 1
    assert all(file.stat().st_size <= 512 for file in (pollux.home / "out").iterdir())


def test_an_interrupted_export_leaves_whole_files(pollux: Pollux) -> None:
    """Interrupted in the middle of a file: those before it are there, and nothing of this one."""
    program = (
        "import sys; from pollux.cli import app; from pollux import registry\n"
        "writer, count = registry.writer('json'), [0]\n"
        "def stop(session, out, options, write=writer.write):\n"
        "    count[0] += 1\n"
        "    if count[0] == 3:\n"
        "        out('{'); raise KeyboardInterrupt\n"
        "    return write(session, out, options)\n"
        "writer.write = stop; sys.exit(app.run(['export', '--all', '--to', 'json', '-o', 'out']))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=pollux.env, cwd=pollux.home, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "")
    left = [file for file in (pollux.home / "out").iterdir() if file.name != ".pollux.jsonl"]
    assert len(left) == 2
    assert all(json.loads(file.read_text("utf-8"))["key"] for file in left)
    assert pollux("export", "--all", "--to", "json", "-o", "out").returncode == 0


def test_redaction_from_settings(empty: Pollux) -> None:
    secret = "ghp_" + "b7Qx2kVn9TzR4mLw8HsJ3dYc6FgP1aUe5NiB"
    empty.file("p/chats/session-2026-11-15T05-00-one.json", session("one", f"Nightingale {secret} ada@example.org"))
    settings = Path(empty.env["XDG_CONFIG_HOME"]) / "pollux" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[redact]\nwords = ["nightingale"]\nemails = true\n')
    told = empty("export", "one", "--to", "text", "--redact").stdout
    assert "[secret:word#1] [secret:github-token#1] [secret:email#1]" in told
    assert secret in empty("export", "one", "--to", "text").stdout
    settings.write_text("[redact]\nword = []\n")
    done = empty("export", "one", "--to", "text", "--redact")
    assert (done.returncode, done.stdout) == (2, "")


def test_scan_and_its_statuses(empty: Pollux) -> None:
    empty.file("p/chats/session-2026-11-15T05-00-one.json", session("one", "nothing to see"))
    assert empty("scan", "--all").returncode == 1
    assert empty("scan", "--all", "--fail").returncode == 0
    secret = "ghp_" + "b7Qx2kVn9TzR4mLw8HsJ3dYc6FgP1aUe5NiB"
    empty.file("p/chats/session-2026-11-15T05-01-two.json", session("two", f"My token: {secret}"))
    for arguments, status in (("scan", "--all"), 0), (("scan", "two", "--fail"), 6), (("scan", "one"), 1):
        for more in ([], ["--json"]):
            done = empty(*arguments, *more)
            assert done.returncode == status
            assert secret[6:] not in done.stdout + done.stderr
    found, _ = json.loads(empty("scan", "--all", "--json").stdout)["secrets"]
    assert found == {
        "key": "gemini:two",
        "message": "m1",
        "field": "text",
        "rule": "github-token",
        "count": 1,
        "head": "ghp_…",
    }
    assert empty("scan").returncode == 2
    assert empty("scan", "one", "--all").returncode == 2


# ---------------------------------------------------------------------- projects, completion


def test_a_taught_path_is_not_resolved(empty: Pollux) -> None:
    (empty.home / "real").mkdir()
    (empty.home / "link").symlink_to(empty.home / "real")
    done = empty("projects", "--add", "link")
    assert done.returncode == 0
    assert str(empty.home / "link") in done.stderr
    assert str(empty.home / "link") in (empty.folder / "xdg/data/pollux/projects.json").read_text()


def test_a_memory_that_cannot_be_written(empty: Pollux) -> None:
    done = empty("projects", "--add", "x", XDG_DATA_HOME="/proc/none")
    assert done.returncode == 4


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(empty: Pollux, shell: str) -> None:
    done = empty("completion", shell)
    assert done.returncode == 0
    assert "_POLLUX_COMPLETE" in done.stdout


def complete(pollux: Pollux, *words: str) -> str:
    line = " ".join(["pollux", *words])
    return pollux(_POLLUX_COMPLETE="zsh_complete", COMP_WORDS=line, COMP_CWORD=str(len(words))).stdout


def test_completion(pollux: Pollux) -> None:
    pollux("sync")  # completion waits for little
    assert "26f2b7db-2185-4078-9062-17194e8fbe1b\nAdd a humidity column" in complete(pollux, "show", "26")
    assert "gemini\\:26f2b7db" in complete(pollux, "export", "gemini:26")
    assert "gemini\nGemini CLI" in complete(pollux, "list", "--agent", "g")
    assert "weather" in complete(pollux, "list", "--project", "we")
    assert "markdown" in complete(pollux, "export", "--to", "m")
    assert "doctor" in complete(pollux, "d")
    assert "98dc623f" in complete(pollux, "show", "26f2b7db", "--at", "98")
    assert "thinking" in complete(pollux, "search", "--in", "th")
    assert "weather" in complete(pollux, "search", "--project", "we")


def test_completion_without_a_home(empty: Pollux) -> None:
    empty.home.rmdir()
    empty.home = empty.folder
    for words in (["show", ""], ["list", "--project", "x"], ["list", "--agent", ""]):
        assert "Traceback" not in complete(empty, *words)
