"""Copying from a conversation: words, code, names, places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.draw.transcript.detail import place_of
from pollux.draw.transcript.records import Records
from pollux.text.figures import plural
from pollux.text.shell import shell_line
from pollux.tui.overlays.menu import Choice, Menu, numbered
from pollux.tui.reader.parts import ReaderParts
from pollux.tui.reader.words import as_markdown, code_blocks

if TYPE_CHECKING:
    from pollux.model import Message, Session


class Copying(ReaderParts):
    """What can be copied of the current message and of the session."""

    def action_copy(self) -> None:
        """The message as Markdown."""
        message = self.message
        if message is None:
            self.app.say("No message is chosen: J goes to the first one.")
            return
        text = as_markdown(message)
        self.app.copy(text, f"the message, {plural(len(text), 'character')}")

    def action_copy_code(self) -> None:
        """A code block; with several, a menu asks which."""
        blocks = code_blocks(self.message) if self.message is not None else []
        if not blocks:
            self.app.say("There is no code block in this message.")
        elif len(blocks) == 1:
            self.app.copy(blocks[0], "the code block")
        else:
            choices = numbered((_first_line(code), code) for code in blocks)
            self.app.push_screen(Menu("Copy a code block", choices), self._copied)

    def action_copy_other(self) -> None:
        """Names and places."""
        session, message = self.session, self.message
        if session is None:
            return
        place = place_of(message, Records()) if message is not None else None
        values = [
            ("k", "key", session.key),
            ("i", "id", session.id),
            ("p", "path", session.files[0] if session.files else ""),
            ("l", "file and line", place or ""),
            ("m", "message id", message.id if message is not None else ""),
            ("c", "command", self._command(session, message)),
        ]
        choices = [Choice(key, f"{name:14} {value}", value) for key, name, value in values if value]
        self.app.push_screen(Menu("Copy", choices), self._copied)

    def _command(self, session: Session, message: Message | None) -> str:
        """The command line that shows what is seen here."""
        words, document = ["pollux", "show", session.key], self.view.document
        if document is not None and document.live:
            words += ["--fate", "live"]
        if document is not None and document.show.tools == "full":
            words.append("--full")
        if message is not None:
            words += ["--at", message.id]
        return shell_line(*words)

    def _copied(self, chosen: str | None) -> None:
        if chosen is not None:
            self.app.copy(chosen, _first_line(chosen))


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0][:80]
