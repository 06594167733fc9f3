"""What the kit has to know about OpenCode's files, and the sample of them that is tried."""

from __future__ import annotations

import os
import random
from pathlib import Path

from pollux.registry import source
from pollux.sources.database import is_database
from pollux.testing import Case, cases
from pollux.testing.subject import Frame, Open, Spare, Subject


def _unpacked(raw: bytes) -> bytes:
    """A database is no text: its rows are looked for one by one, see `test_databases.py`."""
    return b"" if is_database(raw) else raw


OPENCODE = Subject(
    source=source("opencode"),
    unpacked=_unpacked,
    spares=(
        Spare(place="type", values="text|reasoning|tool|file", reason="becomes the type of a part"),
        Spare(place="role", values="user|assistant", reason="becomes `role` and `author`"),
        Spare(place="status", values="completed|error|running|pending", reason="becomes `status`"),
    ),
    frames=(Frame(words=r"data:[\w/+.-]+;base64,", reason="an attachment has its media type and its bytes apart"),),
    opens=(
        Open(place="state.input", reason="a tool's arguments are whatever the tool takes"),
        Open(place="state.metadata", reason="whatever a tool says beside its output"),
        Open(place="state.attachments", reason="files that a tool gave, as records of their own"),
        Open(place="summary", reason="what changed in the project"),
        Open(place="error", reason="an error as the client has it"),
        Open(place="model", reason="the names of a model and its provider"),
        Open(place="tools", reason="tools by their names"),
        Open(place="permission", reason="rules of the client"),
        Open(place="share", reason="an address"),
        Open(place="source", reason="where a mention stands in a prompt"),
        Open(place="metadata", reason="whatever a provider says"),
        Open(place="[]", reason="the list of things to do, as its tool defines it"),
    ),
)
_CHANGED = ("odd", "planted")
"""Cases that change records. A record that a database has, too, is taken from there: its file is an older copy."""

_FILES = 1
"""So many files of each kind and home are tried: a home has hundreds, all of a few kinds."""


def sampled_cases(corpus: Path, small: int) -> list[Case]:
    """The cases of whole homes, and of some JSON files of each. An exhaustive run tries every file."""
    everything = os.environ.get("POLLUX_EXHAUSTIVE", "") not in ("", "0")
    chance = random.Random(os.environ.get("POLLUX_SEED") or "pollux")
    chosen: list[Case] = []
    by_kind: dict[tuple[str, str, str], list[Case]] = {}
    for case in cases(OPENCODE, corpus, small=small):
        has_database = any(file.endswith(".db") for file in case.home.files)
        if not case.file:
            # What is in a database is looked for row by row: see `test_databases.py`.
            if everything or case.name == "offers" or has_database == (case.name == "others"):
                chosen.append(case)
        elif case.file.endswith(".json") and not (has_database and case.name in _CHANGED):
            kind = next((name for name in ("message", "part", "info", "session") if f"/{name}/" in case.file), "")
            by_kind.setdefault((case.home.name, case.name, kind), []).append(case)
    for several in by_kind.values():
        chosen += several if everything else chance.sample(several, min(_FILES, len(several)))
    return chosen
