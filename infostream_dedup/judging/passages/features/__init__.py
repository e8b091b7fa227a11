"""Sentence features, one per file: put a file into this folder, and the registry finds it."""
