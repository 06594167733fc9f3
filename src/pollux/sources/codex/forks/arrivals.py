"""What a thread took over from another program's session: by a hand-over, an import of Codex, or a converter."""

from __future__ import annotations

from pollux.model import Author, Fate, Link, Text
from pollux.sources.codex.forks.rollout import Rollout
from pollux.sources.codex.forks.similar_files import NEVER
from pollux.sources.codex.replay.entries import CLIENT, SYSTEM, USER, Entry
from pollux.sources.handed_over import Said, has_figures, is_casr_notice, link_of, own_part
from pollux.sources.session_migrate import Manifest
from pollux.writers.native.note import read_note

_CONVERTERS = ("casr", "session-migrate")
# The turns that Codex's importer makes, and what it says at their end: shown to the user, never to the model.
_IMPORTED_TURN = "external-import-turn-"
_IMPORTED = "<EXTERNAL SESSION IMPORTED>"


def mark_arrivals(rollouts: list[Rollout], manifest: Manifest | None) -> Link | None:
    """Mark what these files of a thread took over. The link leads to the session that a note names."""
    for rollout in rollouts:
        if (begins := _own_part(rollout, manifest)) > rollout.begins:
            rollout.begins = begins
            for entry in rollout.replay.entries:
                entry.inherited = entry.inherited or (entry.line < begins and not _counts(entry))
                _set_author(entry)
    return _mark_by_note([entry for rollout in rollouts for entry in rollout.replay.entries])


def _own_part(rollout: Rollout, manifest: Manifest | None) -> int:
    """The line at which the thread's own part begins; 0 if nothing was copied."""
    state = rollout.state
    copied = [turn.startswith(_IMPORTED_TURN) for _, turn in state.turns]
    if any(copied):
        last = len(copied) - copied[::-1].index(True)
        return state.turns[last][0] if last < len(copied) else NEVER
    if rollout.meta.get("originator") in _CONVERTERS:
        if manifest is not None and manifest.records is not None:
            return manifest.records + 1
        # Neither program writes settings or turns, and Codex begins with them.
        return state.first_setting if state.first_setting is not None else NEVER
    return 0


def _set_author(entry: Entry) -> None:
    """Give what the importer and a converter say the client as its author."""
    text = _words(entry)
    if text == _IMPORTED:
        entry.role, entry.author, entry.fate = SYSTEM, CLIENT, Fate.LIVE
    elif is_casr_notice(entry.author, text):
        entry.author = CLIENT


def _mark_by_note(entries: list[Entry]) -> Link | None:
    first, note = None, None
    for first in entries:
        if first.role is not USER:
            continue
        if (note := read_note(_words(first))) is not None or (first.is_prompt and not first.is_doubtful):
            break
    if note is None or first is None:
        return None
    link = None if first.inherited else link_of(note)
    end = own_part(note, [Said(entry.at, entry.role is USER, _counts(entry)) for entry in entries])
    for entry in entries[:end]:
        entry.inherited = True
    first.author = Author.CLIENT
    return link


def _counts(entry: Entry) -> bool:
    return any(has_figures(usage) for usage in entry.usages or ())


def _words(entry: Entry) -> str:
    return "\n".join(part.text for part in entry.parts if type(part) is Text)
