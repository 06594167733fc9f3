"""A project that no session has, and the one that was probably meant."""

from __future__ import annotations

from pollux.near import closest
from pollux.store.questions import Questions, is_project


def likely_project(current: Questions, asked: str) -> str | None:
    """The project that was probably meant; None where a session has the one asked for, or nothing is like it."""
    known = current.projects()
    if any(is_project(asked, one.path, digest) for one in known for digest in one.hashes or (None,)):
        return None
    paths = [one.path for one in known if one.path is not None]
    return closest(asked, paths if "/" in asked else [one.name for one in known])
