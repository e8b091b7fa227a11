"""Compute a similarity matrix from key terms and targets, and measure its links: numbers only, no text."""
