"""What a push sends, and what it does not."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from pollux.errors import NotFound, OutputError, RequestError, StoreError, UnknownName
from pollux.lake import send
from pollux.lake.documents import Level, Tombstone
from pollux.lake.journal import Journal
from pollux.lake.prepare import Preparer
from pollux.lake.settings import push_settings, this_machine
from pollux.lake.status import push_status
from pollux.lake.store import RIGHTS, Store
from pollux.library.library import Filter
from pollux.library.marks.service import Edit, Target
from pollux.system.directories import Places
from pollux.transforms.redact import RULES
from tests.lake.push.pushing import Machine, every_byte, new_lake, newest, told

NOW = "2026-11-15T12:{:02}:00Z"


@pytest.fixture(autouse=True)
def noon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLLUX_NOW", NOW.format(0))


def texts(store: Store) -> dict[str, str]:
    """What was said in each session, as the lake has it."""
    return {key: " ".join(m.text for m in one.read().messages) for (_, key), one in newest(store).items()}


def test_a_session_goes_once_and_again_when_it_grows(
    machine: Machine, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = machine.talk("a1", "one")
    machine.allow()
    assert machine.push(store.url).sessions == 1
    assert texts(store) == {key: "one"}
    assert machine.push(store.url).sessions == 0
    machine.talk("a1", "two")
    monkeypatch.setenv("POLLUX_NOW", NOW.format(14))
    outcome = machine.push(store.url)
    assert (outcome.sessions, outcome.held["waiting"]) == (0, 1)
    monkeypatch.setenv("POLLUX_NOW", NOW.format(15))
    assert machine.push(store.url).sessions == 1
    assert texts(store) == {key: "one two"}
    assert [entry.key for entry in told(store)] == [key, key]


def test_a_session_that_shrinks_and_comes_back(
    machine: Machine, folder: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = machine.talk("a1", "one", "two")
    file = next(machine.home.rglob("session-a1.jsonl"))
    long = file.read_bytes()
    machine.allow()
    for minute, content in ((0, long), (20, long[: long.rindex(b"{")]), (40, long)):
        monkeypatch.setenv("POLLUX_NOW", NOW.format(minute))
        file.write_bytes(content)
        assert machine.push(folder.url).sessions == 1
        assert texts(folder) == {key: "one two" if content == long else "one"}
    assert len({entry.path for entry in told(folder)}) == 3


def test_a_clock_that_goes_back_hides_nothing(machine: Machine, folder: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    key = machine.talk("a1", "one")
    machine.allow()
    monkeypatch.setenv("POLLUX_NOW", "2031-01-01T00:00:00Z")
    machine.push(folder.url)
    machine.talk("a1", "two")
    monkeypatch.setenv("POLLUX_NOW", "2026-01-01T00:00:00Z")
    assert machine.push(folder.url).sessions == 1
    assert texts(folder) == {key: "one two"}


# ------------------------------------------------------------------------------------------------- what does not go


@pytest.fixture
def no_connection(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A store that nobody may speak to."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        keys = {"ACCESS_KEY_ID": "k", "SECRET_ACCESS_KEY": "s", "REGION": "us-east-1"}
        for name, value in {**keys, "ENDPOINT_URL": f"http://127.0.0.1:{server.getsockname()[1]}"}.items():
            monkeypatch.setenv(f"AWS_{name}", value)
        yield
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.usefixtures("no_connection")
def test_nothing_allowed_makes_no_connection(machine: Machine) -> None:
    machine.talk("a1", "one")
    with pytest.raises(NotFound, match="Nothing may be pushed"):
        machine.push("s3://acme/lake")
    assert not machine.places.lake.exists()


@pytest.mark.usefixtures("no_connection")
def test_another_project_makes_no_connection(machine: Machine) -> None:
    machine.talk("a1", "one")
    machine.allow("/home/ada/code/shop")
    outcome = machine.push("s3://acme/lake")
    assert (outcome.sessions, outcome.held["not_allowed"]) == (0, 1)


@pytest.mark.usefixtures("no_connection")
def test_a_preview_makes_no_connection_and_leaves_no_trace(machine: Machine) -> None:
    key = machine.talk("a1", "one")
    machine.allow()
    preview = machine.pusher("s3://acme/lake").preview()
    assert [one.planned.key for one in preview.sessions] == [key]
    assert not Journal(machine.places.lake).exists
    assert [one.planned.key for one in machine.pusher().preview().sessions] == [key]


def test_nothing_new_makes_no_connection(
    machine: Machine, s3: Store, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.talk("a1", "one")
    machine.allow()
    assert machine.push(s3.url).sessions == 1
    request.getfixturevalue("no_connection")
    file = next(machine.home.rglob("session-a1.jsonl"))
    file.touch()  # it was touched, but it says the same
    monkeypatch.setenv("POLLUX_NOW", NOW.format(30))
    assert machine.push(s3.url).held["unchanged"] == 0
    assert machine.push(s3.url).held["unchanged"] == 1


def test_projects_that_are_not_allowed_leave_nothing(machine: Machine, store: Store) -> None:
    machine.talk("a1", "shop words", project="shop")
    machine.talk("a2", "zanzibar words", project="zanzibar")
    machine.allow("/home/ada/code/shop")
    machine.push(store.url)
    content = every_byte(store)
    assert b"shop words" in content
    assert b"zanzibar" not in content.lower()


def test_what_is_private_stays_here(machine: Machine, folder: Store) -> None:
    hidden, shown, partly = (
        machine.talk("a1", "secret plan"),
        machine.talk("a2", "harmless"),
        machine.talk("a3", "x", "y"),
    )
    machine.talk("a4", "of a private project", project="diary")
    machine.settings('[private]\nprojects = ["diary"]')
    library = machine.library()
    message = library.session(partly).messages[0]
    library.marks.change([Target(hidden), Target(partly, message)], Edit(private=True))
    machine.allow()
    outcome = machine.push(folder.url)
    assert set(texts(folder)) == {shown}
    assert outcome.held["private"] == 3


def test_planted_secrets_of_every_rule_are_nowhere(machine: Machine, store: Store) -> None:
    from pollux.transforms.redact.find import Finder

    secrets = []
    for number, rule in enumerate(RULES):
        (span,) = Finder(RULES).find(rule.example)
        secrets.append(rule.example[span.start : span.end])
        machine.talk(f"a{number:03x}", f"Look at this:\n{rule.example}\nwhat is it?")
    machine.allow()
    preview = machine.pusher(store.url).preview()
    outcome = machine.push(store.url)
    assert {rule for one in preview.sessions for rule in one.secrets} == {rule.name for rule in RULES}
    assert outcome.secrets == len(RULES) == sum(sum(one.secrets.values()) for one in preview.sessions)
    content = every_byte(store).decode()
    assert [secret for secret in secrets if secret in content] == []
    assert str(machine.home) not in content
    assert "/home/ada" not in content


def test_figures_have_no_words(machine: Machine, store: Store) -> None:
    machine.talk("a1", "zanzibar")
    machine.talk("a2-plan-of-zanzibar", "another")
    machine.allow(level=Level.FIGURES)
    machine.push(store.url)
    content = every_byte(store).lower()
    assert len(newest(store)) == 2
    for word in (b"zanzibar", b"another", b"weather", b".gemini", b"/home"):
        assert word not in content


def test_a_word_of_the_user_is_taken_out(machine: Machine, folder: Store) -> None:
    machine.talk("a1", "call it Zanzibar")
    machine.settings('[redact]\nwords = ["zanzibar"]')
    machine.allow()
    machine.push(folder.url)
    assert b"zanzibar" not in every_byte(folder).lower()


def test_a_preview_is_what_is_sent_to_the_byte(machine: Machine, folder: Store) -> None:
    for number in range(5):
        machine.talk(f"a{number}", f"text {number} " * 50)
    machine.allow()
    preview = machine.pusher(folder.url).preview()
    outcome = machine.push(folder.url)
    sizes = {one.path.rpartition("-")[2]: one.size for one in folder.paths("sessions")}
    assert {one.entry.path.rpartition("-")[2]: one.entry.bytes for one in preview.sessions} == sizes
    assert outcome.bytes == sum(sizes.values())


def test_one_document_can_be_looked_at(machine: Machine, folder: Store) -> None:
    key = machine.talk("a1", "one")
    machine.talk("a2", "two", project="shop")
    machine.allow("/home/ada/code/weather")
    machine.push(folder.url)
    assert machine.pusher(folder.url).document(key) == newest(folder)[this_machine(machine.places).id, key]
    with pytest.raises(UnknownName):
        machine.pusher(folder.url).document("a2")


# ----------------------------------------------------------------------------------------- levels, names and settings


def test_a_lower_level_counts_at_once(machine: Machine, folder: Store) -> None:
    machine.talk("a1", "one")
    machine.allow(level=Level.WHOLE)
    machine.push(folder.url)
    machine.allow(level=Level.FIGURES)
    assert machine.push(folder.url).sessions == 1
    assert [one.level for one in newest(folder).values()] == [Level.FIGURES]


def test_an_empty_name_is_not_the_name_of_the_account(machine: Machine) -> None:
    with pytest.raises(RequestError, match="cannot name a person"):
        push_settings(machine.places, person="")


def test_the_machine_may_lower_the_level_and_name_the_lake(
    machine: Machine, folder: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = tmp_path / "etc.toml"
    system.write_text(f'[lake]\nurl = "{folder.url}"\nlevel = "redacted"\nperson = "somebody"')
    monkeypatch.setattr(Places, "system_settings", system)
    machine.talk("a1", "one")
    machine.allow(level=Level.WHOLE)
    machine.settings('[lake]\nperson = "grace"\nlevel = "whole"')
    settings = push_settings(machine.places)
    assert (settings.url, settings.person) == (folder.url, "grace")
    assert machine.pusher().push().sessions == 1
    assert [one.level for one in newest(folder).values()] == [Level.REDACTED]
    system.write_text('[lake]\nlevel = "everything"')
    with pytest.raises(RequestError):
        push_settings(machine.places)


def test_a_machine_has_a_number_of_its_own(machine: Machine, tmp_path: Path) -> None:
    other = Machine(tmp_path / "other")
    assert this_machine(machine.places) == this_machine(machine.places) != this_machine(other.places)
    machine.places.machine.write_text("odd")
    with pytest.raises(StoreError):
        this_machine(machine.places)


def test_two_machines_with_one_session_do_not_meet(machine: Machine, folder: Store, tmp_path: Path) -> None:
    other = Machine(tmp_path / "other")
    for one in (machine, other):
        one.talk("a1", "one")
        one.allow()
        one.push(folder.url)
    assert len(newest(folder)) == 2


# --------------------------------------------------------------------------------------------------- when it goes wrong


def test_a_store_that_fails_in_the_midst_loses_nothing(
    machine: Machine, folder: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {machine.talk(f"a{number}", "one") for number in range(9)}
    machine.allow()
    monkeypatch.setattr(send, "IN_A_NEWS", 2)
    put, count = Store.put_if_absent, iter(range(100))

    def fail(self: Store, path: str, data: bytes) -> bool:
        if next(count) == 5:
            raise OutputError("The store is full.")
        return put(self, path, data)

    monkeypatch.setattr(Store, "put_if_absent", fail)
    with pytest.raises(OutputError):
        machine.push(folder.url)
    assert len(newest(folder)) < len(keys)
    machine.push(folder.url)
    assert {key for _, key in newest(folder)} == keys
    assert len(list(folder.paths("sessions"))) == len(keys)


def test_a_session_that_cannot_be_prepared_costs_no_other(
    machine: Machine, folder: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad, good = machine.talk("a1", "bad"), machine.talk("a2", "good")
    machine.allow()
    prepare = Preparer.prepare

    def fail(self: Preparer, session: object, planned: object, **how: bool) -> object:
        if getattr(planned, "key", "") == bad:
            raise ValueError("odd")
        return prepare(self, session, planned, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(Preparer, "prepare", fail)
    outcome = machine.push(folder.url)
    assert (outcome.unread, set(texts(folder))) == ([bad], {good})


def test_a_lost_journal_pushes_once_more_and_changes_nothing(machine: Machine, folder: Store) -> None:
    machine.talk("a1", "one")
    machine.allow()
    machine.push(folder.url)
    before = texts(folder)
    for file in machine.places.lake.glob("journal.db*"):
        file.unlink()
    machine.push(folder.url)
    assert texts(folder) == before


def test_again_sends_what_the_lake_lost(machine: Machine, folder: Store) -> None:
    machine.talk("a1", "one")
    machine.allow()
    machine.push(folder.url)
    before = texts(folder)
    folder.delete([one.path for one in folder.paths()])
    assert machine.push(folder.url).sessions == 0
    assert machine.push(folder.url, again=True).sessions == 1
    assert texts(folder) == before


def test_what_was_erased_does_not_come_back(machine: Machine, store: Store) -> None:
    machine.talk("a1", "one")
    machine.talk("a2", "two")
    machine.allow()
    stone = Tombstone(person="ada", key="gemini:a1", at=NOW.format(0))
    store.put_if_absent(stone.path, msgspec.json.encode(stone))
    outcome = machine.push(store.url)
    assert (outcome.sessions, outcome.erased) == (1, 1)
    assert set(texts(store)) == {"gemini:a2"}
    stone = Tombstone(person="ada", at=NOW.format(0))
    store.put_if_absent(stone.path, msgspec.json.encode(stone))
    outcome = machine.push(store.url, again=True)
    assert (outcome.sessions, outcome.erased) == (0, 2)


def test_who_may_not_read_still_pushes(machine: Machine, folder: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.talk("a1", "one")
    machine.allow()

    def refuse(*_: object) -> None:
        raise OutputError("No rights.", RIGHTS)

    def fail(*_: object) -> None:
        raise OutputError("It does not answer.")

    Path(folder.url, "tombstones", machine.person).mkdir(parents=True)
    Path(folder.url, "tombstones", machine.person, ".DS_Store").write_bytes(b"somebody's")
    monkeypatch.setattr(Store, "paths", fail)
    with pytest.raises(OutputError, match="does not answer"):  # once is enough to wait for
        machine.push(folder.url)
    monkeypatch.setattr(Store, "paths", refuse)
    assert machine.push(folder.url).sessions == 1
    monkeypatch.undo()
    machine.talk("a2", "two")
    assert machine.push(folder.url).sessions == 1


def test_a_lake_that_is_not_mounted_is_not_made(machine: Machine, tmp_path: Path) -> None:
    machine.talk("a1", "one")
    machine.allow()
    with pytest.raises(RequestError, match="no folder"):
        machine.push(tmp_path / "mnt" / "lake")
    assert not (tmp_path / "mnt").exists()
    (tmp_path / "mnt" / "lake").mkdir(parents=True)  # where it would be mounted
    with pytest.raises(RequestError, match="no lake"):
        machine.push(tmp_path / "mnt" / "lake")
    new_lake(tmp_path / "mnt" / "lake")
    assert machine.push(tmp_path / "mnt" / "lake").sessions == 1


def test_a_folder_of_something_else_is_not_filled(machine: Machine, tmp_path: Path) -> None:
    machine.talk("a1", "one")
    machine.allow()
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.txt").write_text("one")
    with pytest.raises(RequestError, match="no lake"):
        machine.push(tmp_path / "thesis")
    assert [file.name for file in (tmp_path / "thesis").iterdir()] == ["chapter.txt"]


def test_the_status_tells_what_was_pushed(machine: Machine, folder: Store) -> None:
    machine.talk("a1", "one")
    machine.talk("a2", "two", project="shop")
    machine.allow("/home/ada/code/weather")
    settings = push_settings(machine.places, folder.url, "ada")
    before = push_status(machine.library(), machine.places, settings)
    assert (before.machine, before.changed, before.pushed) == (None, 1, ())
    machine.push(folder.url)
    after = push_status(machine.library(), machine.places, settings)
    assert [(one.lake, one.sessions, one.unfinished) for one in after.pushed] == [(folder.url, 1, 0)]
    assert (after.changed, after.held["unchanged"], after.held["not_allowed"]) == (0, 1, 1)


def test_a_large_push_is_shared_by_processes(machine: Machine, folder: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    from pollux.system import workers

    keys = {machine.talk(f"a{number}", "x " * 500) for number in range(20)}
    machine.allow()
    assert len(machine.library().list(Filter())) == len(keys)
    monkeypatch.setattr(workers, "WORTH_FORKING", 0)
    monkeypatch.setattr(workers, "is_single_threaded", lambda: True)
    assert machine.push(folder.url).sessions == len(keys)
    assert set(texts(folder)) == keys
