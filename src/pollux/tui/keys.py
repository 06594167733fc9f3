"""Every key of the terminal UI, in one table: help, footer, documentation and tests are made from it.

The list is a search field, so letters are text there, and its commands are on Ctrl and function keys. The reader has
letters. Nothing is on Alt, which types characters on some systems, nor on a Ctrl key that a terminal cannot tell from
another key or keeps for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pollux.errors import RequestError
from pollux.text.suggest import did_you_mean

LIST, READER, PAGES, ANYWHERE = "list", "reader", "pages", "anywhere"
PLACES = {
    LIST: "In the list",
    READER: "In a conversation",
    PAGES: "On the pages about usage, time and files",
    ANYWHERE: "Everywhere",
}
"""The places that have keys, and what the help calls them."""


class Key(NamedTuple):
    """What can be done in a place, and the keys that do it.

    `label` is for the footer, which shows those with a `rank`, the lowest first, as far as there is room.
    """

    place: str
    action: str
    keys: tuple[str, ...]
    label: str
    meaning: str
    rank: int = 0

    @property
    def name(self) -> str:
        """What the settings call it."""
        return f"{self.place}.{self.action}"


KEYS: tuple[Key, ...] = (
    # ------------------------------------------------------------------ the list
    Key(LIST, "open", ("enter",), "open", "Open the session, at the passage that was found.", 1),
    Key(LIST, "down", ("down", "ctrl+n"), "down", "The next line."),
    Key(LIST, "up", ("up", "ctrl+p"), "up", "The line before."),
    Key(LIST, "page_down", ("pagedown",), "page down", "A screen further."),
    Key(LIST, "page_up", ("pageup",), "page up", "A screen back."),
    Key(LIST, "first", ("ctrl+home",), "first", "The newest session."),
    Key(LIST, "last", ("ctrl+end",), "last", "The oldest session."),
    Key(LIST, "unfold", ("right",), "unfold", "Show the sub-agents of a session (at the end of the search field)."),
    Key(LIST, "fold", ("left",), "fold", "Hide them again (at the beginning of the search field)."),
    Key(LIST, "scope", ("tab",), "scope", "This project, all sessions, all kinds of sessions.", 3),
    Key(LIST, "facets", ("shift+tab",), "narrow", "Narrow the list: by agent, project, model, branch, and more.", 4),
    Key(LIST, "resume", ("ctrl+r",), "resume", "Go on with the session in its agent; the command is shown first.", 2),
    Key(LIST, "fork", ("ctrl+f",), "fork", "Go on with a copy of the session; the command is shown first."),
    Key(LIST, "handoff", ("ctrl+g",), "hand over", "Go on in another agent; what would be written is shown first."),
    Key(LIST, "star", ("ctrl+b",), "star", "Star the session, or take the star away."),
    Key(LIST, "copy", ("ctrl+y",), "copy key", "Copy the session’s key."),
    Key(LIST, "command", ("ctrl+u",), "command", "Show and copy the command line that gives the same answer.", 6),
    Key(LIST, "preview", ("ctrl+t",), "preview", "Show or hide the preview beside the list."),
    Key(LIST, "back", ("escape",), "clear", "Clear the search; leave where there is nothing to clear."),
    # ------------------------------------------------------------------ a conversation
    Key(READER, "down", ("j", "down"), "down", "A line further."),
    Key(READER, "up", ("k", "up"), "up", "A line back."),
    Key(READER, "page_down", ("space", "pagedown"), "page down", "A screen further."),
    Key(READER, "page_up", ("b", "pageup"), "page up", "A screen back."),
    Key(READER, "half_down", ("ctrl+d",), "half down", "Half a screen further."),
    Key(READER, "half_up", ("ctrl+u",), "half up", "Half a screen back."),
    Key(READER, "top", ("g", "home"), "top", "The beginning."),
    Key(READER, "bottom", ("G", "end"), "end", "The end."),
    Key(READER, "next_message", ("J",), "next", "The next message.", 8),
    Key(READER, "previous_message", ("K",), "previous", "The message before."),
    Key(READER, "next_prompt", ("p",), "prompts", "The next prompt.", 7),
    Key(READER, "previous_prompt", ("P",), "previous prompt", "The prompt before."),
    Key(READER, "find", ("slash",), "find", "Find words in this conversation.", 2),
    Key(READER, "next_found", ("n",), "next match", "The next place that was found."),
    Key(READER, "previous_found", ("N",), "previous match", "The place before."),
    Key(READER, "fates", ("v",), "view", "As it happened, or as the agent would resume it.", 1),
    Key(READER, "tools", ("t",), "tools", "Tool calls: off, short, full.", 3),
    Key(READER, "thinking", ("T",), "thinking", "Show or hide the model’s thinking."),
    Key(READER, "unfold", ("enter",), "unfold", "Unfold the message, or fold it again."),
    Key(READER, "detail", ("d",), "detail", "Show the message’s calls, figures, and record with its file and line."),
    Key(READER, "copy", ("y",), "copy", "Copy the message as Markdown.", 4),
    Key(READER, "copy_code", ("c",), "copy code", "Copy a code block of the message by its number."),
    Key(READER, "copy_other", ("Y",), "copy …", "Copy the path, id, key, place in the file, or command."),
    Key(READER, "follow", ("F",), "follow", "Follow the session while it is being written."),
    Key(READER, "export", ("e",), "export", "Write the session into a file, in any format."),
    Key(READER, "resume", ("R",), "resume", "Go on with the session in its agent; the command is shown first.", 5),
    Key(READER, "fork", ("f",), "fork", "Go on with a copy of the session; the command is shown first."),
    Key(READER, "handoff", ("h",), "hand over", "Go on in another agent; what would be written is shown first."),
    Key(READER, "star", ("asterisk",), "star", "Star the session, or take the star away."),
    Key(READER, "mark", ("m",), "marks", "Tags, notes, stars and names of the session and the message."),
    Key(READER, "links", ("o",), "links", "Go to its parent, sub-agents, fork or continuation."),
    Key(READER, "back", ("q", "escape"), "back", "Back to where you came from.", 6),
    # ------------------------------------------------------------------ other pages
    Key(PAGES, "down", ("j", "down"), "down", "A line further."),
    Key(PAGES, "up", ("k", "up"), "up", "A line back."),
    Key(PAGES, "page_down", ("space", "pagedown"), "page down", "A screen further."),
    Key(PAGES, "page_up", ("b", "pageup"), "page up", "A screen back."),
    Key(PAGES, "half_down", ("ctrl+d",), "half down", "Half a screen further."),
    Key(PAGES, "half_up", ("ctrl+u",), "half up", "Half a screen back."),
    Key(PAGES, "top", ("g", "home"), "top", "The beginning."),
    Key(PAGES, "bottom", ("G", "end"), "end", "The end."),
    Key(PAGES, "day", ("1",), "day", "The last day.", 2),
    Key(PAGES, "week", ("2",), "week", "The last week.", 3),
    Key(PAGES, "month", ("3",), "month", "The last month.", 4),
    Key(PAGES, "year", ("4",), "year", "The last year.", 5),
    Key(PAGES, "all", ("5",), "all", "All time.", 6),
    Key(
        PAGES,
        "by",
        ("tab",),
        "by",
        "Divide or measure by the next thing: project, agent, day; cost, prompts.",
        1,
    ),
    Key(PAGES, "copy", ("y",), "copy command", "Copy the command line that gives the same answer.", 7),
    Key(PAGES, "back", ("q", "escape"), "back", "Back to where you came from.", 8),
    # ------------------------------------------------------------------ everywhere
    Key(ANYWHERE, "help", ("f1",), "keys", "All keys of this place.", 9),
    Key(ANYWHERE, "palette", ("ctrl+o",), "commands", "All commands by name.", 10),
    Key(ANYWHERE, "usage", ("f2",), "usage", "What was used, and what it cost."),
    Key(ANYWHERE, "timeline", ("f3",), "timeline", "What was used when."),
    Key(ANYWHERE, "doctor", ("f4",), "doctor", "What pollux could read, and what not."),
    Key(ANYWHERE, "sync", ("f5",), "look again", "Look for new sessions now."),
    Key(ANYWHERE, "theme", ("f6",), "colours", "Dark, light, or high contrast."),
    Key(ANYWHERE, "leave", ("ctrl+c",), "leave", "Leave pollux."),
)

Settings = Mapping[str, Mapping[str, str | Sequence[str]]]
"""The table `[keys]` of the settings: by place and action, one key or several."""

SAME = {
    "h": "Backspace",
    "i": "Tab",
    "j": "Enter",
    "m": "Enter",
    "left_square_bracket": "Esc",
    "q": "the key that lets the terminal go on",
    "s": "the key that stops the terminal",
    "z": "the key that suspends a program",
}
"""Ctrl and these keys are something else for a terminal."""

_WORDS = {
    "slash": "/",
    "asterisk": "*",
    "question_mark": "?",
    "enter": "Enter",
    "escape": "Esc",
    "tab": "Tab",
    "space": "Space",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
}
_BRIEF = {"Enter": "↵", "Tab": "⇥", "Ctrl+": "^", "Shift+": "⇧"}
_KEY = re.compile(r"(?:(?:ctrl|shift|alt|super)\+)*([A-Za-z0-9]|f(?:[1-9]|1\d|2[0-4])|[a-z_]{2,})")
_SIGNS = {"/": "slash", "*": "asterisk", "?": "question_mark"}
_EDITING = frozenset(("backspace", "delete"))
_NAMES = frozenset((*_WORDS, *_EDITING, "insert"))


def spoken(key: str) -> str:
    """A key as documentation has it: `Ctrl+R`, `↑`, `G`."""
    *held, last = key.split("+")
    names = [word.capitalize() for word in held]
    name = _WORDS.get(last) or (last.upper() if held or re.fullmatch(r"f\d+", last) else last)
    return "+".join([*names, name])


def brief(key: str) -> str:
    """A key as the footer has it: `^R`, `↵`."""
    word = spoken(key)
    for long, short in _BRIEF.items():
        word = word.replace(long, short)
    return word


def changed(settings: Settings) -> tuple[Key, ...]:
    """The table with the user's changes. Raises `RequestError` where a change makes no sense or two keys conflict."""
    table = {key.name: key for key in KEYS}
    for place, actions in settings.items():
        if place not in PLACES:
            raise RequestError(f"The settings have keys for {place!r}, which is no place.", did_you_mean(place, PLACES))
        for action, value in actions.items():
            name = f"{place}.{action}"
            if name not in table:
                known = [key.action for key in KEYS if key.place == place]
                raise RequestError(
                    f"The settings have a key for {name}, which does nothing.", did_you_mean(action, known)
                )
            keys = (value,) if isinstance(value, str) else tuple(value)
            table[name] = table[name]._replace(keys=tuple(_checked(name, place, key) for key in keys))
    _refuse_conflicts(table.values())
    return tuple(table.values())


def _checked(name: str, place: str, key: str) -> str:
    """A key as Textual names it. Raises `RequestError` where a terminal cannot have it."""
    known = _SIGNS.get(key, key)
    match = _KEY.fullmatch(known)
    if match is None or (len(match[1]) > 1 and not match[1][-1].isdigit() and match[1] not in _NAMES):
        raise RequestError(
            f"The settings put {name} on {key!r}, which is no key.", "Keys are named like: ctrl+r, f5, G, pagedown."
        )
    *held, last = known.split("+")
    if "super" in held or (held and last.isdigit()) or ("shift" in held and len(last) == 1):
        raise RequestError(f"The settings put {name} on {key}.", "Most terminals do not pass it on as that key.")
    if "alt" in held:
        raise RequestError(f"The settings put {name} on {key}.", "Alt types characters in some terminals.")
    if held == ["ctrl"] and last in SAME:
        raise RequestError(f"The settings put {name} on {key}.", f"For a terminal that is {SAME[last]}.")
    if place in (LIST, ANYWHERE) and not held and (len(last) == 1 or known in _SIGNS.values() or last == "space"):
        raise RequestError(f"The settings put {name} on {key}.", "The list takes letters as words to search for.")
    if place in (LIST, ANYWHERE) and known in _EDITING:
        raise RequestError(f"The settings put {name} on {key}.", "The search field needs it.")
    return known


def _refuse_conflicts(table: Iterable[Key]) -> None:
    """Raise `RequestError` where two actions that can meet have the same key."""
    taken: dict[tuple[str, str], str] = {}
    rows = list(table)
    for one in rows:
        for place in PLACES if one.place == ANYWHERE else (one.place,):
            for key in one.keys:
                other = taken.setdefault((place, key), one.name)
                if other != one.name:
                    raise RequestError(
                        f"{other} and {one.name} are both on {spoken(key)}.",
                        f"Give one of them another key, in [keys.{one.place}] of the settings.",
                    )


def of_place(place: str, table: Iterable[Key] = KEYS) -> list[Key]:
    """The keys that work in a place, its own first."""
    rows = list(table)
    return [key for key in rows if key.place == place] + [key for key in rows if key.place == ANYWHERE]


def markdown(table: Iterable[Key] = KEYS) -> str:
    """The table as documentation has it."""
    lines: list[str] = []
    for place, title in PLACES.items():
        lines += [f"### {title}", "", "| key | | name in the settings |", "|---|---|---|"]
        for key in table:
            if key.place == place:
                names = ", ".join(f"`{spoken(one)}`" for one in key.keys)
                lines.append(f"| {names} | {key.meaning} | `{key.name}` |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"
