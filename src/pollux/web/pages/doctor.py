"""The account of every file: what was read, what was left alone and why, and what is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pollux import registry
from pollux.draw.doctor import STATUSES
from pollux.draw.schedule import regularity_words
from pollux.text.escape import one_line
from pollux.text.figures import NONE, number, plural, size, tilde
from pollux.text.shell import shell_line
from pollux.web.pages.archive import retentions
from pollux.web.pages.layout import agent_mark, session_address
from pollux.web.pages.report import Tile, heading, nothing, pages, report_page, switch, table, tiles
from pollux.web.reports.asked import to
from pollux.writers.html.markup import Html, join, tag

if TYPE_CHECKING:
    from pollux.library.doctor import Doctor, FileAccount
    from pollux.model import Notice
    from pollux.web.reports.asked import Asked

PER_PAGE = 200
"""Files."""

_FEW = 3
"""Sessions that are named beside their file."""

_WRONG = ("unreadable", "unknown")


def doctor_page(asked: Asked, report: Doctor, files: Sequence[FileAccount]) -> str:
    """The whole account; `files` are those that are wanted."""
    totals, page = report.totals, asked.number("page")
    amount = f"{plural(totals['files'], 'file')}, {size(totals['bytes'])}, {plural(totals['sessions'], 'session')}"
    verdict = "every file is accounted for" if report.sound else "something needs a look"
    mark = tag("span", "✓" if report.sound else "✗", class_="good" if report.sound else "bad", aria_hidden="true")
    rows = [_file(file, asked.home) for file in files[(page - 1) * PER_PAGE : page * PER_PAGE]]
    names = ("file", "status", "agent", "size", "sessions")
    return report_page(
        asked,
        "Doctor",
        heading("Doctor", asked, shell_line("pollux", "doctor", *(["--all"] if files else []))),
        tag("p", mark, f" {amount}: {verdict}.", class_="verdict"),
        tiles("Status of the files", _statuses(asked, report)),
        *_unfamiliar(report, asked.home),
        *_notices(report, asked.home),
        *_advice(report),
        *_deletions(report, asked.home),
        tag("p", regularity_words(report.archive), class_="about below") if report.archive is not None else None,
        tag("h2", "Files"),
        tag("div", _agents(asked), class_="choices"),
        table(names, rows, numeric=(3,), texts=(0,)) if rows else nothing("No file was found.", asked),
        pages(asked, page, more=len(files) > page * PER_PAGE, words=("Previous", "Next")),
    )


def _statuses(asked: Asked, report: Doctor) -> Iterator[Tile]:
    """How many files have a status, each a filter."""
    for status, words in STATUSES.items():
        count, chosen = report.totals.get(status, 0), asked.get("status") == status
        if count or chosen:
            where = asked.address(status=None if chosen else status)
            yield Tile(number(count), f"{status}: {words}", where, chosen, status in _WRONG)


def _agents(asked: Asked) -> Html:
    """Whose files are shown."""
    ways = [("All agents", asked.address(agent=None), asked.get("agent") is None)]
    ways += [(name, asked.address(agent=name), asked.get("agent") == name) for name in registry.source_names()]
    return switch("Agent", ways)


def _file(file: FileAccount, home: str) -> tuple[str, ...]:
    links = [tag("a", tag("code", one_line(_short(key))), href=session_address(key)) for key in file.sessions[:_FEW]]
    rest = len(file.sessions) - _FEW
    more = f" and {rest:,} more" if rest > 0 else None
    kind = "badge failed" if file.status in _WRONG else "badge"
    why = one_line((file.reason or "").removeprefix(file.path))
    return (
        join([tag("code", one_line(tilde(file.path, home))), tag("small", why, class_="reason") if why else None]),
        tag("span", file.status.value, class_=kind),
        agent_mark(file.agent),
        size(file.bytes),
        join([join(links, join([" "])) if links else NONE, more]),
    )


def _deletions(report: Doctor, home: str) -> Iterator[Html]:
    """What agents will delete soon."""
    if told := retentions((due for due in report.retention if due.sessions), home):
        yield tag("h2", "What agents will delete")
        yield from told
        yield tag("p", tag("a", "Which sessions, and when", href="/archive"), class_="about")


def _short(key: str) -> str:
    """A key that fits into a cell: the agent stands beside it."""
    return key.partition(":")[2][:8] or key[:8]


def _unfamiliar(report: Doctor, home: str) -> Iterator[Html]:
    if report.unknown:
        rows = [
            (
                one_line(one.what),
                agent_mark(one.agent),
                number(one.count),
                tag("code", one_line(tilde(one.example, home))),
            )
            for one in report.unknown
        ]
        yield tag("h2", "What no known release writes")
        yield table(("what", "agent", "times", "for example"), rows, numeric=(2,))


def _notices(report: Doctor, home: str) -> Iterator[Html]:
    """Notices of one kind together, with one example: its place, and the sessions that were read from that file."""
    kinds: dict[tuple[str, str], list[Notice]] = {}
    for notice in report.notices:
        kinds.setdefault((notice.severity.value, notice.code), []).append(notice)
    if not kinds:
        return
    read = {file.path: file.sessions for file in report.files}
    rows = []
    for (severity, code), notices in sorted(kinds.items()):
        first = notices[0]
        place = f"{tilde(first.file, home)}{f':{first.line}' if first.line is not None else ''}" if first.file else NONE
        keys = read.get(first.file or "", ())[:1]
        where: Html = tag("code", one_line(place))
        rows.append(
            (
                tag("code", code),
                tag("span", severity, class_="badge failed" if severity == "error" else "badge"),
                number(sum(notice.count for notice in notices)),
                one_line(first.text),
                join([tag("a", where, href=_way(keys[0], first)) if keys else where]),
            )
        )
    yield tag("h2", "Notices")
    yield table(("notice", "severity", "times", "for example", "in"), rows, numeric=(2,), texts=(3, 4))


def _way(key: str, notice: Notice) -> str:
    """To the record that a notice is about, from which the message is a click away; else to the session."""
    if notice.file is None or notice.line is None:
        return session_address(key)
    return to("/record", key=key, file=notice.file, line=str(notice.line))


def _advice(report: Doctor) -> Iterator[Html]:
    if cut := report.totals.get("outputs_cut"):
        many = f"{plural(cut, 'output')} of tools are" if cut > 1 else "One output of a tool is"
        words = f"{many} longer than 256 kB. The middle is found by "
        yield tag("p", words, tag("code", "pollux search --regex"), " only.", class_="about below")
    if report.unknown or report.totals.get("unknown"):
        words = (
            "A newer release of an agent has probably changed its format. Everything unknown is kept; please report "
            "it, so that pollux learns it."
        )
        yield tag("p", words, class_="about below")
    if report.totals.get("unreadable"):
        yield tag("p", "Check the permissions of these files, or restore them from a backup.", class_="about below")
