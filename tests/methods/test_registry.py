"""The registry and the parameters of methods."""

import sys
from dataclasses import dataclass

import pytest

from infostream_dedup.errors import ConfigurationError, MissingExtraError
from infostream_dedup.lab.methods import Texts, method, methods
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.model.limits import OneOf, Range
from infostream_dedup.model.settings import REPRESENTATIONS

NAMES = (
    "md5 tf tf-idf tf-ridf long-sent heavy-sent megashingles lex-rand log-shingles descr-words opt-freq decomposition "
    "three-plus-five three-plus-two i-match spotsigs low-idf-sig shingles dsc dsc-ss simhash minhash tf-idf-cosine "
    "key-terms-stem key-terms-morph key-terms-pivot checksum first-paragraph pair-model semantic stream-clusters "
    "weighted-simhash "
    "winnowing"
)


def test_names_are_those_of_the_design_in_its_order():
    wanted = [name for name in NAMES.split() if name != "key-terms-pivot" or "pivot" in REPRESENTATIONS]
    assert methods() == wanted


def test_an_unknown_method_is_named_with_the_known_ones():
    with pytest.raises(ConfigurationError, match="'tfidf'; expected one of md5, tf, tf-idf"):
        method("tfidf")


def test_a_name_is_given_once():
    @dataclass(frozen=True)
    class Second(Method):
        pass

    with pytest.raises(ValueError, match="registered twice"):
        register("md5")(Second)


def test_minhash_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasketch", None)
    with pytest.raises(MissingExtraError, match=r"datasketch.*\[compare\]"):
        method("minhash").run(Texts.of("слово"))


def test_range_of_whole_numbers_and_of_others():
    Range(1, 5).check("w", 5)
    Range(0.0, 1.0).check("tau", 1)
    with pytest.raises(ConfigurationError, match=r"w is 2\.5; expected a whole number from 1 to 5"):
        Range(1, 5).check("w", 2.5)
    with pytest.raises(ConfigurationError, match="tau is nan"):
        Range(0.0, 1.0).check("tau", float("nan"))
    with pytest.raises(ConfigurationError, match="bits is 16; expected one of 32, 64"):
        OneOf(32, 64).check("bits", 16)


def test_samples_that_cannot_measure_containment_are_refused():
    with pytest.raises(ConfigurationError, match="use sample mod"):
        method("dsc", sample="min", measure="containment")


def test_k_is_at_most_n():
    with pytest.raises(ConfigurationError, match="k is 6; expected a whole number from 1 to n = 5"):
        method("key-terms-stem", n=5)
