"""Which session continues which other session: chains of files, forks, reviews."""
