"""Evidence: signatures over records and session files, and copies with hidden parts that still verify."""
