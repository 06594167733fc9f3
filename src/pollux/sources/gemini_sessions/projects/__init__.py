"""Which project a folder of sessions belongs to, and what proves it."""
