"""The reader: a conversation, drawn by the screenful."""
