"""What is known of every session but for its words: one SQLite database, and the queries on it."""
