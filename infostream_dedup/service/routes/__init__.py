"""One resource a file; each file makes a router."""
