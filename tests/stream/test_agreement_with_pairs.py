"""With the same statistics and no window, ``ingest`` says what ``pairs --statistics`` says."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infostream_dedup import api
from infostream_dedup.documents import read_documents
from infostream_dedup.language.text.fingerprint import text_hash
from infostream_dedup.model import Document, Settings
from infostream_dedup.sample import documents_path
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings

FREE = {"window_days": None, "templates": False, "least_shared": 0.0, "chaining_density": 0.0}
"""Nothing but key terms decides."""

K_DUPLICATE, K_SIMILAR = 6, 4


def ingested(path, documents, stream_settings):
    with Deduplicator.open(path, stream_settings) as stream:
        return stream.process(documents)


def from_pairs(documents, name, first=0):
    """Status, ``of``, relation, counts and terms of each document from ``first`` on that ``pairs`` alone speak of."""
    documents = documents[first:]
    place = {document.id: number for number, document in enumerate(documents)}
    linked = {}
    for k, relation_of_duplicate in ((K_SIMILAR, None), (K_DUPLICATE, "equal")):
        for row in api.pairs(documents, statistics=name, k=k):
            if k == K_SIMILAR or row.relation == relation_of_duplicate:
                linked.setdefault(place[row.b], {}).setdefault(place[row.a], {})[k] = row
    earliest, found = {}, []
    for number, document in enumerate(documents):
        earlier = earliest.setdefault(text_hash(document.text), number)
        mine = linked.get(number, {})
        repeated = [a for a, rows in mine.items() if K_DUPLICATE in rows]
        if document.text and earlier < number:
            status, of, k = "exact", earlier, None
        elif mine:
            status, k = ("duplicate", K_DUPLICATE) if repeated else ("similar", K_SIMILAR)
            of = max(repeated or mine, key=lambda a: (*rank(mine[a][K_SIMILAR]), -a))
        else:
            status = of = k = None
        row = mine.get(of, {}).get(k or K_SIMILAR)
        found.append((status, None if of is None else documents[of].id, row))
    return found


def rank(row):
    return min(row.forward, row.backward), max(row.forward, row.backward)


OPPOSITE = {"contained": "contains", "contains": "contained", "equal": "equal", None: None}


def check(verdict, status, of, row):
    """Pairs are told from the earlier document, verdicts from the later one."""
    assert (verdict.status, verdict.of) == (status or "new", of) or (
        status is None and verdict.status == "insufficient_text"
    )
    if status in ("duplicate", "similar"):
        assert (verdict.forward, verdict.backward) == (row.backward, row.forward)
        assert (verdict.relation, list(verdict.terms)) == (OPPOSITE[row.relation], row.terms)


def check_whole_stream(documents, path):
    """All documents in one epoch: every verdict follows from pairs."""
    many = len(documents) + 1
    verdicts = ingested(path, documents, StreamSettings(first_epoch=many, epoch_documents=many, **FREE))
    for verdict, expected in zip(verdicts, from_pairs(documents, f"{path}:0"), strict=True):
        check(verdict, *expected)
    return {verdict.status for verdict in verdicts}


def check_second_epoch(documents, path, **terms):
    """Documents of a second epoch, weighed by what the first one counted: whatever they say of each other."""
    half = len(documents) // 2
    chosen = StreamSettings(terms=Settings(**terms), first_epoch=half, epoch_documents=len(documents), **FREE)
    verdicts = ingested(path, documents, chosen)
    place = {document.id: number for number, document in enumerate(documents)}
    checked = 0
    for verdict, (status, of, row) in zip(verdicts[half:], from_pairs(documents, f"{path}:1", half), strict=True):
        if verdict.of is None:
            # Nothing resembles it, so nothing of its own epoch does.
            assert status is None
        elif place[verdict.of] >= half:
            check(verdict, status, of, row)
            checked += 1
        elif status in ("duplicate", "similar") and verdict.status == status:
            assert rank(row) <= (min(verdict.forward, verdict.backward), max(verdict.forward, verdict.backward))
    return checked


@given(places=st.lists(st.integers(0, 198), unique=True, min_size=2, max_size=60))
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_part_of_the_sample_in_any_order(places, tmp_path_factory):
    documents = list(read_documents(documents_path()))
    path = tmp_path_factory.mktemp("agreement") / "s.db"
    check_whole_stream([documents[place] for place in places], path)


def test_the_sample_in_one_epoch_and_in_two(tmp_path):
    documents = list(read_documents(documents_path()))
    assert check_whole_stream(documents, tmp_path / "one.db") >= {"exact", "duplicate", "similar", "new"}
    assert check_second_epoch(documents, tmp_path / "two.db") > 20


def test_a_story_that_fills_the_first_epoch(tmp_path):
    """Its terms are above df_max, 60 of 2000 with the pseudo-documents, but not among the distinct documents."""
    words = max((one.text for one in read_documents(documents_path())), key=len).split()
    documents = [
        Document(id=str(number), text=" ".join([*words[: number % 40], *words[number % 40 + 1 :], str(number)]))
        for number in range(180)
    ]
    check_second_epoch(documents, tmp_path / "s.db", df_max=0.03)
    assert {status for status, *_ in from_pairs(documents, f"{tmp_path / 's.db'}:1", 90)[1:]} == {"duplicate"}


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("name", [pytest.param("mdnews", marks=pytest.mark.slow), "slavictopics"])
def test_real_news_in_one_epoch_and_in_two(corpora, tmp_path, name):
    documents = list(read_documents(corpora / f"{name}.docs.jsonl.gz"))[:1500]
    assert check_whole_stream(documents, tmp_path / "one.db") >= {"similar", "new"}
    assert check_second_epoch(documents, tmp_path / "two.db") > 5
