"""Compute S and T at every k of every representation, and recommend a k: the main job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from typing import Any, Final, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.documents import ReadingReport
from infostream_dedup.errors import MissingExtraError, UsageError
from infostream_dedup.links.compiled.earlier import group_leaders
from infostream_dedup.links.measures import NO_INTERVAL, Advice, Interval, Measures, join_topics, usual_k
from infostream_dedup.links.pair_rules import count_grades, grades_at, need, scales
from infostream_dedup.links.relation import (
    GroupCounts,
    LowLinks,
    NodeLinks,
    Relation,
    StoredLinks,
    Survey,
    group_counts,
    survey,
)
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.machine.arrays import Floats, Ints, Uint8s
from infostream_dedup.machine.progress import Phrase, Progress
from infostream_dedup.model import LANGUAGES, VERSION, Language, Settings, heading
from infostream_dedup.model.settings import CANDIDATE_TERMS, MIDDLE, Thresholds, series_of
from infostream_dedup.model.tabular import Tabular
from infostream_dedup.runs.batch import linking
from infostream_dedup.runs.batch.answering import Answer, CollectionSummary, GroupListing, list_groups
from infostream_dedup.runs.batch.collection import Weighable
from infostream_dedup.runs.batch.judging import JudgedCollection
from infostream_dedup.runs.batch.pairing import LEAST_PROBABILITY
from infostream_dedup.terms.key_terms import KeyTerms, warn_of_terms_above_df_max
from infostream_dedup.terms.matched_words import Meeting
from infostream_dedup.terms.pivot_columns import untranslated_shares


def confirmed_links(
    relation: Relation, second_look: JudgedCollection, *, progress: Progress | None = None
) -> StoredLinks | None:
    """Keep the links between pairs to which the pair model gives a probability of at least .5."""
    # As in preset ``judged``, pairs of two languages, and pairs with fewer than three shared key terms in both
    # directions, are not judged and therefore not confirmed.
    links = relation.stored if isinstance(relation, LowLinks) else relation
    if not isinstance(links, StoredLinks):
        return None
    a, b = _candidates(links.matrix, second_look)
    accepted = [np.zeros((2, 0), dtype=np.int64)]
    for judged in second_look.judged(a, b, screened=True, progress=progress):
        kept = judged.probability >= LEAST_PROBABILITY
        accepted.append(np.stack((judged.a[kept], judged.b[kept])))
    return replace(links, matrix=_restricted(links.matrix, *np.concatenate(accepted, axis=1)))


def _candidates(matrix: SimilarityMatrix, second_look: JudgedCollection) -> tuple[Ints, Ints]:
    """Pairs a < b of one language with three terms in either direction."""
    languages = second_look.key_terms.counts.languages
    pairs = linking.LinkedPairs(matrix.counts)
    found = [np.zeros((2, 0), dtype=np.int64)]
    for block in pairs.blocks:
        a, b, forward, backward = pairs.of(block)
        kept = (np.maximum(forward, backward) >= CANDIDATE_TERMS) & (languages[a] == languages[b])
        found.append(np.stack((a[kept], b[kept])))
    a, b = np.concatenate(found, axis=1)
    return a, b


def _restricted(matrix: SimilarityMatrix, a: Ints, b: Ints) -> SimilarityMatrix:
    """Return only the links between some pairs, in both directions."""
    ends = (np.concatenate((a, b)), np.concatenate((b, a)))
    accepted = sp.coo_array((np.ones(2 * len(a), dtype=np.uint8), ends), shape=matrix.counts.shape).tocsr()
    counts = sp.csr_array(matrix.counts.multiply(accepted))
    counts.eliminate_zeros()
    counts.sort_indices()
    return SimilarityMatrix(counts, matrix.n, matrix.k_min)


_NO_K_FOR_SHARES: Final = Advice(
    reason=Phrase.of("k is recommended for the count score only; the share score has no k")
)
_ONE_LANGUAGE: Final = Advice(
    reason=Phrase.of("all documents are of one language, so there are no links between languages")
)
_SECOND_LANGUAGE: Final = 0.05
"""Share of the documents in a second language from which on translations are looked for unasked."""
_FEW_TRANSLATIONS: Final = Phrase.of(
    "fewer than 5 of 100 documents are in a second language (--representation pivot sweeps it all the same)"
)
_CLUSTERS_NOTE: Final = (
    "{representation}: large clusters of equal documents were counted as a whole; no example pairs were drawn"
)
_SHARES_NOTE: Final = (
    "{representation}: pairs of fewer than {k} common terms are left out at every threshold, as they do not fit"
    " into memory"
)
_NOT_CONFIRMED_NOTE: Final = (
    "{representation}: large clusters of equal documents were counted as a whole; which of their links the"
    " evidence confirms was not "
    "looked at"
)
_ACROSS_NOTE: Final = "pivot: evidence judges pairs of one language; the block confirmed has no links between languages"
_ACROSS_TOPICS: Final = (
    "{series}: warning: only {returned} of 100 links between languages at k = {k} are returned: they join texts on one"
    " topic, not translations"
)
_SAME_NOTE: Final = "{series} has the same links as {other} here, and is shown once"
_UNTRANSLATED_NOTE: Final = (
    "pivot: {share:.1f} % of the term weight of the documents in {language} has no equivalent in {pivot}"
)
ENGLISH_NOTE: Final = (
    "morph: {number} English documents are represented by stems, as there is no English frequency dictionary"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRow:
    """S and T of one representation at one k (or one threshold)."""

    representation: str  # a series: `stem`, `morph` or `pivot`, or one of these with a weighting (`stem:tfidf`)
    # `all`; for `pivot` with several languages also `mono` and `cross`, the links within languages and between them.
    # `cross` has no T, as no path between two languages could be closed. `confirmed` stands for the links that a second
    # look accepts
    block: str
    measures: Measures  # the numbers
    groups: GroupCounts | None = None  # groups at this k; `None` as in `group_counts`
    estimated: Mapping[str, Any] = field(default_factory=dict)  # further columns, from a `LinkEstimator`
    # closed paths of the block `cross`; 0 for two languages, `None` if they were not counted
    closed_across: int | None = None
    interval: Interval = NO_INTERVAL  # 95 % intervals of S and T over other documents of the same kind
    # `scaled` if links of documents with fewer than n key terms need fewer of them (`need(k)`), else `strict`; `None`
    # for the share score
    short: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The row of ``sweep``; column ``k``, or ``threshold`` for the share score."""
        counts = {name: None if self.groups is None else getattr(self.groups, name) for name in GroupCounts.__slots__}
        plain = {"representation": self.representation, "block": self.block, **self.measures.as_dict(), **counts}
        errors = {name: plain.pop(name) for name in ("symmetry_error", "links_error")}
        returning = {"transitivity_with_return": self.transitivity_with_return}
        bounds = {name: getattr(self.interval, name) for name in Interval._fields}
        return {**plain, **errors, **returning, **bounds, "short": self.short, **self.estimated}

    @property
    def transitivity_with_return(self) -> float | None:
        """T between languages if a path may lead back: (closed + R) / (paths + R), R the reciprocal links.

        No path i -> j -> l between two languages can be closed (between three it can), but i -> j -> i is a path that
        closes itself; there is one for each returned link. This is the reading of T that gives values of the size that
        the paper published. ``None`` within languages, without paths, and on disk for more than two languages.
        """
        found = self.measures
        if self.block != "cross" or self.closed_across is None or not found.paths + found.reciprocal:
            return None
        return (self.closed_across + found.reciprocal) / (found.paths + found.reciprocal)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SweepResult(Tabular):
    """Result of a sweep."""

    rows: list[SweepRow]  # in the order of representation, block, k
    # per representation (`pivot:cross` for its cross block), which k each way chooses, and which one is recommended
    advice: dict[str, Advice]
    configuration: dict[str, Any]  # the settings that decided the result
    missing: dict[str, str] = field(default_factory=dict)  # representations that could not be computed, with the reason
    notes: list[str] = field(default_factory=list)  # remarks for the reader of the numbers
    documents: dict[str, int] = field(default_factory=dict)  # number of documents per language
    # per representation, number of groups by group size, at the recommended k (6 if none is)
    groups: dict[str, dict[int, int]] = field(default_factory=dict)
    examples: list[Example] = field(default_factory=list)  # pairs at each k
    # per representation, the largest groups and the most-copied sources at the k of `groups`
    listed: dict[str, GroupListing] = field(default_factory=dict)
    # dates and sources of the documents; `None` if pairs and groups were not requested
    about: CollectionSummary | None = None
    # for a pivot language, share of the term weight that has no equivalent, per language of the documents
    untranslated: dict[str, float] = field(default_factory=dict)
    # per representation, description of the estimated columns; empty without an estimator
    without_labels: dict[str, Any] = field(default_factory=dict)
    # series whose rows are those of an earlier one, with its name; reports show them once
    same_as: dict[str, str] = field(default_factory=dict)
    # rows `representation, language, edit, rate, copies, k, recovered, low, high` on edited copies of the collection's
    # own texts; empty if none were requested
    planted: list[dict[str, Any]] = field(default_factory=list)
    report: ReadingReport | None = None  # what was read; `None` if no documents were read
    by: str | None = None  # kind of parts: `file`, `source`, `day`, `week` or `month`; `None` without parts
    answer: Answer | None = None  # what repeats what, as `dedup` judges it; `None` if it was not asked for
    # sweeps of the parts alone, by name; documents without a date or source are under `None`
    parts: Mapping[str | None, SweepResult] = field(default_factory=dict)

    @property
    def recommended_k(self) -> dict[str, int | None]:
        """The chosen k of each series; ``None`` if it has no k."""
        return {name: one.chosen for name, one in self.advice.items()}

    @property
    def reason(self) -> dict[str, str]:
        """One sentence for each recommendation."""
        return {name: one.reason for name, one in self.advice.items()}

    def settings(self, series: str) -> Settings:
        """The settings with which ``pairs`` and ``dedup`` use the recommended k of a series.

        Example:
            >>> dedup("march.jsonl", settings=result.settings("morph"))  # doctest: +SKIP
        """
        k = self.recommended_k.get(series)
        if k is None or series.endswith(":cross"):
            known = ", ".join(name for name, one in self.recommended_k.items() if one and not name.endswith(":cross"))
            raise UsageError(f"{series!r} has no k of its own; series with one: {known or 'none'}")
        names = {one.name for one in fields(Settings)}
        given = {name: value for name, value in self.configuration.items() if name in names}
        return Settings.of(**given, k=k).for_series(series)

    def thresholds(self) -> Thresholds:
        """The recommended k of every series, as ``sweep --write-config`` writes them."""
        weighting, chosen_by = self.configuration["weighting"], []
        ks: dict[str, int] = {}
        for name, one in self.advice.items():
            if one.chosen is not None:
                representation, *more = name.removesuffix(":cross").split(":")
                series = series_of(
                    representation, next((part for part in more if part != MIDDLE), weighting), middle=MIDDLE in more
                ) + (":cross" if name.endswith(":cross") else "")
                ks[series] = one.chosen
                chosen_by.append(f"{series}: {one.chosen_by}")
        if not ks:
            raise UsageError("nothing to write: only the count score has a k")
        return Thresholds(
            path="sweep",
            ks=ks,
            judged={"min_probability": LEAST_PROBABILITY, "join": ["copy"]},
            measured={
                **{name: self.configuration[name] for name in ("version", "n", "score", "target")},
                "documents": sum(self.documents.values()),
                "chosen_by": chosen_by,
                "complete": True,
            },
        )

    def chart(self) -> Any:
        """Draw S, T and the number of links over k for a notebook, with the recommended k; hover shows the rows.

        Returns an ``altair.Chart``. Raises ``MissingExtraError``: altair is not installed (extra ``notebook``).
        """
        try:
            alt: Any = import_module("altair")
        except ImportError:
            raise MissingExtraError("altair", "notebook", "a chart") from None

        names = ("representation", "block", "k", "documents", "links", "symmetry", "transitivity")
        rows = [{name: row.get(name) for name in names} for row in self.as_rows()]
        for row in rows:
            row["series"] = str(row["representation"]) + ("" if row["block"] == "all" else f":{row['block']}")
        chosen = [
            {"series": name, "k": one.chosen, "why": one.reason} for name, one in self.advice.items() if one.chosen
        ]
        base = alt.Chart(alt.Data(values=rows)).encode(
            x=alt.X("k:Q", title="k"), color=alt.Color("series:N", title=None), tooltip=[f"{name}:N" for name in names]
        )
        rule = alt.Chart(alt.Data(values=chosen)).mark_rule(strokeDash=[4, 4])
        rule = rule.encode(x="k:Q", color="series:N", tooltip=["series:N", "k:Q", "why:N"])
        curves = [
            (base.mark_line(point=True).encode(y=alt.Y(f"{name}:Q", title=title, scale=scale)) + rule).properties(
                width=280
            )
            for name, title, scale in (
                ("symmetry", "S(k)", alt.Scale(domain=[0, 1])),
                ("transitivity", "T(k)", alt.Scale(domain=[0, 1])),
                ("links", "links", alt.Scale(type="symlog")),
            )
        ]
        return alt.hconcat(*curves)

    def as_rows(self) -> list[dict[str, Any]]:
        """Return the rows as records; after a sweep by parts, the rows of the parts with a column ``part``."""
        if self.by is None:
            return [row.as_dict() for row in self.rows]
        return [{**row.as_dict(), "part": name} for name, part in self.parts.items() for row in part.rows]

    def duplicates(self, representation: str) -> float | None:
        """Share of the documents linked to an earlier one of their group, at the recommended k (6 if none is)."""
        k = self.decided_k(representation)
        for row in self.rows:
            if (row.representation, row.block, row.measures.k) == (representation, "all", k) and row.groups is not None:
                documents = row.measures.documents
                return round((row.groups.grouped - row.groups.groups) / documents, 6) if documents else None
        return None

    def planted_at_k(self) -> list[dict[str, Any]]:
        """Return the rows of ``planted`` at the recommended k of their representation (6 if none is)."""
        return [row for row in self.planted if row["k"] == self.decided_k(row["representation"])]

    def decided_k(self, representation: str) -> int:
        """The recommended k of a representation; the usual one if none is."""
        return self.recommended_k.get(representation) or usual_k(self.configuration["n"])

    def as_dict(self) -> dict[str, Any]:
        """Return the content of ``sweep.json``."""
        return {
            "rows": self.as_rows(),
            "recommended_k": self.recommended_k,
            "reason": self.reason,
            "advice": {name: one.as_dict() for name, one in self.advice.items()},
            "configuration": self.configuration,
            "documents": self.documents,
            "untranslated": self.untranslated,
            "missing": self.missing,
            "notes": self.notes,
            **({"without_labels": self.without_labels} if self.without_labels else {}),
            **({"same_as": self.same_as} if self.same_as else {}),
            **({"planted": self.planted} if self.planted else {}),
            **({} if self.by is None else self._parts_as_dict()),
        }

    def _parts_as_dict(self) -> dict[str, Any]:
        """The recommendations of each part, and the rows of the whole collection."""
        parts = [
            {
                "part": name,
                "documents": part.documents,
                "recommended_k": part.recommended_k,
                "reason": part.reason,
                "advice": {name: one.as_dict() for name, one in part.advice.items()},
                "duplicates": {one: part.duplicates(one) for one in part.configuration["representations"]},
            }
            for name, part in self.parts.items()
        ]
        return {"by": self.by, "parts": parts, "whole": {"rows": [row.as_dict() for row in self.rows]}}


def is_needless(result: SweepResult, series: str) -> bool:
    """Whether a series that nobody asked for is left out: ``pivot`` of documents in one language."""
    counts = sorted(result.documents.values())
    if series != "pivot" or (len(counts) > 1 and counts[-2] >= _SECOND_LANGUAGE * sum(counts)):
        return False
    result.missing[series] = _FEW_TRANSLATIONS
    return True


def sweep_collection(
    collection: Weighable,
    settings: Settings,
    representations: Sequence[str],
    *,
    ks: Sequence[int] | None = None,
    examples: bool = True,
    estimator: linking.LinkEstimator | None = None,
    second_look: JudgedCollection | None = None,
    way: str | int = "auto",
    scaled: bool | None = None,
    exact: bool = False,
    unasked: bool = False,
    progress: Progress | None = None,
) -> SweepResult:
    """Measure symmetry and transitivity of every representation at every k."""
    # unasked: nobody named the representations, so that one that would say nothing is left out; second_look: the same
    # documents with their evidence, to add the block ``confirmed``; the score must be ``count``.
    about = CollectionSummary.of(collection.documents) if examples else None
    result = SweepResult(rows=[], advice={}, configuration={}, about=about)
    result.documents.update(languages_of(collection))
    representations = [one for one in representations if not (unasked and is_needless(result, one))]
    result.configuration.update(configuration_of(settings, representations))
    for number, representation in enumerate(representations):
        if progress is not None:
            progress(f"sweep {representation}", number, len(representations))
        chosen = settings.for_series(representation)
        key_terms = collection.key_terms(chosen)
        warn_of_terms_above_df_max(key_terms, chosen)
        by_need = chosen.score == "count" and scales(key_terms.sizes, n=chosen.n, short=chosen.short, wanted=scaled)
        relation = linking.relate(key_terms, chosen, exact=exact, scaled=by_need, progress=progress)
        labels = _labels(key_terms)
        estimate = None
        if estimator is not None:
            blocks = ("all",) if labels is None else ("all", "mono", "cross")
            estimate = estimator.estimate(key_terms, relation.matrix, chosen, blocks, progress=progress)
            if number + 1 == len(representations):
                # Evidence takes as much memory as measuring does.
                estimator.forget()
        found = survey(
            graded(relation, key_terms, chosen) if by_need else relation,
            n=chosen.n if chosen.score == "count" else None,
            labels=labels,
            known=None if estimate is None else estimate.known,
            way=way,
            progress=progress,
        )
        add_survey(result, found, chosen, ks, estimate, series=representation, scaled=by_need)
        if second_look is not None:
            _add_confirmed(
                result, relation, second_look, key_terms, representation, estimate=estimate, ks=ks, progress=progress
            )
        _add_notes(result, found.matrix, key_terms, chosen, series=representation)
        add_same(result, representation)
        if examples and chosen.score == "count" and found.matrix is not None and representation not in result.same_as:
            stored = relation.matrix or found.matrix
            picked = pick_examples(collection, key_terms, stored, chosen, ks, across=found.across)
            result.examples.extend(replace(one, representation=representation) for one in picked)
            k = max(found.groups_k, found.matrix.k_min)
            leaders = group_leaders(found.matrix.counts, [k])[0]
            result.listed[representation] = list_groups(collection.documents, leaders, k)
    if progress is not None:
        progress("sweep", len(representations), len(representations))
    return result


def graded(relation: Relation, key_terms: KeyTerms, settings: Settings) -> Relation:
    """The links as ``pairs`` and ``dedup`` use them on short texts: by the largest k whose need(k) they meet."""
    if isinstance(relation, LowLinks):
        stored = cast("StoredLinks | NodeLinks", graded(relation.stored, key_terms, settings))
        return replace(relation, stored=stored)
    if isinstance(relation, NodeLinks):
        matched = relation.matched
        sizes = key_terms.sizes[matched.nodes.leaders]
        counts = count_grades(matched.counts, sizes, n=settings.n)
        inside = grades_at(sizes, matched.inside, n=settings.n)
        return replace(relation, matched=replace(matched, counts=counts, inside=inside))
    links = cast("StoredLinks", relation)
    counts = count_grades(links.matrix.counts, key_terms.sizes, n=settings.n)
    return replace(links, matrix=replace(links.matrix, counts=counts))


def _labels(key_terms: KeyTerms) -> Uint8s | None:
    """The language of each document, if terms of several languages can meet."""
    languages = key_terms.counts.languages
    return None if key_terms.pivot is None or len(np.unique(languages)) < 2 else languages


def add_survey(
    result: SweepResult,
    found: Survey,
    settings: Settings,
    ks: Sequence[int] | None,
    estimate: linking.LinkEstimate | None = None,
    *,
    series: str | None = None,
    scaled: bool = False,
) -> None:
    """Add the figures of one series' links."""
    representation = series or settings.representation
    shown = {None, *(range(1, settings.n + 1) if ks is None else ks)}
    for block, rows in found.rows.items():
        result.rows.extend(
            SweepRow(
                representation=representation,
                block=block,
                measures=row,
                groups=groups,
                estimated={} if estimate is None else estimate.at(block, row),
                closed_across=found.closed_across.get(row.k) if block == "cross" else None,
                interval=found.intervals.get(block, {}).get(row.k or 0, NO_INTERVAL),
                short=None if settings.score == "share" else "scaled" if scaled else "strict",
            )
            for row, groups in zip(rows, found.groups[block], strict=True)
            if row.k in shown
        )
        if block != "mono":
            name = representation if block == "all" else f"{representation}:{block}"
            advice = result.advice[name] = found.advice.get(block, _NO_K_FOR_SHARES)
            if advice.consistency and advice.chosen_by not in ("consistency", "default"):
                result.notes.append(Phrase.of("{representation}: {said}", representation=name, said=advice.consistency))
    _warn_of_topics(result, representation, found.rows.get("cross", []))
    if settings.representation == "pivot" and f"{representation}:cross" not in result.advice:
        result.advice[f"{representation}:cross"] = _ONE_LANGUAGE if settings.score == "count" else _NO_K_FOR_SHARES
    if estimate is not None:
        result.without_labels[representation] = dict(estimate.summary)
        result.notes.extend(estimate.notes(representation, result.advice[representation].chosen))
    if found.group_sizes is not None:
        result.groups[representation] = dict(sorted(Counter(found.group_sizes.tolist()).items()))


def _add_confirmed(
    result: SweepResult,
    relation: Relation,
    second_look: JudgedCollection,
    key_terms: KeyTerms,
    representation: str,
    *,
    estimate: linking.LinkEstimate | None,
    ks: Sequence[int] | None,
    progress: Progress | None,
) -> None:
    confirmed = confirmed_links(relation, second_look, progress=progress)
    if confirmed is None:
        result.notes.append(Phrase.of(_NOT_CONFIRMED_NOTE, representation=representation))
        return
    rows = confirmed.measures(None if ks is None else [k for k in ks if k >= confirmed.k_min])
    result.rows.extend(
        SweepRow(
            representation=representation,
            block="confirmed",
            measures=row,
            groups=groups,
            estimated={} if estimate is None else estimate.at("confirmed", row),
        )
        for row, groups in zip(rows, group_counts(confirmed, rows), strict=True)
    )
    if _labels(key_terms) is not None:
        result.notes.append(Phrase.of(_ACROSS_NOTE))


def _warn_of_topics(result: SweepResult, series: str, rows: Sequence[Measures]) -> None:
    """Say that links between languages join topics, not translations, if few of them are returned."""
    usual = usual_k(result.configuration["n"])
    for row in rows:
        if row.k == usual and join_topics(row.links, row.symmetry):
            returned = round(100 * (row.symmetry or 0.0))
            result.notes.append(Phrase.of(_ACROSS_TOPICS, series=series, k=usual, returned=returned))


def add_same(result: SweepResult, series: str) -> None:
    """Note that a series has the links of an earlier one, as ``pivot`` of documents in one language has."""
    found = {name: [row for row in result.rows if row.representation == name] for name in result.advice}
    own = [(row.block, row.measures, row.groups) for row in found[series]]
    for name, rows in found.items():
        if name == series:
            return
        if own and own == [(row.block, row.measures, row.groups) for row in rows]:
            result.same_as[series] = name
            result.notes.append(Phrase.of(_SAME_NOTE, series=series, other=name))
            return


def _add_notes(
    result: SweepResult, matrix: SimilarityMatrix | None, key_terms: KeyTerms, settings: Settings, *, series: str
) -> None:
    if settings.representation == "morph" and "en" in result.documents:
        result.notes.append(Phrase.of(ENGLISH_NOTE, number=result.documents["en"]))
    if settings.representation == "pivot":
        add_untranslated(result, untranslated_shares(key_terms, settings), settings)
    if matrix is None:
        result.notes.append(Phrase.of(_CLUSTERS_NOTE, representation=series))
    elif settings.score == "share" and matrix.k_min > 1:
        result.notes.append(Phrase.of(_SHARES_NOTE, representation=series, k=matrix.k_min))


def add_untranslated(result: SweepResult, shares: Mapping[Language, float], settings: Settings) -> None:
    """Add how much of the documents has no equivalent in the pivot language."""
    result.untranslated.update((language, round(share, 6)) for language, share in shares.items())
    for language, share in shares.items():
        if language != settings.pivot:
            result.notes.append(
                Phrase.of(_UNTRANSLATED_NOTE, share=100 * share, language=language, pivot=settings.pivot)
            )


def languages_of(collection: Weighable) -> Mapping[str, int]:
    """Number of documents in each language."""
    counts = Counter(collection.languages)
    return {language: counts[language] for language in LANGUAGES if counts[language]}


def configuration_of(settings: Settings, representations: Sequence[str]) -> dict[str, Any]:
    """The settings that decide a sweep, as ``SweepResult`` holds them."""
    plain = settings.as_dict()
    del plain["representation"], plain["k"], plain["threshold"], plain["min_terms"], plain["rule"]
    return {"version": VERSION, "representations": list(representations), **plain}


# Example pairs at each k, for an expert to judge

_EXAMPLES: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A pair whose stronger direction has exactly k terms."""

    representation: str  # `stem`, `morph` or `pivot`
    k: int  # key terms shared in the stronger direction
    a: str  # id of the earlier document
    b: str  # id of the later document
    title_a: str  # title of a, or its first words
    title_b: str  # title of b, likewise
    language_a: str  # language of a
    language_b: str  # language of b
    forward: int  # key terms of a found in b
    backward: int  # key terms of b found in a
    terms: list[str]  # the shared terms, heaviest first
    source_a: str | None = None  # source of a
    source_b: str | None = None  # source of b
    published_a: str | int | float | None = None  # date of a, as given
    published_b: str | int | float | None = None  # date of b, as given
    url_a: str | None = None  # address of a
    url_b: str | None = None  # address of b
    out_of: int = 0  # number of pairs at this k from which the examples were drawn
    # in a pivot language, the words that became the terms, heaviest first; otherwise `None`
    met: list[Meeting] | None = None


def pick_examples(
    collection: Weighable,
    key_terms: KeyTerms,
    matrix: SimilarityMatrix,
    settings: Settings,
    ks: Sequence[int] | None = None,
    *,
    across: SimilarityMatrix | None = None,
) -> list[Example]:
    """Up to ten pairs at each k, spread evenly over the collection."""
    found: list[Example] = []
    source = across if across is not None and across.counts.nnz else matrix
    chosen, tallies = spread_pairs(linking.LinkedPairs(source.counts), settings.n)
    for k in range(matrix.k_min, settings.n + 1) if ks is None else ks:
        a, b = chosen.get(k, np.zeros((2, 0), dtype=np.int64))
        pairs = linking.pair_table(key_terms, a, b)
        for pair in range(len(pairs)):
            i, j = int(pairs.a[pair]), int(pairs.b[pair])
            terms, met = linking.what_met(pairs, pair, key_terms)
            first, second = collection.documents[i], collection.documents[j]
            found.append(
                Example(
                    representation=settings.representation,
                    k=k,
                    a=first.id,
                    b=second.id,
                    title_a=first.title or heading(first),
                    title_b=second.title or heading(second),
                    language_a=collection.languages[i],
                    language_b=collection.languages[j],
                    forward=int(pairs.forward[pair]),
                    backward=int(pairs.backward[pair]),
                    terms=terms,
                    source_a=first.source,
                    source_b=second.source,
                    published_a=first.published,
                    published_b=second.published,
                    url_a=first.url,
                    url_b=second.url,
                    out_of=int(tallies[k]),
                    met=met,
                )
            )
    return found


def spread_pairs(pairs: linking.LinkedPairs, n: int) -> tuple[dict[int, Ints], Ints]:
    """Up to ten pairs at each count of the stronger direction, evenly spread."""
    tallies = np.zeros((len(pairs.blocks) + 1, n + 1), dtype=np.int64)
    for number, block in enumerate(pairs.blocks, start=1):
        _, _, forward, backward = pairs.of(block)
        tallies[number] = np.bincount(np.maximum(forward, backward), minlength=n + 1)
    before = np.cumsum(tallies, axis=0)
    # Up to ten positions, evenly spread.
    ends = ((k, int(before[-1, k])) for k in range(1, n + 1))
    places = {k: np.unique(np.linspace(0, end - 1, min(end, _EXAMPLES)).astype(np.int64)) for k, end in ends}
    found: dict[int, list[Ints]] = {}
    for number, block in enumerate(pairs.blocks):
        here = {k: _within(places[k], *before[number : number + 2, k]) for k in places}
        if any(len(wanted) for wanted in here.values()):
            a, b, forward, backward = pairs.of(block)
            for k, wanted in here.items():
                at = np.flatnonzero(np.maximum(forward, backward) == k)[wanted]
                found.setdefault(k, []).append(np.stack((a[at], b[at])))
    return {k: np.concatenate(parts, axis=1) for k, parts in found.items()}, before[-1]


def _within(places: Ints, first: int, last: int) -> Ints:
    """Return the positions from ``first`` to ``last`` - 1, relative to ``first``."""
    return places[(places >= first) & (places < last)] - first


PROBABILITIES: Final = tuple(round(0.05 * step, 2) for step in range(1, 20))
_DEFAULT: Final = 0.5
_DECIMALS: Final = 6  # of a probability, as ``pairs`` lists it
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
    # Whether enough key terms of a are in b, and of b in a, as the field ``relation`` says.
    settings, sizes = judged.settings, judged.key_terms.sizes
    counts = linking.link(judged.key_terms, settings, k_min=CANDIDATE_TERMS).matrix.counts
    least = need(settings.k, sizes[a], sizes[b], n=settings.n, short=settings.short)
    found = [np.asarray(counts[ends]).ravel() if len(a) else np.zeros(0) for ends in ((a, b), (b, a))]
    forward, backward = found[0] >= least, found[1] >= least
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
        result.rows.append(_row("judged", threshold, row, both / one_way if one_way else None, grouped))
    for row, threshold in zip(rows, PROBABILITIES, strict=True):
        nearest = min(range(len(mutual)), key=lambda place: (abs(mutual[place].links - row.links), place))
        result.rows.append(_row("mutual", threshold, mutual[nearest], None, groups[nearest], mutual[nearest].k))
    middle = rows[PROBABILITIES.index(_DEFAULT)].transitivity
    if middle is not None:
        note = _TOPICS_NOTE if middle < _TOPICAL else _TEXTS_NOTE
        result.notes.append(Phrase.of(note, closed=round(100 * middle)))
    return result


def _row(
    block: str, threshold: float, row: Measures, symmetry: float | None, group: GroupCounts | None, k: int | None = None
) -> SweepRow:
    measures, estimated = replace(row, k=None, threshold=threshold, symmetry=symmetry), {"k_of_mutual": k}
    return SweepRow(representation="morph", block=block, measures=measures, groups=group, estimated=estimated)


def _judged(judged: JudgedCollection, progress: Progress | None) -> tuple[Ints, Ints, Floats]:
    """All candidates with their probabilities, as ``pairs`` with a minimum probability of 0 has them."""

    def parts() -> Iterator[tuple[Any, ...]]:
        yield np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        for one in judged.judged(*judged.candidates(), filtered=False, progress=progress):
            yield one.a, one.b, np.round(one.probability, _DECIMALS)

    a, b, probability = (np.concatenate(column) for column in zip(*parts(), strict=True))
    return a, b, probability


def _relation(judged: JudgedCollection, a: Ints, b: Ints, grades: NDArray[np.integer[Any]], steps: int) -> StoredLinks:
    """A symmetric relation in which a pair is linked up to its grade."""
    kept, documents = grades > 0, len(judged.facts.texts)
    ends = (np.concatenate((a[kept], b[kept])), np.concatenate((b[kept], a[kept])))
    values = np.concatenate((grades[kept], grades[kept])).astype(np.uint8)
    counts = sp.csr_array(sp.coo_array((values, ends), shape=(documents, documents)))
    counts.sort_indices()
    terms = judged.key_terms
    return StoredLinks(matrix=SimilarityMatrix(counts, steps, 1), keys=terms.keys, targets=terms.targets)


def _mutual(judged: JudgedCollection) -> StoredLinks:
    """Links inside languages that are returned, at each k."""
    linked = linking.link(judged.key_terms, judged.settings, k_min=CANDIDATE_TERMS)
    counts = sp.coo_array(linked.matrix.counts.minimum(linked.matrix.counts.T))
    a, b = counts.row.astype(np.int64), counts.col.astype(np.int64)
    languages = judged.key_terms.counts.languages
    kept = (a < b) & (languages[a] == languages[b])
    return _relation(judged, a[kept], b[kept], counts.data[kept].astype(np.int64), judged.settings.n)
