"""Which pairs of documents are true: the labelled protocol.

Random labelled negatives are far too easy: any method reaches an F1 near 1 on them. So if documents name their family
(all documents of a family are versions of one text), every linked pair between families that are not kin is false,
whether listed or not. Without families only listed pairs count (an open world), unless the labels are said to be
exhaustive: then every unlisted pair is false (a closed world).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.lab.evaluation.labels import Kin, Label, family_of, positive_labels
from infostream_dedup.lab.evaluation.pair_codes import both_of, codes_of, places_in
from infostream_dedup.lab.evaluation.scope import Scope, scope_of
from infostream_dedup.model import Document

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FALSE", "NOT_COUNTED", "TRUE", "Truth", "note_without_positives", "number_components", "truth_of"]

TRUE: Final = 1
FALSE: Final = -1
NOT_COUNTED: Final = 0

_CHUNK: Final = 1 << 21


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """Decides for every unordered pair of a collection whether it is true, false or not counted.

    Attributes:
        scope: the pairs considered; pairs outside the scope are not counted.
        positives: int64 (pairs,), ascending codes of the true pairs in scope.
        negatives: int64 (pairs,), ascending codes of the listed false pairs in scope.
        others: int64 (pairs,), ascending codes of the listed pairs in scope that are not counted.
        circles: int64 (documents,), number of the circle formed by the document's family and all its kin; -1 without
            a family.
        stories: int64 (documents,), number of the document's story, for resampling: its family, or the documents to
            which true pairs connect it; numbered from 0 without gaps; -1 if no counted pair can contain the document.
        closed: whether an unlisted pair is false even where a document names no family.
    """

    scope: Scope
    positives: NDArray[np.int64]
    negatives: NDArray[np.int64]
    others: NDArray[np.int64]
    circles: NDArray[np.int64]
    stories: NDArray[np.int64]
    closed: bool = False

    @property
    def documents(self) -> int:
        """Number of documents."""
        return len(self.circles)

    def judge(self, codes: NDArray[np.int64]) -> NDArray[np.int8]:
        """Judge pairs.

        Args:
            codes: int64 (pairs,), ascending distinct codes (``pair_codes.codes_of``).

        Returns:
            int8 (pairs,): ``TRUE``, ``FALSE`` or ``NOT_COUNTED``.
        """
        verdicts = np.zeros(len(codes), dtype=np.int8)
        for start in range(0, len(codes), _CHUNK):
            a, b = both_of(codes[start : start + _CHUNK], self.documents)
            named = (self.circles[a] >= 0) & (self.circles[b] >= 0)
            unrelated = (named | self.closed) & ~(named & (self.circles[a] == self.circles[b]))
            verdicts[start : start + _CHUNK][unrelated & self.scope.holds(a, b)] = FALSE
        for listed, verdict in ((self.others, NOT_COUNTED), (self.negatives, FALSE), (self.positives, TRUE)):
            verdicts[places_in(codes, listed)] = verdict
        return verdicts

    def in_scope(self, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return bool (pairs,), whether each pair is in scope; ``codes`` as in ``judge``."""
        found = np.empty(len(codes), dtype=np.bool_)
        for start in range(0, len(codes), _CHUNK):
            found[start : start + _CHUNK] = self.scope.holds(*both_of(codes[start : start + _CHUNK], self.documents))
        return found

    def takes_part(self) -> NDArray[np.bool_]:
        """Return bool (documents,), whether unlisted pairs of the document count: it names a family, or all do."""
        return self.scope.documents() & (self.closed | (self.circles >= 0))

    def classes(self) -> NDArray[np.int64]:
        """Return int64 (documents,), number of the documents that true pairs connect to each, itself included."""
        return number_components(self.documents, *both_of(self.positives, self.documents))


def truth_of(
    documents: Sequence[Document],
    languages: Sequence[str],
    labels: Sequence[Label],
    *,
    kin: Sequence[Kin] = (),
    positive: Sequence[str] = ("dup",),
    negative: Sequence[str] = ("different",),
    language_pairs: str | None = None,
    domains: Sequence[str] = (),
    closed: bool = False,
) -> Truth:
    """Apply the protocol to a collection and its labels.

    - A listed pair whose label is in ``positive`` is true.
    - Any other pair within a family, or between kin families (kin of kin are kin), is not counted, even if listed as
      ``different``: such pairs were drawn at random, whereas kinship was established.
    - A listed pair whose label is in ``negative`` is false; with any other label it is not counted.
    - An unlisted pair is false if both documents name a family, and not counted otherwise.
    - In a closed world every other unlisted pair is false too, and so is every listed pair that is a template (label or
      field ``kind``), whatever its label: a form that is filled in again repeats nothing.

    Args:
        documents: the collection; ``extra["family"]`` names a document's family, ``extra["domain"]`` its domain.
        languages: language of each document.
        labels: listed pairs.
        kin: pairs of kin families.
        positive: labels that count as true.
        negative: labels that count as false; ``positive`` takes precedence.
        language_pairs: see ``scope_of``.
        domains: see ``scope_of``.
        closed: the labels list every pair that is not false.

    Raises:
        BadDataError: a label names a document that is not in the collection, or kin are given but no document names a
            family.
        ConfigurationError: ``positive``, ``language_pairs`` or ``domains`` is invalid, or a template is to be true in a
            closed world.
    """
    if closed and "template" in positive:
        raise ConfigurationError("a closed world counts templates as false; leave template out of the positive labels")
    true_labels = positive_labels(positive)
    scope = scope_of(documents, languages, language_pairs=language_pairs, domains=domains)
    circles, families = _number_circles(documents, kin)
    codes = _encode_labels(documents, labels)
    a, b = both_of(codes, len(documents))
    related = (circles[a] >= 0) & (circles[a] == circles[b])
    given = np.array([label.label for label in labels], dtype=np.str_)
    template = np.array([closed and _is_template(label) for label in labels], dtype=np.bool_)
    is_true = np.isin(given, true_labels) & ~template
    is_false = (np.isin(given, list(negative)) & ~is_true & ~related) | template
    seen = scope.holds(a, b)
    positives = np.unique(codes[seen & is_true])
    negatives = np.unique(codes[seen & is_false])
    others = np.unique(codes[seen & ~is_true & ~is_false])
    in_play = ((families >= 0) | closed) & scope.documents()
    in_play[np.concatenate(both_of(np.concatenate((positives, negatives)), len(documents)))] = True
    stories = _number_stories(families, positives, in_play)
    return Truth(
        scope=scope,
        positives=positives,
        negatives=negatives,
        others=others,
        circles=circles,
        stories=stories,
        closed=closed,
    )


def note_without_positives(truth: Truth, listed: Sequence[Label], positive: Sequence[str]) -> list[str]:
    """A remark if no pair is true, as recall is then undefined and F1 is 0 or undefined.

    Args:
        truth: the truth.
        listed: listed pairs from which it was made.
        positive: labels that count as true.
    """
    if len(truth.positives):
        return []
    given = sorted({label.label for label in listed})
    return [f"no pair counts as true: positive is {', '.join(positive)}, the labels are {', '.join(given) or 'none'}"]


def _is_template(label: Label) -> bool:
    return "template" in (label.label, label.extra.get("kind"))


def _encode_labels(documents: Sequence[Document], labels: Sequence[Label]) -> NDArray[np.int64]:
    """Return the code of each label's pair, in the order given."""
    ordinals = {document.id: ordinal for ordinal, document in enumerate(documents)}
    for label in labels:
        for name, document in (("a", label.a), ("b", label.b)):
            if document not in ordinals:
                raise BadDataError(
                    f"is {document!r}, which is not among the {len(documents)} documents; "
                    "give the documents these labels were made for",
                    code="E_UNKNOWN_ID",
                    source=label.source,
                    line=label.line,
                    field=name,
                )
    a = np.array([ordinals[label.a] for label in labels], dtype=np.int64)
    b = np.array([ordinals[label.b] for label in labels], dtype=np.int64)
    return codes_of(a, b, len(documents))


def _number_circles(documents: Sequence[Document], kin: Sequence[Kin]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number each document's circle of kin families and its family; -1 without a family."""
    own = [family_of(document) for document in documents]
    if kin and not any(own):
        raise BadDataError(
            f"there are {len(kin)} pairs of kin families, but no document has a field 'family'; leave the kin out",
            code="E_NO_FAMILY",
            source="kin",
        )
    names = [family for family in own if family is not None]
    names += [family for pair in kin for family in (pair.family_a, pair.family_b)]
    number = {name: position for position, name in enumerate(dict.fromkeys(names))}
    circle = number_components(
        len(number),
        np.array([number[pair.family_a] for pair in kin], dtype=np.int64),
        np.array([number[pair.family_b] for pair in kin], dtype=np.int64),
    )
    families = np.array([-1 if family is None else number[family] for family in own], dtype=np.int64)
    circles = np.full(len(own), -1, dtype=np.int64)
    circles[families >= 0] = circle[families[families >= 0]]
    return circles, families


def _number_stories(
    families: NDArray[np.int64], positives: NDArray[np.int64], in_play: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Number the components of "same family" and "true pair", without gaps over the documents in play."""
    members = np.flatnonzero(families >= 0)
    members = members[np.argsort(families[members], kind="stable")]
    same = families[members[:-1]] == families[members[1:]]
    a, b = both_of(positives, len(families))
    component = number_components(
        len(families), np.concatenate((members[:-1][same], a)), np.concatenate((members[1:][same], b))
    )
    stories = np.full(len(families), -1, dtype=np.int64)
    stories[in_play] = np.unique(component[in_play], return_inverse=True)[1]
    return stories


def number_components(nodes: int, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64 (nodes,), the number of each node's connected component.

    Args:
        nodes: number of nodes.
        a: int64 (edges,), one end of each edge.
        b: int64 (edges,), the other end.
    """
    import scipy.sparse as sp
    from scipy.sparse.csgraph import connected_components

    if not nodes:
        return np.zeros(0, dtype=np.int64)
    graph = sp.coo_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(nodes, nodes)).tocsr()
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)
