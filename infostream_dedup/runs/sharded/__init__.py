"""Collections larger than memory: stages from batches to batches, and a runner that keeps one shard in memory.

Every stage is a function from an iterator of Arrow batches to an iterator of Arrow batches that does not depend on its
runner, so the disk runner and Spark get the same bytes, however documents are cut.
"""
