"""Compiled loops over bags and matching sentences."""
