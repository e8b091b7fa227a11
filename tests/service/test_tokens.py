"""The file of tokens: lines of people, lines of ours, and damage."""

import hashlib

import numpy as np
import pytest

from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.service.tokens import Caller, Tokens, add_token


def test_no_flipped_bit_changes_who_somebody_is(tmp_path):
    path = tmp_path / "tokens"
    tokens = [add_token(path, name, role) for name, role in (("carol", "analyst"), ("desk", "admin"))]
    whole, random, outcomes = path.read_bytes(), np.random.default_rng(16), set()
    for place in random.choice(8 * len(whole), size=200, replace=False):
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << (place % 8)
        path.write_bytes(damaged)
        try:
            found = Tokens(path)
        except (BadDataError, ConfigurationError):
            outcomes.add("refused")
            continue
        assert [found.caller(token) for token in tokens] == [Caller("carol", "analyst"), Caller("desk", "admin")]
        outcomes.add("harmless")
    assert "refused" in outcomes


def test_the_bit_that_makes_a_note_of_a_line_is_noticed(tmp_path):
    path = tmp_path / "tokens"
    add_token(path, "carol", "analyst")
    add_token(path, "desk", "admin")
    path.write_bytes(b"#" + path.read_bytes()[1:])
    with pytest.raises(BadDataError, match="tokens:1"):
        Tokens(path)


def test_lines_of_people_need_no_checksum(tmp_path):
    path = tmp_path / "tokens"
    path.write_text(f"# who may do what\nanna reader {hashlib.sha256(b'secret').hexdigest()}\n")
    path.chmod(0o600)
    assert Tokens(path).caller("secret") == Caller("anna", "reader")


def test_a_changed_role_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "tokens"
    token = add_token(path, "anna", "reader")
    path.write_text(path.read_text().replace("reader", "admin"))
    with pytest.raises(BadDataError, match="leave out the last column"):
        Tokens(path)
    path.write_text(path.read_text().rsplit(" ", 1)[0] + "\n")
    assert Tokens(path).caller(token) == Caller("anna", "admin")


def test_a_file_that_others_could_write_is_read_once_they_cannot(tmp_path, monkeypatch):
    monkeypatch.setattr("infostream_dedup.service.tokens._LOOK_SECONDS", -1)
    path = tmp_path / "tokens"
    add_token(path, "anna", "reader")
    tokens = Tokens(path)
    token = add_token(path, "desk", "admin")
    path.chmod(0o666)
    assert tokens.caller(token) is None
    path.chmod(0o600)
    assert tokens.caller(token) == Caller("desk", "admin")


@pytest.mark.parametrize("kept", [b'{"id": "1", "text": "a"}\n', b"\xff\x00"])
def test_another_file_gets_no_token(kept, tmp_path):
    (tmp_path / "news.jsonl").write_bytes(kept)
    with pytest.raises((BadDataError, ConfigurationError), match=r"news\.jsonl"):
        add_token(tmp_path / "news.jsonl", "desk", "admin")
    assert (tmp_path / "news.jsonl").read_bytes() == kept
