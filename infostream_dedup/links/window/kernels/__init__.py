"""Compiled loops over the window's index."""
