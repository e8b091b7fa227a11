"""Compiled code of the evidence; ``plain_reading`` and ``plain_pairs`` are its judges."""
