"""Documents read in columns are those read one by one, and so are errors, counts and what is set aside."""

import gzip
import json
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.documents import Reading, ReadingReport, block_reading, read_documents, table_blocks
from infostream_dedup.documents.block_reading import LineBuffer, placed_batches, placed_documents, read_document_blocks
from infostream_dedup.documents.kernels.json_lines import LOCAL, OTHER_DATE, UTC_KNOWN, read_date
from infostream_dedup.documents.reading import ONE_BY_ONE, checked_documents, make_builder, open_items
from infostream_dedup.errors import InfostreamError
from infostream_dedup.model import NO_TIME, Document, DocumentBlock, KeptDocuments, fields_of, without_text
from infostream_dedup.stream.deduplicator import Deduplicator, built_documents
from infostream_dedup.stream.preparation import content_hash, content_hashes

ODD_VALUES = [
    *('"a"', '"ы"', '"\\u0443\\u043a"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\\udc00\\ud800"', '"\\u0000"', '"\\b\\f"'),
    *('"\\n\\t\\r\\/\\\\\\""', '"\x7f"', '"\x85"', '"\\u0085"', '"\u2028\u2014\u00ab\ue000\U0001f600\ud7ff"'),
    *('"\\x"', '"\\u12g4"', "null", "true", "false", "nul", "truth", "0", "-0", "01", "-", "1.", "1.5", "-1e5"),
    *("1E+400", "1e", "12345678901234567890123", "1714557600", "2024", "202405", "NaN", "[]", "{}"),
    *('[1, [2, {"a": null}]]', "[1,]", '{"a":}', "[" * 260 + "]" * 260),
    *('"2024-05-01"', '"2024-05-01T10:00:30.123456+03:00"', '"2024-02-30"', '"2024-05-01 24:04"', '" "'),
    *('"2024-05-01T10:00Z"', '"21.11.2023 10:05"', '"1899-12-31"', '"2024-05-01T10:00:30.1234567"'),
    *('"ru"', '"uk"', '"en"', '"uk-UA"', '"de"', '"und"', '""', '"xx!"', '"http:\\/\\/a.b\\/c"'),
    *('"' + "д" * 40 + '"', '"' + "i" * 600 + '"', '"Der Bundestag hat am Freitag das Gesetz"'),
]
NAMES = [
    *("id", "text", "title", "lang", "published", "source", "url", "images", "links", "topic"),
    *("te\\u0078t", "publishe", "published_", ""),
]
GERMAN = "Der Bundestag hat am Freitag das Gesetz über die Renten mit den Stimmen der Koalition beschlossen"
MISREAD = "Снег, мост".encode().decode("cp1251") * 9
TEXTS = [GERMAN, "Мэр открыл мост", "Зима. Снег\nидёт", "", "🙂 — «текст»", MISREAD]
OPTIONS = [
    {}, {"on_error": "skip"}, {"on_error": "skip", "max_errors": 1}, {"tz": "Europe/Kyiv"},
    {"make_ids": True}, {"columns": "text=topic"}, {"columns": "title=topic.a,source=", "make_ids": True},
    {"other_languages": "fail"}, {"other_languages": "skip"},
    {"max_line_bytes": 120, "on_error": "skip"},
]  # fmt: skip


def _holds_nan(document):
    return any(isinstance(one, float) and one != one for one in (document.published, *document.extra.values()))


@st.composite
def fields(draw):
    own = {
        "id": json.dumps(draw(st.text(st.sampled_from("abcё1-"), max_size=3))),
        "text": json.dumps(draw(st.sampled_from(TEXTS)), ensure_ascii=draw(st.booleans())),
        **draw(st.dictionaries(st.sampled_from(NAMES), st.sampled_from(ODD_VALUES), max_size=3)),
    }
    return [(name, own[name]) for name in draw(st.permutations(list(own)))] + draw(
        st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(ODD_VALUES)), max_size=1)
    )


@st.composite
def lines(draw):
    blank = st.sampled_from(["", " ", "\t ", "\r"])
    parts = [f'{draw(blank)}"{name}"{draw(blank)}:{draw(blank)}{value}' for name, value in draw(fields())]
    line = (draw(blank) + "{" + ",".join(parts) + draw(blank) + "}" + draw(blank)).encode("utf-8", "surrogatepass")
    at = draw(st.integers(0, len(line)))
    damaged = [line[:at], *(line[:at] + byte + line[at:] for byte in (b"\xff", b"\xd0", b"\0")), line + b"x"]
    return draw(st.sampled_from([line] * 12 + damaged + [b"", b" ", b"\x0b", b"[]", b"{}"]))


def outcome(read, path, tmp_path, **options):
    aside = tmp_path / "aside.jsonl"
    aside.unlink(missing_ok=True)
    if options.get("on_error") == "skip":
        options["quarantine"] = aside
    report, found = ReadingReport(), []
    try:
        for one in read(path, report=report, reading=Reading(**options)):
            found.extend([one] if isinstance(one, Document) else one)
        error = None
    except InfostreamError as fault:
        error = (type(fault), str(fault), vars(fault))
    set_aside = aside.read_bytes() if "quarantine" in options and aside.exists() else b""
    extras = [(one.extra.order, one.extra.theirs, repr(one.extra.given)) for one in found]
    # NaN, as given for a date or another field, equals nothing.
    dates = [repr((one.published, dict(one.extra))) if _holds_nan(one) else repr(one.published) for one in found]
    found = [replace(one, published=None, extra={}) if _holds_nan(one) else one for one in found]
    return found, dates, extras, error, report, list(report.sources.items()), list(report.languages.items()), set_aside


def agreed(path, folder, **options):
    """The outcome of reading one by one, which is that of reading in columns."""
    together, single = (outcome(read, path, folder, **options) for read in (read_document_blocks, read_documents))
    assert together == single
    return single


def one_by_one(source, bad, reading):
    return checked_documents(open_items(source, reading, ONE_BY_ONE), make_builder(reading, bad.report), bad, None)


def in_batches(source, bad, reading, size):
    for batch in placed_batches(source, bad, reading, size):
        assert content_hashes(batch) == list(map(content_hash, batch))
        yield from zip(batch, map(batch.place, range(len(batch))), strict=True)


def with_noted_places(read, places):
    def documents(path, *, report, reading):
        with reading.bad_records(report) as bad:
            for document, place in read(path, bad, reading):
                places.append(place)
                yield document

    return documents


@pytest.fixture
def read_together(monkeypatch):
    seen = []
    taken = block_reading._Reader._taken
    monkeypatch.setattr(block_reading._Reader, "_taken", lambda self, *given: (seen.append(1), taken(self, *given))[1])
    return seen


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("blocks")


@given(
    st.lists(lines(), max_size=9), st.sampled_from(OPTIONS), st.sampled_from([64, 100, 1 << 16]),
    st.sampled_from([b"\n", b"\n\n", b"\r\n"]), st.sampled_from([b"", b"\xef\xbb\xbf", b"\n"]),
)  # fmt: skip
@example(
    [b'{"id":"1","text":"a"}', b'{"id":"1","text":"a"}', b'{"id":"1","text":"b"}'], {"on_error": "skip"}, 64, b"\n",
    b"",
)  # fmt: skip
def test_columns_are_what_single_documents_are(folder, given_lines, options, size, end, begin):
    path = folder / "odd.jsonl"
    path.write_bytes(begin + end.join(given_lines))
    placed, single = [], []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_reading, "LineBuffer", partial(LineBuffer, size=size))
        together = outcome(read_document_blocks, path, folder, **options)
        with_places = outcome(with_noted_places(placed_documents, placed), path, folder, **options)
        batched = [with_noted_places(partial(in_batches, size=size), []) for size in (1, 3)]
        batches = [outcome(read, path, folder, **options) for read in batched]
    assert together == outcome(read_documents, path, folder, **options)
    assert with_places == outcome(with_noted_places(one_by_one, single), path, folder, **options)
    assert placed == single
    assert batches == ([with_places] * 2 if with_places[3] is None else [with_places, batches[1]])


def test_plain_news_is_read_in_columns(read_together, tmp_path):
    path = tmp_path / "news.jsonl"
    rows = [
        {"id": f"n{number}", "title": "Мэр", "text": "Мэр открыл мост" if number % 3 else "Открыт мост", "lang": "ru",
         "published": "2024-05-01T10:00:00+03:00", "source": "a.md", "url": None if number % 2 else "http://a.md/1"}
        for number in range(50)
    ]  # fmt: skip
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    blocks = list(read_document_blocks(path, reading=Reading(), report=ReadingReport()))
    assert [type(one) for one in blocks] == [DocumentBlock]
    block, documents = blocks[0], list(read_documents(path))
    assert (list(block), block.times[0]) == (documents, 1_714_546_800_000_000)
    kept = KeptDocuments()
    kept.append(without_text(documents[0]))
    kept.extend(block)
    assert list(kept) == [without_text(one) for one in [documents[0], *documents]]
    assert kept[-1] is kept[50]
    assert fields_of(kept) == fields_of([documents[0], *documents])


def test_a_broken_archive_gives_what_came_before_the_break(read_together, tmp_path):
    whole = gzip.compress(b"".join(b'{"id":"%d","text":"%s"}\n' % (number, b"slovo " * 99) for number in range(900)))
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(whole[: len(whole) // 2])
    assert agreed(path, tmp_path, on_error="skip")[0]
    assert read_together


@pytest.mark.parametrize("begin", [b"\xff\xfe{\0", b"{\0\0\0", b""])
def test_wide_encodings_and_nothing(tmp_path, begin):
    path = tmp_path / "wide.jsonl"
    path.write_bytes(begin)
    agreed(path, tmp_path, encoding="utf-8", on_error="skip")


def test_a_line_longer_than_the_buffer(tmp_path, monkeypatch):
    monkeypatch.setattr(block_reading, "LineBuffer", partial(LineBuffer, size=64))
    path = tmp_path / "long.jsonl"
    path.write_bytes(
        b'{"id":"1","text":"%s"}\n{"id":"2","text":"%s"}\n\n{"id":"3","text":""}' % (b"a" * 500, b"b" * 5000)
    )
    found, *_ = agreed(path, tmp_path, on_error="skip", max_line_bytes=900)
    assert [one.id for one in found] == ["1", "3"]


@pytest.mark.parametrize(("text", "microseconds", "kind"), [
    ("1970-01-01", 0, LOCAL), ("1969-12-31T23:59:59.5Z", -500_000, UTC_KNOWN),
    ("2024-02-29T00:00+02:00", 1_709_157_600_000_000, UTC_KNOWN), ("2023-02-29", 0, OTHER_DATE),
    ("2024-05-01T24:00", 0, OTHER_DATE), ("2024-05-01T10:00 Z", 0, OTHER_DATE), ("2024-05", 0, OTHER_DATE),
])  # fmt: skip
def test_dates(text, microseconds, kind):
    assert read_date(np.frombuffer(text.encode() + bytes(64), dtype=np.uint8), 0, len(text)) == (microseconds, kind)


def test_no_time_is_no_moment(tmp_path):
    path = tmp_path / "undated.jsonl"
    path.write_text('{"id":"1","text":"a","published":" "}\n{"id":"2","text":"a","published":"2024-05"}\n')
    (block,) = read_document_blocks(path, reading=Reading(), report=ReadingReport())
    assert block.times.tolist() == [NO_TIME, 1_714_521_600_000_000]


def assert_batches_are_single(source, folder, **options):
    single, placed = [], []
    batches = outcome(with_noted_places(partial(in_batches, size=99), placed), source, folder, **options)
    expected = outcome(with_noted_places(one_by_one, single), source, folder, **options)
    assert batches[3:] == expected[3:]
    assert expected[3] is not None or (batches, placed) == (expected, single)


ODD_OBJECTS = [
    *("a", "ы", "\ud83d", "\0", " ", "x" * 600, "2024-05-01", "2024-05-01T10:00:30.123456+03:00", "2024-02-30"),
    *("ru", "en", "ru", "en", "de", "uk-UA", "xx!", None, True, 0, 7, 1.5, float("nan"), float("inf"), 2**70),
    *(b"a", [1, {"a": {2}}], {1: 2}, {"a": "Мост"}, {"$oid": "7"}, "RU", "und", "rus", pd.NaT, pd.Timestamp(7)),
    *(datetime(2024, 5, 1, 7, 30), datetime(2024, 5, 1, tzinfo=UTC), date(2024, 5, 1), UUID(int=5), np.float64("nan")),
    *(np.str_("б"), np.int64(3), np.datetime64("2024-05-01T10:00"), Document(id="d", text="Снег"), *TEXTS),
]
OBJECTS = st.one_of(
    st.sampled_from(ODD_OBJECTS),
    st.dictionaries(st.sampled_from([*NAMES, 5]), st.sampled_from(ODD_OBJECTS), max_size=6),
    st.builds(
        dict, id=st.sampled_from([*"abcdefg", 1, 2, 3]), text=st.sampled_from(TEXTS),
        title=st.sampled_from(["", "Мэр", None]),
        published=st.sampled_from(ODD_OBJECTS), topic=st.sampled_from(ODD_OBJECTS),
    ),
)  # fmt: skip


@given(st.lists(OBJECTS, max_size=30), st.sampled_from(OPTIONS), st.integers(1, 9))
@example([{"id": "1", "text": "a"}, {"id": "1", "text": "a"}, {"id": "1", "text": "b"}], {"on_error": "skip"}, 2)
@example([{"id": "1", "text": "Снег", "published": " "}], {}, 2)
def test_dicts_read_together_are_those_read_one_by_one(folder, values, options, size):
    with pytest.MonkeyPatch.context() as patch:
        for module in (table_blocks, block_reading):
            patch.setattr(module, "TOGETHER", size)
        patch.setattr(block_reading, "_FEW", 1)
        agreed(values, folder, **options)
        assert_batches_are_single(values, folder, **options)
        dicts, build = [one for one in values if type(one) is dict], Deduplicator.open(None)._document
        good, _ = built_documents(dicts, build)
        block = block_reading.block_of_values([dicts[number - 1] for number, _ in good], build)
        assert repr([*block]) == repr([document for _, document in good])


def test_what_a_list_holds_stays_as_it_is():
    values = [{"id": f"n{number}", "text": "Мэр открыл мост", "seen": {number}} for number in range(50)]
    (block,) = read_document_blocks(values, reading=Reading(), report=ReadingReport())
    assert isinstance(block, DocumentBlock)
    assert list(block) == list(read_documents(values))
    assert block[7].extra["seen"] is values[7]["seen"]
    assert block[7].text is values[7]["text"], "not decoded from UTF-8 once more"
