"""Compiled loops of the stream."""
