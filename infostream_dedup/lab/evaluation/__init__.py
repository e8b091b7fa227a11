"""Measures how well predicted pairs agree with labels: truth, scores, intervals, protocols."""
