"""Tokens and money: what was used, what it cost, when, by which tools, and how that is known."""
