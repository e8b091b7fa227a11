"""How good the links of a collection are without labels: copies counted, and other duplicates estimated."""
