"""Which directory a session belongs to, and where that directory is now."""
