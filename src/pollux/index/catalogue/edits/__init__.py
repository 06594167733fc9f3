"""The files that a session was to change: found when the session is read, and asked for later."""
