"""How wide text is on a terminal: cut, padded and wrapped by columns, not by characters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pollux.text.escape import one_line

# Letters of western scripts, and the marks we use ourselves: one column each, without asking a table.
_NARROW = re.compile("[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027≤≥✓✗→]*")
_JOINER = "\u200d"
_UNSTEADY = re.compile(f"[{_JOINER}\ufe0e\ufe0f]")
_WORD = re.compile(r"\S+|\s+")
_LIST = re.compile(r"\s*(?:[-*+•]|\d+[.)])?\s*")


def width(text: str) -> int:
    """How many columns the text takes. Not every terminal draws joined emoji as one, and none draws letters so."""
    if text.isascii() or _NARROW.fullmatch(text) is not None:
        return len(text)
    from rich.cells import cell_len

    return cell_len(text.replace(_JOINER, ""))


def steady(text: str) -> str:
    """The text without joiners and variation selectors, which make emoji narrower here and wider there."""
    return _UNSTEADY.sub("", text)


def cut(text: str, columns: int) -> str:
    """The text in at most this many columns, an ellipsis where something is missing."""
    if width(text) <= columns:
        return text
    if columns <= 0:
        return ""
    begin = text[:columns]
    if begin.isascii() or _NARROW.fullmatch(begin) is not None:  # nearly always: each is one column
        return begin[:-1].rstrip() + "…"
    characters, room = [], columns - 1
    for character in text:
        room -= width(character)
        if room < 0:
            break
        characters.append(character)
    return "".join(characters).rstrip() + "…"


def short(text: str, columns: int) -> str:
    """The beginning of a text on one line, with its length where it is cut."""
    line = one_line(text[:4000])
    if len(text) <= 4000 and width(line) <= columns:
        return line
    size = f" ({len(text):,} characters)"
    return cut(line, max(columns - len(size), 10)) + size


def cut_left(text: str, columns: int) -> str:
    """The end of a text: of a path, the end matters most."""
    if width(text) <= columns:
        return text
    if columns <= 0:
        return ""
    return cut(text[::-1], columns)[::-1]


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """The text filled with blanks; `right` puts it against the right edge."""
    blanks = " " * (columns - width(text))
    return blanks + text if right else text + blanks


def wrap_facts(facts: Iterable[str], columns: int | None) -> Iterator[str]:
    """Facts in a row; lines break only between facts."""
    current = ""
    for fact in facts:
        longer = f"{current} · {fact}" if current else fact
        if current and columns is not None and width(longer) > columns:
            yield current
            current = fact
        else:
            current = longer
    if current:
        yield current


def wrap(line: str, columns: int | None) -> Iterator[str]:
    """One line as several; those that follow stand under the first word, behind a bullet or number."""
    if columns is None or width(line) <= columns:
        yield line
        return
    lead = _LIST.match(line)
    start = lead.end() if lead is not None else 0
    hang = " " * start if start < columns // 2 else ""
    current, used, empty = line[:start], width(line[:start]), True
    for word in words(line[start:], columns - width(hang)):
        size = width(word)
        if used + size > columns and not empty:
            yield current.rstrip()
            current, used, empty = hang, width(hang), True
            if word.isspace():
                continue
        current += word
        used += size
        empty = empty and word.isspace()
    if current.strip():
        yield current.rstrip()


def fold(text: str, columns: int | None) -> Iterator[str]:
    """One line as several, full ones but the last: paths and commands break anywhere."""
    line = ""
    for character in text:
        if columns is not None and line and width(line + character) > columns:
            yield line
            line = ""
        line += character
    yield line


def words(text: str, columns: int) -> Iterator[str]:
    """Words and the blanks between them. Scripts that write without blanks may break anywhere; a long address never."""
    for match in _WORD.finditer(text):
        word = match[0]
        if word.isascii() or width(word) == len(word) or width(word) <= columns // 4:
            yield word
        else:
            yield from word
