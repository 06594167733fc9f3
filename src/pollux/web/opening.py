"""Opens the browser without showing the ticket to anybody: not in the list of processes, and in no log."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import threading
import time
import webbrowser
from pathlib import Path

from pollux.web.access import TICKET_SECONDS
from pollux.writers.html.markup import Html, join, tag

_PREFIX, _SUFFIX = "pollux-web-", ".html"
_TEXT_BROWSERS = ("www-browser", "links", "elinks", "lynx", "w3m")


def open_browser(address: str) -> bool:
    """Open the user's browser at an address with a ticket. Returns whether a browser could be started.

    The browser gets the path of a file that only the user can read, and that leads to the address.
    """
    try:
        chosen = webbrowser.get()
    except webbrowser.Error:
        return False
    if os.path.basename(getattr(chosen, "name", "")) in _TEXT_BROWSERS or not _has_screen():  # noqa: PTH119
        return False
    _sweep()
    handle, name = tempfile.mkstemp(prefix=_PREFIX, suffix=_SUFFIX)  # only the user can read it
    with open(handle, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(leading_page(address))
    path = Path(name)
    timer = threading.Timer(TICKET_SECONDS, lambda: path.unlink(missing_ok=True))
    timer.daemon = True
    timer.start()
    started = False
    with contextlib.suppress(OSError, webbrowser.Error):
        started = bool(chosen.open(path.as_uri()))
    if not started:
        path.unlink(missing_ok=True)
    return started


def _sweep() -> None:
    """Remove files of earlier runs that ended before their tickets did."""
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX):
                with contextlib.suppress(OSError):  # another user's
                    if entry.stat(follow_symlinks=False).st_mtime < time.time() - TICKET_SECONDS:
                        Path(entry.path).unlink()


def leading_page(address: str) -> str:
    """A page that leads to an address at once, without a script, and without telling where it came from."""
    pieces = [
        Html(
            '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="referrer" content="no-referrer">\n'
        ),
        tag("meta", http_equiv="refresh", content=f"0; url={address}"),
        Html("\n<title>pollux</title>\n"),
        tag("p", tag("a", "Open pollux", href=address)),
    ]
    return join(pieces)


def _has_screen() -> bool:
    """Can a browser show a window?"""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
