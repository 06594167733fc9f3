"""What changes while agents write."""

from pollux.library.watch.watch import Changes, Event, EventKind, SeenSession, Watch

__all__ = ["Changes", "Event", "EventKind", "SeenSession", "Watch"]
