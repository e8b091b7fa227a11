"""Judging pairs: the same whatever the company, the order and the way the triples come."""

from hashlib import blake2b
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.judging.evidence.differing import openings_of
from infostream_dedup.judging.evidence.facts import DAY, DocumentFacts
from infostream_dedup.judging.evidence.judging import (
    FILTER,
    LEAST_SHARE,
    DocumentStatus,
    JudgedCandidates,
    fillings_of_forms,
    joined_kinds,
    judge_pairs,
    passes_filter,
    statuses,
)
from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS, ComparedKeys
from infostream_dedup.judging.evidence.kernels.differing import share_openings
from infostream_dedup.judging.evidence.kinds import Kind
from infostream_dedup.judging.evidence.pair_evidence import TripleRows, key_rows
from infostream_dedup.judging.evidence.reading import evidence_texts, read_evidence
from infostream_dedup.judging.evidence.records import EvidenceFrequencies, EvidenceRecords, pack_evidence
from infostream_dedup.model import Document

_NEWS = "Президент Санду заявила 17 апреля в Кишинёве, что 300 млн лей пойдут на дороги Молдовы и мост через Днестр"
_OTHER = "Погода завтра будет тёплой, сообщают синоптики Одессы, ветер слабый, без осадков весь день и всю ночь"
_NAMES = ("Анна", "Борис", "Вера", "Глеб", "Дина", "Егор")
_TEXTS = (_NEWS, _OTHER, f"{_NEWS}, сказано сегодня", _NEWS, _OTHER.replace("тёплой", "холодной"), "Ничего общего")


class Collection:
    """Six documents of two sources, two days apart each."""

    def __init__(self) -> None:
        documents = [Document(id=str(n), text=text, title=f"{_NAMES[n]} в Кишинёве") for n, text in enumerate(_TEXTS)]
        raw = read_evidence(*evidence_texts(documents))
        self.records: EvidenceRecords = pack_evidence(raw, np.zeros(6, dtype=np.int8), EvidenceFrequencies())
        self.triples = TripleRows(raw.triples, raw.ends[:, 0].copy())
        rows = np.zeros((6, 12), dtype=np.int64)
        for number, column in enumerate((0, 4, 0, 0, 4, 8)):
            rows[number, column : column + 4] = 1_000_000_000
        self.keys: ComparedKeys = key_rows(sp.csr_array(rows), sp.csr_array(rows))
        hashes = [blake2b(text.encode(), digest_size=16).digest() for text in _TEXTS]
        self.facts = DocumentFacts.of(
            ["x", "x", "y", "x", "x", "y"], [number * DAY for number in range(6)], hashes,
            [None] * 6,
        )  # fmt: skip

    def judge(self, a: list[int], b: list[int], **options: object) -> JudgedCandidates:
        given = {"triples": self.triples, **options}
        return judge_pairs(
            np.array(a, dtype=np.int64), np.array(b, dtype=np.int64), keys=self.keys, records=self.records,
            documents=self.facts, **given,
        )  # type: ignore[arg-type]  # fmt: skip


@pytest.fixture(scope="module")
def collection() -> Collection:
    return Collection()


def test_kinds_of_a_small_collection(collection: Collection) -> None:
    found = collection.judge([0, 0, 1, 0], [2, 3, 4, 5])
    assert [Kind(one).name for one in found.kinds] == ["COPY", "COPY", "FOLLOW_UP", "RELATED"]
    assert found.passed.tolist() == [True, True, True, False]
    assert found.probability[1] == 1.0
    assert found.probability[3] == 0.0
    assert statuses(found.kinds, found.facts, joined_kinds(["copy"])).tolist() == [
        DocumentStatus.DUPLICATE, DocumentStatus.EXACT, DocumentStatus.SIMILAR, DocumentStatus.NEW,
    ]  # fmt: skip
    assert found.wording[1].tolist() == pytest.approx([20 / 21, 20 / 21], abs=0.1)


def test_a_pair_is_judged_the_same_alone_in_another_order_and_with_triples_on_demand(collection: Collection) -> None:
    a, b = [list(one) for one in np.triu_indices(6, 1)]
    whole = collection.judge(a, b)
    order = list(reversed(range(len(a))))
    mixed = collection.judge([a[at] for at in order], [b[at] for at in order])
    asked: list[list[int]] = []

    def source(rows: np.ndarray) -> TripleRows:
        asked.append(rows.tolist())
        parts = [
            collection.triples.triples[collection.triples.begins[row] : collection.triples.begins[row + 1]]
            for row in rows
        ]
        return TripleRows(np.concatenate(parts), np.cumsum([0, *map(len, parts)]))

    assert np.array_equal(whole.evidence, collection.judge(a, b, triples=source).evidence)
    assert np.array_equal(whole.evidence, mixed.evidence[order])
    assert np.array_equal(whole.kinds, mixed.kinds[order])
    assert asked == [[0, 1, 2, 3, 4]]
    for at in range(len(a)):
        alone = collection.judge([a[at]], [b[at]])
        assert np.array_equal(alone.evidence[0], whole.evidence[at])
        assert alone.probability[0] == whole.probability[at]


def test_what_two_texts_share_may_lie_behind_their_beginnings() -> None:
    words = [f"{letter}{number}" for letter in "абвгд" for number in range(100, 140)]
    whole, half = " ".join(words[:60]), " ".join(words[:30])
    openings = openings_of(whole, f"{half} {' '.join(words[60:120])}", " ".join((*words[60:170], *words[:60])), "а")
    share_openings(np.array([0, 0, 0, 3]), np.array([0, 1, 2, 0]), openings.tokens, found := np.empty(4))
    assert found.tolist() == pytest.approx([1.0, 28 / 88, 0.0, 0.0], abs=0.02)


PAIRS = st.sets(st.sampled_from([(a, b) for b in range(8) for a in range(b)]))


@given(forms=PAIRS, copies=PAIRS)
@example(forms={(0, 1), (0, 2), (1, 2)}, copies=set())
@example(forms={(0, 1), (0, 2), (1, 2)}, copies={(0, 3), (1, 3)})
def test_edits_that_chance_upon_figures_make_no_form(forms: set[Any], copies: set[Any]) -> None:
    def met(a: int, b: int, pairs: set[Any]) -> bool:
        return any({tuple(sorted((a, c))), tuple(sorted((b, c)))} <= pairs for c in range(8) if c not in (a, b))

    copies -= forms
    ends = [np.array(sorted(one), dtype=np.int64).reshape(-1, 2).T for one in (forms, copies)]
    found = fillings_of_forms((ends[0][0], ends[0][1]), (ends[1][0], ends[1][1])).tolist()
    assert found == [met(a, b, forms) and not met(a, b, copies) for a, b in sorted(forms)]


def test_nothing_to_judge(collection: Collection) -> None:
    assert len(collection.judge([], [])) == 0


def test_without_the_filter_every_pair_is_looked_at(collection: Collection) -> None:
    found = collection.judge([0], [5], filtered=False)
    assert found.passed.all()
    assert 0 < found.probability[0] < 0.5


def test_the_filter_asks_for_shares_only() -> None:
    evidence = np.zeros((4, len(COLUMNS)))
    evidence[:2, :4] = [[0.1, 0.3, 0.1, 0.15], [0.1, 0.3, 0.1, 0.149999998]]
    evidence[2:, :4] = [[0.3, 0.0, 0.2, 0.2], [0.299999998, 0.299999998, 0.2, 0.2]]
    assert (FILTER, LEAST_SHARE) == (0.9, 0.3)
    assert passes_filter(evidence).tolist() == [True, False, True, False]
