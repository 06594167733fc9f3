"""The account of all files, as a person reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.archive import retention
from pollux.draw.schedule import regularity
from pollux.draw.table import Column, table
from pollux.draw.width import wrap
from pollux.text.escape import one_line
from pollux.text.figures import number, plural, size, tilde

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pollux.draw.canvas import Canvas
    from pollux.library.doctor import Doctor
    from pollux.model import Notice

STATUSES = {
    "read": "with sessions, or the name of a project",
    "copy": "with the same in it as another file",
    "ignored": "without a conversation",
    "unreadable": "cannot be opened, or damaged",
    "unknown": "of a kind that pollux does not know",
}


SOMETHING = "something needs a look"


def diagnosis(canvas: Canvas, report: Doctor, home: str, *, every_file: bool) -> Iterator[str]:
    """Summary first, then what needs attention, then what can be done."""
    yield from _verdict(canvas, report)
    yield ""
    yield from _summary(canvas, report)
    for status, title in (("unreadable", "Files that cannot be read"), ("unknown", "Files of an unknown kind")):
        yield from _bad_files(canvas, report, title, home, status)
    yield from _unfamiliar(canvas, report, home)
    yield from _cut(canvas, report)
    yield from _notices(canvas, report, home)
    if every_file:
        yield from _every_file(canvas, report, home)
    yield from retention(canvas, (due for due in report.retention if due.sessions), home)
    if report.archive is not None:
        yield ""
        yield from regularity(canvas, report.archive)
    yield from _advice(canvas, report)


def _verdict(canvas: Canvas, report: Doctor) -> Iterator[str]:
    totals = report.totals
    amount = f"{plural(totals['files'], 'file')}, {size(totals['bytes'])}, {plural(totals['sessions'], 'session')}"
    mark, style, verdict = ("✓", "good", "every file is accounted for") if report.sound else ("✗", "bad", SOMETHING)
    first, *more = wrap(f"{mark} {amount}: {verdict}.", canvas.columns)
    yield canvas.paint(mark, style) + first.removeprefix(mark)
    yield from more


def _summary(canvas: Canvas, report: Doctor) -> Iterator[str]:
    count, status, meaning = Column("", right=True), Column(""), Column("", flexible=True, least=20)
    for name, text in STATUSES.items():
        if report.totals.get(name):
            count.add(number(report.totals[name]))
            status.add(name, "bad" if name in ("unreadable", "unknown") else None)
            meaning.add(text, "dim")
    return table(canvas, [count, status, meaning], indent="  ")


def _bad_files(canvas: Canvas, report: Doctor, title: str, home: str, status: str) -> Iterator[str]:
    """Path and reason of each file with this status."""
    files = [file for file in report.files if file.status == status]
    if not files:
        return
    yield ""
    yield canvas.paint(title, "bold")
    for file in files:
        yield f"  {one_line(tilde(file.path, home))}"
        yield from _reason(canvas, file.path, file.reason)


def _reason(canvas: Canvas, path: str, reason: str | None) -> Iterator[str]:
    """Why a file has its status. It is below the file's line, because the path needs the room."""
    if reason:
        lines = wrap(one_line(reason.removeprefix(path)), canvas.room(4))
        yield from (f"    {canvas.paint(line, 'dim')}" for line in lines)


def _every_file(canvas: Canvas, report: Doctor, home: str) -> Iterator[str]:
    yield ""
    yield canvas.paint("Every file", "bold")
    status, bytes_, path = Column(""), Column("", right=True), Column("", flexible=True, least=30, path=True)
    for file in report.files:
        status.add(file.status)
        bytes_.add(size(file.bytes), "dim")
        path.add(one_line(tilde(file.path, home)))
    for file, line in zip(report.files, table(canvas, [status, bytes_, path], indent="  "), strict=True):
        yield line
        yield from _reason(canvas, file.path, file.reason)


def _unfamiliar(canvas: Canvas, report: Doctor, home: str) -> Iterator[str]:
    if not report.unknown:
        return
    yield ""
    yield canvas.paint("What no known release writes", "bold")
    agent, what, count = Column("agent"), Column("what", most=50), Column("times", right=True)
    example = Column("for example", flexible=True, least=24, path=True)
    for one in report.unknown:
        agent.add(one.agent)
        what.add(one_line(one.what))
        count.add(number(one.count))
        example.add(one_line(tilde(one.example, home)), "dim")
    yield from table(canvas, [agent, what, count, example], indent="  ")


def _cut(canvas: Canvas, report: Doctor) -> Iterator[str]:
    if cut := report.totals["outputs_cut"]:
        yield ""
        many = f"{plural(cut, 'output')} of tools are" if cut > 1 else "One output of a tool is"
        text = f"{many} longer than 256 kB. The middle is found by pollux search --regex only."
        yield from wrap(text, canvas.room(0))


def _notices(canvas: Canvas, report: Doctor, home: str) -> Iterator[str]:
    """Notices of one kind together, with one example, without those that stand further up."""
    unreadable = {file.path for file in report.files if file.status == "unreadable"}
    kinds: dict[tuple[str, str], list[Notice]] = {}
    for notice in report.notices:
        repeated = notice.file in unreadable or (notice.code.endswith(".unknown") and notice.subject is not None)
        if notice.severity != "info" and not repeated:
            kinds.setdefault((notice.severity, notice.code), []).append(notice)
    if not kinds:
        return
    yield ""
    yield canvas.paint("Notices", "bold")
    for (severity, code), notices in sorted(kinds.items()):
        first, often = notices[0], sum(notice.count for notice in notices)
        times = f" ({often:,} times)" if often > 1 else ""
        for line in wrap(f"{severity}: {one_line(first.text)}{times} [{code}]", canvas.room(2)):
            yield "  " + canvas.paint(line, "bad" if severity == "error" else "warn")
        if first.file:
            place = one_line(tilde(first.file, home)) + (f":{first.line}" if first.line is not None else "")
            yield "    " + canvas.paint(place, "dim")


def _advice(canvas: Canvas, report: Doctor) -> Iterator[str]:
    """What the user can do, if anything."""
    advice = []
    if report.unknown or report.totals.get("unknown"):
        advice.append(
            "A newer release of an agent has probably changed its format. Everything unknown is kept and shown "
            "by `pollux show --raw`; please report it, so that pollux learns it."
        )
    if report.totals.get("unreadable"):
        advice.append("Check the permissions of these files, or restore them from a backup.")
    if not advice:
        return
    yield ""
    for text in advice:
        yield from wrap(text, canvas.columns)
