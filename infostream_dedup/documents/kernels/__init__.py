"""Compiled loops over JSON, CSV and columns of tables, all in UTF-8."""
