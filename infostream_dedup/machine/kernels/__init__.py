"""Instructions for compiled loops over bytes."""
