"""A folder that is written again and again: what did not change is not touched, what is not ours is never touched."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyarrow.parquet import read_table

from pollux import registry
from pollux.errors import OutputError
from pollux.export.folder import RECORD, Folder
from pollux.export.names import Layout, day_name
from pollux.export.run import FolderExport, Outcome
from pollux.library.jobs import Job
from pollux.model import Author, Message, Role, Session, Text, ToolCall, summarize
from pollux.system.files import below
from pollux.transforms.redact import Redactor
from pollux.writers import html, parquet
from pollux.writers.base import Options, Page
from pollux.writers.html import page_parts

DAY = datetime(2026, 11, 15, 23, 0, tzinfo=UTC)
TOKEN = "ghp_" + "b7Qx2kVn9TzR4mLw8HsJ3dYc6FgP1aUe5NiB"


def session(id: str, text: str = "hello", **more: object) -> Session:
    message = Message(id="m", role=Role.USER, author=Author.HUMAN, parts=(Text(text=text),))
    fields = {"project": "/home/ada/weather", "started": DAY, "messages": (message,), **more}
    return Session(agent="gemini", id=id, **fields)  # type: ignore[arg-type]


def job(*sessions: Session) -> Job:
    return Job(summaries=tuple(summarize(one) for one in sessions), load=lambda: list(sessions))


def export(
    folder: Path,
    *sessions: Session,
    to: str = "markdown",
    layout: Layout = Layout.SESSION,
    force: bool = False,
    redactor: Redactor | None = None,
) -> Outcome:
    with Folder(str(folder), forbidden=[], force=force) as opened:
        run = FolderExport(registry.writer(to), Options(), opened, layout=layout, redactor=redactor)
        return run.run([job(one) for one in sessions], {}, {})


def names(folder: Path) -> list[str]:
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())


def stamps(folder: Path) -> dict[str, int]:
    return {name: (folder / name).stat().st_mtime_ns for name in names(folder)}


def test_only_what_changed_is_written(tmp_path: Path) -> None:
    export(tmp_path, session("one"), session("two"))
    assert names(tmp_path) == [RECORD, "gemini-one.md", "gemini-two.md"]
    for file in tmp_path.iterdir():
        os.utime(file, ns=(1, 1))
    export(tmp_path, session("one"), session("two"))
    assert set(stamps(tmp_path).values()) == {1}
    export(tmp_path, session("one"), session("two", "changed"))
    assert stamps(tmp_path)["gemini-one.md"] == 1
    assert "changed" in (tmp_path / "gemini-two.md").read_text()


def test_a_new_title_leaves_one_file(tmp_path: Path) -> None:
    export(tmp_path, session("one", title="Old"))
    export(tmp_path, session("one", title="New"))
    assert names(tmp_path) == [RECORD, "gemini-one.md"]
    assert "# New" in (tmp_path / "gemini-one.md").read_text()


def test_a_file_of_the_users_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "gemini-one.md"
    mine.write_text("mine")
    assert export(tmp_path, session("one"), session("two")).foreign == ["gemini-one.md"]
    assert mine.read_text() == "mine"
    assert (tmp_path / "gemini-two.md").exists()
    assert export(tmp_path, session("one"), force=True).foreign == []
    assert "hello" in mine.read_text()


def test_a_file_somebody_changed_is_left_alone(tmp_path: Path) -> None:
    export(tmp_path, session("one"))
    ours = tmp_path / "gemini-one.md"
    ours.write_text(ours.read_text() + "a note of mine\n")
    assert export(tmp_path, session("one", "changed")).foreign == ["gemini-one.md"]
    assert "a note of mine" in ours.read_text()


def test_a_crash_before_the_record_was_put_in_order(tmp_path: Path) -> None:
    export(tmp_path, session("one"))
    record = tmp_path / RECORD
    noted = json.loads(record.read_text())
    record.write_text(record.read_text() + json.dumps({**noted, "hash": "0" * 32}) + '\n{"file": "gem')
    assert export(tmp_path, session("one", "changed")).foreign == []
    assert len(record.read_text().splitlines()) == 1


def test_other_files_are_not_even_looked_at(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.md").write_text("mine")
    export(tmp_path, session("one"))
    assert (tmp_path / "notes" / "mine.md").read_text() == "mine"


def test_a_project_and_a_day_share_a_file(tmp_path: Path) -> None:
    later = DAY.replace(day=16)
    export(tmp_path, session("a"), session("b", "world"), session("c", started=later), layout=Layout.DAY)
    folder = day_name("/home/ada/weather", DAY, "").partition("/")[0]
    assert names(tmp_path) == [RECORD, f"{folder}/2026-11-15.md", f"{folder}/2026-11-16.md"]
    text = (tmp_path / folder / "2026-11-15.md").read_text()
    assert text.index("hello") < text.index("\n---\n") < text.index("world")


def test_a_session_stands_in_one_file(tmp_path: Path) -> None:
    export(tmp_path, session("a"), session("b"))
    export(tmp_path, session("a"), session("b"), layout=Layout.DAY)
    assert len(names(tmp_path)) == 2
    export(tmp_path, session("a", project="/elsewhere"), session("b"), layout=Layout.DAY)
    assert len(names(tmp_path)) == 3
    export(tmp_path, session("a", project="/elsewhere"), session("b", project="/elsewhere"), layout=Layout.DAY)
    assert [name.partition("-")[0] for name in names(tmp_path)] == [RECORD, "elsewhere"]


def test_formats_live_side_by_side(tmp_path: Path) -> None:
    export(tmp_path, session("a"))
    export(tmp_path, session("a"), to="json")
    assert names(tmp_path) == [RECORD, "gemini-a.json", "gemini-a.md"]


def test_a_day_keeps_a_session_that_is_gone(tmp_path: Path) -> None:
    export(tmp_path, session("a"), session("b", "world"), layout=Layout.DAY)
    unwritten = export(tmp_path, session("a", "changed"), layout=Layout.DAY)
    assert len(unwritten.older) == 1
    assert "world" in (tmp_path / unwritten.older[0]).read_text()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two sessions of two parts each, and many words."""
    monkeypatch.setattr(page_parts, "LIMIT", 1_000)
    export(tmp_path, large("one"), large("two", " ".join(f"word{n}" for n in range(40_000))), to="html")
    pages = ["gemini-one.html", "gemini-one.part-2.html", "gemini-two.html", "gemini-two.part-2.html", "index.html"]
    assert [name for name in names(tmp_path) if name.endswith("html")] == pages
    assert "search/001.js" in names(tmp_path)
    return tmp_path


def large(id: str, text: str = "hello") -> Session:
    messages = [
        Message(id=f"m{n}", role=Role.USER, author=Author.HUMAN, parts=(Text(text="x" * 900 + text),)) for n in range(2)
    ]
    return session(id, messages=tuple(messages))


def test_what_a_site_does_without_is_taken_away(site: Path) -> None:
    export(site, large("one"), session("two"), to="html")
    pages = ["gemini-one.html", "gemini-one.part-2.html", "gemini-two.html", "index.html", "search/000.js"]
    assert names(site) == [RECORD, *pages]


def test_but_not_the_parts_of_a_session_that_is_gone(site: Path) -> None:
    export(site, session("one"), to="html")
    pages = ["gemini-one.html", "gemini-two.html", "gemini-two.part-2.html", "index.html", "search/000.js"]
    assert names(site) == [RECORD, *pages]


@pytest.mark.parametrize("reads", [0, 1])
def test_nor_the_parts_of_a_session_that_cannot_be_read(site: Path, reads: int) -> None:
    """Not at all, or not once more when the parts are written."""
    unwritten = iter([large("two")] * reads)
    jobs = [job(session("one")), Job(summaries=(summarize(large("two")),), load=lambda: [next(unwritten)])]
    with Folder(str(site), forbidden=[]) as folder:
        outcome = FolderExport(registry.writer("html"), Options(), folder).run(jobs, {}, {})
    assert outcome.unread == ["gemini:two"]
    assert "gemini-two.part-2.html" in names(site)
    assert "gemini-one.part-2.html" not in names(site)


def test_nor_a_part_that_somebody_changed(site: Path) -> None:
    (site / "gemini-two.part-2.html").write_text("mine")
    export(site, session("one"), session("two"), to="html")
    assert (site / "gemini-two.part-2.html").read_text() == "mine"


def test_a_session_that_finds_its_new_place_taken_stays_in_the_old(tmp_path: Path) -> None:
    export(tmp_path, session("one"), layout=Layout.DAY)
    (tmp_path / "gemini-one.md").write_text("mine")
    assert export(tmp_path, session("one")).foreign == ["gemini-one.md"]
    assert len(names(tmp_path)) == 3


def test_sessions_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    def broken() -> list[Session]:
        raise ValueError

    gone = Job(summaries=(summarize(session("gone")),), load=broken)
    with Folder(str(tmp_path), forbidden=[]) as folder:
        outcome = FolderExport(registry.writer("text"), Options(), folder).run([gone, job(session("here"))], {}, {})
    assert outcome.unread == ["gemini:gone"]
    assert [entry.file for entry in outcome.entries] == ["gemini-here.txt"]


def call(number: int) -> Message:
    result = ToolCall(id=f"c{number}", name="shell", canonical="shell", tool_kind="execute", input={"command": "ls"})
    return Message(id=f"a{number}", role=Role.ASSISTANT, author=Author.MODEL, parts=(result,))


def keys_of(folder: Path, table: str) -> list[str]:
    rows = [row for file in sorted((folder / table).rglob("*.parquet")) for row in read_table(file).to_pylist()]
    return sorted({row["key"] for row in rows})


@pytest.mark.parametrize("table", ["_Messages", "_Calls"])
def test_a_session_is_in_every_table_or_in_none(tmp_path: Path, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever table fails over it; and the account does not count it."""
    result = getattr(parquet, table).rows

    def rows(file: object, one: Session, options: Options) -> object:
        if one.id == "bad":
            raise ValueError
        return result(file, one, options)

    monkeypatch.setattr(getattr(parquet, table), "rows", rows)
    outcome = export(tmp_path, *(session(id, messages=(call(1), call(2))) for id in ("a", "bad", "c")), to="parquet")
    assert outcome.unread == ["gemini:bad"]
    assert [entry.summary.id for entry in outcome.entries] == ["c", "a"]
    assert outcome.report.kept == 4
    assert keys_of(tmp_path, "messages") == keys_of(tmp_path, "tool_calls") == ["gemini:a", "gemini:c"]


def test_tables_are_all_written_or_none_is(tmp_path: Path) -> None:
    """Of which one is not ours to change, the other does not change either."""
    export(tmp_path, session("a", messages=(call(1),)), to="parquet")
    calls = next((tmp_path / "tool_calls").rglob("*.parquet"))
    calls.write_bytes(b"mine")
    before = stamps(tmp_path)
    outcome = export(tmp_path, session("a", messages=(call(1), call(2))), to="parquet")
    assert (outcome.foreign, outcome.unwritten) == ([calls.relative_to(tmp_path).as_posix()], ["gemini:a"])
    assert stamps(tmp_path) == before


def test_tables_stay_where_no_session_could_be_read(tmp_path: Path) -> None:
    export(tmp_path, session("a", messages=(call(1),)), to="parquet")

    def broken() -> list[Session]:
        raise ValueError

    with Folder(str(tmp_path), forbidden=[]) as folder:
        gone = Job(summaries=(summarize(session("a")),), load=broken)
        FolderExport(registry.writer("parquet"), Options(), folder).run([gone], {}, {})
    assert keys_of(tmp_path, "messages") == ["gemini:a"]


def test_a_session_has_all_its_pages_or_none(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that fails leaves the others of the session as they were, and costs no other session."""
    before = {name: (site / name).read_text() for name in names(site) if name.startswith("gemini-two")}
    result = html.HtmlPage.further_pages

    def further_pages(_: object, one: Session, *more: Any) -> Iterator[Page]:
        for page in result(html.WRITER, one, *more):
            yield page
            if one.id == "two":
                raise ValueError

    monkeypatch.setattr(html.HtmlPage, "further_pages", further_pages)
    outcome = export(site, large("one", "new"), large("two", "new"), to="html")
    assert outcome.unread == ["gemini:two"]
    assert {name: (site / name).read_text() for name in before} == before
    assert "new" in (site / "gemini-one.part-2.html").read_text()


def test_pages_are_of_one_reading(site: Path) -> None:
    """A session that grew while the export ran has the pages of its first reading."""
    readings = iter([large("two", "early"), large("two", "late")])
    grows = Job(summaries=(summarize(large("two")),), load=lambda: [next(readings)])
    with Folder(str(site), forbidden=[]) as folder:
        FolderExport(registry.writer("html"), Options(), folder).run([grows], {}, {})
    assert "early" in (site / "gemini-two.part-2.html").read_text()


def test_nothing_unfinished_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    export(tmp_path, session("one"))

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(registry.writer("markdown"), "write", stop, raising=False)
    with pytest.raises(KeyboardInterrupt):
        export(tmp_path, session("one", "changed"))
    assert names(tmp_path) == [RECORD, "gemini-one.md"]
    assert "hello" in (tmp_path / "gemini-one.md").read_text()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError):
        export(tmp_path, session("one"))


def test_a_file_that_the_system_does_not_tell_of_is_not_taken_for_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(tmp_path, session("one"), session("two"))
    record = (tmp_path / RECORD).read_bytes()
    real = Path.stat

    def stat(self: Path, **options: bool) -> os.stat_result:
        if self.name == "gemini-two.md":
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(self))
        return real(self, **options)

    monkeypatch.setattr(Path, "stat", stat)
    with pytest.raises(OutputError, match="Input/output error"):
        export(tmp_path, session("one"))
    monkeypatch.undo()
    assert (tmp_path / RECORD).read_bytes() == record


def test_many_sessions_on_several_processes_are_the_same(tmp_path: Path) -> None:
    sessions = [session(f"s{number}", f"{number} {TOKEN[:-2]}{number:02}") for number in range(12)]
    one, other = tmp_path / "one", tmp_path / "other"
    export(one, *sessions, redactor=Redactor())
    large = [Job(summaries=job(each).summaries, load=job(each).load, size=1 << 20) for each in sessions]
    with Folder(str(other), forbidden=[]) as folder:
        outcome = FolderExport(registry.writer("markdown"), Options(), folder, redactor=Redactor()).run(large, {}, {})
    assert len(outcome.entries) == 12
    assert {name: (one / name).read_text() for name in names(one)} == {
        name: (other / name).read_text() for name in names(other)
    }
    assert "[secret:github-token#12]" in (one / "gemini-s11.md").read_text()


def test_names_of_files_hold_no_secret(tmp_path: Path) -> None:
    export(tmp_path, session(TOKEN, project=f"/work/{TOKEN}"), redactor=Redactor(), layout=Layout.DAY)
    export(tmp_path / "x", session(TOKEN), redactor=Redactor())
    for file in tmp_path.rglob("*"):
        assert TOKEN.lower() not in file.name.lower()
        assert not file.is_file() or TOKEN not in file.read_text()


def test_below_a_folder_that_is_not_there_nothing_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Path] = []
    look = Path.lstat

    def counted(path: Path) -> os.stat_result:
        looks.append(path)
        return look(path)

    monkeypatch.setattr(Path, "lstat", counted)
    name = "a/" * 1_500 + "b"
    assert below(tmp_path, name) == tmp_path / name
    assert len(looks) == 2
    with pytest.raises(OSError, match="too long"):
        below(tmp_path, "a/" * 5_000 + "b")
