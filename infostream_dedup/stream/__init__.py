"""The stream: batches in, verdicts out, with memory of the window only."""
