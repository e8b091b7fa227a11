"""Shingles, DSC and DSC-SS, worked by hand."""

import pytest

from infostream_dedup.lab.methods import Texts, method

SHORT = "раз два три четыре пять"
LONG = "раз два три четыре шесть семь"


def test_resemblance_by_hand():
    # Three and four 3-shingles, two in common: 2 / 5.
    pairs = method("shingles", tau=0.4).run(Texts.of(SHORT, LONG)).pairs
    assert pairs.as_list() == [(0, 1, 0.4)]
    assert not method("shingles", tau=0.41).run(Texts.of(SHORT, LONG)).pairs.as_list()


def test_containment_asks_one_way():
    pairs = method("shingles", measure="containment", tau=0.5).run(Texts.of(SHORT, LONG)).pairs
    assert pairs.directed
    assert pairs.as_list() == [(0, 1, 0.667), (1, 0, 0.5)]
    assert method("shingles", measure="containment", tau=0.6).run(Texts.of(SHORT, LONG)).pairs.as_list() == [
        (0, 1, 0.667)
    ]


def test_repeated_shingles_count_in_bags():
    texts = Texts.of("раз два раз два раз два", "раз два раз два")
    # Bags of 3-shingles 2 + 2 against 1 + 1; the sets are equal.
    assert method("shingles", tau=0.3).run(texts).pairs.as_list() == [(0, 1, 0.5)]
    assert method("shingles", tau=0.3, bag=False).run(texts).pairs.as_list() == [(0, 1, 1.0)]


def test_one_in_m_is_sampled():
    text = " ".join(f"слово{number}" for number in range(5002))
    assert method("dsc").sign(Texts.of(text)).sizes.tolist() == [pytest.approx(200, abs=50)]
    assert (method("dsc").sign(Texts.of(text)).values % 25 == 0).all()


def test_samples_resemble_as_the_whole_does():
    words = [f"слово{number}" for number in range(6000)]
    texts = Texts.of(" ".join(words[:4000]), " ".join(words[1000:5000]))
    # 2998 of 4998 shingles in common.
    for parameters in ({"m": 10}, {"sample": "min", "s": 500}):
        scores = method("dsc", tau=0.3, **parameters).run(texts).pairs.scores
        assert scores.tolist() == [pytest.approx(0.6, abs=0.1)]


def test_a_small_edit_leaves_some_supershingles():
    words = [f"слово{number}" for number in range(300)]
    edited = words.copy()
    edited[150] = "другое"
    texts = Texts.of(" ".join(words), " ".join(edited), " ".join(words[::-1]))
    run = method("dsc-ss").run(texts)
    assert run.signatures.sizes.tolist() == [6, 6, 6]
    assert [pair[:2] for pair in run.pairs.as_list()] == [(0, 1)]
