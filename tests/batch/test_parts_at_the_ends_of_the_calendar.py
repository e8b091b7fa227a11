"""Parts by day, where a time zone would leave the calendar."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from infostream_dedup import Document
from infostream_dedup.runs.batch.answering import part_into


@pytest.mark.parametrize(("time", "hours", "day"), [
    (datetime(1, 1, 1, tzinfo=UTC), -5, "0001-01-01"), (datetime(1, 1, 1, tzinfo=UTC), 5, "0001-01-01"),
    (datetime(9999, 12, 31, 23, tzinfo=UTC), 9, "9999-12-31"), (datetime(999, 5, 1, 3, tzinfo=UTC), -5, "0999-04-30"),
])  # fmt: skip
def test_days_at_the_ends_of_the_calendar(time, hours, day):
    zone = timezone(timedelta(hours=hours))
    documents = [Document(id="a", text="", time=time)]
    assert list(part_into(documents, "day", files={}, zone=zone)) == [day]
    assert list(part_into(documents, "month", files={}, zone=zone)) == [day[:7]]
