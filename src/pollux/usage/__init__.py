"""Pure questions over sessions and rows: what was used, what it cost, when, by which tools, and how that is known."""
