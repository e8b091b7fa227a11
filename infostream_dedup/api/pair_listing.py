"""What ``pairs`` returns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from infostream_dedup.api.listing import Listing
from infostream_dedup.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from infostream_dedup.batch.pairing import PairRow
    from infostream_dedup.corpus import ReadingReport
    from infostream_dedup.model import Settings

__all__ = ["PAIR_COLUMNS", "PairListing", "files_of"]

PAIR_COLUMNS: Final = ("a", "b", "forward", "backward", "n_a", "n_b", "share_forward", "share_backward", "relation")


class PairListing(Listing["PairRow"]):
    """Pairs in the order of (a, b), made as they are asked for.

    Args:
        rows: the pairs.
        columns: names of the columns of ``PairRow.as_dict``.
        report: what was read.
        settings: what decided key terms and relations.
        semantic: whether the sentence encoder was asked.
        k_min: as it was asked for.

    Attributes:
        settings: the same.
        semantic: the same.
        k_min: the same.
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
        """The pairs that a stricter k, or a higher probability, would have listed; nothing is computed again.

        Args:
            k: key terms that must meet: not below the ``k`` of these settings, or the ``k_min`` that was asked for.
                ``relation`` follows it.
            min_probability: with preset ``judged``, least probability, 0 to 1; translations, which have none, stay.

        Returns:
            A new listing; the rows of this one are kept and can be asked again.

        Raises:
            UsageError: these rows cannot say: too low a k, preset ``faithful`` without k, ``judged`` with one.

        Example:
            >>> found = pairs("march.parquet", k_min=4)  # doctest: +SKIP
            >>> [len(found.rethreshold(k).rows) for k in (4, 6, 8)]  # doctest: +SKIP
        """
        from infostream_dedup.batch.pair_order import stricter_rows

        judged = "probability" in self.columns
        if (k is None) == (min_probability is None) or judged == (min_probability is None):
            asked = "min_probability" if judged else "k"
            raise UsageError(f"these pairs were listed by {asked}; give rethreshold a new {asked}")
        least = self.settings.k if self.k_min is None else self.k_min
        if k is not None and (self.settings.score != "count" or not least <= k <= self.settings.n):
            raise UsageError(
                f"these rows hold the pairs of k = {least} to {self.settings.n} of score count, not of {k}; for others"
                " ask pairs(..., k_min=1) once"
            )
        rows = list(stricter_rows(self.rows, self.settings, k=k, min_probability=min_probability))
        found = PairListing(rows, self.columns, self.report, self.settings, semantic=self.semantic, k_min=k)
        found._kept = rows
        return found


def files_of(report: ReadingReport) -> NDArray[np.int64]:
    """Number of the file of each document: int64 (documents,)."""
    import numpy as np

    return np.repeat(np.arange(len(report.used_by_source)), list(report.used_by_source.values()))
