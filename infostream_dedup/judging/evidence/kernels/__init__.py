"""Kernels of the evidence; ``tests/oracles`` has the readable reference."""
