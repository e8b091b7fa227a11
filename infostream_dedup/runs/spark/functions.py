"""``sweep``, ``pairs`` and ``dedup`` over a DataFrame."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from infostream_dedup.errors import MissingExtraError, UsageError
from infostream_dedup.links import survey
from infostream_dedup.links.pair_rules import scales
from infostream_dedup.model import LANGUAGES, Settings, names_in
from infostream_dedup.runs.batch.sweeping import SweepResult, add_survey, configuration_of
from infostream_dedup.runs.sharded.deduplication import Statuses, StatusRules
from infostream_dedup.runs.spark.flow import (
    SpreadLinks,
    judged_documents,
    large_rows,
    listed_pairs,
    use_own_interpreter,
)
from infostream_dedup.runs.spark.job import SparkCut, SparkRun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import DataFrame

    from infostream_dedup.runs.batch.deduplication import DuplicateRule


_CUT: Final = SparkCut()
_STATUS: Final = ("status", "of", "group")
_NO_K: Final = "{}: links below k = {} were not counted, as there are too many"
_NO_COPIES: Final = "copies are not counted on Spark, so S and T choose k: infostream_dedup.sweep counts them"


def sweep(
    frame: DataFrame,
    *,
    representations: Sequence[str] | str = ("stem", "morph"),
    ks: Sequence[int] | None = None,
    order: Sequence[str] | None = None,
    cut: SparkCut = _CUT,
    **settings: Any,
) -> SweepResult:
    """Measure S and T at every k over a DataFrame; the numbers are those of ``infostream_dedup.sweep``.

    Args:
        frame: documents with the columns ``id`` and ``text``, and ``title``, ``lang``, ``published`` if there are any.
            Ids must be distinct.
        representations: ``stem``, ``morph``.
        ks: the k to show, 1..n by default.
        order: columns that put the documents in order; the last one must differ for all of them. ``published`` and
            ``id`` by default.
        cut: how the collection is cut over tasks; no result depends on it.
        settings: fields of ``Settings`` by name.

    Returns:
        As ``infostream_dedup.sweep`` without estimates and example pairs: copies are not counted here, and k
        is chosen by S and T.

    Raises:
        MissingExtraError: pyspark is not installed, or is older than 4.1.
        UsageError: a setting is not for Spark.
        ConfigurationError: a setting is out of range.
        BadDataError: an id occurs in several partitions; other bad rows fail in a task of Spark, with Spark's error.
    """
    representations = names_in(representations)
    chosen = _settings(settings, representations)
    configuration = configuration_of(chosen, representations)
    result = SweepResult(rows=[], advice={}, configuration=configuration)
    result.notes.append(_NO_COPIES)
    for representation in representations:
        with _run(frame, chosen.but(representation=representation), order, cut) as run:
            totals = zip(LANGUAGES, run.vocabulary.totals, strict=True)
            result.documents.update((language, one.documents) for language, one in totals if one.documents)
            sizes = run.nodes.sizes[run.nodes.node_of]
            wanted = True if settings.get("short") == "scaled" else None
            by_need = scales(sizes, n=chosen.n, short=chosen.short, wanted=wanted)
            relation = SpreadLinks(run, scaled=by_need)
            add_survey(result, survey(relation, n=chosen.n), run.settings, ks, scaled=by_need)
            relation.links.dropped()
            if relation.k_min > 1:
                result.notes.append(_NO_K.format(representation, relation.k_min))
    return result


def pairs(
    frame: DataFrame,
    *,
    k_min: int | None = None,
    order: Sequence[str] | None = None,
    cut: SparkCut = _CUT,
    **settings: Any,
) -> DataFrame:
    """Pairs of documents that are linked at ``k`` in at least one direction, as a DataFrame in no particular order.

    It is persisted; ``unpersist()`` frees it.

    Args:
        frame: as in ``sweep``.
        k_min: all pairs with max(forward, backward) >= k_min instead of those with a relation at ``k``.
        order: as in ``sweep``; decides which document of a pair is ``a``, the earlier one.
        cut: as in ``sweep``.
        settings: fields of ``Settings`` by name; representation ``morph`` by default.

    Returns:
        Columns ``a, b, forward, backward, n_a, n_b, relation``, with the values that ``infostream_dedup.pairs`` gives.
        The count of the weaker direction is null if it is below ``k`` (for short documents: below ``need(k)``) or
        ``k_min``: links of fewer terms are not kept.

    Raises:
        MissingExtraError, UsageError, ConfigurationError, BadDataError: as in ``sweep``.
    """
    chosen = _settings(settings, ())
    with _run(frame, chosen, order, cut) as run:
        found = listed_pairs(run, k_min).persist()
        # The data kept on the executors is freed with this run, so the pairs must be computed first.
        found.count()
        return found


def dedup(
    frame: DataFrame,
    *,
    duplicate_rule: DuplicateRule = "equal",
    order: Sequence[str] | None = None,
    cut: SparkCut = _CUT,
    **settings: Any,
) -> DataFrame:
    """Status and group of every document, as a DataFrame in no particular order.

    Args:
        frame: as in ``sweep``.
        duplicate_rule: as in ``infostream_dedup.dedup``.
        order: as in ``sweep``; decides which document is the earlier one.
        cut: as in ``sweep``.
        settings: fields of ``Settings`` by name; representation ``morph`` by default.

    Returns:
        Columns ``id, status, of, group``, with the values that ``dedup --annotate`` adds. The collection without its
        duplicates is ``frame`` joined with the rows whose ``id`` equals their ``group``.

    Raises:
        MissingExtraError, UsageError, ConfigurationError, BadDataError: as in ``sweep``.
    """
    chosen = _settings(settings, ())
    with _run(frame, chosen, order, cut, hashes=True) as run:
        rules, found = StatusRules(run.nodes, chosen, duplicate_rule), Statuses(run.nodes)
        found.add(*judged_documents(run, rules))
        statuses = found.finish(run.documents())
        rows = list(statuses.statuses())
        columns = {name: pa.array([getattr(row, name) for row in rows], pa.string()) for name in _STATUS}
        return run.spark.createDataFrame(pa.table({"id": statuses.ids.cast(pa.string()), **columns}))


def _settings(given: dict[str, Any], representations: Sequence[str]) -> Settings:
    chosen = Settings.of(**given)
    if "pivot" in (*representations, chosen.representation):
        raise UsageError("representation pivot does not run on Spark; use infostream_dedup.sweep")
    if chosen.score != "count":
        raise UsageError("the share score does not run on Spark; use score='count'")
    return chosen


@contextmanager
def _run(
    frame: DataFrame, settings: Settings, order: Sequence[str] | None, cut: SparkCut, *, hashes: bool = False
) -> Iterator[SparkRun]:
    _check_pyspark()
    default = ("published", "id") if "published" in frame.columns else ("id",)
    missing = [name for name in ("id", "text", *(order or ())) if name not in frame.columns]
    if missing:
        raise UsageError(f"the DataFrame has no column {missing[0]}; it has {', '.join(frame.columns)}")
    use_own_interpreter(frame.sparkSession)
    with large_rows(frame.sparkSession):
        run = SparkRun(frame, settings, order=order or default, cut=cut, hashes=hashes)
        try:
            yield run
        finally:
            run.dropped()


def _check_pyspark() -> None:
    try:
        version = import_module("pyspark").__version__
    except ImportError as error:
        raise MissingExtraError("pyspark", "spark", "a run on Spark") from error
    if tuple(map(int, version.split(".")[:2])) < (4, 1):
        raise MissingExtraError(f"pyspark >= 4.1 (not {version})", "spark", "a run on Spark")
