"""A whole collection at once: to sweeps, to pairs, to a collection without its duplicates."""
