"""The archive: keeps every state of the agents' files in append-only packs."""
