"""The evidence of one pair in plain Python: specifies ``kernels.comparing`` and tests it."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from infostream_dedup.judging.evidence.constants import DATE_BIT, HEAD_BIT
from infostream_dedup.judging.evidence.kernels.packing import LEAD_BITS
from infostream_dedup.judging.evidence.pair_evidence import speech_beginnings, step_beginnings
from tests.oracles.plain_records import in_filter


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainRecord:
    """A record, unpacked: weights of each number, name and word beginning in the lead; hashes of the title, or 0."""

    tokens: int
    title: int
    form: int
    numbers: Mapping[int, int]
    names: Mapping[int, int]
    lead: Mapping[int, int]
    filter: Sequence[int]


@dataclass(frozen=True, slots=True)
class PlainDocument:
    """All that a comparison knows about a document: ``keys`` are weights of the 30 heaviest terms, in 1e-9."""

    keys: Mapping[int, int]
    terms: Collection[int]
    record: PlainRecord
    triples: Collection[int]


def unpack_plainly(words: Sequence[int]) -> PlainRecord:
    sizes = (words[1] & 0xFFFF, words[1] >> 16, words[2] & (1 << LEAD_BITS) - 1)
    entries, at = sum(sizes), 10
    packed = words[at + entries : at + entries + (entries + 3) // 4]
    weights = [packed[number // 4] >> number % 4 * 8 & 255 for number in range(entries)]
    lists: list[dict[int, int]] = []
    done = 0
    for size in sizes:
        lists.append(dict(zip(words[at + done : at + done + size], weights[done : done + size], strict=True)))
        done += size
    return PlainRecord(
        tokens=words[0], title=words[3], form=words[4], numbers=lists[0], names=lists[1], lead=lists[2],
        filter=words[at + entries + len(packed) :][: 2 * (words[2] >> 16)],
    )  # fmt: skip


def compare_plainly(a: PlainDocument, b: PlainDocument) -> list[float]:
    """Evidence of a pair in the order of ``COLUMNS``."""
    one, other = a.record, b.record
    figures = [
        {number | HEAD_BIT: weight for number, weight in record.numbers.items() if not number & DATE_BIT}
        for record in (one, other)
    ]
    numbers = [{number | HEAD_BIT: weight for number, weight in record.numbers.items()} for record in (one, other)]
    shared = set(a.triples) & set(b.triples)
    return [
        _contained(_heaviest(a.keys), b.terms), _contained(_heaviest(b.keys), a.terms), _contained(a.keys, b.terms),
        _contained(b.keys, a.terms), _cosine(a.keys, b.keys), _contained(numbers[0], numbers[1]),
        _contained(numbers[1], numbers[0]), float(min(map(len, numbers))), _contained(figures[0], figures[1]),
        _contained(figures[1], figures[0]), float(min(map(len, figures))), _contained(one.names, other.names),
        _contained(other.names, one.names), float(min(len(one.names), len(other.names))),
        _contained(one.lead, other.lead), _contained(other.lead, one.lead),
        _contained(one.lead, [start for start in one.lead if in_filter(start, other.filter)]),
        _contained(other.lead, [start for start in other.lead if in_filter(start, one.filter)]),
        min(abs(math.log((one.tokens + 5) / (other.tokens + 5))), 3.0), _dates(one, other), _titles(one, other),
        _step(other), len(shared) / len(a.triples) if a.triples else 0.0,
        len(shared) / len(b.triples) if b.triples else 0.0,
    ]  # fmt: skip


def _contained(weights: Mapping[int, int], there: Collection[int]) -> float:
    """Share, by weight, of the entries that another document also has."""
    own = sum(weights.values())
    return sum(weight for entry, weight in weights.items() if entry in there) / own if own else 0.0


def _heaviest(keys: Mapping[int, int]) -> dict[int, int]:
    return dict(sorted(keys.items(), key=lambda key: (-key[1], key[0]))[:12])


def _cosine(keys: Mapping[int, int], others: Mapping[int, int]) -> float:
    product = first = second = 0.0
    for term in sorted(keys):
        weight = keys[term] * 1e-9
        first += weight * weight
        if term in others:
            product += weight * (others[term] * 1e-9)
    for term in sorted(others):
        weight = others[term] * 1e-9
        second += weight * weight
    return product / math.sqrt(first * second) if first and second else 0.0


def _dates(one: PlainRecord, other: PlainRecord) -> float:
    """0: at least one head has no date, 1: the same dates, 2: different dates."""
    heads = [{n for n in record.numbers if n & DATE_BIT and n & HEAD_BIT} for record in (one, other)]
    if not all(heads):
        return 0.0
    return 1.0 if heads[0] == heads[1] else 2.0


def _step(record: PlainRecord) -> float:
    """1 if the lead tells that something happened and nothing that somebody said, otherwise 0."""
    steps, speech = (set(some.tolist()) for some in (step_beginnings(), speech_beginnings()))
    return float(not steps.isdisjoint(record.lead) and speech.isdisjoint(record.lead))


def _titles(one: PlainRecord, other: PlainRecord) -> float:
    """0: a title is missing, 1: different titles, 2: equal except for numbers and dates, 3: equal."""
    if not one.title or not other.title:
        return 0.0
    if one.title == other.title:
        return 3.0
    return 2.0 if one.form == other.form else 1.0
