"""All arguments of a tool call, each in the form that suits it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pollux.text.escape import one_line
from pollux.writers.calls import as_section
from pollux.writers.edit_arguments import common_name, with_common_names
from pollux.writers.html.code import code
from pollux.writers.html.markup import Html, join, tag
from pollux.writers.html.terminal import terminal

SHORT = 200
"""Characters: a text of one line stands beside its name up to this length."""

_COMMANDS = ("command", "cmd")
_LISTS = ("todos", "plan")
_STEPS = ("content", "description", "step", "title")
_MARKS = {"completed": "✓", "in_progress": "▸", "cancelled": "–"}


def render_arguments(arguments: Any) -> Iterator[Html]:
    """Every argument: the short ones first."""
    if not isinstance(arguments, Mapping):
        if arguments not in (None, "", [], {}):
            section = as_section("Input", arguments)
            yield code(section.text, language=section.language)
        return
    brief: list[Html] = []
    long: list[Html] = []
    for key, value in arguments.items():
        name = one_line(str(key))
        block = _block(key, value, arguments)
        if block is None:
            brief.append(join([tag("dt", name), tag("dd", _inline(value))]))
        else:
            long.append(join([tag("p", name, class_="what") if key not in _COMMANDS else None, block]))
    if brief:
        yield tag("dl", *brief, class_="arguments")
    yield from long


def _block(key: str, value: Any, arguments: Mapping[str, Any]) -> Html | None:
    """An argument that needs room; None for one that fits on a line."""
    if key in _COMMANDS:
        words = [value] if isinstance(value, str) else value
        if isinstance(words, list) and all(isinstance(word, str) for word in words):
            # A list of words that a shell is started with: the last of them is what it runs.
            return tag("div", code(_command(words), language="bash"), class_="command")
    if key in _LISTS and (steps := _steps(value)):
        return tag("ul", *steps, class_="steps")
    if isinstance(value, str):
        if "\n" not in value.strip() and len(value) <= SHORT:
            return None
        file = with_common_names(arguments).get("file_path")
        return code(value, file=file) if common_name(key) == "content" and isinstance(file, str) else terminal(value)
    if isinstance(value, Mapping | list) and value and not _is_flat(value):
        return code(as_section("", value).text, language="json")
    return None


def _command(words: list[str]) -> str:
    return words[0] if len(words) == 1 else " ".join(words)


def _steps(value: Any) -> list[Html]:
    """A list of things to do; nothing where an item does not fit on a line."""
    items: list[Html] = []
    for step in value if isinstance(value, list) else []:
        words = next((step[key] for key in _STEPS if key in step), None) if isinstance(step, Mapping) else None
        if not isinstance(words, str) or not all(isinstance(detail, str) for detail in step.values()):
            return []
        status = step.get("status", "")
        more = [f"{key}: {text}" for key, text in step.items() if key != "status" and text != words]
        details = tag("small", " · ".join([status.replace("_", " "), *more]))
        mark = tag("span", _MARKS.get(status, "○"), aria_hidden="true", class_="mark")
        items.append(tag("li", mark, " ", words, " ", details, class_=status if status in _MARKS else None))
    return items


def _is_flat(value: Mapping[str, Any] | list[Any]) -> bool:
    return isinstance(value, list) and all(isinstance(item, str | int) for item in value) and len(str(value)) <= SHORT


def _inline(value: Any) -> Html:
    if value == "":
        return tag("small", "empty")
    return tag("code", value if isinstance(value, str) else as_section("", value).text)
