"""MD5, worked by hand."""

from hashlib import md5

from infostream_dedup.lab.methods import Texts, method


def test_the_digest_is_that_of_the_significant_words():
    signatures = method("md5").sign(Texts.of("Снег выпал и в Киеве!"))
    assert signatures.row(0).tobytes() == md5("снег выпал киеве".encode(), usedforsecurity=False).digest()


def test_one_other_word_is_another_document():
    assert not method("md5").run(Texts.of("Снег выпал в Киеве", "Снег выпал в Львове")).pairs.as_list()
