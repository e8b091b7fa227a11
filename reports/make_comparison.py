"""Makes comparison.md, comparison.csv and the part of speed.md on methods."""

from __future__ import annotations

import gc
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from frame import NEWS, REPORTS, SETS, LabelledSet, documents_file, table, write_page, write_part, write_text
from paper_methods import figure_of

from infostream_dedup import read_documents
from infostream_dedup.documents import csv_line
from infostream_dedup.lab import comparison
from infostream_dedup.lab.methods import Texts, method_class, methods

BEST: Final = "key-terms-morph:n=30:score=share"

VARIANTS = (
    "three-plus-two:n=3", "shingles:measure=containment", "shingles:tau=0.05", "shingles:w=2:tau=0.1",
    "tf-idf-cosine:tau=0.4", "key-terms-morph:rule=forward", BEST,
)  # fmt: skip
"""Beside every method with its defaults: N = 3, containment, low thresholds that found paraphrases on these very sets,
directed key terms, the preset ``best``."""

LARGEST = "mdnews"  # the corpus that times are measured on

CROSS = (
    LabelledSet("wmt ru-uk news", "wmt", "ru-uk", NEWS, positive=("translation",)),
    LabelledSet("ntrex ru-uk", "ntrex", "ru-uk", positive=("translation",)),
)
"""Sets across languages, for key terms in the pivot language."""

WHOLE = ("uagec", "wmt", "mdnews", "slavictopics", "tgpairs")  # corpora that the pool protocol is run on


COMPARISON_TEXT: Final = """\
Every method of the source papers with its defaults (`infostream-dedup compare`), and seven variants, on every labelled
set. Two protocols:

- **labels**, as in quality.md: listed pairs are true; where documents carry a family, every other linked pair of two
  families that are not kin is false. mdnews, slavictopics and tgpairs have no families: there only labelled pairs
  count, the negatives are easy, and a precision of 1.000 says little.
- **pool**, as in Zelenkov & Segalovich: the pairs that A0 to A10 find together, verified by String::Similarity >= .80;
  recall is against the verified pool. A pair outside of the pool counts as false, however alike the texts are; the
  column "alike" is the share of all pairs of a method whose texts are that similar.

`rule=forward` of key terms is directed: as pairs it counts a link in either direction. `n=30:score=share` is the
preset `best`. Shingles at `tau=0.05` and `w=2:tau=0.1` and the cosine at `tau=0.4` are thresholds of ours, picked on
these very sets because the defaults are made for copies; key terms use the k of their paper. `pair-model` was learned
from pairs of these very sets; with each set left out, it is much the same:
[quality.md](quality.md#kinds-and-statuses-of-pairs). Times are in
[speed.md](speed.md#what-the-methods-cost), all rows as data in [comparison.csv](comparison.csv), the published
orderings in [paper.md](paper.md)."""

CROSS_TEXT: Final = """\
F1 on translations between Russian and Ukrainian, both directions at k = 6. Methods that find no true pair are left out:
words, sentences and shingles of two languages do not meet; stems and lemmas do where both languages have one form."""

TIMES_TEXT: Final = """\
Times differ from run to run, and this machine had other work beside. Every method is timed for itself, after a first
run on 20 documents that loads its dictionaries; what they share of the texts (words, sentences, frequencies, surfaces)
is read beforehand. "Growth" is the exponent e of n^e in the number of documents, from all documents and their first
half: 1 for work that grows with the documents; a method whose number of pairs grows faster than the documents is above.
Bytes are those of the signatures alone."""


@dataclass
class Judged:
    """All measurements, by corpus and by set."""

    runs: dict[str, comparison.MethodRuns]
    sets: dict[str, comparison.Comparison]
    pools: dict[str, comparison.Comparison]
    cross: dict[str, comparison.Comparison]


def main() -> None:
    """Measure everything, then write the pages."""
    judged = Judged({}, {}, {}, {})
    for corpus in dict.fromkeys(labelled.corpus for labelled in SETS):
        _measure(corpus, judged)
        gc.collect()
    comparison_page(judged)
    times_page(judged)


def _measure(corpus: str, judged: Judged) -> None:
    names = [*(name for name in methods() if not method_class(name).only_when_named), *VARIANTS]
    texts = Texts(list(read_documents(documents_file(corpus))))
    runs = comparison.run_methods(texts, names, with_growth=corpus == LARGEST, progress=_tell)
    judged.runs[corpus] = runs
    for found, sets in ((judged.sets, SETS), (judged.cross, CROSS)):
        for labelled in sets:
            if labelled.corpus == corpus:
                truth = labelled.truth(texts)
                by_labels = [comparison.judged_by_labels(run, truth) for run in runs.runs]
                found[labelled.name.removesuffix(", either")] = _comparison("labels", runs, by_labels)
    if corpus in WHOLE:
        figures, summary = comparison.judged_by_pool(texts, runs, "a0-a10")
        judged.pools[corpus] = replace(_comparison("pool", runs, figures), pool=summary)
    print(corpus, f"{runs.reading.cpu_seconds:.1f} s of reading", flush=True)


def _tell(step: str, done: int, total: int | None) -> None:
    print(f"{time.process_time():.0f} CPU s: {step} ({done} of {total})", flush=True)


def _comparison(
    protocol: Any, runs: comparison.MethodRuns, figures: Sequence[Mapping[str, float | int | None]]
) -> comparison.Comparison:
    codes = [run.codes for run in runs.runs]
    rows = [
        comparison.ComparedMethod(run, figure, only)
        for run, figure, only in zip(runs.runs, figures, comparison.found_alone(codes), strict=True)
    ]
    return comparison.Comparison(
        protocol=protocol, rows=rows, dice=comparison.dice_matrix(codes), documents=runs.documents, configuration={}
    )


def comparison_page(judged: Judged) -> None:
    """Make the page with all methods on all sets."""
    lines = [
        "set,protocol,method,pairs,precision,recall,f1,low,high,tp,fp,fn,symmetry,transitivity,bytes_per_document\n"
    ]
    for name, found in (*judged.sets.items(), *judged.cross.items(), *judged.pools.items()):
        lines += [_csv_line(name, found.protocol, row) for row in found.rows]
    write_text(REPORTS / "comparison.csv", "".join(lines))
    parts = [COMPARISON_TEXT, "## F1 by labels", table(_with_means(_f1_rows(judged.sets)))]
    across = [
        row
        for row in _f1_rows(judged.cross)
        if any(figure_of(found, row["method"], "tp") for found in judged.cross.values())
    ]
    parts += ["## Across languages", CROSS_TEXT, table(across)]
    write_page("comparison.md", "Methods side by side", "python reports/make_comparison.py", parts)


def times_page(judged: Judged) -> None:
    """Make the page with the cost of each method on the largest corpus."""
    runs = judged.runs[LARGEST]
    rows = [
        {
            "method": run.name,
            "seconds": f"{run.cost.seconds:.2f}",
            "CPU seconds": f"{run.cost.cpu_seconds:.2f}",
            "growth": None if run.growth is None else f"{run.growth:.2f}",
            "bytes a document": f"{run.bytes_per_document:.0f}",
        }
        for run in runs.runs
    ]
    plain = [run for run in runs.runs if run.name in methods()]
    total = sum(run.cost.seconds for run in plain) + runs.reading.seconds
    told = (
        f"{LARGEST}, {runs.documents} documents. Reading, shared by all: {runs.reading.seconds:.1f} s, "
        f"{runs.reading.cpu_seconds:.1f} CPU s. All {len(plain)} methods with their defaults and the reading: "
        f"{total:.0f} s."
    )
    write_part(
        "speed.md",
        "methods",
        "What the methods cost",
        "python reports/make_comparison.py",
        [TIMES_TEXT, told, table(rows)],
    )


def _f1_rows(sets: Mapping[str, comparison.Comparison]) -> list[dict[str, Any]]:
    """F1 of each method on each set."""
    return [
        {"method": method, **{name: figure_of(found, method, "f1") for name, found in sets.items()}}
        for method in next(iter(sets.values())).names
    ]


def _with_means(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for row in rows:
        known = [value for value in row.values() if isinstance(value, float)]
        row["mean"] = sum(known) / len(known) if known else None
    return rows


def _csv_line(name: str, protocol: str, row: comparison.ComparedMethod) -> str:
    figures = row.figures
    values = [
        name, protocol, row.run.name, len(row.run.codes),
        *(figures.get(figure) for figure in ("precision", "recall", "f1", "low", "high", "tp", "fp", "fn")),
        row.run.measures.symmetry, row.run.measures.transitivity, row.run.bytes_per_document,
    ]  # fmt: skip
    return csv_line([round(value, 6) if isinstance(value, float) else value for value in values]).decode()


if __name__ == "__main__":
    main()
