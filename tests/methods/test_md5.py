"""MD5, worked by hand."""

from hashlib import md5

from infostream_dedup.lab.methods import Texts, method


def test_the_digest_is_that_of_the_significant_words():
    signatures = method("md5").sign(Texts.of("Снег выпал и в Киеве!"))
    assert signatures.row(0).tobytes() == md5("снег выпал киеве".encode(), usedforsecurity=False).digest()
