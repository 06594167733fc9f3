"""Full disks, missing packages and missing rights: a sentence, the right status, and nothing lost."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import pytest

from pollux.cli.app import run
from pollux.errors import Missing, OutputError, StoreError
from pollux.lake.permissions import Permission, Permissions
from pollux.lake.store import Store
from tests.index.conftest import small_disk
from tests.lake.push.pushing import Machine, new_lake, newest

__all__ = ["small_disk"]


def test_a_full_lake(machine: Machine, small_disk: Path) -> None:
    keys = {machine.talk(f"a{number}", os.urandom(30_000).hex()) for number in range(20)}
    machine.allow()
    lake = new_lake(small_disk)
    with pytest.raises(OutputError, match="cannot be written to") as raised:
        machine.push(lake.url)
    assert "No space left" in str(raised.value)
    kept = {one.path: lake.get(one.path) for one in lake.paths("sessions")}
    assert 0 < len(kept) < len(keys)
    os.system(f"mount -o remount,size=4m {small_disk}")  # noqa: S605
    machine.push(lake.url)
    assert {key for _, key in newest(lake)} == keys
    assert {path: lake.get(path) for path in kept} == kept


def test_a_full_disk_of_the_machine(machine: Machine, folder: Store, small_disk: Path) -> None:
    machine.talk("a1", "one")
    machine.places.environ = {**machine.environ, "XDG_DATA_HOME": str(small_disk)}
    machine.allow()
    with contextlib.suppress(OSError), (small_disk / "rest").open("wb", buffering=0) as rest:
        while True:
            rest.write(bytes(1024))
    with pytest.raises(StoreError):
        machine.push(folder.url)
    assert newest(folder) == {}
    (small_disk / "rest").unlink()
    assert machine.push(folder.url).sessions == 1


def test_without_the_package(machine: Machine, folder: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.talk("a1", "one")
    machine.allow()
    for name in ("obstore", "obstore.exceptions", "obstore.store"):
        monkeypatch.setitem(sys.modules, name, None)
    assert len(machine.pusher(folder.url).preview().sessions) == 1
    with pytest.raises(Missing, match="obstore") as raised:
        machine.push(folder.url)
    assert raised.value.hint == "Try: pip install 'pollux[lake]'"


def test_a_folder_that_only_others_may_write_to(
    machine: Machine, folder: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.talk("a1", "one")
    machine.allow()
    for name, value in {**machine.environ, "POLLUX_BACKGROUND": "0"}.items():
        monkeypatch.setenv(name, value)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("obstore.put", refuse)
    assert run(["lake", "push", folder.url, "--person", "ada"]) == 5
    told = capsys.readouterr()
    assert "the rights are missing" in told.err
    assert "Traceback" not in told.err
    monkeypatch.undo()


def test_a_damaged_list_of_permissions_pushes_nothing(
    machine: Machine, folder: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.talk("a1", "one")
    machine.allow()
    (machine.places.lake / "allowed.json").write_text("{")
    for name, value in {**machine.environ, "POLLUX_BACKGROUND": "0"}.items():
        monkeypatch.setenv(name, value)
    for command in (["allow"], ["preview"], ["push", folder.url], ["status"]):
        assert run(["lake", *command]) == 4
        assert "nothing counts as allowed" in capsys.readouterr().err
    assert list(folder.paths()) == []


def test_two_pushes_at_once_take_turns(machine: Machine, folder: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from pollux.system import locks

    machine.talk("a1", "one")
    machine.allow()
    monkeypatch.setattr(locks, "PATIENCE", 0.2)
    machine.places.lake.mkdir(parents=True, exist_ok=True)
    with (
        locks.write_lock(machine.places.lake / "lock", lambda _: None),
        pytest.raises(StoreError, match="Another pollux"),
    ):
        machine.push(folder.url)
    assert machine.push(folder.url).sessions == 1


def test_permissions_are_as_they_were_if_writing_fails(small_disk: Path) -> None:
    permissions = Permissions(small_disk / "lake")
    permissions.allow(Permission(path="/code/shop"))
    with pytest.raises(StoreError, match="No space"):
        permissions.allow(Permission(path="/code/large", name="x" * 500_000))
    assert Permission(path="/code/shop") in Permissions(small_disk / "lake").all()
