"""Compiled loops of the stages."""
