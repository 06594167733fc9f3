"""The archive: what is kept, what agents will delete and when, and the states of a session's files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from operator import itemgetter
from typing import TYPE_CHECKING

from pollux.draw.archive import CHANGES
from pollux.system.clock import local
from pollux.text.escape import one_line
from pollux.text.figures import NONE, number, plural, size, tilde
from pollux.text.shell import shell_line
from pollux.web.pages.layout import agent_mark, command, session_address
from pollux.web.pages.report import Tile, heading, pages, report_page, table, tiles, when
from pollux.web.reports.asked import to
from pollux.writers.html.markup import Html, tag
from pollux.writers.json import stamp

if TYPE_CHECKING:
    from datetime import datetime

    from pollux.archive.history import Change
    from pollux.library.archive import ArchiveStatus
    from pollux.library.doctor import Due
    from pollux.library.library import ListEntry
    from pollux.web.reports.asked import Asked

_LONGEST = 36_500.0
_LOST = ("cut", "gone")
PER_PAGE = 200
"""Sessions of each kind."""


def archive_page(
    asked: Asked, status: ArchiveStatus, entries: Mapping[str, ListEntry], kept: Sequence[ListEntry]
) -> str:
    """What is kept. `entries` are the sessions that agents will delete, `kept` those that only the archive has."""
    words = "Every sync keeps what changed." if status.keeping else "Nothing is kept unless you ask for it."
    page, due = asked.number("page"), _due(status, entries)
    shown = slice((page - 1) * PER_PAGE, page * PER_PAGE)
    return report_page(
        asked,
        "Archive",
        heading("Archive", asked, shell_line("pollux", "archive", "status")),
        tag("p", words, " ", _folder(status, asked.home), class_="about"),
        tiles("What is kept", _figures(status)),
        tag("p", "Another pollux is writing to the archive: the figures will grow.", class_="notice")
        if status.busy
        else None,
        *_turn_on(status),
        tag("h2", "What agents will delete, and when"),
        *(retentions(status.due, asked.home) or [tag("p", "No agent here deletes sessions.", class_="about")]),
        *_due_table(due[shown]),
        *_kept(kept[shown]),
        pages(asked, page, more=max(len(due), len(kept)) > page * PER_PAGE, words=("Previous", "Next")),
    )


def _folder(status: ArchiveStatus, home: str) -> Html:
    if status.folder is None:
        return tag("span", "The sample is not kept.")
    return tag("span", "The archive lies in ", tag("code", one_line(tilde(status.folder, home))), ".")


def _figures(status: ArchiveStatus) -> Iterator[Tile]:
    ran = local(status.ran) if status.ran is not None else None
    yield Tile(f"{ran:%Y-%m-%d}", f"last run, at {ran:%H:%M}") if ran is not None else Tile("never", "last run")
    yield Tile(number(status.files), f"files in {plural(status.states, 'state')}")
    saved = f", {status.bytes / status.stored:.0f} times as much unpacked" if status.states and status.stored else ""
    yield Tile(size(status.stored), f"on disk{saved}")
    yield Tile(number(status.sessions), "sessions in all")
    yield Tile(number(status.kept), "only in the archive")


def _turn_on(status: ArchiveStatus) -> Iterator[Html]:
    if not status.keeping and status.folder is not None:
        yield tag(
            "p", "To keep what agents delete and rewrite, from now on: ", command("pollux archive on"), class_="about"
        )


def retentions(due: Iterable[Due], home: str) -> list[Html]:
    """Which agents delete sessions and when, and the setting that stops it."""
    told = []
    for one in due:
        setting = one.retention
        if setting.days is None:
            continue
        what = f"sessions in {setting.folder!r}" if setting.folder is not None else "sessions"
        why = "as you set it" if setting.stated else "by default"
        soon = f"{plural(len(one.sessions), 'session')} within a week" if one.sessions else "none within a week"
        told.append(
            tag(
                "li",
                agent_mark(setting.agent),
                f" deletes {what} {setting.days:g} days after they were left, {why}: {soon}. To keep them, write ",
                tag("code", one_line(setting.advice)),
                " into ",
                tag("code", one_line(tilde(setting.file, home))),
                ".",
            )
        )
    return [tag("ul", *told, class_="reasons")] if told else []


def _due(status: ArchiveStatus, entries: Mapping[str, ListEntry]) -> list[tuple[datetime, ListEntry]]:
    """The sessions that will be deleted within a week, the next ones first, and when."""
    found = [
        (last + timedelta(days=min(one.retention.days or 0, _LONGEST)), entries[key])
        for one in status.due
        for key in one.sessions
        if key in entries and (last := entries[key].summary.ended or entries[key].summary.started) is not None
    ]
    return sorted(found, key=itemgetter(0))


def _due_table(due: Sequence[tuple[datetime, ListEntry]]) -> Iterator[Html]:
    if due:
        rows = [_session(entry, when(gone)) for gone, entry in due]
        yield table(("session", "agent", "last used", "may be deleted from", "states"), rows)


def _kept(kept: Sequence[ListEntry]) -> Iterator[Html]:
    if kept:
        yield tag("h2", "What only the archive still has")
        yield table(("session", "agent", "last used", "states"), [_session(entry) for entry in kept])


def _session(entry: ListEntry, *more: Html) -> tuple[str, ...]:
    summary = entry.summary
    return (
        tag("a", one_line(entry.title or "", 100) or "Untitled session", href=session_address(summary.key)),
        agent_mark(summary.agent),
        when(summary.ended or summary.started),
        *more,
        tag("a", "States", href=to("/archive", key=summary.key)),
    )


def history_page(asked: Asked, entry: ListEntry, changes: Sequence[Change]) -> str:
    """What became of the files of a session."""
    key = entry.summary.key
    title = one_line(entry.title or "", 120) or "Untitled session"
    rows = [_change(key, change, asked.home) for change in changes]
    names = ("when", "what", "size", "file", "to see it so")
    empty = tag("p", "Nothing is kept of this session. ", command("pollux archive run"), class_="nothing")
    restore = tag(
        "p", "To have its files back: ", command(shell_line("pollux", "archive", "restore", key, "-o", "FOLDER"))
    )
    return report_page(
        asked,
        f"States of {title}",
        heading("States of a session", asked, shell_line("pollux", "history", key)),
        tag("p", tag("a", title, href=session_address(key)), class_="about"),
        table(names, rows, numeric=(2,), texts=(3,)) if rows else empty,
        restore if rows else None,
        current="/archive",
    )


def _change(key: str, change: Change, home: str) -> tuple[str, ...]:
    words = CHANGES.get(change.change) or one_line(change.change)
    badge = tag("span", words, class_="badge cancelled" if change.change in _LOST else "badge")
    line = shell_line("pollux", "show", key, "--as-of", stamp(change.at) or "")
    return (
        when(change.at),
        badge,
        size(change.bytes) if change.bytes is not None else NONE,
        tag("code", one_line(tilde(change.file, home))),
        command(line) if change.sha256 is not None else NONE,
    )
