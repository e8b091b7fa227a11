"""How well predicted pairs agree with labels: truth, scores, intervals, protocols."""
