"""Shards, chunks and blocks do not change a byte of what the engine finds in memory."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infostream_dedup import pairs, sweep
from infostream_dedup.documents import read_documents
from infostream_dedup.model import Settings
from infostream_dedup.runs.sharded.plan import Cut, Plan
from infostream_dedup.sample import documents_path
from tests.sharded import one_digest

CUTS = [Cut(), Cut(chunk=9, shards=1, blocks=1), Cut(chunk=5, shards=2, blocks=3), Cut(chunk=3, shards=7, blocks=7)]


def check(documents, chosen, folder, cuts=CUTS, engine=None):
    engine = {} if engine is None else engine
    for cut in cuts:
        k_min, found = one_digest.disk_digest(documents, chosen, folder / str(hash(cut)), cut)
        if k_min not in engine:
            engine[k_min] = one_digest.engine_digest(documents, chosen, k_min)
        assert found == engine[k_min], cut


@pytest.mark.parametrize("name", ["made-up", "empty texts", "equal texts", "ties", "one", "none"])
@pytest.mark.parametrize("representation", ["stem", "morph"])
def test_small_collections(collections, tmp_path, name, representation):
    check(collections[name], Settings(representation=representation), tmp_path)


@pytest.mark.parametrize("changes", [
    {"target": "signature"}, {"target": "top:5"}, {"weighting": "tfidf", "n": 5, "k": 3},
    {"background": False, "df_max": 0.9}, {"df_min": 0.05, "n": 30},
])  # fmt: skip
def test_other_settings(collections, tmp_path, changes):
    check(collections["equal texts"], Settings(representation="stem", **changes), tmp_path, CUTS[2:])


@pytest.mark.parametrize("representation", ["stem", "morph"])
def test_the_bundled_sample(tmp_path, representation):
    documents = list(read_documents(str(documents_path())))
    cuts = [Cut(), Cut(chunk=len(documents) // 9, shards=7, blocks=4)]
    check(documents, Settings(representation=representation), tmp_path, cuts)


@pytest.mark.parametrize("named", [{}, {"short": "scaled"}])
def test_short_texts_have_the_links_of_pairs_and_one_interval_everywhere(collections, tmp_path, monkeypatch, named):
    documents = collections["made-up" if named else "short"]
    rows = [{"id": one.id, "text": one.text, "lang": one.lang} for one in documents]
    given = {"representations": ["stem", "pivot"], "estimate": False, **named}
    expected = [row.as_dict() for row in sweep(rows, **given).rows]
    linked = {row["k"]: row for row in expected if (row["representation"], row["block"]) == ("stem", "all")}
    for k in (4, 6, 9):
        found = pairs(rows, representation="stem", k=k, short="scaled")
        both = sum(2 if one.relation == "equal" else 1 for one in found)
        assert linked[k]["links"] == both > 0
    assert {row["short"] for row in expected} == {"scaled"}
    assert sum(row["symmetry_low"] is not None for row in expected) > 12
    for number, cut in enumerate(CUTS[::2]):
        monkeypatch.setattr("infostream_dedup.runs.sharded.plan.Plan", lambda memory, cut=cut: Plan(memory, cut))
        on_disk = sweep(rows, workdir=tmp_path / str(number), memory="2GB", **given)
        assert [row.as_dict() for row in on_disk.rows] == expected
    # Links of fewer than three terms are not stored, nor written out between equal texts.
    monkeypatch.setattr("infostream_dedup.runs.batch.linking.MOST_VERBATIM_LINKS", -1)
    few = sweep(rows, representations=["stem"], estimate=False, **named)
    assert [row.measures for row in few.rows] == [row.measures for row in sweep(rows, **given).rows[:12]]


@pytest.mark.parametrize("name", ["made-up", "equal texts"])
def test_links_that_are_not_stored_are_counted(collections, tmp_path, monkeypatch, name):
    monkeypatch.setattr("infostream_dedup.runs.sharded.disk_runner.MOST_STORED", 0)
    rows = [{"id": one.id, "text": one.text, "lang": one.lang} for one in collections[name]]
    expected = [row.measures for row in sweep(rows, representations=["stem"], estimate=False).rows]
    for number, cut in enumerate(CUTS):
        monkeypatch.setattr("infostream_dedup.runs.sharded.plan.Plan", lambda memory, cut=cut: Plan(memory, cut))
        found = sweep(rows, representations=["stem"], workdir=tmp_path / str(number), memory="2GB")
        measures = [row.measures for row in found.rows]
        assert [row.as_dict() for row in measures[3:]] == [row.as_dict() for row in expected[3:]]
        for one, other in zip(measures[:3], expected[:3], strict=True):
            assert (one.k, one.links, one.reciprocal, one.paths) == (
                other.k, other.links, other.reciprocal, other.paths,
            )  # fmt: skip
            assert one.symmetry == other.symmetry
            assert (one.closed, one.transitivity) == (None, None)
        assert "T below k = 4 was not measured" in found.notes[0]


@pytest.fixture(scope="module")
def engine():
    """What the engine finds does not depend on the cut."""
    return {}


@given(chunk=st.integers(1, 40), shards=st.integers(1, 9), blocks=st.integers(1, 9))
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_cut(collections, tmp_path_factory, engine, chunk, shards, blocks):
    documents = collections["equal texts"][:70]
    cut = Cut(chunk=chunk, shards=shards, blocks=blocks)
    check(documents, Settings(representation="stem"), tmp_path_factory.mktemp("any"), [cut], engine)


@pytest.mark.corpus
def test_news_of_two_languages(corpora, tmp_path):
    documents = list(read_documents(str(corpora / "slavictopics.docs.jsonl.gz")))
    check(documents, Settings(), tmp_path, [Cut(chunk=100, shards=7, blocks=3)])


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.parametrize("representation", ["stem", "morph"])
def test_a_month_of_one_source(corpora, tmp_path, representation):
    documents = list(read_documents(str(corpora / "mdnews.docs.jsonl.gz")))
    cuts = [Cut(), Cut(chunk=1500, shards=2, blocks=4), Cut(chunk=700, shards=7, blocks=2)]
    check(documents, Settings(representation=representation), tmp_path, cuts)
