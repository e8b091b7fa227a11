"""Planted copies: by hand where all is known, and on the sample."""

import numpy as np
import pytest
from click.testing import CliRunner

from infostream_dedup import sweep
from infostream_dedup.cli import cli
from infostream_dedup.errors import UsageError
from infostream_dedup.lab.estimation.copy_scores import Links
from infostream_dedup.lab.estimation.planting import PlantedCollection
from infostream_dedup.links.pair_rules import count_grades
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.linking import link
from infostream_dedup.sample import documents_path

SETTINGS = Settings(representation="stem")


def _sample():
    from infostream_dedup import read_documents

    return list(read_documents(str(documents_path())))


def test_recovered_are_the_pairs_that_a_matrix_links_both_ways():
    documents = _sample()
    planted = PlantedCollection.of(documents, collect(documents).languages)
    assert len(planted.collection) == len(documents) + len(planted.kinds)
    key_terms = planted.collection.key_terms(SETTINGS)
    matrix = link(key_terms, SETTINGS).matrix
    links = Links.of(count_grades(matrix.counts, key_terms.sizes, n=12, short=SETTINGS.short))
    copies = len(documents) + np.arange(len(planted.kinds))
    grades = links.grades_of(planted.originals, copies)
    of_kind = np.array([one == ("ru", "cuts", 0.3) for one in planted.kinds])
    rows = [
        row for row in planted.recovered(SETTINGS) if (row["language"], row["edit"], row["rate"]) == ("ru", "cuts", 0.3)
    ]
    assert [row["k"] for row in rows] == list(range(1, 13))
    for row in rows:
        assert row["copies"] == of_kind.sum()
        assert row["recovered"] == pytest.approx((grades[of_kind] >= row["k"]).mean(), abs=1e-6)
        assert 0.0 <= row["low"] <= row["recovered"] <= row["high"] <= 1.0
    falling = [row["recovered"] for row in rows]
    assert falling == sorted(falling, reverse=True)
    assert falling[0] > 0.5


def test_an_interval_worked_by_hand():
    # Wilson, 8 of 10: (.8 + 3.8415/20 +- 1.96 sqrt(.8 * .2 / 10 + 3.8415/400)) / (1 + 3.8415/10)
    from infostream_dedup.lab.estimation.planting import _wilson

    assert _wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)


def test_a_sweep_with_planted_copies_is_else_the_same(tmp_path):
    plain = sweep(str(documents_path()), representations=["stem"], ks=[5, 6])
    found = sweep(str(documents_path()), representations=["stem"], ks=[5, 6], planted=True)
    assert [row.as_dict() for row in found.rows] == [row.as_dict() for row in plain.rows]
    assert "planted" not in plain.as_dict()
    rows = found.as_dict()["planted"]
    assert {row["k"] for row in rows} == {5, 6}
    assert {row["language"] for row in rows} == {"en", "ru", "uk"}
    again = sweep(str(documents_path()), representations=["stem"], ks=[5, 6], planted=True)
    assert again.planted == rows


def test_planted_copies_are_printed_and_in_the_report(tmp_path):
    arguments = ["sweep", str(documents_path()), "--representation", "stem", "--planted", "--format", "table"]
    printed = CliRunner().invoke(cli, [*arguments, "--out", str(tmp_path), "--ui-language", "uk"])
    assert printed.exit_code == 0, printed.output
    assert "planted copies that are linked to their originals" in printed.stdout
    assert "Підкладені копії" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_what_planted_copies_do_not_go_with(tmp_path):
    with pytest.raises(UsageError, match="count score"):
        sweep(str(documents_path()), score="share", planted=True)
    with pytest.raises(UsageError, match="in memory"):
        sweep(str(documents_path()), planted=True, workdir=tmp_path)
    refused = CliRunner().invoke(cli, ["sweep", "--store", str(tmp_path / "none.db"), "--planted"])
    assert refused.exit_code == 2
