"""Speed and memory, measured against a baseline of the same run."""
