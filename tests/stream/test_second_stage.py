"""A model after the key terms: what it calls a repeat, what it refuses, and that only two documents decide."""

from dataclasses import replace

import numpy as np
import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.criteria.classifier import Calibration, Classifier, Plane
from infostream_dedup.judging.criteria.document_models import document_models
from infostream_dedup.stream.deduplicator import Deduplicator

NAMES = ("numbers", "site", "time_apart")


def model(bias=1.0, numbers=-4.0, statistics="background"):
    """Repeats are documents that lack few numbers of each other: bias + numbers * share > 0."""
    plane = Plane(np.zeros(3), np.ones(3), np.array([numbers, 0.0, 0.0]), bias)
    return Classifier(
        preset="duplicate", domain="", criteria=NAMES, later=plane, earlier=plane, calibration=Calibration(-1.0, 0.0),
        statistics=statistics,
    )  # fmt: skip


@pytest.fixture
def settings(plain):
    return plain.but(keep_text=True)


def judged(documents, settings, classifier, *, path=None, size=1000):
    verdicts = []
    with Deduplicator.open(path, settings, model=classifier) as stream:
        for begin in range(0, len(documents), size):
            verdicts += stream.process(documents[begin : begin + size])
    return verdicts


def test_a_repeat_and_a_refusal_worked_by_hand(news, settings):
    words = range(8)
    stream = [
        news("a", words, numbers=(11, 22)), news("b", words, numbers=(22, 11)), news("c", words, numbers=(33, 44)),
    ]  # fmt: skip
    first, repeat, other = judged(stream, settings, model())
    assert (first.status, first.probability, first.criteria) == ("new", None, None)
    assert (repeat.status, repeat.of, repeat.group) == ("duplicate", "a", "a")
    assert repeat.probability == round(1 / (1 + np.exp(-1)), 6)
    assert repeat.criteria == (("numbers", 0.0), ("site", 0.0), ("time_apart", 0.0))
    assert (other.status, other.of, other.group) == ("similar", "a", "c")
    assert other.probability == round(1 / (1 + np.exp(3)), 6)
    assert dict(other.criteria)["numbers"] == 1.0


def test_the_likeliest_candidate_is_named_not_the_one_with_most_key_terms(news, settings):
    near, far = news("near", range(10), numbers=(1234,)), news("far", range(7), numbers=(5678, 91))
    asks = news("asks", range(10), numbers=(5678, 91))
    assert judged([near, far, asks], settings, model())[-1].of == "far"
    with Deduplicator.open(None, settings) as stream:
        assert stream.process([near, far, asks])[-1].of == "near"


def test_what_cannot_be_known_is_none(news, settings):
    stream = [news(id_, range(8), dated=False, source=None, numbers=(77,)) for id_ in "ab"]
    stream[1] = replace(stream[1], text=stream[1].text + " ещё")
    assert dict(judged(stream, settings, model())[-1].criteria)["time_apart"] is None


def test_an_exact_repeat_is_not_judged(news, settings):
    verdict = judged([news(id_, range(8)) for id_ in "ab"], settings, model(bias=-9.0))[-1]
    assert (verdict.status, verdict.probability, verdict.criteria) == ("exact", None, None)


@pytest.mark.parametrize("in_memory", [True, False])
def test_batches_and_restarts_change_nothing(news, settings, tmp_path, in_memory):
    settings = settings.but(first_epoch=5, epoch_documents=5, window_documents=12)
    draw = np.random.default_rng(7)
    stream = [
        news(str(n), draw.permutation(11)[:8], numbers=draw.integers(10, 13, 2), day=n / 9, source=f"s{n % 3}")
        for n in range(40)
    ]
    whole = judged(stream, settings, model())
    assert {"duplicate", "similar"} <= {verdict.status for verdict in whole}
    for size in (1, 7):
        path = None if in_memory else tmp_path / f"{size}.db"
        assert judged(stream, settings, model(), path=path, size=size) == whole
        if path is not None:
            assert [judged([one], None, model(), path=path)[0] for one in stream] == whole


def test_a_store_that_goes_on_judges_by_stored_texts(news, settings, tmp_path):
    path = tmp_path / "s.db"
    judged([news("a", range(8), numbers=(11, 22))], settings, model(), path=path)
    verdict = judged([news("b", range(8), numbers=(22, 11))], None, model(), path=path)[0]
    assert (verdict.status, verdict.of, verdict.criteria[0]) == ("duplicate", "a", ("numbers", 0.0))


def test_the_model_belongs_to_the_store(news, settings, tmp_path):
    path = tmp_path / "s.db"
    judged([news("a", range(8))], settings, model(), path=path)
    for wrong in (None, model(bias=2.0)):
        with pytest.raises(ConfigurationError, match="model"):
            Deduplicator.open(path, model=wrong)
    with pytest.raises(ConfigurationError, match="model"):
        Deduplicator.open(path, settings)
    Deduplicator.open(path, model=replace(model(), training={"pairs": 5})).close()


@pytest.mark.parametrize(("changes", "classifier", "message"), [
    ({"keep_text": False}, model(), "--keep-text"), ({}, model(statistics="collection"), "statistics background"),
])  # fmt: skip
def test_refusals_leave_no_store_behind(settings, tmp_path, changes, classifier, message):
    with pytest.raises(ConfigurationError, match=message):
        Deduplicator.open(tmp_path / "s.db", settings.but(**changes), model=classifier)
    assert not list(tmp_path.iterdir())


def test_settings_without_a_model_keep_their_digest(plain):
    assert plain.digest == plain.but(model=None).digest
    assert plain.but(keep_text=True, model="0" * 32).digest != plain.digest


def test_background_models_do_not_depend_on_the_company(news):
    documents = [news(str(n), range(n, n + 9), numbers=(n, 5), title=f"bridge {n}") for n in range(12)]
    together = document_models(documents, statistics="background")
    alone = document_models(documents[3:5], statistics="background")
    i, j = np.array([3]), np.array([4])
    wide = replace(model(), criteria=("words", "title", "sentences", "key_terms"))
    for one, other in zip(wide.vectors(together, i, j), wide.vectors(alone, i - 3, j - 3), strict=True):
        assert one.tobytes() == other.tobytes()
    counted = document_models(documents[3:5])
    assert wide.vectors(counted, i - 3, j - 3)[0].tobytes() != wide.vectors(alone, i - 3, j - 3)[0].tobytes()


def test_unknown_statistics_are_refused():
    with pytest.raises(ConfigurationError, match="collection, background"):
        document_models([], statistics="none")
