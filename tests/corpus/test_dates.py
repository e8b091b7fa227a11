from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.documents import time_zone, utc_time
from infostream_dedup.documents.dates import last_moment
from infostream_dedup.errors import ConfigurationError


def _utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc,arg-type]


ACCEPTED: list[tuple[object, datetime | None]] = [
    (None, None), ("", None), (" \t", None), ("2024", _utc(2024, 1, 1)), (2024, _utc(2024, 1, 1)),
    (2024.0, _utc(2024, 1, 1)), ("2024-05", _utc(2024, 5, 1)), ("2024-05-06", _utc(2024, 5, 6)),
    (" 2024-05-06 ", _utc(2024, 5, 6)), ("20240506", _utc(2024, 5, 6)), (20240506, _utc(2024, 5, 6)),
    ("2024-02-29", _utc(2024, 2, 29)), ("2024-05-06T10:11", _utc(2024, 5, 6, 10, 11)),
    ("2024-05-06 10:11:12", _utc(2024, 5, 6, 10, 11, 12)), ("2024-05-06t10:11:12z", _utc(2024, 5, 6, 10, 11, 12)),
    ("2024-05-06T10:11:12Z", _utc(2024, 5, 6, 10, 11, 12)),
    ("2024-05-06T10:11:12.5Z", _utc(2024, 5, 6, 10, 11, 12, 500_000)),
    ("2024-05-06T10:11:12,5Z", _utc(2024, 5, 6, 10, 11, 12, 500_000)),
    ("2024-05-06T10:11:12.123456789Z", _utc(2024, 5, 6, 10, 11, 12, 123_456)),
    ("2024-05-06T10:11:12+03:00", _utc(2024, 5, 6, 7, 11, 12)),
    ("2024-05-06T10:11:12+0300", _utc(2024, 5, 6, 7, 11, 12)),
    ("21/11/2023 10:05", _utc(2023, 11, 21, 10, 5)), ("11/21/2023 10:05 PM", _utc(2023, 11, 21, 22, 5)),
    ("2024-05-06T10:11:12-03", _utc(2024, 5, 6, 13, 11, 12)),
    ("2024-05-06 10:11:12 +03:00", _utc(2024, 5, 6, 7, 11, 12)), ("20240506T101112Z", _utc(2024, 5, 6, 10, 11, 12)),
    ("2024-05-06T24:00:00", _utc(2024, 5, 7)), ("2022-03-11T24:04:30", _utc(2022, 3, 12, 0, 4, 30)),
    (0, _utc(1970, 1, 1)), (1714557600, _utc(2024, 5, 1, 10)), ("1714557600", _utc(2024, 5, 1, 10)),
    (1714557600.5, _utc(2024, 5, 1, 10, 0, 0, 500_000)), ("1714557600.5", _utc(2024, 5, 1, 10, 0, 0, 500_000)),
    (1714557600123, _utc(2024, 5, 1, 10, 0, 0, 123_000)), ("1714557600123", _utc(2024, 5, 1, 10, 0, 0, 123_000)),
    (-86400, _utc(1969, 12, 31)), (10**11 - 1, _utc(5138, 11, 16, 9, 46, 39)), (10**11, _utc(1973, 3, 3, 9, 46, 40)),
    (date(2024, 5, 6), _utc(2024, 5, 6)), (datetime(2024, 5, 6, 10), _utc(2024, 5, 6, 10)),
    (datetime(2024, 5, 6, 10, tzinfo=timezone(timedelta(hours=3))), _utc(2024, 5, 6, 7)),
]  # fmt: skip

WRITTEN: list[tuple[object, datetime | None]] = [
    ("2024-5-6", _utc(2024, 5, 6)), ("2024/05/06", _utc(2024, 5, 6)), ("2024/5/6 7:08", _utc(2024, 5, 6, 7, 8)),
    ("2024-05-06 10:11:12 UTC", _utc(2024, 5, 6, 10, 11, 12)),
    ("2024-05-06 10:11:12.345678 UTC", _utc(2024, 5, 6, 10, 11, 12, 345_678)),
    ("06.05.2024 10:11:12 UTC+03:00", _utc(2024, 5, 6, 7, 11, 12)), ("06.05.2024, 10:11", _utc(2024, 5, 6, 10, 11)),
    ("10:11 06.05.2024", _utc(2024, 5, 6, 10, 11)), ("6 мая 2024", _utc(2024, 5, 6)),
    ("6 травня 2024 року, 10:11", _utc(2024, 5, 6, 10, 11)),
    ("понеділок, 6 трав. 2024 о 10:11", _utc(2024, 5, 6, 10, 11)), ("п’ятниця, 3 травня 2024", _utc(2024, 5, 3)),
    ("10:11, 6 МАЯ 2024", _utc(2024, 5, 6, 10, 11)), ("6 мая 2024 г. в 10:11 МСК", _utc(2024, 5, 6, 7, 11)),
    ("Mon,06 May 2024 10:11:12 GMT+3", _utc(2024, 5, 6, 7, 11, 12)),
    ("Mon, 06 May 2024 10:11:12 +0300 (MSK)", _utc(2024, 5, 6, 7, 11, 12)),
    ("Mon, 06 May 2024 10:11:12 EET", _utc(2024, 5, 6, 8, 11, 12)),
    ("Mon, 06 May 24 10:11 EST", _utc(2024, 5, 6, 15, 11)),
    ("Monday, 06-May-24 10:11:12 GMT", _utc(2024, 5, 6, 10, 11, 12)),
    ("Mon May 06 10:11:12 +0300 2024", _utc(2024, 5, 6, 7, 11, 12)),
    ("Mon May  6 10:11:12 2024", _utc(2024, 5, 6, 10, 11, 12)),
    ("May 6th, 2024 at 12:11 AM", _utc(2024, 5, 6, 0, 11)),
    ("2024-05-06T10:11:12 Europe/Kyiv", _utc(2024, 5, 6, 7, 11, 12)),
    ("2024-05-06T10:11:12+03:00[Europe/Kyiv]", _utc(2024, 5, 6, 7, 11, 12)),
    ("20240506101112", _utc(2024, 5, 6, 10, 11, 12)), (20240506101112, _utc(2024, 5, 6, 10, 11, 12)),
    (202405061011.0, _utc(2024, 5, 6, 10, 11)), ("20240506256112", _utc(2611, 5, 26, 2, 50, 56, 112_000)),
    (45418, _utc(2024, 5, 6)), ("45418,5", _utc(2024, 5, 6, 12)), (10**14, _utc(1973, 3, 3, 9, 46, 40)),
    (1714557600 * 10**9 + 999, _utc(2024, 5, 1, 10)), ("NaT", None), ("null", None), (float("nan"), None),
    ("0000-00-00 00:00:00", None),
]  # fmt: skip
"""Dates as programs, sites and people write them."""

REFUSED: list[object] = [
    "2024-02-30",
    "2023-02-29",
    "2024-13",
    "2024-00-01",
    "0000",
    "24-05-06",
    "06.05.24",
    "05/06/2024",
    "2024-W05-1",
    "2024-060",
    "202405",
    202405,
    "20241340",
    "2024-05-06T10",
    "2024-05-06T25:00",
    "2024-05-06T10:60",
    "2024-05-06T10:11:60Z",
    "2024-05-06T10:11+25:00",
    "2024-05-06x10:11",
    "2024-05-06é10:11",
    "2024-05-06T10:11 Kyiv",
    "２０２４-05-06",
    "٢٠٢٤",
    "вчера",
    "now",
    "1e9",
    "9" * 5000,
    float("inf"),
    10**20,
    "31.02.2024 10:00", "1 брюмера 2024", "никогда, 1 мая 2024", "2024-05-06 10:11 Atlantis/Harbour", -(10**11) + 1,
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-10:00", "9999-12-31T24:00",
]  # fmt: skip


def test_accepted() -> None:
    for value, expected in [*ACCEPTED, *WRITTEN]:
        moment = utc_time(value)
        assert moment == expected
        assert moment is None or moment.tzinfo is UTC


def test_refused() -> None:
    for value in REFUSED:
        with pytest.raises(ValueError, match=r"."):
            utc_time(value)
    with pytest.raises(ValueError, match="day and month may be either way"):
        utc_time("05/06/2024 10:00")


@pytest.mark.parametrize("value", [True, [], {}, b"2024", object()], ids=lambda value: type(value).__name__)
def test_refused_types(value: object) -> None:
    with pytest.raises(TypeError, match="is not a date"):
        utc_time(value)


def test_a_zone_holds_for_values_that_name_none() -> None:
    for value, expected in [
        ("2024-05-06T10:00", _utc(2024, 5, 6, 7)), ("2024-01-06T10:00", _utc(2024, 1, 6, 8)),
        ("2024-05-06", _utc(2024, 5, 5, 21)), ("2024", _utc(2023, 12, 31, 22)),
        ("2024-05-06T10:00Z", _utc(2024, 5, 6, 10)), (1714557600, _utc(2024, 5, 1, 10)),
        # The clocks go from 03:00 to 04:00, and back: the first of the two readings.
        ("2024-03-31T03:30", _utc(2024, 3, 31, 1, 30)), ("2024-10-27T03:30", _utc(2024, 10, 27, 0, 30)),
    ]:  # fmt: skip
        assert utc_time(value, time_zone("Europe/Kyiv")) == expected


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../etc/passwd", "Europe"])
def test_unknown_zones_are_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="unknown time zone"):
        time_zone(name)


def test_utc_needs_no_zone_database() -> None:
    assert time_zone(None) is time_zone("utc") is UTC


@given(st.datetimes(timezones=st.timezones() | st.none(), min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)))
def test_iso_text_means_the_same_as_the_time(moment: datetime) -> None:
    offset = moment.utcoffset()
    if offset is not None and offset.total_seconds() % 60:
        moment = moment.replace(tzinfo=UTC)
    assert utc_time(moment.isoformat()) == utc_time(moment)


@given(st.integers(-(10**13), 10**13))
def test_a_number_and_its_text_mean_the_same(number: int) -> None:
    def told(value: object) -> object:
        try:
            return utc_time(value)
        except ValueError as error:
            return str(error)

    assert told(number) == told(str(number)) == told(float(number))


@given(st.text(max_size=30))
def test_any_text_is_a_date_or_refused(text: str) -> None:
    try:
        moment = utc_time(text)
    except ValueError:
        return
    assert moment is None or moment.tzinfo is UTC


@pytest.mark.parametrize("published", ["9999", "9999-12", "9999-12-31"])
def test_the_last_moment_of_all_is_a_moment(published: str) -> None:
    assert last_moment(published, utc_time(published)) == datetime.max.replace(tzinfo=UTC)
