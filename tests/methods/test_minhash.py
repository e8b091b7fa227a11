"""MinHash by datasketch."""

import pytest

from infostream_dedup.lab.methods import Texts, method

pytest.importorskip("datasketch")


def test_the_estimate_is_near_the_resemblance():
    words = [f"слово{number}" for number in range(1000)]
    texts = Texts.of(" ".join(words[:800]), " ".join(words[100:900]), " ".join(words[::-1]))
    # 698 of 898 shingles in common.
    pairs = method("minhash", permutations=512, tau=0.5).run(texts).pairs
    assert [pair[:2] for pair in pairs.as_list()] == [(0, 1)]
    assert pairs.scores.tolist() == [pytest.approx(0.777, abs=0.08)]


def test_a_signature_is_as_long_as_there_are_permutations():
    assert method("minhash").sign(Texts.of("раз два три", "")).sizes.tolist() == [128, 0]
