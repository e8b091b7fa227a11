"""Compiled loops over posting lists. A file of this folder imports numba: import it only where an engine needs it."""
