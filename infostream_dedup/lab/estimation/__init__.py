"""Measures the quality of a collection's links without labels: copies are counted, other duplicates estimated."""
