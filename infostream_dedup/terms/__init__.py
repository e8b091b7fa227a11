"""From tokens to the key terms of a document: counts, statistics, weights, selection."""
