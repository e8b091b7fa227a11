"""Compute the key terms of a document from its tokens: counts, statistics, weights, selection."""
