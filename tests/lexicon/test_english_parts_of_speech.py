"""The lexicon of English parts of speech."""

import pytest

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.lexicon.frequency import TAGS_FILE, packed, part_of_speech, unpacked


@pytest.mark.parametrize(
    ("word", "tag"), [("government", "NN"), ("countries", "NNS"), ("run", "VB"), ("old", "JJ"), ("Reading", "NNP")]
)
def test_tags_of_words(word, tag):
    assert part_of_speech(word) == tag


def test_a_word_and_its_tag_come_back_from_the_file(tmp_path):
    tags = {"run": "VB", "Reading": "NNP", "reading": "NN", "mice": "NNS", "café": "NN"}
    path = tmp_path / "tags.bin"
    path.write_bytes(packed(tags))
    assert unpacked(path) == tags


def test_the_shipped_file_is_whole():
    tags = unpacked(TAGS_FILE)
    assert len(tags) == 94_118
    assert packed(tags) == TAGS_FILE.read_bytes()


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "tags.bin"
    content = bytearray(packed({"run": "VB"}))
    for seal in (True, False):
        content[-3] ^= 1
        path.write_bytes(content if seal else content.partition(b"\n")[2])
        with pytest.raises(BadDataError, match="install infostream-dedup again"):
            unpacked(path)
