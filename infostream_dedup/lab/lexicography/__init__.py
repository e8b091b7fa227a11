"""Inspects dictionaries: what they know about a word, whether they are sound, and what they cover; builds, imports."""
