"""The walk over messages and their parts that every output for people shares.

It gives blocks, one at a time: a heading for each message, then what was said and done. Markdown, text, pages and the
terminal each turn the same blocks into their own letters.
"""

from pollux.writers.transcript.blocks import (
    Answer,
    Attached,
    Block,
    Branch,
    Call,
    Digest,
    Figures,
    Heading,
    Injected,
    Odd,
    Reference,
    Remark,
    Speaker,
    Thought,
    Words,
    is_blank,
)
from pollux.writers.transcript.walk import heading, walk

__all__ = [
    "Answer",
    "Attached",
    "Block",
    "Branch",
    "Call",
    "Digest",
    "Figures",
    "Heading",
    "Injected",
    "Odd",
    "Reference",
    "Remark",
    "Speaker",
    "Thought",
    "Words",
    "heading",
    "is_blank",
    "walk",
]
