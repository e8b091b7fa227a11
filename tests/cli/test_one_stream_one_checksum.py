"""One real stream, however it is cut and wherever it runs: one SHA-256 of its verdicts."""

import gzip
import hashlib
import itertools

import orjson
import pytest

from infostream_dedup.documents import read_documents
from infostream_dedup.sample import documents_path

SIZES = (1, 7, 50, 500, 1_000_000)
SEEDS = ("0", "1", "12345")
PLACES = (("UTC", "C"), ("Asia/Kathmandu", "uk_UA.UTF-8"))  # time zone and locale

PART = 2000
SMALL_PART = 600
EPOCHS = ("--first-epoch", "200", "--epoch-documents", "150")
"""Several epochs of the small part, at borders that no size of batches has."""


@pytest.fixture(scope="module")
def stream(corpora, tmp_path_factory):
    """Writes the first dated documents of the stream, all for ``None``, and returns the file."""
    path = corpora / "mdnews.docs.jsonl.gz"
    dated = {one.id for one in read_documents(path) if one.time is not None}
    with gzip.open(path, "rb") as lines:
        rows = [line for line in lines if orjson.loads(line)["id"] in dated]
    folder = tmp_path_factory.mktemp("stream")

    def written(most):
        part = folder / f"{most}.jsonl"
        part.write_bytes(b"".join(rows[:most]))
        return part

    return written


def checksums(run, documents, combinations, *options):
    """SHA-256 of what ``ingest`` prints for each size of batches, hash seed, time zone and locale."""
    found = {}
    for number, (size, seed, (zone, language)) in enumerate(combinations):
        done = run(
            *("ingest", str(documents), "--store", f"{number}.db", "--batch-size", str(size)),
            *("--format", "jsonl", "--quiet", *options), PYTHONHASHSEED=seed, TZ=zone, LC_ALL=language,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found[size, seed, zone] = len(done.stdout.splitlines()), hashlib.sha256(done.stdout).hexdigest()
    return found


def test_the_sample(run):
    combinations = zip((7, 1000), SEEDS, PLACES, strict=False)
    assert len(set(checksums(run, documents_path(), combinations).values())) == 1


@pytest.mark.corpus
@pytest.mark.slow
def test_every_seed_and_place_at_least_once_on_a_part_of_real_news(run, stream):
    combinations = list(zip((1, 50, 1_000_000), SEEDS, (*PLACES, PLACES[0]), strict=True))
    found = checksums(run, stream(SMALL_PART), combinations, *EPOCHS)
    assert {lines for lines, _ in found.values()} == {SMALL_PART}
    assert len(set(found.values())) == 1, found


@pytest.mark.corpus
@pytest.mark.slow
def test_all_combinations_on_a_part_of_real_news(run, stream):
    found = checksums(run, stream(PART), itertools.product(SIZES, SEEDS, PLACES))
    assert len(found) == 30
    assert len(set(found.values())) == 1, found


@pytest.mark.corpus
@pytest.mark.slow
def test_all_sizes_on_the_whole_of_real_news(run, stream):
    found = checksums(run, stream(None), [(size, SEEDS[0], PLACES[0]) for size in SIZES])
    assert len(set(found.values())) == 1, found
