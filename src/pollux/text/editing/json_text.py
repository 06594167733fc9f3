"""One value in a JSON text, which may have comments: read, set, removed. The rest of the text stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|//[^\n]*|/\*.*?\*/|[{}\[\]:,]|[^\s"{}\[\]:,/]+', re.DOTALL)
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*+"?)|//[^\n]*|/\*.*?\*/', re.DOTALL)
_MARK = "\ufeff"


class _Token(NamedTuple):
    text: str
    start: int
    end: int


class _Member(NamedTuple):
    """A member of an object: its name, where it begins, its value, and the comma after it (-1: it is the last)."""

    name: str
    start: int
    value: int
    end: int
    token: int
    comma: int


class _Object(NamedTuple):
    """An object: where its braces stand, and its members."""

    start: int
    end: int
    members: list[_Member]

    def member(self, name: str) -> _Member | None:
        """The member of this name: the last one counts."""
        return next((member for member in reversed(self.members) if member.name == name), None)


def parse(text: str) -> Any:
    """The value of a text. An empty text is an empty object. Raises `ValueError`."""
    plain = _without_comments(text)
    return msgspec.json.decode(plain) if plain.strip() else {}


def render(value: Any) -> str:
    """A value as its own text."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def fragment(path: Sequence[str], value: Any) -> str:
    """The value under its names, as a whole text."""
    return render(_nested(path, value)) + "\n"


def with_value(text: str, path: Sequence[str], value: Any) -> str:
    """The text with another value at a path of names. Missing objects are made.

    Raises `ValueError` where something else than an object stands on the path.
    """
    if not _without_comments(text).strip():
        return text + ("\n" if text.strip() and not text.endswith("\n") else "") + fragment(path, value)
    editor = _Editor(text)
    inner, depth = editor.root(), 0
    while (member := inner.member(path[depth])) is not None and depth + 1 < len(path):
        inner, depth = editor.object_at(member.token), depth + 1
    if member is not None:
        return editor.replaced(member, value)
    return editor.added(inner, path[depth], _nested(path[depth + 1 :], value))


def without(text: str, path: Sequence[str]) -> str:
    """The text without the value at a path, and without objects that are empty then. It must be there.

    An object with a comment is not empty.
    """
    editor = _Editor(text)
    inner = editor.root()
    trail: list[tuple[_Object, _Member]] = []
    for name in path:
        member = inner.member(name)
        if member is None:
            raise ValueError(f"there is no {name!r}")
        trail.append((inner, member))
        if len(trail) < len(path):
            inner = editor.object_at(member.token)
    while len(trail) > 1 and editor.is_all(*trail[-1]):
        trail.pop()
    return editor.removed(*trail[-1])


def _without_comments(text: str) -> str:
    return _COMMENT.sub(lambda match: match[1] or " ", text.removeprefix(_MARK))


def _nested(path: Sequence[str], value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


class _Editor:
    """A text that is known to be valid, in tokens without comments."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [_Token(match[0], *match.span()) for match in _TOKEN.finditer(text) if match[0][:1] != "/"]
        if self._tokens and self._tokens[0].text == _MARK:
            del self._tokens[0]
        self._newline = "\r\n" if "\r\n" in text else "\n"

    def root(self) -> _Object:
        """The outermost object."""
        return self.object_at(0)

    def object_at(self, index: int) -> _Object:
        """The object that begins with a token. Raises `ValueError` where another value does."""
        tokens = self._tokens
        if tokens[index].text != "{":
            raise ValueError("it is not an object")
        start, members = tokens[index].start, []
        index += 1
        while tokens[index].text != "}":
            name, first = tokens[index], index + 2
            index = self._after(first)
            comma = tokens[index].start if tokens[index].text == "," else -1
            members.append(
                _Member(json.loads(name.text), name.start, tokens[first].start, tokens[index - 1].end, first, comma)
            )
            index += comma >= 0
        return _Object(start, tokens[index].start, members)

    def _after(self, index: int) -> int:
        """The token after the value that begins with a token."""
        depth = 0
        while True:
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(self._tokens[index].text, 0)
            index += 1
            if not depth:
                return index

    def replaced(self, member: _Member, value: Any) -> str:
        """The text with another value of a member."""
        new = self._rendered(value, self._indent(member.start), multiline=self._is_multiline(member))
        return self._text[: member.value] + new + self._text[member.end :]

    def added(self, inner: _Object, name: str, value: Any) -> str:
        """The text with one more member at the end of an object."""
        text, key = self._text, json.dumps(name, ensure_ascii=False)
        outer = self._indent(inner.start)
        if not self._has_lines(inner):
            new = f"{key}: {self._rendered(value, '', multiline=False)}"
            if not inner.members:
                return f"{text[: inner.start + 1]}{new}{text[inner.end :]}"
            last = inner.members[-1].end
            return f"{text[:last]}, {new}{text[last:]}"
        indent = self._indent(inner.members[-1].start) if inner.members else outer + self._step()
        new = f"{self._newline}{indent}{key}: {self._rendered(value, indent, multiline=True)}"
        last = inner.members[-1].end if inner.members else inner.start + 1
        comma = "," if inner.members else ""
        between = text[last : inner.end]
        gap = between[len(between.rstrip()) :]
        end = gap if "\n" in gap else f"{self._newline}{outer}"
        return f"{text[:last]}{comma}{between.rstrip()}{new}{end}{text[inner.end :]}"

    def removed(self, inner: _Object, member: _Member) -> str:
        """The text without a member of an object."""
        text = self._text
        if len(inner.members) == 1 and not text[inner.start + 1 : member.start].strip():
            rest = text[member.end : inner.end]
            return text[: inner.start + 1] + (rest if rest.strip() else "") + text[inner.end :]
        start = member.start
        while start and text[start - 1] in " \t":
            start -= 1
        if start and text[start - 1] == "\n":
            start -= 2 if text[start - 2 : start] == "\r\n" else 1
        if member.comma >= 0:
            between = text[member.end : member.comma]
            return text[:start] + between + text[member.comma + 1 :]
        place = inner.members.index(member)
        before = inner.members[place - 1].comma if place else start
        return text[:before] + text[before + (place > 0) : start] + text[member.end :]

    def is_all(self, inner: _Object, member: _Member) -> bool:
        """Is a member all that an object has, comments included?"""
        rest = self._text[inner.start + 1 : member.start] + self._text[member.end : inner.end]
        return not rest.strip()

    # ------------------------------------------------------------------ how the text is set

    def _has_lines(self, inner: _Object) -> bool:
        """Are the members of an object on lines of their own? An empty one is as the outermost object is."""
        if not inner.members:
            root = self.root()
            return not root.members or "\n" in self._text[root.start : root.end]
        return "\n" in self._text[inner.start : inner.end]

    def _is_multiline(self, member: _Member) -> bool:
        value = self._text[member.value : member.end]
        return "\n" in value or (value[:1] not in "{[" and "\n" in self._text)

    def _rendered(self, value: Any, indent: str, *, multiline: bool) -> str:
        if not multiline or not isinstance(value, Mapping | list | tuple):
            return json.dumps(value, ensure_ascii=False)
        lines = json.dumps(value, indent=self._step(), ensure_ascii=False).split("\n")
        return f"{self._newline}{indent}".join(lines)

    def _indent(self, place: int) -> str:
        """The white space with which the line of a place begins."""
        line = self._text[self._text.rfind("\n", 0, place) + 1 : place]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def _step(self) -> str:
        """By how much a member is further in than its object."""
        root = self.root()
        return (self._indent(root.members[0].start) if root.members else "") or "  "
