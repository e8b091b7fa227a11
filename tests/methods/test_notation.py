"""A method and its parameters in one word."""

import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lab.methods import method, methods
from infostream_dedup.lab.methods.registry import written


def test_a_name_alone_is_the_method_with_its_defaults():
    for name in methods():
        assert written(name) == method(name)


def test_values_are_numbers_words_and_truths():
    found = written("shingles:w=5:tau=0.45:bag=false:measure=containment").as_dict()
    assert found == {"method": "shingles", "w": 5, "tau": 0.45, "measure": "containment", "bag": False}


@pytest.mark.parametrize(("notation", "message"), [
    ("shingle", "method is 'shingle'; expected one of md5"),
    ("shingles:w", "'w' is not a parameter; expected shingles:parameter=value"),
    ("shingles:=5", "'=5' is not a parameter"), ("shingles:width=5", "shingles has no parameter 'width'"),
    ("shingles:w=many", "w is 'many'; expected a whole number from 1 to 20"),
    ("shingles:w=2.5", "w is 2.5; expected a whole number"),
    ("shingles:bag=maybe", "bag is 'maybe'; expected true or false"),
])  # fmt: skip
def test_what_is_wrong_is_named(notation, message):
    with pytest.raises(ConfigurationError) as caught:
        written(notation)
    assert message in str(caught.value)
