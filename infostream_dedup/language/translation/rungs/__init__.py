"""The rungs of the ladder, one per file: put a file into this folder, and the registry finds it."""
