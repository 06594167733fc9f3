"""The files that agents changed."""
