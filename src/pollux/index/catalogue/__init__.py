"""Everything about every session except its words: one SQLite database, and the queries on it."""
