"""Turn lines of JSON, and dates as news writes them, into columns; what is not plainly valid is left to plain code."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.machine.arrays import Cube, Ints, Table, Uint8s, Uint64s
from infostream_dedup.machine.compiling import compiled, inlined, popcount, signed
from infostream_dedup.machine.kernels import BLOCK, between, copy_bytes, eight_bytes, lowest_bit
from infostream_dedup.model.document import MOST_ID_BYTES

OTHER_DATE: Final = 0  # the plain code must read this date
LOCAL: Final = 1  # a date without a zone
UTC_KNOWN: Final = 2  # a date with its zone
_NO_DAY: Final = -(2**62)
_DASH: Final = 0x2D
_COLON: Final = 0x3A
_FIRST_YEAR: Final = 1900
_LAST_YEAR: Final = 2199
_DAYS_TO_1970: Final = 719_468
_MICROSECONDS: Final = 1_000_000


@inlined
def _two(data: Uint8s, at: int) -> int:
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
def _day(data: Uint8s, begin: int) -> int:
    """Seconds from 1970 to the start of a day such as ``2024-05-01``; ``_NO_DAY`` outside 1900 to 2199."""
    year = 100 * _two(data, begin) + _two(data, begin + 2)
    month, day = _two(data, begin + 5), _two(data, begin + 8)
    if data[begin + 4] != _DASH or data[begin + 7] != _DASH or year < _FIRST_YEAR or year > _LAST_YEAR:
        return _NO_DAY
    if month < 1 or month > 12 or day < 1 or day > _days_in(month, year):
        return _NO_DAY
    return _days_since_1970(year, month, day) * 86_400


@inlined
def _hours(data: Uint8s, at: int) -> int:
    """Seconds of a time such as ``10:05``; -1 if there is no time here."""
    hour, minute = _two(data, at), _two(data, at + 3)
    fine = data[at + 2] == _COLON and 0 <= hour <= 23 and 0 <= minute <= 59
    return 3600 * hour + 60 * minute if fine else -1


@inlined
def _seconds(data: Uint8s, at: int, end: int) -> tuple[int, int]:
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
def read_date(data: Uint8s, begin: int, end: int) -> tuple[int, int]:
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


# Check JSON values in UTF-8 as strictly as the parser that reads what these loops leave.
#
# All functions take the bytes `data` and places in one of its lines. A line ends at a control character or at the end
# of `data`, which is followed by `BLOCK` readable bytes. They return -1 for anything that is not plainly valid.

ESCAPED: Final = 1  # mark of a string with escapes
ODD: Final = 2  # mark of a string with control characters
BRACKETS: Final = 1  # mark of a value that another parser must check: an array, an object, or a long or unusual number
_ALL: Final = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_ONE: Final = np.uint64(1)
_TWO: Final = np.uint64(2)
_SURE_DIGITS: Final = 15
_QUOTE: Final = 0x22
_BACKSLASH: Final = 0x5C


@inlined
def after_blanks(data: Uint8s, at: int, end: int) -> int:
    """First place at or after ``at`` that is not JSON white space; ``end`` if all of it is."""
    while at < end and (data[at] == 0x20 or data[at] == 0x09 or data[at] == 0x0D):
        at += 1
    return at


@inlined
def plain_bytes(data: Uint8s, at: int, stop: np.uint64) -> tuple[int, int]:
    """Count those of the next ``BLOCK`` bytes that are whole characters and may be copied unchanged.

    ``data``: see above; ``at``: the first byte; ``stop``: a bit for each further byte that ends the run. Returns number
    of bytes (-1 if they are not UTF-8) and of characters. Four-byte characters, and three-byte ones that need a closer
    look, end the run.
    """
    follow = between(data, at, 0x80, 0xBF)
    two, three = between(data, at, 0xC2, 0xDF), between(data, at, 0xE1, 0xEC) | between(data, at, 0xEE, 0xEF)
    controls = between(data, at, 0xC2, 0xC2) & (between(data, at, 0x80, 0x9F) >> _ONE)
    stop |= between(data, at, 0x00, 0x1F) | between(data, at, 0x7F, 0x7F) | between(data, at, 0xC0, 0xC1)
    stop |= between(data, at, 0xE0, 0xE0) | between(data, at, 0xED, 0xED) | between(data, at, 0xF0, 0xFF) | controls
    expected = two << _ONE | three << _ONE | three << _TWO
    size = lowest_bit(stop)
    if size < BLOCK:
        if (expected >> np.uint64(size)) & _ONE:
            return -1, 0
    elif (two | three) >> np.uint64(BLOCK - 1):
        size = BLOCK - 1
    elif three >> np.uint64(BLOCK - 2):
        size = BLOCK - 2
    inside = _ALL if size == BLOCK else (_ONE << np.uint64(size)) - _ONE
    if (expected ^ follow) & inside:
        return -1, 0
    return size, popcount(~follow & inside)


@inlined
def _follows(data: Uint8s, at: int) -> bool:
    return bool(0x80 <= data[at] <= 0xBF)


@inlined
def rare_character(data: Uint8s, at: int) -> int:
    """Size of a three- or four-byte character whose second byte is restricted; -1 if it is not UTF-8."""
    first, second = data[at], data[at + 1]
    if first == 0xE0:
        return 3 if 0xA0 <= second <= 0xBF and _follows(data, at + 2) else -1
    if first == 0xED:
        return 3 if 0x80 <= second <= 0x9F and _follows(data, at + 2) else -1
    if first < 0xF0 or first > 0xF4 or not _follows(data, at + 2) or not _follows(data, at + 3):
        return -1
    low = 0x90 if first == 0xF0 else 0x80
    high = 0x8F if first == 0xF4 else 0xBF
    return 4 if low <= second <= high else -1


@inlined
def _hex_digit(byte: int) -> int:
    if 0x30 <= byte <= 0x39:
        return byte - 0x30
    lower = byte | 0x20
    return lower - 0x57 if 0x61 <= lower <= 0x66 else -1


@inlined
def _four_digits(data: Uint8s, at: int) -> int:
    found = 0
    for place in range(at, at + 4):
        digit = _hex_digit(signed(data[place]))
        if digit < 0:
            return -1
        found = found << 4 | digit
    return found


@inlined
def escaped_code(data: Uint8s, at: int) -> tuple[int, int]:
    """Decode the escape at a backslash: its code point (-1: lone surrogate or invalid) and its number of bytes."""
    kind = data[at + 1]
    if kind == 0x75:
        code = _four_digits(data, at + 2)
        if code < 0xD800 or code > 0xDFFF:
            return code, 6
        low = _four_digits(data, at + 8) if data[at + 6] == _BACKSLASH and data[at + 7] == 0x75 else -1
        if code > 0xDBFF or low < 0xDC00 or low > 0xDFFF:
            return -1, 0
        return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), 12
    if kind in (_QUOTE, _BACKSLASH, 0x2F):
        return signed(kind), 2
    if kind == 0x6E:
        return 0x0A, 2
    if kind == 0x72:
        return 0x0D, 2
    if kind == 0x74:
        return 0x09, 2
    if kind == 0x62:
        return 0x08, 2
    return (0x0C, 2) if kind == 0x66 else (-1, 0)


@inlined
def _special_character(data: Uint8s, at: int) -> tuple[int, int]:
    """Size of a character that ``plain_bytes`` does not pass, and its mark; -1 if it is not valid."""
    byte = data[at]
    if byte == _BACKSLASH:
        code, size = escaped_code(data, at)
        if code < 0:
            return -1, 0
        control = (code < 0x20 and code not in (0x09, 0x0A, 0x0D)) or 0x7F <= code <= 0x9F
        return size, ESCAPED | ODD if control else ESCAPED
    if byte == 0x7F:
        return 1, ODD
    if byte == 0xC2:
        return 2, ODD
    return (rare_character(data, at), 0) if byte >= 0xE0 else (-1, 0)


def string_end(data: Uint8s, at: int) -> tuple[int, int, int]:
    """Place of the closing quote of the string opened before ``at``; ``ESCAPED`` and ``ODD``; number of characters."""
    marks, characters = 0, 0
    while True:
        ends = between(data, at, _QUOTE, _QUOTE) | between(data, at, _BACKSLASH, _BACKSLASH)
        size, inside = plain_bytes(data, at, ends)
        if size < 0:
            return -1, 0, 0
        at += size
        characters += inside
        if size >= BLOCK - 2:
            continue
        if data[at] == _QUOTE:
            return at, marks, characters
        size, mark = _special_character(data, at)
        if size < 0:
            return -1, 0, 0
        at += size
        marks |= mark
        characters += 1


@inlined
def _digits_end(data: Uint8s, at: int) -> int:
    while 0x30 <= data[at] <= 0x39:
        at += 1
    return at


@inlined
def _number_end(data: Uint8s, at: int) -> tuple[int, int]:
    begin = at
    if data[at] == 0x2D:
        at += 1
    after = _digits_end(data, at)
    if after == at or (data[at] == 0x30 and after > at + 1):
        return -1, 0
    at = after
    if data[at] == 0x2E:
        after = _digits_end(data, at + 1)
        if after == at + 1:
            return -1, 0
        at = after
    exponent = data[at] == 0x65 or data[at] == 0x45
    if exponent:
        at += 2 if data[at + 1] == 0x2B or data[at + 1] == 0x2D else 1
        after = _digits_end(data, at)
        if after == at:
            return -1, 0
        at = after
    return at, BRACKETS if exponent or at - begin > _SURE_DIGITS else 0


@inlined
def _nested_end(data: Uint8s, at: int, end: int) -> int:
    """Place after the bracket that closes the one at ``at``; between them, only strings are checked."""
    depth = 0
    while at < end:
        byte = data[at]
        if byte == _QUOTE:
            at, _, _ = string_end(data, at + 1)
            if at < 0:
                return -1
        elif byte == 0x5B or byte == 0x7B:
            depth += 1
        elif byte == 0x5D or byte == 0x7D:
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return -1


@inlined
def _is_word(data: Uint8s, at: int, first: int, second: int, third: int) -> bool:
    return bool(data[at] == first and data[at + 1] == second and data[at + 2] == third)


def value_end(data: Uint8s, at: int, end: int) -> tuple[int, int]:
    """Place after the number, object, array or literal that begins at ``at``, in a line up to ``end``; ``BRACKETS``."""
    byte = data[at]
    if byte == 0x5B or byte == 0x7B:
        return _nested_end(data, at, end), BRACKETS
    if byte == 0x74:
        return (at + 4, 0) if _is_word(data, at + 1, 0x72, 0x75, 0x65) else (-1, 0)
    if byte == 0x6E:
        return (at + 4, 0) if _is_word(data, at + 1, 0x75, 0x6C, 0x6C) else (-1, 0)
    if byte == 0x66:
        return (at + 5, 0) if _is_word(data, at + 1, 0x61, 0x6C, 0x73) and data[at + 4] == 0x65 else (-1, 0)
    return _number_end(data, at)


LEFT: Final = 0  # a line for the plain code
READ: Final = 1  # a document
CHECK: Final = 2  # the line is a document if the plain parser accepts it without its text
BLANK: Final = 3  # a line without a record
ID: Final = 0
TEXT: Final = 1
TITLE: Final = 2
LANG: Final = 3
PUBLISHED: Final = 4
SOURCE: Final = 5
URL: Final = 6
_FIELDS: Final = 7
_OTHER: Final = 7
_NAMES: Final = (b"id", b"text", b"title", b"lang", b"published", b"source", b"url")
"""Names of the fields above, in the same order."""

NAME_WORDS: Final = np.array([int.from_bytes(name[:8].ljust(8, b"\0"), "little") for name in _NAMES], dtype=np.uint64)
"""The first eight bytes of ``_NAMES`` as numbers, for ``read_lines``."""

OTHER_STRING: Final = -2  # marks a URL that contains escapes
NO_LANGUAGE: Final = 3  # marks a document without a language
_WORD: Final = 8
_NEW_LINE: Final = 0x0A
_NULL: Final = 0x6E
_ODD_FACTOR: Final = np.uint64(0x9E37_79B9_7F4A_7C15)
_SHIFT: Final = np.uint64(29)


class JsonColumns(NamedTuple):
    """What was read; row i is line i."""

    bounds: Table[np.int64]  # int64 (lines, 2), first byte of each line, and the byte after it without its line end
    states: Uint8s  # uint8 (lines,), `LEFT`, `READ`, `CHECK` or `BLANK`
    # int64 (lines, 7, 2), bounds of the strings of the fields in the line's bytes; (-1, -1) for null and absent ones,
    # and for `PUBLISHED` those of the whole value
    spans: Cube[np.int64]
    languages: Uint8s  # uint8 (lines,), index of `ru`, `uk`, `en`, or `NO_LANGUAGE`
    dates: Table[np.int64]  # int64 (lines, 2), what `read_date` returned; without a date 0 and -1
    sizes: Table[np.int64]  # int64 (lines, 3), bytes of the title, characters of the title, characters of the text
    hashes: Uint64s  # uint64 (lines,), of title and text
    texts: Uint8s  # uint8, title and text of each document as `full_text` joins them
    text_ends: Ints  # int64 (lines,), end of each document in `texts`
    bodies: Ints  # int64 (lines,), start of the text of each document in `texts`
    rest: Uint8s  # uint8, the lines, with their texts cut out
    rest_ends: Ints  # int64 (lines,), end of each line in `rest`
    others: Uint64s  # uint64, hashes of the names in a line that are not ours


@inlined
def _line_end(data: Uint8s, at: int, size: int) -> int:
    while at < size:
        step = lowest_bit(between(data, at, _NEW_LINE, _NEW_LINE))
        at += step
        if step < BLOCK:
            break
    return min(at, size)


@inlined
def _field(data: Uint8s, begin: int, end: int, words: Uint64s) -> int:
    """Number of the field with a name; ``_OTHER`` for any other name."""
    size = end - begin
    if size < 2 or size > 9:
        return _OTHER
    word = eight_bytes(data, begin)
    if size < _WORD:
        word &= (_ONE << np.uint64(8 * size)) - _ONE
    for number in range(_FIELDS):
        if word == words[number]:
            if number == PUBLISHED:
                return number if size == 9 and data[end - 1] == 0x64 else _OTHER
            return number if size <= 6 else _OTHER
    return _OTHER


@inlined
def _language(data: Uint8s, begin: int, end: int) -> int:
    if begin == end:
        return NO_LANGUAGE
    first, second = data[begin], data[begin + 1]
    if end - begin == 2:
        if first == 0x72 and second == 0x75:
            return 0
        if first == 0x75 and second == 0x6B:
            return 1
        if first == 0x65 and second == 0x6E:
            return 2
    return -1


@inlined
def _fits(field: int, size: int, marks: int) -> bool:
    """Whether a string can be used as it is."""
    if field == ID:
        return marks == 0 and 0 < size <= MOST_ID_BYTES
    if field in (TEXT, TITLE):
        return marks & ODD == 0
    return marks == 0 or field == URL


@inlined
def _clear(row: int, out: JsonColumns) -> None:
    for field in range(_FIELDS):
        out.spans[row, field, 0] = out.spans[row, field, 1] = -1
    out.languages[row] = NO_LANGUAGE
    out.dates[row, 0], out.dates[row, 1] = 0, -1
    out.sizes[row, 0] = out.sizes[row, 1] = out.sizes[row, 2] = 0


@inlined
def _take_string(data: Uint8s, begin: int, field: int, row: int, out: JsonColumns) -> int:
    """Read a string into a field; return the place after it, or -1 to leave the line to the plain code."""
    end, marks, characters = string_end(data, begin + 1)
    if end < 0:
        return -1
    if field == _OTHER:
        return end + 1
    if not _fits(field, end - begin - 1, marks):
        return -1
    out.spans[row, field, 0], out.spans[row, field, 1] = begin + 1, end
    if field == URL and marks:
        out.spans[row, field, 0] = OTHER_STRING
    if field == TEXT:
        out.sizes[row, 2] = characters
    elif field == TITLE:
        out.sizes[row, 1] = characters
    elif field == LANG:
        language = _language(data, begin + 1, end)
        if language < 0:
            return -1
        out.languages[row] = language
    elif field == PUBLISHED:
        out.dates[row, 0], out.dates[row, 1] = read_date(data, begin + 1, end)
        out.spans[row, field, 0], out.spans[row, field, 1] = begin, end + 1
    return end + 1


@inlined
def _take_value(data: Uint8s, begin: int, end: int, field: int, row: int, out: JsonColumns) -> tuple[int, int]:
    """Read a number, object, array or word into a field; return the place after it, or -1, and the line's state."""
    after, marks = value_end(data, begin, end)
    if after >= 0 and field != _OTHER and data[begin] != _NULL:
        if field == ID and after - begin < _SURE_DIGITS and _digits_end(data, begin) == after:
            out.spans[row, ID, 0], out.spans[row, ID, 1] = begin, after
            return after, READ
        if field != PUBLISHED:
            return -1, LEFT
        out.dates[row, 1] = OTHER_DATE
        out.spans[row, field, 0], out.spans[row, field, 1] = begin, after
    return after, CHECK if marks == BRACKETS else READ


@inlined
def _take_name(data: Uint8s, at: int, words: Uint64s) -> tuple[int, int]:
    """Read a field's name; return its number and the place after it, or -1 to leave the line to the plain code."""
    if data[at] != _QUOTE:
        return -1, at
    end, marks, _ = string_end(data, at + 1)
    if end < 0 or marks:
        return -1, at
    return _field(data, at + 1, end, words), end + 1


@inlined
def _is_new(data: Uint8s, begin: int, end: int, others: Uint64s, count: int) -> bool:
    """Whether a name is none of ``count`` former ones, and fits behind them, where it is put."""
    if count == others.size:
        return False
    found = hash_content(data, begin, end, 0)
    for number in range(count):
        if others[number] == found:
            return False
    others[count] = found
    return True


def _read_fields(data: Uint8s, at: int, end: int, words: Uint64s, row: int, out: JsonColumns) -> int:
    """Read the fields of the object that opens at a place; return the state of the line."""
    _clear(row, out)
    seen, state, others = 0, READ, 0
    while True:
        begin = after_blanks(data, at + 1, end)
        field, at = _take_name(data, begin, words)
        if field < 0 or (field != _OTHER and seen >> field & 1):
            return LEFT
        if field == _OTHER:
            if not _is_new(data, begin + 1, at - 1, out.others, others):
                return LEFT
            others += 1
        seen |= 1 << field
        at = after_blanks(data, at, end)
        if data[at] != 0x3A:
            return LEFT
        at = after_blanks(data, at + 1, end)
        if data[at] == _QUOTE:
            at = _take_string(data, at, field, row, out)
        else:
            at, of_value = _take_value(data, at, end, field, row, out)
            state = max(state, of_value)
        if at < 0:
            return LEFT
        at = after_blanks(data, at, end)
        if data[at] != 0x2C:
            break
    if data[at] != 0x7D or after_blanks(data, at + 1, end) != end:
        return LEFT
    return state if out.spans[row, ID, 0] >= 0 and out.spans[row, TEXT, 0] >= 0 else LEFT


@inlined
def _put(code: int, target: Uint8s, at: int) -> int:
    """Write a character; return its size."""
    if code < 0x80:
        target[at] = code
        return 1
    if code < 0x800:
        target[at], target[at + 1] = 0xC0 | code >> 6, 0x80 | code & 0x3F
        return 2
    if code < 0x10000:
        target[at], target[at + 1], target[at + 2] = 0xE0 | code >> 12, 0x80 | code >> 6 & 0x3F, 0x80 | code & 0x3F
        return 3
    target[at], target[at + 1] = 0xF0 | code >> 18, 0x80 | code >> 12 & 0x3F
    target[at + 2], target[at + 3] = 0x80 | code >> 6 & 0x3F, 0x80 | code & 0x3F
    return 4


def _write_string(data: Uint8s, begin: int, end: int, target: Uint8s, size: int) -> int:
    """Decode a string into ``target``, starting at ``target[size]``; return the place after it."""
    at = begin
    while at < end:
        step = min(lowest_bit(between(data, at, 0x5C, 0x5C)), end - at)
        copy_bytes(data, at, target, size, step)
        at, size = at + step, size + step
        if at < end and step < BLOCK:
            code, step = escaped_code(data, at)
            size += _put(code, target, size)
            at += step
    return size


@compiled
def hash_content(texts: Uint8s, begin: int, end: int, title: int) -> np.uint64:
    """Hash of a ``title`` of so many bytes and its text; ``texts``: UTF-8, followed by 8 readable bytes."""
    found = np.uint64(end - begin) ^ (np.uint64(title) << np.uint64(32))
    at = begin
    while at < end:
        word = eight_bytes(texts, at)
        if end - at < _WORD:
            word &= (_ONE << np.uint64(8 * (end - at))) - _ONE
        found = (found ^ word) * _ODD_FACTOR
        found ^= found >> _SHIFT
        at += _WORD
    return found


@inlined
def begins_with(target: Uint8s, text: int, title: int, size: int) -> bool:
    """Whether the bytes at ``text`` start with the ``size`` bytes at ``title``."""
    same = 0
    while same < size and target[text + same] == target[title + same]:
        same += 1
    return same == size


@inlined
def _write_texts(data: Uint8s, row: int, first: int, out: JsonColumns) -> int:
    """Write title and text of a document, starting at ``texts[first]``; return the place after them."""
    size, body = first, first
    if out.spans[row, TITLE, 0] >= 0:
        size = _write_string(data, out.spans[row, TITLE, 0], out.spans[row, TITLE, 1], out.texts, first)
    title = size - first
    if title:
        out.texts[size] = _NEW_LINE
        body = size + 1
    begin, end = out.spans[row, TEXT, 0], out.spans[row, TEXT, 1]
    size = _write_string(data, begin, end, out.texts, body)
    if title and size - body >= title and begins_with(out.texts, body, first, title):
        body = first
        size = _write_string(data, begin, end, out.texts, body)
    out.bodies[row], out.sizes[row, 0] = body, title
    out.hashes[row] = hash_content(out.texts, first, size, title)
    return size


@inlined
def _write_rest(data: Uint8s, row: int, size: int, out: JsonColumns) -> int:
    """Write a line without its text, starting at ``rest[size]``; return the place after it."""
    begin, end = out.bounds[row, 0], out.spans[row, TEXT, 0]
    copy_bytes(data, begin, out.rest, size, end - begin)
    size += end - begin
    begin, end = out.spans[row, TEXT, 1], out.bounds[row, 1]
    copy_bytes(data, begin, out.rest, size, end - begin)
    size += end - begin
    return size


@compiled
def read_lines(data: Uint8s, size: int, last: bool, limit: int, words: Uint64s, out: JsonColumns) -> int:
    """Read as many whole lines as there is room for.

    ``data``: any bytes, valid UTF-8 or not, followed by ``BLOCK`` zero bytes; ``size``: number of bytes before the
    zeros; ``last``: whether the last line may lack its line end; ``limit``: maximum size of a line in bytes; ``words``:
    ``NAME_WORDS``; ``out``: receives what was read; ``texts`` and ``rest`` are as long as ``data``. Returns number of
    lines.
    """
    at, row, text_size, rest_size = 0, 0, 0, 0
    while at < size and row < out.states.size:
        end = _line_end(data, at, size)
        if end == size and not last:
            break
        out.bounds[row, 0], out.bounds[row, 1] = at, end
        begin = after_blanks(data, at, end)
        state = LEFT
        if begin == end:
            state = BLANK
        elif data[begin] == 0x7B and end - at <= limit:
            state = _read_fields(data, begin, end, words, row, out)
        if state in (READ, CHECK):
            text_size = _write_texts(data, row, text_size, out)
            rest_size = _write_rest(data, row, rest_size, out)
        out.states[row], out.text_ends[row], out.rest_ends[row] = state, text_size, rest_size
        row += 1
        at = end + 1
    return row
