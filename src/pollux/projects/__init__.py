"""Which directory a session belongs to, and where that directory is now. It imports sources and what lies below."""
