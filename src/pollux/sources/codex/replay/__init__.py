"""From the lines of a session file to messages, in the order in which they were written."""
