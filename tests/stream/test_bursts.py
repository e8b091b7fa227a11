"""A story that fills a feed: its copies are found, however often it repeats."""

import random
from collections import Counter

import pytest

from infostream_dedup.model import PRESETS, Document, Settings
from infostream_dedup.model.stream_records import Verdict
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.checking import checks
from tests.long_words import LONG_WORDS

# Words that the background knows: made-up ones have no key terms in the first epoch.
WORDS = LONG_WORDS[500:4000]
STEMS = Settings(representation="stem")


def burst(documents, *, changed=1, figures=0, words=60):
    """Documents of one story, some words or figures of which differ from one to the next."""
    draw = random.Random(3)  # noqa: S311
    story, found = draw.sample(WORDS, words), []
    for number in range(documents):
        own = list(story)
        for place in draw.sample(range(words), changed):
            own[place] = draw.choice(WORDS)
        own += [str(draw.randrange(10, 10_000)) for _ in range(figures)]
        found.append(Document(id=f"b{number}", text=" ".join(own), lang="ru", source="agency"))
    return found


def statuses(documents, settings, size=1000):
    engine = StreamEngine(settings)
    parts = [engine.decide(documents[begin : begin + size]) for begin in range(0, len(documents), size)]
    return Counter(one.status for part in parts for one in part.verdicts)


def terms_of_presets():
    known = {name for name in Settings.__slots__ if name in ("n", "rule", "min_terms", "k")}
    return [
        Settings.of(representation="stem", **{name: value for name, value in preset.items() if name in known})
        for preset in PRESETS.values()
    ]


@pytest.mark.parametrize("terms", [*terms_of_presets(), Settings(representation="stem", weighting="tfidf")])
def test_a_story_that_fills_a_feed_stays_a_duplicate(terms):
    found = statuses(burst(3000), StreamSettings(terms=terms, k_duplicate=terms.n // 2))
    assert found["duplicate"] + found["exact"] >= 0.99 * 3000
    assert not found["insufficient_text"]


def test_words_that_differ_do_not_take_the_place_of_the_story():
    found = statuses(burst(2500, changed=5), StreamSettings(terms=STEMS))
    assert found["duplicate"] + found["exact"] >= 0.99 * 2500
    # Ten rare words a document outweigh those of the story, which many documents contain; none passes as new.
    assert statuses(burst(1500, changed=10), StreamSettings(terms=STEMS))["similar"] >= 900
    assert statuses(burst(1500, changed=10), StreamSettings(terms=STEMS))["new"] == 1


def test_a_form_that_fills_a_feed_keeps_its_key_terms():
    found = statuses(burst(3000, figures=6), StreamSettings(terms=STEMS))
    assert found["insufficient_text"] == 0
    assert found["similar"] + found["duplicate"] >= 0.99 * 3000


def test_an_epoch_of_nothing_but_copies_is_closed_all_the_same(tmp_path):
    documents = burst(60)
    settings = StreamSettings(terms=STEMS, first_epoch=10, epoch_documents=10)
    expected = StreamEngine(settings).decide(documents).verdicts
    found = []
    for begin in range(0, 60, 4):
        with Deduplicator.open(tmp_path / "s.db", settings) as stream:
            found += stream.process(documents[begin : begin + 4])
    assert found == expected
    with Store.open(tmp_path / "s.db", create=False) as store:
        query = "SELECT epoch, documents FROM {} ORDER BY epoch"
        epochs, repeats = (
            store.connection.execute(query.format(table)).fetchall()
            for table in ("epoch_frequency", "repeat_frequency")
        )
        assert epochs == [(epoch, 10) for epoch in range(5)]
        assert repeats == [(0, 9), *((epoch, 10) for epoch in range(1, 5))]
        assert [check for check in checks(store.connection) if check.faults] == []


def test_key_terms_that_repeats_lift_above_df_max_survive_restarts_and_forgetting(tmp_path):
    # With pseudo-documents, 2000 in all, 50 copies lift terms above a df_max of .03; only one of them is distinct.
    documents = burst(170, changed=2)
    settings = StreamSettings(terms=STEMS.but(df_max=0.03), first_epoch=50, epoch_documents=50)
    expected = StreamEngine(settings).decide(documents).verdicts
    older = StreamEngine(settings.but(df_counts="all")).decide(documents).verdicts
    assert expected[:50] == older[:50]
    assert Counter(one.status for one in older[50:])["insufficient_text"] > 100
    assert {one.status for one in expected[1:]} <= {"duplicate", "exact"}
    found = []
    for begin in range(0, 170, 17):
        with Deduplicator.open(tmp_path / "s.db", settings) as stream:
            found += stream.process(documents[begin : begin + 17])
            # It stays in the counts of an epoch that is still open.
            stream.store.forget(documents[begin + 16].id)
    assert [(one.id, one.status) for one in found] == [(one.id, one.status) for one in expected]
    with Store.open(tmp_path / "s.db", create=False) as store:
        kept = [
            store.connection.execute(f"SELECT documents, df FROM {table} ORDER BY epoch").fetchall()  # noqa: S608
            for table in ("epoch_frequency", "repeat_frequency")
        ]
        assert [check for check in checks(store.connection) if check.faults] == []
    decided = StreamEngine(settings).decide(documents)
    for rows, records in zip(kept, (decided.closed, decided.repeated), strict=True):
        assert rows == [(one.documents, one.df.astype("<i4").tobytes()) for one in records]


def test_a_forgotten_copy_stays_a_repeat_in_frequencies(tmp_path):
    documents, settings = burst(20), StreamSettings(terms=STEMS, first_epoch=15, epoch_documents=1000)
    with Deduplicator.open(tmp_path / "s.db", settings) as stream:
        stream.process(documents[:10])
        stream.store.forget("b0")
        assert stream.store.load().withheld_repeats == ()
        stream.store.forget("b4")
        loaded = stream.store.load()
        (withheld,), (repeats,) = loaded.withheld, loaded.withheld_repeats
        assert (set(withheld.df.tolist()), set(repeats.df.tolist())) == ({1, 2}, {1})
        assert set(repeats.terms.tolist()) < set(withheld.terms.tolist())
        stream.process(documents[10:])
        assert [check for check in checks(stream.store.connection) if check.faults] == []


def test_what_repeats():
    def verdict(status, relation):
        return Verdict(id="a", status=status, of="b", group="b", relation=relation, forward=6, backward=6, terms=())

    for repeat in (("exact", "equal"), ("duplicate", "equal"), ("similar", "template"), ("similar", "updated")):
        assert verdict(*repeat).repeats
    for other in (("similar", "equal"), ("new", None)):
        assert not verdict(*other).repeats
