"""Pieces that several methods share: words, sentences, shingles, fingerprints, and joins that never try all pairs."""
