"""A source that changes between its two readings is refused."""

import pyarrow as pa
import pytest

from infostream_dedup import dedup
from infostream_dedup.documents import Reading, read_documents
from infostream_dedup.errors import BadDataError, UsageError
from infostream_dedup.runs.batch.sources import rereadable

FIRST = '{"id": "1", "text": "Снег"}\n{"id": "2", "text": "Дождь"}\n'


@pytest.mark.parametrize("second", [
    FIRST + '{"id": "3", "text": "Град"}\n', '{"id": "1", "text": "Снег"}\n',
    '{"id": "1", "text": "Снег"}\n{"id": "3", "text": "Дождь"}\n',
    '{"id": "1", "text": "Снег идёт"}\n{"id": "2", "text": "Дождь"}\n',
], ids=["longer", "shorter", "other id", "other text"])  # fmt: skip
def test_files_written_to_while_they_are_read(second, tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text(FIRST, encoding="utf-8")
    with rereadable(str(path), Reading()) as documents:
        assert [document.id for document in documents.first()] == ["1", "2"]
        assert [document.id for document in documents.again()] == ["1", "2"]
        path.write_text(second, encoding="utf-8")
        with pytest.raises(BadDataError, match="the second reading returned different documents") as caught:
            list(documents.again())
        assert caught.value.code == "E_CHANGED"


def test_records_in_memory_are_checked_once_if_they_are_kept(tmp_path):
    records = [{"id": "1", "text": "Снег\x00"}, {"id": "1", "text": "Дождь"}, {"id": "2", "text": "Град"}]
    reading = Reading(on_error="skip", quarantine=tmp_path / "bad.jsonl")
    with rereadable(records, reading, keep=True) as documents:
        first = list(documents.first_blocks())
        assert [(one.id, one.text) for one in first] == [("1", "Снег "), ("2", "Град")]
        assert all(one is other for one, other in zip(first, documents.again(), strict=True))
        assert documents.report.used == 2


class Once:
    """An object that looks as if it could be read again, such as the cursor of a database."""

    def __init__(self, records):
        self._records = iter(records)

    def __iter__(self):
        return self._records


def test_what_is_read_only_once_is_refused():
    with rereadable(Once([{"id": "1", "text": "Снег"}]), Reading(), keep=True) as documents:
        assert len(list(documents.first())) == 1
        with pytest.raises(BadDataError, match="give a list instead of an iterator"):
            list(documents.again())


RECORDS = [{"id": str(number), "text": f"Снег {number % 400}"} for number in range(600)]


@pytest.mark.parametrize(
    "once",
    [iter, lambda records: (dict(one) for one in records), lambda records: pa.Table.from_pylist(records).to_reader()],
    ids=["iterator", "generator", "reader"],
)
def test_iterators_are_kept_or_refused_before_they_are_read(once, tmp_path):
    found = dedup(once(RECORDS), annotate=True)
    assert (found.rows, found.statuses) == (dedup(RECORDS, annotate=True).rows, dedup(RECORDS).statuses)
    source = once(RECORDS)
    with pytest.raises(UsageError, match=r"the documents are read twice, and this .* can be read only once"):
        dedup(source, tmp_path / "out.jsonl")
    assert len(list(read_documents(source))) == 600
