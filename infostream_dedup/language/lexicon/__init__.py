"""Word lists, name tables and word frequencies."""
