import json
from pathlib import Path
from typing import Any

import pytest

from infostream_dedup import api
from infostream_dedup.sample import documents_path, labels_path, topics_path

Row = dict[str, Any]


def read(path: Path) -> list[Row]:
    raw = path.read_bytes()
    assert raw.endswith(b"\n")
    assert b"\r" not in raw
    rows = [json.loads(line) for line in raw.decode("utf-8").split("\n")[:-1]]
    assert all(isinstance(row, dict) for row in rows)
    return rows


@pytest.fixture(scope="module")
def documents() -> list[Row]:
    return read(documents_path())


@pytest.fixture(scope="module")
def by_id(documents: list[Row]) -> dict[str, Row]:
    return {row["id"]: row for row in documents}


@pytest.fixture(scope="module")
def labels() -> list[Row]:
    return read(labels_path())


def language(row: Row) -> str:
    return str(row["id"]).split("-")[0]


def awkward(documents: list[Row], kind: str) -> list[Row]:
    return [row for row in documents if row.get("awkward") == kind]


def test_ids_are_unique_and_fields_are_the_agreed_ones(documents: list[Row]) -> None:
    assert len({row["id"] for row in documents}) == len(documents)
    allowed = {"id", "lang", "title", "text", "published", "source", "url", "family", "awkward"}
    for row in documents:
        assert {"id", "text", "source", "url", "family"} <= row.keys() <= allowed
        assert all(isinstance(value, str) and value for value in row.values())
        assert row["source"].endswith(".example")
        assert row["url"].startswith(f"https://{row['source']}/")


def test_labels_name_documents_in_order_and_each_pair_once(documents: list[Row], labels: list[Row]) -> None:
    place = {row["id"]: at for at, row in enumerate(documents)}
    assert all(row.keys() == {"a", "b", "label", "kind"} for row in labels)
    assert all(place[row["a"]] < place[row["b"]] for row in labels)
    pairs = [(place[row["a"]], place[row["b"]]) for row in labels]
    assert pairs == sorted(set(pairs))


def test_labels_agree_with_families_and_languages(by_id: dict[str, Row], labels: list[Row]) -> None:
    for row in labels:
        a, b = by_id[row["a"]], by_id[row["b"]]
        same_family, same_language = a["family"] == b["family"], language(a) == language(b)
        if row["label"] == "different" or row["kind"].startswith("digest"):
            assert not same_family
        else:
            assert same_family
            assert same_language == (row["label"] != "translation")
        if row["kind"] == "digest":
            assert same_language
        if row["kind"] == "exact":
            assert a["text"] == b["text"]
            assert a["title"] != b["title"]


def test_topics_are_nobodys_translation() -> None:
    found = api.sweep(str(topics_path()), representations=["pivot"], estimate=False, examples=False)
    symmetry = [r.measures.symmetry or 0.0 for r in found.rows if r.block == "cross" and r.measures.k in range(3, 10)]
    # As on real news, and unlike the translated texts of the sample.
    assert symmetry == sorted(symmetry, reverse=True)
    assert symmetry[1] > 0.5 > symmetry[3] > 0.1 > symmetry[5]
    assert any("they join texts on one topic, not translations" in note for note in found.notes)
