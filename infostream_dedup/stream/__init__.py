"""The stream: takes batches, returns verdicts, and remembers only the documents of the window."""
