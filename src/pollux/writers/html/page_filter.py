"""Which blocks a page shows: all that say something. What a page does not hold is counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pollux.model import Attachment, Fate, Message, Part
from pollux.writers.base import LOST_FATES, Options
from pollux.writers.html.pictures import source
from pollux.writers.loss import BYTES, DETAILS, NOTHING, LossCounter
from pollux.writers.transcript import Block, FiguresBlock, NoteBlock, is_blank


class PageFilter:
    """Chooses the blocks of each message, and counts what is lost."""

    def __init__(self, options: Options, tally: LossCounter) -> None:
        self._options = options
        self._tally = tally

    def is_left_out(self, message: Message) -> bool:
        """Is the message not live, where only the live conversation was asked for?"""
        return self._options.live_only and message.fate is not Fate.LIVE

    def __call__(self, message: Message, blocks: Iterator[Block]) -> Iterable[Block]:
        """The blocks of a message that the page shows. Its figures stand in its details."""
        if self.is_left_out(message):
            self._tally.drop(LOST_FATES)
            return ()
        self._account(message)
        chosen = [block for block in blocks if _is_shown(block)]
        if all(map(is_blank, chosen)):
            self._tally.drop(NOTHING)
            return ()
        self._tally.kept += 1
        return chosen

    def _account(self, message: Message) -> None:
        native = message.usage is not None and bool(message.usage.native or message.usage.each)
        self._tally.drop(DETAILS, bool(message.extra) + native)
        for part in message.parts:
            self._account_part(part)

    def _account_part(self, part: Part) -> None:
        self._tally.drop(DETAILS, bool(getattr(part, "extra", None)))
        for attachment in [part] if type(part) is Attachment else getattr(part, "attachments", ()):
            lost = attachment.data is not None and source(attachment.media_type, attachment.data) is None
            self._tally.drop(BYTES, lost)
            self._tally.drop(DETAILS, bool(attachment.extra) and attachment is not part)


def _is_shown(block: Block) -> bool:
    """Is a block shown where its message is? A remark stands at the head of its message, even without words."""
    return type(block) is not FiguresBlock and (type(block) is NoteBlock or not is_blank(block))
