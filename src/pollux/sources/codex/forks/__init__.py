"""Which sessions go on from which: chains of files, forks, reviews."""
