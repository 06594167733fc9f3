"""Markup that content cannot break: whatever is not `Html` is escaped."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from pollux.text.escape import HARMFUL, SELECTORS, visible

# A text without any of these, which is most, is markup already.
_SPECIAL = re.compile(f"[&<>\"'{HARMFUL}{SELECTORS}]")
_SPECIAL_ASCII = re.compile(r"[&<>\"'\x00-\x08\x0b-\x1f\x7f]")
_VOID = frozenset({"hr", "img", "input", "link", "meta"})


class Html(str):
    """Markup that may be sent as it is: our tags around escaped text."""

    __slots__ = ()


EMPTY = Html()


def escape(text: str) -> Html:
    """A text that shows as the characters it has, controls included, in an element or in an attribute."""
    if type(text) is Html:
        return text
    if (_SPECIAL_ASCII if text.isascii() else _SPECIAL).search(text) is None:
        return Html(text)
    return Html(html.escape(visible(text)))


def tag(name: str, /, *inner: str | None, **attributes: str | bool | None) -> Html:
    """An element. `class_` is `class`, `data_id` is `data-id`; what is None or False is left out."""
    opened = start(name, **attributes)
    return opened if name in _VOID else Html(f"{opened}{join(inner)}</{name}>")


def start(name: str, /, **attributes: str | bool | None) -> Html:
    """The start of an element whose end comes later."""
    pairs = "".join(_attribute(key, value) for key, value in attributes.items() if value not in (None, False))
    return Html(f"<{name}{pairs}>")


def end(name: str) -> Html:
    """The end of an element."""
    return Html(f"</{name}>")


def join(pieces: Iterable[str | None], between: Html = EMPTY) -> Html:
    """Pieces one after the other; those that are None are left out."""
    return Html(between.join([escape(piece) for piece in pieces if piece is not None]))


def _attribute(key: str, value: str | bool | None) -> str:  # noqa: FBT001 (an attribute without a value)
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
