"""Documents of a window, gathered for comparison."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import offsets_of
from infostream_dedup.judging.evidence.facts import DocumentFacts
from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys
from infostream_dedup.judging.evidence.pair_evidence import TripleRows
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.stream.window import Window

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedDocuments:
    """Documents, numbered from 0, with everything that a comparison needs.

    Attributes:
        keys: their key terms and terms.
        records: their evidence.
        facts: sources, times, texts and addresses.
    """

    keys: ComparedKeys
    records: EvidenceRecords
    facts: DocumentFacts

    @classmethod
    def of_window(cls, window: Window, rows: NDArray[np.int64]) -> ComparedDocuments:
        """Take documents out of the window.

        Args:
            rows: int64 (documents,).
        """
        evidence = window.evidence_columns
        numbered: dict[bytes, int] = {}
        texts = [window.hashes[row][0] for row in rows.tolist()]
        facts = DocumentFacts(
            window.sources[rows].astype(np.int64),
            evidence.published[rows],
            np.array([numbered.setdefault(text, len(numbered)) if text else -1 for text in texts], dtype=np.int64),
            evidence.addresses[rows],
        )
        return cls(keys=evidence.keys_of(rows, window), records=evidence.records_of(rows), facts=facts)


def triple_rows(blobs: Sequence[bytes]) -> TripleRows:
    """Word triples of documents from a store."""
    begins = offsets_of([len(blob) // 8 for blob in blobs])
    # Not bytes: loops would be compiled again for arrays that cannot be changed.
    return TripleRows(np.frombuffer(bytearray().join(blobs), dtype="<u8").astype(np.uint64, copy=False), begins)
