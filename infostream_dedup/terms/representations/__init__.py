"""The representations, one a file; see ``terms.representation``."""
