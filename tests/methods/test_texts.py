"""What methods share of a collection."""

from infostream_dedup.lab.methods import Texts


def test_features_are_made_once_but_a_bare_copy_makes_them_again():
    texts = Texts.of("Мэр открыл новый мост через реку")
    words, shingles = texts.words, texts.shingles(3)
    bare = texts.without_features()
    assert texts.shingles(3) is shingles
    assert bare.words is words
    assert bare.shingles(3) is not shingles
    assert texts.shingles(3) is shingles
