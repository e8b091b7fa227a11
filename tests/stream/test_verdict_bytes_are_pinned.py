"""Verdicts, events and state of a made-up stream under many settings, a checksum each; lemmas touch ``morph`` only."""

import hashlib
from collections import Counter
from dataclasses import replace

import orjson
import pytest

from infostream_dedup.model import Settings
from infostream_dedup.model.stream_records import CLASSIFIED_FIELDS, VERDICT_FIELDS
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.settings import StreamSettings

from .test_second_stage import model

STEMS = Settings(representation="stem", df_min=0)
BASE = StreamSettings(terms=STEMS, first_epoch=40, epoch_documents=110)
CASES = {
    "base": BASE, "defaults": StreamSettings(), "morph": BASE.but(terms=Settings()),
    "ban": BASE.but(within="outlets"), "require": BASE.but(within="source", exact_rule="opening"),
    "contained": BASE.but(duplicate_rule="contained", k_duplicate=5), "no_templates": BASE.but(templates=False),
    "paper": BASE.but(least_shared=0, templates=False), "least_shared_0": BASE.but(least_shared=0),
    "least_shared_1": BASE.but(least_shared=1),
    "signature": BASE.but(terms=Settings(representation="stem", df_min=0, target="signature"), least_shared=0.1),
    "window_documents": BASE.but(window_days=None, window_documents=45), "short_window": BASE.but(window_days=0.75),
    "endless": BASE.but(window_days=None, epoch_days=3), "opening": BASE.but(exact_rule="opening", within="outlets"),
    "chaining": BASE.but(chaining_documents=3, chaining_density=0.7, k_duplicate=4, least_shared=0.05),
    "losses": BASE.but(loss_limit=0.2, loss_documents=8), "low_k": BASE.but(k_duplicate=3, k_similar=1),
    "many_terms": BASE.but(terms=Settings(representation="stem", df_min=0, n=40), k_duplicate=20, k_similar=9),
    "strict": BASE.but(terms=Settings(representation="stem", df_min=2, short="strict", weighting="tfidf")),
}  # fmt: skip
PINNED = {
    "base": "b551ef96d42c5616fbdf7f93440416beab4e79ad09d20a6ded83e8c713cea106",
    "defaults": "ce28953f5fe9facb22faf0ecc725b1bd8a1c41d7a4de9f54e244a8e46c74b0be",
    "morph": "6b9f0ecac7457454fbf5045a490d7d8a7fd65c7b3451fd1a804a96b8447783e7",
    "ban": "c27dc9bfd86b9f675416a3822f6deb0ab8127532864eac0153c72f14883ade14",
    "require": "c28f0f6f2d6c30369e1a32502f54c30f71d21a65a2551c337c4e73dc972090e9",
    "contained": "fbeac5d6764d656bc4276320a3348f22c001140b58f5693f5b9981f8a555eb42",
    "no_templates": "59e82307cfcfc2f8633dcaf2bf958042e1bd455d23a2fb93bcdf92b9c208093b",
    "paper": "ddd0a745421116be6699cc9a95421c8bc0be923ce093044a688a92996a3a8130",
    "least_shared_0": "74a8ec33b3825bb258f7b0cb2443e2bdaedb88a8eae51ccd40f8dc2f73cf9add",
    "least_shared_1": "42adff1a9d98ddd27f6591b795a7859dade0e9a04ec5769ddd4386772799325e",
    "signature": "a5bf55b9dbf63e9905cde870239961b2894cc13fc901b52f47d73339083de41c",
    "window_documents": "f3a33b03b1030e2e19a1580088414513b96e5199cf992b56afc9092b6d0b1b38",
    "short_window": "d6ed2f0a0cd0a819ff5373ade33b11202f3bf08b924a76ee283c27756b427f6c",
    "endless": "568d0ae6bfb9d41c0aae4691bfcd942f297175ee3b09e08d952905a766bee5c3",
    "opening": "ac0ee9b361280be280e3afcff8fd3d36e39ca60f580b716a7d38ff3c88548683",
    "chaining": "b3005430d76c6029cd7955f96f4abcc690ef60f433eb4df1ac197dd282981484",
    "losses": "d8fa32b2d0af3e31c65a95bba50c0506c5ab1c9b01840b0a331f5d20d0ba6b95",
    "low_k": "48bdc5584e451b1cb2f2c6d0756e7584276f13e62b2705b2c2ada74261aa3df5",
    "many_terms": "c21c18240cd40fd2a58eb37fda643831cd39273dcc269368c9972b80f35891eb",
    "strict": "6f9b0046d9a7e13e6df6d2d2e3760fd9d8cc10a015dcb43526f01072caea4479",
}


@pytest.fixture(scope="module")
def stream(made_up_stream):
    return made_up_stream()


def decided(documents, settings, size):
    engine, verdicts, digest = StreamEngine(settings), [], hashlib.sha256()
    kinds = Counter()
    for begin in range(0, len(documents), size):
        part = engine.decide(documents[begin : begin + size])
        verdicts += part.verdicts
        kinds.update(event.kind for event in part.events)
        digest.update("".join(map(repr, part.events)).encode())
    digest.update(orjson.dumps([engine.best_of(one.group) for one in verdicts]))
    # Another dictionary has another fingerprint, and may have the same verdicts.
    kept = {name: value for name, value in part.state.items() if name != "term_rules"}
    state = orjson.dumps([kept, part.oldest], option=orjson.OPT_SORT_KEYS)
    return verdicts, kinds, checksum(verdicts, digest.digest() + state)


def checksum(verdicts, more=b""):
    rows = orjson.dumps([one.as_dict((*VERDICT_FIELDS, *CLASSIFIED_FIELDS)) for one in verdicts])
    return hashlib.sha256(rows + more).hexdigest()


@pytest.mark.parametrize("name", CASES)
def test_every_setting_keeps_its_bytes(stream, name):
    # Batches of 23 cut the stream within groups, epochs and days.
    assert decided(stream, CASES[name], 23)[-1] == PINNED[name]


def test_the_older_rule_of_df_max_says_the_same_where_no_story_fills_the_stream(stream):
    assert decided(stream, BASE.but(df_counts="all"), 23)[-1] == PINNED["base"]


def test_the_stream_has_everything_that_a_verdict_can_say(stream):
    verdicts, kinds, _ = decided(stream, BASE, len(stream))
    assert min(Counter(one.status for one in verdicts).values()) >= 5
    relations = Counter(one.relation for one in verdicts)
    assert set(relations) == {None, "equal", "contained", "contains", "template", "updated"}
    assert min(relations.values()) >= 5
    for name in ("chaining", "losses", "low_k"):
        kinds += decided(stream, CASES[name], 100)[1]
    assert set(kinds) == {"merge", "expiry", "alarm", "limit"}


def test_every_setting_says_something_of_its_own():
    assert len(set(PINNED.values())) == len(PINNED)


def test_a_store_that_is_closed_and_opened_keeps_the_bytes(stream, tmp_path):
    settings, path, verdicts = BASE.but(loss_limit=0.5, loss_documents=20), tmp_path / "s.db", []
    # Every ninth document comes again with an id that has come before.
    versions = [replace(one, id=f"n{number % 60}") if number % 9 == 4 else one for number, one in enumerate(stream)]
    for begin in range(0, len(versions), 90):
        with Deduplicator.open(path, settings if begin == 0 else None, on_conflict="version") as dedup:
            for first in range(begin, begin + 90, 31):
                verdicts += dedup.process(versions[first : min(first + 31, begin + 90)])
    assert checksum(verdicts) == STORED


STORED = "87b82fdae3a7668dfe95740468fabdb96d37307b6e79b121e862873de5f8ede6"


def test_a_model_keeps_its_bytes(stream):
    with Deduplicator.open(None, BASE.but(keep_text=True), model=model()) as dedup:
        verdicts = [one for begin in range(0, 200, 40) for one in dedup.process(stream[begin : begin + 40])]
    assert checksum(verdicts) == JUDGED


JUDGED = "738769c87ce36604cb4aa719d90db08dca4d13b9e00e08fe2e4e40633f0e4dfb"
