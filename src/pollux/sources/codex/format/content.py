"""The parts of a message, and who wrote each of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from pollux.model import Attachment, Context, Part, SummaryPart, Text, Unknown
from pollux.sources.codex.format.schema import MessageItem, Piece
from pollux.wire import REFUSED, tidy

# Texts that the client writes with the role of the user, recognized by their beginning.
INJECTED = {
    "<environment_context>": "environment",
    "<user_instructions>": "instructions",
    "# AGENTS.md instructions for ": "instructions",
    "<turn_aborted>": "interruption",
    "<user_action>": "review",
    "<subagent_notification>": "agent",
    "<user_shell_command>": "shell",
    "<skill>": "skill",
    "<recommended_plugins>": "plugins",
    "<external_": "external",
    "<codex_internal_context": "internal",
    "<goal_context>": "goal",
    "<hook_prompt": "hook",
}
# The beginning of the text that gives a summary to the next model.
HANDOVER = "Another language model started"
_STARTS = (*INJECTED, HANDOVER)
_FIRST = frozenset(words[0] for words in _STARTS)
_TAGS = ("<image name=", "</image>")
_IMAGE = re.compile(r"<image name=[^\n]*>\Z|</image>\Z")
_DATA = re.compile(r"data:([^;,]*)(?:;[^,]*)?,")
_CWD = re.compile(r"<cwd>([^<\n]+)</cwd>|^Current working directory: ([^\n]+)$", re.MULTILINE)
_WORDS = frozenset(("input_text", "output_text", "text", "summary_text", "reasoning_text", "Text"))


def is_injected(text: str, kind: str | None = None) -> bool:
    """Did the client write this part? From 0.150 on the file says so, but not for every part."""
    if kind is not None and kind != "unknown" and "." in kind:
        return not kind.startswith("user.")
    first = text[:1]
    if first in _FIRST:
        return text.startswith(_STARTS)
    return first.isspace() and text[:400].lstrip().startswith(_STARTS)


def source_of(text: str) -> str:
    """The kind of an injected text."""
    start = text[:400].lstrip()
    return next((name for words, name in INJECTED.items() if start.startswith(words)), "client")


def pieces(content: list[Piece] | str | None) -> list[Piece]:
    """Content as a list of parts."""
    if type(content) is list:
        return content
    return [Piece(type="input_text", text=content)] if type(content) is str else []


def split_by_author(item: MessageItem) -> tuple[list[Part], list[Part]]:
    """The parts of a message with the role of the user: those of the human, and those that the client injected."""
    kinds = (
        item.item_metadata.content_item_kinds
        if item.item_metadata is not None and item.item_metadata.content_item_kinds
        else []
    )
    content = pieces(item.content)
    words: list[Part] = []
    injected: list[Part] = []
    label: str | None = None
    for index, piece in enumerate(content):
        text = piece.text
        kind = kinds[index] if index < len(kinds) else None
        if text is not None and text.startswith(_TAGS) and _IMAGE.match(text) and not _rest(piece):
            # The client puts a picture between tags that name it.
            neighbours = content[index + 1 : index + 2] if text != "</image>" else content[max(index - 1, 0) : index]
            if any(neighbour.image_url is not None for neighbour in neighbours):
                label = text if text != "</image>" else None
            else:
                words.append(Context(source="image", text=text))
        elif text is not None and is_injected(text, kind):
            injected.append(_injected_part(piece, text))
        else:
            words.append(part_of(piece, label))
            label = None
    return words, injected


def _injected_part(piece: Piece, text: str) -> Part:
    if text[:400].lstrip().startswith(HANDOVER) and not piece.extra:
        return SummaryPart(text=text)
    return Text(text=text, extra=_rest(piece))


def as_context(parts: Iterable[Part]) -> list[Part]:
    """The client's parts of a message that also holds the human's."""
    return [
        Context(source=source_of(part.text), text=part.text) if type(part) is Text and not part.extra else part
        for part in parts
    ]


def agent_mail(content: Any) -> dict[str, Any] | None:
    """A message from one agent to another, which some releases write as the model's: an object, or JSON text."""
    if type(content) is str:
        if not content.startswith('{"author":'):
            return None
        try:
            content = msgspec.json.decode(content)
        except REFUSED:
            return None
    match content:
        case {"author": str(), "recipient": str(), "content": str(), "trigger_turn": bool()}:
            return dict(content)
    return None


def only_words(piece: Piece) -> str | None:
    """The text of a piece that has nothing else, as nearly all do."""
    if (
        piece.type in _WORDS
        and piece.image_url is None
        and piece.encrypted_content is None
        and piece.annotations is None
        and piece.logprobs is None
        and piece.odd is None
        and not piece.extra
    ):
        return piece.text
    return None


def part_of(piece: Piece, label: str | None = None) -> Part:
    """A piece of content as a part of the model."""
    if (text := only_words(piece)) is not None:
        return Text(text=text)
    if piece.odd is not None:
        return Unknown(raw=piece.odd)
    if piece.image_url is not None:
        extra = _rest(piece)
        if label is not None:
            extra = {**extra, "label": label}
        return picture(piece.image_url, extra)
    if piece.text is not None and piece.encrypted_content is None:
        return Text(text=piece.text, extra=_rest(piece))
    return Unknown(raw=tidy(piece))


def picture(url: str, extra: dict[str, Any] | None = None) -> Attachment:
    """A picture: its bytes if the URL contains them, else its URL."""
    data = _DATA.match(url[:200])
    if data is None:
        return Attachment(media_type="image/*", uri=url, extra=extra or {})
    return Attachment(media_type=data[1] or "image/*", data=url[data.end() :], extra=extra or {})


def _rest(piece: Piece) -> dict[str, Any]:
    """The other fields of a piece."""
    if piece.type in _WORDS and not piece.extra and piece.annotations is None and piece.logprobs is None:
        return {}
    rest = dict(piece.extra)
    for name in ("detail", "file_id", "audio_url", "annotations", "logprobs"):
        if (value := getattr(piece, name)) is not None:
            rest[name] = value
    if piece.type not in _WORDS and piece.type not in ("input_image", None):
        rest["type"] = piece.type
    if piece.image_url is not None and piece.text is not None:
        rest["text"] = piece.text
    return rest


def words_of(parts: Iterable[Any]) -> str:
    """The text of some parts without white space, which is the same in a prompt and its echo."""
    return "".join("".join(part.text.split()) for part in parts if type(part) is Text)


def directory_in(text: str) -> str | None:
    """The working directory that an environment context names."""
    match = _CWD.search(text)
    return (match[1] or match[2]).strip() if match is not None else None
