"""The stages of ``sharded`` on a Spark cluster: ``sweep``, ``pairs`` and ``dedup`` over any DataFrame.

Needs the extra ``spark`` (pyspark 4.1 or newer) and Java 17 or newer. The package must be installed on the executors.
"""

from __future__ import annotations

from infostream_dedup.model.tabular import require_arrow

require_arrow("a run on Spark", "spark")

from infostream_dedup.runs.spark.job import SparkCut, dedup, pairs, sweep  # noqa: E402 - they import pyarrow

__all__ = ["SparkCut", "dedup", "pairs", "sweep"]
