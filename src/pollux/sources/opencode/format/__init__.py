"""The records of OpenCode, as it writes them in files and in rows."""
