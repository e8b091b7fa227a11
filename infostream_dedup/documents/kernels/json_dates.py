"""Read dates in the forms that nearly all news uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infostream_dedup.machine.compiling import compiled, inlined, signed

if TYPE_CHECKING:
    import numpy as np

    from infostream_dedup.machine.arrays import Vector


OTHER_DATE: Final = 0
"""The plain code must read this date."""

LOCAL: Final = 1
"""A date without a zone."""

UTC_KNOWN: Final = 2
"""A date with its zone."""

_NO_DAY: Final = -(2**62)
_DASH: Final = 0x2D
_COLON: Final = 0x3A
_FIRST_YEAR: Final = 1900
_LAST_YEAR: Final = 2199
_DAYS_TO_1970: Final = 719_468
_MICROSECONDS: Final = 1_000_000


@inlined
def _two(data: Vector[np.uint8], at: int) -> int:
    """Return the value of two digits; a negative number if they are not digits."""
    tens, units = signed(data[at]) - 0x30, signed(data[at + 1]) - 0x30
    return 10 * tens + units if 0 <= tens <= 9 and 0 <= units <= 9 else -100_000


@inlined
def _days_in(month: int, year: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) or month == 6 or month == 9 or month == 11 else 31


@inlined
def _days_since_1970(year: int, month: int, day: int) -> int:
    """Count Gregorian days since 1970; years start in March here, so that the leap day is the last of its year."""
    if month <= 2:
        year -= 1
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return 365 * year + year // 4 - year // 100 + year // 400 + of_year - _DAYS_TO_1970


@inlined
def _day(data: Vector[np.uint8], begin: int) -> int:
    """Seconds from 1970 to the start of a day such as ``2024-05-01``; ``_NO_DAY`` outside 1900 to 2199."""
    year = 100 * _two(data, begin) + _two(data, begin + 2)
    month, day = _two(data, begin + 5), _two(data, begin + 8)
    if data[begin + 4] != _DASH or data[begin + 7] != _DASH or year < _FIRST_YEAR or year > _LAST_YEAR:
        return _NO_DAY
    if month < 1 or month > 12 or day < 1 or day > _days_in(month, year):
        return _NO_DAY
    return _days_since_1970(year, month, day) * 86_400


@inlined
def _hours(data: Vector[np.uint8], at: int) -> int:
    """Seconds of a time such as ``10:05``; -1 if there is no time here."""
    hour, minute = _two(data, at), _two(data, at + 3)
    fine = data[at + 2] == _COLON and 0 <= hour <= 23 and 0 <= minute <= 59
    return 3600 * hour + 60 * minute if fine else -1


@inlined
def _seconds(data: Vector[np.uint8], at: int, end: int) -> tuple[int, int]:
    """Microseconds of ``:30`` or ``:30.5`` and the place after it; 0 without seconds, -1 for any other form."""
    if at == end or data[at] != _COLON:
        return 0, at
    second = _two(data, at + 1)
    if end - at < 3 or second < 0 or second > 59:
        return -1, at
    at += 3
    found = second * _MICROSECONDS
    if at == end or data[at] != 0x2E:
        return found, at
    at += 1
    first, unit = at, _MICROSECONDS // 10
    while at < end and 0x30 <= data[at] <= 0x39 and unit:
        found += unit * (signed(data[at]) - 0x30)
        unit //= 10
        at += 1
    return (-1, at) if at == first else (found, at)


@compiled
def read_date(data: Vector[np.uint8], begin: int, end: int) -> tuple[int, int]:
    """Read ``2024-05-01`` or ``2024-05-01T10:00:30.5+03:00``; seconds, their fraction and the zone are optional.

    ``data``: UTF-8, followed by 32 readable bytes; ``begin``: first byte of the date; ``end``: the byte after it.
    Returns microseconds since 1970, and ``OTHER_DATE``, ``LOCAL`` or ``UTC_KNOWN``.
    """
    day = _day(data, begin)
    if end - begin < 10 or day == _NO_DAY:
        return 0, OTHER_DATE
    at = begin + 10
    if at == end:
        return day * _MICROSECONDS, LOCAL
    clock = _hours(data, at + 1)
    if end - at < 6 or data[at] not in (0x54, 0x20) or clock < 0:
        return 0, OTHER_DATE
    part, at = _seconds(data, at + 6, end)
    if part < 0:
        return 0, OTHER_DATE
    moment = (day + clock) * _MICROSECONDS + part
    if at == end:
        return moment, LOCAL
    if end - at == 1 and data[at] == 0x5A:
        return moment, UTC_KNOWN
    offset = _hours(data, at + 1)
    if end - at != 6 or data[at] not in (0x2B, _DASH) or offset < 0:
        return 0, OTHER_DATE
    return moment + (offset if data[at] == _DASH else -offset) * _MICROSECONDS, UTC_KNOWN
