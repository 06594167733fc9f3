"""The garbage collector, kept out of frames."""

from __future__ import annotations

import gc


def spare_the_collector() -> None:
    """What is there now stays to the end, so that Python need not look through it in the middle of a frame."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
