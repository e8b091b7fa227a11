"""Compiled code of the evidence, tested against ``plain_reading`` and ``plain_pairs``."""
