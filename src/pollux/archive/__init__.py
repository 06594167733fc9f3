"""The keeping of what the agents delete, wipe or break: append-only packs of contents and of states of files."""
