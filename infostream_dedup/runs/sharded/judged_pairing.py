"""Lists judged pairs of a collection in a work folder, as ``batch.judged_pairing`` does, but not translations."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.explanation import EvidenceReason, reasons_of_pairs
from infostream_dedup.judging.evidence.pair_model import shipped_model
from infostream_dedup.machine.row_blocks import row_blocks
from infostream_dedup.runs.batch.judged_pairing import JudgedPairRow, ListedPairs, PairChoice, collected, judged_rows
from infostream_dedup.runs.batch.judging import CANDIDATE_TERMS
from infostream_dedup.runs.sharded.judging import EqualDocuments, JudgedRun
from infostream_dedup.runs.sharded.pairing import DocumentRows, paired

if TYPE_CHECKING:
    from numpy.typing import NDArray


_PAIRS_AT_ONCE: Final = 200_000
_ROWS_AT_ONCE: Final = 50_000


def judged_pairs_on_disk(
    collection: JudgedRun, choice: PairChoice, *, parts: NDArray[np.int64] | None = None
) -> Iterator[JudgedPairRow]:
    """Judged pairs as rows, as ``batch.judged_pairing.judged_pair_rows`` yields them with ``between`` ``none``.

    Args:
        parts: int64 (documents,), number of the file of each document: only pairs from different files.
    """
    listed = _listed(collection, choice, parts)
    if choice.sort != "id" or choice.top is not None:
        listed = iter([collected(chain([_nothing(collection)], listed), choice.sort, choice.top)])
    rows = DocumentRows(collection)
    for found in listed:
        for begin in range(0, len(found.a), _ROWS_AT_ONCE):
            part = found.at(slice(begin, begin + _ROWS_AT_ONCE))
            plain = rows.pair_rows(part.a, part.b, collection.settings, k_min=0, terms=choice.terms)
            yield from judged_rows(plain, part, _reasons(collection, part) if choice.explain else None)


def _listed(collection: JudgedRun, choice: PairChoice, parts: NDArray[np.int64] | None) -> Iterator[ListedPairs]:
    """Pairs that are listed, in the order of (a, b)."""
    finder, nodes = paired(collection, choice.k_min or CANDIDATE_TERMS), collection.nodes
    languages, texts = collection.languages, collection.facts.texts
    equals = EqualDocuments(collection.facts) if choice.k_min is None else None
    for block in row_blocks(finder.work(whole=True)[nodes.node_of], _PAIRS_AT_ONCE):
        documents = np.arange(block.start, min(block.stop, len(languages)), dtype=np.int64)
        pairs = finder.later(documents)
        same_text = (texts[pairs.a] == texts[pairs.b]) & (texts[pairs.a] >= 0)
        kept = pairs.where(same_text | (languages[pairs.a] == languages[pairs.b]))
        found = [np.stack((kept.a, kept.b)), np.stack(equals.after(documents)) if equals else np.zeros((2, 0), int)]
        a, b = np.unique(np.concatenate(found, axis=1), axis=1)
        wanted = languages[a] != languages[b] if choice.cross_language else np.full(len(a), True)
        if parts is not None:
            wanted &= parts[a] != parts[b]
        judged = collection.judge(a[wanted], b[wanted], filtered=choice.least > 0)
        yield ListedPairs.of(judged, judged.probability >= choice.least)
        collection.run.tell("judging", int(documents[-1]) + 1, len(languages))


def _nothing(collection: JudgedRun) -> ListedPairs:
    nobody = np.zeros(0, dtype=np.int64)
    return ListedPairs.of(collection.judge(nobody, nobody), np.zeros(0, dtype=np.bool_))


def _reasons(collection: JudgedRun, part: ListedPairs) -> list[list[EvidenceReason] | None]:
    judged = collection.judge(part.a, part.b, filtered=False)
    return [*reasons_of_pairs(judged.evidence, shipped_model(), judged.meaning)]
