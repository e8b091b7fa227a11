"""The pair model: its file, its sums, its reasons; and that learning it again gives the shipped file."""

import importlib
import json
import math
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from make_tables import background

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.explanation import GROUPS, reasons_of_pairs
from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.judging.evidence.kernels.packing import LEAD_KIND, NUMBER_KIND, bucket_of
from infostream_dedup.judging.evidence.pair_model import (
    BACKGROUND_FILE,
    FEATURES,
    PairModel,
    features_of,
    shipped_model,
)
from infostream_dedup.judging.evidence.reading import evidence_texts, read_evidence
from infostream_dedup.judging.evidence.records import EvidenceFrequencies
from infostream_dedup.language.lexicon.frequency import common_forms
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Document
from reports.pair_learning import TrainingSet, draw, learn, pair_weights
from tests.oracles.plain_reading import figure_hash

REPORTS = Path(__file__).resolve().parents[2] / "reports"


def drawn_evidence(count: int = 200) -> np.ndarray:
    draw_from = np.random.default_rng(1)
    evidence = draw_from.random((count, len(COLUMNS)))
    for name in ("numbers_least", "names_least"):
        evidence[:, COLUMNS.index(name)] = draw_from.integers(0, 4, count)
    return evidence


def test_features_by_hand() -> None:
    evidence = np.zeros((1, len(COLUMNS)))
    for name, value in {
        "share12_forward": 0.2, "share12_backward": 0.4, "share30_forward": 0.6, "share30_backward": 0.5,
        "cosine": 0.7, "numbers_forward": 0.1, "numbers_backward": 0.15, "numbers_least": 2,
        "names_forward": 0.9, "names_backward": 0.8, "names_least": 1, "lead_forward": 0.3, "lead_backward": 0.2,
        "opening_forward": 0.35, "opening_backward": 0.45, "length": 0.25,
    }.items():  # fmt: skip
        evidence[0, COLUMNS.index(name)] = value
    expected = [0.2, 0.4, 0.5, 0.6, 0.7, 0.1, 0.15, 1, 1, 0, 0, 0, 0.3, 0.35, 0.45, 0.25]
    assert features_of(evidence)[0].tolist() == expected


def test_reasons_add_up_to_z() -> None:
    evidence, model = drawn_evidence(), shipped_model()
    for score, reasons in zip(model.scores(evidence), reasons_of_pairs(evidence, model), strict=True):
        assert abs(sum(reason.adds for reason in reasons) - score) < 1e-6
        assert reasons[0].name == "base"
        assert {reason.name for reason in reasons} == {"base", *GROUPS}
        assert all(reason.words for reason in reasons)


def test_every_feature_has_its_reason() -> None:
    assert [feature for group in GROUPS.values() for feature in group] == list(FEATURES)


def test_probability_is_the_logistic_of_z_and_independent_of_company() -> None:
    evidence, model = drawn_evidence(), shipped_model()
    together = model.probabilities(evidence)
    assert np.allclose(together, 1 / (1 + np.exp(-model.scores(evidence))), atol=1e-9)
    assert [model.probabilities(evidence[[at]])[0] for at in range(20)] == together[:20].tolist()


def test_a_model_comes_back_from_its_file() -> None:
    assert PairModel.from_json(shipped_model().as_json(), "x") == shipped_model()


@pytest.mark.parametrize(("change", "message"), [
    ("nonsense", "is not JSON"), ([], "is not a pair model"), ({"format": "another"}, "is not a pair model"),
    ({"coefficients": {"cosine": 1.0}}, "coefficients must be share12_least"),
    ({"intercept": None}, "intercept is None; expected a number"),
    ({"intercept": float("nan")}, "intercept is nan; expected a number"),
])  # fmt: skip
def test_a_bad_file_is_refused(change: object, message: str) -> None:
    content = json.loads(shipped_model().as_json())
    text = change if isinstance(change, str) else json.dumps({**content, **change} if isinstance(change, dict) else [])
    with pytest.raises(ConfigurationError, match=message):
        PairModel.from_json(text, "model.json")


def test_learning_finds_what_made_the_labels() -> None:
    evidence = drawn_evidence(4000)
    z = shipped_model().scores(evidence)
    same = np.random.default_rng(2).random(4000) < 1 / (1 + np.exp(-z))
    chosen = draw(same)
    weights = np.ones(len(chosen))
    learned = learn([TrainingSet("x", evidence[chosen], same[chosen], weights)], penalty=1e-9)
    assert np.abs(learned.probabilities(evidence) - shipped_model().probabilities(evidence)).mean() < 0.05
    assert learned == learn([TrainingSet("x", evidence[chosen], same[chosen], weights)], penalty=1e-9)


def test_family_pairs_share_the_root_of_their_number() -> None:
    a, b = np.array([1, 1, 2, 1, 5]), np.array([2, 2, 1, 3, 5])
    weights = pair_weights(a, b, np.array([False, False, False, False, True]))
    root = 3**-0.5
    total = 3 * root + 1
    assert np.allclose(weights, [0.5 * root / total] * 3 + [0.5 / total, 0.5])


def _learning() -> ModuleType:
    sys.path.insert(0, str(REPORTS))
    try:
        return importlib.import_module("learn_pair_model")
    finally:
        sys.path.remove(str(REPORTS))


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.usefixtures("corpora")
def test_learning_again_gives_the_shipped_file_and_its_figures() -> None:
    learning = _learning()
    assert learning.learn_from(list(learning.SETS)).as_json() == shipped_model().as_json()
    found = {name: judged.f1 for name, judged in learning.leave_one_out().items()}
    assert found.pop("tgpairs") >= 0.84
    assert found["wmt en"] >= 0.985
    assert min(value for name, value in found.items() if name != "wmt en") >= 0.99
    assert np.mean(list(found.values())) >= 0.993


@pytest.mark.parametrize("language", LANGUAGES)
def test_made_again_it_is_the_shipped_file(language: str) -> None:
    buckets, shares = background(language)
    with np.load(BACKGROUND_FILE) as shipped:
        assert np.array_equal(shipped[f"{language}_buckets"], buckets)
        # Logarithms may differ in the last bit between processors.
        assert np.allclose(shipped[f"{language}_shares"], shares, rtol=1e-12, atol=0)


def test_counters_of_a_number_and_a_word_by_hand() -> None:
    counts, documents = EvidenceFrequencies().filled_up()
    assert documents[: len(OUR_LANGUAGES)].tolist() == [2000] * 3
    ru = LANGUAGES.index("ru")
    # Whole numbers from 11 to 31 are in 6 % of the items; other entries may share the counter.
    assert counts[bucket_of(figure_hash("17") >> 1, NUMBER_KIND, ru)] >= 0.06 * 2000
    raw = read_evidence(*evidence_texts([Document(id="1", text="которые")]))
    share = counts[bucket_of(int(raw.lead[0]), LEAD_KIND, ru)] / 2000
    running = sum(one for form, one in common_forms("ru") if form.startswith("котор"))
    assert math.isclose(share, 1 - (1 - running) ** 32, rel_tol=0.01)
