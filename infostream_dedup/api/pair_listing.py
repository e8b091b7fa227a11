"""What ``pairs`` returns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from infostream_dedup.api.listing import Listing
from infostream_dedup.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from infostream_dedup.documents import ReadingReport
    from infostream_dedup.model import Settings
    from infostream_dedup.runs.batch.pairing import PairRow

__all__ = ["PAIR_COLUMNS", "PairListing", "files_of"]

PAIR_COLUMNS: Final = ("a", "b", "forward", "backward", "n_a", "n_b", "share_forward", "share_backward", "relation")


class PairListing(Listing["PairRow"]):
    """Pairs in the order of (a, b), computed as they are read.

    Args:
        rows: the pairs.
        columns: column names of ``PairRow.as_dict``.
        report: what was read.
        settings: settings that decided key terms and relations.
        semantic: whether the sentence encoder was used.
        k_min: as requested.

    Attributes:
        settings: as given.
        semantic: as given.
        k_min: as given.
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
    ) -> None:
        super().__init__(rows, columns, report)
        self.settings = settings
        self.semantic = semantic
        self.k_min = k_min

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
        from infostream_dedup.runs.batch.pair_order import stricter_rows

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
        found._kept = rows
        return found


def files_of(report: ReadingReport) -> NDArray[np.int64]:
    """Return the number of each document's file: int64 (documents,)."""
    import numpy as np

    return np.repeat(np.arange(len(report.used_by_source)), list(report.used_by_source.values()))
