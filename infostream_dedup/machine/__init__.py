"""Technique for every room: compiled loops, threads, progress, pauses of garbage collection."""
