"""The state of a session in a citation: `gemini:6403bd4e#5a7c@14-3fa2` was cited when the session had 14 messages."""

from __future__ import annotations

import re
from typing import NamedTuple

_STATE = re.compile(r"@(\d{1,9}-[0-9a-f]{4})\Z")


class StatedName(NamedTuple):
    """The name of a session or a message without a state, and the state, if it had one."""

    name: str
    state: str | None


def split_state(name: str) -> StatedName:
    """The name and the state of a citation."""
    found = _STATE.search(name)
    return StatedName(name[: found.start()], found[1]) if found is not None else StatedName(name, None)


def change_between(cited: str, present: str) -> str | None:
    """What became of a session since it was cited, in a sentence; None where nothing did."""
    if cited == present:
        return None
    before, after = (int(state.partition("-")[0]) for state in (cited, present))
    if after == before:
        return "Messages of this session were changed after it was cited."
    happened = "went on" if after > before else "was changed"
    return f"This session {happened} after it was cited: it had {before:,} messages then, and has {after:,} now."
