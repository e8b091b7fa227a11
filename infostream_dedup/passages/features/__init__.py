"""Sentence features, one in a file: put a file into this folder, and the registry finds it."""
