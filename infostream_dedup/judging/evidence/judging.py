"""From candidates to judged pairs: the same steps for a collection and a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.constants import OPENING, TITLE_FIGURE_BITS
from infostream_dedup.judging.evidence.differing import WordDifference
from infostream_dedup.judging.evidence.facts import (
    LOOKED_AT,
    STORY_DAYS,
    DocumentFacts,
    PairFacts,
    facts_of_pairs,
    same_opening,
    same_text,
    told_anew,
)
from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS, ComparedKeys
from infostream_dedup.judging.evidence.kernels.differing import share_openings
from infostream_dedup.judging.evidence.kernels.packing import BLOCKS_AT, LEAD_BITS
from infostream_dedup.judging.evidence.kernels.screening import MAY_SHARE
from infostream_dedup.judging.evidence.kernels.sharing import mark_met
from infostream_dedup.judging.evidence.kinds import (
    ACROSS,
    KIND_NAMES,
    LEAST_WORDING,
    ONE_TEXT,
    REPEATED_WORDING,
    STORY_KINDS,
    STORY_PROBABILITY,
    Kind,
    counts_may_decide,
    form_filled_anew,
    kinds_of_rules,
    may_be_background,
    may_be_form,
    may_be_of_series,
    may_be_retitled,
    rules_of_pairs,
    seen_from_later,
)
from infostream_dedup.judging.evidence.meaning import Meanings, with_meaning
from infostream_dedup.judging.evidence.pair_evidence import TripleRows, compared, fill_in_wording, shares_of_pairs
from infostream_dedup.judging.evidence.pair_model import DECIMALS, PairModel, shipped_model
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.machine.arrays import AlignedColumns, Bools, Floats, Int8s, Ints, numbered_ends

Pairs = tuple[Ints, Ints]


# The status of a later document, and the earlier document that gives it

JOINED: Final = ("copy",)
"""Kinds that make a duplicate by default. Of retellings in a collection without dates a reader signed one in ten."""

RELATED_WORDING: Final = 0.3  # a ``related`` pair with at least this share of wording in one direction is ``similar``
KEPT, CHAIN_END, LEAVES, STANDS_FOR_KEPT = range(4)
NEARLY_ALL: Final = 0.8  # smaller direction of wording of two documents that say nearly nothing else


class DocumentStatus(IntEnum):
    """Status of a pair's later document, from weakest to strongest."""

    NEW = 0
    SIMILAR = 1
    DUPLICATE = 2
    EXACT = 3


STATUS_NAMES: Final = tuple(status.name.lower() for status in DocumentStatus)


def joined_kinds(names: Iterable[str]) -> Bools:
    """Which kinds join groups: bool (kinds,)."""
    joined = np.zeros(len(Kind), dtype=np.bool_)
    allowed = [name for name in KIND_NAMES if name not in ("related", "translation", "differs", "same-story")]
    for name in names:
        if name not in allowed:
            raise ConfigurationError(f"join is {name!r}; expected one or more of {', '.join(allowed)}")
        joined[seen_from_later(Kind(KIND_NAMES.index(name)))] = True
    return joined


def statuses(kinds: Int8s, facts: PairFacts, joined: Bools) -> Int8s:
    """``DocumentStatus`` that each pair gives its later document: int8 (pairs,)."""
    related = (kinds == Kind.RELATED) & (facts.wording_most < RELATED_WORDING)
    found = np.where(related | np.isin(kinds, ACROSS), DocumentStatus.NEW, DocumentStatus.SIMILAR)
    found = np.where(joined[kinds] | (facts.same_text & ~facts.anew), DocumentStatus.DUPLICATE, found)
    return np.where(facts.same_whole & ~facts.anew, DocumentStatus.EXACT, found).astype(np.int8)


def tell_one_story(kinds: Int8s, probability: Floats, hours: Floats) -> Bools:
    """Whether the documents of each pair report one event: bool (pairs,); infinite hours (no date) are never many."""
    near = (probability >= STORY_PROBABILITY) & ((hours <= 24 * STORY_DAYS) | np.isinf(hours))
    return np.asarray((near | (kinds == Kind.COPY)) & np.isin(kinds, STORY_KINDS), dtype=np.bool_)


def yield_to_differing(later: Ints, status: Int8s, kinds: Int8s, wording_least: Floats) -> None:
    """Let no document repeat one if it has more wording in common with another whose news it turns round."""
    # Otherwise it would join the group of that one by way of a third document.
    turned = kinds == Kind.DIFFERS
    if turned.any():
        nearest = np.zeros(int(later.max()) + 1, dtype=np.float64)
        np.maximum.at(nearest, later[turned], wording_least[turned])
        status[(status == DocumentStatus.DUPLICATE) & (wording_least <= nearest[later])] = DocumentStatus.SIMILAR


_THREE: Final = 3


def fillings_of_forms(forms: Pairs, copies: Pairs) -> Bools:
    """Which pairs that may be of a form, each given once, are two fillings of it: bool (pairs,)."""
    # A third document is like both in the same way, and none is a copy of both: edits that chance upon numbers and
    # names make no form of a text.
    a, b = forms
    if len(a) < _THREE:
        return np.zeros(len(a), dtype=np.bool_)
    found = _have_common(forms, forms)
    copied = np.unique(np.concatenate(copies))
    asked = np.flatnonzero(found & np.isin(a, copied) & np.isin(b, copied))
    found[asked] = ~_have_common((a[asked], b[asked]), copies)
    return found


def _have_common(asked: Pairs, pairs: Pairs) -> Bools:
    """Which pairs of documents have a third document that is paired with both: bool (pairs,)."""
    import scipy.sparse as sp

    rows, numbers = np.unique(np.concatenate([*asked, *pairs]), return_inverse=True)
    a, b = numbers[: 2 * len(asked[0])].reshape(2, -1)
    ends = numbers[2 * len(asked[0]) :].reshape(2, -1)
    paired = sp.csr_array((np.ones(ends.shape[1], dtype=np.bool_), ends), shape=(len(rows), len(rows)))
    paired = (paired + paired.T).tocsr()
    paired.sort_indices()
    found = np.empty(len(a), dtype=np.bool_)
    mark_met(a, b, paired.indptr.astype(np.int64), paired.indices.astype(np.int32), found)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVerdicts(AlignedColumns):
    """What the pairs of a collection say of their later documents; pairs that say nothing may be missing."""

    a: Ints  # int64 (pairs,), row of the earlier document
    b: Ints  # int64 (pairs,), row of the later one
    status: Int8s  # int8 (pairs,), `DocumentStatus`
    kinds: Int8s  # int8 (pairs,), `Kind`
    probability: Floats  # float64 (pairs,)
    shares: Floats  # float64 (pairs, 2), share of the 12 key terms forward and backward, rounded
    hours: Floats  # float64 (pairs,), between the two documents
    wording: Floats  # float64 (pairs,), smaller direction
    same_text: Bools  # bool (pairs,)
    forms: Bools  # bool (pairs,), whether they may be copies of one form
    differing: NDArray[np.object_]  # `WordDifference` or `None`

    @classmethod
    def of(cls, judged: JudgedCandidates, status: Int8s) -> PairVerdicts:
        """The pairs that matter, with the status that each gives."""
        forms = judged.forms
        asked = np.isin(judged.kinds, (Kind.COPY, Kind.DIFFERS))
        kept = np.flatnonzero((status > DocumentStatus.NEW) | forms | asked)
        same = {name: getattr(judged, name) for name in ("a", "b", "kinds", "probability", "shares", "differing")}
        hours, wording, same_text = judged.facts.hours, judged.facts.wording_least, judged.facts.same_text
        found = cls(status=status, hours=hours, wording=wording, same_text=same_text, forms=forms, **same)
        return found.at(kept)


def break_chains(found: PairVerdicts, kept: Int8s) -> None:
    """Let a document leave only if it repeats one that is kept, or equals another.

    Otherwise the editions of a digest would leave one after the other, until nothing of the last one is kept. One that
    is kept although it repeats others, because these leave, is the end of a chain; what repeats it must say nearly
    nothing else, or every second edition would leave. One that says nearly nothing else than a kept one stands for it.
    """
    repeats = np.flatnonzero(found.status >= DocumentStatus.DUPLICATE)
    exact = found.same_text[repeats]
    near = exact | (found.wording[repeats] >= NEARLY_ALL)
    pairs = zip(
        *(column.tolist() for column in (repeats, found.a[repeats], found.b[repeats], exact, near)), strict=True
    )
    states, similar = kept.tolist(), []
    for later, own in groupby(pairs, key=itemgetter(2)):
        stands = leaves = False
        for pair, earlier, _, same, close in own:
            state = states[earlier]
            left = same or state in (KEPT, STANDS_FOR_KEPT) or (close and state == CHAIN_END)
            stands |= close and state in (KEPT, CHAIN_END)
            leaves |= left
            if not left:
                similar.append(pair)
        states[later] = STANDS_FOR_KEPT if stands else LEAVES if leaves else CHAIN_END
    kept[:] = states
    found.status[similar] = DocumentStatus.SIMILAR


def best_pairs(a: Ints, b: Ints, status: Int8s, probability: Floats, shares: Floats) -> Ints:
    """Find the pair that gives each later document its status and its ``of``."""
    # Pairs rank by status (strongest first), then by probability, by the smaller of the two shares, by the larger one
    # (highest first), and by the earlier document (earliest first).
    forward, backward = shares[:, 0], shares[:, 1]
    smaller, larger = np.minimum(forward, backward), np.maximum(forward, backward)
    order = np.lexsort((a, -larger, -smaller, -probability, -status, b))
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = b[order][1:] != b[order][:-1]
    return order[first]


_FEWEST_NUMBERS: Final = 3  # minimum numbers in both documents; fewer may be written as words in one of the languages
_MANY_NUMBERS: Final = 9

_SURE: Final = 1.2
"""A translator may convert the units of many numbers; key-term shares that add up to this outweigh them."""

_SHARED_NUMBERS: Final = 0.5
"""Minimum share, by weight, of one document's numbers found in the other; the larger of the two directions."""

_MOST: Final = 0.6  # minimum share of the key terms of either document that outweighs a single figure

_SHORT: Final = 40
"""Tokens below which a text without any of the other's names tells of another place: in longer ones some are spelt
otherwise."""

_LENGTH: Final = 0.6  # maximum difference between the logarithms of the two lengths


_EVENT_NUMBERS: Final = 0.7
"""Minimum share of one document's numbers in the other, if two reports of one event are no translations."""

_EVENT_NAMES: Final = 0.5
_EVENT_HOURS: Final = 72  # hours within which two languages report an event; the time is not asked if a date is missing


class Agreement(NamedTuple):
    """What numbers, names and lengths say of two documents in different languages; bool (pairs,) each."""

    contradicts: Bools  # they show that the documents are not translations of each other
    one_event: Bools  # they agree as in two reports of one event, even if each is in its own words
    # int64: -1 if both have numbers, and less than half of those of one are in the other; 1 if both have at least
    # three, all in common; else 0
    numbers: Ints


def agreement(
    a: Ints, b: Ints, shares: Floats, hours: Floats, keys: ComparedKeys, records: EvidenceRecords
) -> Agreement:
    """Compare documents in different languages.

    They are no translations if both titles have figures of three digits or more (years and days apart) but none in
    common; if both have figures that are no dates but none in common (a single one may be rounded, or a word, if most
    of the key terms match), or at least three numbers and share less than half of them, unless both have nine and
    nearly all key terms match; if a short one has names, as the other has, but none in common; or if one document is
    more than 1.8 times as long as the other.
    """
    evidence = np.zeros((len(a), len(COLUMNS)), dtype=np.float64)
    compared(a, b, evidence, keys=keys, records=records, triples=None)

    def column(name: str) -> Floats:
        return np.round(evidence[:, COLUMNS.index(name)], DECIMALS)

    shared = np.maximum(column("numbers_forward"), column("numbers_backward"))
    least = column("numbers_least")
    sure = (least >= _MANY_NUMBERS) & (np.round(shares.sum(axis=1), DECIMALS) >= _SURE)
    one_figure = (column("figures_least") == 1) & (shares.min(axis=1) >= _MOST)
    no_figure = (column("figures_least") >= 1) & (column("figures_forward") + column("figures_backward") == 0)
    other_numbers = ((least >= _FEWEST_NUMBERS) & (shared < _SHARED_NUMBERS) | no_figure & ~one_figure) & ~sure
    # Records of older stores mark no figures of titles.
    marks = records.words[records.begins[:-1] + BLOCKS_AT] >> LEAD_BITS & (1 << TITLE_FIGURE_BITS) - 1
    other_titles = (marks[a] > 0) & (marks[b] > 0) & (marks[a] & marks[b] == 0)
    named = np.maximum(column("names_forward"), column("names_backward"))
    short = np.minimum(records.tokens(a), records.tokens(b)) < _SHORT
    other_names = short & (column("names_least") >= 1) & (named == 0)
    contradicts = other_numbers | other_titles | other_names | (column("length") > _LENGTH)
    numbered = (least >= _FEWEST_NUMBERS) & (shared >= _EVENT_NUMBERS) & (named >= _EVENT_NAMES)
    one_event = numbered & ((hours <= _EVENT_HOURS) | np.isinf(hours)) & ~contradicts
    common = np.minimum(column("numbers_forward"), column("numbers_backward"))
    few, all_of_them = (least >= 1) & (common < _SHARED_NUMBERS), (least >= _FEWEST_NUMBERS) & (common == 1)
    return Agreement(contradicts, one_event, all_of_them.astype(np.int64) - few)


FILTER: Final = 0.9
"""Threshold of the filter: share of 12 key terms plus twice the share of 30, added over both directions.

It loses at most 0.07 % of the pairs that the model accepts in any development set, and none with wording >= 0.3.
"""

LEAST_SHARE: Final = 0.3
"""Least share of the 12 key terms, in one direction, that passes the filter.

It loses none or one of the pairs listed in any of seven sets, and 1 in 1,000 of wmt, but up to an eighth of the
templates. With less, up to four times as many pairs are looked at.
"""

OPENING_PROBABILITY: Final = 0.96
"""Least probability of two sources that begin alike on one day: 24 of 24 pairs read were the same news (Laplace)."""

TripleSource = Callable[["Ints"], TripleRows]
"""Returns the triples of given rows, in their order; the rows are ascending and distinct."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCandidates:
    """Candidates and their verdicts."""

    a: Ints  # int64 (pairs,), row of the earlier document
    b: Ints  # int64 (pairs,), row of the later one
    # bool (pairs,), whether the pair passed the filter; for the others only the shares are known
    passed: Bools
    evidence: Floats  # float64 (pairs, COLUMNS), zeros except for the shares if a pair did not pass
    # float64 (pairs,), rounded to `DECIMALS`; 1 for equal texts, 0 if a pair did not pass
    probability: Floats
    kinds: Int8s  # int8 (pairs,), `Kind`; `related` if a pair did not pass
    rules: Int8s  # int8 (pairs,), index of the rule in `RULES`; `len(RULES)` if none applied
    facts: PairFacts  # facts that the rules used
    # float64 (pairs,), cosine of the meanings, NaN if it was not computed; `None` without meanings
    meaning: Floats | None = None

    def __len__(self) -> int:
        return len(self.a)

    @property
    def wording(self) -> Floats:
        """float64 (pairs, 2), wording forward and backward, rounded."""
        return np.stack([self.facts.wording_forward, self.facts.wording_backward], axis=1)

    @property
    def shares(self) -> Floats:
        """float64 (pairs, 2), share of the 12 key terms forward and backward, rounded."""
        return np.round(self.evidence[:, :2], DECIMALS)

    @property
    def forms(self) -> Bools:
        """Which pairs may be two copies of one form: bool (pairs,)."""
        return self.passed & form_filled_anew(self.facts)

    @property
    def differing(self) -> NDArray[np.object_]:
        """The few words that decided a pair's kind, `WordDifference` or `None`: object (pairs,)."""
        found = self.facts.differing.copy()
        found[~np.isin(self.kinds, (Kind.DIFFERS, Kind.UPDATED))] = None
        return found

    @property
    def one_text(self) -> Bools:
        """Which pairs may have the same text, perhaps reworded or in another version: bool (pairs,).

        Used for two documents that share a translation, so if source or date is unknown the model's verdict is enough.
        """
        retold = ~self.facts.known & ~self.facts.own & (self.probability >= 0.5) & (self.kinds == Kind.RELATED)
        return np.asarray(np.isin(self.kinds, ONE_TEXT) | retold, dtype=np.bool_)


def passes_filter(evidence: Floats) -> Bools:
    """Which pairs are worth comparing in full: bool (pairs,); only the shares are used."""
    shares = np.round(evidence[:, 0] + evidence[:, 1] + 2.0 * (evidence[:, 2] + evidence[:, 3]), DECIMALS)
    return np.asarray((shares >= FILTER) & (evidence[:, :2].max(axis=1) >= LEAST_SHARE), dtype=np.bool_)


_CROWD: Final = 32  # pairs of one later document of which only some are judged if there are more
_CHOSEN: Final = 8
_COMPARED: Final = 256
_NEAR: Final = 1024
MOST_COMPARED: Final = _CROWD + _NEAR
_AT_ONCE: Final = 100_000


def deciding_pairs(
    a: Ints,
    b: Ints,
    keys: ComparedKeys,
    records: EvidenceRecords,
    triples: TripleRows,
    model: PairModel | None = None,
    bounds: Floats | None = None,
) -> tuple[Bools, Floats]:
    """Which pairs are enough to decide the status of b: bool (pairs,); and their wording.

    A document that shares a quarter of its wording with more than 32 earlier ones is one of many copies of a form or of
    a story. Of these pairs, the 8 of the earliest documents, the 8 of most common wording and the 8 that are the most
    probable (among the 256 of most common wording) are judged: all pairs of a form would be as many as its copies,
    squared. The wording, the smaller direction, is 0 where it is less, or b has no crowd.

    Pairs of one b are side by side, in the order of a. With ``Screen.bounds``, wording is only compared of the 32
    earliest and of the 1,024 of largest bounds.
    """
    found, common = np.ones(len(a), dtype=np.bool_), np.zeros(len(a), dtype=np.float64)
    places = looked = np.flatnonzero(crowded(b)) if bounds is None else nearest(b, bounds)
    if not len(places):
        return found, common
    wording = np.empty(len(places), dtype=np.float64)
    for some in _slices(len(places)):
        evidence = np.zeros((some.stop - some.start, len(COLUMNS)), dtype=np.float64)
        fill_in_wording(a[places[some]], b[places[some]], triples, evidence)
        wording[some] = np.round(np.minimum(evidence[:, -2], evidence[:, -1]), DECIMALS)
    places, wording = places[wording >= LEAST_WORDING], wording[wording >= LEAST_WORDING]
    many = crowded(b[places])
    places, wording = places[many], wording[many]
    common[places] = wording
    if bounds is not None:
        of_form = np.zeros(int(b.max()) + 1, dtype=np.bool_)
        of_form[b[places]] = True
        found[of_form[b] & (bounds >= MAY_SHARE)] = False
        found[looked] = True
    found[places] = _rank_in_run(b[places]) < _CHOSEN
    closest = places[np.lexsort((a[places], -wording, b[places]))]
    rank = _rank_in_run(b[closest])
    found[closest[rank < _CHOSEN]] = True
    pool = np.sort(closest[rank < _COMPARED])
    ranks = np.empty((3, len(pool)), dtype=np.float64)
    for some in _slices(len(pool)):
        one, other = a[pool[some]], b[pool[some]]
        evidence = compared(one, other, shares_of_pairs(one, other, keys), keys=keys, records=records, triples=None)
        probable = np.where(passes_filter(evidence), (model or shipped_model()).probabilities(evidence), 0.0)
        shares = np.round(evidence[:, :2], DECIMALS)
        ranks[:, some] = -shares.max(axis=1), -shares.min(axis=1), -probable
    best = pool[np.lexsort((a[pool], *ranks, b[pool]))]
    found[best[_rank_in_run(b[best]) < _CHOSEN]] = True
    return found, common


def nearest(b: Ints, bounds: Floats) -> Ints:
    """Of each b with more than 32 pairs that may share wording, the places of the first 32 and of those next to it."""
    # These are the 1,024 of largest bounds, the first of equal ones.
    begins, found = _run_begins(b), [np.zeros(0, dtype=np.int64)]
    for run in np.flatnonzero(np.diff(begins) > _CROWD).tolist():
        places = begins[run] + np.flatnonzero(bounds[begins[run] : begins[run + 1]] >= MAY_SHARE)
        others = bounds[places[_CROWD:]]
        if len(others) > _NEAR:
            least = np.partition(others, -_NEAR)[-_NEAR]
            over, equal = others > least, others == least
            over |= equal & (np.cumsum(equal) <= _NEAR - np.count_nonzero(over))
            places = np.concatenate([places[:_CROWD], places[_CROWD:][over]])
        if len(places) > _CROWD:
            found.append(places)
    return np.concatenate(found)


def _slices(count: int) -> Iterator[slice]:
    """Divide pairs into parts whose evidence fits in memory."""
    return (slice(begin, min(begin + _AT_ONCE, count)) for begin in range(0, count, _AT_ONCE))


def _run_begins(values: Ints) -> Ints:
    return np.flatnonzero(np.diff(values, prepend=values[:1] - 1, append=values[-1:] + 1))


def crowded(b: Ints) -> Bools:
    """Which pairs are more of one later document than are judged without a choice: bool (pairs,)."""
    sizes = np.diff(_run_begins(b))
    return np.repeat(sizes > _CROWD, sizes)


def _rank_in_run(values: Ints) -> Ints:
    begins = _run_begins(values)
    return np.arange(len(values)) - np.repeat(begins[:-1], np.diff(begins))


def judge_pairs(
    a: Ints,
    b: Ints,
    *,
    keys: ComparedKeys,
    records: EvidenceRecords,
    triples: TripleRows | TripleSource,
    documents: DocumentFacts | tuple[DocumentFacts, DocumentFacts],
    model: PairModel | None = None,
    shares: Floats | None = None,
    filtered: bool = True,
    meanings: Meanings | None = None,
    only_forms: bool = False,
) -> JudgedCandidates:
    """Judge candidates. The verdict on a pair does not depend on the other pairs."""
    # only_forms: no more is asked than whether they may be forms, so their kinds may be wrong.
    evidence = shares_of_pairs(a, b, keys) if shares is None else shares
    earlier, later = (documents.at(a), documents.at(b)) if isinstance(documents, DocumentFacts) else documents
    equal = same_text(earlier, later)
    opening = same_opening(earlier, later)
    passed = passes_filter(evidence) | equal | opening if filtered else np.ones(len(a), dtype=np.bool_)
    probability = np.zeros(len(a), dtype=np.float64)
    if passed.all():
        close = evidence = _compared(a, b, evidence, keys, records, triples)
    else:
        evidence[passed] = close = _compared(a[passed], b[passed], evidence[passed], keys, records, triples)
    probability[passed] = (model or shipped_model()).probabilities(close)
    meaning = None
    if meanings is not None:
        probability, meaning = with_meaning(a, b, probability, meanings)
    probability[opening] = np.maximum(probability[opening], OPENING_PROBABILITY)
    probability[equal] = 1.0
    tokens = np.minimum(records.tokens(a), records.tokens(b))
    facts = replace(
        facts_of_pairs(earlier, later, evidence, probability, tokens), anew=told_anew(a, b, (earlier, later), records)
    )
    facts = with_differences(a, b, facts, records, only_forms=only_forms)
    rules = rules_of_pairs(facts)
    return JudgedCandidates(
        a=a,
        b=b,
        passed=passed,
        evidence=evidence,
        probability=probability,
        kinds=np.where(passed, kinds_of_rules(rules), Kind.RELATED).astype(np.int8),
        rules=rules,
        facts=facts,
        meaning=meaning,
    )


def with_differences(
    a: Ints, b: Ints, facts: PairFacts, records: EvidenceRecords, *, only_forms: bool = False
) -> PairFacts:
    """Look at the words in which texts of much common wording differ, a source's own of nearly all, and at numbers."""
    least = np.where(facts.own, REPEATED_WORDING, LEAST_WORDING)
    near = (facts.wording_least >= least) & ~facts.same_text & (not only_forms)
    counted, retitled, formed = counts_may_decide(facts), may_be_retitled(facts), may_be_form(facts)
    behind, coded = may_be_background(facts) & (not only_forms), may_be_of_series(facts)
    places = np.flatnonzero(near | counted | retitled | formed | behind)
    if not (len(places) or coded.any()):
        return facts
    looked: dict[str, Any] = {name: np.zeros(len(facts), dtype=np.bool_) for name in LOOKED_AT}
    looked["anew"] = facts.anew.copy()
    turned, figures, differing = looked["turned"], looked["figure_alone"], facts.differing.copy()
    rows, (ones, others) = numbered_ends(a[places], b[places])
    openings = records.openings(rows)
    compared = np.flatnonzero(near[places])

    shares = np.stack([facts.wording_forward, facts.wording_backward], axis=1)
    lacks = (1.0 - shares) * (records.tokens(np.stack([a, b], axis=1)) - 2)
    lacks[facts.own] = 0.0

    def note(at: Ints, told: Iterator[tuple[int, WordDifference]]) -> None:
        for pair, found in told:
            (figures if found.is_figure else turned)[at[pair]], differing[at[pair]] = True, found

    at = places[compared]
    note(at, openings.compared(ones[compared], others[compared], lacks[at]))
    at = np.flatnonzero(near & ~turned & ~figures & (records.titles(a) != records.titles(b)))
    note(at, records.differing_bodies(a[at], b[at], lacks[at]))
    for name, asks, asked in (
        ("filled", openings.filled_anew, formed),
        ("other_counts", openings.other_counts, counted),
    ):
        some = np.flatnonzero(asked[places])
        looked[name][places[some]] = asks(ones[some], others[some])
    some = np.flatnonzero(behind[places])
    in_front = np.empty(len(some), dtype=np.float64)
    share_openings(ones[some], others[some], openings.tokens, in_front)
    looked["background"][places[some]] = in_front < _LEAST_IN_FRONT * facts.wording_least[places[some]]
    looked["numbered"][coded] = records.of_one_series(a[coded], b[coded])
    for place in np.flatnonzero(retitled).tolist():
        mine_at, theirs_at = int(a[place]), int(b[place])
        body = records.opening(mine_at).partition("\n")[2]
        again = 0 < len(body) < OPENING // 2 and body == records.opening(theirs_at).partition("\n")[2]
        looked["same_body"][place], looked["anew"][place] = again, again and records.other_titles(mine_at, theirs_at)
    return replace(facts, differing=differing, **looked)


_LEAST_IN_FRONT: Final = 0.6
"""Share of the wording of two texts that their beginnings have in common unless it is a background."""


def _compared(
    a: Ints, b: Ints, evidence: Floats, keys: ComparedKeys, records: EvidenceRecords, triples: TripleRows | TripleSource
) -> Floats:
    """Evidence of pairs; the pairs of one later document are compared together."""
    if np.any(b[1:] < b[:-1]):
        order = np.argsort(b, kind="stable")
        evidence[order] = _compared(a[order], b[order], evidence[order], keys, records, triples)
        return evidence
    compared(a, b, evidence, keys=keys, records=records, triples=None)
    if callable(triples):
        rows, (a, b) = numbered_ends(a, b)
        found = triples(rows)
    else:
        found = triples
    fill_in_wording(a, b, found, evidence)
    return evidence
