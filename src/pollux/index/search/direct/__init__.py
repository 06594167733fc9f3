"""Searches sessions themselves, where their words are not in the index yet, and finds the same as the index."""
