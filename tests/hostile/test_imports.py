"""Archives that somebody wrote who means harm: they are taken in without harm, or counted as damaged."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec
import pytest
import zstandard

from pollux.archive import restore
from pollux.archive.archive import Archive
from pollux.archive.history import Change
from pollux.archive.packs import LATEST, Content, PackWriter, State, begin
from pollux.cli.terminal.screen import Screen
from pollux.draw.archive import changes
from tests.hostile.conftest import EVERYTHING, World

WORDS = b'{"type":"summary","summary":"of a stranger"}\n'
SHA = hashlib.sha256(WORDS).digest()
CONTENT = Content(sha=SHA, size=len(WORDS))
STATE = State(
    agent="claude",
    home=b"/home/eve/.claude",
    path=b"projects/-home-eve/aaaaaaaa-8fec-4542-b577-6e17ef613410.jsonl",
    at=1_794_722_335_000_000,
    change="new",
    sha=SHA,
    size=len(WORDS),
    mtime_ns=1_794_722_335_000_000_000,
    mode=0o600,
)
ESCAPE = "\x1b]0;PWN\x07"


def _write(file: Path, *heads: Content | State) -> Path:
    """An archive of these records. The payload of a content is always the same."""
    if not file.exists():
        begin(file)
    pen = PackWriter(file)
    for head in heads:
        pen.write(head, zstandard.ZstdCompressor().compress(WORDS) if isinstance(head, Content) else b"")
    pen.settle()
    pen.close()
    return file


def _keeping(world: World) -> None:
    with world.library() as library:
        library.archive.on()
        library.list(EVERYTHING)


def _works(world: World) -> None:
    """No command fails because of what was taken in, nor shows a terminal what it should not see."""
    commands = (
        ("list", "--all"),
        ("archive", "status"),
        ("archive", "run"),
        ("recover",),
        ("history", "last"),
        ("doctor",),
        ("archive", "verify"),
    )
    for command in commands:
        told = world.command(*command)
        assert told.returncode in {0, 1, 3, 4}, (command, told.stderr)
        assert "\x1b]" not in told.stdout + told.stderr, command


IMPOSSIBLE = [
    {"mtime_ns": 2**64 - 1},
    {"mtime_ns": 2**63},
    {"mtime_ns": -(2**63)},
    {"size": 2**64 - 1},
    {"size": -5},
    {"at": 2**63 + 5},
    {"at": 2**62},
    {"at": -(2**62)},
    {"at": -1},
    {"at": LATEST + 1},
    {"mode": -1},
    {"mode": 2**40},
    {"change": ESCAPE},
    {"change": "new\n"},
    {"sha": b"ab"},
    {"sha": b""},
]


@pytest.mark.parametrize("changes", IMPOSSIBLE, ids=str)
def test_a_state_that_cannot_be_is_damage(tmp_path: Path, changes: dict[str, object]) -> None:
    """Whether it is taken in, or an earlier pollux put it into the user's own pack."""
    world = World(tmp_path, ("claude/2.1.325",))
    _keeping(world)
    with world.library() as library:
        states = len(library.archive._store.index.states())
    bad = msgspec.structs.replace(STATE, **changes)
    carried = world.command("archive", "import", str(_write(tmp_path / "carried.pollux", CONTENT, bad)), "--json")
    assert carried.returncode == 3, carried.stderr
    assert json.loads(carried.stdout)["states"] == 0
    assert json.loads(carried.stdout)["damaged"] == 1
    _write(next((world.data / "archive").glob("*.pack")), bad, STATE)
    with world.library() as library:
        assert len(library.archive._store.index.states()) == states + 1
        assert library.archive._store.index.damaged() == 1
        verdict = library.archive.verify()
        assert (verdict.states, verdict.stretches, verdict.lost) == (states + 1, 1, ())


@pytest.mark.parametrize("seconds", [10_400_000_000, -9_300_000_000])
def test_a_file_from_another_age_is_kept(tmp_path: Path, seconds: int) -> None:
    """Its time in nanoseconds does not go into 64 bits."""
    world = World(tmp_path, ("claude/2.1.325",))
    file = min((world.home / ".claude/projects").glob("*/*.jsonl"))
    os.utime(file, ns=(seconds * 10**9,) * 2)
    if abs(file.stat().st_mtime_ns) < 2**63:
        pytest.skip("The file system has no such times.")
    for _ in range(2):
        _keeping(world)
    content = file.read_bytes()
    file.unlink()
    with world.library() as library:
        assert library.session(f"claude:{file.stem}").kept
        assert library.archive.verify().sound
        states = [
            one for one in library.archive._store.index.states() if os.fsencode(file.name) in one.path and one.sha
        ]
        assert [library.archive._store.read(state.sha or b"") for state in states] == [content]


@pytest.mark.parametrize("changes", [{"at": 2**62}, {"mtime_ns": 2**64 - 1}, {"change": ESCAPE}], ids=str)
def test_every_command_goes_on_with_a_state_that_cannot_be(tmp_path: Path, changes: dict[str, object]) -> None:
    world = World(tmp_path, ("claude/2.1.325",))
    _keeping(world)
    pack = next((world.data / "archive").glob("*.pack"))
    _write(pack, CONTENT, STATE, msgspec.structs.replace(STATE, **changes))
    _works(world)


@pytest.mark.parametrize(
    "changes",
    [
        {"copied": -5},
        {"copied": 2**40},
        {"known": -9},
        {"known": 2**64 - 1},
        {"size": 2**64 - 1},
        {"size": -1},
        {"base": b"ab"},
        {"base": SHA},
        {"sha": b"ab"},
    ],
    ids=str,
)
def test_a_content_that_cannot_be_is_damage(tmp_path: Path, changes: dict[str, object]) -> None:
    world = World(tmp_path, ("claude/2.1.325",))
    _keeping(world)
    bad = msgspec.structs.replace(CONTENT, **changes)
    with world.library() as library:
        taken = library.archive.import_file(_write(tmp_path / "carried.pollux", bad, STATE))
        assert (taken.contents, taken.states, taken.damaged) == (0, 0, 2)
        assert library.archive.verify().sound
    _write(next((world.data / "archive").glob("*.pack")), bad)
    with world.library() as library:
        assert not library.archive.verify().sound
        assert library.list(EVERYTHING)


@pytest.mark.parametrize(
    "changes",
    [
        {"sha": b"\1" * 32},
        {"size": len(WORDS) + 1},
        {"sha": None},
        {"agent": ""},
        {"agent": f"claude{ESCAPE}"},
        {"agent": "claude\n"},
        {"agent": "a" * 300},
        {"home": b"/home/eve\0"},
        {"at": LATEST},
    ],
    ids=str,
)
def test_a_state_of_nothing_is_not_taken_in(tmp_path: Path, changes: dict[str, object]) -> None:
    world = World(tmp_path, ("claude/2.1.325",))
    file = _write(tmp_path / "carried.pollux", CONTENT, msgspec.structs.replace(STATE, **changes))
    with world.library() as library:
        taken = library.archive.import_file(file)
        assert (taken.contents, taken.states, taken.damaged) == (1, 0, 1)
        assert library.archive.verify().sound


def test_a_state_may_stand_before_its_content(tmp_path: Path) -> None:
    world = World(tmp_path, ())
    with world.library() as library:
        taken = library.archive.import_file(_write(tmp_path / "carried.pollux", STATE, CONTENT))
        assert (taken.contents, taken.states, taken.damaged) == (1, 1, 0)


def test_a_change_that_this_pollux_does_not_know_is_shown_as_it_is(tmp_path: Path) -> None:
    """A later pollux may know more of them."""
    world = World(tmp_path, ("claude/2.1.325",))
    _keeping(world)
    with world.library() as library:
        own = next(state for state in library.archive._store.index.states() if state.path.startswith(b"projects/"))
        later = msgspec.structs.replace(own, at=own.at + 1, change="moved away")
        taken = library.archive.import_file(_write(tmp_path / "carried.pollux", later))
        assert (taken.states, taken.damaged) == (1, 0)
    told = world.command("history", Path(os.fsdecode(own.path)).stem)
    assert told.returncode == 0, told.stderr
    assert "moved away" in told.stdout


@pytest.mark.parametrize("mode", [0o777, 0o644, 0o4755, 0o066, 0o440])
def test_an_archive_does_not_say_who_else_may_read(tmp_path: Path, mode: int) -> None:
    world = World(tmp_path, ())
    state = msgspec.structs.replace(STATE, mode=mode)
    with world.library() as library:
        library.archive.import_file(_write(tmp_path / "carried.pollux", CONTENT, state))
        archive = library.archive._store
        planned = restore.plan(restore.files_to_write(archive, archive.index.states(), tmp_path / "back", []))
        library.archive.restore(planned)
    assert [piece.place.stat().st_mode & 0o7577 for _, piece in planned] == [0o400]


@pytest.mark.parametrize("first", [True, False], ids=["kept before", "taken in before"])
@pytest.mark.parametrize("beside", ["a folder of sessions", "the folder of all", "below a session"])
def test_what_is_taken_in_hides_no_session(tmp_path: Path, beside: str, first: bool) -> None:
    world = World(tmp_path, ("claude/2.1.325",))
    home = world.home / ".claude"
    session = min((home / "projects").glob("*/*.jsonl")).relative_to(home)
    path = {
        "a folder of sessions": os.fsencode(session.parent),
        "the folder of all": b"projects",
        "below a session": os.fsencode(session / "x.jsonl"),
    }[beside]
    evil = msgspec.structs.replace(STATE, home=os.fsencode(home), path=path)
    file = _write(tmp_path / "carried.pollux", CONTENT, evil)
    if not first:
        with world.library() as library:
            library.archive.import_file(file)
    before = {one.summary.key for one in world.library().list(EVERYTHING)}
    _keeping(world)
    (home / session).unlink()
    if first:
        with world.library() as library:
            taken = library.archive.import_file(file)
            assert (taken.states, taken.damaged) == (1, 0)
    for _ in range(3):
        with world.library() as library:
            assert {one.summary.key for one in library.list(EVERYTHING)} == before
            assert "(1) are not shown" in (library.index.problem or "")
    shutil.rmtree(world.cache)
    assert {one.summary.key for one in world.library().list(EVERYTHING)} == before


def test_a_name_that_is_too_long_hides_nothing_when_it_was_rewritten(tmp_path: Path) -> None:
    world = World(tmp_path, ("claude/2.1.325",))
    _keeping(world)
    home = world.home / ".claude"
    min((home / "projects").glob("*/*.jsonl")).unlink()
    before = {one.summary.key for one in world.library().list(EVERYTHING)}
    long = {"home": os.fsencode(home), "path": b"projects/x/" + b"x" * 300 + b".jsonl"}
    with world.library() as library:
        archive: Archive = library.archive._store
        others = {state.sha: state for state in archive.index.states() if state.path.endswith(b".jsonl")}
        states = [
            msgspec.structs.replace(state, at=number, change="rewritten", **long)
            for number, state in enumerate(others.values())
        ]
        assert library.archive.import_file(_write(tmp_path / "carried.pollux", *states)).states == len(states) > 1
    for _ in range(2):
        with world.library() as library:
            assert {one.summary.key for one in library.list(EVERYTHING)} == before
            assert "(1) are not shown" in (library.index.problem or "")


def test_what_happened_is_shown_without_controls() -> None:
    change = Change(at=datetime(2026, 11, 16, tzinfo=UTC), change=ESCAPE, file=f"/x{ESCAPE}", bytes=1, sha256=None)
    shown = "".join(changes(Screen(click.Context(click.Command("history"))), [change], "/home/ada"))
    assert "PWN" in shown
    assert not any(control in shown for control in "\x1b\x07")
