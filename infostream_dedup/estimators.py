"""Estimators for scikit-learn's pipelines, which take a list or column of texts, and frames without near-duplicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from infostream_dedup.api.sources import numbered_texts
from infostream_dedup.errors import MissingExtraError

try:
    from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted
except ImportError:
    raise MissingExtraError("scikit-learn", "learn", "estimators") from None

if TYPE_CHECKING:
    import numpy as np
    import scipy.sparse as sp
    from numpy.typing import NDArray

__all__ = ["KeyTerms", "NearDuplicates"]


def _narrow(matrix: Any) -> sp.csr_array:
    """The matrix with indices of 32 bits: scikit-learn takes no others."""
    import scipy.sparse as sp

    indices, ends = matrix.indices.astype("int32"), matrix.indptr.astype("int32")
    return sp.csr_array((matrix.data, indices, ends), shape=matrix.shape)


class NearDuplicates(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Clusters texts into groups of near-duplicates; a text that nothing repeats has a group of its own.

    Args:
        preset: ``judged`` or ``faithful`` (see ``dedup``).
        k: number of key terms that must match, for preset ``faithful``.
        join: kinds of pairs that belong together, for preset ``judged``.

    Attributes:
        labels_: int64 (texts,), number of each text's group, from 0 in the order of first texts.
        statuses_: ``new``, ``exact``, ``duplicate``, ``similar`` or ``insufficient_text`` of each text.

    Example:
        >>> from infostream_dedup.estimators import NearDuplicates
        >>> text = "Мост через Лопань открыл министр транспорта утром в среду."
        >>> NearDuplicates().fit_predict([text, "Завод в Полтаве закрыли на ремонт до весны.", text]).tolist()
        [0, 1, 0]
    """

    def __init__(self, preset: str = "judged", k: int | None = None, join: str | None = None) -> None:
        self.preset = preset
        self.k = k
        self.join = join

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002, N803 - scikit-learn's names
        """Find the groups of texts, or of documents as dicts or a frame (``text, title, lang, published, source``)."""
        import numpy as np

        from infostream_dedup.api.dedup import dedup

        chosen = {name: value for name, value in (("k", self.k), ("join", self.join)) if value is not None}
        documents = numbered_texts(X)
        found = dedup(documents, preset=self.preset, annotate=True, show="first", **chosen)  # type: ignore[arg-type]
        rows = {row["id"]: row for row in found.as_rows()}
        # Empty texts are in no row's way: each is a group of its own.
        groups = [rows[one["id"]]["group"] or one["id"] if one["id"] in rows else one["id"] for one in documents]
        numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
        self.labels_: NDArray[np.int64] = np.array([numbers[group] for group in groups], dtype=np.int64)
        self.statuses_ = [rows[one["id"]]["status"] if one["id"] in rows else "new" for one in documents]
        return self


class KeyTerms(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns texts into a sparse matrix of their key terms, by weight.

    The statistics of ``fit`` are those of its texts. ``transform`` weighs the terms of further texts among
    themselves and drops terms that ``fit`` has not seen.

    Args:
        representation: ``stem``, ``morph`` or ``pivot`` (one term space for all languages).
        n: number of key terms of a text.

    Attributes:
        terms_: the term of each column.

    Example:
        >>> from infostream_dedup.estimators import KeyTerms
        >>> model = KeyTerms()
        >>> model.fit_transform(["Завод в Харькове закрыли.", "Мост через Лопань открыли."]).shape[0]
        2
        >>> "завод" in model.get_feature_names_out()
        True
    """

    def __init__(self, representation: str = "morph", n: int = 12) -> None:
        self.representation = representation
        self.n = n

    def fit(self, X: Any, y: object = None) -> Self:  # noqa: ARG002, N803 - scikit-learn's names
        """Learn the key terms of texts."""
        self._read(X)
        return self

    def fit_transform(self, X: Any, y: object = None) -> sp.csr_array:  # noqa: ARG002, N803
        """Learn the key terms of texts, and return their weights: float64 (texts, terms)."""
        return self._read(X)

    def transform(self, X: Any) -> sp.csr_array:  # noqa: N803
        """Return the weights of known terms in texts: float64 (texts, terms)."""
        import scipy.sparse as sp

        check_is_fitted(self, "terms_")
        matrix, labels = self._matrix(X)
        column = {term: place for place, term in enumerate(self.terms_)}
        known = [(place, column[term]) for place, term in enumerate(labels) if term in column]
        chosen = sp.csr_array(
            ([1.0] * len(known), ([one for one, _ in known], [other for _, other in known])),
            shape=(len(labels), len(self.terms_)),
        )
        return _narrow(matrix @ chosen)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:  # noqa: ARG002
        """The term of each column."""
        import numpy as np

        check_is_fitted(self, "terms_")
        return np.array(self.terms_, dtype=object)

    def _read(self, texts: Any) -> sp.csr_array:
        matrix, labels = self._matrix(texts)
        # Terms that are only looked up, never key terms, have no column; of pivot, columns of one term are joined.
        import numpy as np
        import scipy.sparse as sp

        used = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]))
        self.terms_ = sorted({labels[place] for place in used.tolist()})
        column = {term: place for place, term in enumerate(self.terms_)}
        places = np.array([column[labels[place]] for place in matrix.indices.tolist()], dtype=np.int32)
        found = sp.csr_array((matrix.data, places, matrix.indptr), shape=(matrix.shape[0], len(self.terms_)))
        found.sum_duplicates()
        return _narrow(found)

    def _matrix(self, texts: Any) -> tuple[sp.csr_array, list[str]]:
        from infostream_dedup.api.search import similarity_matrix

        documents = numbered_texts(texts)
        found = similarity_matrix(documents, k_min=self.n, representation=self.representation, n=self.n)
        rows = {one: place for place, one in enumerate(found.ids)}
        return found.keys[[rows[one["id"]] for one in documents]], found.terms
