"""Makes a conversation fit into a number of tokens: what matters least is folded into a line that says where it is.

Results go first, then replies and the arguments of calls, the largest first; both only of older messages. What was said
last is folded only if that does not help. If there are too many lines, everything but prompts is left out, the oldest
first. Prompts and summaries always stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from shlex import quote
from typing import NamedTuple

from msgspec.structs import replace

from pollux.errors import RequestError
from pollux.model import Fate, FileReference, Role, SummaryPart, Text, ToolCall, ToolResult
from pollux.writers.loss import FILE_TEXTS, INPUTS, OUTPUTS, TEXTS, THINKING
from pollux.writers.native import tokens
from pollux.writers.native.account import Carried
from pollux.writers.native.conversation import AnsweredCall, Media, Words
from pollux.writers.native.ledger import Ledger, Way
from pollux.writers.native.parts import MessageDraft

LAST = 10
"""How many messages at the end stay whole as long as possible."""


class Rank(IntEnum):
    """When something is folded: the lowest first."""

    TAKEN_BACK = 0
    RESULT = 1
    REPLY = 2
    LAST_RESULT = 3
    LAST_REPLY = 4


class _Fold(NamedTuple):
    """Something that can be folded: which piece of which message, and how many tokens that saves at most."""

    rank: Rank
    size: int
    draft: MessageDraft
    piece: int
    what: str


def fit(drafts: Sequence[MessageDraft], limit: int, key: str, note: str, ledger: Ledger) -> None:
    """Fold until everything takes no more than `limit` tokens. Raises `RequestError` where prompts alone take more."""
    total = tokens.of_text(note) + sum(tokens.of_piece(piece) for draft in drafts for _, piece, _ in draft.pieces)
    if total <= limit:
        return
    folds = [
        fold for number, draft in enumerate(drafts) for fold in _folds(draft, is_last=number >= len(drafts) - LAST)
    ]
    for fold in sorted(folds, key=lambda fold: (fold.rank, -fold.size)):
        line = f"[folded to save tokens: {_address(key, fold.draft)}]"
        if fold.size <= tokens.of_text(line):
            continue
        _fold(fold, line, ledger, limit)
        total += tokens.of_text(line) - fold.size
        if total <= limit:
            return
    total = _leave_out(drafts, total, limit, key, ledger)
    if total > limit:
        raise RequestError(
            f"{limit:,} tokens are too few: the prompts alone take about {total:,}.",
            "Try: --upto MESSAGE, a larger --fit, or --fit all, which folds nothing",
        )


def _address(key: str, draft: MessageDraft) -> str:
    """The command that shows a message as it was."""
    return f"pollux show {quote(f'{key}#{draft.message.id}')} --full"


def _leave_out(drafts: Sequence[MessageDraft], total: int, limit: int, key: str, ledger: Ledger) -> int:
    """Leave out everything but prompts, the oldest first; one line says from where on. Returns what is left."""
    first: MessageDraft | None = None
    way = Way(Carried.LEFT_OUT, TEXTS, f"left out to fit into {limit:,} tokens")
    for draft in drafts:
        if total <= limit:
            break
        gone = {fold.piece for fold in _folds(draft, is_last=False)}
        if not gone:
            continue
        for number in gone:
            _, piece, place = draft.pieces[number]
            total -= tokens.of_piece(piece)
            ledger.change(place, way)
        place = draft.pieces[min(gone)][2]
        draft.pieces = [one for number, one in enumerate(draft.pieces) if number not in gone]
        if first is None:
            first = draft
            line = Words(text=f"[from here on left out to save tokens, except prompts: {_address(key, draft)}]")
            draft.pieces.append((Role.ASSISTANT, line, place))
            total += tokens.of_piece(line)
    return total


def _folds(draft: MessageDraft, *, is_last: bool) -> Iterator[_Fold]:
    """What of a message can be folded."""
    result, reply = (Rank.LAST_RESULT, Rank.LAST_REPLY) if is_last else (Rank.RESULT, Rank.REPLY)
    for number, (role, piece, place) in enumerate(draft.pieces):
        part = draft.message.parts[place.part]
        if isinstance(piece, Media):
            continue
        if draft.message.fate is not Fate.LIVE:
            yield _Fold(Rank.TAKEN_BACK, tokens.of_piece(piece), draft, number, TEXTS)
        elif isinstance(piece, AnsweredCall):
            yield _Fold(result, tokens.of_output(piece), draft, number, OUTPUTS)
            yield _Fold(reply, tokens.of_input(piece), draft, number, INPUTS)
        elif isinstance(part, ToolCall | ToolResult | FileReference):
            what = FILE_TEXTS if isinstance(part, FileReference) else OUTPUTS
            yield _Fold(result, tokens.of_text(piece.text), draft, number, what)
        elif role is Role.ASSISTANT and not isinstance(part, SummaryPart):
            yield _Fold(reply, tokens.of_text(piece.text), draft, number, TEXTS if isinstance(part, Text) else THINKING)


def _fold(fold: _Fold, line: str, ledger: Ledger, limit: int) -> None:
    role, piece, place = fold.draft.pieces[fold.piece]
    if isinstance(piece, AnsweredCall):
        is_input = fold.what == INPUTS
        piece = replace(piece, input={"folded": line}) if is_input else replace(piece, output=line, media=())
    else:
        piece = Words(text=line)
    fold.draft.pieces[fold.piece] = (role, piece, place)
    ledger.change(place, Way(Carried.TEXT, fold.what, f"folded to fit into {limit:,} tokens"))
