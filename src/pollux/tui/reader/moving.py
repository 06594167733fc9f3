"""Moving through a conversation, and finding words in it."""

from __future__ import annotations

from textual.widgets import Input

from pollux.tui.reader.parts import ReaderParts
from pollux.tui.reader.view import ConversationView
from pollux.tui.scrolling import Scrolling
from pollux.tui.widgets.text_view import TextView


class Moving(Scrolling, ReaderParts):
    """By line, screen, message and prompt, and to words."""

    # ------------------------------------------------------------------ moving

    @property
    def scrolled(self) -> ConversationView | TextView:
        """The conversation, or the detail where it stands in its place."""
        return self.view if self.view.display else self.query_one("#detail", TextView)

    def action_next_message(self) -> None:
        """The next message."""
        self.view.to_next(1)

    def action_previous_message(self) -> None:
        """The message before."""
        self.view.to_next(-1)

    def action_next_prompt(self) -> None:
        """The next prompt."""
        if not self.view.to_next(1, prompts=True):
            self.footer.say("There is no further prompt.")

    def action_previous_prompt(self) -> None:
        """The prompt before."""
        if not self.view.to_next(-1, prompts=True):
            self.footer.say("There is no prompt before.")

    # ------------------------------------------------------------------ finding

    def action_find(self) -> None:
        """Ask for the words."""
        field = self.query_one("#find", Input)
        field.display, field.value = True, ""
        self.set_focus(field)  # at once: the next key belongs to it

    def on_input_changed(self, event: Input.Changed) -> None:
        """Mark the words while they are typed."""
        self.view.needle = event.value
        self.view.refresh()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the first place that has them."""
        event.input.display = False
        self.view.focus()
        if self.view.needle and not self.view.find(1, here=True):
            self.footer.say(f"Not found: {self.view.needle}", "warn")

    def action_next_found(self) -> None:
        """The next place."""
        self._found(1)

    def action_previous_found(self) -> None:
        """The place before."""
        self._found(-1)

    def _found(self, way: int) -> None:
        if not self.view.needle:
            self.action_find()
        elif not self.view.find(way):
            self.footer.say(f"Not found: {self.view.needle}", "warn")
