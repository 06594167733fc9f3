"""A page in a browser, with an eye on everything it says and asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, cast

from playwright.sync_api import Browser, Dialog, Page

from pollux.model import Session
from pollux.writers.base import NO_CONTEXT, Options, WriterContext
from pollux.writers.html import WRITER


class BrowserPage:
    """One page. `alarms` are calls of `pwned()`, which only a page that runs its content makes."""

    def __init__(self, browser: Browser, file: Path, *, width: int, scheme: str, zone: str, at: str) -> None:
        self.file = file
        self.said: list[str] = []
        self.alarms: list[Any] = []
        self.asked: list[str] = []
        chosen = cast("Literal['light', 'dark']", scheme)
        self._context = browser.new_context(
            viewport={"width": width, "height": 800}, color_scheme=chosen, timezone_id=zone, locale="en-GB"
        )
        self.page: Page = self._context.new_page()
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", self._answer)
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.expose_function("pwned", lambda mark: self.alarms.append(mark))  # noqa: PLW0108 (playwright wants a function of ours)
        self.go(at)

    def go(self, at: str = "") -> None:
        """Open the file, as it is now."""
        self.page.goto(f"{self.file.as_uri()}{at}")

    def _answer(self, dialog: Dialog) -> None:
        self.alarms.append(dialog.message)
        dialog.dismiss()

    def ask(self, script: str) -> Any:
        """What a script in the page answers."""
        return self.page.evaluate(script)

    def wait(self, script: str, answer: Any = True) -> None:
        """Until a script answers so. Playwright's own way of waiting is forbidden by the page's policy."""
        for _ in range(100):
            if self.ask(script) == answer:
                return
            self.page.wait_for_timeout(50)
        last = self.ask(script)
        raise AssertionError(f"{script} is {last!r}, not {answer!r}")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def leave(self) -> None:
        """Close the page; it must have said nothing, and asked for nothing outside of its own folder."""
        self._context.close()
        assert self.said == []
        assert self.alarms == []
        folder = self.file.parent.as_uri()
        assert [url for url in self.asked if not url.startswith((folder, "data:image/"))] == []


def page_of(session: Session, context: WriterContext = NO_CONTEXT) -> str:
    pieces: list[str] = []
    WRITER.write(session, pieces.append, Options(), context)
    return "".join(pieces)
