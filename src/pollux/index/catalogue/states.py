"""The state of a session's messages in a few letters: `14-3fa2` are 14 messages; the rest changes whenever they do."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.rows import packed_messages
from pollux.index.catalogue.scope import BEST_FIRST
from pollux.model import Session


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
