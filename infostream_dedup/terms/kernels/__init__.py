"""Compiled loops over counts of terms."""
