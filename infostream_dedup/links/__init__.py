"""Compute a similarity matrix from key terms and targets, and measure its links: numbers only, no text.

Names are imported when they are first used, because scipy takes a tenth of a second, and the stream needs only
``pair_rules``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from infostream_dedup.links.compiled import group_leaders, match, sweep_counts
    from infostream_dedup.links.measures import (
        EXACT_FROM,
        Advice,
        Choice,
        KnownK,
        LinkTotals,
        Measures,
        advise,
        checked_way,
        usual_k,
    )
    from infostream_dedup.links.relation import (
        GroupCounts,
        LowLinks,
        NodeLinks,
        Relation,
        ShareLinks,
        StoredLinks,
        Survey,
        group_counts,
        group_sizes,
        survey,
    )
    from infostream_dedup.links.similarity_matrix import SimilarityMatrix, work_exceeds
    from infostream_dedup.links.sweeping import sweep_shares

__all__ = [
    "EXACT_FROM",
    "Advice",
    "Choice",
    "GroupCounts",
    "KnownK",
    "LinkTotals",
    "LowLinks",
    "Measures",
    "NodeLinks",
    "Relation",
    "ShareLinks",
    "SimilarityMatrix",
    "StoredLinks",
    "Survey",
    "advise",
    "checked_way",
    "group_counts",
    "group_leaders",
    "group_sizes",
    "match",
    "survey",
    "sweep_counts",
    "sweep_shares",
    "usual_k",
    "work_exceeds",
]

_PLACES: Final = {
    "compiled": "group_leaders match sweep_counts",
    "measures": "EXACT_FROM Advice Choice KnownK LinkTotals Measures advise checked_way usual_k",
    "sweeping": "sweep_shares",
    "relation": "GroupCounts LowLinks NodeLinks Relation ShareLinks StoredLinks Survey group_counts group_sizes survey",
    "similarity_matrix": "SimilarityMatrix work_exceeds",
}

_PLACE_OF: Final = {name: place for place, names in _PLACES.items() for name in names.split()}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _PLACE_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_PLACE_OF[name]}"), name)
