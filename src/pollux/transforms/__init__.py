"""From a session to another session: what is done on the way from a source to a writer."""

from pollux.transforms.texts import rewritten

__all__ = ["rewritten"]
