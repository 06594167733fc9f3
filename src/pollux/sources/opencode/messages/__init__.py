"""Messages, made of records."""
