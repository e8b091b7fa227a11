"""Compiled stemmers."""
