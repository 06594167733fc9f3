"""Briefs: what was asked, decided, tried, failed and changed in sessions, cited, within a number of tokens."""
