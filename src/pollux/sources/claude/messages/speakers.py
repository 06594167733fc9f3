"""Whose words stand in the user's place: the human's, the parent agent's, or the client's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pollux.model import Author
from pollux.sources.claude.format.attachments import Injected
from pollux.sources.claude.format.schema import Asked, Block, Line
from pollux.text.enclosed import between

# Texts the client makes and stores as the user's: told by how they begin.
CLIENT_TEXTS = (
    "<task-notification>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "Caveat: The messages below were generated",
    "<bash-stdout>",
    "<bash-stderr>",
    "[Request interrupted by user",
    "This session is being continued from a previous conversation",
    "Stop hook feedback:",
    "<session-start-hook>",
    "<user-prompt-submit-hook>",
    "<post-tool-use-hook>",
    "<pre-tool-use-hook>",
    "<stop-hook>",
    "Unknown slash command: ",
    "<teammate-message",
)
_SAYS_NOTHING = Asked()
# Looked up once: an enumeration's members are slow to name.
_HUMAN, _MODEL, _CLIENT = Author.HUMAN, Author.MODEL, Author.CLIENT
NOTIFICATION = "<task-notification>"
# What the client puts before the human's words, in the same text.
_LEADING = re.compile(
    r"\s*<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics)>.*?</\1>\s*", re.DOTALL | re.IGNORECASE
)
_COMMAND = ("<command-name>", "<command-message>")
_BASH = re.compile(r"\s*<bash-input>(.*?)</bash-input>\s*\Z", re.DOTALL)
_MEMORY = re.compile(r"\s*<user-memory-input>(.*?)</user-memory-input>\s*\Z", re.DOTALL)
_TAG = re.compile(r"<(task-id|tool-use-id|status|summary|result)>")


def author_of(line: Line, text: str) -> Author:
    """Who wrote the words of a user's record that carries no tool result; the order of the questions matters."""
    told = line if type(line) is Asked else _SAYS_NOTHING
    if told.isCompactSummary or line.isMeta:
        return _CLIENT
    if line.isSidechain:
        return _CLIENT if is_client_text(text) else _MODEL
    if told.origin is not None and told.origin.kind is not None:
        return _HUMAN if told.origin.kind == "human" else _CLIENT
    if told.promptSource == "system" or is_client_text(text):
        return _CLIENT
    return _HUMAN


def is_client_text(text: str) -> bool:
    """Did the client make this text, by how it begins? Nothing but injected blocks is the client's too."""
    begin = text.lstrip() if text[:1].isspace() else text
    if not begin.startswith(("<", "[", "C", "T", "S", "U")):
        return False
    return begin.startswith(CLIENT_TEXTS) or (begin.startswith("<") and not unwrapped(begin)[1])


def unwrapped(text: str) -> tuple[list[str], str]:
    """The blocks that the client put before the words, and the words."""
    blocks: list[str] = []
    position = 0
    while (block := _LEADING.match(text, position)) is not None:
        blocks.append(block.group().strip())
        position = block.end()
    return blocks, text[position:]


def command(text: str) -> tuple[str, bool] | None:
    """What was typed where the text is a wrapped command, and whether it was meant for the client alone.

    Commands of the client put their name first; those that become a prompt put their message first.
    """
    begin = text.lstrip()
    if begin.startswith(_COMMAND) and (name := between(begin, "<command-name>", "</command-name>")) is not None:
        arguments = between(begin, "<command-args>", "</command-args>") or ""
        word = name.strip()
        typed = f"{'' if word.startswith('/') else '/'}{word} {arguments.strip()}".strip()
        return typed, begin.startswith("<command-name>")
    if begin.startswith("<bash-input>") and (bash := _BASH.match(begin)) is not None:
        return f"!{bash.group(1).strip()}", False
    if begin.startswith("<user-memory-input>") and (memory := _MEMORY.match(begin)) is not None:
        return f"#{memory.group(1).strip()}", True
    return None


def queued_by_human(injected: Injected, text: str) -> bool:
    """Is an injected `queued_command` a prompt that the human typed while the agent was busy?"""
    if injected.isMeta or is_client_text(text):
        return False
    kind = injected.origin.kind if injected.origin is not None else None
    return kind == "human" if kind is not None else injected.commandMode in (None, "prompt", "bash")


def notices(text: str) -> list[dict[str, str]]:
    """What notices about background tasks say: the task, the call that started it, how it ended, its result."""
    if not text.lstrip().startswith(NOTIFICATION):
        return []
    told = text.split(NOTIFICATION)[1:]
    return [dict(_tagged(one)) for one in told]


def _tagged(text: str) -> Iterator[tuple[str, str]]:
    """The names of the tags in a notice, with what they enclose; a tag that nothing closes is none."""
    position, unclosed = 0, set[str]()
    while (tag := _TAG.search(text, position)) is not None:
        name, position = tag[1], tag.end()
        end = -1 if name in unclosed else text.find(close := f"</{name}>", position)
        if end < 0:
            unclosed.add(name)
            continue
        yield name, text[position:end].strip()
        position = end + len(close)


def texts_of(content: str | list[Block] | None) -> str:
    """The words of a content, whatever its shape."""
    if type(content) is str:
        return content
    return "\n".join(block.text for block in content or () if block.type == "text" and block.text is not None)  # type: ignore[union-attr]
