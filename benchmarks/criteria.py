"""Time of the criteria on a file of documents: models once per document, then candidates and vectors per pair.

    python -m benchmarks.criteria [stream.jsonl.gz] --out criteria.json

Without a file it uses a made-up stream, whose documents have a title and a text but neither times nor sources.

The paper needs 5 ms per pair; our goal is 2,000 pairs per second and core, including the models of all documents.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.generator import generate, write_texts
from infostream_dedup.documents.reading import read_documents
from infostream_dedup.judging.criteria import CRITERIA, differences, document_models
from infostream_dedup.judging.criteria.candidates import key_term_candidates, two_word_candidates
from infostream_dedup.model import Document

LEAST_PAIRS = 2_000
PAPER_PAIRS = 200


def main() -> None:
    """Read, model, filter and compare; print and store the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=Path, nargs="?")
    parser.add_argument("--made-up", type=int, default=10_000, help="number of documents of the made-up stream")
    parser.add_argument("--k", type=int, default=3, help="k of the key-term links")
    parser.add_argument("--out", type=Path, help="JSON file for the figures")
    arguments = parser.parse_args()
    rows: dict[str, dict[str, float]] = {}

    def measure(name: str, work: Callable[[], Any]) -> Any:
        cpu, wall = time.process_time(), time.perf_counter()
        result = work()
        rows[name] = {"wall_seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
        print(f"{name:24}", *(f"{key} {value:.2f}" for key, value in rows[name].items()), flush=True)
        return result

    documents = measure("read", lambda: _read_or_generate(arguments))
    models = measure("models", lambda: document_models(documents))
    two_words = measure("two heaviest words", lambda: two_word_candidates(models))
    i, j = measure("key-term links", lambda: key_term_candidates(models, k=arguments.k))
    measure("vectors", lambda: differences(models, i, j, tuple(CRITERIA)))

    vectors = rows["vectors"]["cpu_seconds"]
    whole = vectors + rows["models"]["cpu_seconds"] + rows["key-term links"]["cpu_seconds"]
    figures = {
        "documents": len(models),
        "candidates": len(i),
        "candidates_two_words": len(two_words[0]),
        "model_ms_per_document": 1000 * rows["models"]["cpu_seconds"] / max(len(models), 1),
        "pairs_per_second_vectors": len(i) / vectors,
        "pairs_per_second_models_included": len(i) / whole,
        "ratio_to_wanted": len(i) / whole / LEAST_PAIRS,
        "ratio_to_paper": len(i) / whole / PAPER_PAIRS,
    }
    for name, value in figures.items():
        print(f"{name:34} {value:,.2f}")
    if arguments.out:
        machine = {"cores": os.cpu_count(), "processor": platform.machine(), "python": platform.python_version()}
        arguments.out.write_text(json.dumps({"machine": machine, "rows": rows} | figures, indent=1) + "\n")


def _read_or_generate(arguments: argparse.Namespace) -> list[Document]:
    if arguments.documents is not None:
        return list(read_documents(str(arguments.documents)))
    texts = write_texts(generate(arguments.made_up, seed=11))
    return [
        Document(id=str(number), text=text, title=" ".join(text.split()[:8]), lang="ru")
        for number, text in enumerate(texts)
    ]


if __name__ == "__main__":
    main()
