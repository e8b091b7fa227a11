"""Loops of the stages, compiled."""
