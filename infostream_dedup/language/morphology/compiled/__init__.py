"""Compiled twins, for many words at once: ``stemming`` of ``morphology.stemming``."""
