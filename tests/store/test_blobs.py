import numpy as np
import pytest

from infostream_dedup.stream.store.blobs import INT32, INT64, blobs_of


@pytest.mark.parametrize("rows", [[[5, 1]], [[5], [], [7, 1 << 31]], [[]]])
def test_rows_of_numbers_as_bytes(rows):
    given = [np.array(row, dtype=np.int64) for row in rows]
    assert [np.frombuffer(blob, dtype="<i8").tolist() for blob in blobs_of(given, INT64)] == rows
    if max(map(max, filter(None, rows)), default=0) < 1 << 31:
        assert [np.frombuffer(blob, dtype="<i4").tolist() for blob in blobs_of(given, INT32)] == rows
    else:
        with pytest.raises(ValueError, match="do not fit"):
            blobs_of(given, INT32)
