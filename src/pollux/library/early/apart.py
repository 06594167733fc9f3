"""Another pollux, that does what this one does not wait for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

    from pollux.system.directories import Places


def start_apart(places: Places, *arguments: str) -> subprocess.Popen[bytes]:
    """Start it; it holds no terminal, pipe or folder of this one, and its answer is dropped. Raises `OSError`."""
    import subprocess

    return subprocess.Popen(  # noqa: S603 (this program itself)
        [sys.executable, "-P", "-m", "pollux", *arguments],
        cwd="/",
        env=dict(places.environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
