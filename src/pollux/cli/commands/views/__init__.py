"""Commands that open a view: `tui`, `web`, `pick`."""
