"""Compiled loops over links. Importing a file of this folder imports numba: do so only where an engine needs it."""
