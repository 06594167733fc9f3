"""What leads out of a conversation: other sessions, files in other formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.errors import OutputError, PolluxError
from pollux.system.directories import present_folder
from pollux.system.named_path import named_path
from pollux.text.escape import one_line
from pollux.text.shell import shell_line
from pollux.tui.overlays.ask import Ask
from pollux.tui.overlays.menu import Menu, numbered
from pollux.tui.reader.parts import ReaderParts

if TYPE_CHECKING:
    from pollux.model import Session

_COMMON = ("markdown", "html", "json", "text")
"""The formats that are asked for most."""


class Elsewhere(ReaderParts):
    """Related sessions, and exports."""

    def action_links(self) -> None:
        """Go to a related session."""
        try:
            related = self.app.library.index.relatives(self.key)
        except PolluxError as error:
            self.app.say(str(error), "warn")
            return
        titles = {entry.summary.key: entry.title for entry in self.app.entries([one.key for one in related])}
        choices = numbered(
            (f"{one.relation:16} {one_line(titles.get(one.key) or one.key, 200)}", one.key) for one in related
        )
        if choices:
            self.app.push_screen(Menu("Go to", choices), self._went)
        else:
            self.app.say("This session has no parent, sub-agent, fork, continuation or hand-over.")

    def _went(self, key: str | None) -> None:
        if key is not None:
            self.app.read(key)

    def action_export(self) -> None:
        """Choose a format, then a file."""
        from pollux import registry

        names = registry.writer_names()
        ordered = [*(name for name in _COMMON if name in names), *(name for name in names if name not in _COMMON)]
        self.app.push_screen(Menu("Export as", numbered(zip(ordered, ordered, strict=True))), self._chose_format)

    def _chose_format(self, name: str | None) -> None:
        from pollux import registry
        from pollux.export.names import file_name

        session = self.session
        if name is None or session is None:
            return
        default = str(present_folder() / file_name(session.agent, session.id, registry.writer(name).suffix))
        self._ask_file(session, name, "Write into", default)

    def _ask_file(self, session: Session, name: str, question: str, before: str) -> None:
        def typed(path: str | None) -> None:
            if path:
                self._export(session, name, path)

        self.app.push_screen(Ask(question, before), typed)

    def _export(self, session: Session, name: str, path: str) -> None:
        from pollux import registry
        from pollux.export.service import Exporter

        target = str(named_path(path))
        try:
            exporter = Exporter(self.app.library, registry.writer(name))
            exporter.protect([session])
            exporter.to_file(session, target)
        except OutputError as error:  # its hint is about an option
            self._ask_file(session, name, f"{error} Another file to write into", path)
        except PolluxError as error:
            self.app.say(" ".join(filter(None, [str(error), error.hint])), "bad")
        else:
            command = shell_line("pollux", "export", session.key, "--to", name, "-o", target)
            self.app.say(f"Written: {target} · {command}")
