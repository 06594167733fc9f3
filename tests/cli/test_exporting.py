"""Files that `export` writes, and what `scan` finds before they leave."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.program import ROOT, Pollux
from tests.cli.session_text import session


def test_a_report_is_not_written_over_unless_that_was_asked_for(pollux: Pollux) -> None:
    mine = pollux.home / "report.json"
    mine.write_text("mine")
    export = ("export", "last", "--to", "json", "-o", "one.json", "--json-report", "report.json")
    result = pollux(*export)
    assert (result.returncode, mine.read_text()) == (5, "mine")
    assert "report.json exists already." in result.stderr
    assert not (pollux.home / "one.json").exists()  # said before anything was written
    assert pollux(*export, "--force").returncode == 0
    assert "kept" in mine.read_text()


def test_export_of_everything(pollux: Pollux) -> None:
    every = json.loads(pollux("list", "--all", "--json").stdout)
    report = pollux.folder / "report.json"
    result = pollux("export", "--all", "--to", "json", "-o", "out", "--json-report", str(report))
    assert (result.returncode, result.stdout) == (0, "")
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


def test_a_session_named_twice_is_one(pollux: Pollux) -> None:
    newest = json.loads(pollux("show", "last", "--json").stdout)
    result = pollux("export", "last", newest["id"], newest["files"][0], "--to", "text", "-o", "out")
    assert (result.returncode, result.stderr) == (0, f"1 session written to out/gemini-{newest['id']}.txt\n")
    copy = pollux.folder / "copy.json"
    copy.write_text(json.dumps({**newest, "recorded_title": "Another"}))
    result = pollux("export", "last", str(copy), "--to", "text", "-o", "out")
    assert result.returncode == 2
    assert f"{newest['key']} was named twice, and reads differently." in result.stderr


def test_export_equals_show(pollux: Pollux) -> None:
    assert pollux("export", "last", "--to", "json").stdout == pollux("show", "last", "--json").stdout


def test_export_to_where_nothing_can_be_written(pollux: Pollux) -> None:
    blocked = pollux.folder / "file"
    blocked.write_text("mine")
    result = pollux("export", "--all", "--to", "markdown", "-o", str(blocked))
    assert (result.returncode, f"{blocked} is a file, and several sessions need a folder." in result.stderr) == (
        5,
        True,
    )
    for output in (f"{blocked}/x.md", "/proc/none/x.md", str(pollux.folder / "no" / "such" / "x.md")):
        assert pollux("export", "last", "--to", "markdown", "-o", output).returncode == 5
    assert pollux("export", "--all", "--to", "markdown", "-o", str(blocked)).returncode == 5
    assert pollux("export", "last", "--to", "markdown", "-o", str(blocked)).returncode == 5
    assert blocked.read_text() == "mine"
    result = pollux("export", "last", "--to", "markdown", "--json-report", "/proc/none/x.json")
    assert result.returncode == 5


def test_nothing_is_written_among_the_agents_files(pollux: Pollux) -> None:
    link = pollux.folder / "link"
    link.symlink_to(pollux.home / ROOT, target_is_directory=True)
    before = {file: file.read_bytes() for file in (pollux.home / ROOT).rglob("*") if file.is_file()}
    first = str(next(file for file in before if file.suffix == ".jsonl"))
    for output in (first, str(link), str(link / "x.json"), str(pollux.home / ROOT / "new" / "")):
        result = pollux("export", "last", "--to", "json", "-o", output, "--force")
        assert result.returncode == 5, output
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
    result = pollux("show", "kept.json", "--json")
    assert result.stdout == (pollux.home / "kept.json").read_text("utf-8")
    assert (
        pollux("export", "kept.json", "--to", "markdown").stdout == pollux("export", "last", "--to", "markdown").stdout
    )
    (pollux.home / "torn.json").write_bytes((pollux.home / "kept.json").read_bytes()[:-40])
    assert pollux("show", "torn.json").returncode == 3


def test_a_disk_that_becomes_full(pollux: Pollux) -> None:
    """Once the folder is open no file may grow beyond a block: the same error at the same place, for no disk."""
    program = (
        "import resource, sys; from pollux.cli import app; from pollux.export.folder import Folder\n"
        "def enter(self, was=Folder.__enter__):\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)); return was(self)\n"
        "Folder.__enter__ = enter; sys.exit(app.run(['export', '--all', '--to', 'markdown', '-o', 'out']))"
    )
    command = [sys.executable, "-c", program]
    process = subprocess.run(command, env=pollux.env, cwd=pollux.home, capture_output=True, text=True, check=False)
    assert process.returncode == 5, process.stderr
    assert "cannot be written: File too large." in process.stderr
    assert process.stderr.count("\n") == 1
    assert all(file.stat().st_size <= 512 for file in (pollux.home / "out").iterdir())


def test_an_interrupted_export_leaves_whole_files(pollux: Pollux) -> None:
    """Interrupted in the middle of a file: those before it are there, and nothing of this one."""
    program = (
        "import sys; from pollux.cli import app; from pollux import registry\n"
        "writer, count = registry.writer('json'), [0]\n"
        "def stop(session, out, *more, write=writer.write):\n"
        "    count[0] += 1\n"
        "    if count[0] == 3:\n"
        "        out('{'); raise KeyboardInterrupt\n"
        "    return write(session, out, *more)\n"
        "writer.write = stop; sys.exit(app.run(['export', '--all', '--to', 'json', '-o', 'out']))"
    )
    command = [sys.executable, "-c", program]
    process = subprocess.run(command, env=pollux.env, cwd=pollux.home, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (130, "")
    left = [file for file in (pollux.home / "out").iterdir() if file.name != ".pollux.jsonl"]
    assert len(left) == 2
    assert all(json.loads(file.read_text("utf-8"))["key"] for file in left)
    assert pollux("export", "--all", "--to", "json", "-o", "out").returncode == 0


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("output", ["out/", "one.json"])
def test_an_export_that_is_asked_to_end_leaves_nothing_unfinished(pollux: Pollux, name: str, output: str) -> None:
    before = {*pollux.home.iterdir()}
    program = (
        "import os, signal, sys, time; from pollux.cli import app; from pollux import registry\n"
        f"signal.signal(signal.{name}, signal.SIG_DFL)\n"  # whoever started the tests may ignore it
        "writer = registry.writer('json')\n"
        "def stop(session, out, *more):\n"
        f"    out('{{'); os.kill(os.getpid(), signal.{name}); time.sleep(30)\n"
        f"writer.write = stop; sys.exit(app.run(['export', 'last', '--to', 'json', '-o', '{output}']))"
    )
    command = [sys.executable, "-c", program]
    process = subprocess.run(command, env=pollux.env, cwd=pollux.home, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (128 + getattr(signal, name), "")
    assert sorted({*pollux.home.iterdir(), *(pollux.home / "out").glob("*")} - before) in ([], [pollux.home / "out"])


def test_redaction_from_settings(empty: Pollux) -> None:
    secret = "ghp_" + "b7Qx2kVn9TzR4mLw8HsJ3dYc6FgP1aUe5NiB"
    empty.file("p/chats/session-2026-11-15T05-00-one.json", session("one", f"Nightingale {secret} ada@example.org"))
    settings = Path(empty.env["XDG_CONFIG_HOME"]) / "pollux" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[redact]\nwords = ["nightingale"]\nemails = true\n')
    output = empty("export", "one", "--to", "text", "--redact").stdout
    assert "[secret:word#1] [secret:github-token#1] [secret:email#1]" in output
    assert secret in empty("export", "one", "--to", "text").stdout
    settings.write_text("[redact]\nword = []\n")
    result = empty("export", "one", "--to", "text", "--redact")
    assert (result.returncode, result.stdout) == (2, "")


def test_scan_and_its_statuses(empty: Pollux) -> None:
    empty.file("p/chats/session-2026-11-15T05-00-one.json", session("one", "nothing to see"))
    assert empty("scan", "--all").returncode == 1
    assert empty("scan", "--all", "--fail").returncode == 0
    secret = "ghp_" + "b7Qx2kVn9TzR4mLw8HsJ3dYc6FgP1aUe5NiB"
    empty.file("p/chats/session-2026-11-15T05-01-two.json", session("two", f"My token: {secret}"))
    for arguments, status in (("scan", "--all"), 0), (("scan", "two", "--fail"), 6), (("scan", "one"), 1):
        for more in ([], ["--json"]):
            results = empty(*arguments, *more)
            assert results.returncode == status
            assert secret[6:] not in results.stdout + results.stderr
    result, _ = json.loads(empty("scan", "--all", "--json").stdout)["secrets"]
    assert result == {
        "key": "gemini:two",
        "message": "m1",
        "field": "text",
        "rule": "github-token",
        "count": 1,
        "head": "ghp_…",
    }
    assert empty("scan").returncode == 2
    assert empty("scan", "one", "--all").returncode == 2


def test_several_sessions_do_not_go_to_what_would_be_a_file(pollux: Pollux) -> None:
    for name in ("all.html", "all.MD"):
        result = pollux("export", "--all", "--to", "text", "-o", name)
        assert (result.returncode, f"Try: -o {name}/" in result.stderr) == (2, True)
        assert not (pollux.home / name).exists()
    assert pollux("export", "--all", "--to", "text", "-o", "all.md/").returncode == 0
    assert pollux("export", "--all", "--to", "text", "-o", "all.md").returncode == 0  # it is a folder now


def test_an_ending_in_capital_letters_tells_the_format(pollux: Pollux) -> None:
    assert pollux("export", "last", "-o", "one.MD").returncode == 0
    assert (pollux.home / "one.MD").read_text("utf-8") == pollux("export", "last", "--to", "markdown").stdout


def test_a_folder_that_is_not_there_is_named(pollux: Pollux) -> None:
    result = pollux("export", "last", "-o", "no/such/one.md")
    assert (result.returncode, result.stderr.splitlines()[1:]) == (
        5,
        ["There is no folder no/such. Try: mkdir -p no/such"],
    )


def test_a_report_goes_to_a_file(pollux: Pollux) -> None:
    result = pollux("export", "last", "--to", "text", "--json-report", "-")
    assert (result.returncode, result.stdout) == (2, "")
    assert not (pollux.home / "-").exists()
