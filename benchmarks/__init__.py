"""Measurements of speed and memory, compared with a baseline in the same run."""
