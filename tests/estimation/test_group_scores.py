"""Copies among the pairs of groups: links by hand, and dedup that counts."""

import numpy as np
import pytest
from click.testing import CliRunner

from infostream_dedup import compare, dedup
from infostream_dedup.cli import cli
from infostream_dedup.errors import UsageError
from infostream_dedup.lab.estimation import copy_scores
from infostream_dedup.lab.estimation.copy_scores import links_in_groups
from infostream_dedup.sample import documents_path

STORY = (
    "Вчера в {} открыли новый мост через реку, который строили четыре года и семь месяцев подряд, а {} жители "
    "соседних районов теперь смогут добираться до работы на двадцать минут быстрее прежнего, сообщила мэрия"
)
OTHER = (
    "Пожарные {} города весь вечер тушили склад старой мебели на окраине, никто не пострадал, причины назовёт "
    "следствие, которое начала прокуратура области по заявлению владельца здания и его соседей по улице"
)


def test_links_worked_by_hand():
    links = links_in_groups(np.array([0, 1, 0, 2, 0, 1]))
    assert links.indptr.tolist() == [0, 2, 3, 5, 5, 7, 8]
    assert links.indices.tolist() == [2, 4, 5, 0, 4, 0, 2, 1]
    assert links.grades_of(np.array([0, 1, 0]), np.array([4, 5, 1])).tolist() == [1, 1, 0]


def test_too_many_pairs_are_refused(monkeypatch):
    monkeypatch.setattr(copy_scores, "_MOST_IN_GROUPS", 5)
    with pytest.raises(UsageError, match="join 3 pairs"):
        links_in_groups(np.array([0, 0, 0]))


def test_what_groups_join_and_miss():
    # Two equal texts are one group; the third version of the story differs, but by wording it is a copy of both.
    texts = [STORY.format("Казани", "все"), STORY.format("Казани", "все"), OTHER.format("большого")]
    texts.append(STORY.format("Самаре", "многие"))
    documents = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
    found = dedup(documents, preset="faithful", representation="stem", k=12, df_min=1, df_max=1, count_copies=True)
    row = found.as_dict()
    joined = sum(len(ids) * (len(ids) - 1) // 2 for ids in found.members.values())
    assert row["pairs"] == joined == 1
    assert row["copies"] == 3
    assert row["copy_precision"] == 1.0
    assert row["copy_recall"] == pytest.approx(1 / 3, abs=1e-6)
    assert "copies" not in dedup(documents, preset="faithful", representation="stem").as_dict()


def test_both_presets_count_and_print(tmp_path):
    rows = [
        dedup(str(documents_path()), preset=preset, count_copies=True).as_dict() for preset in ("judged", "faithful")
    ]
    assert rows[0]["copies"] == rows[1]["copies"] > 0
    for row in rows:
        assert row["copy_recall_low"] <= row["copy_recall"] <= row["copy_recall_high"]
    arguments = [
        "dedup", str(documents_path()), "--count-copies", "--format", "csv", "--out", str(tmp_path / "o.jsonl"),
    ]  # fmt: skip
    printed = CliRunner().invoke(cli, arguments)
    assert printed.exit_code == 0, printed.output
    assert "copy_precision" in printed.stdout


def test_on_disk_nothing_is_counted(tmp_path):
    with pytest.raises(UsageError, match="in memory"):
        dedup(
            str(documents_path()), tmp_path / "o.jsonl", preset="faithful", count_copies=True, workdir=tmp_path / "work"
        )


def test_methods_beside_each_other():
    texts = [STORY.format("Казани", "все"), STORY.format("Казани", "все"), STORY.format("Самаре", "многие")]
    texts.append(OTHER.format("большого"))
    documents = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
    plain = compare(documents, methods=["md5", "shingles"], pool="all")
    assert "copies" not in plain.as_rows()[0]
    found = {
        row["method"]: row
        for row in compare(documents, methods=["md5", "shingles"], pool="all", count_copies=True).as_rows()
    }
    # Three versions of a story are three copies; MD5 finds the two that are equal.
    assert {row["copies"] for row in found.values()} == {3}
    assert (found["md5"]["pairs"], found["md5"]["copy_precision"]) == (1, 1.0)
    assert found["md5"]["copy_recall"] == pytest.approx(1 / 3, abs=1e-6)
    assert found["shingles"]["copy_recall"] >= found["md5"]["copy_recall"]
