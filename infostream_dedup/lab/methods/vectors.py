"""Methods that compare weighted words: vectors, stream clusters, and the project's own key terms and pair model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import Annotated, ClassVar, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.collecting import DocumentEvidence, EvidenceReader
from infostream_dedup.judging.evidence.facts import DocumentFacts
from infostream_dedup.judging.evidence.judging import judge_pairs
from infostream_dedup.judging.evidence.meaning import DIMENSIONS, encode, head_of
from infostream_dedup.judging.evidence.pair_evidence import key_rows
from infostream_dedup.judging.features.fingerprints import count_words, tf_idf_weights
from infostream_dedup.judging.features.joins import equal_pairs, similar_vectors, unit_vectors
from infostream_dedup.judging.features.words import read_words, significant
from infostream_dedup.lab.methods import Method, Pairs, Run, Texts, register, unordered_pairs
from infostream_dedup.language.text.fingerprint import text_hash
from infostream_dedup.links.compiled.matching import match
from infostream_dedup.links.pair_rules import SHARE_DECIMALS, need
from infostream_dedup.machine.arrays import Bools, Floats, Ints, Ragged, offsets_of, rows_from
from infostream_dedup.model import Settings
from infostream_dedup.model.limits import OneOf, Range
from infostream_dedup.model.settings import CANDIDATE_TERMS, COMPARED_TERMS, REPRESENTATIONS, WEIGHTINGS
from infostream_dedup.terms.compiled import key_terms_of_surfaces
from infostream_dedup.terms.key_terms import KeyTerms, heaviest

# Documents whose vectors point in the same direction.


@register("tf-idf-cosine")
@dataclass(frozen=True)
class TfIdfCosine(Method):
    """TF-IDF cosine: documents whose vectors of weighted words point in the same direction.

    G. Salton, M. McGill: Introduction to modern information retrieval, 1983; as the criterion of the text body in A.
    Andreev, D. Berezkin, I. Kozlov, K. Simakov: Detection of duplicates in a stream of text documents (in Russian),
    2014, section 5.1: the weights are BM25 (k1 = 2, b = 0.75), set to 0 if the IDF is negative. Words are the
    significant ones, not stems. All pairs that reach the threshold are found without multiplying all vectors
    (``features.joins``).

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мэр открыл новый мост", "Новый мост открыл мэр", "Дождь", "Снег", "Футбол")
        >>> method("tf-idf-cosine").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    tau: Annotated[float, Range(0.05, 1.0)] = 0.6  # minimum cosine

    def sign(self, texts: Texts) -> Ragged:
        """Return each document's word numbers with weights of norm 1."""
        return _signed(texts)

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs that reach the threshold; the score is the cosine."""
        return Pairs.of(similar_vectors(_vectors_of(texts, signatures), self.tau))


_ENTRY = np.dtype([("word", "<i4"), ("weight", "<f8")])


def _signed(texts: Texts) -> Ragged:
    """Each document's word numbers with weights of norm 1."""
    vectors = unit_vectors(texts.counts.rows(np.maximum(tf_idf_weights(texts.counts), 0)))
    values = np.empty(vectors.nnz, dtype=_ENTRY)
    values["word"], values["weight"] = vectors.indices, vectors.data
    return Ragged(vectors.indptr.astype(np.int64), values)


def _vectors_of(texts: Texts, signatures: Ragged) -> sp.csr_array:
    entries, shape = signatures.values, (len(signatures), len(texts.significant.vocabulary))
    return sp.csr_array((entries["weight"].copy(), entries["word"].copy(), signatures.indptr), shape=shape)


_ROWS_AT_ONCE: Final = 1000


@register("semantic")
@dataclass(frozen=True)
class Semantic(Method):
    """Semantic: documents whose titles and openings mean the same to a multilingual sentence encoder.

    L. Wang et al.: Multilingual E5 text embeddings: a technical report, 2024, in 4 bits
    (``evidence.meaning``). Every document is compared with every other, across languages too. Requires the
    extra ``semantic``; it takes about .2 s per document, so it runs only if it is named.

    Example:
        >>> from infostream_dedup.lab.methods import method
        >>> method("semantic", tau=0.95).as_dict()
        {'method': 'semantic', 'tau': 0.95}
    """

    only_when_named: ClassVar[bool] = True

    tau: Annotated[float, Range(0.5, 1.0)] = 0.9  # minimum cosine

    def sign(self, texts: Texts) -> Ragged:
        """Return 384 small whole numbers for each document with a word."""
        heads = [head_of(document) for document in texts.documents]
        filled = np.array([any(map(str.isalnum, head)) for head in heads], dtype=np.bool_)
        vectors = encode([head for head, one in zip(heads, filled.tolist(), strict=True) if one])
        return Ragged(offsets_of(filled * DIMENSIONS), vectors.ravel())

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs that reach the threshold; the score is the cosine."""
        del texts
        signed = np.flatnonzero(signatures.sizes > 0)
        table = signatures.values.reshape(-1, DIMENSIONS).astype(np.float64)
        table /= np.maximum(np.sqrt((table**2).sum(axis=1, keepdims=True)), 1.0)
        a, b, scores = [signed[:0]], [signed[:0]], [np.zeros(0)]
        for first in range(0, len(table), _ROWS_AT_ONCE):
            cosines = np.round(table[first : first + _ROWS_AT_ONCE] @ table.T, 4)
            row, column = np.nonzero(cosines >= self.tau)
            kept = column > row + first
            a.append(signed[row[kept] + first])
            b.append(signed[column[kept]])
            scores.append(cosines[row[kept], column[kept]])
        return Pairs(np.concatenate(a), np.concatenate(b), np.minimum(np.concatenate(scores), 1.0))


_BLOCK: Final = 256
_HOUR: Final = 3600.0


@register("stream-clusters")
@dataclass(frozen=True)
class StreamClusters(Method):
    """Stream clusters: each document joins the cluster of earlier documents that is most like it in words and time.

    S. Miranda, A. Znotiņš, S. Cohen, G. Barzdins: Multilingual clustering of streaming news, EMNLP 2018, its
    monolingual part. A document and a cluster are compared by the cosines of TF-IDF vectors of title, body and both (of
    a cluster: the sum over its documents), and by Gaussians of the time from the document to the oldest, the newest and
    the mean one of the cluster. The most similar cluster takes the document if it is similar enough; otherwise the
    document begins a new one.

    The paper also has lemmas and named entities, and learns the weights and the decision to join from labelled
    clusters; here parts weigh alike, and one threshold decides (the paper's own ablation: F1 82.8 instead of 94.1).
    Time is a share of the similarity; where a document or a cluster has none, words alone count. Documents come in
    input order, and the pairs are all pairs of a cluster: this is a baseline of ``ingest``, and depends on the order as
    ``ingest`` does.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мэр открыл новый мост", "Новый мост открыл мэр", "Дождь", "Снег", "Футбол")
        >>> method("stream-clusters").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    only_when_named: ClassVar[bool] = True

    tau: Annotated[float, Range(0.01, 1.0)] = 0.4  # minimum similarity to join a cluster
    time: Annotated[float, Range(0.0, 0.9)] = 0.2  # share of time in the similarity; words have the rest
    sigma: Annotated[float, Range(1.0, 10_000.0)] = 72.0  # width of the Gaussians in hours

    def sign(self, texts: Texts) -> Ragged:
        """Return the words of each document, title and body together, with weights of norm 1."""
        return _signed(texts)

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return all pairs of each cluster; the score is 1."""
        both = _vectors_of(texts, signatures)
        titles = _vectors([document.title or "" for document in texts.documents], texts.languages)
        bodies = _vectors([document.text for document in texts.documents], texts.languages)
        hours = [nan if one.time is None else one.time.timestamp() / _HOUR for one in texts.documents]
        clusters = self._cluster((titles, bodies, both), np.array(hours, dtype=np.float64), texts.languages)
        return _pairs_within(clusters, np.diff(signatures.indptr) > 0)

    def _cluster(self, parts: tuple[sp.csr_array, ...], hours: Floats, languages: list[str]) -> Ints:
        """Return the cluster of each document: int64 (documents,), numbered in the order in which they began."""
        documents = len(hours)
        filled = np.stack([np.diff(part.indptr) > 0 for part in parts])
        language = np.unique(np.array(languages, dtype=np.str_), return_inverse=True)[1]
        found = _Clusters(len(parts), documents)
        for begin in range(0, documents, _BLOCK):
            end = min(begin + _BLOCK, documents)
            products = [(part[begin:end] @ part[:end].T).toarray() for part in parts]
            for row, document in enumerate(range(begin, end)):
                dots = found.products([product[row, :document] for product in products])
                own = filled[:, document]
                likeness = found.likeness(dots[own], own)
                near = found.nearness(hours[document], self.sigma)
                likeness = np.where(np.isnan(near), likeness, (1 - self.time) * likeness + self.time * near)
                likeness = np.where(found.of_language(language[document]), np.round(likeness, SHARE_DECIMALS), -1.0)
                best = int(np.argmax(likeness)) if len(likeness) else -1
                joined = best if best >= 0 and likeness[best] >= self.tau else None
                found.add(joined, own, dots, hours[document], int(language[document]))
        return found.of[:documents]


class _Clusters:
    """Clusters so far.

    The dot product of a document with a cluster is the sum of those with its documents, and joining adds
    2 · product + 1 to the square of the cluster's norm: no vector of a cluster is kept.
    A document has ``parts`` vectors, each of norm 1 or 0.
    """

    def __init__(self, parts: int, documents: int) -> None:
        self.of = np.full(documents, -1, dtype=np.int64)
        self._documents = 0
        self._count = 0
        self._squares = np.zeros((parts, documents), dtype=np.float64)
        self._oldest, self._newest = np.full(documents, np.inf), np.full(documents, -np.inf)
        self._sums, self._dated = np.zeros(documents), np.zeros(documents)
        self._languages = np.zeros(documents, dtype=np.int64)

    def products(self, rows: list[Floats]) -> Floats:
        """Sum dot products with documents over clusters: float64 (parts, clusters)."""
        of = self.of[: self._documents]
        summed = [np.bincount(of, weights=row, minlength=self._count) for row in rows]
        return np.stack(summed).astype(np.float64)

    def likeness(self, dots: Floats, own: Bools) -> Floats:
        """Return the mean cosine over the parts that the document has: float64 (clusters,)."""
        norms = np.sqrt(self._squares[own, : self._count])
        cosines = np.divide(dots, norms, out=np.zeros_like(dots), where=norms > 0)
        return np.asarray(cosines.sum(axis=0) / max(len(dots), 1), dtype=np.float64)

    def nearness(self, hour: float, sigma: float) -> Floats:
        """Return the mean of three Gaussians of the time apart: float64 (clusters,), NaN if one has no time."""
        span = slice(0, self._count)
        mean = np.divide(
            self._sums[span], self._dated[span], out=np.full(self._count, np.nan), where=self._dated[span] > 0
        )
        apart = np.stack([self._oldest[span], self._newest[span], mean]) - hour
        return np.asarray(np.exp(-(apart**2) / (2 * sigma**2)).mean(axis=0), dtype=np.float64)

    def of_language(self, language: int) -> Bools:
        """Return which clusters are in a language: bool (clusters,)."""
        return np.asarray(self._languages[: self._count] == language, dtype=np.bool_)

    def add(self, joined: int | None, own: Bools, dots: Floats, hour: float, language: int) -> None:
        """Put the next document into a cluster, or into a new one."""
        one = self._count if joined is None else joined
        if joined is None:
            self._squares[:, one] = own
            self._languages[one] = language
            self._count += 1
        else:
            self._squares[:, one] += own + 2 * dots[:, one]
        self.of[self._documents] = one
        self._documents += 1
        if not np.isnan(hour):
            self._oldest[one], self._newest[one] = min(self._oldest[one], hour), max(self._newest[one], hour)
            self._sums[one] += hour
            self._dated[one] += 1


def _vectors(texts: list[str], languages: list[str]) -> sp.csr_array:
    counts = count_words(significant(read_words(texts), languages))
    return unit_vectors(counts.rows(np.maximum(tf_idf_weights(counts), 0)))


def _pairs_within(clusters: Ints, filled: Bools) -> Pairs:
    """Return all pairs of documents of a cluster that have words."""
    members = np.flatnonzero(filled)
    order = members[np.argsort(clusters[members], kind="stable")]
    ends = np.flatnonzero(np.diff(clusters[order])) + 1
    a, b = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for group in np.split(order, ends):
        first, second = np.triu_indices(len(group), 1)
        a.append(group[first])
        b.append(group[second])
    one, other = np.concatenate(a), np.concatenate(b)
    return unordered_pairs(one, other, np.ones(len(one), dtype=np.float64))


# The methods this package is about: key terms, and the pair model of preset ``judged``.


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

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
        >>> others = "Банк сохранил ставку", "Сборная выиграла"
        >>> texts = Texts.of(story, f"Итоги дня. {story}. Сборная выиграла.", *others)
        >>> method("key-terms-stem", df_min=1).run(texts).pairs.as_list()
        [(0, 1, 0.667)]
    """

    representation: ClassVar[str]

    n: Annotated[int, Range(1, 255)] = 12  # number of key terms of a document
    k: Annotated[int, Range(1, 255)] = 6  # number of key terms that must occur in the other document
    rule: Annotated[str, OneOf("both", "either", "forward")] = "both"  # directions that must hold
    # ``count`` requires k terms, ``share`` requires ``threshold`` of the key terms' weight and ``min_terms`` terms
    score: Annotated[str, OneOf("count", "share")] = "count"
    threshold: Annotated[float, Range(1e-9, 1.0)] = 0.40  # minimum share of weight
    min_terms: Annotated[int, Range(1, 255)] = 3  # with ``share``, number of key terms that must also be found
    # a file of ``terms/weightings/``
    weighting: Annotated[str, OneOf(*WEIGHTINGS)] = "bm25"
    # minimum document frequency: below 1 a share of all documents, otherwise a count
    df_min: Annotated[float, Range(0.0, 1e9)] = 2
    # maximum document frequency: below 1 a share of all documents, otherwise a count
    df_max: Annotated[float, Range(0.0, 1e9)] = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in (("k", self.k), ("min_terms", self.min_terms)):
            if value > self.n:
                raise ConfigurationError(f"{name} is {value}; expected a whole number from 1 to n = {self.n}")

    @property
    def directed(self) -> bool:
        return self.rule == "forward"

    def sign(self, texts: Texts) -> Ragged:
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
        # Pairs linked in both directions have the smaller score, those linked in either the larger one.
        links = sp.csr_array((scores, (a, b)), shape=(len(texts), len(texts)))
        forward, backward = sp.triu(links, k=1, format="csr"), sp.triu(links.T, k=1, format="csr")
        found = sp.coo_array(forward.minimum(backward) if self.rule == "both" else forward.maximum(backward))
        return unordered_pairs(found.row.astype(np.int64), found.col.astype(np.int64), found.data)

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

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр Приозёрска Анна Ковалева открыла мост через реку Сухону. Подрядчик строил его три года."
        >>> texts = Texts.of(story, f"{story} Проезд бесплатный.", "Банк сохранил ставку", "Сборная выиграла")
        >>> method("pair-model").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    probability: Annotated[float, Range(0.01, 1.0)] = 0.5  # minimum probability

    def sign(self, texts: Texts) -> Ragged:
        """Return each document's 30 key terms with weights, packed evidence and triples as bytes; none if none."""
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


def _candidate_pairs(terms: KeyTerms) -> tuple[Ints, Ints]:
    """Pairs a < b of one language with three of 12 key terms in either direction."""
    first = replace(terms, keys=heaviest(terms.keys, Settings().n))
    counts = match(first.keys, first.targets, n=Settings().n, weights=False, k_min=CANDIDATE_TERMS).counts
    either = sp.coo_array(sp.triu(counts.maximum(counts.T), k=1))
    a, b = either.row.astype(np.int64), either.col.astype(np.int64)
    languages = terms.counts.languages
    same = languages[a] == languages[b]
    return a[same], b[same]
