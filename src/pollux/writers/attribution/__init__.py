"""Which lines of which files a session wrote, found by repeating its edits."""
