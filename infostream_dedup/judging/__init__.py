"""What two documents share, what kind of pair they are, and the passages they copied."""
