"""Which lines of which files a session wrote, found by doing its edits once more."""
