"""Words to stems and lemmas."""
