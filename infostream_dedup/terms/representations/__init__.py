"""The representations, one per file; see ``terms.representation``."""
