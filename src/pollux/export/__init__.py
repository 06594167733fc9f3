"""Sessions in other formats: one to any place, or many into a folder."""
