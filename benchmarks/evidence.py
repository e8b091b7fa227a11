"""How fast evidence is read, packed and compared: ``python -m benchmarks.evidence FILE [--documents N]``.

FILE is a collection; pairs are those with three of twelve key terms in one direction that pass the cheap filter.
CPU time of one thread, the best of five runs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np

from infostream_dedup import read_documents
from infostream_dedup.judging.evidence.frequencies import EvidenceFrequencies, changes_of
from infostream_dedup.judging.evidence.judging import passes_filter
from infostream_dedup.judging.evidence.pair_evidence import compared, fill_in_wording, shares_of_pairs
from infostream_dedup.judging.evidence.pair_model import shipped_model
from infostream_dedup.judging.evidence.reading import evidence_texts, read_evidence
from infostream_dedup.judging.evidence.records import pack_weighed

_RUNS = 5


def least_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of the quickest of five runs, after one that compiles."""
    work()
    seconds = []
    for _ in range(_RUNS):
        begin = time.process_time()
        work()
        seconds.append(time.process_time() - begin)
    return min(seconds)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--documents", type=int, default=4000)
    given = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reports"))
    from evidence_collection import EvidenceCollection

    documents = list(islice(read_documents(given.file), given.documents))
    collection = EvidenceCollection.of(documents)
    texts, title_ends = evidence_texts(documents)
    raw, languages = read_evidence(texts, title_ends), np.zeros(len(documents), dtype=np.int8)
    frequencies = EvidenceFrequencies().filled_up()
    a, b = collection.candidates()
    shares = shares_of_pairs(a, b, collection.keys)
    passed = passes_filter(shares)
    one, other, evidence = a[passed], b[passed], shares[passed]
    keys, records, triples = collection.keys, collection.records, collection.triples
    model = shipped_model()

    def rest() -> None:
        compared(one, other, evidence, keys=keys, records=records, triples=triples)
        model.probabilities(evidence)

    steps: dict[str, tuple[int, Callable[[], object]]] = {
        "texts to UTF-8": (len(documents), lambda: evidence_texts(documents)),
        "reading": (len(documents), lambda: read_evidence(texts, title_ends)),
        "counting": (len(documents), lambda: changes_of(raw, languages)),
        "packing": (len(documents), lambda: pack_weighed(raw, languages, *frequencies)),
        "shares of candidates": (len(a), lambda: shares_of_pairs(a, b, keys)),
        "records of pairs that pass": (
            len(one),
            lambda: compared(one, other, evidence, keys=keys, records=records, triples=None),
        ),
        "wording of pairs that pass": (len(one), lambda: fill_in_wording(one, other, triples, evidence)),
        "probability of pairs that pass": (len(one), lambda: model.probabilities(evidence)),
        "all of pairs that pass": (len(one), rest),
    }
    print(f"{len(documents)} documents, {texts.offsets[-1] / len(documents):.0f} bytes of text each")
    print(f"{len(a)} candidates, {len(one)} pass the filter")
    print(
        f"records {records.words.nbytes / len(documents):.0f} bytes a document, "
        f"triples {raw.triples.nbytes / len(raw):.0f}"
    )
    for name, (count, work) in steps.items():
        seconds = least_seconds(work)
        print(f"{name:32} {1e6 * seconds / count:8.3f} us each  {count / seconds:12,.0f} a second")


if __name__ == "__main__":
    main()
