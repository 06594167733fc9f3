"""From the records of a transcript to messages: authors, words, calls and results."""
