"""The state of a session in a citation: `gemini:6403bd4e#5a7c@14-3fa2` was cited when the session had 14 messages."""

from __future__ import annotations

import re
from typing import NamedTuple

from pollux.index.catalogue.states import state_of
from pollux.model import Session

_STATE = re.compile(r"@(\d{1,9}-[0-9a-f]{4})\Z")


class StatedName(NamedTuple):
    """The name of a session or a message without a state, and the state, if it had one."""

    name: str
    state: str | None


def split_state(name: str) -> StatedName:
    """The name and the state of a citation."""
    found = _STATE.search(name)
    return StatedName(name[: found.start()], found[1]) if found is not None else StatedName(name, None)


def change_since(state: str, session: Session) -> str | None:
    """What became of a session since it was cited, in a sentence; None where nothing did."""
    if state_of(session) == state:
        return None
    before, after = int(state.partition("-")[0]), len(session.messages)
    if after == before:
        return "Messages of this session were changed after it was cited."
    happened = "went on" if after > before else "was changed"
    return f"This session {happened} after it was cited: it had {before:,} messages then, and has {after:,} now."
