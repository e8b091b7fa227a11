"""The methods this package is about: key terms, and the pair model of preset ``judged``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import scipy.sparse as sp

from infostream_dedup.arrays import Ragged
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.collecting import DocumentEvidence, EvidenceReader
from infostream_dedup.judging.evidence.facts import DocumentFacts
from infostream_dedup.judging.evidence.judging import judge_pairs
from infostream_dedup.judging.evidence.pair_evidence import key_rows
from infostream_dedup.judging.features.joins import equal_pairs
from infostream_dedup.judging.features.rows import rows_from
from infostream_dedup.lab.methods.method import Method, Pairs, Run, Texts, unordered_pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.language.text.fingerprint import text_hash
from infostream_dedup.links import match
from infostream_dedup.links.pair_rules import need
from infostream_dedup.model import Settings
from infostream_dedup.model.constants import CANDIDATE_TERMS, COMPARED_TERMS
from infostream_dedup.model.limits import OneOf, Range
from infostream_dedup.model.settings import REPRESENTATIONS, WEIGHTINGS
from infostream_dedup.terms.compiled.key_terms import key_terms_of_surfaces
from infostream_dedup.terms.key_terms import KeyTerms, heaviest

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class _KeyTerms(Method):
    """Key terms: documents that contain each other's n heaviest terms; the method this package is about.

    D. Lande: Matrix criteria of quality for finding similar documents in information streams (in Russian), section 2. A
    document is linked to another if at least k of its n key terms occur in the other's text; the link is directed. With
    the rule ``both`` a pair needs links in both directions, with ``either`` in one of them; with ``forward`` each link
    is a pair of its own. Documents with fewer than n key terms need fewer (``links.pair_rules.need``). With ``score``
    ``share`` a direction counts if the key terms found carry a sufficient share of the weight of all of them: n = 30
    and share .40 are the preset ``best``.

    There is one method for each representation: terms are stems (``key-terms-stem``, the paper's standard way), lemmas
    of nouns and names by frequency dictionary (``key-terms-morph``, its new way), or lemmas in a pivot language
    (``key-terms-pivot``). Weights are BM25 with the collection's statistics by language.

    Attributes:
        n: number of key terms of a document, 1 to 255.
        k: number of key terms that must occur in the other document, 1 to n.
        rule: ``both``, ``either`` or ``forward``.
        score: ``count`` requires k terms, ``share`` requires ``threshold`` of the key terms' weight and ``min_terms``
            terms.
        threshold: minimum share of weight, greater than 0 and at most 1.
        min_terms: with ``share``, number of key terms that must also be found, 1 to n.
        weighting: ``bm25``, ``tfidf`` or the name of another file of ``terms/weightings/``.
        df_min: minimum document frequency: below 1 a share of all documents, otherwise a count.
        df_max: maximum document frequency: below 1 a share of all documents, otherwise a count.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
        >>> others = "Банк сохранил ставку", "Сборная выиграла"
        >>> texts = Texts.of(story, f"Итоги дня. {story}. Сборная выиграла.", *others)
        >>> method("key-terms-stem", df_min=1).run(texts).pairs.as_list()
        [(0, 1, 0.667)]
    """

    representation: ClassVar[str]

    n: Annotated[int, Range(1, 255)] = 12
    k: Annotated[int, Range(1, 255)] = 6
    rule: Annotated[str, OneOf("both", "either", "forward")] = "both"
    score: Annotated[str, OneOf("count", "share")] = "count"
    threshold: Annotated[float, Range(1e-9, 1.0)] = 0.40
    min_terms: Annotated[int, Range(1, 255)] = 3
    weighting: Annotated[str, OneOf(*WEIGHTINGS)] = "bm25"
    df_min: Annotated[float, Range(0.0, 1e9)] = 2
    df_max: Annotated[float, Range(0.0, 1e9)] = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in (("k", self.k), ("min_terms", self.min_terms)):
            if value > self.n:
                raise ConfigurationError(f"{name} is {value}; expected a whole number from 1 to n = {self.n}")

    @property
    def directed(self) -> bool:
        """Whether the rule is ``forward``."""
        return self.rule == "forward"

    def sign(self, texts: Texts) -> Ragged:
        """Return the numbers of each document's key terms, ascending."""
        keys = self._key_terms(texts).keys
        return Ragged(keys.indptr.astype(np.int64), keys.indices.astype(np.int32))

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs by the rule; the score is the share of key terms, or of their weight, found in the other."""
        del signatures
        key_terms = self._key_terms(texts)
        share = self.score == "share"
        matrix = match(key_terms.keys, key_terms.targets, n=self.n, weights=share, k_min=1)
        counts, sizes = matrix.counts, key_terms.sizes
        rows = np.repeat(np.arange(len(sizes), dtype=np.int64), np.diff(counts.indptr))
        columns = counts.indices.astype(np.int64)
        if share:
            shares = matrix.shares(key_terms.own_weights).data
            linked = (shares >= self.threshold) & (counts.data >= self.min_terms)
        else:
            shares = counts.data / sizes[rows]
            linked = counts.data >= need(self.k, sizes[rows], sizes[columns], n=self.n)
        a, b, scores = rows[linked], columns[linked], shares[linked]
        if self.directed:
            return Pairs(a, b, scores, directed=True)
        return _join_directions(a, b, scores, len(texts), both=self.rule == "both")

    def relation(self, texts: Texts, run: Run) -> Pairs:
        """The links in one direction each, as the papers measure them."""
        return run.pairs if self.directed else replace(self, rule="forward").link(texts, run.signatures)

    def _key_terms(self, texts: Texts) -> KeyTerms:
        settings = Settings.of(
            representation=self.representation,
            n=self.n,
            weighting=self.weighting,
            df_min=self.df_min,
            df_max=self.df_max,
        )
        return texts.once(settings, lambda: key_terms_of_surfaces(texts.surfaces, settings))


def _join_directions(
    a: NDArray[np.int64], b: NDArray[np.int64], scores: NDArray[np.float64], documents: int, *, both: bool
) -> Pairs:
    """Return pairs linked in both directions, with the smaller score, or in either, with the larger score."""
    links = sp.csr_array((scores, (a, b)), shape=(documents, documents))
    forward, backward = sp.triu(links, k=1, format="csr"), sp.triu(links.T, k=1, format="csr")
    found = sp.coo_array(forward.minimum(backward) if both else forward.maximum(backward))
    return unordered_pairs(found.row.astype(np.int64), found.col.astype(np.int64), found.data)


for _name in REPRESENTATIONS:
    _class = type(
        f"KeyTerms{_name.title()}",
        (_KeyTerms,),
        {"representation": _name, "__doc__": f"Terms of the representation ``{_name}``.", "__module__": __name__},
    )
    globals()[_class.__name__] = register(f"key-terms-{_name}")(_class)


@register("pair-model")
@dataclass(frozen=True)
class PairModelMethod(Method):
    """The pair model: what two documents share beyond key terms, weighted by the model shipped with the package.

    The second look of preset ``judged``. Candidates are pairs of one language in which three of the 12 key terms of one
    document occur in the other, and equal texts. Key terms (12 and 30), numbers, names, lead, wording of the whole text
    and length are compared; a logistic model gives the pair a probability. The evidence is defined in
    ``evidence.plain_pairs``, the coefficients were learned by ``reports/learn_pair_model.py``. A pair is linked if its
    probability is at least .5; its score is the probability.

    Attributes:
        probability: minimum probability, 0.01 to 1.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр Приозёрска Анна Ковалева открыла мост через реку Сухону. Подрядчик строил его три года."
        >>> texts = Texts.of(story, f"{story} Проезд бесплатный.", "Банк сохранил ставку", "Сборная выиграла")
        >>> method("pair-model").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    probability: Annotated[float, Range(0.01, 1.0)] = 0.5

    def sign(self, texts: Texts) -> Ragged:
        """Return each document's 30 key terms with weights, packed evidence and word triples, as bytes.

        A document without key terms has no signature.
        """
        terms, evidence = self._key_terms(texts), self._evidence(texts)
        entries = np.empty(terms.keys.nnz, dtype=[("term", "<i4"), ("weight", "<i8")])
        entries["term"], entries["weight"] = terms.keys.indices, terms.keys.data
        parts = (
            Ragged(terms.keys.indptr.astype(np.int64), entries),
            Ragged(evidence.records.begins, evidence.records.words),
            Ragged(evidence.triples.begins, evidence.triples.triples),
        )
        rows = [
            list(b"".join(part.row(document).tobytes() for part in parts)) if terms.sizes[document] else []
            for document in range(len(texts))
        ]
        return rows_from(rows, np.uint8)

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs that reach the probability, which is their score."""
        terms, evidence = self._key_terms(texts), self._evidence(texts)
        hashes = [text_hash(document.text) for document in texts.documents]
        signed = signatures.sizes > 0
        equal = equal_pairs(
            rows_from([list(one) if has else [] for one, has in zip(hashes, signed, strict=True)], np.uint8)
        )
        a, b = _candidate_pairs(terms)
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
        settings = Settings(n=COMPARED_TERMS)
        return texts.once(settings, lambda: key_terms_of_surfaces(texts.surfaces, settings))

    @staticmethod
    def _evidence(texts: Texts) -> DocumentEvidence:
        def read() -> DocumentEvidence:
            reader = EvidenceReader()
            for document in texts.documents:
                reader.add(document)
            return reader.finish(texts.languages)

        return texts.once("evidence", read)


def _candidate_pairs(terms: KeyTerms) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs a < b of one language with three of 12 key terms in either direction."""
    first = replace(terms, keys=heaviest(terms.keys, Settings().n))
    counts = match(first.keys, first.targets, n=Settings().n, weights=False, k_min=CANDIDATE_TERMS).counts
    either = sp.coo_array(sp.triu(counts.maximum(counts.T), k=1))
    a, b = either.row.astype(np.int64), either.col.astype(np.int64)
    languages = terms.counts.languages
    same = languages[a] == languages[b]
    return a[same], b[same]
