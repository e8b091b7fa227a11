"""The labels of the real sets are read whole, and mean what their description says."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
import pytest

from infostream_dedup.lab.evaluation.labels import Truth, kin_by_field, read_kin, read_labels, truth_of
from infostream_dedup.model import Document, Language

pytestmark = pytest.mark.corpus

COUNTS = {
    "tgpairs": {"different/other-story": 62, "similar/same-story": 63},
    "mdnews": {
        "different/random": 4180, "dup/reprint": 114, "similar/contained": 44, "similar/partial": 3984,
        "similar/template": 38,
    },
    "slavictopics": {"different/random": 294, "dup/reprint": 39, "similar/contained": 2, "similar/partial": 253},
    "ntrex": {"different/random": 60, "dup/edited": 180, "translation/human-translation": 180},
    "wmt": {
        "different/random": 398, "dup/paraphrase-human": 14, "dup/paraphrase-mt": 4801, "dup/paraphrase-mt-mt": 3316,
        "translation/human-translation": 503, "translation/machine-translation": 1403,
    },
    "uagec": {"different/random": 1191, "dup/correction": 2204},
    "multilingual": {
        "different/random": 2677, "translation/human-translation": 2919, "translation/unknown-translation": 21,
    },
}  # fmt: skip


def _documents(corpora: Path, name: str) -> list[Document]:
    with gzip.open(corpora / f"{name}.docs.jsonl.gz") as lines:
        rows = [orjson.loads(line) for line in lines]
    kept = ("family", "domain", "submission")
    return [
        Document(id=row["id"], text="", lang=row["lang"], extra={field: row[field] for field in kept if field in row})
        for row in rows
    ]


def _truth(corpora: Path, name: str, **options: Any) -> Truth:
    documents = _documents(corpora, name)
    labels = read_labels(corpora / f"{name}.labels.jsonl.gz")
    kin = read_kin(corpora / f"{name}.kin.jsonl.gz") if name in ("wmt", "ntrex", "uagec") else []
    languages: list[Language] = [document.lang or "ru" for document in documents]
    return truth_of(documents, languages, labels, kin=kin, **options)


@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_labels(corpora: Path, name: str) -> None:
    labels = read_labels(corpora / f"{name}.labels.jsonl.gz")
    assert Counter(f"{label.label}/{label.extra['kind']}" for label in labels) == COUNTS[name]


@pytest.mark.parametrize(
    ("language", "domains", "positives", "stories"),
    [("ru", (",news",), 683, 31), ("uk", (",news",), 228, 17), ("en", (",news",), 3208, 192)],
)
def test_true_pairs_of_wmt_news(
    corpora: Path, language: str, domains: tuple[str, ...], positives: int, stories: int
) -> None:
    truth = _truth(corpora, "wmt", language_pairs=language, domains=domains)
    assert len(truth.positives) == positives
    assert len(set(truth.stories[truth.positives // truth.documents].tolist())) == stories


def test_true_pairs_across_languages(corpora: Path) -> None:
    across = _truth(corpora, "ntrex", positive=("translation",), language_pairs="ru-uk")
    assert (len(across.positives), len(across.others)) == (60, 0)


def test_sets_without_families_count_listed_pairs_only(corpora: Path) -> None:
    truth = _truth(corpora, "mdnews")
    assert (len(truth.positives), len(truth.negatives), len(truth.others)) == (114, 4180, 4066)
    assert (truth.circles == -1).all()


def test_translated_stories_of_uagec_are_kin(corpora: Path) -> None:
    kin = kin_by_field(_documents(corpora, "uagec"), "submission", "translation")
    assert len(kin) == 616
