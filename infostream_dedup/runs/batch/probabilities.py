"""T of the pairs that evidence accepts, at each minimum probability, beside mutual links of equal number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.links import Advice, SimilarityMatrix, StoredLinks, group_counts
from infostream_dedup.links.pair_rules import need
from infostream_dedup.machine.progress import Phrase, Progress
from infostream_dedup.model.settings import CANDIDATE_TERMS
from infostream_dedup.runs.batch.judging import JudgedCollection
from infostream_dedup.runs.batch.linking import link
from infostream_dedup.runs.batch.sweeping import SweepResult, SweepRow, configuration_of

PROBABILITIES: Final = tuple(round(0.05 * step, 2) for step in range(1, 20))
_DEFAULT: Final = 0.5
_DECIMALS: Final = 6
"""Of a probability, as ``pairs`` lists it."""
_TOPICAL: Final = 0.75
"""T at the default probability below which accepted pairs are told to be topics: .52 on a topical collection, .70 and
more on versions of texts, .98 and more on news."""

_NO_K: Final = Advice(
    reason=Phrase.of("no k: the score is a probability; its T warns of topics, and chooses no probability")
)
_TOPICS_NOTE: Final = (
    "warning: at probability .5 only {closed} of 100 paths between accepted pairs are closed: what the evidence accepts"
    " here is often one topic, not one text; read some pairs before you trust them"
)
_TEXTS_NOTE: Final = "at probability .5, {closed} of 100 paths between accepted pairs are closed"


def sweep_probabilities(judged: JudgedCollection, *, progress: Progress | None = None) -> SweepResult:
    """Sweep the minimum probability of preset ``judged``.

    Accepted pairs count in both directions, so T is that of a symmetric relation, and is compared with links that are
    returned: block ``mutual`` has, at each probability, those of the k with the nearest number. S is that of the
    field ``relation`` of accepted pairs: a link leads from a document to one that contains it.
    """
    configuration = configuration_of(judged.settings, ["morph"]) | {"score": "probability"}
    result = SweepResult(rows=[], advice={"morph": _NO_K}, configuration=configuration)
    a, b, probability = _judged(judged, progress)
    forward, backward = _directions(judged, a, b)
    grades = np.searchsorted(PROBABILITIES, probability, side="right")
    links = _relation(judged, a, b, grades, len(PROBABILITIES))
    terms = _mutual(judged)
    mutual = terms.measures(range(CANDIDATE_TERMS, judged.settings.n + 1))
    groups = group_counts(terms, mutual)
    rows = links.measures()
    for threshold, row, grouped in zip(PROBABILITIES, rows, group_counts(links, rows), strict=True):
        accepted = probability >= threshold
        one_way = int(forward[accepted].sum() + backward[accepted].sum())
        both = 2 * int((forward & backward)[accepted].sum())
        plain = replace(row, k=None, threshold=threshold, symmetry=both / one_way if one_way else None)
        result.rows.append(
            SweepRow(
                representation="morph", block="judged", measures=plain, groups=grouped, estimated={"k_of_mutual": None}
            )
        )
    for row, threshold in zip(rows, PROBABILITIES, strict=True):
        nearest = min(range(len(mutual)), key=lambda place: (abs(mutual[place].links - row.links), place))
        plain = replace(mutual[nearest], k=None, threshold=threshold, symmetry=None)
        result.rows.append(
            SweepRow(
                representation="morph",
                block="mutual",
                measures=plain,
                groups=groups[nearest],
                estimated={"k_of_mutual": mutual[nearest].k},
            )
        )
    middle = rows[PROBABILITIES.index(_DEFAULT)].transitivity
    if middle is not None:
        note = _TOPICS_NOTE if middle < _TOPICAL else _TEXTS_NOTE
        result.notes.append(Phrase.of(note, closed=round(100 * middle)))
    return result


def _judged(
    judged: JudgedCollection, progress: Progress | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """All candidates with their probabilities, as ``pairs`` with a minimum probability of 0 has them."""

    def parts() -> Iterator[tuple[Any, ...]]:
        yield np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        for one in judged.judged(*judged.candidates(), filtered=False, progress=progress):
            yield one.a, one.b, np.round(one.probability, _DECIMALS)

    a, b, probability = (np.concatenate(column) for column in zip(*parts(), strict=True))
    return a, b, probability


def _directions(
    judged: JudgedCollection, a: NDArray[np.int64], b: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether enough key terms of a are in b, and of b in a, as the field ``relation`` says."""
    settings, sizes = judged.settings, judged.key_terms.sizes
    counts = link(judged.key_terms, settings, k_min=CANDIDATE_TERMS).matrix.counts
    least = need(settings.k, sizes[a], sizes[b], n=settings.n, short=settings.short)
    found = [np.asarray(counts[ends]).ravel() if len(a) else np.zeros(0) for ends in ((a, b), (b, a))]
    return found[0] >= least, found[1] >= least


def _relation(
    judged: JudgedCollection, a: NDArray[np.int64], b: NDArray[np.int64], grades: NDArray[np.integer[Any]], steps: int
) -> StoredLinks:
    """A symmetric relation in which a pair is linked up to its grade."""
    kept, documents = grades > 0, len(judged.facts.texts)
    ends = (np.concatenate((a[kept], b[kept])), np.concatenate((b[kept], a[kept])))
    values = np.concatenate((grades[kept], grades[kept])).astype(np.uint8)
    counts = sp.csr_array(sp.coo_array((values, ends), shape=(documents, documents)))
    counts.sort_indices()
    terms = judged.key_terms
    matrix = SimilarityMatrix(counts, steps, 1)
    return StoredLinks(matrix=matrix, keys=terms.keys, targets=terms.targets)


def _mutual(judged: JudgedCollection) -> StoredLinks:
    """Links inside languages that are returned, at each k."""
    linked = link(judged.key_terms, judged.settings, k_min=CANDIDATE_TERMS)
    counts = sp.coo_array(linked.matrix.counts.minimum(linked.matrix.counts.T))
    a, b = counts.row.astype(np.int64), counts.col.astype(np.int64)
    languages = judged.key_terms.counts.languages
    kept = (a < b) & (languages[a] == languages[b])
    return _relation(judged, a[kept], b[kept], counts.data[kept].astype(np.int64), judged.settings.n)
