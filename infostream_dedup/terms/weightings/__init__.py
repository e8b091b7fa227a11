"""The weightings, one a file; see ``terms.weighting``."""
