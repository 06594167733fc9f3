"""The state of a session, as a citation carries it: `gemini:6403bd4e#5a7c@14-3fa2` was read when there were 14 messages.

The letters after the number change whenever the messages do.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import NamedTuple

from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.rows import packed_messages
from pollux.index.catalogue.scope import BEST_FIRST
from pollux.model import Session

_STATE = re.compile(r"@(\d{1,9}-[0-9a-f]{4})\Z")


class StatedName(NamedTuple):
    """A name of a session or a message, without its state, and the state if it has one."""

    name: str
    state: str | None


def split_state(name: str) -> StatedName:
    """The name and the state of a citation."""
    found = _STATE.search(name)
    return StatedName(name[: found.start()], found[1]) if found is not None else StatedName(name, None)


def state_of(session: Session) -> str:
    """The state of a session that was read."""
    return _state(len(session.messages), *packed_messages(session.messages))


def known_states(current: CatalogueQueries, keys: Iterable[str]) -> dict[str, str]:
    """The states of some sessions as the catalogue knows them."""
    statement = (
        "SELECT messages, marks, anchors FROM sessions JOIN abouts ON session=no "
        f"WHERE key=? AND id=? AND +{current.here} ORDER BY {BEST_FIRST.format('')} LIMIT 1"
    )
    rows = {key: current.catalogue.rows(statement, key, key.partition(":")[2]) for key in dict.fromkeys(keys)}
    return {key: _state(*found[0]) for key, found in rows.items() if found}


def _state(count: int, *packed: bytes) -> str:
    return f"{count}-{hashlib.blake2b(b''.join(packed), digest_size=2).hexdigest()}"


def change_since(state: str, session: Session) -> str | None:
    """What became of a session since it was cited, in a sentence; None where nothing did."""
    now = state_of(session)
    if now == state:
        return None
    before, after = int(state.partition("-")[0]), len(session.messages)
    if after > before:
        return f"The session went on after it was cited: it had {before:,} messages then, and has {after:,} now."
    if after < before:
        return f"The session was changed after it was cited: it had {before:,} messages then, and has {after:,} now."
    return "Messages of the session were changed after it was cited."
