"""Compiled loops over posting lists and links."""
