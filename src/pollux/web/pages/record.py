"""A message as it stands in its file, and where each message of a session stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from pollux.draw.transcript.messages import who
from pollux.draw.transcript.records import place_text
from pollux.text.escape import one_line
from pollux.text.figures import NONE, plural, tilde
from pollux.text.shell import shell_line
from pollux.web.pages.layout import session_address
from pollux.web.pages.report import heading, pages, report_page, table, when
from pollux.web.reports.asked import to
from pollux.writers.html.markup import Html, join, tag
from pollux.writers.html.messages import message_names
from pollux.writers.transcript import heading as head_of

if TYPE_CHECKING:
    from pollux.library.library import ListEntry
    from pollux.model import Message, Origin, Session
    from pollux.web.reports.asked import Asked

PER_PAGE = 200
"""Rows of the table of all records."""

LONGEST = 1_000_000
"""Characters of a record that are shown."""


class Found(NamedTuple):
    """A record: its message, its place with the line, and its text. Whatever is not known is None."""

    number: int | None
    origin: Origin | None
    line: int | None
    text: str | None


def record_page(asked: Asked, entry: ListEntry, session: Session, found: Found) -> str:
    """One record."""
    key, names = session.key, message_names(session.messages)
    message = session.messages[found.number] if found.number is not None else None
    said: list[Html | str] = [
        tag("a", one_line(entry.title or "", 200) or "Untitled session", href=session_address(key))
    ]
    line = shell_line("pollux", "show", key, "--raw")
    if message is not None and found.number is not None:
        line = shell_line("pollux", "show", f"{key}#{message.id}", "--raw")
        exact = found.origin == message.origin
        words = f"{'' if exact else 'after '}{one_line(who(head_of(message)))}"
        said += [" · ", tag("a", words, href=session_address(key, names[found.number])), " ", when(message.at)]
    place = NONE if found.origin is None else tilde(place_text(found.origin, found.line), asked.home)
    return report_page(
        asked,
        "Record",
        heading("A record, as it stands in its file", asked, line, _all(key), twin=False),
        tag("p", *said, class_="about"),
        tag("p", tag("code", one_line(place)), class_="place"),
        *_text(found),
        _beside(session, names, found.number),
        current="/",
    )


def _text(found: Found) -> tuple[Html | None, ...]:
    if found.origin is None:
        return (tag("p", "No place is known of this message.", class_="nothing"),)
    if found.text is None:
        words = "Nothing stands there any more: the file was changed or deleted after it was read."
        return (tag("p", words, class_="nothing"),)
    cut = None
    if len(found.text) > LONGEST:
        words = f"The first {LONGEST:,} of {len(found.text):,} characters: the command above shows all of them."
        cut = tag("p", words, class_="notice")
    plain = tag("pre", found.text[:LONGEST], class_="code whole", tabindex="0")
    laid_out = _laid_out(found.text) if cut is None else None
    if laid_out is None:
        return cut, plain
    return tag("pre", laid_out, class_="code whole", tabindex="0"), tag("details", tag("summary", "As one line"), plain)


def _laid_out(text: str) -> str | None:
    """JSON with a line for each value, and nothing else changed; None where it is none, or has lines already."""
    if "\n" in text.strip():
        return None
    try:
        return msgspec.json.format(text.encode("utf-8", "surrogatepass"), indent=2).decode("utf-8", "replace")
    except msgspec.DecodeError:
        return None


def _beside(session: Session, names: list[str], number: int | None) -> Html | None:
    """The ways to the records before and after."""
    if number is None:
        return None

    def step(there: int, words: str, rel: str) -> Html:
        if not 0 <= there < len(names):
            return tag("span", words)
        return tag("a", words, href=to("/record", key=session.key, message=names[there]), rel=rel)

    return tag(
        "nav",
        step(number - 1, "Before", "prev"),
        tag("span", f"Message {number + 1:,} of {len(names):,}"),
        step(number + 1, "After", "next"),
        aria_label="Records",
        class_="pages",
    )


def _all(key: str) -> Html:
    return tag("a", "All of this session", href=to("/record", key=key))


def records_page(asked: Asked, entry: ListEntry, session: Session) -> str:
    """Where each message stands."""
    key, page = session.key, asked.number("page")
    names = message_names(session.messages)
    first = (page - 1) * PER_PAGE
    shown = list(zip(names, session.messages, strict=True))[first : first + PER_PAGE]
    rows = [_row(key, first + number, name, message, asked.home) for number, (name, message) in enumerate(shown)]
    title = one_line(entry.title or "", 200) or "Untitled session"
    about = [tag("a", title, href=session_address(key)), f" · {plural(len(names), 'message')}"]
    return report_page(
        asked,
        "Records",
        heading("Where each message stands", asked, shell_line("pollux", "show", key, "--raw"), twin=False),
        tag("p", *about, class_="about"),
        table(("no.", "message", "when", "stands in"), rows, numeric=(0,), texts=(3,)) if rows else None,
        pages(asked, page, more=len(names) > first + PER_PAGE, words=("Before", "After")),
        current="/",
    )


def _row(key: str, number: int, name: str, message: Message, home: str) -> tuple[str, ...]:
    origin = message.origin
    place = NONE if origin is None else tilde(_place(origin), home)
    words = tag("code", one_line(place.rpartition("/")[2]), title=one_line(place))
    where = tag("a", words, href=to("/record", key=key, message=name))
    who_said = tag("a", one_line(who(head_of(message))), href=session_address(key, name))
    return join([f"{number + 1:,}"]), who_said, when(message.at), where


def _place(origin: Origin) -> str:
    """The place without reading the file: an item of a document has no line before it is looked for."""
    return f"{origin.file} item {origin.item}" if origin.item is not None else place_text(origin, origin.line)
