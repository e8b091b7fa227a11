"""``sweep`` and ``demo``: symmetry and transitivity at every k."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, Unpack, cast

from infostream_dedup.api import sources
from infostream_dedup.api.keyword_types import RepresentedKeywords, SweepKeywords
from infostream_dedup.api.keywords import KEYWORDS, chosen, parted
from infostream_dedup.documents import Reading, ReadingReport, check_quarantine
from infostream_dedup.documents.dates import time_zone, utc_time
from infostream_dedup.documents.reading import chosen_reading
from infostream_dedup.errors import UsageError
from infostream_dedup.model import Document, DocumentBlock, Settings, names_in, single_documents
from infostream_dedup.model.limits import own_number
from infostream_dedup.model.settings import REPRESENTATIONS, SERIES, base_of

if TYPE_CHECKING:
    from infostream_dedup.judging.evidence.collecting import DocumentEvidence, EvidenceReader
    from infostream_dedup.judging.evidence.facts import DocumentFacts
    from infostream_dedup.judging.evidence.pair_evidence import TripleRanges
    from infostream_dedup.lab.census import CopyCensus
    from infostream_dedup.links.measures import Advice
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.runs.batch.answering import Answer, Parting
    from infostream_dedup.runs.batch.collection import Collection
    from infostream_dedup.runs.batch.judging import JudgedCollection
    from infostream_dedup.runs.batch.linking import LinkEstimator
    from infostream_dedup.runs.batch.stored_collection import StoredCollection
    from infostream_dedup.runs.batch.sweeping import SweepResult


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySweep:
    """The settings of a sweep in memory; fields as the arguments of ``sweep``."""

    settings: Settings
    representations: Sequence[str]
    unasked: bool
    ks: Sequence[int] | None
    examples: bool
    estimate: bool
    confirmed: bool
    planted: bool
    exact: bool
    way: str | int
    scaled: bool | None
    boilerplate: str | Path | None
    progress: Progress | None

    def of(self, read: Callable[..., Iterable[Document | DocumentBlock]]) -> SweepResult:
        """Sweep over documents, in input order. Links are those of preset faithful, which compares whole texts."""
        from infostream_dedup.judging.evidence.collecting import EvidenceReader
        from infostream_dedup.judging.evidence.pair_evidence import TripleRanges
        from infostream_dedup.lab.sweep_estimator import SweepEstimator
        from infostream_dedup.runs.batch.collection import CollectionReader, collect
        from infostream_dedup.runs.batch.sweeping import sweep_collection

        # Whole triples take 8 bytes for each word, and the second look needs them.
        ranges = TripleRanges() if self.estimate and not self._looks_again else None
        reader = EvidenceReader(ranges=ranges) if self.confirmed or self.estimate else None
        # The second look is at what dedup and pairs compare: without the lines that many documents repeat.
        headed = self.examples
        shorter = CollectionReader(hashes=True, headed=headed, evidence=reader) if self._looks_again else None
        take = shorter.take if shorter else reader.take if reader else None
        documents = read(lines=sources.LeftOutLines(self.boilerplate, keep_repeated=True, take=take))
        single = [document for one in documents for document in single_documents(one)] if self.planted else []
        given = single if self.planted else documents
        collection = collect(given, hashes=False, headed=headed, progress=self.progress)
        second_look, census = None, None
        if reader is not None:
            second_look, census = self._compared(collection, reader, ranges, shorter.finish() if shorter else None)
        if second_look is None and len(self.representations) == 1:
            collection = collection.only(self.settings.for_series(self.representations[0]))
        estimator = None if census is None else SweepEstimator(collection, census)
        # The estimator drops the census when it is done.
        del census
        found = sweep_collection(
            collection,
            self.settings,
            self.representations,
            ks=self.ks,
            examples=self.examples,
            estimator=estimator,
            second_look=second_look if self.confirmed else None,
            way=self.way,
            scaled=self.scaled,
            exact=self.exact,
            unasked=self.unasked,
            progress=self.progress,
        )
        if self.planted:
            from infostream_dedup.lab.sweep_estimator import PlantedCollection

            planted = PlantedCollection.of(single, collection.languages, progress=self.progress)
            for one in found.configuration["representations"]:
                rows = planted.recovered(self.settings.for_series(one), self.ks)
                found.planted.extend(row | {"representation": one} for row in rows)
        return found if second_look is None or not self.examples else replace(found, answer=_answer(second_look))

    @property
    def _looks_again(self) -> bool:
        """Whether pairs are judged: for the block ``confirmed``, and for the first page of a report."""
        return self.confirmed or (self.examples and self.estimate)

    def _compared(
        self, collection: Collection, reader: EvidenceReader, ranges: TripleRanges | None, judged: Collection | None
    ) -> tuple[JudgedCollection | None, CopyCensus | None]:
        """The evidence for a second look, and the census of copies, as requested."""
        evidence = reader.finish((judged or collection).languages)
        second_look = None
        if judged is not None:
            from infostream_dedup.runs.batch.judging import JudgedCollection

            second_look = JudgedCollection.of(judged, evidence, Settings())
        if not self.estimate:
            return second_look, None
        from infostream_dedup.lab.census import CopyCensus

        census = CopyCensus(collection.documents, evidence, ranges=ranges)
        # Now, because word triples take more room than anything that follows.
        census.copies(self.progress)
        return second_look, census


def _answer(judged: JudgedCollection) -> Answer:
    from infostream_dedup.runs.batch.answering import answer_of
    from infostream_dedup.runs.batch.deduplication import judged_statuses

    return answer_of(judged.collection.documents, judged_statuses(judged))


_CONFIRMED_IN_MEMORY: Final = "confirmed links (--confirmed) are measured in memory; leave out workdir (--workdir)"
_PARTS_IN_MEMORY: Final = "parts (--by) are swept in memory; leave out workdir (--workdir)"
_PLANTED_IN_MEMORY: Final = "copies are planted (--planted) in memory; leave out workdir (--workdir)"


def sweep(
    source: Any,
    *,
    representations: Sequence[str] | str | None = None,
    series: str | None = None,
    ks: Sequence[int] | int | None = None,
    examples: bool = True,
    by: Parting | None = None,
    estimate: bool | None = None,
    confirmed: bool = False,
    planted: bool = False,
    choose_by: str | int = "auto",
    exact: bool = False,
    boilerplate: str | Path | None = None,
    workdir: str | Path | None = None,
    memory: str | int | None = None,
    window_days: float | None = None,
    settings: Settings | None = None,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[SweepKeywords],
) -> SweepResult:
    """Measure the symmetry S and transitivity T of the links at every k, and recommend a k.

    Args:
        source: the documents (see ``read_documents``).
        representations: ``stem``, ``morph``, ``pivot``, each perhaps with a weighting (``stem:tfidf``) and with terms
            of middle frequency only (``stem:tfidf:middle``: found in 1.8 % of the documents); every available one by
            default, ``pivot`` only where 5 of 100 documents are in a second language.
        series: a named set of them: ``paper`` (``stem:tfidf``, ``morph:bm25``, ``pivot``: the paper's standard way, its
            new way, and its links between languages) or ``middle``.
        ks: show only these k, 1 to n.
        examples: also pick example pairs at each k, list groups, and look at dates and sources.
        by: also sweep each file, source, day, week or month alone, with its own statistics, as ``parts`` of the result.
            Days begin at midnight in the time zone ``tz``. All texts are then kept in memory. Not with ``workdir``.
        estimate: estimate without labels how good the links are: copies are counted, other duplicates estimated, k is
            recommended from these figures. On by default, except on disk, where the evidence of all documents must also
            fit into ``memory``: about 3 KB for each document plus twice its text.
        confirmed: also measure, as block ``confirmed``, the links between pairs that the evidence of preset ``judged``
            accepts: pairs of one language with three shared terms in either direction and a probability of at least .5.
        planted: also plant edited copies of the collection's own texts (sentences cut or inserted, word forms and
            numbers changed, at 10, 30 and 50 %), at most 1,500 per language, and count how many are linked to their
            originals at every k. The documents are processed a second time, together with the copies, and all texts are
            kept in memory.
        choose_by: what chooses the recommended k. ``auto``: the estimate or the pair model, unless S and T speak
            against it, else the count where there are 50 copies, else S and T, else half of ``n``. ``estimate``,
            ``count`` or ``consistency`` (S and T): this alone. A number: this k.
        exact: count the links at k = 1 to 3 in all documents; by default those of a large collection are estimated from
            20,000 documents, with standard errors (``symmetry_error``, ``links_error``). With ``workdir`` they are
            always counted.
        boilerplate: file of sentences to leave out (from ``boilerplate``).
        workdir: work on disk, in this folder, with one part of the collection in memory at a time; the numbers are the
            same. An interrupted run continues from its last complete stage. Without it, a collection of files that
            would not fit into memory gets a private folder.
        memory: with ``workdir``, how much memory to use, such as ``8GB``; by default, half of what is available.
        window_days: with ``workdir``, link only documents that were published at most this many days apart.
        settings: all settings at once. Its ``representation``, ``k``, ``threshold``, ``min_terms`` and ``rule`` have
            no meaning here.
        reading: all reading options at once.
        progress: called with each step.
        options: single settings and reading options by name, instead of ``settings`` and ``reading``.
            ``score="probability"`` sweeps the minimum probability of preset ``judged`` from .05 to .95: T and groups of
            the accepted pairs, S by their ``relation``, and as block ``mutual`` T of as many returned links.

    Returns:
        ``rows``, ``advice``, ``recommended_k``, ``reason``, ``planted``, and the reading report as ``report``.

    Raises:
        ConfigurationError: an option is out of range or given twice, or an input has an unknown format.
        BadDataError, NoInputError: see ``read_documents``.

    Example:
        >>> from infostream_dedup import sweep
        >>> result = sweep([{"id": "1", "text": "Снег идёт в Киеве"}], representations=["stem"])
        >>> result.rows[0].measures.links, result.report.used
        (0, 1)
    """
    from infostream_dedup.lab.sweep_estimator import DiskEstimator
    from infostream_dedup.links.measures import checked_way
    from infostream_dedup.runs.batch.answering import PARTINGS, part_into

    if options.get("score") == "probability":
        alone = {
            "representations": representations,
            "series": series,
            "ks (--k)": ks,
            "by": by,
            "confirmed": confirmed,
            "planted": planted,
            "workdir": workdir,
            "window_days": window_days,
            **{name: options.get(name) for name in KEYWORDS["RepresentedKeywords"].names() - {"score"}},
        }
        return _sweep_probabilities(source, alone, options, settings, reading, boilerplate, progress)
    wanted, unasked = _wanted(representations, series), not (representations or series)
    bases = tuple(dict.fromkeys(map(base_of, wanted)))
    agreed, read = chosen(sweep, SweepKeywords, options, settings=settings, reading=reading, representations=bases)
    for one in wanted:
        agreed.for_series(one)
    if unasked and agreed.representation != Settings().representation:
        raise UsageError(
            f"the settings have representation {agreed.representation!r}, but a sweep takes several: give "
            f"representations=[{agreed.representation!r}]"
        )
    check_quarantine(read.quarantine, [boilerplate])
    shown, way = _checked_ks(ks, agreed), checked_way(choose_by, agreed.n)
    refusal, scaled = sources.refuse_on_disk(agreed), True if options.get("short") == "scaled" else None
    if by is not None and by not in PARTINGS:
        raise UsageError(f"a collection cannot be divided by {by!r}; by (--by) is one of {', '.join(PARTINGS)}")
    for asked, why in ((by, _PARTS_IN_MEMORY), (confirmed, _CONFIRMED_IN_MEMORY), (planted, _PLANTED_IN_MEMORY)):
        refusal = why if asked else refusal
    estimator = DiskEstimator()
    lines = sources.LeftOutLines(boilerplate, keep_repeated=True, take=estimator.take if estimate else None)
    place = sources.WorkPlace(workdir, memory, own_number(window_days))
    with sources.disk_run(
        source, read, agreed, bases, place=place, lines=lines, refusal=refusal, progress=progress
    ) as run:
        if run is not None:
            from infostream_dedup.runs.sharded.sweeping import sweep_on_disk

            return sweep_on_disk(
                estimator.watching(run) if estimate else run,
                series=wanted,
                ks=shown,
                examples=examples,
                window_days=place.window_days,
                estimate=estimator.estimate if estimate else None,
                way=way,
                scaled=scaled,
                unasked=unasked,
            )
    for name, asked in (("confirmed", confirmed), ("planted", planted)):
        if asked and agreed.score == "share":
            raise UsageError(f"{name} (--{name}) needs the count score, whose pairs have a k")
    job = MemorySweep(
        settings=agreed,
        representations=wanted,
        unasked=unasked,
        ks=shown,
        examples=examples,
        estimate=estimate is not False,
        confirmed=confirmed,
        planted=planted,
        exact=exact,
        way=way,
        scaled=scaled,
        boilerplate=boilerplate,
        progress=progress,
    )
    report = ReadingReport()
    whole = partial(sources.documents_to_collect, source, read, report)
    if by is None:
        return replace(job.of(whole), report=report)
    documents = whole(lines=sources.LeftOutLines(boilerplate, keep_repeated=True))
    kept = [document for one in documents for document in single_documents(one)]
    found = part_into(kept, by, files=report.used_by_source, zone=time_zone(read.tz))
    whole = partial(sources.documents_to_collect, reading=Reading(), report=ReadingReport())
    apart = replace(job, examples=False, planted=False)
    parts = {name: apart.of(partial(whole, part)) for name, part in found.items()}
    return replace(job.of(partial(whole, kept)), report=report, by=by, parts=parts)


def _sweep_probabilities(
    source: Any,
    alone: Mapping[str, Any],
    options: Mapping[str, Any],
    settings: Settings | None,
    reading: Reading | None,
    boilerplate: str | Path | None,
    progress: Progress | None,
) -> SweepResult:
    """Sweep the minimum probability of preset ``judged``; ``alone`` are options that it has no use for."""
    from infostream_dedup.judging.evidence.collecting import EvidenceReader
    from infostream_dedup.runs.batch.judging import JudgedCollection
    from infostream_dedup.runs.batch.sweeping import languages_of, sweep_probabilities

    idle = [name for name, value in {**alone, "settings": settings}.items() if value not in (None, False, ())]
    if idle:
        raise UsageError(f"score probability sweeps preset judged, which has no use for {idle[0]}; leave it out")
    reads = {name: one for name, one in options.items() if name in KEYWORDS["ReadingOptions"].names()}
    read = chosen_reading(reading, reads)
    check_quarantine(read.quarantine, [boilerplate])
    evidence = EvidenceReader()
    lines = sources.LeftOutLines(boilerplate)
    collection, report = sources.read_collection(source, read, lines=lines, evidence=evidence, progress=progress)
    judged = JudgedCollection.of(collection, evidence.finish(collection.languages), Settings())
    result = sweep_probabilities(judged, progress=progress)
    result.documents.update(languages_of(collection))
    return replace(result, report=report)


def _wanted(representations: Sequence[str] | str | None, series: str | None) -> tuple[str, ...]:
    """The series to sweep."""
    named = names_in(representations or ())
    if series is not None:
        if series not in SERIES:
            raise UsageError(f"series (--series) is {series!r}; expected one of {', '.join(SERIES)}")
        named = (*named, *SERIES[series])
    return tuple(dict.fromkeys(named)) or REPRESENTATIONS


Options = TypeVar("Options", bound=Mapping[str, Any])


def with_advised_k(source: Any, options: Options, **more: Any) -> tuple[Options, Advice | None]:
    """Replace ``k="auto"`` by the k that a sweep over the same documents advises, which is returned too."""
    if options.get("k") != "auto" or options.get("preset") == "judged":
        return options, None
    if str(source) == "-" or isinstance(source, Iterator):
        raise UsageError("k (--k) is auto, which reads the documents twice; give files, or a list")
    known = KEYWORDS["SweepKeywords"].names()
    given = {name: value for name, value in options.items() if name in known}
    series = str(options.get("representation") or Settings().representation)
    advice = sweep(source, representations=[series], examples=False, **more, **given).advice[series]
    if advice.chosen is None:
        raise UsageError(f"k (--k) is auto: {advice.reason}")
    return cast("Options", {**options, "k": advice.chosen}), advice


def sweep_store(
    path: str | Path,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    ks: Sequence[int] | int | None = None,
    examples: bool = True,
    estimate: bool | None = None,
    choose_by: str | int = "auto",
    exact: bool = False,
    progress: Progress | None = None,
    **settings: Unpack[RepresentedKeywords],
) -> SweepResult:
    """Sweep over the documents that a stream has ingested, without their texts.

    Documents keep the key terms chosen when they arrived, by the document frequencies of their epoch. The numbers
    therefore differ from a sweep over the same documents, which has its own statistics. Copies are counted and
    duplicates estimated if the stream has preset ``judged``, which keeps the evidence.

    Args:
        path: the store.
        since: first moment by the stream's clock, with a time zone; from the beginning by default.
        until: the first moment not included; to the end by default.
        ks: show only these k, 1 to n.
        examples: also pick example pairs at each k.
        estimate: count copies and estimate duplicates, as in ``sweep``; by default if the store keeps the evidence.
        choose_by, exact: as in ``sweep``.
        progress: called with each step.
        settings: single settings by name; those of the store by default. ``n`` and ``target`` may be smaller.

    Returns:
        As ``sweep``; ``notes`` begins with a remark on the part of the stream that was swept.

    Raises:
        ConfigurationError: the store cannot provide what is requested.
        UsageError: ``estimate`` is true, and no evidence is kept of these documents.
        NoInputError: there is no store.
        BadDataError: the file is not a store.
    """
    from infostream_dedup.links.measures import checked_way
    from infostream_dedup.runs.batch.stored_collection import stored_collection
    from infostream_dedup.runs.batch.sweeping import sweep_collection

    given, _ = parted(sweep_store, RepresentedKeywords, settings)
    collection = stored_collection(path, since=since, until=until, evidence=estimate is not False)
    if estimate and collection.evidence is None:
        raise UsageError(
            "estimate (--estimate): the store keeps no evidence of these documents, which only preset judged collects; "
            "leave it out, or sweep the documents themselves"
        )
    agreed = collection.settings(given)
    result = sweep_collection(
        collection,
        agreed,
        [agreed.representation],
        ks=_checked_ks(ks, agreed),
        examples=examples,
        estimator=None if collection.evidence is None else _estimator_of(collection, *collection.evidence),
        way=checked_way(choose_by, agreed.n),
        exact=exact,
        progress=progress,
    )
    result.notes[:0] = collection.notes
    return result


_TOPICS_NOTE: Final = (
    "S between languages tells texts from topics: here, where texts are translated, it is {text4:.2f}, {text6:.2f},"
    " {text8:.2f} at k = 4, 6, 8; in topics.jsonl, news on two topics, nothing translated, it falls: {topic4:.2f},"
    " {topic6:.2f}, {topic8:.2f}"
)


def demo(out: str | Path | None = None, *, progress: Progress | None = None) -> SweepResult:
    """Sweep over the bundled sample: news items in Russian, Ukrainian and English.

    The last note compares S between languages with that of the sample's news on two topics, none a translation.

    Args:
        out: folder to write the report to; none is written by default.
        progress: called with each step.

    Returns:
        As ``sweep``.

    Raises:
        CannotCreateError, CannotWriteError: the report cannot be written.
    """
    from infostream_dedup.machine.progress import Phrase
    from infostream_dedup.sample import documents_path, topics_path

    if out is not None:
        from infostream_dedup.report import check_report_folder

        check_report_folder(out)
    result = sweep(str(documents_path()), progress=progress)
    if "pivot" not in result.missing:
        topical = sweep(str(topics_path()), representations=["pivot"], estimate=False, examples=False)
        values = {
            f"{name}{row.measures.k}": row.measures.symmetry
            for name, found in (("text", result), ("topic", topical))
            for row in found.rows
            if row.block == "cross" and row.measures.k in (4, 6, 8)
        }
        result.notes.append(Phrase.of(_TOPICS_NOTE, **values))
    if out is not None:
        from infostream_dedup.report.files import write_report

        write_report(result, out)
    return result


def moment(date: str | None, tz: str | None = None) -> datetime | None:
    """Convert a date as users write it into a moment for ``sweep_store``.

    Args:
        date: ISO 8601, such as ``2026-11-21`` or ``2026-11-21T10:05Z``.
        tz: IANA name of the time zone of a date without one; UTC by default.

    Returns:
        The moment in UTC; None for None.

    Raises:
        ConfigurationError: there is no such time zone.
        ValueError: this is not a date.
    """
    return utc_time(date, time_zone(tz))


def _estimator_of(collection: StoredCollection, evidence: DocumentEvidence, facts: DocumentFacts) -> LinkEstimator:
    from infostream_dedup.lab.census import CopyCensus
    from infostream_dedup.lab.sweep_estimator import SweepEstimator

    return SweepEstimator(collection, CopyCensus(collection.documents, evidence, facts))


def _checked_ks(ks: Any, settings: Settings) -> list[int] | None:
    """Return the k to show; None for all of them."""
    if ks is None:
        return None
    if settings.score == "share":
        raise UsageError("the share score has thresholds and no k; leave out ks (--k)")
    found: list[int] = []
    for k in ks if isinstance(ks, Iterable) and not isinstance(ks, str) else [ks]:
        try:
            found.append(operator.index(k))
        except TypeError:
            raise UsageError(f"{k!r} is not a number of key terms; ks (--k) is 1 to n") from None
    if min(found, default=1) < 1:
        raise UsageError(f"{min(found)} is not a number of key terms; ks (--k) is 1 to n")
    if max(found, default=0) > settings.n:
        raise UsageError(f"{max(found)} is more than the {settings.n} key terms; ks (--k) is 1 to n")
    return found
