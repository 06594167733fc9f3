"""The timer that keeps: what is installed, carried over, quoted, found again and removed, by stand-ins on PATH."""

from __future__ import annotations

import os
import plistlib
import re
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pollux.errors import OutputError, RequestError, UnknownName
from pollux.library.library import Library
from pollux.system.timers import Job, Period
from pollux.system.timers.cron import Cron
from pollux.system.timers.launchd import Launchd
from pollux.system.timers.systemd import Systemd

ODD = "/a b'c%d\"e$f\\g `h` #i;j/ü"

CRONTAB = """#!/bin/sh
case "$1" in
-l) if [ -f "$TABLE" ]; then cat "$TABLE"; else echo "no crontab for ada" >&2; exit 1; fi ;;
-r) rm "$TABLE" ;;
-) cat > "$TABLE" ;;
esac
"""
NO_BUS = "#!/bin/sh\necho 'Failed to connect to bus: No medium found' >&2\nexit 1\n"
LOG = '#!/bin/sh\necho "$(basename "$0") $*" >> "$CALLED"\n[ "$2" = is-active ] && echo active\nexit 0\n'


class Machine:
    """A user, with programs of this machine that only pretend."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.table = folder / "table"
        self.called = folder / "called"
        self.environ = {
            "HOME": str(folder / "home"),
            **{f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CACHE", "CONFIG", "DATA")},
        }
        (folder / "home").mkdir()
        monkeypatch.setenv("PATH", f"{self.bin}:/usr/bin:/bin")
        monkeypatch.setenv("TABLE", str(self.table))
        monkeypatch.setenv("CALLED", str(self.called))
        monkeypatch.setattr("pollux.system.timers.choice._BOOTED", folder / "booted")
        for name in ("crontab", "systemctl", "launchctl"):
            self.program(name, NO_BUS)

    def program(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def library(self, **more: str) -> Library:
        return Library({**self.environ, **more}, self.folder, hunt=False)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def test_cron_leaves_foreign_lines_alone(machine: Machine) -> None:
    machine.program("crontab", CRONTAB)
    for foreign in (b"", b"MAILTO=x\n# \xff\xfe\n\n0 1 * * * backup\n", b"0 1 * * * no end of line", b"\n\n"):
        machine.table.write_bytes(foreign)
        timer = machine.library().schedule
        for period in ("6h", "6h", "daily"):
            timer_state = timer.install("cron", period)
            assert timer_state.installed is not None
            assert (timer_state.installed.every, timer_state.installed.current) == (period, True)
            now = machine.table.read_bytes()
            assert now.count(b"archive run") == 1
            assert now.endswith(foreign)
            assert len(now.splitlines()) == len(foreign.splitlines()) + 1
        assert timer.remove() == ["cron"]
        assert (machine.table.read_bytes() if machine.table.exists() else b"") == foreign
        assert timer.remove() == []


def test_a_crontab_that_cannot_be_read_is_not_written(machine: Machine) -> None:
    machine.program("crontab", '#!/bin/sh\n[ "$1" = -l ] && { echo "not allowed" >&2; exit 1; }\ncat > "$TABLE"\n')
    with pytest.raises(OutputError, match="not allowed"):
        machine.library().schedule.install("cron")
    assert not machine.table.exists()


def _read_by_cron(command: str, *, halves: bool) -> str:
    """What a cron hands to the shell: up to the first `%` without a backslash. Some halve doubled backslashes."""
    read = re.compile(r"\\(.)|(%).*|(.)", re.DOTALL)

    def meant(found: re.Match[str]) -> str:
        escaped = found[1]
        if escaped is None:
            return found[3] or ""
        return escaped if escaped == "%" or (halves and escaped == "\\") else f"\\{escaped}"

    return read.sub(meant, command)


@pytest.mark.parametrize(
    "read",
    [
        lambda command: _read_by_cron(command, halves=True),
        lambda command: _read_by_cron(command, halves=False),
        lambda command: command,
    ],
    ids=["a cron that halves backslashes", "a cron that does not", "a cron to which % is nothing"],
)
@pytest.mark.parametrize("odd", [ODD, r"/a\%b", r"/a\\%b\\\c%%d\'%", "%", "\\", r"\\", "a%", "%\\%"])
def test_what_cron_runs_is_what_was_meant(tmp_path: Path, odd: str, read: Callable[[str], str]) -> None:
    """The line goes through cron's own reading of `%`, then through a shell."""
    program = tmp_path / "odd $name's%"
    program.write_text('#!/bin/sh\nprintf "%s|%s|%s" "$CODEX_HOME" "$1" "$2"  >&2\n')
    program.chmod(0o755)
    job = Job(command=(str(program), "archive", odd), environment={"CODEX_HOME": odd}, every=Period(60))
    line = Cron().pieces(job)[0].text
    times, command = line.split(" ", 5)[:5], line.split(" ", 5)[5]
    assert times == ["0", "*", "*", "*", "*"]
    process = subprocess.run(["/bin/sh", "-c", read(command)], capture_output=True, text=True, check=True)
    assert (process.stderr, process.stdout) == (f"{odd}|archive|{odd}", "")
    with pytest.raises(RequestError):
        Cron().pieces(Job(command=("/x",), environment={"A": "b\nc"}, every=Period(60)))
    with pytest.raises(RequestError, match="too long"):
        Cron().pieces(Job(command=("/x" * 600,), environment={}, every=Period(60)))


def test_what_systemd_reads_is_what_was_meant(tmp_path: Path) -> None:
    job = Job(command=("/opt/pollux", ODD), environment={"CODEX_HOME": f"{ODD}\n"}, every=Period(15))
    service, timer = (piece.text for piece in Systemd(tmp_path).pieces(job))
    assert 'Environment="CODEX_HOME=/a b\'c%%d\\"e$f\\\\g `h` #i;j/ü\\n"\n' in service
    assert 'ExecStart="/opt/pollux" "/a b\'c%%d\\"e$$f\\\\g `h` #i;j/ü"\n' in service
    assert "OnCalendar=*:0/15\n" in timer
    odd = Job(command=("/opt/$x",), environment={}, every=Period(15))
    assert 'ExecStart="/usr/bin/env" "/opt/$$x"\n' in Systemd(tmp_path).pieces(odd)[0].text
    with pytest.raises(RequestError):
        Systemd(tmp_path).pieces(Job(command=("/x",), environment={"A": "\x07"}, every=Period(60)))


def test_what_launchd_reads_is_what_was_meant(tmp_path: Path) -> None:
    job = Job(command=("/opt/pollux", ODD), environment={"CODEX_HOME": ODD}, every=Period(1440))
    document = plistlib.loads(Launchd(tmp_path).pieces(job)[0].text.encode())
    assert document["ProgramArguments"] == ["/opt/pollux", ODD]
    assert document["EnvironmentVariables"] == {"CODEX_HOME": ODD}
    assert document["StartInterval"] == 86400


def test_launchd(machine: Machine) -> None:
    machine.program("launchctl", LOG)
    timer = machine.library().schedule
    timer_state = timer.install("launchd", "daily")
    assert timer_state.installed is not None
    assert (timer_state.installed.using, timer_state.installed.every, timer_state.installed.active) == (
        "launchd",
        "daily",
        True,
    )
    file = Path(timer_state.installed.pieces[0].place)
    assert file.parent == machine.folder / "home" / "Library" / "LaunchAgents"
    assert timer.remove() == ["launchd"]
    assert not file.exists()
    assert machine.called.read_text().startswith("launchctl load ")


def test_systemd(machine: Machine) -> None:
    machine.program("systemctl", LOG)
    timer_state = machine.library().schedule.install("systemd")
    assert timer_state.installed is not None
    assert (timer_state.installed.every, timer_state.installed.active, timer_state.installed.current) == (
        "6h",
        True,
        True,
    )
    assert machine.library(CODEX_HOME="/elsewhere").schedule.show().installed != timer_state.installed
    calls = machine.called.read_text()
    assert "systemctl --user daemon-reload\nsystemctl --user enable pollux-archive.timer\n" in calls
    units = machine.folder / "config" / "systemd" / "user"
    assert sorted(path.name for path in units.iterdir()) == ["pollux-archive.service", "pollux-archive.timer"]
    machine.program("systemctl", NO_BUS)
    assert machine.library().schedule.remove() == ["systemd"]
    assert list(units.iterdir()) == []


def test_without_a_bus_all_stays_as_it_was(machine: Machine) -> None:
    with pytest.raises(OutputError, match="Failed to connect to bus") as failed:
        machine.library().schedule.install("systemd")
    assert "--using cron" in (failed.value.hint or "")
    assert not (machine.folder / "config" / "systemd").exists()
    assert machine.library().schedule.show("systemd").installed is None
    machine.program("systemctl", LOG)
    machine.library().schedule.install("systemd", "6h")
    before = machine.library().schedule.show().installed
    machine.program("systemctl", NO_BUS)
    with pytest.raises(OutputError):
        machine.library().schedule.install("systemd", "weekly")
    after = machine.library().schedule.show().installed
    assert before is not None
    assert after is not None
    assert after.pieces == before.pieces


@pytest.mark.parametrize("disables", [True, False])
def test_a_timer_that_does_not_start_leaves_nothing(machine: Machine, disables: bool) -> None:
    """As where systemd takes the units, and cannot start them."""
    units = machine.folder / "config" / "systemd" / "user"
    wants = units / "timers.target.wants"
    machine.program(
        "systemctl",
        "#!/bin/sh\n"
        'case "$2" in\n'
        f"enable) mkdir -p {wants}; ln -s ../pollux-archive.timer {wants}/pollux-archive.timer;;\n"
        f"disable) {f'rm {wants}/pollux-archive.timer; rmdir {wants}' if disables else 'exit 1'};;\n"
        "restart) echo no >&2; exit 1;;\nesac\n",
    )
    with pytest.raises(OutputError, match="restart failed"):
        machine.library().schedule.install("systemd")
    assert not (machine.folder / "config" / "systemd").exists()
    (units / "mine").mkdir(parents=True)
    with pytest.raises(OutputError, match="restart failed"):
        machine.library().schedule.install("systemd")
    assert [path.name for path in units.iterdir()] == ["mine"]


def test_another_kind_takes_its_place(machine: Machine) -> None:
    machine.program("systemctl", LOG)
    machine.program("crontab", CRONTAB)
    timer = machine.library().schedule
    timer.install("cron", "12h")
    timer.install("systemd", None)
    assert not machine.table.exists()
    result = timer.show()
    assert result.installed is not None
    assert (result.installed.using, result.installed.every) == ("systemd", "12h")


def test_what_suits_the_machine(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.program("crontab", CRONTAB)
    monkeypatch.setattr("sys.platform", "linux")
    assert machine.library().schedule.show().planned.using == "cron"
    (machine.folder / "booted").mkdir()
    assert machine.library().schedule.show().planned.using == "systemd"
    monkeypatch.setattr("sys.platform", "darwin")
    assert machine.library().schedule.show().planned.using == "launchd"
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("PATH", str(machine.folder))
    with pytest.raises(RequestError, match="no systemd, launchd or cron"):
        machine.library().schedule.show()
    with pytest.raises(UnknownName):
        machine.library().schedule.show("sundial")


def test_what_decides_where_pollux_looks_is_carried_over_and_nothing_else(machine: Machine) -> None:
    homes = {
        "POLLUX_GEMINI_DIR": f"/g{os.pathsep}/h",
        "GEMINI_CLI_HOME": "/i",
        "CLAUDE_CONFIG_DIR": "/c",
        "CODEX_HOME": "/x",
    }
    others = {"GEMINI_API_KEY": "secret", "ANTHROPIC_API_KEY": "secret", "CODEX_SESSIONS_DIR": "", "LANG": "C"}
    planned = machine.library(**homes, **others).schedule.show("systemd").planned
    assert planned.environment == {**machine.environ, **homes}
    assert Path(planned.command[0]).is_absolute()
    assert planned.command[-2:] == ("archive", "run")
    with pytest.raises(RequestError, match="relative"):
        machine.library(CODEX_HOME="here").schedule.show("systemd")


@pytest.mark.parametrize("text", ["7h", "0h", "90min", "3d", "often", "", "6", "-6h", "9" * 99])
def test_no_timer_can_run_so_often(text: str) -> None:
    with pytest.raises(RequestError):
        Period.parse(text)


def test_periods_are_said_as_they_are_read() -> None:
    for text in ("5min", "30min", "1h", "12h", "daily", "weekly"):
        assert str(Period.parse(text)) == text
    assert Period.parse("24h") == Period.parse("1d") == Period.parse("daily")
    assert Period.parse("60m") == Period.parse("hourly") == Period.parse(" 1 H ")


def test_doctor_tells_of_the_last_run(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.program("crontab", CRONTAB)
    library = machine.library()
    report = library.doctor().archive
    assert report is not None
    assert (report.ran, report.using, report.overdue) == (None, None, False)
    present = datetime(2026, 11, 15, 12, tzinfo=UTC)
    monkeypatch.setenv("POLLUX_NOW", present.isoformat())
    library.schedule.install("cron", "6h")
    library.archive.run()
    for hours, late in ((1, False), (11, False), (13, True)):
        monkeypatch.setenv("POLLUX_NOW", (present + timedelta(hours=hours)).isoformat())
        report = library.doctor().archive
        assert report is not None
        assert (report.ran, report.using, report.every, report.overdue) == (present, "cron", "6h", late)
    library.schedule.remove()
    report = library.doctor().archive
    assert report is not None
    assert (report.every, report.overdue) == (None, False)
