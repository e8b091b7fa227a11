"""Measures the speed of matching, of S and T, and of the stream's index, on the made-up stream.

    python -m benchmarks.matching --sizes 10000 100000 --out matching.json

Each measurement runs in a separate process, so that peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import scipy.sparse as sp
from numba import njit
from numpy.typing import NDArray

from benchmarks.generator import MONTH, Corpus, generate, harder


def key_terms(corpus: Corpus, *, n: int = 12, k1: float = 2.0, b: float = 0.75) -> tuple[sp.csr_array, sp.csr_array]:
    """Return keys and targets (all terms of a document) as they are matched; only terms of df >= 2 are keys."""
    indptr, terms, counts = _count_terms(corpus.indptr, corpus.tokens, corpus.lemmas)
    documents = len(corpus)
    df = np.bincount(terms, minlength=corpus.lemmas)
    idf = np.where(df >= 2, np.log(1 + (documents - df + 0.5) / (df + 0.5)), 0.0)
    length = np.diff(corpus.indptr).astype(np.float64)
    keys = _select_heaviest(indptr, terms, counts, k1 * (1 - b + b * length / length.mean()), idf, k1, n)
    present = keys >= 0
    key_indptr = np.concatenate(([0], np.cumsum(present.sum(axis=1))))
    shape = (documents, corpus.lemmas)
    key_matrix = sp.csr_array((np.ones(key_indptr[-1], dtype=np.int64), keys[present], key_indptr), shape=shape)
    key_matrix.sort_indices()
    return key_matrix, sp.csr_array((np.ones(len(terms), dtype=np.bool_), terms, indptr), shape=shape)


@njit(cache=True)
def _count_terms(
    indptr: NDArray[np.int64], tokens: NDArray[np.int32], lemmas: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint16]]:
    out_indptr = np.zeros(indptr.size, np.int64)
    terms, counts = np.empty(tokens.size, np.int32), np.zeros(tokens.size, np.uint16)
    seen = np.zeros(lemmas, np.uint16)
    size = 0
    for document in range(indptr.size - 1):
        begin = size
        for position in range(indptr[document], indptr[document + 1]):
            if seen[tokens[position]] == 0:
                terms[size] = tokens[position]
                size += 1
            seen[tokens[position]] += 1
        terms[begin:size].sort()
        for position in range(begin, size):
            counts[position] = seen[terms[position]]
            seen[terms[position]] = 0
        out_indptr[document + 1] = size
    return out_indptr, terms[:size].copy(), counts[:size].copy()


@njit(cache=True)
def _select_heaviest(
    indptr: NDArray[np.int64],
    terms: NDArray[np.int32],
    counts: NDArray[np.uint16],
    norm: NDArray[np.float64],
    idf: NDArray[np.float64],
    k1: float,
    n: int,
) -> NDArray[np.int32]:
    keys = np.full((indptr.size - 1, n), -1, np.int32)
    weights = np.zeros(n)
    for document in range(indptr.size - 1):
        weights[:] = 0
        for position in range(indptr[document], indptr[document + 1]):
            term, count = terms[position], counts[position]
            weight = idf[term] * count * (k1 + 1) / (count + norm[document])
            if weight <= weights[n - 1]:
                continue
            place = n - 1
            while place > 0 and weights[place - 1] < weight:
                weights[place], keys[document, place] = weights[place - 1], keys[document, place - 1]
                place -= 1
            weights[place], keys[document, place] = weight, term
    return keys


N = 12
K_MIN = 4


def main() -> None:
    """Generate the data, run every case, print and store the rows."""
    arguments = _arguments()
    if arguments.case:
        print(json.dumps(CASES[arguments.case[0]](Path(arguments.case[1]), arguments.case[2])))
        return
    rows = []
    for size in arguments.sizes:
        with tempfile.TemporaryDirectory() as folder:
            described = _make_data(arguments, size, Path(folder))
            for target in ("signature", "text"):
                rows += _run_cases(arguments.cases, size, target, folder, described)
    report = {
        "machine": _describe_machine(),
        "seed": arguments.seed,
        "hard": arguments.hard,
        "k1": arguments.k1,
        "rows": rows,
    }
    if arguments.out:
        arguments.out.write_text(json.dumps(report, indent=1) + "\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000], help=f"a month is {MONTH}")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--hard", action="store_true", help="use the skewed vocabulary of 30,000 lemmas")
    parser.add_argument("--k1", type=float, default=2.0, help="k1 of BM25")
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=CASES)
    parser.add_argument("--out", type=Path, help="JSON file for the rows")
    parser.add_argument("--case", nargs=3, help=argparse.SUPPRESS)
    return parser.parse_args()


def _make_data(arguments: argparse.Namespace, size: int, folder: Path) -> dict[str, Any]:
    corpus = generate(size, seed=arguments.seed)
    keys, targets = key_terms(harder(corpus) if arguments.hard else corpus, n=N, k1=arguments.k1)
    for name, matrix in (("keys", keys), ("targets", targets)):
        np.save(folder / f"{name}-indptr.npy", matrix.indptr)
        np.save(folder / f"{name}-indices.npy", matrix.indices)
    np.save(folder / "terms.npy", keys.shape[1])
    return {"tokens": len(corpus.tokens)}


def _run_cases(
    cases: list[str], size: int, target: str, folder: str, described: dict[str, Any]
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for case in cases:
        command = [sys.executable, "-m", "benchmarks.matching", "--case", case, folder, target]
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        for row in json.loads(found):
            rows.append({"documents": size, "target": target, **described, **row})
            print("  ".join(f"{name}={value}" for name, value in rows[-1].items()), flush=True)
    return rows


def _load(folder: Path, target: str) -> tuple[sp.csr_array, sp.csr_array]:
    terms = int(np.load(folder / "terms.npy"))

    def matrix(name: str, dtype: type) -> sp.csr_array:
        indptr, indices = np.load(folder / f"{name}-indptr.npy"), np.load(folder / f"{name}-indices.npy")
        return sp.csr_array((np.ones(len(indices), dtype), indices, indptr), shape=(len(indptr) - 1, terms))

    keys = matrix("keys", np.int64)
    return keys, matrix("targets", np.bool_) if target == "text" else matrix("keys", np.bool_)


def _measure(work: Callable[[], Any]) -> tuple[Any, dict[str, Any]]:
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    taken = {
        "cpu_seconds": round(time.process_time() - cpu, 3),
        "wall_seconds": round(time.perf_counter() - wall, 3),
        "peak_gb": _peak_gb(),
    }
    return result, taken


def _peak_gb() -> float:
    # Not getrusage, which includes the process we were forked from.
    status = Path("/proc/self/status").read_text()
    return round(int(status.split("VmHWM:")[1].split()[0]) / 2**20, 2)


def _match(folder: Path, target: str) -> tuple[Any, dict[str, Any]]:
    from infostream_dedup.links import match

    keys, targets = _load(folder, target)
    match(keys[:50], targets[:50], n=N, weights=False, k_min=K_MIN)
    loaded = _peak_gb()
    matrix, taken = _measure(lambda: match(keys, targets, n=N, weights=False, k_min=K_MIN))
    checksum = crc32(matrix.counts.data, crc32(matrix.counts.indices.astype(np.int32)))
    row = {"stage": "match", "links": matrix.counts.nnz, **taken, "loaded_gb": loaded}
    return matrix, {**row, "checksum": checksum}


def _kernels(folder: Path, target: str) -> list[dict[str, Any]]:
    from infostream_dedup.links import compiled

    matrix, matched = _match(folder, target)
    compiled.sweep_counts(matrix.restricted(np.arange(50)), [K_MIN])
    rows, taken = _measure(lambda: compiled.sweep_counts(matrix, range(K_MIN, N + 1)))
    first = rows[0]
    ratios = {"symmetry": first.symmetry, "transitivity": first.transitivity, "paths": first.paths}
    return [matched, {"stage": f"S, T for k = {K_MIN}..{N}", "links": first.links, **ratios, **taken}]


def _low_k(folder: Path, target: str) -> list[dict[str, Any]]:
    from infostream_dedup.links.compiled.low_k import sweep_unstored

    keys, targets = _load(folder, target)
    # Enough documents that links are drawn: other loops count those of a few.
    sweep_unstored(keys[:100_000], targets[:100_000], n=N)
    rows, taken = _measure(lambda: sweep_unstored(keys, targets, n=N))
    links = {f"links_{row.k}": row.links for row in rows}
    return [{"stage": "S, sampled T for k = 1..3", **links, **taken}]


def _window(folder: Path, target: str) -> list[dict[str, Any]]:
    """Fill the index, then query and add one document at a time while the oldest expire."""
    from infostream_dedup.links.window.window_index import WindowIndex

    keys, targets = _load(folder, target)
    index = WindowIndex()
    fill = keys.shape[0] * 9 // 10
    asked, added = [], []
    for document in range(keys.shape[0]):
        own = keys.indices[keys.indptr[document] : keys.indptr[document + 1]]
        target_terms = targets.indices[targets.indptr[document] : targets.indptr[document + 1]]
        before = time.perf_counter_ns()
        if document >= fill:
            index.candidates(keys=own, targets=target_terms, k_min=K_MIN)
        between = time.perf_counter_ns()
        index.add(document, keys=own, targets=target_terms)
        index.expire_before(document + 1 - fill)
        if document >= fill:
            asked.append(between - before)
            added.append(time.perf_counter_ns() - between)
    row: dict[str, Any] = {"stage": "window", "window": len(index), "bytes_per_document": index.nbytes // len(index)}
    for name, latencies in (("ask", asked), ("add", added)):
        for percentile in (50, 99):
            row[f"{name}_p{percentile}_us"] = round(float(np.percentile(latencies, percentile)) / 1000, 1)
    return [row]


CASES: dict[str, Callable[[Path, str], list[dict[str, Any]]]] = {
    "match": _kernels,
    "low-k": _low_k,
    "window": _window,
}


def _describe_machine() -> dict[str, Any]:
    return {"cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version()}


if __name__ == "__main__":
    main()
