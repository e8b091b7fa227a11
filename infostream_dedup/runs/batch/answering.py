"""What a report says beside S and T: what repeats what, parts of a collection, and T of pairs accepted by evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.links.measures import Advice, Measures
from infostream_dedup.links.pair_rules import need
from infostream_dedup.links.relation import GroupCounts, StoredLinks, group_counts
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.machine.progress import Phrase, Progress
from infostream_dedup.model import fields_of, moment_of
from infostream_dedup.model.settings import CANDIDATE_TERMS
from infostream_dedup.runs.batch.judging import JudgedCollection
from infostream_dedup.runs.batch.linking import link
from infostream_dedup.runs.batch.sweeping import SweepResult, SweepRow, configuration_of, known_days

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime, tzinfo

    from infostream_dedup.model import Document
    from infostream_dedup.runs.batch.deduplication import FoundJudgedStatuses, JudgedStatus

REPEATS: Final = ("exact", "duplicate")
_SHOWN: Final = 3
_MOST: Final = 6


@dataclass(frozen=True, slots=True)
class Repeated:
    """A document and the earlier one that it repeats."""

    kind: str
    earlier: Document
    later: Document


@dataclass(frozen=True, slots=True)
class RepeatedGroup:
    """One of the largest groups of copies."""

    size: int
    sources: int
    first: Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Counts mean what they mean in ``dedup`` with preset ``judged``."""

    documents: int
    statuses: dict[str, int]
    kinds: dict[str, int]  # documents of status `similar` by what they are to the earlier one, most first
    groups: int  # of two or more documents
    repeats: int  # documents of status `exact` or `duplicate`
    sources: list[tuple[str, str, int]] = field(default_factory=list)  # who repeats whom, how often; most first
    days: list[tuple[str, int, int]] = field(default_factory=list)  # day, its documents, those that repeat one
    examples: list[Repeated] = field(default_factory=list)
    largest: list[RepeatedGroup] = field(default_factory=list)


def answer_of(documents: Sequence[Document], found: FoundJudgedStatuses) -> Answer:
    """Sum up the statuses of a collection's documents; only those shown are looked at as a whole."""
    fields, statuses, of = fields_of(documents), list(found), found.of.tolist()
    again = [(number, of[number]) for number, one in enumerate(statuses) if one.status in REPEATS and one.of]
    groups = [part.tolist() for part in found.members()]
    named = Counter(
        (fields.sources[later] or "", fields.sources[earlier] or "")
        for later, earlier in again
        if fields.sources[later] and fields.sources[earlier]
    )
    times = [
        None if time is None else moment_of(time).date().isoformat() for time in known_days(documents, fields.times)
    ]
    by_day, repeated = Counter(day for day in times if day), Counter(times[later] for later, _ in again)
    large = sorted(groups, key=lambda one: (-len(one), one[0]))[:_SHOWN]
    return Answer(
        documents=len(statuses),
        statuses=dict(Counter(one.status for one in statuses)),
        kinds=dict(Counter(one.kind or "" for one in statuses if one.status == "similar").most_common()),
        groups=len(groups),
        repeats=len(again),
        sources=[(*pair, number) for pair, number in sorted(named.items(), key=lambda one: (-one[1], one[0]))[:_MOST]],
        days=[(day, number, repeated[day]) for day, number in sorted(by_day.items())],
        examples=_examples(documents, statuses, of, fields.sources),
        largest=[
            RepeatedGroup(len(own), len({fields.sources[one] for one in own} - {None}), documents[own[0]])
            for own in large
        ],
    )


def _examples(
    documents: Sequence[Document], statuses: Sequence[JudgedStatus], of: Sequence[int], sources: Sequence[str | None]
) -> list[Repeated]:
    """A copy of another source, a template and an update, or other copies where there are none of these."""
    found: list[tuple[int, int]] = []
    for wanted in ("copy", "template", "updated", "retold", "copy", "copy"):
        pairs = (
            (number, of[number])
            for number, one in enumerate(statuses)
            if one.of and one.kind == wanted and not any(of[number] in pair for pair in found)
        )
        between = (pair for pair in islice(pairs, 5000) if wanted != "copy" or sources[pair[0]] != sources[pair[1]])
        found += [pair for pair in [next(between, None)] if pair is not None]
        if len(found) == _SHOWN:
            break
    return [Repeated(statuses[later].kind or "", documents[earlier], documents[later]) for later, earlier in found]


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
    counts = link(judged.key_terms, settings, k_min=CANDIDATE_TERMS).matrix.counts
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
    block: str,
    threshold: float,
    row: Measures,
    symmetry: float | None,
    groups: GroupCounts | None,
    k: int | None = None,
) -> SweepRow:
    measures, estimated = replace(row, k=None, threshold=threshold, symmetry=symmetry), {"k_of_mutual": k}
    return SweepRow(representation="morph", block=block, measures=measures, groups=groups, estimated=estimated)


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


Parting = Literal["file", "source", "day", "week", "month"]
PARTINGS: Final[tuple[str, ...]] = get_args(Parting)


def part_into(
    documents: Iterable[Document], by: Parting, *, files: Mapping[str, int], zone: tzinfo
) -> dict[str | None, list[Document]]:
    """Divide a collection.

    >>> from infostream_dedup.model import Document
    >>> from datetime import UTC
    >>> both = [Document(id=i, text="", source=s) for i, s in (("1", "b"), ("2", None), ("3", "b"))]
    >>> {name: len(part) for name, part in part_into(both, "source", files={}, zone=UTC).items()}
    {'b': 2, None: 1}
    """
    if by == "file":
        places = iter(documents)
        named = zip(short_names(list(files)), files.values(), strict=True)
        return {name: [next(places) for _ in range(number)] for name, number in named}
    parts: dict[str | None, list[Document]] = {}
    for document in documents:
        name = document.source or None if by == "source" else _stretch(document.time, by, zone)
        parts.setdefault(name, []).append(document)
    sizes = Counter({name: len(part) for name, part in parts.items()} if by == "source" else {})
    return dict(sorted(parts.items(), key=lambda part: (part[0] is None, -sizes[part[0]], part[0] or "")))


def _stretch(time: datetime | None, by: Parting, zone: tzinfo) -> str | None:
    if time is None:
        return None
    try:
        there = time.astimezone(zone)
    except OverflowError:  # the first or the last day of the calendar, which begins a year earlier or later there
        there = time
    if by == "week":
        year, week, _ = there.isocalendar()
        return f"{year}-W{week:02}"
    day = there.date().isoformat()
    return day if by == "day" else day[:7]


def short_names(paths: Sequence[str]) -> list[str]:
    """Shorten file names to as few of their folders as are needed to distinguish them.

    >>> short_names(["/data/may/ru.csv", "/data/june/ru.csv", "/data/june/uk.csv"])
    ['may/ru.csv', 'june/ru.csv', 'uk.csv']
    """
    steps = [PurePath(path).parts or (path,) for path in paths]
    longest = max(map(len, steps), default=1)
    names = []
    for own in steps:
        lengths = range(1, longest + 1)
        alone = (length for length in lengths if sum(one[-length:] == own[-length:] for one in steps) == 1)
        names.append("/".join(own[-next(alone, longest) :]))
    return names
