"""Verdicts, events and state of one made-up stream under many settings: a checksum each.

A change that makes the stream faster leaves every checksum alone. One that is meant to change verdicts changes them and
says so; dictionaries of lemmas touch the setting ``morph`` only.
"""

import hashlib
from collections import Counter
from dataclasses import replace

import numpy as np
import orjson
import pytest

from infostream_dedup.judging.criteria.classifier import Calibration, Classifier, Plane
from infostream_dedup.model import Settings
from infostream_dedup.model.stream_records import CLASSIFIED_FIELDS, VERDICT_FIELDS
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.settings import StreamSettings

STEMS = Settings(representation="stem", df_min=0)
BASE = StreamSettings(terms=STEMS, first_epoch=40, epoch_documents=110)
CASES = {
    "base": BASE, "defaults": StreamSettings(), "morph": BASE.but(terms=Settings()),
    "ban": BASE.but(same_source="ban"), "require": BASE.but(same_source="require", exact_rule="opening"),
    "contained": BASE.but(duplicate_rule="contained", k_duplicate=5), "no_templates": BASE.but(templates=False),
    "paper": BASE.but(least_shared=0, templates=False), "least_shared_0": BASE.but(least_shared=0),
    "least_shared_1": BASE.but(least_shared=1),
    "signature": BASE.but(terms=Settings(representation="stem", df_min=0, target="signature"), least_shared=0.1),
    "window_documents": BASE.but(window_days=None, window_documents=45), "short_window": BASE.but(window_days=0.75),
    "endless": BASE.but(window_days=None, epoch_days=3), "opening": BASE.but(exact_rule="opening", same_source="ban"),
    "chaining": BASE.but(chaining_documents=3, chaining_density=0.7, k_duplicate=4, least_shared=0.05),
    "losses": BASE.but(loss_limit=0.2, loss_documents=8), "low_k": BASE.but(k_duplicate=3, k_similar=1),
    "many_terms": BASE.but(terms=Settings(representation="stem", df_min=0, n=40), k_duplicate=20, k_similar=9),
    "strict": BASE.but(terms=Settings(representation="stem", df_min=2, short="strict", weighting="tfidf")),
}  # fmt: skip
PINNED = {
    "base": "585579495e40e10baa5a0075f3852cfefdb48708aca0ab906ff2c905e419ef17",
    "defaults": "a3377719ab88c920aae0e803c280641cac2e471393761b320d27e3ccc3690b49",
    "morph": "a03054d250c14c03ca1d7568a18f244fddcfac3e88f09e574b2ad04bceb9c1f1",
    "ban": "961f2f4a07b05c612db0e9daf6c4ac738e74700798c2c4ab86d6d4c716296d05",
    "require": "e2ce48a372cdff8a5600b7282e1ae07e31ba04f0c907130f3ea7996e3888eaee",
    "contained": "41d9d6c58f94e7234b71f9a6736fa22dbf6c5168669e6729bd2f8cd35b62166e",
    "no_templates": "721c68ebbdc2ffe682d4d19b36c036d944bed0e0b2ea8ce98293ef2814edaa51",
    "paper": "82c44f05b33ab5960e71cf98535010a859b8f6298d2e85af9a8755685f0e97a9",
    "least_shared_0": "3462d9bc2261750706d80964f7f554e1df728564b682f044ee636147e6f75c95",
    "least_shared_1": "969d7a3c4838c1a074400d8379535273ead73a38e4b5301b7cb8834709de6720",
    "signature": "7853151eb51ca648bc59582bc2d60b6c596ab748f494ab93deb75411518668e2",
    "window_documents": "b5e8487fe2659465f66c2d6a2506204192a1d28e86c27c7633a1ea951c3ba700",
    "short_window": "1178c09b7901529d9e1063dcd02d4d093b1414591572adcbe5450361d35fb7e2",
    "endless": "f2397457c186407a2301f2a3453d2afe6085099ccbcb019b15d03899036aceba",
    "opening": "a5f6854264486db423eb499dc73eaf93f0c9505ef308d1178652b5e7c8205659",
    "chaining": "5cc99684ebab5c33bbe17a4713ba8f2d34f16feb4c8ff033a6f8c284a6e2f31e",
    "losses": "46c279d0bfef0d762f714bc042a81324688316d833e431730e3721c11a21e2d4",
    "low_k": "468672add6ee382f7735714354356588f4e3177b672a53dd8eaf08eae5ef10eb",
    "many_terms": "ffea2bfc219b16fa6aeffd3fd6089c6ad7d25275bfa5704c08a90b2be8febaf4",
    "strict": "1e4c5d20c0c61a631be5e3fd088ecb23279947e7a9b1f57c76d110b13f9bc7f2",
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


STORED = "b1fcb1ce23421c5d72ff6d322a5441b1f2941ea64a2e50c912804e76cd6f37a9"


def test_a_model_keeps_its_bytes(stream):
    plane = Plane(np.zeros(3), np.ones(3), np.array([-4.0, 0.0, 0.0]), 1.0)
    names = ("numbers", "site", "time_apart")
    model = Classifier(
        preset="duplicate", domain="", criteria=names, later=plane, earlier=plane, calibration=Calibration(-1.0, 0.0),
        statistics="background",
    )  # fmt: skip
    with Deduplicator.open(None, BASE.but(keep_text=True), model=model) as dedup:
        verdicts = [one for begin in range(0, 200, 40) for one in dedup.process(stream[begin : begin + 40])]
    assert checksum(verdicts) == JUDGED


JUDGED = "60977fc4ef3a9c733f794999c3c270fe5cb31a72849612021de6009a454c69b2"
