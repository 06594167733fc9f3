"""The state of a session in a citation: `gemini:6403bd4e#5a7c@14-3fa2` was cited when the session had 14 messages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
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


def change_of(name: str, session: Session) -> str | None:
    """What became of a session since it was cited by this name, in a sentence; None where nothing did."""
    state = split_state(name).state
    if state is None:
        return None
    from pollux.index.catalogue.states import state_of  # only needed for such a name

    return change_between(state, state_of(session))


def change_between(cited: str, present: str) -> str | None:
    """What became of a session since it was cited, in a sentence; None where nothing did."""
    if cited == present:
        return None
    before, after = (int(state.partition("-")[0]) for state in (cited, present))
    if after == before:
        return "Messages of this session were changed after it was cited."
    happened = "went on" if after > before else "was changed"
    return f"This session {happened} after it was cited: it had {before:,} messages then, and has {after:,} now."
