"""Compiled loops over JSON in UTF-8."""
