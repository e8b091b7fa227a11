import itertools
import json
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from infostream_dedup import api
from infostream_dedup.sample import documents_path, labels_path, topics_path

Row = dict[str, Any]
LANGUAGES = ("ru", "uk", "en")
KINDS = {
    "dup": {"reprint", "cut", "extended", "cut-extended", "exact"},
    "similar": {"paraphrase", "digest", "digest-translation", "template"},
    "translation": {"translation", "translation-cut", "translation-extended", "translation-paraphrase"},
    "different": {"same-topic", "random"},
}
AWKWARD = {
    "homoglyphs": 2, "stress-marks": 1, "soft-hyphens": 1, "decomposed": 1, "apostrophes": 2, "uppercase-title": 3,
    "no-title": 6, "no-zone": 3, "year-only": 2, "no-date": 1, "no-lang": 10,
}  # fmt: skip


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


def test_counts_of_awkward_documents(documents: list[Row]) -> None:
    assert Counter(row["awkward"] for row in documents if "awkward" in row) == AWKWARD


def test_awkward_documents_are_what_they_say(documents: list[Row]) -> None:
    def ids(kind: str) -> list[str]:
        return [row["id"] for row in awkward(documents, kind)]

    assert [row["id"] for row in documents if "lang" not in row] == ids("no-lang")
    assert {language(row) for row in awkward(documents, "no-lang")} == set(LANGUAGES)
    assert [row["id"] for row in documents if "title" not in row] == ids("no-title")
    assert [row["id"] for row in documents if "published" not in row] == ids("no-date")
    assert [row["id"] for row in documents if row.get("published") == "2026"] == ids("year-only")
    zoneless = [row["id"] for row in documents if "T" in row.get("published", "") and row["published"][-1] != "Z"]
    assert zoneless == ids("no-zone")
    assert [row["id"] for row in documents if row.get("title", "").isupper()] == ids("uppercase-title")
    assert [row["id"] for row in documents if "\u00ad" in row["text"]] == ids("soft-hyphens")
    assert [row["id"] for row in documents if "\u0301" in row["text"]] == ids("stress-marks")
    assert [row["id"] for row in documents if mixes_scripts(row["text"])] == ids("homoglyphs")
    for row in awkward(documents, "apostrophes"):
        assert "'" in row["text"] or "\u02bc" in row["text"]


def mixes_scripts(text: str) -> bool:
    """Whether a word holds letters of both alphabets."""
    return any(
        {"LATIN", "CYRILLIC"} <= {unicodedata.name(letter).split()[0] for letter in word if letter.isalpha()}
        for word in text.split()
    )


def test_labels_name_documents_in_order_and_each_pair_once(documents: list[Row], labels: list[Row]) -> None:
    place = {row["id"]: at for at, row in enumerate(documents)}
    assert all(row.keys() == {"a", "b", "label", "kind"} for row in labels)
    assert all(place[row["a"]] < place[row["b"]] for row in labels)
    pairs = [(place[row["a"]], place[row["b"]]) for row in labels]
    assert pairs == sorted(set(pairs))


def test_labels_and_kinds_are_allowed(labels: list[Row]) -> None:
    assert all(row["kind"] in KINDS[row["label"]] for row in labels)
    assert {(row["label"], row["kind"]) for row in labels} == {
        (label, kind) for label in KINDS for kind in KINDS[label]
    }
    assert Counter(row["label"] for row in labels) == {"dup": 183, "similar": 227, "translation": 105, "different": 150}


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


def test_equal_texts_are_labelled_exact(documents: list[Row], labels: list[Row]) -> None:
    equal = [(a["id"], b["id"]) for a, b in itertools.combinations(documents, 2) if a["text"] == b["text"]]
    assert sorted(equal) == sorted((row["a"], row["b"]) for row in labels if row["kind"] == "exact")
    assert len(equal) == 4


def test_duplicates_keep_most_words_of_each_other(by_id: dict[str, Row], labels: list[Row]) -> None:
    for row in labels:
        if row["label"] != "dup" or {by_id[row[side]].get("awkward") for side in "ab"} - {None, "no-lang", "no-title"}:
            continue
        first, second = (set(by_id[row[side]]["text"].split()) for side in "ab")
        assert len(first & second) >= 0.75 * min(len(first), len(second)), row


def test_topics_are_nobodys_translation() -> None:
    rows = read(topics_path())
    assert Counter(row["lang"] for row in rows) == {"en": 10, "ru": 12, "uk": 11}
    assert len({row["id"] for row in rows}) == len({row["text"] for row in rows}) == 33
    assert [row["published"] for row in rows] == sorted(row["published"] for row in rows)
    assert all(row["source"].endswith(".example") for row in rows)
    assert {row["id"] for row in rows}.isdisjoint(row["id"] for row in read(documents_path()))
    found = api.sweep(str(topics_path()), representations=["pivot"], estimate=False, examples=False)
    across = {row.measures.k: row.measures for row in found.rows if row.block == "cross"}
    assert all(across[k].links > 50 for k in range(3, 7))
    symmetry = [across[k].symmetry or 0.0 for k in range(3, 10)]
    # As on real news, and unlike the translated texts of the sample.
    assert symmetry == sorted(symmetry, reverse=True)
    assert symmetry[1] > 0.5 > symmetry[3] > 0.1 > symmetry[5]
    assert any("they join texts on one topic, not translations" in note for note in found.notes)
