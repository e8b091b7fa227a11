"""Model files: what is written is read, and nothing else is."""

import copy
import json
import pickle
import random
import subprocess
import sys
from dataclasses import replace

import pytest

from infostream_dedup.errors import BadDataError, CannotCreateError, NoInputError
from infostream_dedup.judging.criteria import model_file


def test_a_model_is_read_as_it_was_written(trained, sample_models, sample_pairs, tmp_path):
    path = tmp_path / "model.json"
    model_file.write_model(trained, path)
    again = model_file.read_model(path)
    assert model_file.model_bytes(again) == path.read_bytes() == model_file.model_bytes(trained)
    one, other = (model.decide(sample_models, sample_pairs.i, sample_pairs.j) for model in (trained, again))
    assert one.forward.tolist() == other.forward.tolist()
    assert list(tmp_path.iterdir()) == [path]


def test_a_model_never_replaces_its_input(trained, tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_bytes(b"{}")
    with pytest.raises(CannotCreateError):
        model_file.write_model(trained, path, inputs=[path])
    assert path.read_bytes() == b"{}"


def test_a_model_is_read_without_scikit_learn(trained, tmp_path):
    model_file.write_model(trained, tmp_path / "model.json")
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "from infostream_dedup.judging.criteria.model_file import read_model\n"
        f"print(read_model({str(tmp_path / 'model.json')!r}).preset)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.strip() == b"duplicate"


def _changed(*path, value):
    def change(model):
        place = model
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value
        return model

    return change


def _without(name):
    return lambda model: {field: value for field, value in model.items() if field != name}


DAMAGES = {
    "list": lambda model: [model], "schema": _changed("schema", value="other"),
    "version of tomorrow": _changed("version", value=4), "version true": _changed("version", value=True),
    "preset": _changed("preset", value="x"), "domain number": _changed("domain", value=1),
    "domain escape": _changed("domain", value="\x1b[2J"), "domain long": _changed("domain", value="x" * 1000),
    "no criteria": _without("criteria"), "empty criteria": _changed("criteria", value=[]),
    "too many criteria": lambda model: model | {"criteria": model["criteria"] * 1000},
    "criterion twice": lambda model: model | {"criteria": [model["criteria"][0]] * 2},
    "criterion no object": _changed("criteria", 0, value=1),
    "criterion unknown": _changed("criteria", 0, "name", value="__class__"),
    "criterion unhashable": _changed("criteria", 0, "name", value=[]),
    "mean text": _changed("criteria", 0, "mean", value="0"), "mean null": _changed("criteria", 0, "mean", value=None),
    "weight true": _changed("criteria", 0, "weight", value=True),
    "weight huge": _changed("criteria", 0, "weight", value=1e300),
    "weight whole number beyond floats": _changed("criteria", 0, "weight", value=10**18),
    "scale zero": _changed("criteria", 0, "scale", value=0),
    "scale negative": _changed("criteria", 0, "scale", value=-1.0), "no bias": _without("bias"),
    "calibration list": _changed("calibration", value=[1, 2]),
    "no slope": _changed("calibration", value={"offset": 0}),
    "authority above 1": _changed("authority", value={"a": 1.5}),
    "authority text": _changed("authority", value={"a": "1"}), "authority list": _changed("authority", value=[]),
    "no checksum": _without("checksum"), "checksum of another": _changed("checksum", value="0" * 32),
    "weight a little other": lambda model: _changed(
        "criteria", 0, "weight", value=model["criteria"][0]["weight"] * (1 + 2**-52)
    )(model),
    "training text": _changed("training", value="x"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_model_gets_a_clear_error(name, trained, tmp_path):
    model = DAMAGES[name](copy.deepcopy(json.loads(model_file.model_bytes(trained))))
    path = tmp_path / "model.json"
    path.write_text(json.dumps(model), encoding="utf-8")
    with pytest.raises(BadDataError) as caught:
        model_file.read_model(path)
    assert caught.value.code == "E_MODEL"
    assert str(caught.value).startswith(str(path))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < len(str(path)) + 600


@pytest.mark.parametrize("content", [
    b"", b"{", b"[" * 100_000, b'{"schema": NaN}', b"\xff\xfe",
    pickle.dumps({"schema": "infostream-dedup/classifier"}), b" " * (model_file.MAX_MODEL_BYTES + 1),
], ids=["empty", "cut", "deep", "nan", "binary", "pickle", "huge"])  # fmt: skip
def test_what_is_not_a_model_gets_a_clear_error(content, tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(BadDataError, match="E_MODEL"):
        model_file.read_model(path)


def test_no_flipped_bit_makes_another_model(trained, tmp_path):
    whole, draw, path = model_file.model_bytes(trained), random.Random(3), tmp_path / "model.json"  # noqa: S311
    for _ in range(200):
        bad = bytearray(whole)
        bad[draw.randrange(len(bad))] ^= 1 << draw.randrange(8)
        path.write_bytes(bad)
        try:
            found = model_file.read_model(path)
        except BadDataError:
            continue
        assert model_file.model_bytes(found) == whole


@pytest.mark.parametrize("version", [1, 2])
def test_a_model_of_an_earlier_version_says_what_to_do(version, trained, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(json.loads(model_file.model_bytes(trained)) | {"version": version}), encoding="utf-8")
    with pytest.raises(BadDataError, match=f"is {version}, from an earlier infostream-dedup.*train the model again"):
        model_file.read_model(path)


def test_the_digest_leaves_out_facts_about_the_training(trained):
    assert model_file.model_digest(replace(trained, training={})) == model_file.model_digest(trained)
    assert model_file.model_digest(replace(trained, domain="sport")) != model_file.model_digest(trained)


def test_a_cut_model_is_refused_wherever_it_is_cut(trained, tmp_path):
    whole = model_file.model_bytes(trained)
    path = tmp_path / "model.json"
    for end in range(0, len(whole) - 2, 97):
        path.write_bytes(whole[:end])
        with pytest.raises(BadDataError):
            model_file.read_model(path)


def test_a_missing_model_and_a_folder_are_not_inputs(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(NoInputError):
            model_file.read_model(path)
