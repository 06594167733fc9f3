"""Sessions in other formats: one to wherever it is wanted, or many into a folder, quickly and whole."""
