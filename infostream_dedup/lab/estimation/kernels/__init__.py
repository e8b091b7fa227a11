"""Compiled loops of the estimates."""
