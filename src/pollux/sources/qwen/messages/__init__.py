"""From records to messages."""
