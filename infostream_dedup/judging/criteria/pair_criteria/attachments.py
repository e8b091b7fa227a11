"""Differences of attachments: pictures, films, links."""

from __future__ import annotations

from infostream_dedup.judging.criteria.criterion import Both, ComparedPairs, Typical, antisymmetric, criterion, say_more

__all__ = ["images", "links"]


@criterion(order=70, say=say_more("pictures"), typical=Typical(0, 2))
def images(pairs: ComparedPairs) -> Both:
    """Number of pictures and films of i minus that of j (5.5); any whole number, antisymmetric."""
    return antisymmetric(pairs.models.images[pairs.i] - pairs.models.images[pairs.j])


@criterion(order=80, say=say_more("links"), typical=Typical(0, 3))
def links(pairs: ComparedPairs) -> Both:
    """Number of links of i minus that of j (5.5); any whole number, antisymmetric."""
    return antisymmetric(pairs.models.links[pairs.i] - pairs.models.links[pairs.j])
