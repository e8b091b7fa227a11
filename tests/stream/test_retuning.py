"""New thresholds of a running stream: from a stated document on, whatever the batches, restarts and crashes."""

import hashlib
import json
import random
import subprocess
import sys
import time

import pytest

from infostream_dedup import api
from infostream_dedup.errors import BadDataError, ConfigurationError, UsageError
from infostream_dedup.model.settings import Thresholds
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.retuning import retune
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.checking import checks
from infostream_dedup.stream.store.opening import first_settings_of

FROM = 90


def thresholds(k=10, join=("copy", "retold")):
    measured = {"n": 12, "score": "count", "target": "text", "complete": True}
    return Thresholds(path="t.toml", ks={"morph": k}, judged={"join": list(join)}, measured=measured)


def digest(verdicts):
    return hashlib.sha256(b"".join(json.dumps(one.as_dict()).encode() for one in verdicts)).hexdigest()


def streamed(path, documents, size, settings, *, planned):
    """Verdicts in batches of a size, each by a process of its own; thresholds change at document 90."""
    verdicts, tuned = [], False
    begin = 0
    while begin < len(documents):
        with Deduplicator.open(path, settings) as stream:
            if not tuned and (planned or begin == FROM):
                assert retune(stream.store, thresholds(), first=FROM if planned else None).first == FROM
                tuned = True
            end = begin + size if planned or begin >= FROM else min(begin + size, FROM)
            verdicts += stream.process(documents[begin:end])
        begin = end
    return verdicts


@pytest.mark.parametrize("preset", ["faithful", "judged"])
def test_verdicts_depend_on_the_document_not_on_the_batches(documents, tmp_path, preset):
    settings = StreamSettings.of({"preset": preset})
    ways = {(size, planned) for size in (37, 90, 199) for planned in (True, False)}
    found = {
        way: streamed(tmp_path / f"{way[0]}-{way[1]}.db", documents, way[0], settings, planned=way[1]) for way in ways
    }
    assert len({digest(one) for one in found.values()}) == 1
    with Deduplicator.open(None, settings) as plain:
        before = plain.process(documents)
    after = found[199, True]
    assert [one.as_dict() for one in after[:FROM]] == [one.as_dict() for one in before[:FROM]]
    assert digest(after) != digest(before)
    if preset == "faithful":
        assert all(min(v.forward, v.backward) >= 10 for v in after[FROM:] if v.status == "duplicate" and v.terms)
        assert any(one.status == "duplicate" and min(one.forward, one.backward) < 10 for one in before[FROM:])


def test_another_process_is_heard(documents, tmp_path):
    path = tmp_path / "s.db"
    settings = StreamSettings.of({"preset": "faithful"})
    with Deduplicator.open(path, settings) as stream:
        first = stream.process(documents[:FROM])
        assert stream.search(documents[0].text) is not None
        assert api.store.retune(path, thresholds()).as_dict() == {
            "first": FROM, "changes": {"k_duplicate": 10}, "left": ["[judged] join"],
        }  # fmt: skip
        rest = stream.process(documents[FROM:])
    assert digest([*first, *rest]) == digest(streamed(tmp_path / "p.db", documents, 50, settings, planned=True))
    assert api.store.retune(path, thresholds()).changes == {}
    with Store.open(path) as store:
        assert (store.settings["k_duplicate"], first_settings_of(store.connection)["k_duplicate"]) == (10, 6)
        assert [one.first for one in checks(store.connection) if one.faults] == []


def test_what_does_not_fit_changes_nothing(documents, tmp_path):
    path, file = tmp_path / "s.db", tmp_path / "t.toml"
    with Deduplicator.open(path, StreamSettings.of({"preset": "faithful"})) as stream:
        stream.process(documents[:20])
    before = path.read_bytes()
    whole = thresholds().as_toml()
    file.write_text(whole[:-10], encoding="utf-8")
    with pytest.raises(ConfigurationError):
        api.store.retune(path, file)
    file.write_text("k = 7\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="not a file of thresholds"):
        api.store.retune(path, file)
    file.write_text(whole.replace("morph", "stem"), encoding="utf-8")
    with pytest.raises(ConfigurationError, match="has thresholds for stem, but the command uses morph"):
        api.store.retune(path, file)
    with pytest.raises(UsageError, match="document 5 has been judged already; new thresholds hold from document 20"):
        api.store.retune(path, thresholds(), first=5)
    with pytest.raises(ConfigurationError, match="in memory"), Deduplicator.open(None) as stream:
        retune(stream.store, thresholds())
    assert path.read_bytes() == before
    api.store.retune(path, thresholds(), first=50)
    with pytest.raises(UsageError, match="recorded for document 50"):
        api.store.retune(path, thresholds(8), first=30)
    with Store.open(path) as store, store.transaction():
        store.connection.execute("UPDATE state SET value = replace(value, '10', '11') WHERE name = 'retunes'")
    with pytest.raises(BadDataError, match="damaged"):
        api.store.retune(path, thresholds(8))


RETUNE = """
import sys
from infostream_dedup import api
print("ready", flush=True)
api.store.retune(sys.argv[1], sys.argv[2], first=int(sys.argv[3]))
print("done", flush=True)
"""


@pytest.mark.slow
def test_killed_while_retuning(documents, tmp_path):
    settings = StreamSettings.of({"preset": "faithful"})
    expected = digest(streamed(tmp_path / "whole.db", documents, 199, settings, planned=True))
    file = tmp_path / "t.toml"
    file.write_text(thresholds().as_toml(), encoding="utf-8")
    randomness = random.Random(58)  # noqa: S311
    for number in range(4):
        path = tmp_path / f"{number}.db"
        with Deduplicator.open(path, settings) as stream:
            verdicts = list(stream.process(documents[:FROM]))
        process = subprocess.Popen([sys.executable, "-c", RETUNE, path, file, str(FROM)], stdout=subprocess.PIPE)
        with process:
            process.stdout.readline()
            time.sleep(randomness.random() * 0.1)
            process.kill()
            done = b"done" in process.stdout.read()
        with Store.open(path) as store:
            assert [one.first for one in checks(store.connection) if one.faults] == []
            kept = store.stored_position().retunes
        assert kept in ((1,) if done else (0, 1))
        if not kept:
            api.store.retune(path, file, first=FROM)
        with Deduplicator.open(path, settings) as stream:
            verdicts += stream.process(documents[FROM:])
        assert digest(verdicts) == expected
