"""The skill: a page that tells agents when and how to ask pollux, and the files that hold it.

Its last line has a hash of what stands above it, so that pollux knows a page of its own that nobody changed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pollux import __version__
from pollux.library.connect.files import content_of, real_place
from pollux.library.connect.plan import NAME, Change, Step
from pollux.library.for_agents.texts import AUTHORITY, WHEN
from pollux.sources.tool_host import Scope

if TYPE_CHECKING:
    from pollux.sources.base import Source
    from pollux.sources.tool_host import Surroundings

FILE = "SKILL.md"
_SENTENCES = {"{WHEN}": WHEN, "{AUTHORITY}": AUTHORITY}
"""What the server tells agents, too."""
_OTHERS = "It was changed since pollux wrote it, or somebody else wrote it."
_STAYS = "It is not the skill of pollux. It stays."
_MARK = b"<!-- pollux "
"""What every page of pollux has, changed or not."""
_SEAL = re.compile(rb"<!-- pollux \S+ ([0-9a-f]{16}) -->\n\Z")


class Place(NamedTuple):
    """A folder of skills."""

    folder: Path
    scope: Scope
    around: Surroundings


def text() -> str:
    """The skill as it is written."""
    page = resources.files(__package__).joinpath(FILE).read_text("utf-8")
    for name, sentence in _SENTENCES.items():
        page = page.replace(name, sentence)
    return f"{page}<!-- pollux {__version__} {_hash(page.encode())} -->\n"


def plan_step(place: Place, sources: Sequence[Source], *, remove: bool) -> Step:
    """What happens to the skill in a folder. Raises `OutputError`."""
    file = real_place(place.folder / NAME / FILE, place.scope, place.around.folder)
    before, wanted = content_of(file), text().encode()
    after = None if remove else wanted
    change = _removal(before) if remove else _writing(before, wanted)
    return Step(
        agents=tuple(source.name for source in sources),
        titles=tuple(source.title for source in sources),
        scope=place.scope,
        change=change,
        place=file,
        base=place.around.folder if place.scope is Scope.PROJECT else place.around.home,
        before=before,
        after=after if change.writes else before,
        fragment=wanted.decode(),
        own=before is not None and _is_own(before),
        notes=(_STAYS,) if change is Change.LEFT else (_OTHERS,) if _is_others(before, change) else (),
    )


def _writing(before: bytes | None, wanted: bytes) -> Change:
    if before is None:
        return Change.ADD
    if before == wanted:
        return Change.NONE
    return Change.RENEW if _is_own(before) else Change.REPLACE


def _removal(before: bytes | None) -> Change:
    if before is None:
        return Change.ABSENT
    return Change.REMOVE if _MARK in before else Change.LEFT


def _is_others(before: bytes | None, change: Change) -> bool:
    return before is not None and change.writes and not _is_own(before)


def _is_own(content: bytes) -> bool:
    """Did pollux, of any version, write a page as it is?"""
    seal = _SEAL.search(content)
    return seal is not None and seal[1].decode() == _hash(content[: seal.start()])


def _hash(page: bytes) -> str:
    return hashlib.sha256(page).hexdigest()[:16]
