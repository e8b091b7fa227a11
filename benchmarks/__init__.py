"""Measurements of speed and memory, compared with a baseline in the same run."""

import os

# Benchmarks of the package's own loops would otherwise begin with plain Python, as small jobs do.
os.environ.setdefault("INFOSTREAM_DEDUP_LOOPS", "compiled")
