"""Compiled twins for many texts or words at once: ``scanner`` and ``forms`` of ``tokens``, and ``language``."""
