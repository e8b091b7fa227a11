"""Predicts CPU hours and dollars of large collections from two runs of ``benchmarks.cluster``.

    python -m benchmarks.cost_model small.json large.json

Both files hold a row of the disk runner, and the smaller one may hold one of Spark; ``--out`` of ``benchmarks.cluster``
writes them. Texts, statistics and key terms grow with the documents; links, and S and T, by powers that the two runs
determine, or by given ones: 1 with a window in days, 2 where everything meets everything. Each shard is asked every
question, at a given time. Spark multiplies all by its ratio to the disk runner. Nothing above the larger run was
measured: the figures say what order of magnitude to expect, not more.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

_LINEAR: Final = ("counts", "statistics", "key terms", "nodes")
_SHARD_BYTES: Final = 1_400
"""Of memory, a document of a shard."""
_ASKED: Final = 1.5e-6
"""CPU seconds of a question to one shard, whatever it finds."""
_EXPONENTS: Final = (("window", 1.0), ("measured", None), ("all meet all", 2.0))


def main() -> None:
    """Print a row for each size and growth."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs=2)
    parser.add_argument("--documents", type=int, nargs="+", default=[10**7, 10**8, 10**9])
    parser.add_argument("--task-gigabytes", type=float, default=16, help="of a task that holds a shard")
    parser.add_argument("--dollars", type=float, default=0.05, help="an hour of one core")
    arguments = parser.parse_args()
    small, large = sorted(
        (_row(json.loads(path.read_text(encoding="utf-8"))["rows"], "disk") for path in arguments.files),
        key=lambda row: row["documents"],
    )
    ratios = [_ratio(json.loads(path.read_text(encoding="utf-8"))["rows"]) for path in arguments.files]
    spark = max(ratios)
    for documents in arguments.documents:
        for growth, exponent in _EXPONENTS:
            hours = predicted(small, large, documents, exponent=exponent, task=arguments.task_gigabytes * 1e9) / 3600
            row = {"documents": documents, "growth": growth, "disk_cpu_hours": round(hours, 2)}
            if spark:
                row |= {
                    "spark_cpu_hours": round(hours * spark, 1),
                    "dollars": round(hours * spark * arguments.dollars, 2),
                }
            print(json.dumps(row))


def predicted(
    small: Mapping[str, Any], large: Mapping[str, Any], documents: int, *, exponent: float | None, task: float
) -> float:
    """CPU seconds of the disk runner.

    Args:
        small: a row of ``benchmarks.cluster``.
        large: one of more documents.
        documents: how many to predict for.
        exponent: growth of links, and of S and T; ``None`` for that between both rows.
        task: bytes of memory of a task that holds a shard.
    """
    times = documents / large["documents"]
    seconds: float = times * sum(large["stages"].get(name, 0.0) for name in _LINEAR)
    for name in ("links", "totals"):
        measured = math.log(large["stages"][name] / small["stages"][name]) / math.log(
            large["documents"] / small["documents"]
        )
        power: float = measured if exponent is None else exponent
        seconds += large["stages"][name] * times**power
    shards = max(1.0, documents * _SHARD_BYTES / task)
    return seconds + _ASKED * documents * shards


def _row(rows: Sequence[Mapping[str, Any]], runner: str) -> Mapping[str, Any]:
    (found,) = (row for row in rows if row["runner"] == runner and row["shape"] == "plain")
    return found


def _ratio(rows: Sequence[Mapping[str, Any]]) -> float:
    """CPU of Spark over that of the disk runner, 0 if there is no row of Spark."""
    if all(row["runner"] != "spark" for row in rows):
        return 0.0
    ratio: float = _row(rows, "spark")["cpu_seconds"] / _row(rows, "disk")["cpu_seconds"]
    return ratio


if __name__ == "__main__":
    main()
