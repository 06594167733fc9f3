"""Transforms: from a session to another session, between a source and a writer."""

from pollux.transforms.texts import rewrite_texts

__all__ = ["rewrite_texts"]
