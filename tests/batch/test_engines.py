"""The choice of an engine changes no result."""

import pytest

from infostream_dedup import Settings, pairs, sweep
from infostream_dedup.documents import read_documents
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.links import choose_backend
from infostream_dedup.report.files import report_files
from infostream_dedup.runs.batch import linking
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.deduplication import statuses
from infostream_dedup.sample import documents_path


def test_engines_have_names():
    assert choose_backend("auto").name == choose_backend("compiled").name == "compiled"
    assert choose_backend("plain").name == "plain"
    with pytest.raises(ConfigurationError, match="engine is 'cuda'"):
        choose_backend("cuda")


@pytest.mark.parametrize("preset", ["faithful", "best"])
def test_a_sweep_has_the_same_bytes(preset):
    found = [report_files(sweep(documents_path(), preset=preset, engine=engine)) for engine in ("plain", "compiled")]
    assert found[0] == found[1]


def test_pairs_and_statuses_are_the_same():
    rows = [list(pairs(documents_path(), k_min=2, engine=engine)) for engine in ("plain", "compiled")]
    assert rows[0] == rows[1]
    collection = collect(read_documents(documents_path()))
    assert statuses(collection, Settings(), engine="plain") == statuses(collection, Settings(), engine="compiled")


def test_k_whose_links_are_too_many_to_store_still_have_rows(monkeypatch):
    # Without the lowest links, estimates are made from other candidates.
    stored = sweep(documents_path(), representations=["stem"], estimate=False).rows
    monkeypatch.setattr(linking, "MOST_LINKS", 10)
    unstored = sweep(documents_path(), representations=["stem"], estimate=False)
    assert [row.measures.k for row in unstored.rows] == list(range(1, 13))
    for ours, plain in zip(unstored.rows[:3], stored[:3], strict=True):
        assert (ours.measures.links, ours.measures.reciprocal, ours.measures.paths, ours.measures.symmetry) == (
            plain.measures.links, plain.measures.reciprocal, plain.measures.paths, plain.measures.symmetry,
        )  # fmt: skip
        assert ours.measures.sampled
        error = ours.measures.transitivity_error
        assert ours.measures.transitivity == pytest.approx(plain.measures.transitivity, abs=5 * error)
    assert unstored.rows[3:] == stored[3:]


def test_every_long_step_shows_its_progress(monkeypatch):
    monkeypatch.setattr(linking, "MOST_LINKS", 10)
    told = []
    sweep(
        documents_path(),
        representations=["stem"],
        engine="compiled",
        progress=lambda name, done, of: told.append((name, done, of)),
    )
    last = {name: (done, of) for name, done, of in told}
    assert {"reading", "matching", "counting links", "measuring", "sweep"} <= set(last)
    assert all(done == of for name, (done, of) in last.items() if name != "sweep stem")
    assert last["measuring"] == (9, 9)


@pytest.mark.slow
@pytest.mark.corpus
def test_real_news_have_the_same_bytes(corpora):
    source = corpora / "slavictopics.docs.jsonl.gz"
    found = [report_files(sweep(source, engine=engine)) for engine in ("plain", "compiled")]
    assert found[0] == found[1]
