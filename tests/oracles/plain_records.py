"""Weighting and packing of evidence in plain Python: specifies ``kernels.packing`` and tests it."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from infostream_dedup.judging.evidence.constants import DATE_BIT, HEAD_BIT
from infostream_dedup.judging.evidence.kernels.packing import BUCKET_BITS, FILTER_BITS, LEAD_BITS, MOST_ENTRIES
from tests.oracles.plain_reading import PlainEvidence, mixed_plainly

_NUMBER, _NAME, _LEAD = 0, 1, 2
_BLOCK: Final = 64


def bucket(entry: int, kind: int, language: int) -> int:
    """Counter of an entry; ``kind`` is 0 for a number without its head bit, 1 for a name, 2 for a lead word."""
    return mixed_plainly(entry | (1 + kind + 3 * language) << 32) >> (64 - BUCKET_BITS)


def buckets_plainly(evidence: PlainEvidence, language: int) -> list[int]:
    """Counter of each number, name and lead word of a document."""
    numbers = [bucket(number >> HEAD_BIT, _NUMBER, language) for number in evidence.numbers]
    names = [bucket(name, _NAME, language) for name in evidence.names]
    return numbers + names + [bucket(start, _LEAD, language) for start in evidence.lead]


def count_plainly(documents: Iterable[tuple[PlainEvidence, int]]) -> Counter[int]:
    """Count the documents of each counter; each document comes with the number of its language."""
    found: Counter[int] = Counter()
    for evidence, language in documents:
        found.update(buckets_plainly(evidence, language))
    return found


def pack_plainly(evidence: PlainEvidence, language: int, counts: Sequence[float], documents: float) -> list[int]:
    kept = [one[:MOST_ENTRIES] for one in (evidence.numbers, evidence.names, evidence.lead)]
    cut = PlainEvidence(numbers=kept[0], names=kept[1], lead=kept[2])
    weights = [_weight(float(counts[one]), documents) for one in buckets_plainly(cut, language)]
    weights += [0] * (-len(weights) % 4)
    figures = [not number & DATE_BIT for number in kept[0]]
    heads = sum(number & DATE_BIT > 0 and number & HEAD_BIT > 0 for number in kept[0])
    names_at, lead_at = len(kept[0]), len(kept[0]) + len(kept[1])
    blocks = min(math.ceil(len(evidence.body) * FILTER_BITS / _BLOCK), 4096)
    return [
        evidence.tokens, len(kept[0]) | len(kept[1]) << 16,
        len(kept[2]) | evidence.title_figures << LEAD_BITS | blocks << 16, evidence.title >> 32,
        evidence.title_form >> 32, sum(figures) | heads << 16, sum(weights[:names_at]),
        sum(weight for weight, figure in zip(weights, figures, strict=False) if figure),
        sum(weights[names_at:lead_at]), sum(weights[lead_at:]), *kept[0], *kept[1], *kept[2],
        *(sum(weights[at + byte] << 8 * byte for byte in range(4)) for at in range(0, len(weights), 4)),
        *_filter(evidence.body, blocks),
    ]  # fmt: skip


def opening_plainly(text: str) -> list[int]:
    """Pack the first 512 characters of a cleaned text."""
    letters = b"".join(one.encode("cp1251", "ignore") or (b"'" if one == "ʼ" else b" ") for one in text[:512])
    whole = letters + bytes(-len(letters) % 4)
    return [int.from_bytes(whole[at : at + 4], "little") for at in range(0, len(whole), 4)]


def in_filter(entry: int, words: Sequence[int]) -> bool:
    """Whether a filter may contain a word beginning; always true for those added to it."""
    if not words:
        return False
    block, first, second = _bits(entry, len(words) // 2)
    return words[2 * block] & first == first and words[2 * block + 1] & second == second


def _weight(count: float, documents: float) -> int:
    return min(max(math.floor(16 * math.log(1 + documents / (count + 1)) + 0.5), 1), 255)


def _bits(entry: int, blocks: int) -> tuple[int, int, int]:
    """Block of a word beginning, and its bits in the block's two words."""
    spread = mixed_plainly(entry)
    first, second, third, fourth = (1 << (spread >> shift & 31) for shift in (0, 5, 10, 15))
    return (spread >> 32) * blocks >> 32, first | second, third | fourth


def _filter(body: Iterable[int], blocks: int) -> list[int]:
    words = [0] * (2 * blocks)
    for entry in body:
        block, first, second = _bits(entry, blocks)
        words[2 * block] |= first
        words[2 * block + 1] |= second
    return words
