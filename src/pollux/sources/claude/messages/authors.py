"""The author of a user's record: the human, the parent agent, or the client."""

from __future__ import annotations

import re

from pollux.model import Author
from pollux.sources.claude.format.attachments import AttachmentContent
from pollux.sources.claude.format.schema import Block, Line, UserRecord
from pollux.wire import tagged

# How texts begin that the client makes and stores as the user's.
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
_EMPTY_RECORD = UserRecord()
# Members of an enumeration are slow to look up, so this happens once.
_HUMAN, _MODEL, _CLIENT = Author.HUMAN, Author.MODEL, Author.CLIENT
NOTIFICATION = "<task-notification>"
# What the client adds before the human's words, in the same text.
_LEADING = re.compile(
    r"\s*<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics)>.*?</\1>\s*", re.DOTALL | re.IGNORECASE
)
_COMMAND = ("<command-name>", "<command-message>")
_BASH = re.compile(r"\s*<bash-input>(.*?)</bash-input>\s*\Z", re.DOTALL)
_MEMORY = re.compile(r"\s*<user-memory-input>(.*?)</user-memory-input>\s*\Z", re.DOTALL)
_TAGS = ("task-id", "tool-use-id", "status", "summary", "result")


def author_of(line: Line, text: str) -> Author:
    """The author of a user's record without a tool result. The order of the checks matters."""
    record = line if type(line) is UserRecord else _EMPTY_RECORD
    if record.isCompactSummary or line.isMeta:
        return _CLIENT
    if line.isSidechain:
        return _CLIENT if is_client_text(text) else _MODEL
    if record.origin is not None and record.origin.kind is not None:
        return _HUMAN if record.origin.kind == "human" else _CLIENT
    if record.promptSource == "system" or is_client_text(text):
        return _CLIENT
    return _HUMAN


def is_client_text(text: str) -> bool:
    """Did the client make this text, by its beginning? A text of injected blocks alone is the client's, too."""
    begin = text.lstrip() if text[:1].isspace() else text
    if not begin.startswith(("<", "[", "C", "T", "S", "U")):
        return False
    return begin.startswith(CLIENT_TEXTS) or (begin.startswith("<") and not split_reminders(begin)[1])


def split_reminders(text: str) -> tuple[list[str], str]:
    """The blocks that the client added before the words, and the words."""
    blocks: list[str] = []
    place = 0
    while (block := _LEADING.match(text, place)) is not None:
        blocks.append(block.group().strip())
        place = block.end()
    return blocks, text[place:]


def command(text: str) -> tuple[str, bool] | None:
    """The typed text of a wrapped command, and whether it is for the client alone; None for other texts.

    Commands of the client have their name first; commands that become a prompt have their message first.
    """
    begin = text.lstrip()
    if begin.startswith(_COMMAND) and (name := _between(begin, "command-name")) is not None:
        arguments = _between(begin, "command-args") or ""
        word = name.strip()
        typed = f"{'' if word.startswith('/') else '/'}{word} {arguments.strip()}".strip()
        return typed, begin.startswith("<command-name>")
    if begin.startswith("<bash-input>") and (bash := _BASH.match(begin)) is not None:
        return f"!{bash.group(1).strip()}", False
    if begin.startswith("<user-memory-input>") and (memory := _MEMORY.match(begin)) is not None:
        return f"#{memory.group(1).strip()}", True
    return None


def _between(text: str, name: str) -> str | None:
    """The text between a tag and the next one that closes it."""
    return next((mark.text for mark in tagged(text, (name,))), None)


def queued_by_human(injected: AttachmentContent, text: str) -> bool:
    """Is an injected `queued_command` a prompt that the human typed while the agent was busy?"""
    if injected.isMeta or is_client_text(text):
        return False
    kind = injected.origin.kind if injected.origin is not None else None
    return kind == "human" if kind is not None else injected.commandMode in (None, "prompt", "bash")


def task_notices(text: str) -> list[dict[str, str]]:
    """The notices about background tasks: the task, the call that started it, its status, its result."""
    if not text.lstrip().startswith(NOTIFICATION):
        return []
    texts = text.split(NOTIFICATION)[1:]
    return [{mark.name: mark.text.strip() for mark in tagged(notice, _TAGS)} for notice in texts]


def texts_of(content: str | list[Block] | None) -> str:
    """The words of a content of any shape."""
    if type(content) is str:
        return content
    return "\n".join(block.text for block in content or () if block.type == "text" and block.text is not None)  # type: ignore[union-attr]
