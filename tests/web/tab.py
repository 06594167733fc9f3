"""A tab of a browser that is known to a server, with an eye on everything it says and asks for."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Literal, cast

from playwright.sync_api import Browser, Dialog, Error, Page

from tests.web.serving import Served

VIOLATIONS = "document.addEventListener('securitypolicyviolation', (event) => violated(event.violatedDirective))"


class Tab:
    """One tab. `alarms` are calls of `pwned()`, which only a page that runs its content makes."""

    def __init__(
        self,
        browser: Browser,
        server: Served,
        path: str,
        *,
        width: int = 1280,
        scheme: str = "light",
        scripts: bool = True,
    ) -> None:
        self.server = server
        self._left = False
        self.said: list[str] = []
        self.alarms: list[Any] = []
        self.violations: list[str] = []
        self.asked: list[str] = []
        self.context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=cast("Literal['light', 'dark']", scheme),
            timezone_id="UTC",
            locale="en-GB",
            java_script_enabled=scripts,
        )
        name, _, value = server.cookie.partition("=")
        self.context.add_cookies([{"name": name, "value": value, "url": server.address}])
        self.page: Page = self.open(path)

    def open(self, path: str) -> Page:
        """A further tab of the same browser."""
        page = self.context.new_page()
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", self._answer)
        page.on("request", lambda request: self.asked.append(request.url))
        page.expose_function("pwned", lambda mark: self.alarms.append(mark))  # noqa: PLW0108
        page.expose_function("violated", lambda what: self.violations.append(what))  # noqa: PLW0108
        page.add_init_script(VIOLATIONS)
        page.goto(f"{self.server.address}{path}")
        return page

    def _answer(self, dialog: Dialog) -> None:
        self.alarms.append(dialog.message)
        dialog.dismiss()

    def go(self, path: str) -> None:
        self.page.goto(f"{self.server.address}{path}")

    def ask(self, script: str) -> Any:
        return self.page.evaluate(script)

    def wait(self, script: str, answer: Any = True, page: Page | None = None) -> None:
        """Until a script answers so. Playwright's own way of waiting is forbidden by the page's policy."""
        there = page or self.page
        for _ in range(400):
            with suppress(Error):  # the page is being left
                if there.evaluate(script) == answer:
                    return
            there.wait_for_timeout(25)
        raise AssertionError(f"{script} is {there.evaluate(script)!r}, not {answer!r}")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def leave(self, *expected: str) -> None:
        """Close it, before its server ends; it must have said nothing, run nothing, and asked nobody but its server.

        What was `expected` of it, it may have said.
        """
        if self._left:
            return
        self._left = True
        self.context.close()
        assert [line for line in self.said if not any(words in line for words in expected)] == []
        assert self.alarms == []
        assert self.violations == []
        assert [url for url in self.asked if not url.startswith((self.server.address, "data:image/"))] == []
