"""Prepares texts for the index: the words by which they are found, and the form in which they are stored."""
