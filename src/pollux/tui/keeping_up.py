"""Keeping up: another process looks for what changed, and the list shows it meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pollux.library.early.syncing import Syncing
    from pollux.tui.app import PolluxApp


_POLL = 0.25
"""Seconds between two looks whether there is more."""


class KeepingUp:
    """The process that looks for what changed. There is at most one at a time.

    `could_store` says whether the last one could store what it read.
    """

    def __init__(self, app: PolluxApp) -> None:
        self.could_store = True
        self._app = app
        self._syncing: Syncing | None = None
        self._looks_again = False

    @property
    def is_looking(self) -> bool:
        """Does anybody look for what changed?"""
        return self._syncing is not None

    def begin(self) -> None:
        """Look for what changed, and from now on tell the list."""
        self._app.set_interval(_POLL, self.poll)
        self.look()

    def look(self) -> None:
        """Look for what changed; once more where somebody looks already, as that may be behind it."""
        if self._syncing is None:
            self._syncing = self._app.library.index.start_sync()
        else:
            self._looks_again = True

    def poll(self) -> None:
        """Tell the list what there is by now."""
        if not self._app.is_running:  # while it closes, there is no list any more
            return
        listing = self._app.list_screen
        listing.wait()
        if self._syncing is None:
            return
        if (status := self._syncing.poll()) is not None:
            self._syncing, self.could_store = None, status == 0
            if self._looks_again:
                self._looks_again = False
                self.look()
            listing.synced()
        else:
            listing.grow()

    def end(self) -> None:
        """Leave nothing behind that reads: what it has stored is complete, and the next one goes on from there."""
        if self._syncing is not None:
            self._syncing.terminate()
            self._syncing.wait()
