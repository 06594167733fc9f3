"""Styles and scripts that only the web UI has. What it shares with exported pages is `pollux.writers.html.assets`."""
