"""Stars, tags, notes and names that the user gave, and how far sessions were read."""

from pollux.library.marks.service import Edit, MarkedItem, MarksService, Target

__all__ = ["Edit", "MarkedItem", "MarksService", "Target"]
