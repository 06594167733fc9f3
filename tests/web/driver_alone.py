"""Opens every page of the sample in a browser, and prints as JSON what each loaded and said. Run by `test_alone`."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.web.paths import EVERY
from tests.web.serving import Served, serving

VIOLATIONS = (
    "window.violations = []; document.addEventListener('securitypolicyviolation', "
    "(event) => window.violations.push(event.violatedDirective + ' ' + event.blockedURI))"
)


def has_way_out() -> bool:
    """Can anything but this machine be reached? An address for documentation, which nobody has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            sock.connect(("192.0.2.1", 9))
        except OSError:
            return False
    return True


class Visitor:
    """A tab that goes from page to page."""

    def __init__(self, page: Page, served: Served) -> None:
        self._page = page
        self._served = served
        self._asked: list[str] = []
        self._failed: list[str] = []
        self._said: list[str] = []
        page.on("request", lambda request: self._asked.append(request.url))
        page.on("requestfailed", lambda request: self._failed.append(request.url))
        page.on("console", lambda message: self._said.append(message.text))
        page.on("pageerror", lambda error: self._said.append(str(error)))

    def visit(self, path: str) -> dict[str, Any]:
        """What became of a page until it was loaded. What the last page still asked for ends with it."""
        page, served = self._page, self._served
        page.goto("about:blank")
        self._asked.clear()
        self._failed.clear()
        response = page.goto(f"{served.address}{path}", wait_until="load")
        return {
            "path": path,
            "status": response.status if response is not None else None,
            "title": page.title(),
            "violations": page.evaluate("window.violations"),
            "unstyled": page.evaluate("getComputedStyle(document.body).fontFamily.includes('Times')"),
            "elsewhere": [url for url in self._asked if not url.startswith((served.address, "data:image/"))],
            "failed": [*self._failed],
            "said": [*self._said],
        }


def main(folder: str, chromium: str) -> None:
    """Visit every page."""
    with serving(Path(folder)) as served, sync_playwright() as driver:
        keys = [entry.summary.key for entry in served.web.library.list()]
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context()
        name, _, value = served.cookie.partition("=")
        context.add_cookies([{"name": name, "value": value, "url": served.address}])
        context.add_init_script(VIOLATIONS)
        visitor = Visitor(context.new_page(), served)
        pages = [visitor.visit(path) for path in (*EVERY, *(f"/s/{key}" for key in keys))]
        browser.close()
    sys.stdout.write(json.dumps({"way out": has_way_out(), "pages": pages}))


if __name__ == "__main__":
    main(*sys.argv[1:])
