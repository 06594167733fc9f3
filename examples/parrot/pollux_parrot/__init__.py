"""Parrot: `~/.parrot/talks/<id>.jsonl`, one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pollux.model import Author, Message, Origin, Role, Session, Severity, Text
from pollux.sources.base import Bundle, File, Reading, Root, Source, SourceContext, Status
from pollux.sources.walk import FileKind, FolderRules, unknown, walk
from pollux.wire import Notes, Shape, Utc, decoded_lines, display_path


class Line(Shape):
    """Every field Parrot is known to write. A key that does not stand here is kept and reported."""

    who: str | None = None
    text: str | None = None
    time: Utc | None = None


def _kind(name: str) -> FileKind:
    """What a file of this name is, and what `doctor` says of it unless a session is read from it."""
    if name.endswith(".jsonl"):
        return "talk", Status.IGNORED, "nothing was said in it"
    return unknown("a file of an unknown kind")


_RULES: FolderRules = FolderRules(_kind, lambda _: _RULES)  # it is the same in every folder


class Parrot:
    """Talks recorded by Parrot."""

    name = "parrot"
    title = "Parrot"

    def roots(self, environ: Mapping[str, str], home: Path) -> list[Root]:
        """Where talks are, whether or not the folder exists."""
        if moved := environ.get("PARROT_TALKS", ""):
            return [Root(path=Path(moved), reason="$PARROT_TALKS")]
        return [Root(path=home / ".parrot" / "talks", reason="the default")]

    def find(self, root: Path) -> Iterator[File]:
        """Every file under the root: names and stat, nothing is opened."""
        return iter(walk(str(root), _RULES, []))

    def bundles(self, root: Path, files: Iterable[File], context: SourceContext) -> list[Bundle]:
        """The files that belong to one session; here each file is one."""
        return [Bundle(agent=self.name, id=Path(f.path).stem, files=(f,)) for f in files if f.role == "talk"]

    def read(self, bundle: Bundle) -> Reading:
        """One bundle as a session; none where nothing was said."""
        notes = Notes()
        messages = [message for file in bundle.files for message in _messages(file, notes)]
        if not messages:
            problem = next((n.text for n in notes.all() if n.severity is Severity.ERROR), None)
            return Reading(sessions=[], problem=problem, notices=notes.all())
        times = [message.at for message in messages if message.at is not None]
        session = Session(
            agent=self.name,
            id=bundle.id,
            started=min(times, default=None),
            ended=max(times, default=None),
            messages=tuple(messages),
            notices=notes.all(),
            files=tuple(display_path(file.path) for file in bundle.files),
        )
        return Reading(sessions=[session])

    def recognizes(self, path: Path, head: bytes) -> bool:
        """Does a file that was handed over by its path look like ours?"""
        return head.startswith(b'{"who"')

    def bundle_of_file(self, path: Path, context: SourceContext) -> Bundle:
        """The bundle of such a file."""
        return Bundle(agent=self.name, id=path.stem, files=(File(path=str(path), role="talk"),))


def _messages(file: File, notes: Notes) -> Iterator[Message]:
    notes.file = display_path(file.path)
    for number, line in decoded_lines(file.path, Line, notes):
        yield _message(line, number, file, notes)


def _message(line: Line, number: int, file: File, notes: Notes) -> Message:
    human = line.who == "me"
    extra = dict(line.extra)
    if line.who not in ("me", "parrot", None):
        notes.add("role.unknown", f"A line is by {line.who!r}, whom we do not know.", subject=f"who {line.who!r}")
        extra["who"] = line.who
    return Message(
        id=f"line-{number}",
        role=Role.USER if human else Role.ASSISTANT,
        author=Author.HUMAN if human else Author.MODEL,
        at=line.time,
        parts=(Text(text=line.text),) if line.text else (),
        origin=Origin(file=display_path(file.path), line=number),
        extra=extra,
    )


SOURCE: Source = Parrot()  # so that mypy compares the two
