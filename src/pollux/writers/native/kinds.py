"""Which messages no model was asked, and which of the client's texts one was asked all the same."""

from __future__ import annotations

from enum import StrEnum

from pollux.model import Author, Context, Message, Role

CARRIED_CONTEXTS = ("expansion", "referenced content")
"""What a command was expanded to, and content that a prompt refers to: the model was asked this."""


class Left(StrEnum):
    """Why a message is no part of the conversation."""

    COMMAND = "command"
    REMARK = "remark"
    INSTRUCTIONS = "instructions"
    EMPTY = "empty"


def left_out(message: Message) -> Left | None:
    """Why a message is no part of the conversation; None where it is."""
    if message.role is Role.SYSTEM:
        if message.author is Author.HUMAN:
            return Left.COMMAND
        return Left.REMARK if "level" in message.extra else Left.INSTRUCTIONS
    return None if message.parts else Left.EMPTY


def is_expansion(message: Message, before: Message | None) -> bool:
    """Is a text of the client what a typed command was expanded to? It stands directly after the command."""
    if message.role is not Role.USER or before is None or before.author is not Author.HUMAN:
        return False
    return before.role is Role.USER and before.text.startswith("/") and not message.text.startswith(("<", "["))


def is_carried(context: Context) -> bool:
    """Was the model asked what the client put into a message?"""
    return context.source in CARRIED_CONTEXTS
