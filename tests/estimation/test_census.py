"""The census of copies finds exactly the pairs that comparing every pair finds."""

import gzip
import json
from datetime import date, timedelta

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infostream_dedup import Deduplicator, Document, api
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence import pair_evidence
from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.judging.evidence.facts import DAY, DocumentFacts
from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.judging.evidence.pair_evidence import TripleRanges, TripleRows, fill_in_wording
from infostream_dedup.lab import census as counting
from infostream_dedup.lab import duplicate_scores
from infostream_dedup.lab.copy_scores import DayCopies, Links, drifts, latest_drifts
from infostream_dedup.lab.duplicate_scores import draw_candidates
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.model import NO_TIME
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store


def _brute_force(triples, universe):
    """Wording of every pair of three tenths and more, by one product of sparse matrices."""
    names, columns = np.unique(triples.triples, return_inverse=True)
    sizes = np.diff(triples.begins)
    if len(names) == 0:
        return {}
    table = sp.csr_array(
        (np.ones(len(columns), dtype=np.int32), columns, triples.begins), shape=(len(sizes), len(names))
    )
    shared = sp.triu(table @ table.T, k=1).tocoo()
    a, b = shared.coords
    smaller = np.minimum(sizes[a], sizes[b])
    found = (shared.data / smaller >= 0.3) & universe.counted[a] & universe.counted[b]
    if universe.window >= 0:
        found &= np.abs(universe.times[a] - universe.times[b]) <= universe.window
    pairs = zip(a[found].tolist(), b[found].tolist(), strict=True)
    return dict(zip(pairs, (shared.data / smaller)[found].tolist(), strict=True))


def _table(copies):
    return dict(zip(zip(copies.a.tolist(), copies.b.tolist(), strict=True), copies.wording.tolist(), strict=True))


def test_a_case_worked_by_hand(triple_rows, universe):
    # 0 and 1 share 3 of the 10 triples of 1; 0 and 2 share 2 of 10; 3 is equal to 0; 4 lies inside 0.
    rows = triple_rows([range(12), [0, 1, 2, *range(20, 27)], [0, 1, *range(30, 38)], range(12), range(4, 8)])
    found = counting.find_all_copies(rows, universe(5))
    assert _table(found) == {(0, 1): 0.3, (0, 3): 1.0, (0, 4): 1.0, (1, 3): 0.3, (3, 4): 1.0}
    # Three triples, and less than half of a text, may be a phrase.
    phrase, counted = counting.PHRASE, counting.COUNTED
    assert found.marks.tolist() == [phrase, counted, counted, phrase, counted]
    assert (found.total, found.series, found.sampled) == (3, 0, 1)


def test_posts_of_a_daily_form_are_a_series_and_so_are_their_copies(triple_rows, universe):
    # Channels 1 and 2 publish a form on days 0 and 1, of which 20 of 30 triples stay; 4 is the first post cut to 15;
    # 5 has 9 triples of it, which may be a phrase, and 6 has 18.
    form, news = range(30), range(100, 115)
    rows = triple_rows([form, form, range(10, 40), range(10, 40), range(15), [*range(9), *news], [*range(18), *news]])
    channels = universe(
        7, days=np.array([0.4, 0.41, 1.4, 1.41, 0.5, 0.6, 0.7]), sources=np.array([1, 2, 1, 2, 3, 4, 5])
    )
    found = counting.find_all_copies(rows, channels)
    marks = dict(zip(_table(found), found.marks.tolist(), strict=True))
    assert {pair for pair, mark in marks.items() if mark == counting.SERIES} == {(0, 2), (0, 3), (1, 2), (1, 3)}
    assert {pair for pair, mark in marks.items() if mark == counting.PHRASE} == {(2, 4), (3, 4), (0, 5), (1, 5)}
    copies = {(0, 1), (2, 3), (0, 4), (1, 4), (4, 5), (0, 6), (1, 6), (4, 6), (5, 6)}
    assert {pair for pair, mark in marks.items() if mark == counting.COUNTED} == copies
    assert (found.total, found.series) == (9, 4)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sets(st.integers(0, 40), max_size=25), max_size=14), st.integers(0, 3))
def test_equal_to_brute_force_on_anything(triple_rows, universe, texts, seed):
    rows = triple_rows(texts)
    days = None if seed == 0 else np.random.default_rng(seed).random(len(texts)) * 25
    pairs = universe(len(texts), days=days)
    assert _table(counting.find_all_copies(rows, pairs)) == _brute_force(rows, pairs)


@pytest.mark.parametrize("dated", [False, True])
def test_equal_to_brute_force_with_clusters_of_2_to_500(triple_rows, universe, edited, dated):
    # 60 texts is the border between rare and common triples; 500 print one story.
    texts = edited(1, [500, 300, 100, 61, 60, 59, *[2] * 460])
    rows = triple_rows([*texts, *[texts[0]] * 70])
    days = np.random.default_rng(2).random(len(rows.begins) - 1) * 40 if dated else None
    pairs = universe(len(rows.begins) - 1, days=days)
    expected = _brute_force(rows, pairs)
    assert _table(counting.find_all_copies(rows, pairs)) == expected
    assert len(expected) > 3_000


def test_tables_in_parts_give_the_same(triple_rows, universe, edited, monkeypatch):
    rows = triple_rows(edited(3, [80, 20, *[3] * 40]))
    pairs = universe(len(rows.begins) - 1)
    whole = _table(counting.find_all_copies(rows, pairs))
    monkeypatch.setattr(pair_evidence, "_PART", 5)
    assert _table(counting.find_all_copies(rows, pairs)) == whole
    assert whole


def test_more_pairs_than_are_kept_are_counted_and_sampled(triple_rows, universe, edited):
    rows = triple_rows(edited(4, [200, *[2] * 50]))
    pairs = universe(len(rows.begins) - 1)
    whole = counting.find_all_copies(rows, pairs)
    part = counting.find_all_copies(rows, pairs, most=1000)
    assert part.total == pytest.approx(whole.total, rel=0.05)
    assert whole.total > 5_000
    assert part.sampled > 1
    assert 500 / 1.3 < len(part) <= 1000
    assert _table(part).items() < _table(whole).items()
    assert part.sampled * len(part) == pytest.approx(whole.total, rel=0.2)


def _copies_of(rows):
    reader = EvidenceReader()
    collection = collect([Document(id=row["id"], text=row["text"]) for row in rows], evidence=reader)
    evidence = reader.finish(collection.languages)
    facts = DocumentFacts.of_documents(collection.documents, collection.text_hashes)
    universe = counting.counted_pairs(facts, evidence.records).universe
    return counting.find_all_copies(evidence.triples, universe), evidence.triples, universe


@pytest.mark.slow
def test_a_story_of_500_sites_is_found_among_texts(corpora):
    """Real texts, edited: each site drops a few words of one story, so that none of its triples is rare."""
    with gzip.open(corpora / "mdnews.docs.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for _, line in zip(range(400), lines, strict=False)]
    words = rows[0]["text"].split()
    random = np.random.default_rng(5)
    for number in range(500):
        kept = [word for word, draw in zip(words, random.random(len(words)), strict=True) if draw > 0.05]
        rows.append({"id": f"site {number}", "text": " ".join(kept)})
    found, *_ = _copies_of(rows)
    assert int(((found.a >= 400) & (found.b >= 400)).sum()) == 500 * 499 // 2


def test_equal_to_brute_force_on_300_real_documents(corpora):
    with gzip.open(corpora / "slavictopics.docs.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for _, line in zip(range(300), lines, strict=False)]
    found, triples, universe = _copies_of(rows)
    assert _table(found) == _brute_force(triples, universe)
    assert len(found) > 50


def test_nothing_comes_of_nothing(universe):
    rows = TripleRows(np.zeros(0, dtype=np.uint64), np.zeros(1, dtype=np.int64))
    assert len(counting.find_all_copies(rows, universe(0))) == 0


# The census of a part of a collection is that of its documents alone.
def _census(texts, *, ranges=None):
    documents = [Document(id=str(number), text=text, lang="ru") for number, text in enumerate(texts)]
    reader = EvidenceReader(ranges=ranges)
    collection = collect(documents, evidence=reader)
    return counting.CopyCensus(collection.documents, reader.finish(collection.languages), ranges=ranges)


def _texts():
    random = np.random.default_rng(3)
    stories = [[f"слово{number}" for number in random.integers(0, 500, 60)] for _ in range(6)]
    return [" ".join(stories[place % 6][: 30 + place]) for place in range(24)]


def _pairs(copies):
    return set(zip(copies.a.tolist(), copies.b.tolist(), strict=True))


def test_a_part_has_the_copies_of_its_documents():
    whole = _census(_texts())
    chosen = np.array([0, 1, 6, 7, 12, 20, 23])
    inside = {pair for pair in _pairs(whole.copies()) if {*pair} <= {*chosen.tolist()}}
    assert inside == {(0, 6), (0, 12), (6, 12), (1, 7)}
    assert _pairs(whole.part(chosen).copies()) == inside
    # A part that is asked for first does not change the whole.
    other = _census(_texts())
    assert _pairs(other.part(chosen).copies()) == inside
    assert _pairs(other.copies()) == _pairs(whole.copies())


def test_triples_read_into_ranges_give_the_same_copies():
    kept, ranged = _census(_texts()), _census(_texts(), ranges=TripleRanges(memory=1000))
    assert _pairs(kept.copies()) == _pairs(ranged.copies()) != set()
    assert np.array_equal(kept.copies().wording, ranged.copies().wording)
    assert np.array_equal(kept.facts.texts, ranged.facts.texts)


# Wording from shared triples alone is the wording that all triples give.
def _every_pair(documents):
    return np.triu_indices(documents, 1)


def _from_all(rows):
    a, b = _every_pair(len(rows.begins) - 1)
    evidence = np.zeros((len(a), len(COLUMNS)))
    fill_in_wording(a, b, rows, evidence)
    return evidence


def _from_shared(rows, universe):
    ranges = TripleRanges.of(rows)
    texts = counting.texts_of_documents(ranges.checksums(), ranges.sizes(), universe).stand_ins(len(rows.begins) - 1)
    found = counting.shared_wording(ranges, texts)
    a, b = _every_pair(len(rows.begins) - 1)
    evidence = np.zeros((len(a), len(COLUMNS)))
    found.fill_in(a, b, evidence)
    return found, evidence


def test_a_case_worked_by_hand_wording(triple_rows, universe):
    # 1 and 2 have the same text, so one of them stands for both. 5 is in one text only and gets no number.
    found, evidence = _from_shared(triple_rows([[1, 2, 3, 5], [1, 2], [1, 2], [3, 7, 8]]), universe(4))
    assert (found.texts.tolist(), found.terms) == ([0, 1, 1, 3], 3)
    assert np.diff(found.begins).tolist() == [3, 2, 0, 1]
    forward, backward = evidence[:, COLUMNS.index("wording_forward") :].T
    assert forward.tolist() == [0.5, 0.5, 0.25, 1.0, 0.0, 0.0]
    assert backward.tolist() == [1.0, 1.0, 1 / 3, 1.0, 0.0, 0.0]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sets(st.integers(0, 1 << 40), max_size=20), max_size=8), st.integers(0, 3))
def test_the_same_as_from_all_triples(triple_rows, universe, texts, seed):
    random = np.random.default_rng(seed)
    # Some texts occur several times, also in different weeks, and some documents are not counted.
    texts = [*texts, *(texts[place] for place in random.integers(0, max(len(texts), 1), 4 if texts else 0))]
    rows = triple_rows(texts)
    pairs = universe(len(texts), days=random.random(len(texts)) * 30 if seed else None)
    pairs = pairs._replace(counted=random.random(len(texts)) < 0.8)
    assert np.array_equal(_from_shared(rows, pairs)[1], _from_all(rows))


def test_parts_and_blocks_of_pairs_change_nothing(triple_rows, universe, edited, monkeypatch):
    rows = triple_rows(edited(7, [30, 10, *[2] * 20]))
    pairs = universe(len(rows.begins) - 1)
    whole = _from_shared(rows, pairs)
    monkeypatch.setattr(pair_evidence, "_PART", 4)
    monkeypatch.setattr(counting, "_PAIRS_AT_ONCE", 101)
    parts = _from_shared(rows, pairs)
    assert parts[0].terms == whole[0].terms > 500
    assert np.array_equal(parts[1], whole[1])
    assert np.array_equal(whole[1], _from_all(rows))


# Drawn candidates are those with the smallest hashes among all pairs that qualify.
_STEP = 5


def _made(documents, seed):
    """Counts of both directions, of which many are below 3 or missing, with grades of their own."""
    random = np.random.default_rng(seed)
    counts = random.integers(0, 13, (documents, documents)).astype(np.uint8)
    counts[random.random((documents, documents)) < 0.5] = 0
    np.fill_diagonal(counts, 0)
    matrix = sp.csr_array(counts)
    grades = sp.csr_array((np.minimum(matrix.data, 9), matrix.indices, matrix.indptr), shape=matrix.shape)
    times = (random.random(documents) * 200 * DAY).astype(np.int64)
    times[random.random(documents) < 0.1] = NO_TIME
    none = np.full(documents, -1, dtype=np.int64)
    facts = DocumentFacts(random.integers(-1, 3, documents), times, none, none)
    return SimilarityMatrix(matrix, 12, 1), Links.of(grades), facts, random.integers(0, 2, documents).astype(np.uint8)


def _slowly(matrix, links, facts, universe, languages, most):
    """The same by dense matrices and one pair at a time."""
    counts = matrix.counts.toarray()
    a, b = np.nonzero(np.triu((counts >= 3) | (counts.T >= 3), k=1))
    alike = languages[a] == languages[b]
    a, b = a[alike], b[alike]
    linked = (counts[a, b] >= 3) & (counts[b, a] >= 3) & (links.grades_of(a, b) >= _STEP)
    known = (
        (facts.times[a] != NO_TIME) & (facts.times[b] != NO_TIME) & (facts.sources[a] >= 0) & (facts.sources[b] >= 0)
    )
    far = linked & known & (facts.sources[a] != facts.sources[b]) & (abs(facts.times[a] - facts.times[b]) > 60 * DAY)
    inside, series = counting.in_universe(universe, a, b)
    kept = inside & ~series
    found = []
    for chosen, size in zip((kept, kept & linked, far), most, strict=True):
        drawn = counting.DrawnPairs(size)
        drawn.add(a[chosen], b[chosen])
        found.append(np.stack(drawn.pairs()))
    return [*found, int(far.sum())]


@pytest.mark.parametrize("most", [(5, 3, 2), (40, 20, 5), (100_000, 100_000, 100_000)])
@pytest.mark.parametrize("dated", [False, True])
def test_equal_to_a_draw_from_a_list_of_all_pairs(universe, monkeypatch, most, dated):
    for name, value in zip(("MOST_CANDIDATES", "MOST_LINKS", "MOST_FAR_LINKS"), most, strict=True):
        monkeypatch.setattr(duplicate_scores, name, value)
    for seed in range(6):
        matrix, links, facts, languages = _made(60, seed)
        random = np.random.default_rng(100 + seed)
        days = random.random(60) * 20 if dated else None
        pairs = universe(60, days=days, sources=facts.sources, titles=random.integers(0, 4, 60))
        pairs = pairs._replace(counted=random.random(60) < 0.9)
        found = draw_candidates(matrix, links, facts=facts, universe=pairs, languages=languages, checked_step=_STEP)
        expected = _slowly(matrix, links, facts, pairs, languages, most)
        assert found.far_links == expected[3] > 0
        for one, other in zip((found.pairs, found.linked, found.far), expected, strict=False):
            assert np.array_equal(one, other)
        assert found.pairs.shape[1] > 0


def test_halved_as_if_by_one_thread():
    a, b = np.triu_indices(60, 1)
    hashes = counting.hash_of_pairs(a, b)
    kept, halvings = counting.thinned(a, b, halvings=0, most=500)
    assert halvings == 2
    assert kept.tolist() == np.flatnonzero(hashes < np.uint64(1 << 62)).tolist()
    assert counting.thinned(a, b, halvings=0, most=len(a))[1] == 0
    assert counting.thinned(a, b, halvings=5, most=len(a))[1] == 5


START = date(2026, 3, 2)


def letters(number: int) -> str:
    alphabet = "абвгдежзиклмнопрстуфхцчшщэюя"
    return alphabet[number % 28] + alphabet[number // 28]


def text(number: int, words: range = range(40)) -> str:
    """Forty words that no other number has, or some of them."""
    return " ".join(f"слово{letters(number)}{letters(word)}" for word in words)


def item(name: str, day: int, source: str, body: str, title: str = "") -> dict[str, str]:
    published = f"{START + timedelta(days=day):%Y-%m-%d}T10:00:00Z"
    return {"id": name, "text": body, "title": title, "lang": "ru", "published": published, "source": source}


STREAM = [
    item("a", 0, "one", text(1)), item("b", 0, "two", text(2), "Мост"),
    # Day 1: an equal text of another source, and one that shares a third of its wording only (a copy, not a link).
    item("c", 1, "two", text(1)), item("d", 1, "two", text(2, range(14)) + " " + text(3, range(14, 40)), "Мост"),
    # Day 2: a source repeats its own text under another title: a series.
    item("e", 2, "one", text(4), "Курс на понедельник"), item("f", 3, "one", text(4), "Курс на вторник"),
    # The clock goes on by a day with each of these.
    *(item(f"day {day}", day, "three", text(5 + day)) for day in range(4, 9)),
    # Day 9: equal to the text of day 1, but eight days later.
    item("g", 9, "one", text(1)),
]  # fmt: skip


def rows(path, batch):
    with Deduplicator.open(path) as stream:
        for begin in range(0, len(STREAM), batch):
            stream.process(STREAM[begin : begin + batch])
    return api.store.copies(path)


def test_days_worked_by_hand_are_the_same_however_the_stream_is_cut(tmp_path):
    found = rows(tmp_path / "one.db", 1)
    assert found == rows(tmp_path / "two.db", 3) == rows(tmp_path / "all.db", 100)
    names = ("day", "source", "documents", "links", "copies", "linked_copies", "copy_precision", "copy_recall")
    # 12 of the 38 triples of d are b's: 12/38 = .32 of either text.
    assert [tuple(row[name] for name in names) for row in found] == [
        ("2026-03-02", "one", 1, 0, 0, 0, None, None), ("2026-03-02", "two", 1, 0, 0, 0, None, None),
        ("2026-03-03", "two", 2, 1, 2, 1, 1.0, 0.5), ("2026-03-04", "one", 1, 0, 0, 0, None, None),
        ("2026-03-05", "one", 1, 0, 0, 0, None, None),
        *((f"2026-03-{day:02}", "three", 1, 0, 0, 0, None, None) for day in range(6, 11)),
        ("2026-03-11", "one", 1, 0, 0, 0, None, None),
    ]  # fmt: skip
    assert api.store.copies(tmp_path / "one.db", days=9) == found[2:]
    assert api.store.drifts(tmp_path / "one.db") == []


def test_forgotten_documents_are_in_no_pair(tmp_path):
    path = tmp_path / "s.db"
    rows(path, 100)
    with Store.open(path) as store:
        store.forget("a")
    found = api.store.copies(path)
    assert [(row["documents"], row["copies"]) for row in found if row["day"] == "2026-03-03"] == [(2, 1)]


def test_a_store_without_wording_is_refused(tmp_path):
    with Deduplicator.open(tmp_path / "s.db", StreamSettings()) as stream:
        stream.process(STREAM)
    with pytest.raises(ConfigurationError, match="keeps no wording"):
        api.store.copies(tmp_path / "s.db")


def days(counts, source="one", first=0):
    return [
        DayCopies(day=20_000 + first + day, source=source, documents=n, links=k, copies=c, linked_copies=b)
        for day, (n, k, c, b) in enumerate(counts)
    ]


def test_a_recall_that_falls_is_an_alarm_on_its_first_day():
    from scipy.stats import fisher_exact  # takes a second, which no other test needs

    # Five copies a day, four of them linked; from day 40 on none is.
    found = drifts(days([(50, 4, 5, 4)] * 40 + [(50, 0, 5, 0)] * 5))
    assert {row.source for row in found} == {None, "one"}
    assert {row.measure for row in found} == {"recall"}
    (own,) = (row for row in found if row.source == "one")
    # On day 43 three of the last seven days are good: 12 of 35 copies are linked, of 140 before them 112.
    chance = 2 * fisher_exact([[12, 23], [112, 28]], alternative="less").pvalue
    assert (own.first, own.last, own.recent, own.usual) == (20_043, 20_044, (12, 35), (112, 140))
    assert own.chance == pytest.approx(chance)
    # A day earlier, 16 of 35: not rare enough.
    assert 2 * fisher_exact([[16, 19], [112, 28]], alternative="less").pvalue > 1e-4
    assert drifts(days([(50, 4, 5, 4)] * 45)) == []


def test_links_that_are_no_copies_and_a_flood_of_copies_are_alarms():
    wrong = drifts(days([(50, 4, 4, 4)] * 40 + [(50, 9, 4, 4)] * 7, source=None))
    assert [(row.source, row.measure) for row in wrong] == [(None, "precision")]
    flood = drifts(days([(50, 5, 5, 5)] * 40 + [(50, 30, 30, 30)] * 7))
    assert {row.measure for row in flood} == {"copies"}
    assert flood[0].as_dict()["first"] == "2024-11-14"


def test_too_few_usual_days_say_nothing():
    # Nineteen usual copies at most.
    assert not [row for row in drifts(days([(50, 1, 1, 1)] * 19 + [(50, 0, 50, 0)] * 7)) if row.measure == "recall"]
    assert drifts([]) == []


def test_a_stream_whose_source_begins_to_change_its_copies_is_told(tmp_path):
    # The second source reprints five texts of the first every day; from day 38 on it keeps a third of each only.
    stream = []
    for day in range(42):
        for place in range(5):
            number = 5 * day + place
            stream.append(item(f"a{number}", day, "one", text(number)))
            changed = text(number, range(16)) + " " + text(number + 400, range(16, 40))
            stream.append(item(f"b{number}", day, "two", text(number) if day < 38 else changed))
    with Deduplicator.open(tmp_path / "s.db") as opened:
        opened.process(stream)
    found = api.store.drifts(tmp_path / "s.db")
    assert {(row["source"], row["measure"]) for row in found} == {(None, "recall"), ("two", "recall")}
    assert {row["usual"] for row in found} == {1.0}
    assert all("2026-04-09" <= row["first"] <= "2026-04-11" for row in found)
    with Store.open(tmp_path / "s.db", read_only=True) as store:
        assert [drift.as_dict() for drift in latest_drifts(store) or ()] == found
