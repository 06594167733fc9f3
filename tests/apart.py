"""Work in a thread of its own.

Where browser tests ran before, playwright's event loop and its greenlets are in the main thread: no other loop starts
there, and Python's parser counts its depth wrongly.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


def apart(work: Callable[[], Result]) -> Result:
    """What the work gives."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()
