"""Races from the same raw texts: this engine against MinHash + LSH (datasketch, rensa) and cosines of word counts.

    python -m benchmarks.race --documents 20000 --out race.json
    python -m benchmarks.race --real mdnews.docs.jsonl.gz --documents 20000
    python -m benchmarks.race --edited mdnews.docs.jsonl.gz background.docs.jsonl.gz --documents 20000

Each contestant runs in its own process on the same texts, which are already in memory when its clock starts. They
answer different questions: MinHash estimates the Jaccard similarity of shingles and returns pairs above a threshold,
whereas this engine returns all links at k >= 4 in both directions with S and T for k = 4..12. So cost is shown together
with what each finds: precision and recall of its pairs against the stories from which the texts were generated (a
story contains reprints and rewritten documents; pairs within a story are true). With ``--real`` the texts of a file are
repeated as in ``benchmarks.month``, with the number of the repetition appended to each document; which pairs are true
is then unknown. With ``--edited``, most documents are copies of real news at known rates of edits, and recall is also
shown by the larger rate of a pair; contestants are called as their own pages call them: rensa with ``text.split()`` and
in bulk (``words``), with word triples one by one and in bulk, polars as one would write it by hand.

On a virtual machine the host may provide memory page by page, which takes seconds of CPU time for each gigabyte that no
process has touched before. To exclude this, every contestant's process touches and frees two gigabytes before its clock
starts; ``--cold`` skips that.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from array import array
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import in_own_process, save_texts, timed, write_figures
from benchmarks.edited import RATES, edited
from benchmarks.generator import Texts, generate, write_texts
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
    parser.add_argument("--edited", type=Path, nargs="+", help="gzipped JSON Lines with text to make edited copies of")
    parser.add_argument("--contestants", nargs="+", default=list(CONTESTANTS)[:4], choices=CONTESTANTS)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--cold", action="store_true", help="include the host's work for memory not touched before")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments.edited:
            megabytes = edited(arguments.edited, arguments.documents, folder, seed=arguments.seed)
        elif arguments.real:
            megabytes = repeated(arguments.real, arguments.documents, folder)
        else:
            corpus = generate(arguments.documents, seed=arguments.seed)
            megabytes = save_texts(write_texts(corpus, seed=arguments.seed), folder)
            np.save(folder / "stories.npy", corpus.stories)
        rows = [
            {
                "contestant": contestant,
                "documents": arguments.documents,
                "megabytes": megabytes,
                "memory": "fresh" if arguments.cold else "touched",
                **in_own_process(_measure, contestant, folder, not arguments.cold),
            }
            for _ in range(arguments.repeats)
            for contestant in arguments.contestants
        ]
    own = min((row["cpu_seconds"] for row in rows if row["contestant"] == arguments.contestants[0]), default=None)
    for row in rows:
        row["cpu_over_ours"] = round(row["cpu_seconds"] / own, 2) if own else None
        print(json.dumps(row))
    write_figures(arguments.out, seed=arguments.seed, real=bool(arguments.real), rows=rows)


def _measure(contestant: str, folder: Path, touch: bool) -> dict[str, Any]:
    texts = list(Texts.of(folder))
    run = CONTESTANTS[contestant](texts)
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


def _judge(a: NDArray[np.int64], b: NDArray[np.int64], documents: int, truth: Path) -> dict[str, Any]:
    """Count the distinct unordered pairs; if stories are known, compute precision and recall, pairs within one true."""
    codes = np.unique(np.minimum(a, b) * documents + np.maximum(a, b))
    if not truth.exists():
        return {"pairs": len(codes), "precision": None, "recall": None}
    stories = np.load(truth)
    one, other = np.divmod(codes, documents)
    right = int((stories[one] == stories[other]).sum())
    sizes = np.unique(stories, return_counts=True)[1].astype(np.int64)
    precision, recall = right / max(len(codes), 1), right / int((sizes * (sizes - 1) // 2).sum())
    return {
        "pairs": len(codes),
        "precision": round(precision, 4) if len(codes) else None,
        "recall": round(recall, 4),
        "f1": round(2 * precision * recall / (precision + recall), 4) if right else 0.0,
        **_recall_by_rate(codes, stories, truth.with_name("rates.npy")),
    }


def _recall_by_rate(codes: NDArray[np.int64], stories: NDArray[np.int64], rates: Path) -> dict[str, Any]:
    """Recall of the true pairs by the larger rate of edits of the two documents."""
    if not rates.exists():
        return {}
    order, edits = np.argsort(stories, kind="stable"), np.load(rates)
    groups = np.split(order, np.flatnonzero(np.diff(stories[order])) + 1)
    pairs = [one[np.stack(np.triu_indices(len(one), 1))] for one in groups if len(one) > 1]
    a, b = np.sort(np.concatenate(pairs, axis=1), axis=0)
    found, most = np.isin(a * len(stories) + b, codes), np.maximum(edits[a], edits[b])
    return {f"recall_{rate}": round(float(found[most == rate].mean()), 4) for rate in RATES[2:]}


Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]
Run = Callable[[], Pairs]


def _as_arrays(found: Iterable[tuple[int, int]]) -> Pairs:
    return tuple(np.array(list(found), dtype=np.int64).reshape(-1, 2).T)  # type: ignore[return-value]


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


def _documents(texts: list[str], **options: Any) -> Run:
    from infostream_dedup import pairs

    documents = [{"id": str(number), "text": text} for number, text in enumerate(texts)]

    list(pairs(documents[:500], **options))
    return lambda: _as_arrays((int(row.a), int(row.b)) for row in pairs(documents, **options))


def _one_by_one(index: Any, sketches: Iterable[Any]) -> Pairs:
    """Ask an index of MinHash sketches for each document, then enter it."""
    found: list[tuple[int, int]] = []
    for number, sketch in enumerate(sketches):
        found.extend((other, number) for other in index.query(sketch))
        index.insert(number, sketch)
    return _as_arrays(found)


def _datasketch(texts: list[str]) -> Run:
    from datasketch import MinHash, MinHashLSH

    def sketch_of(text: str) -> MinHash:
        sketch = MinHash(num_perm=PERMUTATIONS)
        sketch.update_batch([shingle.encode() for shingle in _shingles(text)])
        return sketch

    def run() -> Pairs:
        return _one_by_one(MinHashLSH(threshold=LSH_THRESHOLD, num_perm=PERMUTATIONS), map(sketch_of, texts))

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
        return _one_by_one(index, sketches)

    return run


def _rensa_in_bulk(texts: list[str], tokens: Callable[[str], list[str]]) -> Run:
    from rensa import RMinHash, RMinHashLSH

    def run() -> Pairs:
        index = RMinHashLSH(threshold=LSH_THRESHOLD, num_perm=PERMUTATIONS, num_bands=RENSA_BANDS)
        sketches = RMinHash.from_token_sets((tokens(text) for text in texts), PERMUTATIONS, 42)
        index.insert_many(sketches, 0)
        met = enumerate(index.query_all(sketches))
        return _as_arrays((other, number) for number, others in met for other in others if other < number)

    return run


def _polars(texts: list[str]) -> Run:
    """The 24 smallest hashes of each text's word triples, joined; pairs with five or more in common."""
    import polars as pl

    def sketches(first: int) -> pl.DataFrame:
        some = texts[first : first + 5000]
        words = pl.DataFrame({"id": np.arange(first, first + len(some)), "text": some}).lazy()
        words = words.select("id", word=pl.col("text").str.to_lowercase().str.extract_all(r"\w\w+")).explode("word")
        words = words.with_columns(hash=pl.col("word").hash(1))
        following = [pl.col("hash").shift(-step).over("id") for step in (1, 2)]
        triples = words.with_columns(triple=pl.col("hash") * 3 + following[0] * 5 + following[1] * 7)
        triples = triples.drop_nulls("triple").with_columns(pl.col("triple").hash(2))
        return triples.group_by("id").agg(pl.col("triple").unique().bottom_k(24)).collect()

    def run() -> Pairs:
        every = pl.concat([sketches(first) for first in range(0, len(texts), 5000)]).explode("triple")
        every = every.filter(pl.len().over("triple") < 500)
        met = every.join(every, on="triple", suffix="_other").filter(pl.col("id") < pl.col("id_other"))
        found = met.group_by("id", "id_other").len().filter(pl.col("len") >= 5)
        return found["id"].to_numpy().astype(np.int64), found["id_other"].to_numpy().astype(np.int64)

    return run


def _gaoya(texts: list[str]) -> Run:
    from gaoya.minhash import MinHashStringIndex

    def run() -> Pairs:
        index = MinHashStringIndex(
            hash_size=32, jaccard_threshold=0.2, num_bands=32, band_size=4, num_hashes=None, analyzer="word",
            lowercase=True, ngram_range=(3, 3), id_container="vec",
        )  # fmt: skip
        index.par_bulk_insert_docs(list(range(len(texts))), texts)
        met = enumerate(index.par_bulk_query(texts, False))
        return _as_arrays((other, number) for number, others in met for other in others if other < number)

    return run


def _tfidf(texts: list[str]) -> Run:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sparse_dot_topn import sp_matmul_topn

    def run() -> Pairs:
        vectors = TfidfVectorizer(max_df=0.05, min_df=2, dtype=np.float32).fit_transform(texts).tocsr()
        near = sp_matmul_topn(vectors, vectors.T.tocsr(), top_n=40, threshold=0.5, n_threads=1, sort=False).tocoo()
        kept = near.row < near.col
        return near.row[kept].astype(np.int64), near.col[kept].astype(np.int64)

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
    "pairs()": _documents,
    "pairs(by='wording')": partial(_documents, by="wording"),
    "rensa, words, in bulk": partial(_rensa_in_bulk, tokens=str.split),
    "rensa, triples, in bulk": partial(_rensa_in_bulk, tokens=_shingles),
    "polars by hand": _polars,
    "gaoya": _gaoya,
    "TF-IDF + sparse_dot_topn": _tfidf,
}

if __name__ == "__main__":
    main()
