"""Widgets that draw line by line."""
