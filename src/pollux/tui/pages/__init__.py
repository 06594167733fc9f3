"""Pages about all sessions: what was used, when, and what could be read."""
