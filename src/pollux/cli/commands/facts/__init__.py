"""Commands that tell what was done in sessions."""
