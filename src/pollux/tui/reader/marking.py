"""Stars, tags, notes and names of a session and its messages; and how far the session was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pollux.errors import PolluxError, RequestError
from pollux.library.marks import Edit, Target
from pollux.tui.mark_command import done
from pollux.tui.overlays.ask import Ask
from pollux.tui.overlays.menu import Choice, Menu
from pollux.tui.reader.parts import ReaderParts

if TYPE_CHECKING:
    from pollux.model import Marks, Message

_WHAT = {"t": "A tag; -tag takes it away", "n": "A note", "N": "A name"}


class Marking(ReaderParts):
    """Marks are pollux's own: nothing is written among the agents' files."""

    seen = 0
    """How many messages were seen, from the first one on."""

    # ------------------------------------------------------------------ marks

    def action_star(self) -> None:
        """Star the session, or take the star away."""
        marks = self.app.library.marks.of(self.key)
        starred = marks is None or not marks.session.starred
        self._change(Target(self.key), Edit(starred=starred), "Starred." if starred else "No longer starred.")

    def action_mark(self) -> None:
        """Choose what to mark, and how."""
        message = self.message
        choices = [
            Choice("t", "tag the session", "t"),
            Choice("n", "a note on the session", "n"),
            Choice("N", "a name for the session", "N"),
            Choice("s", "star the session", "s"),
            Choice("p", "keep the session from agents", "p"),
        ]
        if message is not None:
            choices += [
                Choice("S", "star this message", "mS"),
                Choice("T", "tag this message", "mt"),
                Choice("o", "a note on this message", "mn"),
                Choice("P", "keep this message from agents", "mp"),
            ]
        choices.append(Choice("u", "undo the last change of marks", "u"))
        self.app.push_screen(Menu("Mark", choices), lambda what: self._chose(what, message))

    def _chose(self, what: str | None, message: Message | None) -> None:
        """Mark as was chosen. `message` is the one that the menu was about: others may have come meanwhile."""
        if what is None:
            return
        if what == "u":
            self._undo()
            return
        target = Target(self.key, message if what.startswith("m") else None)
        marks, kind = self._marks(target), what[-1]
        if kind in "sS":
            starred = marks is None or not marks.starred
            self._change(target, Edit(starred=starred), "Starred." if starred else "No longer starred.")
            return
        if kind == "p":
            private = marks is None or not marks.private
            self._change(
                target, Edit(private=private), "Kept from agents." if private else "No longer kept from agents."
            )
            return
        before = {"n": marks.note, "N": marks.name}.get(kind) if marks is not None else None
        self._ask(_WHAT[kind], before or "", target, kind)

    def _ask(self, question: str, before: str, target: Target, kind: str) -> None:
        """Ask for a text; where it cannot be one, once more."""

        def typed(text: str | None) -> None:
            try:
                self._typed(text, target, kind)
            except RequestError as error:
                self._ask(f"{error} {_WHAT[kind]}", text or "", target, kind)

        self.app.push_screen(Ask(question, before), typed)

    def _typed(self, text: str | None, target: Target, kind: str) -> None:
        """Take a text. Raises `RequestError` where it cannot be one."""
        if text is None:
            return
        if kind == "t":
            if not text.split():
                return
            tags = {word.removeprefix("-"): not word.startswith("-") for word in text.split()}
            self._change(target, Edit(tags=tags), "Tagged." if any(tags.values()) else "No longer tagged.")
        elif kind == "n":
            self._change(target, Edit(note=text), "Noted." if text else "The note is gone.")
        else:
            self._change(target, Edit(name=text), "Named." if text else "The name is gone.")

    def _marks(self, target: Target) -> Marks | None:
        marks, session = self.app.library.marks.of(self.key), self.session
        if marks is None or target.message is None or session is None:
            return marks.session if marks is not None else None
        by_place = marks.by_message(session.messages)
        return next((by_place[place] for place in by_place if session.messages[place] == target.message), None)

    def _change(self, target: Target, edit: Edit, sentence: str) -> None:
        try:
            self.app.library.marks.change([target], edit)
        except PolluxError as error:
            if isinstance(error, RequestError) and (edit.tags or edit.note or edit.name):
                raise  # what was typed
            self.app.say(" ".join(filter(None, [str(error), error.hint])), "bad")
            return
        self._show_marks(done(sentence, target, edit))

    def _undo(self) -> None:
        try:
            undone = self.app.library.marks.undo()
        except PolluxError as error:
            self.app.say(str(error), "bad")
            return
        self._show_marks("Undone. · pollux mark --undo" if undone else "There is nothing to undo.")

    def _show_marks(self, sentence: str) -> None:
        document = self.view.document
        if document is not None:
            document.mark(self.app.library.marks.of(self.key), document.new_from)
            self.view.changed()
        self.app.marked(self.key)
        self.app.say(sentence)

    # ------------------------------------------------------------------ how far it was read

    def note_seen(self) -> None:
        """The lines on the screen are read now, and at the end also what is shown nowhere."""
        document = self.view.document
        if document is not None and not document.live:
            last = max((number for number, _ in self.view.seen()), default=0)
            last = document.count if self.view.is_at_end else last
            self.seen = max(self.seen, document.end_of(last))

    def remember(self) -> None:
        """Note how far the session was read."""
        session = self.session
        if session is None or not self.seen:
            return
        read = session.messages[min(self.seen, len(session.messages)) - 1]
        try:
            self.app.library.marks.read(session, read if self.seen < len(session.messages) else None)
        except PolluxError as error:
            self.app.say(str(error), "warn")
        else:
            self.app.marked(self.key)
