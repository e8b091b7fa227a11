"""Technical infrastructure: compiled loops, threads, progress, private files, pauses of garbage collection."""
