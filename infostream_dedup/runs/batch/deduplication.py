"""Status and group of every document of a collection."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from infostream_dedup.errors import UsageError
from infostream_dedup.judging.evidence import judging
from infostream_dedup.judging.evidence.kinds import KIND_NAMES, Kind, seen_from_later
from infostream_dedup.judging.evidence.policies import EVERY_PAIR, Policy
from infostream_dedup.links.compiled.earlier import EarlierDocuments, accept
from infostream_dedup.machine.platform import collector_paused
from infostream_dedup.model import Settings, fields_of
from infostream_dedup.model.document import outlet_of
from infostream_dedup.model.settings import SHOWN_DECIMALS
from infostream_dedup.runs.batch import linking
from infostream_dedup.stream.stories import stories_of
from infostream_dedup.terms.key_terms import INSUFFICIENT_TERMS, KeyTerms, warn_of_terms_above_df_max

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from infostream_dedup.judging.evidence.differing import WordDifference
    from infostream_dedup.judging.evidence.judging import JudgedCandidates
    from infostream_dedup.machine.arrays import Bools, Floats, Int8s, Ints, Uint8s
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Document
    from infostream_dedup.runs.batch.collection import Collection
    from infostream_dedup.runs.batch.judging import JudgedCollection


if TYPE_CHECKING:
    _Joined = tuple[Ints, Ints]

K_SIMILAR: Final = 4  # terms that must match in either direction for ``similar``

STATUSES: Final = ("new", "exact", "insufficient_text", "duplicate", "similar")

STATUS_COLUMNS: Final = ("status", "of", "group")  # what ``dedup --annotate`` adds to a document

Show = Literal["first", "latest", "longest", "complete", "rank"]
"""Which document of a group is shown: the earliest in the input, the last by date, the longest, the one that says most,
or that of the source which others copy most."""

DuplicateRule = Literal["equal", "contained"]


@dataclass(frozen=True, slots=True)
class Status:
    """The relation of a document to the earlier ones of its collection."""

    status: str  # `new`, `exact`, `duplicate`, `similar` or `insufficient_text`
    of: str | None  # id of the earlier document that it repeats or resembles most; `None` if there is none
    group: str  # id of the earliest document of its group; its own id if it is alone

    def as_dict(self) -> dict[str, Any]:
        """The three columns that ``dedup --annotate`` adds."""
        return {name: getattr(self, name) for name in STATUS_COLUMNS}


def best_places(a: Ints, b: Ints, forward: Ints, backward: Ints) -> Ints:
    """Where the best pair of each later document b is: by (min, max, earliest)."""
    order = np.lexsort((a, -np.maximum(forward, backward), -np.minimum(forward, backward), b))
    return order[np.unique(b[order], return_index=True)[1]]


_NAMED: Final = 10_000  # documents whose ids are looked up together


@dataclass(frozen=True, slots=True)
class FoundStatuses:
    """Statuses of all documents."""

    status: Uint8s  # uint8 (documents,), index into `STATUSES`
    # int64 (documents,), the earlier document that each repeats or resembles most; -1 if there is none
    of: Ints
    group: Ints  # int64 (documents,), the earliest document of its group
    ids: Callable[[Ints], list[str]]  # ids of documents, given their ordinals
    lengths: Ints  # int64 (documents,), characters of the body

    def __len__(self) -> int:
        return len(self.status)

    def __iter__(self) -> Iterator[Status]:
        """The status of every document, in input order."""
        for begin in range(0, len(self), _NAMED):
            rows = slice(begin, min(begin + _NAMED, len(self)))
            of = self.ids(np.maximum(self.of[rows], 0))
            groups = self.ids(self.group[rows])
            known = (self.of[rows] != -1).tolist()
            for status, one, there, group in zip(self.status[rows].tolist(), of, known, groups, strict=True):
                yield Status(STATUSES[status], one if there else None, group)

    def kept(self, ranks: Ints | None = None) -> list[bool]:
        """Whether each document is shown: of each group the one of the highest rank, the first of equals."""
        order = np.arange(len(self)) if ranks is None else np.lexsort((np.arange(len(self)), -ranks))
        kept = np.zeros(len(self), dtype=np.bool_)
        kept[order[np.unique(self.group[order], return_index=True)[1]]] = True
        return kept.tolist()

    def counts(self) -> dict[str, int]:
        """Documents of each status."""
        return dict(zip(STATUSES, np.bincount(self.status, minlength=len(STATUSES)).tolist(), strict=True))

    def groups(self) -> int:
        """Groups of at least two documents."""
        return int((np.unique(self.group, return_counts=True)[1] > 1).sum())

    def members(self) -> Iterator[Ints]:
        """The documents of each group of at least two, in input order."""
        order = np.argsort(self.group, kind="stable")
        begins = np.flatnonzero(np.diff(self.group[order]))
        return (part for part in np.split(order, begins + 1) if len(part) > 1)


@dataclass(slots=True)
class _Best:
    """The best earlier document found so far for each document, by (min, max, earliest)."""

    of: Ints
    low: Ints
    high: Ints

    @classmethod
    def none(cls, documents: int) -> _Best:
        return cls(*(np.full(documents, -1, dtype=np.int64) for _ in range(3)))

    def offer(self, pairs: linking.PairTable) -> None:
        """Replace the best documents by better ones from pairs in the order of (a, b)."""
        low, high = np.minimum(pairs.forward, pairs.backward), np.maximum(pairs.forward, pairs.backward)
        top = best_places(pairs.a, pairs.b, pairs.forward, pairs.backward)
        later = pairs.b[top]
        better = (low[top] > self.low[later]) | ((low[top] == self.low[later]) & (high[top] > self.high[later]))
        later, top = later[better], top[better]
        self.of[later], self.low[later], self.high[later] = pairs.a[top], low[top], high[top]


def statuses(collection: Collection, settings: Settings, *, duplicate_rule: DuplicateRule = "equal") -> FoundStatuses:
    """Status of every document.

    ``exact``: equal to an earlier document (``equality_hash``). ``duplicate``: the relation to an earlier document is
    ``equal`` at ``settings.k`` (or by share); rule ``contained``, the paper's own, also accepts ``contained``, and
    ``settings.rule`` ``either`` accepts any relation. A document with fewer than three key terms is not a duplicate.
    ``similar``: either direction has need(4) terms (by share: reaches the threshold).
    Groups join documents by ``exact`` and ``duplicate`` only.
    """
    key_terms = collection.key_terms(settings)
    warn_of_terms_above_df_max(key_terms, settings)
    duplicate, similar, joined = _decided(key_terms, settings, duplicate_rule)
    # Ordinal of the earliest exact copy, or -1.
    first: dict[bytes, int] = {}
    exact = np.full(len(collection), -1, dtype=np.int64)
    for ordinal, digest in enumerate(collection.text_hashes):
        if digest and first.setdefault(digest, ordinal) != ordinal:
            exact[ordinal] = first[digest]
    equal = np.flatnonzero(exact >= 0)
    leader = groups_of([*joined, (exact[equal], equal)], len(collection))
    status, of = chosen_statuses(exact, key_terms.sizes < INSUFFICIENT_TERMS, duplicate, similar)
    return FoundStatuses(status, of, leader, ids_of(collection), np.array(collection.text_lengths))


def _decided(key_terms: KeyTerms, settings: Settings, rule: DuplicateRule) -> tuple[Ints, Ints, list[_Joined]]:
    """Return the document that each repeats, the one that it resembles, and pairs that join groups."""
    least = min(linking.least_count(settings), linking.least_count(settings, min(K_SIMILAR, settings.k)))
    if settings.score == "count" and linking.verbatim_links(key_terms) > linking.MOST_VERBATIM_LINKS:
        pairs = linking.node_pairs(linking.link_nodes(key_terms, settings, k_min=least), settings)
        return _decided_by_pairs(key_terms, settings, rule, pairs)
    linked = linking.link(key_terms, settings, k_min=least)
    if settings.score == "count":
        return _decided_by_links(linked, rule)
    return _decided_by_pairs(key_terms, settings, rule, linking.candidate_pairs(linked))


def _decided_by_links(linked: linking.Linked, duplicate_rule: DuplicateRule) -> tuple[Ints, Ints, list[_Joined]]:
    """Decide from the counts of the links; the score must be ``count``."""
    settings, terms = linked.settings, linked.key_terms
    earlier = EarlierDocuments.of(linked.matrix.counts, terms.keys, terms.targets)
    every = np.arange(4)
    same = repeats(every, settings.rule, duplicate_rule).tolist()
    parents = np.arange(len(terms.sizes), dtype=np.int32)
    n, short = settings.n, settings.short
    duplicate = earlier.best(accept(settings.k, n=n, short=short, relations=same, fewest=INSUFFICIENT_TERMS), parents)
    alike = accept(min(K_SIMILAR, settings.k), n=n, short=short, relations=(every > 0).tolist())
    similar = earlier.best(alike, np.empty(0, dtype=np.int32))
    return duplicate, similar, [(parents.astype(np.int64), np.arange(len(parents)))]


def _decided_by_pairs(
    key_terms: KeyTerms, settings: Settings, duplicate_rule: DuplicateRule, candidates: _Joined
) -> tuple[Ints, Ints, list[_Joined]]:
    """Decide from exact counts and weights of pairs (a, b), a < b."""
    documents = len(key_terms.sizes)
    duplicate, similar = _Best.none(documents), _Best.none(documents)
    joined: list[_Joined] = [(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))]
    for pairs in linking.chunks_of_pairs(key_terms, *candidates):
        relation = linking.relations(pairs, settings)
        # The later document of a pair (a, b), b, is judged: the pair "contains" if a contains b.
        same = repeats(relation, settings.rule, duplicate_rule)
        same &= np.minimum(pairs.size_a, pairs.size_b) >= INSUFFICIENT_TERMS
        duplicate.offer(pairs.at(same))
        joined.append((pairs.a[same], pairs.b[same]))
        alike = (
            relation if settings.score == "share" else linking.relations(pairs, settings, min(K_SIMILAR, settings.k))
        )
        similar.offer(pairs.at(alike > 0))
    return duplicate.of, similar.of, joined


def repeats(relation: Ints, rule: str, duplicate_rule: DuplicateRule) -> Bools:
    """Whether the later document of each pair repeats the earlier one: bool (pairs,)."""
    if rule == "either":
        return relation > 0
    return relation == 3 if duplicate_rule == "equal" else relation >= 2


def ids_of(collection: Collection) -> Callable[[Ints], list[str]]:
    """Ids of documents by ordinal."""
    ids = fields_of(collection.documents).ids
    return lambda documents: [ids[one] for one in documents.tolist()]


def chosen_statuses(exact: Ints, short: Bools, duplicate: Ints, similar: Ints) -> tuple[Uint8s, Ints]:
    """Index into ``STATUSES``, and the earlier document meant, of each; -1 if there is none, as in the arguments."""
    status = np.select([exact >= 0, short, duplicate >= 0, similar >= 0], [1, 2, 3, 4], 0).astype(np.uint8)
    return status, np.select([status == 1, status == 3, status == 4], [exact, duplicate, similar], -1)


def ranks_to_show(
    documents: Sequence[Document] | None, found: FoundStatuses, show: Show, *, said: Ints | None = None
) -> Ints | None:
    """A number for each document, of which the highest of a group is shown; ``None`` for the first of each."""
    # documents: ``None`` if they are not in memory; said: int64 (documents,), how much each says, for ``complete``;
    # ``None`` for its length.
    if show == "first":
        return None
    if documents is None and show != "longest":
        raise UsageError(
            f"show (--show) {show} compares documents in memory; with a work folder it is first or longest"
        )
    if documents is None or show in ("longest", "complete"):
        return said if show == "complete" and said is not None else found.lengths
    fields = fields_of(documents)
    if show == "latest":
        ranks = np.empty(len(found), dtype=np.int64)
        # Of equal times, the later in the input.
        order = np.argsort([-1 if time is None else time for time in fields.times], kind="stable")
        ranks[order] = np.arange(len(found))
        return ranks
    # The authority of a source: how many documents of others came after one of its own.
    outlets = [outlet_of(source, url) for source, url in zip(fields.sources, fields.urls, strict=True)]
    firsts = [outlets[first] for first in found.group.tolist()]
    copied = Counter(first for outlet, first in zip(outlets, firsts, strict=True) if outlet != first)
    return np.array([copied[outlet] for outlet in outlets], dtype=np.int64)


def groups_of(joined: Sequence[tuple[NDArray[Any], NDArray[Any]]], documents: int) -> Ints:
    """Ordinal of the earliest document, or node, with which each is joined: int64 (documents,)."""
    a, b = np.concatenate(joined, axis=1)
    graph = sp.csr_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(documents, documents))
    count, label = connected_components(graph, directed=False)
    leader = np.full(count, documents, dtype=np.int64)
    np.minimum.at(leader, label, np.arange(documents))
    return leader[label]


# Statuses and groups of a collection, as decided by preset `judged`

_PAIR_COLUMNS: Final = (*STATUS_COLUMNS, "kind", "probability", "story")

DIFFERENCE_COLUMNS: Final = ("differs_by", "differing")  # what a row has besides if few words decided its kind

JUDGED_STATUS_COLUMNS: Final = (*_PAIR_COLUMNS, *DIFFERENCE_COLUMNS)
"""What ``dedup --annotate`` adds to a document with preset ``judged``."""

_NEW, _SIMILAR, _DUPLICATE = (judging.STATUS_NAMES.index(name) for name in ("new", "similar", "duplicate"))


@dataclass(frozen=True, slots=True)
class JudgedStatus(Status):
    """The relation of a document to the earlier ones of its collection, with its probability."""

    kind: str | None = None  # kind of relation to `of`; `None` if there is none
    probability: float | None = None  # probability of the same pair, 0 to 1, rounded to 6 decimals
    differing: WordDifference | None = None  # the few words that make it `differs` or `updated`
    story: str | None = None  # id of the first document of its story; `None` if it tells one alone

    def as_dict(self) -> dict[str, Any]:
        """The columns that ``dedup --annotate`` adds."""
        row = {name: getattr(self, name) for name in _PAIR_COLUMNS}
        return row if self.differing is None else row | self.differing.as_dict()


@dataclass(frozen=True, slots=True)
class FoundJudgedStatuses(FoundStatuses):
    """Statuses of all documents, and their probabilities."""

    kinds: Int8s  # int8 (documents,), `Kind` of the pair with `of`; meaningless if there is none
    probability: Floats  # float64 (documents,), probability of the same pair
    differing: NDArray[np.object_]  # `WordDifference` or `None` of the same pair
    stories: Ints  # int64 (documents,), earliest document of the story; -1 if it tells one alone

    def __iter__(self) -> Iterator[JudgedStatus]:
        """The status of every document, in input order."""
        # The decorator replaces a class with slots, so super() without arguments would look for the class before it.
        plain = FoundStatuses.__iter__(self)
        parts = (self.stories[begin : begin + _NAMED] for begin in range(0, len(self), _NAMED))
        named = ((told, self.ids(np.maximum(told, 0))) for told in parts)
        names = (one if first >= 0 else None for of, ids in named for first, one in zip(of.tolist(), ids, strict=True))
        columns = (self.kinds, self.probability, self.differing, names)
        for status, kind, probability, words, story in zip(plain, *columns, strict=True):
            if status.of is None:
                yield JudgedStatus(status.status, None, status.group, story=story)
                continue
            name = KIND_NAMES[seen_from_later(Kind(int(kind)))]
            sure = round(float(probability), SHOWN_DECIMALS)
            yield JudgedStatus(status.status, status.of, status.group, name, sure, words, story)


@dataclass(slots=True, kw_only=True)
class BestPairs:
    """The verdict of the best pair of each document; -1 and status new if there is none."""

    status: Int8s
    of: Ints
    kind: Int8s
    probability: Floats
    differing: NDArray[np.object_]
    told: list[Ints]  # int64 (2, links), later documents and earlier ones that report the same event
    forms: list[Ints]  # int64 (2, pairs), earlier and later documents that may be fillings of one form
    copies: list[Ints]  # int64 (2, pairs), earlier and later documents of other pairs that are copies

    @classmethod
    def none(cls, documents: int) -> BestPairs:
        """Return an empty record."""
        return cls(
            status=np.full(documents, _NEW, dtype=np.int8),
            of=np.full(documents, -1, dtype=np.int64),
            kind=np.zeros(documents, dtype=np.int8),
            probability=np.zeros(documents, dtype=np.float64),
            differing=np.full(documents, None, dtype=np.object_),
            told=[],
            forms=[],
            copies=[],
        )

    def find_forms(self) -> None:
        """Tell copies of one form, three or more, from documents that repeat one another; all pairs have been taken."""
        none = np.zeros((2, 0), dtype=np.int64)
        (a, b), (one, other) = (np.concatenate([none, *pairs], axis=1) for pairs in (self.forms, self.copies))
        found = judging.fillings_of_forms((a, b), (one, other))
        a, b = a[found], b[found]
        for place, (one, other) in enumerate(self.told):
            self.told[place] = self.told[place][:, ~np.isin(one * len(self.of) + other, b * len(self.of) + a)]
        later = b[(self.of[b] == a) & (self.status[b] > _NEW)]
        self.kind[later], self.status[later], self.differing[later] = Kind.TEMPLATE, _SIMILAR, None

    def joined(self) -> tuple[Ints, Ints]:
        """Documents that others repeat, and these."""
        later = np.flatnonzero(self.status >= _DUPLICATE)
        return self.of[later], later

    def found(self, group: Ints, short: Bools, ids: Callable[[Ints], list[str]], lengths: Ints) -> FoundJudgedStatuses:
        """Statuses of all documents, given the earliest document of each group, and which documents say too little."""
        number = np.array([STATUSES.index(name) for name in judging.STATUS_NAMES], dtype=np.uint8)
        return FoundJudgedStatuses(
            np.where(short & (self.of < 0), STATUSES.index("insufficient_text"), number[self.status]).astype(np.uint8),
            self.of,
            group,
            ids,
            lengths,
            self.kind,
            self.probability,
            self.differing,
            stories_of(self.told, group),
        )

    def take(self, found: judging.PairVerdicts) -> None:
        """Take the best pairs; all pairs of a later document at once."""
        # The strongest status wins, so that pairs without any need not be sorted.
        with_status = found.status > _NEW
        told = judging.tell_one_story(found.kinds, found.probability, found.hours) & with_status
        self.told.append(np.stack((found.b[told], found.a[told])))
        copies = ~found.forms & (found.kinds == Kind.COPY)
        for pairs, which in ((self.forms, found.forms), (self.copies, copies)):
            pairs.append(np.stack((found.a[which], found.b[which])))
        some = found.at(np.flatnonzero(with_status))
        best = some.at(judging.best_pairs(some.a, some.b, some.status, some.probability, some.shares))
        self.status[best.b], self.of[best.b], self.kind[best.b] = best.status, best.a, best.kinds
        self.probability[best.b], self.differing[best.b] = best.probability, best.differing


@collector_paused()
def judged_statuses(
    collection: JudgedCollection, policy: Policy = EVERY_PAIR, *, progress: Progress | None = None
) -> FoundJudgedStatuses:
    """Status of every document.

    ``exact``: equal to an earlier document (``equality_hash``). ``duplicate``: the policy joins a pair with an earlier
    document. ``similar``: a pair has any other kind except ``related``, or ``related`` with wording of .3 or
    more. Documents with fewer than three key terms are ``exact`` or ``new``, and ``insufficient_text`` if they have
    one word or none. A duplicate repeats a document that is kept, and joins its group.
    """
    sizes = collection.key_terms.sizes
    decided = BestPairs.none(len(sizes))
    a, b = collection.deciding_candidates()
    nobody = np.zeros(0, dtype=np.int64)
    every = collection.judged(a, b, screened=True, few=policy.allows_every_pair, by_story=True, progress=progress)
    parts = chain([collection.judge(nobody, nobody)], every)
    found = judging.PairVerdicts.concatenated(verdicts_of(judged, policy, sizes) for judged in parts)
    found = found.at(np.lexsort((found.a, found.b)))
    judging.yield_to_differing(found.b, found.status, found.kinds, found.wording)
    judging.break_chains(found, np.full(len(sizes), judging.KEPT, dtype=np.int8))
    decided.take(found)
    decided.find_forms()
    short = (sizes < INSUFFICIENT_TERMS) & (collection.facts.texts < 0)
    leader, whole = groups_of([decided.joined()], len(sizes)), collection.collection
    return decided.found(leader, short, ids_of(whole), np.array(whole.text_lengths))


def verdicts_of(judged: JudgedCandidates, policy: Policy, sizes: NDArray[Any]) -> judging.PairVerdicts:
    """What judged pairs say of their later documents; ``sizes``: key terms of each document."""
    status = policy.statuses(judged)
    enough = np.minimum(sizes[judged.a], sizes[judged.b]) >= INSUFFICIENT_TERMS
    status[~enough & ~judged.facts.same_text] = _NEW
    return judging.PairVerdicts.of(judged, status)
