"""The commands about records and their signatures."""
