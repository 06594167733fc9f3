"""Marks go along with a session that gets another key, as when two files turn out to be one session.

They come back if the session with the old key does.
"""

from __future__ import annotations

import contextlib

from pollux.errors import StoreError
from pollux.index.catalogue.queries import CatalogueQueries
from pollux.index.catalogue.values import Cursor
from pollux.marks.store import MarkStore


def follow_marks(store: MarkStore, current: CatalogueQueries, cursor: Cursor | None = None) -> None:
    """Look for marked sessions that no list has, among those that were read after a position, or among all.

    They are known by a prompt that no other session had when they were marked. A later fork or hand-over may have it,
    too, but is another session. A session that is there again has its own marks again. If the marks cannot be written
    to now, they stay as they are, and the next look finds the same.
    """
    with contextlib.suppress(StoreError):
        state = store.state()
        if state.moved and (back := state.moved.keys() - set(current.unknown(state.moved))):
            store.take_back(sorted(back))
            state = store.state()
        missing = set(current.unknown(key for key in state.sessions if key in state.prompts))
        if not missing:
            return
        keys = {state.prompts[key]: key for key in missing}
        found: dict[str, set[str]] = {}
        for number, key, prompt in current.with_message(keys, cursor):
            old = keys[prompt]
            if key.partition(":")[0] == old.partition(":")[0] and not current.is_copy_of(number, old):
                found.setdefault(old, set()).add(key)
        renamed = {old: new.pop() for old, new in found.items() if len(new) == 1}
        if renamed:
            store.rename(renamed)
