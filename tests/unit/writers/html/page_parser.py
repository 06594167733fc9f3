"""What a strict parser sees in a page, for tests to compare with what was meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import msgspec

from pollux.model import Session, ToolResult
from pollux.text.escape import HARMFUL, visible
from pollux.writers.base import NO_CONTEXT, Options, Report, WriterContext
from pollux.writers.html import WRITER
from pollux.writers.html.page import PAGE

VOID = {"hr", "img", "input", "meta", "br"}
TAGS = VOID | set(
    re.findall(
        r"\w+",
        """html head title style body a b div span output search button nav details summary ol ul li main header footer
        h1 h2 h3 h4 h5 h6 dl dt dd code small article section p pre time ins del figure figcaption template noscript
        dialog kbd label script em strong s blockquote table thead tbody tr th td svg rect""",
    )
)
ATTRIBUTES = set(
    re.findall(
        r"[\w-]+",
        """alt aria-current aria-hidden height preserveaspectratio viewbox width x y aria-label
        aria-labelledby aria-live charset class content datetime dir hidden href
        http-equiv id lang loading name open placeholder rel role src start tabindex target title type""",
    )
)
HREF = re.compile(r"#|\./|https?://|mailto:", re.IGNORECASE)
SRC = re.compile(r"data:image/(png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=]+")
CONTROLS = re.compile(f"[{HARMFUL}]")
COLOURS = re.compile(r"\x1b\[[\d;:]*m")
JSON_ESCAPE = re.compile(r"\\(?:[nrtbf\"\\]|u[0-9a-f]{4})")
WORD = re.compile(r"[^\W_]{3,}")


class Page(HTMLParser):
    """A page, taken apart; whatever is not as we write it fails."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.words: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.policy = ""
        self.blocks: dict[str, list[str]] = {"style": [], "script": []}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS, tag
        values = dict(attrs)
        assert len(values) == len(attrs)
        assert set(values) <= ATTRIBUTES, (tag, values)
        self.tags.append((tag, values))
        if tag not in VOID:
            self.open.append(tag)
        if (id := values.get("id")) is not None:
            assert re.search(r"\s", id) is None
            self.ids.append(id)
        if (href := values.get("href")) is not None:
            assert HREF.match(href), href
            self.targets.append(href)
        if (src := values.get("src")) is not None:
            assert tag == "img"
            assert SRC.fullmatch(src), src
        assert values.get("dir", "auto") == "auto"
        if values.get("http-equiv"):
            self.policy = values["content"] or ""
        self.words += [value for key, value in attrs if value and key in ("alt", "title", "href", "start")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        assert tag in VOID

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.blocks:
            self.blocks[self.open[-1]].append(data)
        else:
            self.words.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)

    def handle_pi(self, data: str) -> None:
        raise AssertionError(data)


def written(
    session: Session, options: Options | None = None, context: WriterContext = NO_CONTEXT
) -> tuple[str, Report]:
    pieces: list[str] = []
    report = WRITER.write(session, pieces.append, options or Options(), context)
    return "".join(pieces), report


def check(session: Session, options: Options | None = None) -> Page:
    """Everything that must hold for any session."""
    text, report = written(session, options)
    assert CONTROLS.search(text) is None
    page = Page(text)
    style, script = PAGE.style, PAGE.script
    assert page.blocks == {"style": [style], "script": [script]}
    assert len(page.ids) == len(set(page.ids))
    assert {target[1:] for target in page.targets if target.startswith("#")} <= set(page.ids)
    dropped = {entry.what: entry.count for entry in report.dropped}
    missing = dropped.get("messages no longer live", 0) + dropped.get("messages with nothing to show", 0)
    assert report.kept + missing == len(session.messages)
    if options is None or not options.live_only:
        page_text = " ".join(page.words)
        texts = {*WORD.findall(page_text), *WORD.findall(JSON_ESCAPE.sub(" ", page_text))}
        assert not {word for text in _texts(session) for word in _words(text)} - texts
    return page


def _words(text: str) -> set[str]:
    """The words of a text, but for what a terminal takes for colours, and controls that count as white space."""
    ways = (text, COLOURS.sub("", text), " ".join(text.split()))
    return set.intersection(*(set(WORD.findall(visible(way))) for way in ways))


def _texts(session: Session) -> Iterator[str]:
    """Every text that a page must hold; what an agent recorded beside is accounted for by the report."""
    for message in session.messages:
        for part in message.parts:
            if type(part) is ToolResult and part.output is None and not part.attachments:
                continue  # its call tells it
            yield from _strings(msgspec.to_builtins(part))


def _strings(value: Any, key: str = "") -> Iterator[str]:
    if key in ("extra", "data", "type", "id", "call", "canonical", "tool_kind", "exit_code", "at", "media_type"):
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _strings(inner, name)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner)
