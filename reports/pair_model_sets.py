"""The judged pairs that the pair model is learned from: nine sets, and mdnews beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from frame import read_rows

from infostream_dedup import Document, read_documents
from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys
from infostream_dedup.judging.evidence.pair_evidence import TripleRows, compared, key_rows, shares_of_pairs
from infostream_dedup.judging.evidence.reading import RawEvidence, evidence_texts, read_evidence
from infostream_dedup.judging.evidence.records import EvidenceFrequencies, EvidenceRecords, changes_of, pack_evidence
from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.runs.batch.collection import Collection, collect
from infostream_dedup.runs.batch.linking import candidate_pairs, link

if TYPE_CHECKING:
    from numpy.typing import NDArray


_LEAST_COUNT = 3


@dataclass(frozen=True, slots=True)
class EvidenceCollection:
    """A collection with the evidence of its documents."""

    documents: list[Document]
    collection: Collection
    raw: RawEvidence
    records: EvidenceRecords
    keys: ComparedKeys
    triples: TripleRows = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "triples", TripleRows(self.raw.triples, self.raw.ends[:, 0].copy()))

    @classmethod
    def of(cls, documents: Iterable[Document]) -> EvidenceCollection:
        """Read documents."""
        kept = list(documents)
        collection = collect(kept)
        languages = np.array([LANGUAGES.index(one) for one in collection.languages], dtype=np.int8)
        raw = read_evidence(*evidence_texts(kept))
        terms = collection.key_terms(Settings(n=30))
        keys = key_rows(terms.keys, terms.targets)
        frequencies = EvidenceFrequencies()
        frequencies.add(changes_of(raw, languages))
        return cls(kept, collection, raw, pack_evidence(raw, languages, frequencies), keys)

    def candidates(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pairs with three of twelve key terms in one direction, as (earlier, later), ordered by the later one."""
        settings = Settings(n=12)
        linked = link(self.collection.key_terms(settings), settings, k_min=_LEAST_COUNT)
        one, other = candidate_pairs(linked, None)
        order = np.lexsort((one, other))
        return one[order].astype(np.int64), other[order].astype(np.int64)

    def evidence(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        """Evidence of pairs: float64 (pairs, COLUMNS)."""
        evidence = shares_of_pairs(a, b, self.keys)
        return compared(a, b, evidence, keys=self.keys, records=self.records, triples=self.triples)


_NEWS = frozenset(("", "news"))
_CODE = 1_000_000


@dataclass(frozen=True, slots=True)
class _Recipe:
    """How a set is cut out of the corpora."""

    corpus: str
    language: str | None = None
    domains: str | None = None
    positive: str = "dup"
    negatives: str = "family"


SETS: Mapping[str, _Recipe] = {
    "uagec": _Recipe("uagec"), "wmt ru": _Recipe("wmt", "ru", "news"), "wmt uk": _Recipe("wmt", "uk", "news"),
    "wmt en": _Recipe("wmt", "en", "news"), "wmt other ru": _Recipe("wmt", "ru", "other"),
    "wmt other en": _Recipe("wmt", "en", "other"), "ntrex en": _Recipe("ntrex", "en"),
    "slavictopics": _Recipe("slavictopics", negatives="topic"),
    "tgpairs": _Recipe("tgpairs", positive="similar", negatives="listed"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """Candidates of a set whose answer is known."""

    name: str
    evidence: NDArray[np.float64]
    same: NDArray[np.bool_]
    families_a: NDArray[np.int64]
    families_b: NDArray[np.int64]
    positives: int


@cache
def judged_set(corpora: Path, name: str) -> JudgedSet:
    """Read a set, find its candidates and compare them."""
    recipe = SETS[name]
    collection = collection_of(corpora, recipe.corpus, recipe.language)
    a, b = candidates_of(corpora, recipe.corpus, recipe.language)
    truth = _Truth(corpora, recipe, collection)
    inside = truth.in_scope(a) & truth.in_scope(b)
    a, b = a[inside], b[inside]
    same = np.isin(_codes(a, b), truth.positives)
    counted = same | truth.different(a, b)
    a, b = a[counted], b[counted]
    evidence = collection.evidence(a, b)
    return JudgedSet(name, evidence, same[counted], truth.families[a], truth.families[b], len(truth.positives))


@cache
def collection_of(corpora: Path, corpus: str, language: str | None) -> EvidenceCollection:
    """The documents of a corpus, or those of one language."""
    documents = read_documents(corpora / f"{corpus}.docs.jsonl.gz")
    return EvidenceCollection.of(one for one in documents if language is None or one.lang == language)


@cache
def candidates_of(corpora: Path, corpus: str, language: str | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Candidates of such a collection."""
    return collection_of(corpora, corpus, language).candidates()


def _codes(a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.minimum(a, b) * _CODE + np.maximum(a, b)


class _Truth:
    """Which pairs of a set are right, and which are wrong."""

    def __init__(self, corpora: Path, recipe: _Recipe, collection: EvidenceCollection) -> None:
        self._rows = [one.extra for one in collection.documents]
        self._recipe = recipe
        place = {one.id: number for number, one in enumerate(collection.documents)}
        labels = list(read_rows(corpora / f"{recipe.corpus}.labels.jsonl.gz"))

        def listed(label: str) -> NDArray[np.int64]:
            pairs = [
                (place[row["a"]], place[row["b"]])
                for row in labels
                if row["label"] == label and row["a"] in place and row["b"] in place
            ]
            found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
            inside = self.in_scope(found[:, 0]) & self.in_scope(found[:, 1])
            return np.unique(_codes(found[inside, 0], found[inside, 1]))

        self.positives, self._listed = listed(recipe.positive), listed("different")
        self.families = self._families(corpora)

    def in_scope(self, documents: NDArray[np.int64]) -> NDArray[np.bool_]:
        domains = [(row.get("domain") or "") for row in self._rows]
        wanted: Callable[[str], bool] = {
            None: lambda _: True,
            "news": lambda domain: domain in _NEWS,
            "other": lambda domain: domain not in _NEWS | {"conversation"},
        }[self._recipe.domains]
        return np.array([wanted(domain) for domain in domains], dtype=np.bool_)[documents]

    def different(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Pairs that are wrong; right ones are asked for first."""
        listed = np.isin(_codes(a, b), self._listed)
        if self._recipe.negatives == "listed":
            return listed
        if self._recipe.negatives == "topic":
            topics = np.unique([row.get("topic") or "" for row in self._rows], return_inverse=True)[1]
            return np.asarray(listed | (topics[a] != topics[b]), dtype=np.bool_)
        families = [row.get("family") for row in self._rows]
        known = np.array([family is not None for family in families])
        return np.asarray((self.families[a] != self.families[b]) & known[a] & known[b], dtype=np.bool_)

    def _families(self, corpora: Path) -> NDArray[np.int64]:
        """int64 (documents,): number of the family of each and all its kin."""
        if self._recipe.negatives != "family":
            return np.arange(len(self._rows), dtype=np.int64)
        roots: dict[str, str] = {}

        def root(family: str) -> str:
            while roots.setdefault(family, family) != family:
                family = roots[family]
            return family

        path = corpora / f"{self._recipe.corpus}.kin.jsonl.gz"
        for row in read_rows(path) if path.exists() else ():
            roots[root(row["family_a"])] = root(row["family_b"])
        told = sorted({row["family"] for row in self._rows if row.get("submission") == "translation"})
        for family in told[1:]:
            roots[root(told[0])] = root(family)
        names = [root(row["family"]) if row.get("family") else "" for row in self._rows]
        return np.unique(names, return_inverse=True)[1].astype(np.int64)
