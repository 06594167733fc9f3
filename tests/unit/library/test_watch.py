from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from pollux.errors import RequestError, UnknownName
from pollux.library.library import Event, Filter, Library
from pollux.library.watch import EventKind, SeenSession, reports, ticks, watch
from pollux.library.watch.ticks import Tick, Ticks
from pollux.model import Author, Fate, Message, Part, Role, Session, Status, Text, Thinking, ToolCall
from tests.cli.session_text import session as written

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


def call(status: Status = Status.UNFINISHED, output: str | None = None, at: datetime | None = None) -> ToolCall:
    return ToolCall(id="c", name="ls", canonical="shell_exec", tool_kind="execute", status=status, output=output, at=at)


def said(*parts: Part, id: str = "m", fate: Fate = Fate.LIVE, inherited: bool = False, hour: int = 0) -> Message:
    return Message(
        id=id,
        role=Role.ASSISTANT,
        author=Author.MODEL,
        parts=parts,
        fate=fate,
        inherited=inherited,
        at=NOON + timedelta(hours=hour),
    )


def session(*messages: Message) -> Session:
    return Session(agent="gemini", id="s", messages=messages)


def news(before: Session, after: Session) -> list[tuple[str, str, tuple[Part, ...]]]:
    return [(what, message.id, message.parts) for what, message in SeenSession(before).news(after)]


# ---------------------------------------------------------------------- what is new


def test_nothing_is_told_twice() -> None:
    same = session(said(Text(text="hello"), call(Status.OK, "x")))
    assert news(same, same) == []
    later = session(said(Text(text="hello"), call(Status.OK, "x", at=NOON)))
    assert news(same, later) == []


def test_a_new_message_is_told_whole() -> None:
    first, second = said(Text(text="one"), id="1"), said(Text(text="two"), id="2")
    assert news(session(first), session(first, second)) == [("message", "2", second.parts)]


def test_of_a_text_that_grew_only_the_rest_is_told() -> None:
    before = session(said(Thinking(text="Hm"), Text(text="I look")))
    after = session(said(Thinking(text="Hm, well"), Text(text="I look around."), call()))
    assert news(before, after) == [("more", "m", (Thinking(text=", well"), Text(text=" around."), call()))]


def test_a_text_that_was_replaced_is_told_whole() -> None:
    assert news(session(said(Text(text="yes"))), session(said(Text(text="no, wait")))) == [
        ("more", "m", (Text(text="no, wait"),))
    ]


def test_a_tool_that_answered_is_told_again() -> None:
    before, after = session(said(Text(text="x"), call())), session(said(Text(text="x"), call(Status.OK, "README")))
    assert news(before, after) == [("more", "m", (call(Status.OK, "README"),))]


def test_a_part_that_slips_in_between() -> None:
    before = session(said(Text(text="a"), call(Status.OK)))
    after = session(said(Text(text="a"), Thinking(text="new"), call(Status.OK)))
    assert news(before, after) == [("more", "m", (Thinking(text="new"),))]


def test_a_fate() -> None:
    before, after = session(said(Text(text="x"))), session(said(Text(text="x"), fate=Fate.REWOUND))
    assert news(before, after) == [("fate", "m", after.messages[0].parts)]


def test_what_is_inherited_was_said_elsewhere() -> None:
    assert news(session(), session(said(Text(text="x"), inherited=True))) == []


def test_a_session_nobody_looked_at() -> None:
    both = session(said(Text(text="old"), id="1", hour=1), said(Text(text="new"), id="2", hour=-1))
    assert [message.id for _, message in SeenSession(both, {hash("1")}).news(both)] == ["2"]


def test_a_message_that_was_gone_for_a_moment() -> None:
    whole = session(said(Text(text="x"), id="1"), said(Text(text="y"), id="2"))
    after = SeenSession(session(whole.messages[0]))
    after.keep(SeenSession(whole))
    assert list(after.news(whole)) == []


# ---------------------------------------------------------------------- real files


CHATS = Path(".gemini") / "tmp" / "p" / "chats"
FILE = CHATS / "session-2026-11-15T05-00-one.json"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / CHATS).mkdir(parents=True)
    (tmp_path / FILE).write_text(written("one"))
    return tmp_path


@pytest.fixture(params=["events", "watchfiles", "polling"])
def library(home: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Library:
    if request.param != "events":
        monkeypatch.setattr("pollux.system.inotify.is_available", lambda: False)
    if request.param == "polling":
        monkeypatch.setitem(sys.modules, "watchfiles", None)
    monkeypatch.setattr(ticks, "PAUSE", 0.05)
    monkeypatch.setattr(ticks, "INTERVAL", 0.5)
    return Library({"HOME": str(home)}, home, hunt=False)


def add(file: Path, id: str, text: str) -> None:
    document = json.loads(file.read_text())
    message = {"id": id, "timestamp": "2026-11-15T06:00:00.000Z", "type": "user", "content": text}
    document["messages"] = [one for one in document["messages"] if one["id"] != id] + [message]
    new = file.with_suffix(".new")
    new.write_text(json.dumps(document))
    new.replace(file)


def brief(event: Event) -> tuple[str, str, str | None]:
    return event.event, event.session.id, event.message.text if event.message is not None else None


def some(events: Iterator[Event], count: int) -> list[tuple[str, str, str | None]]:
    return [brief(next(events)) for _ in range(count)]


@pytest.mark.slow
def test_a_growing_file(library: Library, home: Path) -> None:
    events = library.watch()
    add(home / FILE, "m3", "And")
    assert some(events, 1) == [("message", "one", "And")]
    add(home / FILE, "m3", "And now?")
    assert some(events, 1) == [("more", "one", " now?")]
    (home / CHATS / "session-2026-11-15T07-00-two.json").write_text(written("two", "Good day."))
    assert some(events, 3) == [
        ("session", "two", None),
        ("message", "two", "Good day."),
        ("message", "two", "Good day."),
    ]
    add(home / FILE, "m4", "Still there?")
    assert some(events, 1) == [("message", "one", "Still there?")]


def test_a_message_that_comes_late(library: Library, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "RECENT", 0)
    events = library.watch()
    add(home / FILE, "m3", "Said long ago.")
    assert some(events, 1) == [("message", "one", "Said long ago.")]
    add(home / FILE, "m4", "And this.")
    assert some(events, 1) == [("message", "one", "And this.")]


def test_another_librarys_sync_is_seen_too(library: Library, home: Path) -> None:
    events = library.watch()
    add(home / FILE, "m3", "Hello?")
    Library({"HOME": str(home)}, home, hunt=False).sync()
    assert some(events, 1) == [("message", "one", "Hello?")]


def test_one_session_or_one_project(library: Library, home: Path) -> None:
    (home / CHATS / "session-2026-11-15T07-00-two.json").write_text(written("two"))
    only, elsewhere = library.watch(key="two"), library.watch(Filter(project="elsewhere", everything=True))
    add(home / FILE, "m3", "Not you.")
    library.sync()
    add(home / CHATS / "session-2026-11-15T07-00-two.json", "m3", "You.")
    assert some(only, 1) == [("message", "two", "You.")]
    (home / ".gemini" / "tmp" / "q" / "chats").mkdir(parents=True)
    (home / ".gemini" / "tmp" / "q" / ".project_root").write_text("/home/ada/elsewhere")
    (home / ".gemini" / "tmp" / "q" / "chats" / FILE.name.replace("one", "six")).write_text(written("six"))
    assert some(elsewhere, 1) == [("session", "six", None)]


def test_a_home_that_is_not_there_yet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ticks, "PAUSE", 0.05)
    events = Library({"HOME": str(tmp_path)}, tmp_path, hunt=False).watch()
    (tmp_path / CHATS).mkdir(parents=True)
    (tmp_path / FILE).write_text(written("one"))
    assert some(events, 1) == [("session", "one", None)]


def test_a_cache_thrown_away_meanwhile(library: Library, home: Path) -> None:
    events = library.watch()
    library.index.clear()
    add(home / FILE, "m3", "Hello?")
    assert some(events, 1) == [("message", "one", "Hello?")]


def test_a_session_that_cannot_be_watched(library: Library, home: Path) -> None:
    with pytest.raises(UnknownName):
        library.watch(key="nonsense")
    (home / "loose.json").write_text(written("loose"))
    with pytest.raises(RequestError, match="only those are watched"):
        library.watch(key=str(home / "loose.json"))


class Clock:
    """A clock that goes on only while somebody waits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr("pollux.library.watch.ticks.time.monotonic", lambda: self.now)


class Told:
    """Reports that are made up: so many changes, one right after the other."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.changes = 0

    def wait(self, seconds: float) -> bool:
        self.clock.now += seconds if not self.changes else 0.01
        self.changes -= bool(self.changes)
        return bool(self.changes)

    def close(self) -> None:
        pass


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Told:
    reports = Told(Clock(monkeypatch))
    monkeypatch.setattr(ticks, "reports_of", lambda *_: reports)
    return reports


def test_ticks_go_on_where_no_watch_is_to_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError("no more watches")

    monkeypatch.setattr(ticks, "reports_of", refused)
    monkeypatch.setattr(ticks, "PAUSE", 0.01)
    stream = iter(Ticks(lambda: [tmp_path]))
    assert [next(stream) for _ in range(3)] == [Tick.REPORTED] * 3


def test_looks_without_a_report_become_rare(tmp_path: Path, told: Told) -> None:
    """An idle program takes no time; where nothing is ever reported, it goes on looking."""
    watched = Ticks(lambda: [tmp_path])
    stream = iter(watched)
    assert next(stream) is Tick.REPORTED
    due = [number for number in range(2000) if next(stream) is Tick.DUE]
    assert told.clock.now == 2000 * ticks.INTERVAL
    gaps = [later - earlier for earlier, later in pairwise(due)]
    assert len([number for number in due if number < ticks.LONGEST / 5]) <= 5
    assert max(gaps) == gaps[-1] == ticks.LONGEST / 5
    watched.missed()
    while next(stream) is not Tick.DUE:
        pass
    assert [next(stream) for _ in range(2)] == [Tick.QUIET, Tick.DUE]


def test_changes_that_follow_one_another_are_one_tick(tmp_path: Path, told: Told) -> None:
    """But one that is never over is told in between."""
    stream = iter(Ticks(lambda: [tmp_path]))
    next(stream)
    told.changes = 5
    assert [next(stream), next(stream)] == [Tick.REPORTED, Tick.DUE]
    told.changes, began = 10**6, told.clock.now
    assert [next(stream) for _ in range(3)] == [Tick.REPORTED] * 3
    assert told.clock.now - began == pytest.approx(3 * ticks.BURST, abs=0.1)


def test_a_folder_that_comes_back_is_watched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ticks, "PAUSE", 0.01)
    folder = tmp_path / "folder"
    folder.mkdir()
    stream = iter(Ticks(lambda: [folder]))
    next(stream)

    def renew() -> None:
        folder.rmdir()
        folder.mkdir()

    threading.Timer(0.2, renew).start()
    assert next(stream) is Tick.REPORTED
    threading.Timer(0.2, (folder / "new").write_text, ["x"]).start()
    assert next(stream) is Tick.REPORTED


def test_watchfiles_is_asked_seldom_while_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, waits, changes = Clock(monkeypatch), list[float](), list[set[object]]()

    class Stop(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            assert timeout is not None
            waits.append(timeout)
            clock.now += timeout
            return False

    def system(*_: object, **__: object) -> Iterator[set[object]]:
        while True:
            yield changes.pop() if changes else set()

    monkeypatch.setattr("watchfiles.watch", system)
    asked = reports.Asked([tmp_path], Stop())
    assert not asked.wait(100)
    calm = round(reports.CALM / reports.QUICK)
    assert waits[: calm - 1] == [reports.QUICK] * (calm - 1)
    assert waits[calm + 1 : -1] == [reports.SLOW] * len(waits[calm + 1 : -1])
    assert len(waits) < calm + 3 + 70 / reports.SLOW
    changes.append({"something"})
    assert asked.wait(100)
    waits.clear()
    assert not asked.wait(10)
    assert waits[0] == reports.QUICK


def test_whoever_ends_a_watch_need_not_wait_for_watchfiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "QUICK", 60.0)
    stop = threading.Event()
    asked = reports.Asked([tmp_path], stop)
    threading.Timer(0.2, stop.set).start()
    began = time.monotonic()
    asked.wait(60)
    assert time.monotonic() - began < 30
    asked.close()


def test_ticks_end(tmp_path: Path) -> None:
    stop = threading.Event()
    stream = iter(Ticks(lambda: [tmp_path], stop))
    assert next(stream) is Tick.REPORTED
    stop.set()
    assert list(stream) == []


def test_happenings_are_words() -> None:
    assert [str(one) for one in EventKind] == ["session", "message", "more", "fate"]
