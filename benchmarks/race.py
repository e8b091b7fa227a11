"""Races from the same raw texts: this engine against MinHash + LSH (datasketch, rensa) and cosines of word counts.

    python -m benchmarks.race --documents 20000 --out race.json
    python -m benchmarks.race --real mdnews.docs.jsonl.gz --documents 20000

Each contestant runs in its own process on the same texts, which are already in memory when its clock starts. They
answer different questions: MinHash estimates the Jaccard similarity of shingles and returns pairs above a threshold,
whereas this engine returns all links at k >= 4 in both directions with S and T for k = 4..12. So cost is shown together
with what each finds: precision and recall of its pairs against the stories from which the texts were generated (a
story contains reprints and rewritten documents; pairs within a story are true). With ``--real`` the texts of a file are
repeated as in ``benchmarks.month``, with the number of the repetition appended to each document; which pairs are true
is then unknown.

On a virtual machine the host may provide memory page by page, which takes seconds of CPU time for each gigabyte that no
process has touched before. To exclude this, every contestant's process touches and frees two gigabytes before its clock
starts; ``--cold`` skips that.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import timed, write_figures
from benchmarks.generator import generate, write_texts
from benchmarks.month import peak_gigabytes, repeated

PERMUTATIONS = 128
LSH_THRESHOLD = 0.6
RENSA_BANDS = 16
COSINE_THRESHOLD = 0.6
TOUCHED_BYTES = 2_000_000_000


def main() -> None:
    """Generate the texts, run every contestant, print and store the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--real", type=Path, help="gzipped JSON Lines with title and text to repeat")
    parser.add_argument("--contestants", nargs="+", default=list(CONTESTANTS), choices=CONTESTANTS)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--cold", action="store_true", help="include the host's work for memory not touched before")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        print(json.dumps(_measure(arguments.run[0], Path(arguments.run[1]), touch=not arguments.cold)))
        return
    with tempfile.TemporaryDirectory() as folder:
        megabytes = _make_texts(arguments.documents, arguments.seed, arguments.real, Path(folder))
        rows = [
            {
                "contestant": name,
                "documents": arguments.documents,
                "megabytes": megabytes,
                "memory": "fresh" if arguments.cold else "touched",
                **_in_own_process(name, folder, cold=arguments.cold),
            }
            for _ in range(arguments.repeats)
            for name in arguments.contestants
        ]
    own = min((row["cpu_seconds"] for row in rows if row["contestant"] == "infostream-dedup"), default=None)
    for row in rows:
        row["cpu_over_ours"] = round(row["cpu_seconds"] / own, 2) if own else None
        print(json.dumps(row))
    write_figures(arguments.out, seed=arguments.seed, real=bool(arguments.real), rows=rows)


def _make_texts(documents: int, seed: int, real: Path | None, folder: Path) -> float:
    if real is not None:
        return repeated(real, documents, folder)
    corpus = generate(documents, seed=seed)
    texts = write_texts(corpus, seed=seed)
    np.save(folder / "offsets.npy", texts.offsets)
    texts.data.tofile(folder / "texts.bin")
    np.save(folder / "stories.npy", corpus.stories)
    return round(len(texts.data) / 1e6, 1)


def _in_own_process(name: str, folder: str, *, cold: bool) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.race", "--run", name, folder, *(["--cold"] if cold else [])]
    answer = subprocess.run(command, capture_output=True, check=True, text=True)
    return dict(json.loads(answer.stdout.splitlines()[-1]))


def _measure(name: str, folder: Path, *, touch: bool) -> dict[str, Any]:
    texts = list(_texts(folder))
    run = CONTESTANTS[name](texts)
    if touch:
        np.ones(TOUCHED_BYTES, dtype=np.uint8)
        peak_gigabytes()
    (a, b), seconds = timed(run)
    return {
        **{kind: round(value, 2) for kind, value in seconds.items()},
        "documents_per_cpu_second": round(len(texts) / seconds["cpu_seconds"]),
        "peak_gigabytes": peak_gigabytes(),
        **_judge(a, b, len(texts), folder / "stories.npy"),
    }


def _texts(folder: Path) -> Iterator[str]:
    offsets, data = np.load(folder / "offsets.npy"), (folder / "texts.bin").read_bytes()
    for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        yield data[start:end].decode()


def _judge(a: NDArray[np.int64], b: NDArray[np.int64], documents: int, truth: Path) -> dict[str, Any]:
    """Count the distinct unordered pairs; if stories are known, compute precision and recall, pairs within one true."""
    codes = np.unique(np.minimum(a, b) * documents + np.maximum(a, b))
    if not truth.exists():
        return {"pairs": len(codes), "precision": None, "recall": None}
    stories = np.load(truth)
    one, other = np.divmod(codes, documents)
    right = int((stories[one] == stories[other]).sum())
    sizes = np.unique(stories, return_counts=True)[1].astype(np.int64)
    return {
        "pairs": len(codes),
        "precision": round(right / len(codes), 4) if len(codes) else None,
        "recall": round(right / int((sizes * (sizes - 1) // 2).sum()), 4),
    }


Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]
Run = Callable[[], Pairs]


def _ours(texts: list[str]) -> Run:
    from infostream_dedup import Settings
    from infostream_dedup.links.pair_rules import count_grades, pair_grades
    from infostream_dedup.runs.batch.collection import Collection
    from infostream_dedup.runs.batch.linking import link
    from infostream_dedup.terms.compiled import SurfaceCounter

    settings = Settings(representation="stem")

    def whole(some: list[str]) -> Pairs:
        counter = SurfaceCounter()
        for text in some:
            counter.add(text, None)
        # Like the other contestants, without an object for each document.
        surfaces, lengths = counter.finish(), array("q")
        read = Collection(documents=[], languages=[], surfaces=surfaces, text_hashes=[], text_lengths=lengths)
        key_terms = read.key_terms(settings)
        linked = link(key_terms, settings, k_min=4)
        linked.relation().measures()
        grades = count_grades(linked.matrix.counts, key_terms.sizes, n=settings.n).copy()
        # A pair needs both directions at k, so drop all weaker links.
        grades.data[grades.data < settings.k] = 0
        grades.eliminate_zeros()
        pairs = pair_grades(grades, "both")
        return np.repeat(np.arange(pairs.shape[0]), np.diff(pairs.indptr)), pairs.indices.astype(np.int64)

    whole(texts[:2000])
    return lambda: whole(texts)


def _shingles(text: str) -> list[str]:
    import re

    words = re.findall(r"\w\w+", text.casefold())
    return list({" ".join(words[start : start + 3]) for start in range(max(len(words) - 2, 1))})


def _datasketch(texts: list[str]) -> Run:
    from datasketch import MinHash, MinHashLSH

    def run() -> Pairs:
        index = MinHashLSH(threshold=LSH_THRESHOLD, num_perm=PERMUTATIONS)
        a, b = [], []
        for number, text in enumerate(texts):
            sketch = MinHash(num_perm=PERMUTATIONS)
            sketch.update_batch([shingle.encode() for shingle in _shingles(text)])
            for other in index.query(sketch):
                a.append(other)
                b.append(number)
            index.insert(number, sketch)
        return np.array(a, dtype=np.int64), np.array(b, dtype=np.int64)

    return run


def _rensa(texts: list[str]) -> Run:
    from rensa import RMinHash, RMinHashLSH

    def run() -> Pairs:
        index = RMinHashLSH(threshold=LSH_THRESHOLD, num_perm=PERMUTATIONS, num_bands=RENSA_BANDS)
        sketches = []
        for text in texts:
            sketch = RMinHash(num_perm=PERMUTATIONS, seed=42)
            sketch.update(_shingles(text))
            sketches.append(sketch)
        a, b = [], []
        for number, sketch in enumerate(sketches):
            for other in index.query(sketch):
                a.append(other)
                b.append(number)
            index.insert(number, sketch)
        return np.array(a, dtype=np.int64), np.array(b, dtype=np.int64)

    return run


def _cosine(texts: list[str]) -> Run:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.preprocessing import normalize

    def run() -> Pairs:
        vectors = normalize(CountVectorizer(max_df=0.05, min_df=2).fit_transform(texts)).tocsr()
        a, b = [], []
        for start in range(0, vectors.shape[0], 500):
            block = (vectors[start : start + 500] @ vectors.T).tocoo()
            keep = (block.data >= COSINE_THRESHOLD) & (block.row + start < block.col)
            a.append(block.row[keep].astype(np.int64) + start)
            b.append(block.col[keep].astype(np.int64))
        return np.concatenate(a), np.concatenate(b)

    return run


CONTESTANTS: dict[str, Callable[[list[str]], Run]] = {
    "infostream-dedup": _ours,
    "rensa": _rensa,
    "datasketch": _datasketch,
    "CountVectorizer+cosine": _cosine,
}

if __name__ == "__main__":
    main()
