"""The weightings, one per file; see ``terms.weighting``."""
