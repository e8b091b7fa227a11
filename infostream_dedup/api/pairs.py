"""``pairs``: list the pairs of documents that belong together, by evidence or by key terms."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Unpack

from infostream_dedup.api import sources
from infostream_dedup.api.keyword_types import PairKeywords
from infostream_dedup.api.keywords import chosen, parted
from infostream_dedup.api.sweep import with_advised_k
from infostream_dedup.documents import Reading, ReadingReport, check_quarantine
from infostream_dedup.documents.reading import chosen_reading
from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.model import Document, fields_of
from infostream_dedup.model.limits import OneOf, Range, names_in, own_number
from infostream_dedup.model.settings import Settings, Within, preset_of
from infostream_dedup.model.tabular import column_of

if TYPE_CHECKING:
    from infostream_dedup.links.measures import Advice
    from infostream_dedup.machine.arrays import Ints
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.runs.batch.pairing import Between, PairChoice, PairOrder, PairRow
    from infostream_dedup.runs.batch.stored_collection import EpochStatistics


class PairListing(sources.Listing["PairRow"]):
    """Pairs in the order of (a, b), computed as they are read.

    Attributes:
        columns: column names of ``PairRow.as_dict``.
        report: what was read.
        settings: settings that decided key terms and relations.
        semantic: whether the sentence encoder was used.
        k_min: as requested.
        advice: with ``k="auto"``, what the sweep advised.
        left_out: pairs of kinds that are not listed, counted once the rows are read.
        documents: where they are in memory, the documents without their texts.
    """

    def __init__(
        self,
        rows: Iterable[PairRow],
        columns: tuple[str, ...],
        report: ReadingReport,
        settings: Settings,
        *,
        semantic: bool = False,
        k_min: int | None = None,
        advice: Advice | None = None,
    ) -> None:
        super().__init__(rows, columns, report)
        self.settings = settings
        self.semantic = semantic
        self.k_min = k_min
        self.advice = advice
        self.left_out: Mapping[str, int] = {}
        self.documents: Sequence[Document] = ()

    def to_arrow(self) -> Any:
        """Return the pairs as a ``pyarrow.Table``: what they are first, and the titles of the documents.

        Pairs from a work folder and by wording have no titles.
        """
        place = {id: number for number, id in enumerate(fields_of(self.documents).ids)}  # noqa: A001 - its own word
        told, title = super().to_arrow(), cache(lambda id: self.documents[place[id]].title or None)  # noqa: A006
        for side in "ba" if place else "":
            titles = column_of(f"title_{side}", [*map(title, told[side].to_pylist())])
            told = told.add_column(told.column_names.index("b") + 1, f"title_{side}", titles)
        first = [name for name in ("kind", "probability") if name in told.column_names]
        return told.select([*first, *(name for name in told.column_names if name not in first)])

    def __getstate__(self) -> dict[str, Any]:
        # Documents of a block are made by functions, which no other process can have.
        return {**super().__getstate__(), "documents": list(self.documents)}

    def __repr__(self) -> str:
        # Somebody who looks at pairs wants to know what there is: they are computed, unless they were passed on.
        if isinstance(self._rest, sources.UsedUp):
            return super().__repr__()
        judged = "kind" in self.columns
        kinds = Counter(row["kind" if judged else "relation"] or "linked" for row in self.as_dicts())
        counts = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common())
        by = "preset judged" if judged else f"key terms, k = {self.k_min or self.settings.k}"
        total = f"{len(self):,} pair{'s' * (len(self) != 1)}"
        return f"<PairListing: {total} ({counts or 'none'}) of {self.report.used:,} documents, by {by}>"

    def rethreshold(self, k: int | None = None, *, min_probability: float | None = None) -> PairListing:
        """Return the pairs that a stricter k or a higher probability would have listed; nothing is recomputed.

        Args:
            k: new number of key terms required: not below the ``k`` of these settings, or the ``k_min`` requested.
                ``relation`` is updated to it.
            min_probability: with preset ``judged``, minimum probability, 0 to 1; translations, which have no
                probability, are kept.

        Returns:
            A new listing; the rows of this one are kept and can be read again.

        Raises:
            UsageError: these rows do not suffice: k is too low, preset ``faithful`` got no k, or ``judged`` got one.

        Example:
            >>> found = pairs("march.parquet", k_min=4)  # doctest: +SKIP
            >>> [len(found.rethreshold(k).rows) for k in (4, 6, 8)]  # doctest: +SKIP
        """
        from infostream_dedup.runs.batch.pairing import stricter_rows

        judged = "probability" in self.columns
        if (k is None) == (min_probability is None) or judged == (min_probability is None):
            asked = "min_probability" if judged else "k"
            raise UsageError(f"these pairs were listed by {asked}; give rethreshold a new {asked}")
        least = self.settings.k if self.k_min is None else self.k_min
        if k is not None and (self.settings.score != "count" or not least <= k <= self.settings.n):
            raise UsageError(
                f"these rows hold the pairs of k = {least} to {self.settings.n} of score count, not of {k}; for others"
                " call pairs(..., k_min=1) once"
            )
        rows = list(stricter_rows(self.rows, self.settings, k=k, min_probability=min_probability))
        found = PairListing(rows, self.columns, self.report, self.settings, semantic=self.semantic, k_min=k)
        found.documents = self.documents
        return found


def files_of(report: ReadingReport) -> Ints:
    """Return the number of each document's file: int64 (documents,)."""
    import numpy as np

    return np.repeat(np.arange(len(report.used_by_source)), list(report.used_by_source.values()))


def _parts(ids: Callable[[], Sequence[str]], report: ReadingReport, reading: Reading, *, between_files: bool) -> Any:
    """Return the number of each document's file, or of each section's document, of which two make a pair; or None."""
    if between_files or not reading.sections:
        return files_of(report) if between_files else None
    import numpy as np

    return np.unique([re.sub("#[0-9]+-[0-9]+$", "", one) for one in ids()], return_inverse=True)[1]


JUDGED: Final = "judged"  # name of the preset

FIXED: Final = ("k", "n", "score", "threshold", "min_terms", "rule", "target")
"""Settings that decide about pairs in other presets; the pair model was trained with fixed values."""


def chosen_for_judging(
    function: Callable[..., Any],
    known: type,
    given: Mapping[str, Any],
    *,
    settings: Settings | None,
    reading: Reading | None,
    representations: Sequence[str] = (),
) -> tuple[Settings, Reading]:
    """Like ``chosen`` for preset ``judged``, which refuses settings that it fixes."""
    if settings is not None:
        raise ConfigurationError("settings and preset are both given; leave out settings")
    rest = {name: value for name, value in given.items() if name != "preset"}
    for name in FIXED:
        if rest.get(name) is not None:
            told = f"preset judged decides by evidence and does not accept {_with_flag(name)}; leave out one of the two"
            raise UsageError(told)
    if rest.get("representation") not in (None, "morph"):
        raise UsageError("preset judged compares documents of one language by representation morph; leave out "
                         "representation (--representation) or preset")  # fmt: skip
    return chosen(function, known, rest, settings=None, reading=reading, representations=representations)


def refuse_without_judged(given: Mapping[str, Any], options: Mapping[str, Any], own: Iterable[str]) -> None:
    """Refuse options that only preset ``judged`` supports; ``own``: names of ``options`` that choose ``faithful``."""
    left = [name for name in (*own, "representation", "statistics") if options.get(name) not in (None, "morph")]
    for name, value in given.items():
        if value is not None and value is not False:
            needed = "needs preset judged (--preset judged)"
            if left and options.get("preset") is None:
                needed = f"needs preset judged, but {_with_flag(left[0])} chooses preset faithful; leave one out"
            raise UsageError(f"{_with_flag(name)} {needed}")


def _with_flag(name: str) -> str:
    return f"{name} (--{name.replace('_', '-')})"


MEANT_IN_MEMORY: Final = "sentences are encoded (--semantic) in memory; leave out workdir (--workdir)"
_TRANSLATED_IN_MEMORY: Final = (
    "translations are found in memory; exclude them with between none (--between none), use preset faithful, or leave "
    "out workdir (--workdir)"
)


def judged_pairs(
    source: Any,
    agreed: tuple[Settings, Reading],
    choice: PairChoice,
    place: sources.WorkPlace,
    *,
    between_files: bool,
    semantic: bool,
    lines: sources.LeftOutLines,
    progress: Progress | None,
) -> PairListing:
    """Return the result of ``pairs`` with preset ``judged``; keywords as there."""
    import numpy as np

    from infostream_dedup.judging.evidence.collecting import EvidenceReader
    from infostream_dedup.runs.batch.judging import JudgedCollection
    from infostream_dedup.runs.batch.pairing import JUDGED_COLUMNS, PAIR_COLUMNS, judged_pair_rows

    settings, reading = agreed
    check_quarantine(reading.quarantine, [lines.listed])
    refusal = MEANT_IN_MEMORY if semantic else sources.refuse_on_disk(settings)
    if place.workdir is None and choice.between != "none":
        # Languages are known only after all documents are read, so a collection that may have translations stays in
        # memory.
        refusal = _TRANSLATED_IN_MEMORY
    stack, met = ExitStack(), False
    documents: Sequence[Document] = ()
    run = stack.enter_context(
        sources.disk_run(
            source,
            reading,
            settings,
            [settings.representation],
            place=place,
            lines=lines,
            refusal=refusal,
            hashes=True,
            evidence=True,
            progress=progress,
        )
    )
    if run is not None:
        from infostream_dedup.runs.sharded.deduplication import JudgedRun, judged_pairs_on_disk

        linked = JudgedRun(run, run.counted(), settings, place.window_days)
        if choice.between != "none" and len(np.unique(linked.languages)) > 1:
            stack.close()
            raise UsageError(_TRANSLATED_IN_MEMORY)
        report = ReadingReport(**linked.report)
        parts = files_of(report) if between_files else None
        rows = _held(stack, judged_pairs_on_disk(linked, choice, parts=parts))
    else:
        evidence = EvidenceReader(semantic=semantic)
        collection, report = sources.read_collection(source, reading, lines=lines, evidence=evidence, progress=progress)
        documents, met = collection.documents, len(set(collection.languages)) > 1
        rows = judged_pair_rows(
            JudgedCollection.of(collection, evidence.finish(collection.languages), settings),
            choice,
            parts=_parts(lambda: fields_of(documents).ids, report, reading, between_files=between_files),
            progress=progress,
        )
    terms = ("terms", *(("met",) if met else ())) if choice.terms else ()
    columns = (*PAIR_COLUMNS, *terms, *JUDGED_COLUMNS, *(("reasons",) if choice.explain else ()))
    listing = PairListing(rows, columns, report, settings, semantic=semantic)
    listing.left_out, listing.documents = choice.left_out, documents
    return listing


def _held(held: ExitStack, rows: Iterable[PairRow]) -> Iterator[PairRow]:
    """Yield the pairs of a work folder, which stays locked until the last one is read."""
    with held:
        yield from rows


def topics_note(links: int, returned: int, k: int) -> str | None:
    """Say that links between languages join topics, not translations, if few of them are returned."""
    from infostream_dedup.links.measures import join_topics

    if not links or not join_topics(links, returned / links):
        return None
    share = round(100 * returned / links)
    return (
        f"warning: only {share} of 100 links between languages at k = {k} are returned: they join texts on one topic, "
        "not translations"
    )


_STATISTICS_ON_DISK = (
    "statistics of a stream can only be used in memory; leave out workdir (--workdir) or statistics (--statistics)"
)


def pairs(
    source: Any,
    *,
    k_min: int | None = None,
    terms: bool = True,
    cross_language: bool = False,
    between_files: bool = False,
    statistics: str | None = None,
    min_probability: float | None = None,
    explain: bool = False,
    sort: PairOrder | None = None,
    top: int | None = None,
    between: Between | None = None,
    one_to_one: bool = False,
    kinds: Sequence[str] | str | None = None,
    by: Literal["key-terms", "wording"] = "key-terms",
    identical: float | None = None,
    semantic: bool = False,
    boilerplate: str | Path | None = None,
    keep_repeated_lines: bool = False,
    workdir: str | Path | None = None,
    within: Within = "all",
    within_days: float | None = None,
    memory: str | int | None = None,
    settings: Settings | None = None,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[PairKeywords],
) -> PairListing:
    """Find the pairs of documents that belong together by the evidence, or that are linked in at least one direction.

    With preset ``judged``, the default, key terms only find candidate pairs: in one direction three of twelve must
    match, with three tenths of their weight, or the texts must be equal. Evidence beyond key terms (wording, numbers,
    names, opening, length) gives each pair of one language a probability and a kind. Pairs of two languages whose key
    terms match in the pivot language are listed as translations, without a probability. Preset ``faithful`` follows
    the paper; it is the default if an option is given that ``judged`` does not support: ``k``, ``k_min``, ``n``,
    ``score``, ``threshold``, ``min_terms``, ``target``, ``representation`` other than ``morph``, ``statistics`` or
    ``settings``.

    Args:
        source: the documents (see ``read_documents``).
        k_min: return all pairs with max(forward, backward) >= k_min, 1 to n, instead of those with a relation at ``k``.
        terms: include the matching terms.
        cross_language: only pairs of two languages.
        between_files: only pairs of two files.
        statistics: ``STORE:EPOCH``: weight terms by the document frequencies that a stream had before this epoch, with
            the stream's settings as defaults.
        min_probability: with preset ``judged``, minimum probability of a pair, 0 to 1 (default .5, or 0 with
            ``k_min``); 0 returns all candidates, even those whose key terms differ too much for a close look.
        explain: with preset ``judged``, include the reasons: how much each piece of evidence adds to the logit.
        sort: ``id`` (the default) or ``strength``: with preset ``judged``, the most probable pairs first; otherwise by
            the smaller share of the pair, then by the larger one, both descending.
        top: number of pairs to list, the strongest first; with preset ``judged`` translations come after all others.
        between: with preset ``judged``, rule for translations: ``nothing-better`` (the default) takes pairs that share
            .4 of the weight of their 30 heaviest key terms in both directions, if neither document has a clearly better
            partner in the other's language and their numbers and lengths agree; ``plain`` requires only the shares;
            ``none`` lists no translations.
        one_to_one: with preset ``judged``, list at most one translation of each document into each other language, for
            sources that translate a text once.
        kinds: with preset ``judged``, the kinds to list, or ``all``. By default those whose documents have a text or an
            event in common: all but ``related`` and ``template``, which ``left_out`` counts; all with ``k_min`` or
            ``min_probability``.
        by: ``wording`` lists the pairs with common wording, of any languages, without key terms: the smallest hashes of
            their word triples find them, and their common triples are counted. Kinds are ``copy``, ``contained``,
            ``contains`` and ``overlapping``; retellings and translations are not found. No settings and no work folder
            are accepted.
        identical: the share of the smaller document's word triples that the other must have, .2 to 1 (by wording .3 by
            default): with preset ``judged``, pairs of any kind but ``differs`` and ``template``, and no translations.
        semantic: with preset ``judged``, ask a sentence encoder about doubtful pairs (probability .1 to .9): the same
            story in other words. Needs the extra ``semantic``; the last bits of its numbers differ between processors.
        boilerplate: file of sentences to leave out (from ``boilerplate``).
        keep_repeated_lines: also compare lines that many documents repeat, such as footers (see ``dedup``).
        workdir: work on disk, in this folder (see ``sweep``); not with ``statistics``, ``semantic`` or
            translations: with preset ``judged``, documents of several languages need ``between="none"``.
        memory: with ``workdir``, how much memory to use (see ``sweep``).
        within: with preset ``judged``, pairs of one ``source``, of different ``outlets``, or ``all``.
        within_days: pair only documents that were published at most this many days apart, or have no date; where key
            terms decide, only with ``workdir``.
        settings: all settings of key terms at once.
        reading: all reading options at once.
        progress: called with each step.
        options: single settings and reading options by name, instead of ``settings`` and ``reading``. ``k="auto"``
            takes the k that ``sweep`` advises for these documents, which are read twice, and keeps it in ``advice``.

    Returns:
        ``PairRow`` in the order of (a, b), with ``report``, ``settings`` and ``columns``; with preset ``judged``
        ``JudgedPairRow``, and in ``left_out`` the pairs of kinds that are not listed, counted by kind once the rows are
        read. All documents have been read when the call returns; the rows are computed as they are read,
        and kept if they are converted (``to_pandas``) or accessed as ``rows``. ``rethreshold`` filters them by a
        stricter threshold.

    Raises:
        ConfigurationError: an option is out of range or given twice, or does not fit the stream's statistics.
        BadDataError, NoInputError: see ``read_documents``.
        TypeError: an option is unknown.

    Example:
        >>> from infostream_dedup import pairs
        >>> text = "Президент Зеленський відкрив у Харкові новий завод разом із мером Тереховим."
        >>> found = pairs([{"id": "1", "text": text}, {"id": "2", "text": text}], representation="stem")
        >>> [(row.a, row.b, row.relation) for row in found]
        [('1', '2', 'equal')]
    """
    from infostream_dedup.judging.evidence.policies import Policy
    from infostream_dedup.runs.batch.pairing import PAIR_COLUMNS, PairChoice, ordered_rows, pair_rows
    from infostream_dedup.runs.batch.stored_collection import WeighedCollection

    order = PairChoice(sort=sort or "id", top=top)
    OneOf("key-terms", "wording").check("by", by)
    judging = {
        "min_probability": min_probability,
        "explain": explain,
        "between": between,
        "one_to_one": one_to_one,
        "kinds": kinds,
        "semantic": semantic,
        "within": None if within == "all" else within,
        "within_days": within_days,
    }
    if by == "wording":
        places = {"statistics": statistics, "workdir": workdir, "memory": memory, "settings": settings}
        given = {"k_min": k_min, "cross_language": cross_language, **judging, **places}
        return _by_wording(
            source,
            _reading_by_wording(options, given, reading),
            order=order,
            identical=identical,
            between_files=between_files,
            lines=sources.LeftOutLines(boilerplate, keep_repeated_lines),
            progress=progress,
        )
    place = sources.WorkPlace(workdir, memory, own_number(within_days) if workdir is not None else None)
    plainly = settings is not None and options.get("preset") is None
    options, advice = with_advised_k(
        source, options, boilerplate=boilerplate, reading=reading, progress=progress, **place._asdict()
    )
    preset = preset_of({**options, "k_min": k_min}, (*FIXED, "k_min"))
    if statistics is None and preset == JUDGED and not plainly:
        return judged_pairs(
            source,
            chosen_for_judging(
                pairs, PairKeywords, options, settings=settings, reading=reading, representations=("morph", "pivot")
            ),
            replace(
                order,
                k_min=k_min,
                min_probability=min_probability,
                terms=terms,
                explain=explain,
                cross_language=cross_language,
                between=between or "nothing-better",
                one_to_one=one_to_one,
                kinds=_kinds_to_list(kinds, every=k_min is not None or min_probability is not None),
                policy=Policy.of(identical=identical, within=within, within_days=within_days),
            ),
            place,
            between_files=between_files,
            semantic=semantic,
            lines=sources.LeftOutLines(boilerplate, keep_repeated_lines),
            progress=progress,
        )
    refuse_without_judged(
        judging | {"identical": identical, "within_days": None if workdir is not None else within_days},
        {**options, "k_min": k_min, "statistics": statistics},
        (*FIXED, "k_min"),
    )
    agreed, read, counted = _agreed(statistics, options, settings, reading)
    check_quarantine(read.quarantine, [boilerplate, None if statistics is None else statistics.rpartition(":")[0]])
    # Preset faithful compares whole texts, as the papers do.
    lines = sources.LeftOutLines(boilerplate, keep_repeated=True)
    if k_min is not None and k_min < 1:
        raise UsageError(f"k_min is {k_min}, but a pair shares at least one term; k_min is 1 to n")
    if k_min is not None and k_min > agreed.n:
        raise UsageError(f"no pair can have {k_min} of {agreed.n} terms; k_min is 1 to n")
    stack = ExitStack()
    refusal = _STATISTICS_ON_DISK if statistics is not None else sources.refuse_on_disk(agreed, pairs=True)
    documents: Sequence[Document] = ()
    run = stack.enter_context(
        sources.disk_run(
            source, read, agreed, [agreed.representation], place=place, lines=lines, refusal=refusal, progress=progress
        )
    )
    if run is not None:
        from infostream_dedup.runs.sharded.pairing import pairs_on_disk

        linked = run.linked(agreed.representation, window_days=place.window_days)
        report = ReadingReport(**linked.report)
        parts = files_of(report) if between_files else None
        rows = _held(stack, pairs_on_disk(linked, k_min=k_min, terms=terms, cross_language=cross_language, parts=parts))
    else:
        collection, report = sources.read_collection(source, read, lines=lines, progress=progress)
        documents = collection.documents
        rows = pair_rows(
            collection.only(agreed) if counted is None else WeighedCollection(collection, counted),
            agreed,
            k_min=k_min,
            terms=terms,
            cross_language=cross_language,
            parts=_parts(lambda: fields_of(documents).ids, report, read, between_files=between_files),
            progress=progress,
        )
    rows = ordered_rows(rows, strongest_first=order.sort == "strength", top=order.top)
    met = ("met",) if agreed.representation == "pivot" else ()
    columns = (*PAIR_COLUMNS, *(("terms", *met) if terms else ()))
    listing = PairListing(rows, columns, report, agreed, k_min=k_min, advice=advice)
    listing.documents = documents
    return listing


def _reading_by_wording(options: Any, given: dict[str, Any], reading: Reading | None) -> Reading:
    """Refuse what pairs by wording do not have, and return the reading options."""
    single, reads = parted(pairs, PairKeywords, options)
    refused = [name for name, value in {**given, **single}.items() if value is not None and value is not False]
    if refused:
        flags = ", ".join(f"{name} (--{name.replace('_', '-')})" for name in refused)
        raise UsageError(f"by wording compares word triples, and does not accept {flags}")
    return chosen_reading(reading, reads)


def _by_wording(
    source: Any,
    reading: Reading,
    *,
    order: PairChoice,
    identical: float | None,
    between_files: bool,
    lines: sources.LeftOutLines,
    progress: Progress | None,
) -> PairListing:
    """Return the result of ``pairs`` with ``by`` ``wording``; keywords as there."""
    from infostream_dedup.runs.batch.pairing import (
        LEAST_IDENTICAL,
        LEAST_SKETCHED,
        WORDING_COLUMNS,
        common_wording,
        read_wording,
    )

    least = LEAST_IDENTICAL if identical is None else Range(LEAST_SKETCHED, 1.0).check("identical", identical)
    report = ReadingReport()
    check_quarantine(reading.quarantine, [lines.listed])
    ids, triples = read_wording(sources.documents_to_collect(source, reading, report, lines=lines), progress=progress)
    found = common_wording(triples, identical=least, progress=progress)
    if (parts := _parts(lambda: ids, report, reading, between_files=between_files)) is not None:
        found = found.at(parts[found.a] != parts[found.b])
    found = found.ordered(strongest_first=order.sort == "strength", top=order.top)
    rows: Any = found.rows(ids)
    return PairListing(rows, WORDING_COLUMNS, report, Settings())


def _kinds_to_list(kinds: Sequence[str] | str | None, *, every: bool) -> tuple[str, ...]:
    from infostream_dedup.judging.evidence.kinds import KIND_NAMES, LISTED_KINDS

    if kinds is None:
        return KIND_NAMES if every else LISTED_KINDS
    return KIND_NAMES if "all" in names_in(kinds) else names_in(kinds)


def _agreed(
    statistics: str | None, options: Any, settings: Settings | None, reading: Reading | None
) -> tuple[Settings, Reading, EpochStatistics | None]:
    """Return settings, reading options and, if requested, the statistics of a stream."""
    if statistics is None:
        return *chosen(pairs, PairKeywords, options, settings=settings, reading=reading), None
    from infostream_dedup.runs.batch.stored_collection import epoch_statistics

    single, reads = parted(pairs, PairKeywords, options)
    if settings is not None or single.pop("preset", None) is not None:
        raise UsageError("statistics uses the settings of the stream; leave out preset (--preset) and settings")
    counted = epoch_statistics(statistics)
    return counted.settings(single), chosen_reading(reading, reads), counted
