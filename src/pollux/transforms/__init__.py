"""Transforms make another session from a session.

It may import `wire`, and what lies below.
"""

from pollux.transforms.texts import rewrite_texts

__all__ = ["rewrite_texts"]
