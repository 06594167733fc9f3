"""Where the records of a session stand: in files, in rows of a database, in documents of rows."""
