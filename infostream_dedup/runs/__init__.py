"""A whole collection: in memory, in a folder on disk, or on a Spark cluster."""
