"""Settings, clock, epochs, numbers, rows, hashes and losses: each worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.numbers import numbers
from infostream_dedup.language.text.surface_pool import block_of, encoded, texts_of
from infostream_dedup.machine.arrays import Ragged
from infostream_dedup.model import Document, Settings, full_text
from infostream_dedup.stream.clock import DAY, NO_CLOCK, EpochBorders, advanced
from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.preparation import content_hash, number_rows, opening_hash
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.window import EqualHashes, RowWindow, compared_keys


def test_settings_come_back_from_their_plain_values():
    settings = StreamSettings(terms=Settings(n=10, representation="stem"), source_ranks=("a", "b"), window_days=None)
    assert StreamSettings.of(settings.as_dict()) == settings


def test_the_digest_changes_with_what_decides_and_only_with_it():
    one = StreamSettings()
    assert one.but(k_duplicate=7).digest != one.digest
    assert one.but(terms=Settings(df_min=3)).digest != one.digest
    assert one.but(keep_text=True, show="complete").digest == one.digest
    assert one.but(window_days=7.0).digest == one.digest
    assert one.but(boilerplate="ab").digest not in (one.digest, one.but(boilerplate="cd").digest)
    assert one.but(df_counts="all").digest != one.digest
    # What pairs and sweeps heed but a stream does not.
    assert one.but(terms=Settings(k=3)).digest == one.digest


def test_settings_that_cannot_be():
    for changes, message in [
        ({"k_duplicate": 13}, "k_duplicate is 13; expected a whole number from 1 to 12"),
        ({"k_similar": 7}, "k_similar is 7; expected a whole number from 1 to 6"),
        ({"window_days": 0}, "window_days is 0"), ({"window_documents": True}, "window_documents is True"),
        ({"epoch_documents": 0}, "epoch_documents is 0; expected a whole number of at least 1"),
        ({"within": "no"}, "expected one of source, outlets, all"), ({"loss_limit": 1.5}, "loss_limit is 1.5"),
        ({"show": "rank"}, "no source_ranks"),
        ({"df_counts": "some"}, "df_counts is 'some'; expected one of distinct, all"),
        ({"terms": Settings(background=False)}, "background is off"),
        ({"terms": Settings(score="share")}, "a stream accepts only count"),
        ({"terms": Settings(target="top:20")}, "a stream accepts text or signature"),
    ]:  # fmt: skip
        with pytest.raises(ConfigurationError, match=message):
            StreamSettings(**changes)
        with pytest.raises(ConfigurationError, match="unknown setting 'window'"):
            StreamSettings.of({"window": 7})


def test_the_clock_never_goes_back_and_never_leaps():
    assert (advanced(NO_CLOCK, None), advanced(NO_CLOCK, 50 * DAY)) == (NO_CLOCK, 50 * DAY)
    assert (advanced(50 * DAY, None), advanced(50 * DAY, 20 * DAY)) == (50 * DAY, 50 * DAY)
    assert (advanced(50 * DAY, 50 * DAY + 7), advanced(50 * DAY, 99 * DAY)) == (50 * DAY + 7, 51 * DAY)
    assert advanced(50 * DAY, -5) == 50 * DAY


def test_epochs_grow_until_they_have_their_size():
    borders = EpochBorders(StreamSettings(first_epoch=3, epoch_documents=10))
    assert borders.epochs(0, [0] * 25, epoch=0, clock=0) == [0] * 3 + [1] * 3 + [2] * 4 + [3] * 10 + [4] * 5
    assert borders.epochs(19, [0, 0], epoch=3, clock=0) == [3, 4]
    even = EpochBorders(StreamSettings(first_epoch=10, epoch_documents=10))
    assert even.epochs(8, [0] * 4, epoch=0, clock=0) == [0, 0, 1, 1]


def test_epochs_by_date_have_no_gaps():
    borders = EpochBorders(StreamSettings(epoch_days=2))
    clocks = [100 * DAY, 101 * DAY, 102 * DAY, 110 * DAY]
    assert borders.epochs(0, clocks, epoch=0, clock=NO_CLOCK) == [0, 0, 1, 2]
    assert borders.epochs(1, clocks[1:], epoch=0, clock=clocks[0]) == [0, 1, 2]


def rows_of(rows):
    values = [value for row in rows for value in row]
    return Ragged(np.cumsum([0, *map(len, rows)]), np.array(values, dtype=np.int64))


def test_number_hashes_are_distinct_and_ascending():
    texts = ["41,5 грн, 12 чел., 41.5 грн", "", "без", "7 ٣ 12", "12"]
    rows = number_rows(block_of([Document(id=str(number), text=text) for number, text in enumerate(texts)]))
    hashes = rows.row(0)
    assert rows.indptr.tolist() == [0, 2, 2, 2, 5, 6]
    assert 0 <= hashes[0] < hashes[1]
    assert hashes.dtype == np.int64
    assert rows.row(3).tolist() == sorted({*rows.row(3).tolist()})
    assert rows.row(4)[0] in hashes
    assert rows.row(4)[0] in rows.row(3)
    none = number_rows(block_of([]))
    assert len(none) == len(none.values) == 0


@pytest.mark.parametrize("kept", ["12", "٣"])
def test_numbers_of_tags_and_scripts_do_not_count(kept):
    marked = f'<img width="640" height=480><script>let a = 7;</script>{kept} чел. <!-- 8 -->'
    documents = [Document(id=str(number), text=text) for number, text in enumerate([marked, kept, "7 < 8", "7 8"])]
    rows = number_rows(block_of(documents))
    assert (rows.row(0).tolist(), len(rows.row(0))) == (rows.row(1).tolist(), 1)
    assert rows.row(2).tolist() == rows.row(3).tolist()
    titled = [Document(id="a", title='<b class="x2 3">Мост</b>', text=f"{kept} чел.")]
    assert number_rows(block_of(titled)).row(0).tolist() == rows.row(0).tolist()


@given(st.lists(st.lists(st.sampled_from(["7", "12", "1,5", "05.03.2026", "пять", "７", "и"]), max_size=5), max_size=6))
def test_numbers_of_many_documents_are_those_of_each_alone(parts):
    texts = [" и ".join(own) for own in parts]
    documents = [Document(id=str(number), text=text) for number, text in enumerate(texts)]
    # More runs than are read one by one.
    more = [Document(id=f"more {number}", text=f"{number} и 7") for number in range(300)]
    together = number_rows(block_of([*documents, *more]))
    for number, document in enumerate([*documents, *more]):
        alone = number_rows(block_of([document]))
        assert together.row(number).tolist() == alone.values.tolist()
        assert len(alone.values) == len(set(numbers(document.text)))


@given(st.lists(st.tuples(st.text(max_size=4), st.text(max_size=6)), max_size=4), st.booleans())
def test_full_texts_are_encoded_once(given_texts, begin_with_title):
    documents = [
        Document(id="a", title=title, text=title + text if begin_with_title else text) for title, text in given_texts
    ]
    found = block_of(documents)
    plain = texts_of([full_text(document) for document in documents])
    assert (found.offsets.tolist(), found.data.tolist()) == (plain.offsets.tolist(), plain.data.tolist())
    for number, document in enumerate(documents):
        assert found.data[found.bodies[number] : found.offsets[number + 1]].tobytes() == encoded(document.text)


def test_openings_without_case_and_punctuation():
    one = opening_hash("Мэр открыл мост через реку.\nДальше другое", "opening")
    assert one == opening_hash("  МЭР открыл: мост через реку", "opening")
    assert one != opening_hash("Мэр открыл мост через ручей.", "opening")
    assert opening_hash("Киев, 5 мая\nМэр открыл мост", "opening") == b""
    assert opening_hash("Мэр открыл мост через реку.", "text") == b""


def test_first_sentences_without_case_and_punctuation():
    one = opening_hash("Мэр открыл мост. Пришли гости.\nИграл оркестр! Дождя не было.", "sentences")
    assert one == opening_hash("МЭР открыл мост. Пришли гости. Играл оркестр. Был дождь.", "sentences")
    assert one == opening_hash("Мэр открыл мост. Пришли гости. Играл оркестр", "sentences")
    assert one != opening_hash("Мэр открыл мост. Пришли гости. Играл ансамбль. Дождя не было.", "sentences")
    assert one != opening_hash("Мэр открыл мост. Пришли гости.", "sentences")
    assert opening_hash("Киев. Пять часов. Утро.", "sentences") == b""


def test_content_hash_heeds_every_field_and_no_order():
    one = Document(id="a", text="x", extra={"b": 1, "a": 2})
    assert content_hash(one) == content_hash(Document(id="a", text="x", extra={"a": 2, "b": 1}))
    assert content_hash(one) != content_hash(Document(id="a", text="x", extra={"a": 2, "b": 2}))
    assert content_hash(one) != content_hash(Document(id="a", text="x", source="s", extra={"a": 2, "b": 1}))
    huge = Document(id="a", text="\ud800", extra={"n": 2**70})
    assert content_hash(huge) == content_hash(huge)


@given(
    script=st.lists(st.one_of(st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=5), st.integers(0, 6))),
    dtype=st.sampled_from([np.int32, np.int64]),
)
def test_rows_come_and_go(script, dtype):
    window, plain, given_rows = RowWindow(dtype), [], []
    for step in script:
        if isinstance(step, int):
            gone = min(step, len(plain))
            window.drop(gone)
            plain = plain[gone:]
        else:
            rows = rows_of(step)
            window.extend(rows)
            plain += step
            given_rows.append((rows, step))
        # The window may use the arrays of its first rows, but it never writes to them.
        assert all([row.tolist() for row in rows] == step for rows, step in given_rows)
        assert [window.row(number).tolist() for number in range(len(window))] == plain
        gathered = window.gathered(np.arange(0, len(plain), 2))
        assert [gathered.row(place).tolist() for place in range(len(gathered))] == plain[::2]


def test_equal_hashes_by_source():
    hashes = EqualHashes()
    for ordinal, source in enumerate([0, 1, -1, 0]):
        hashes.add(b"x", source, ordinal)
    hashes.add(b"", 0, 4)
    assert [hashes.earliest(b"x", 0, rule) for rule in ("all", "outlets", "source")] == [0, 1, 0]
    assert hashes.earliest(b"x", -1, "source") is None
    assert hashes.earliest(b"", 0, "all") is None
    hashes.remove(b"x", 0)
    assert [hashes.earliest(b"x", 1, rule) for rule in ("all", "outlets", "source")] == [1, 2, 1]
    for source in (1, -1, 0):
        hashes.remove(b"x", source)
    assert hashes.earliest(b"x", 0, "all") is None


@given(script=st.lists(st.tuples(st.sampled_from([b"x", b"y", b""]), st.integers(-1, 1), st.booleans()), max_size=12))
@pytest.mark.parametrize("rule", ["all", "outlets", "source"])
def test_to_meet_is_to_look_and_to_be_added(script, rule):
    one, other, held = EqualHashes(), EqualHashes(), []
    for ordinal, (digest, source, expires) in enumerate(script):
        if expires and held:
            gone = held.pop(0)
            one.remove(*gone)
            other.remove(*gone)
        assert one.meet(digest, source, rule, ordinal) == other.earliest(digest, source, rule)
        other.add(digest, source, ordinal)
        held.append((digest, source))


@given(
    st.lists(st.tuples(st.sampled_from([b"", b"a", b"b", b"c", b"d", b"e"]), st.integers(-1, 2)), max_size=12),
    st.integers(0, 12),
)
def test_many_hashes_at_once_are_as_one_after_the_other(documents, before):
    one_by_one, at_once = EqualHashes(), EqualHashes()
    for ordinal, (digest, source) in enumerate(documents):
        one_by_one.add(digest, source, ordinal)
    for ordinal, (digest, source) in enumerate(documents[:before]):
        at_once.add(digest, source, ordinal)
    rest = documents[before:]
    at_once.extend([digest for digest, _ in rest], [source for _, source in rest], min(before, len(documents)))
    for gone in range(len(documents) + 1):
        for digest in (b"", b"a", b"b", b"c", b"d", b"e"):
            for rule in ("all", "outlets", "source"):
                answers = [hashes.earliest(digest, 1, rule) for hashes in (one_by_one, at_once)]
                assert answers[0] == answers[1]
        if gone < len(documents):
            one_by_one.remove(*documents[gone])
            at_once.remove(*documents[gone])


def test_compared_keys_by_hand():
    """The first two of 7, 3, 5 are the heaviest: weights 9, 4, 2 in units of 1e-9; the second document has one key."""
    begins = np.array([0, 3, 4])
    keys, weights = Ragged(begins, np.array([7, 3, 5, 1])), Ragged(begins, np.array([9, 4, 2, 6]))
    found = compared_keys(keys, weights, Ragged(np.array([0, 1, 1]), np.array([7])), firsts=np.array([2, 1]))
    assert (found.terms.tolist(), found.weights.tolist()) == ([3, 5, 7, 1], [4, 2, 9, 6])
    assert (found.heaviest.tolist(), found.own.tolist()) == ([1, 0, 1, 1], [[13, 15], [6, 6]])
    assert keys.values.tolist() == [7, 3, 5, 1]


def test_groups_without_their_earliest_document():
    settings = StreamSettings(terms=Settings(representation="stem", df_min=0), window_days=None, window_documents=2)
    engine = StreamEngine(settings)
    texts = [*2 * ["мост через реку открыли"], "снег выпал ночью", "рынок закрыли вчера", "дождь идёт"]
    states = [
        engine.decide([Document(id="abcde"[number], text=text, lang="ru")]).state["groups"]
        for number, text in enumerate(texts)
    ]
    # Document c still sees a and b; d no longer sees a, and e neither: their group ends.
    assert states == [{}, {}, {}, {"a": 0}, {}]
    assert states[0] is states[1] is states[2]
