"""Technique for every room: compiled loops, threads, progress, private files, pauses of garbage collection."""
