"""The walk over messages and their parts that every output for people shares.

It gives blocks, one at a time: a heading for each message, then what was said and done. Markdown, text, pages and the
terminal each turn the same blocks into their own letters.
"""

from pollux.writers.transcript.blocks import (
    AttachmentBlock,
    Block,
    Branch,
    CallBlock,
    ContextBlock,
    FiguresBlock,
    Heading,
    NoteBlock,
    ReferenceBlock,
    ResultBlock,
    Speaker,
    SummaryBlock,
    TextBlock,
    ThinkingBlock,
    UnknownBlock,
    is_blank,
)
from pollux.writers.transcript.walk import heading, walk

__all__ = [
    "AttachmentBlock",
    "Block",
    "Branch",
    "CallBlock",
    "ContextBlock",
    "FiguresBlock",
    "Heading",
    "NoteBlock",
    "ReferenceBlock",
    "ResultBlock",
    "Speaker",
    "SummaryBlock",
    "TextBlock",
    "ThinkingBlock",
    "UnknownBlock",
    "heading",
    "is_blank",
    "walk",
]
