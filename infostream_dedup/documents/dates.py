"""Convert the dates that feeds and tables contain to aware UTC times.

They are accepted as text or, if all digits, as a number, so that a CSV cell and a JSON number mean the same:

======================================  =====================================================
``2024-05-01``, ``20240501``            a day: its first moment
``2024-05``, ``2024``                   a month, a year: its first day
``2024-05-01T10:00[:30[.5]][Z|+03:00]``  a time (ISO 8601 calendar form; ``t`` or a blank for ``T``)
``1714557600``                          seconds since 1970, if below 10^11 (year 5138)
``1714557600000``                       milliseconds since 1970, from 10^11 to 10^14
``Tue, 21 Nov 2023 10:05:00 +0200``     RFC 822, as feeds write it
``21.11.2023[ 10:05[:30]]``             day, month, year
======================================  =====================================================

Integers of four digits are years, and of eight digits days; six digits are refused, since 202405 may be a month or
seconds. Week dates, ordinal dates and leap seconds are refused. Hour 24 is the first hour of the next day: ISO 8601
allows 24:00, and real feeds write 24:04 for four minutes past midnight.
"""

from __future__ import annotations

import re
from datetime import MAXYEAR, UTC, date, datetime, time, timedelta, tzinfo
from email.utils import parsedate_to_datetime
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from infostream_dedup.errors import ConfigurationError

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_MILLISECONDS: Final = 10**11
_BEYOND_MILLISECONDS: Final = 10**14
_NUMBER: Final = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,19})(?:[.,][0-9]{1,20})?")
_CALENDAR: Final = re.compile(r"([0-9]{4})(?:-?([0-9]{2})-?([0-9]{2})|-([0-9]{2}))?")
_DECEMBER: Final = 12
_MONTH: Final = re.compile(r"[0-9]{4}-[0-9]{2}")
# Python's own parser accepts any character between day and time, week dates, and more in newer versions: the pattern
# makes us accept the same on every Python.
_DAY_OR_TIME: Final = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{8})"
    r"(?:[Tt ](?P<clock>[0-9]{2}:?[0-9]{2}(?::?[0-9]{2}(?:[.,][0-9]{1,20})?)?)"
    r" ?(?P<zone>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)
_DAY_FIRST: Final = re.compile(
    r"(?P<day>[0-9]{1,2})\.(?P<month>[0-9]{1,2})\.(?P<year>[0-9]{4})(?:,?[Tt ] *(?P<clock>.+))?"
)
_CLOCK: Final = re.compile(r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?")
_RFC_822: Final = re.compile(
    r"(?:[A-Za-z]{3},? +)?[0-9]{1,2} [A-Za-z]{3} [0-9]{2,4} [0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?"
    r" *(?P<zone>[A-Za-z]{1,4}|[+-][0-9]{4})?"
)
_ZONES: Final = ("UT", "UTC", "GMT", "Z", "EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT")
_EXPECTED: Final = "expected ISO 8601 such as 2024-05-01T10:00:00+03:00, 2024-05-01, 2024-05, 2024, or epoch seconds"


def time_zone(name: str | None) -> tzinfo:
    """Return the time zone to assume for times without one."""
    if name is None or str(name).upper() == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, TypeError, ValueError, OSError) as error:
        raise ConfigurationError(f"unknown time zone {name!r}; give an IANA name such as Europe/Kyiv or UTC") from error


def utc_time(value: object, zone: tzinfo = UTC) -> datetime | None:
    """Return the moment that a ``published`` field names as an aware UTC time, or None for null and blank text."""
    if value is None:
        return None
    try:
        moment = _parse_moment(value)
        if moment is None:
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=zone)
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("outside the years 1 to 9999") from None


def last_moment(published: object, time: datetime) -> datetime:
    """Return the last moment that a ``published`` field may mean: the end of a day, month or year."""
    number = int(published) if isinstance(published, float) and published.is_integer() else published
    found = _CALENDAR.fullmatch(str(number).strip())
    if found is None:
        return time
    year, month, day = int(found[1]), int(found[2] or found[4] or 0), int(found[3] or 0)
    if year == MAXYEAR and month in (0, _DECEMBER) and day in (0, 31):
        return datetime.max.replace(tzinfo=time.tzinfo)
    start = date(year, month or 1, day or 1)
    if day:
        following = start + timedelta(days=1)
    else:
        following = date(year, month + 1, 1) if 0 < month < _DECEMBER else date(year + 1, 1, 1)
    return time + (following - start) - timedelta(microseconds=1)


def _parse_moment(value: object) -> datetime | None:
    if isinstance(value, str):
        return _parse_text(value.strip())
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{type(value).__name__} is not a date; {_EXPECTED}")
    return _parse_number(value)


def _parse_text(text: str) -> datetime | None:
    if not text:
        return None
    if _NUMBER.fullmatch(text):
        # Spreadsheets of our languages, and CSV written for them, have a decimal comma.
        decimal = text.replace(",", ".")
        return _parse_number(float(decimal) if "." in decimal else int(text))
    if _MONTH.fullmatch(text):
        return datetime(int(text[:4]), int(text[5:]), 1)
    match = _DAY_OR_TIME.fullmatch(text)
    if match is None:
        return _parse_other_form(text)
    day, clock, offset = match["day"], match["clock"], match["zone"]
    if clock is None:
        return datetime.fromisoformat(day)
    past_midnight = clock.startswith("24")
    if past_midnight:
        clock = f"00{clock[2:]}"
    moment = datetime.fromisoformat(f"{day}T{clock}{(offset or '').upper()}")
    return moment + timedelta(days=1) if past_midnight else moment


def _parse_other_form(text: str) -> datetime:
    """Parse a date as feeds and people write it."""
    day_first = _DAY_FIRST.fullmatch(text)
    if day_first is not None:
        clock = day_first["clock"]
        if clock is not None and not _CLOCK.fullmatch(clock):
            raise ValueError(f"not a date; {_EXPECTED}")
        numbers = [int(day_first[name]) for name in ("year", "month", "day")]
        return datetime(*numbers, *map(int, (clock or "0").split(":")))  # type: ignore[arg-type]
    feed = _RFC_822.fullmatch(text)
    if feed is None:
        raise ValueError(f"not a date; {_EXPECTED}")
    # Other zone names are ambiguous, and Python silently takes them for UTC.
    if feed["zone"] and feed["zone"][0].isalpha() and feed["zone"].upper() not in _ZONES:
        raise ValueError(f"{feed['zone']} is not an RFC 822 time zone; write the offset from UTC, such as +0200")
    return parsedate_to_datetime(text)


def _parse_number(number: int | float) -> datetime:
    if isinstance(number, float):
        if number != number or number in (float("inf"), float("-inf")):
            raise ValueError("not a finite number")
        # Data frames turn a column of years with gaps into floats.
        if number.is_integer():
            number = int(number)
    if isinstance(number, int):
        digits = str(number)
        if len(digits) == 4 and number > 0:
            return datetime(number, 1, 1)
        if len(digits) == 8 and number > 0:
            return datetime.fromisoformat(digits)
        if len(digits) == 6 and number > 0:
            raise ValueError("six digits may be a month or seconds; write a month as 2024-05")
    if abs(number) < _FIRST_MILLISECONDS:
        return _EPOCH + timedelta(seconds=number)
    if abs(number) < _BEYOND_MILLISECONDS:
        return _EPOCH + timedelta(milliseconds=number)
    raise ValueError("too large for seconds or milliseconds since 1970; divide micro- or nanoseconds first")
