"""The list of sessions: what it shows, what it asks the library, and the screen with the search field."""
