"""Evidence: signatures over records and session files, and copies of which parts are hidden and that still verify."""
