"""The stream's index: one document at a time against a window of documents."""
