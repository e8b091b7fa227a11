"""The pair model: what two documents share beyond key terms, weighted by the model shipped with the package.

The second look of preset ``judged``. Candidates are pairs of one language in which three of the 12 key terms of one
document occur in the other, and equal texts. Key terms (12 and 30), numbers, names, lead, wording of the whole text and
length are compared; a logistic model gives the pair a probability. The evidence is defined in ``evidence.plain_pairs``,
the coefficients were learned by ``reports/learn_pair_model.py``. A pair is linked if its probability is at least .5;
its score is the probability.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> story = "Мэр Приозёрска Анна Ковалева открыла мост через реку Сухону. Подрядчик строил его три года."
    >>> texts = Texts.of(story, f"{story} Проезд бесплатный.", "Банк сохранил ставку", "Сборная выиграла")
    >>> method("pair-model").run(texts).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.judging.evidence.collecting import DocumentEvidence, EvidenceReader
from infostream_dedup.judging.evidence.facts import DocumentFacts
from infostream_dedup.judging.evidence.judging import judge_pairs
from infostream_dedup.judging.evidence.pair_evidence import key_rows
from infostream_dedup.judging.features.chains import equal_pairs
from infostream_dedup.judging.features.rows import Rows, rows_from
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.pairs import Pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.language.text.fingerprint import text_hash
from infostream_dedup.links import PLAIN
from infostream_dedup.model import Settings
from infostream_dedup.model.limits import Range
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.plain.key_terms import heaviest
from infostream_dedup.terms.reading import key_terms_of_surfaces

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PairModelMethod"]

_KEY_TERMS: Final = 30
_CANDIDATE_TERMS: Final = 3


@register("pair-model")
@dataclass(frozen=True)
class PairModelMethod(Method):
    """Links pairs by the probability that the shipped pair model gives them.

    Attributes:
        probability: minimum probability, 0.01 to 1.
    """

    probability: Annotated[float, Range(0.01, 1.0)] = 0.5

    def sign(self, texts: Texts) -> Rows:
        """Return each document's 30 key terms with weights, packed evidence and word triples, as bytes.

        A document without key terms has no signature.
        """
        terms, evidence = self._key_terms(texts), self._evidence(texts)
        entries = np.empty(terms.keys.nnz, dtype=[("term", "<i4"), ("weight", "<i8")])
        entries["term"], entries["weight"] = terms.keys.indices, terms.keys.data
        parts = (
            Rows(terms.keys.indptr.astype(np.int64), entries),
            Rows(evidence.records.begins, evidence.records.words),
            Rows(evidence.triples.begins, evidence.triples.triples),
        )
        rows = [
            list(b"".join(part.row(document).tobytes() for part in parts)) if terms.sizes[document] else []
            for document in range(len(texts))
        ]
        return rows_from(rows, np.uint8)

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return pairs that reach the probability, which is their score."""
        terms, evidence = self._key_terms(texts), self._evidence(texts)
        hashes = [text_hash(document.text) for document in texts.documents]
        signed = signatures.sizes > 0
        equal = equal_pairs(
            rows_from([list(one) if has else [] for one, has in zip(hashes, signed, strict=True)], np.uint8)
        )
        a, b = _candidates(terms)
        a, b = np.unique(np.stack((np.append(a, equal.a), np.append(b, equal.b))), axis=1)
        judged = judge_pairs(
            a,
            b,
            keys=key_rows(terms.keys, terms.targets),
            records=evidence.records,
            triples=evidence.triples,
            documents=DocumentFacts.of_documents(texts.documents, hashes),
        )
        linked = judged.probability >= self.probability
        return Pairs(a[linked], b[linked], judged.probability[linked])

    @staticmethod
    def _key_terms(texts: Texts) -> KeyTerms:
        settings = Settings(n=_KEY_TERMS)
        return texts.once(settings, lambda: key_terms_of_surfaces(texts.surfaces, settings))

    @staticmethod
    def _evidence(texts: Texts) -> DocumentEvidence:
        def read() -> DocumentEvidence:
            reader = EvidenceReader()
            for document in texts.documents:
                reader.add(document)
            return reader.finish(texts.languages)

        return texts.once("evidence", read)


def _candidates(terms: KeyTerms) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs a < b of one language with three of 12 key terms in either direction."""
    first = replace(terms, keys=heaviest(terms.keys, Settings().n))
    counts = PLAIN.match(first.keys, first.targets, n=Settings().n, weights=False, k_min=_CANDIDATE_TERMS).counts
    either = sp.coo_array(sp.triu(counts.maximum(counts.T), k=1))
    a, b = either.row.astype(np.int64), either.col.astype(np.int64)
    languages = terms.counts.languages
    same = languages[a] == languages[b]
    return a[same], b[same]
