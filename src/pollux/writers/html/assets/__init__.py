"""Styles and scripts of pages, and the document around them: its head with the policy, and its foot."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from pollux.writers.html.markup import EMPTY, Html, join, tag


class Assets(NamedTuple):
    """The files of a page's styles and scripts, in their order; `package` holds those that are not here."""

    styles: tuple[str, ...]
    scripts: tuple[str, ...]
    package: str = __name__

    @property
    def style(self) -> str:
        """All styles."""
        return _text(self.styles, self.package)

    @property
    def script(self) -> str:
        """All scripts."""
        return _text(self.scripts, self.package)


def head(words: str, assets: Assets, more: str = "") -> Html:
    """Everything before the body. The policy allows only these styles and this script, and `more` scripts."""
    policy = (
        f"default-src 'none'; img-src data:; style-src '{hash_of(assets.style)}'; "
        f"script-src '{hash_of(assets.script)}'{more}; base-uri 'none'; form-action 'none'"
    )
    allowed = tag("meta", http_equiv="Content-Security-Policy", content=policy)
    return _head(words, assets, (allowed,), Html('<meta name="referrer" content="no-referrer">\n'))


def plain_head(words: str, assets: Assets, *more: Html) -> Html:
    """Everything before the body of a page whose policy, and what it tells as referrer, are not in the page itself."""
    return _head(words, assets, more, EMPTY)


def _head(words: str, assets: Assets, more: tuple[Html, ...], referrer: Html) -> Html:
    return join(
        [
            Html('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'),
            *more,
            Html('\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'),
            referrer,
            Html('<meta name="color-scheme" content="light dark">\n'),
            tag("title", words),
            Html(f"\n<style>{assets.style}</style>\n</head>\n"),
        ]
    )


def foot(assets: Assets) -> Html:
    """The script, and the end."""
    return Html(f"<script>{assets.script}</script>\n</body>\n</html>\n")


@cache
def hash_of(text: str) -> str:
    """The hash by which a policy allows a style or a script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _text(names: tuple[str, ...], package: str) -> str:
    here, there = files(__name__), files(package)
    found = ((here / name if (here / name).is_file() else there / name) for name in names)
    return "\n".join(file.read_text("utf-8") for file in found)
