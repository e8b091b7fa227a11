"""One file per resource; each makes a router."""
