"""S and T for every k of every representation, with the recommended k: the main job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.batch.collection import Weighable
from infostream_dedup.batch.linking import Linked, key_terms_of, least_k, link
from infostream_dedup.batch.pair_table import LinkedPairs, pair_table, what_met
from infostream_dedup.batch.verbatim import MOST_VERBATIM_LINKS, LinkedNodes, link_nodes, verbatim_links
from infostream_dedup.links import (
    Measures,
    Recommendation,
    expected_chance_links,
    group_leaders,
    group_sizes,
    recommend,
    sweep_counts,
    sweep_shares,
)
from infostream_dedup.links.entries import column_counts
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import LANGUAGES, VERSION, Settings
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.meetings import Meeting
from infostream_dedup.terms.untranslated import untranslated_shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.corpus import ReadingReport

__all__ = [
    "SHARE_THRESHOLDS",
    "Example",
    "SweepResult",
    "SweepRow",
    "measures_of",
    "recommendation_for",
    "sweep_collection",
]

SHARE_THRESHOLDS: Final = tuple(round(0.05 * step, 2) for step in range(1, 21))

_EXAMPLES = 5
_REFUSED_K = 6
_EXACT_FROM = 4
"""T is exact from this k on, however many paths there are; below, a collection of any size has too many."""
_NO_K_FOR_SHARES = "k is recommended for the count score only; the share score has no k"
_ONE_LANGUAGE = "all documents are of one language, so there are no links between languages"
_CLUSTERS_NOTE = "{}: large clusters of equal documents were counted as a whole; no example pairs were drawn"
_SHARES_NOTE = "{}: pairs of fewer than {} common terms are left out at every threshold, as they do not fit into memory"
_ENGLISH_NOTE = "morph: {} English documents are represented by stems, for there is no English frequency dictionary"


@dataclass(frozen=True, slots=True)
class SweepRow:
    """S and T of one representation at one k (or one threshold).

    Attributes:
        representation: ``stem``, ``morph`` or ``pivot``.
        block: ``all``, and for ``pivot``, where languages meet, also ``mono`` and ``cross``: links inside languages and
            between them. T is left out of ``cross``: between two languages no path could be closed.
        measures: the numbers.
    """

    representation: str
    block: str
    measures: Measures

    def as_dict(self) -> dict[str, Any]:
        """The row of ``sweep``; column ``k``, or ``threshold`` for the share score."""
        return {"representation": self.representation, "block": self.block, **self.measures.as_dict()}


@dataclass(frozen=True, slots=True)
class Example:
    """A pair whose stronger direction has exactly k terms, for an expert to judge."""

    representation: str
    k: int
    a: str
    b: str
    title_a: str
    title_b: str
    language_a: str
    language_b: str
    forward: int
    backward: int
    terms: list[str]
    met: list[Meeting] | None = None


@dataclass(frozen=True, slots=True)
class SweepResult:
    """What a sweep found.

    Attributes:
        rows: in the order of representation, block, k.
        recommended_k: per representation (``pivot:cross`` for its cross block); ``None`` is a refusal.
        reason: one sentence for each.
        configuration: the settings that decided the result.
        missing: representations that could not be computed, with the reason.
        notes: what a reader of the numbers should know.
        documents: number of documents per language.
        groups: per representation, group size to number of groups at the recommended k (6 after a refusal).
        examples: pairs at each k.
        untranslated: in a pivot language, share of the weight of all terms that terms without an equivalent have, per
            language of the documents.
        report: what was read; None where no documents were.
    """

    rows: list[SweepRow]
    recommended_k: dict[str, int | None]
    reason: dict[str, str]
    configuration: dict[str, Any]
    missing: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    documents: dict[str, int] = field(default_factory=dict)
    groups: dict[str, dict[int, int]] = field(default_factory=dict)
    examples: list[Example] = field(default_factory=list)
    untranslated: dict[str, float] = field(default_factory=dict)
    report: ReadingReport | None = None

    def as_dict(self) -> dict[str, Any]:
        """The content of ``sweep.json``."""
        return {
            "rows": [row.as_dict() for row in self.rows],
            "recommended_k": self.recommended_k,
            "reason": self.reason,
            "configuration": self.configuration,
            "documents": self.documents,
            "untranslated": self.untranslated,
            "missing": self.missing,
            "notes": self.notes,
        }

    def to_arrow(self) -> Any:
        """The rows as a ``pyarrow.Table``."""
        import pyarrow as pa

        return pa.Table.from_pylist([row.as_dict() for row in self.rows])

    def to_pandas(self) -> Any:
        """The rows as a ``pandas.DataFrame``; needs pandas."""
        return self.to_arrow().to_pandas()


def sweep_collection(
    collection: Weighable,
    settings: Settings,
    representations: Sequence[str],
    *,
    ks: Sequence[int] | None = None,
    examples: bool = True,
    engine: str = "auto",
    progress: Progress | None = None,
) -> SweepResult:
    """Sweep k over one counts matrix per representation.

    Args:
        collection: the documents.
        settings: everything but the representation.
        representations: which to sweep, in this order.
        ks: the k to show, 1..n by default; a recommendation always looks at all of them.
        examples: also pick example pairs at each k.
        engine: what matches; results are the same.
        progress: told of each step.
    """
    result = SweepResult([], {}, {}, _configuration(settings, representations))
    result.documents.update(_languages(collection))
    for number, representation in enumerate(representations):
        if progress is not None:
            progress(f"sweep {representation}", number, len(representations))
        chosen = settings.but(representation=representation)
        if representation == "morph" and "en" in result.documents:
            result.notes.append(_ENGLISH_NOTE.format(result.documents["en"]))
        key_terms = key_terms_of(collection, chosen)
        if settings.score == "count" and key_terms.pivot is None and verbatim_links(key_terms) > MOST_VERBATIM_LINKS:
            k_min = min(_EXACT_FROM, settings.n)
            _sweep_nodes(result, link_nodes(key_terms, chosen, k_min=k_min, progress=progress), ks, progress)
            continue
        k_min = least_k(key_terms)
        linked = link(key_terms, chosen, k_min=k_min, engine=engine, progress=progress)
        if representation == "pivot":
            _tell_untranslated(result, linked)
        if settings.score == "share":
            _sweep_shares(result, linked)
            if k_min > 1:
                result.notes.append(_SHARES_NOTE.format(representation, k_min))
        else:
            _sweep_counts(result, linked, ks, progress)
            if examples:
                result.examples.extend(_examples(collection, linked, ks))
    if progress is not None:
        progress("sweep", len(representations), len(representations))
    return result


def _sweep_nodes(result: SweepResult, linked: LinkedNodes, ks: Sequence[int] | None, progress: Progress | None) -> None:
    """What ``_sweep_counts`` finds, without writing out the links of large clusters of equal documents."""
    representation, n = linked.settings.representation, linked.settings.n
    measures = [*_measures_below(linked.key_terms, n, linked.k_min, progress), *linked.measures(progress)]
    shown = set(range(1, n + 1)) if ks is None else set(ks)
    result.rows.extend(SweepRow(representation, "all", row) for row in measures if row.k in shown)
    recommendation = recommend(measures, _chance(linked.key_terms.keys, linked.key_terms.targets, n), n=n)
    _recommend(result, representation, recommendation)
    at = recommendation.k if recommendation.k is not None else min(_REFUSED_K, n)
    sizes = linked.group_sizes(max(at, linked.k_min))
    result.groups[representation] = dict(sorted(Counter(sizes.tolist()).items()))
    result.notes.append(_CLUSTERS_NOTE.format(representation))


def _sweep_counts(result: SweepResult, linked: Linked, ks: Sequence[int] | None, progress: Progress | None) -> None:
    representation, n = linked.settings.representation, linked.settings.n
    below = _measures_below(linked.key_terms, n, linked.matrix.k_min, progress)
    measures = [*below, *measures_of(linked, progress=progress)]
    shown = set(range(1, n + 1)) if ks is None else set(ks)
    result.rows.extend(SweepRow(representation, "all", row) for row in measures if row.k in shown)
    recommendation = recommend(measures, _chance(linked.key_terms.keys, linked.key_terms.targets, n), n=n)
    _recommend(result, representation, recommendation)
    for block, matrix in _blocks(linked).items():
        rows = _measures(matrix, compiled=linked.compiled)
        result.rows.extend(SweepRow(representation, block, row) for row in rows if row.k in shown)
        if block == "cross":
            languages = linked.key_terms.counts.languages
            chance = _chance_between(linked, np.arange(len(languages)), languages)
            _recommend(result, f"{representation}:cross", recommend(rows, chance, n=n, cross=True))
    if representation == "pivot" and "pivot:cross" not in result.recommended_k:
        _recommend(result, "pivot:cross", Recommendation(None, _ONE_LANGUAGE))
    at = recommendation.k if recommendation.k is not None else min(_REFUSED_K, n)
    sizes = group_sizes(_leaders(linked, max(at, linked.matrix.k_min)))
    result.groups[representation] = dict(sorted(Counter(sizes.tolist()).items()))


def _leaders(linked: Linked, k: int) -> NDArray[np.int64]:
    if not linked.compiled:
        return group_leaders(linked.matrix.links_at(k))
    from infostream_dedup.links.fast_groups import fast_group_leaders

    return fast_group_leaders(linked.matrix.counts, k)


def _recommend(result: SweepResult, name: str, recommendation: Recommendation) -> None:
    result.recommended_k[name] = recommendation.k
    result.reason[name] = recommendation.reason


def _blocks(linked: Linked) -> dict[str, SimilarityMatrix]:
    """Links inside languages and between them, where terms of several languages can meet."""
    languages = linked.key_terms.counts.languages
    if linked.key_terms.pivot is None or len(np.unique(languages)) < 2:
        return {}
    return {name: linked.matrix.between(languages, same=name == "mono") for name in ("mono", "cross")}


def _tell_untranslated(result: SweepResult, linked: Linked) -> None:
    shares = untranslated_shares(linked.key_terms, linked.settings)
    result.untranslated.update((language, round(share, 6)) for language, share in shares.items())
    pivot = linked.settings.pivot
    told = [f"{100 * share:.1f} % of the {language}" for language, share in shares.items() if language != pivot]
    if told:
        result.notes.append(f"pivot: {' and '.join(told)} documents' term weight has no equivalent in {pivot}")


def measures_of(
    linked: Linked, documents: NDArray[np.int64] | None = None, *, progress: Progress | None = None
) -> list[Measures]:
    """S and T for every k that the matrix holds.

    Args:
        linked: of a collection.
        documents: int64, ordinals: only these rows and columns; all by default.
        progress: told of each k done where the collection is large.
    """
    matrix = linked.matrix if documents is None else linked.matrix.restricted(documents)
    return _measures(matrix, compiled=linked.compiled, progress=progress)


def _measures(matrix: SimilarityMatrix, *, compiled: bool, progress: Progress | None = None) -> list[Measures]:
    ks = range(matrix.k_min, matrix.n + 1)
    if not compiled:
        return sweep_counts(matrix, ks, exact_from=_EXACT_FROM)
    from infostream_dedup.links.fast_sweep import fast_sweep

    low = [k for k in ks if k < _EXACT_FROM]
    measured = sweep_counts(matrix, low) if low else []
    return [*measured, *fast_sweep(matrix, [k for k in ks if k >= _EXACT_FROM], progress=progress)]


def _measures_below(key_terms: KeyTerms, n: int, k_min: int, progress: Progress | None) -> list[Measures]:
    """S and T of the k below ``k_min``, whose links are too many to be stored; T is sampled."""
    if k_min == 1:
        return []
    from infostream_dedup.links.low_k import sweep_unstored

    return sweep_unstored(key_terms.keys, key_terms.targets, n=n, most=k_min - 1, progress=progress)


def recommendation_for(
    linked: Linked, documents: NDArray[np.int64] | None = None, *, cross: bool = False
) -> Recommendation:
    """The k to use, found without labels.

    Args:
        linked: of a collection.
        documents: int64, ordinals: judge by these documents only; all by default.
        cross: judge by links between languages.
    """
    chosen = np.arange(linked.matrix.documents) if documents is None else documents
    matrix = linked.matrix.restricted(chosen)
    languages = linked.key_terms.counts.languages[chosen]
    if cross:
        matrix = matrix.between(languages, same=False)
    measures = sweep_counts(matrix, range(matrix.k_min, matrix.n + 1), exact_from=_EXACT_FROM)
    if cross:
        chance = _chance_between(linked, chosen, languages)
    else:
        chance = _chance(linked.key_terms.keys[chosen], linked.key_terms.targets[chosen], matrix.n)
    return recommend(measures, chance, n=matrix.n, cross=cross)


def _chance(keys: sp.csr_array, targets: sp.csr_array, n: int) -> NDArray[np.float64]:
    """Links expected by chance at each k among documents with these key terms and targets."""
    documents = keys.shape[0]
    # A document holds its own key terms; it is not among those it asks.
    share = np.maximum(column_counts(targets) - 1, 0) / max(documents - 1, 1)
    return expected_chance_links(_probabilities(keys, share, n), documents)


def _chance_between(linked: Linked, documents: NDArray[np.int64], languages: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Links expected by chance at each k from documents of one language to those of the others."""
    expected = np.zeros(linked.settings.n + 1, dtype=np.float64)
    for language in np.unique(languages):
        asking, asked = documents[languages == language], documents[languages != language]
        holders = column_counts(linked.key_terms.targets[asked])
        table = _probabilities(linked.key_terms.keys[asking], holders / max(len(asked), 1), linked.settings.n)
        expected += expected_chance_links(table, len(asked) + 1)
    return expected


def _sweep_shares(result: SweepResult, linked: Linked) -> None:
    representation = linked.settings.representation
    for block, matrix in {"all": linked.matrix, **_blocks(linked)}.items():
        shares = matrix.shares(linked.key_terms.own_weights)
        rows = sweep_shares(shares, SHARE_THRESHOLDS, between_groups=matrix.between_groups)
        result.rows.extend(SweepRow(representation, block, row) for row in rows)
    for name in (representation, "pivot:cross") if representation == "pivot" else (representation,):
        _recommend(result, name, Recommendation(None, _NO_K_FOR_SHARES))


def _probabilities(keys: sp.csr_array, share: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Share of the asked documents that hold each key term.

    Args:
        keys: (documents, terms), at most n in a row.
        share: float64 (terms,).
        n: columns of the result.

    Returns:
        float64 (documents, n), 0 where a document has fewer key terms.
    """
    row = np.repeat(np.arange(keys.shape[0]), np.diff(keys.indptr))
    table = np.zeros((keys.shape[0], n), dtype=np.float64)
    table[row, np.arange(keys.nnz) - keys.indptr[row]] = share[keys.indices]
    return table


def _examples(collection: Weighable, linked: Linked, ks: Sequence[int] | None) -> list[Example]:
    """Up to five pairs at each k, spread evenly over the collection; in a pivot language pairs of two languages."""
    matrix, found = linked.matrix, list[Example]()
    if linked.key_terms.pivot is not None:
        between = matrix.between(linked.key_terms.counts.languages, same=False)
        matrix = between if between.counts.nnz else matrix
    chosen = _spread_pairs(LinkedPairs(matrix.counts), linked.settings.n)
    for k in range(linked.matrix.k_min, linked.settings.n + 1) if ks is None else ks:
        a, b = chosen.get(k, np.zeros((2, 0), dtype=np.int64))
        pairs = pair_table(linked.key_terms, a, b)
        for pair in range(len(pairs)):
            i, j = int(pairs.a[pair]), int(pairs.b[pair])
            found.append(
                Example(
                    linked.settings.representation,
                    k,
                    collection.documents[i].id,
                    collection.documents[j].id,
                    collection.documents[i].title,
                    collection.documents[j].title,
                    collection.languages[i],
                    collection.languages[j],
                    int(pairs.forward[pair]),
                    int(pairs.backward[pair]),
                    *what_met(pairs, pair, linked.key_terms),
                )
            )
    return found


def _spread_pairs(pairs: LinkedPairs, n: int) -> dict[int, NDArray[np.int64]]:
    """Up to five pairs for each count of the stronger direction, evenly spread: int64 (2, pairs) by count."""
    tallies = np.zeros((len(pairs.blocks) + 1, n + 1), dtype=np.int64)
    for number, block in enumerate(pairs.blocks, start=1):
        _, _, forward, backward = pairs.of(block)
        tallies[number] = np.bincount(np.maximum(forward, backward), minlength=n + 1)
    before = np.cumsum(tallies, axis=0)
    places = {k: _evenly(int(before[-1, k])) for k in range(1, n + 1)}
    found: dict[int, list[NDArray[np.int64]]] = {}
    for number, block in enumerate(pairs.blocks):
        here = {k: _within(places[k], *before[number : number + 2, k]) for k in places}
        if any(len(wanted) for wanted in here.values()):
            a, b, forward, backward = pairs.of(block)
            for k, wanted in here.items():
                at = np.flatnonzero(np.maximum(forward, backward) == k)[wanted]
                found.setdefault(k, []).append(np.stack((a[at], b[at])))
    return {k: np.concatenate(parts, axis=1) for k, parts in found.items()}


def _evenly(total: int) -> NDArray[np.int64]:
    """Up to five places among ``total``."""
    return np.unique(np.linspace(0, total - 1, min(total, _EXAMPLES)).astype(np.int64))


def _within(places: NDArray[np.int64], first: int, last: int) -> NDArray[np.int64]:
    """The places from ``first`` to ``last`` - 1, counted from ``first``."""
    return places[(places >= first) & (places < last)] - first


def _languages(collection: Weighable) -> Mapping[str, int]:
    counts = Counter(collection.languages)
    return {language: counts[language] for language in LANGUAGES if counts[language]}


def _configuration(settings: Settings, representations: Sequence[str]) -> dict[str, Any]:
    plain = settings.as_dict()
    del plain["representation"], plain["k"], plain["threshold"], plain["min_terms"], plain["rule"]
    return {"version": VERSION, "representations": list(representations), **plain}
