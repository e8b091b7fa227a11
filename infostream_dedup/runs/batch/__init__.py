"""Process a whole collection at once: sweeps, pairs, and a collection without its duplicates."""
