"""Reduce words to stems and lemmas."""
