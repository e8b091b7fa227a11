"""The criteria of a pair: put a file into this folder, and the registry finds it."""
