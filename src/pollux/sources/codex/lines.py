"""The lines of a session file as records, each decoded once: how is told by its first bytes.

What only repeats its neighbour is told by its bytes as well, and never decoded.
"""

from __future__ import annotations

from codecs import escape_decode
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

import msgspec

from pollux.sources.codex.keys import ALIASES, KNOWN
from pollux.sources.codex.records import Record, odd
from pollux.sources.codex.schema import ECHOES, ITEMS, REPEATED, Line, NoteLine, SameLine, ShellOutput
from pollux.wire import REFUSED, Notes

_quick: Callable[[bytes], Record] = msgspec.json.Decoder(Line).decode
_note: Callable[[bytes], Record] = msgspec.json.Decoder(NoteLine).decode
_same: Callable[[bytes], Record] = msgspec.json.Decoder(SameLine).decode
_unfold = msgspec.json.Decoder(ShellOutput).decode

_TYPE = b'"type":"'
_EVENT = b'event_msg","payload":{"type":"'
_CONTEXT = b'turn_context"'
_ITEM = b'response_item","payload":{"type":"'
# So many bytes tell the kinds of events apart; of an item they hold the first two letters.
_HEAD = len(_ITEM) + 2
# The type stands behind the time and the ordinal.
_FAR = 100

# An event that shows words, and the item that says them: written one after the other (0.63 to 0.144).
_SHOWN_AND_SAID = (
    (
        _EVENT + b'agent_message","message":',
        _ITEM + b'message","role":"assistant","content":[{"type":"output_text","text":',
    ),
    (
        _EVENT + b'agent_reasoning","text":',
        _ITEM + b'reasoning","summary":[{"type":"summary_text","text":',
    ),
)
_FOLDED = b'"output":"{\\"output\\":\\"'
_FOLDED_END = b'}}"}}\n'


def records(lines: Iterable[bytes], notes: Notes) -> Iterator[Record | None]:
    """A record for each line; None for one that is empty or damaged.

    A line that shows words is held back until the next one is there, which may say the same.
    """
    decoders, at, held, settings = _DECODERS, 0, b"", b""
    for number, line in enumerate(lines, 1):
        decode = decoders.get(line[at : at + _HEAD])
        if decode is None:
            at = line.find(_TYPE, 0, _FAR) + len(_TYPE)
            decode = decoders.get(line[at : at + _HEAD])
            if decode is None:
                before, settings = settings, line[at:] if line.startswith(_CONTEXT, at) else b""
                decode = _same if settings and settings == before else _quick
        if held:
            shown, held = held, b""
            if (said := _said(shown, line, at)) is not None:
                yield REPEATED
                yield said
                continue
            yield _read(shown, notes, number - 1)
        if decode is _shown:
            held = line
            continue
        try:
            record: Record | None = decode(line)
        except REFUSED:
            settings = b""
            notes.line = number
            record = odd(line, notes)
        yield record
    if held:
        yield _read(held, notes, number)


def _said(shown: bytes, line: bytes, at: int) -> Record | None:
    """The item on a line that says the very words which the line before showed, and no earlier; else None."""
    for event, item in _SHOWN_AND_SAID:
        if shown.startswith(event, at) and line.startswith(item, at):
            words = shown[at + len(event) : -3]
            end = at + len(item) + len(words)
            if line[at + len(item) : end] == words and line.startswith(b"}]", end) and shown[:at] <= line[:at]:
                with suppress(*REFUSED):
                    return _quick(line)
    return None


def _folded(line: bytes) -> Record:
    """An item; where it is an answer that holds JSON in a string, the inner JSON is decoded from the line's own bytes.

    Only quotes and backslashes are escaped there, the first quote as all others. Taking these escapes away is half the
    work of decoding the string, and what is left need not become text in between.
    """
    if line.endswith(_FOLDED_END) and (place := line.find(_FOLDED, 0, 4 * _FAR)) > 0:
        place += len(b'"output":"')
        try:
            inside = _unfold(escape_decode(line[place:-4])[0])
        except (*REFUSED, DeprecationWarning):
            return _quick(line)
        record = _quick(line[:place] + b'"}}')
        record.payload.shell = inside  # type: ignore[union-attr]
        return record
    return _quick(line)


def _shown(line: bytes) -> Record:
    """An event that shows words."""
    return _quick(line)


def _read(line: bytes, notes: Notes, number: int) -> Record | None:
    """A line that was held back for nothing."""
    try:
        return _quick(line)
    except REFUSED:
        notes.line = number
        return odd(line, notes)


def _heads(start: bytes, kinds: Iterable[str], decode: Callable[[bytes], Record]) -> dict[bytes, Callable[[bytes], Record]]:
    return {(start + kind.encode() + b'"')[:_HEAD]: decode for kind in kinds}


_DECODERS = {
    **_heads(_EVENT, (kind.partition("/")[2] for kind in KNOWN if kind.startswith("event_msg/")), _note),
    **_heads(_EVENT, (kind.partition("/")[2] for kind in ALIASES), _note),
    **_heads(_EVENT, ECHOES, _quick),
    **_heads(_EVENT, ("agent_message",), _shown),
    **_heads(_ITEM, ITEMS, _quick),
    **_heads(_ITEM, ("function_call_output", "custom_tool_call_output"), _folded),
}
"""How a line is decoded, by its first bytes from its type on."""
