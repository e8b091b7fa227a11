"""Convert the dates that feeds, tables and people write to aware UTC times.

They are accepted as text or, if all digits, as a number, so that a CSV cell and a JSON number mean the same:

=======================================  =====================================================
``2024-05-01``, ``20240501``             a day: its first moment; also ``2024/5/1``, ``2024.05.01``
``2024-05``, ``2024``                    a month, a year: its first day
``2024-05-01T10:00[:30[.5]][Z|+03:00]``  a time (ISO 8601 calendar form; ``t`` or a blank for ``T``)
``20231121100500``, ``202311211005``     a time in 14 or 12 digits, if they are one from 1900 to 2099
``45251[.5]``                            days, as spreadsheets count them (from 10,000 to 100,000)
``1714557600``                           seconds since 1970, if below 10^11 (year 5138)
``1714557600000``                        milliseconds since 1970, from 10^11; microseconds from 10^14, nano- from 10^17
``Tue, 21 Nov 2023 10:05:00 +0200``      RFC 822, as feeds write it
``21.11.2023[ 10:05[:30]]``, ``21.11.23`` day, month, year
``21 ноября 2023 г., 10:05``             months in words or their first letters: Russian, Ukrainian, English
``10:05, 21 лис. 2023``                  the time of day first
=======================================  =====================================================

After a time of day may stand ``Z``, an offset (``+0300``, ``UTC+3``, ``GMT+03:00``), a usual abbreviation (``EET``,
``MSK``) or the name of a zone (``Europe/Kyiv``).

Integers of four digits are years, and of eight digits days; six digits are refused, since 202405 may be a month or
seconds, and so is ``05/06/2024``, which means May here and June there. ``NaT``, ``null`` and ``0000-00-00`` are the
absent dates of other programs. Week dates, ordinal dates and leap seconds are refused. Hour 24 is the first hour of the
next day: ISO 8601 allows 24:00, and real feeds write 24:04 for four minutes past midnight.
"""

from __future__ import annotations

import re
from datetime import MAXYEAR, UTC, date, datetime, time, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from infostream_dedup.errors import ConfigurationError

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS_FROM: Final = ((10**17, 1000), (10**14, 1), (10**11, 0.001), (0, 0.000_001))
"""Numbers from here on count so many units to a microsecond."""

_BEYOND: Final = 10**20
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
_ABSENT: Final = re.compile(r"(?i)nat|nan|null|none|n/a|0000-00-00(?:[ T]00:00(?::00(?:\.0+)?)?Z?)?")
_CLOCK: Final = re.compile(
    r"(?<![0-9:.+-])([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,20}))?)?(?:\s?([APap])\.?[Mm]\.?)?(?![0-9:])"
)
_JOINT: Final = re.compile(r"(?:(?<![^\W\d_])(?:[TtвоВО]|об|at|on)|(?<![\s,|–—-]))[\s,|–—-]*$")
"""What may stand between a day and its time of day."""

_DAYS: Final = (
    re.compile(r"(?P<year>[0-9]{4})(?P<mark>[-/.])(?P<month>[0-9]{1,2})(?P=mark)(?P<day>[0-9]{1,2})"),
    # A day above 12 tells which of both it is.
    re.compile(r"(?P<day>1[3-9]|2[0-9]|3[01])(?P<mark>[-/])(?P<month>[0-9]{1,2})(?P=mark)(?P<year>[0-9]{4})"),
    re.compile(r"(?P<month>[0-9]{1,2})(?P<mark>[-/])(?P<day>1[3-9]|2[0-9]|3[01])(?P=mark)(?P<year>[0-9]{4})"),
    re.compile(r"(?P<day>[0-9]{1,2})\.(?P<month>[0-9]{1,2})\.(?P<year>[0-9]{4}|[0-9]{2})(?:\s?[гр]\.?)?"),
    re.compile(
        r"(?:(?P<weekday>[^\W\d_]['’ʼ]?[^\W\d_]{1,10})\.?,?\s*)?(?P<day>[0-9]{1,2})(?:st|nd|rd|th|-?го)?[\s.-]+"
        r"(?P<name>[^\W\d_]{3,9})\.?,?[\s-]*(?P<year>[0-9]{4}|[0-9]{2})(?:\s?(?:г|р|года|року)\.?)?"
    ),
    re.compile(
        r"(?:(?P<weekday>[^\W\d_]['’ʼ]?[^\W\d_]{1,10})(?:[.,]+\s*|\s+))?(?P<name>[^\W\d_]{3,9})\.?\s*"
        r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>[0-9]{4})"
    ),
)
MONTHS: Final = {
    name: number
    for names in (
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "янв фев мар апр мая июн июл авг сен окт ноя дек",
        "янв фев мар апр май июн июл авг сен окт ноя дек",
        "січ лют бер кві тра чер лип сер вер жов лис гру",
    )
    for number, name in enumerate(names.split(), 1)
}
_WEEKDAYS: Final = frozenset("mo tu we th fr sa su пн вт ср чт пт сб вс по ср че пя су во ві се п' нд не".split())
_ZONES: Final = {
    **dict.fromkeys(("UT", "UTC", "GMT", "Z", "WET"), 0),
    "BST": 1, "WEST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "МСК": 3, "MSD": 4,
    "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}  # fmt: skip
"""Hours ahead of UTC of the abbreviations that news uses and that mean one zone there."""

_OFFSET: Final = re.compile(
    r"(?:UTC|GMT)?\s*([+-])([0-9]{1,2})(?::?([0-9]{2}))?(?:\s*[(\[][^()]*[)\]])?", re.IGNORECASE
)
_EITHER: Final = re.compile("[0-9]{1,2}([-/])[0-9]{1,2}\\1[0-9]{4}")
_EXPECTED: Final = "expected ISO 8601 such as 2024-05-01T10:00:00+03:00, 2024-05-01, 2024-05, 2024, or epoch seconds"
_FIRST_YEAR, _LAST_YEAR, _FIRST_NEWS = 1900, 2099, 1990
_SPREADSHEET: Final = datetime(1899, 12, 30)  # day 0 of spreadsheets, for days after February 1900

_FIRST_DAY: Final = 10_000  # 18 May 1927; smaller numbers are years

_END_OF_DAYS: Final = 100_000
"""14 October 2173; greater numbers are months, days written as digits, and seconds since 1970."""


def time_zone(name: str | None) -> tzinfo:
    """Return the time zone to assume for times without one."""
    if name is None or str(name).upper() == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, TypeError, ValueError, OSError) as error:
        raise ConfigurationError(f"unknown time zone {name!r}; give an IANA name such as Europe/Kyiv or UTC") from error


def utc_time(value: object, zone: tzinfo = UTC) -> datetime | None:
    """Return the moment that a ``published`` field names as an aware UTC time, or None for an absent one."""
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


def written_date(value: object, latest: datetime) -> str | None:
    """Return a date of a feed or page in ISO 8601, with the zone only if it names one; None if it cannot be one."""
    # A day stays a day. News is not of the future (up to two days are taken for a wrong clock), and the web had none
    # before 1990.
    try:
        moment = _parse_moment(value)
        time = utc_time(value)
    except (ValueError, TypeError):
        return None
    if moment is None or time is None or not time.year >= _FIRST_NEWS or time > latest + 2 * _DAY:
        return None
    if last_moment(value, time) != time:
        return moment.date().isoformat()
    return (moment if moment.tzinfo is None else time).isoformat()


def last_moment(published: object, time: datetime) -> datetime:
    """Return the last moment that a ``published`` field may mean: the end of a day, month or year."""
    number = int(published) if isinstance(published, float) and published.is_integer() else published
    text = str(number).strip()
    found = _CALENDAR.fullmatch(text)
    if found is None:
        is_day = any(pattern.fullmatch(text) for pattern in _DAYS)
        return min(time, datetime.max.replace(tzinfo=time.tzinfo) - _DAY) + _DAY - _TICK if is_day else time
    year, month, day = int(found[1]), int(found[2] or found[4] or 0), int(found[3] or 0)
    if year == MAXYEAR and month in (0, _DECEMBER) and day in (0, 31):
        return datetime.max.replace(tzinfo=time.tzinfo)
    start = date(year, month or 1, day or 1)
    following = date(year, month + 1, 1) if 0 < month < _DECEMBER else date(year + 1, 1, 1)
    return time + (_DAY if day else following - start) - _TICK


_DAY: Final = timedelta(days=1)
_TICK: Final = timedelta(microseconds=1)


def spreadsheet_date(days: float) -> str:
    """Return the date that a number of days means, and the time of day if it is not midnight."""
    moment = _SPREADSHEET + timedelta(seconds=round(days * 86_400))
    return (moment.date() if float(days).is_integer() else moment).isoformat()


def is_spreadsheet_date(number: float) -> bool:
    """Whether a number is one of days, as spreadsheets count them."""
    return _FIRST_DAY <= number < _END_OF_DAYS


def _parse_moment(value: object) -> datetime | None:
    if isinstance(value, str):
        return _parse_text(value.strip())
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{type(value).__name__} is not a date; {_EXPECTED}")
    # The empty cell of a data frame.
    return None if value != value else _parse_number(value)


def _parse_text(text: str) -> datetime | None:
    if not text or _ABSENT.fullmatch(text):
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
    return moment + _DAY if past_midnight else moment


def _parse_other_form(text: str) -> datetime:
    """Parse a date as feeds, programs and people write it."""
    clock = _CLOCK.search(text)
    if clock is None:
        return _parse_day(text)
    before, after = text[: clock.start()].strip(), text[clock.end() :].strip(" \t,|–—")
    year = re.fullmatch("[0-9]{4}", after[-4:])
    if not before:
        return _on(_parse_day(after), clock, "")
    if year is not None and re.fullmatch(r"\D+[0-9]{1,2}", before):
        # As C prints it, and a social network: Tue Nov 21 10:05:00 +0000 2023.
        before, after = f"{before} {year[0]}", after[:-4].rstrip()
    return _on(_parse_day(_JOINT.sub("", before).rstrip()), clock, after)


def _parse_day(text: str) -> datetime:
    found = next((match for pattern in _DAYS if (match := pattern.fullmatch(text))), None)
    if found is None:
        unclear = _EITHER.fullmatch(text) is not None
        raise ValueError(f"{'day and month may be either way' if unclear else 'not a date'}; {_EXPECTED}")
    parts = found.groupdict()
    name, weekday, year = parts.get("name"), parts.get("weekday"), int(parts["year"])
    month = int(parts["month"]) if name is None else MONTHS.get(name[:3].lower(), 0)
    if month == 0 or (weekday and weekday.lower().replace("’", "'").replace("ʼ", "'")[:2] not in _WEEKDAYS):
        raise ValueError(f"not a date; {_EXPECTED}")
    if len(parts["year"]) == 2:
        # As RFC 2822 reads them.
        year += 2000 if year < 69 else 1900
    return datetime(year, month, int(parts["day"]))


def _on(day: datetime, clock: re.Match[str], zone: str) -> datetime:
    """The time of day on a day; hour 24 is the first of the next."""
    hour, minute, second = int(clock[1]), int(clock[2]), int(clock[3] or 0)
    if clock[5]:
        hour = hour % 12 + 12 * (clock[5] in "pP")
    fraction = int((clock[4] or "0")[:6].ljust(6, "0"))
    moment = day + _DAY * (hour == 24)
    return datetime.combine(moment, time(hour % 24 if hour <= 24 else hour, minute, second, fraction), _zone_of(zone))


def _zone_of(text: str) -> tzinfo | None:
    text = text.strip().removeprefix("(").removesuffix(")") if text.startswith("(") else text
    if not text:
        return None
    offset = _OFFSET.fullmatch(text)
    if offset is not None:
        shift = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
        return timezone(-shift if offset[1] == "-" else shift)
    if text.upper() in _ZONES:
        return timezone(timedelta(hours=_ZONES[text.upper()]))
    if re.fullmatch(r"[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_+-]+)+", text):
        try:
            return ZoneInfo(text)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass
    # Other abbreviations are ambiguous, and Python silently takes them for UTC.
    raise ValueError(f"{text} is not a time zone that is known; write the offset from UTC, such as +0200")


def _parse_number(number: int | float) -> datetime:
    if isinstance(number, float):
        if number in (float("inf"), float("-inf")):
            raise ValueError("not a finite number")
        # Data frames turn a column of years with gaps into floats.
        if number.is_integer():
            number = int(number)
    if isinstance(number, int) and number > 0:
        digits = str(number)
        if len(digits) == 4:
            return datetime(number, 1, 1)
        if len(digits) == 8:
            return datetime.fromisoformat(digits)
        if len(digits) == 6:
            raise ValueError("six digits may be a month or seconds; write a month as 2024-05")
        if len(digits) in (12, 14) and (moment := _in_digits(digits)) is not None:
            return moment
    if is_spreadsheet_date(number):
        return datetime.fromisoformat(spreadsheet_date(number))
    size = abs(number)
    if size >= _BEYOND:
        raise ValueError("too large for nanoseconds since 1970")
    unit = next(unit for first, unit in _UNITS_FROM if size >= first)
    if isinstance(number, int):
        return _EPOCH + timedelta(microseconds=number // unit if unit >= 1 else number * round(1 / unit))
    return _EPOCH + timedelta(microseconds=number / unit)


def _in_digits(digits: str) -> datetime | None:
    """The time that 12 or 14 digits name; None if they name none in the years of news."""
    try:
        moment = datetime.strptime(digits, "%Y%m%d%H%M%S" if len(digits) == 14 else "%Y%m%d%H%M")
    except ValueError:
        return None
    return moment if _FIRST_YEAR <= moment.year <= _LAST_YEAR else None
