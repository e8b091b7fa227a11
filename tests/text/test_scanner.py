"""The scanner against the plain code, which is the judge."""

import itertools
import unicodedata

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.language.text import scanner, surface_pool
from infostream_dedup.language.text.character_classes import (
    CharacterClass,
    classes_of_cleaned_text,
    classes_of_raw_text,
)
from infostream_dedup.language.text.kernels.scanning import sized_code_point
from infostream_dedup.language.text.kernels.surface_table import fill_slots
from infostream_dedup.language.text.normalise import APOSTROPHES, clean
from infostream_dedup.language.text.scanner import Scanner
from infostream_dedup.language.text.surface_pool import SurfaceList, SurfacePool, Utf8Texts, texts_of, texts_of_arrow
from infostream_dedup.language.text.tokens import surfaces
from infostream_dedup.machine.kernels import BLOCK

CONSONANTS_AND_VOWELS = "бвяюєїіиаАЯЄБ"
MARKS = "\u0301\u0306\u0308\u0327\u0653\u093c\u05b0\u3099\u0345"
INVISIBLE = "\u00ad\u200b\u200d\ufe0f\ufeff\u2060\u034f"
BLANKS = " \u00a0\n\r\t\u3000"
PUNCTUATION = ".!?…:,;-–—«»()[]*+/\\|#$=~^_\"'&<>%{}@№•\u2010\u2011"
LETTERS = (
    "abzABZwWéÀßıİſÅ\u212a\u212bﬁёЁЀѐґҐђЉўꙀѲ\u0482\u0483\u0488\u038b\u0387αΣς中あ한\u1100\u1161ا\u0627\u064eनमस\u1f71"
    "𝐀𐐀\U00020000\U0001f44d❤½²١٣5"
)
FRAGMENTS = [
    "http://", "https://", "www.", "Www.", "ftp://x.org/a.b", "a@b.com", "&amp;", "&#39;", "&quot;", "<b>", "</p>",
    "<unk>", "%s", "%(a)s", "{0}", "${x}", "п 'ять", "об’єкт", "з\"явився", "д''Артаньян", "d''or", "В. Зеленский",
    "а.Б", "5%", "IT-компания", "премьер-министр", "¶Слово", "¶", "слово", "Слово", "word", "О'Б.", "1А.", "А1.", "'Б.",
    "й", "ї", "ʼ", "ꞌ", "://", ":/\u200b/", "HTTPS://x.org/a?b=c.", "xhttp://b", "а-https://c", "ttp://", "www.ru",
    "а.www.b,", "awww.c)", "Ahttp://d/{}", "http://e’я", "п 'http://fя", "httpsftp://g", "http://.", "слово" * 20,
    "очень длинное слово, ", " the quick brown fox ",
]  # fmt: skip
characters = st.one_of(
    st.sampled_from(CONSONANTS_AND_VOWELS + MARKS + INVISIBLE + BLANKS + PUNCTUATION + LETTERS + "".join(APOSTROPHES)),
    st.sampled_from(FRAGMENTS), st.characters(exclude_categories=["Cs"]),
)  # fmt: skip
texts = st.lists(characters, max_size=60).map("".join)
any_form = st.tuples(st.sampled_from(["NFC", "NFD", "NFKC"]), texts).map(lambda pair: unicodedata.normalize(*pair))


def read(strings, scanner):
    scanned = scanner.scan(texts_of(strings))
    names = scanner.surfaces.listed().strings()
    return [
        [names[token] for token in scanned.tokens[begin : begin + length]]
        for begin, length in zip(scanned.begins, scanned.lengths, strict=True)
    ]


def plain(strings):
    return [surfaces(clean(text)) for text in strings]


@given(st.lists(any_form | texts | st.text(), max_size=8))
@example(["П'ять, об’єкт. «Київ»", "", "http://a.org/б Слово"])
@example(["\ud800 Слово\udfff", "Ёлка-палка -и- А.Б. В. Г"])
@example(["слово " * 40 + "Імʼя", "x" * 500 + "'" + "y" * 500])
def test_every_text_gives_the_surfaces_of_the_plain_code(strings):
    assert read(strings, Scanner()) == plain(strings)


@pytest.mark.slow
def test_every_three_neighbours():
    for left in CONSONANTS_AND_VOWELS[:3] + "AwZ5_.-'\"\u200b \u00a0<&%{@:;¶«\u0301":
        every = CONSONANTS_AND_VOWELS[:4] + MARKS[:2] + INVISIBLE[:3] + " \n\u00a0" + PUNCTUATION + LETTERS + "’`ʼꞌ"
        strings = [f"б {left}{middle}{right}я Б" for middle, right in itertools.product(every, every)]
        found, expected = read(strings, Scanner()), plain(strings)
        assert [text for text, one, other in zip(strings, found, expected, strict=True) if one != other] == []


@pytest.mark.slow
def test_every_character_in_its_place():
    for around in ["{}", "а{}", "{}Б", "а{}Б.", ". {} Б", "а {} б", "а-{}", "'{}'"]:
        strings = [around.format(chr(point)) for point in range(0x11000) if not 0xD800 <= point < 0xE000]
        found, expected = read(strings, Scanner()), plain(strings)
        assert [text for text, one, other in zip(strings, found, expected, strict=True) if one != other] == []


def test_the_common_characters_are_of_the_kinds_that_the_loops_take_them_for():
    letters = "ABCXYZabcxyzАБЯабвпрстьэюяєіїѕ"
    for kinds in (classes_of_raw_text(), classes_of_cleaned_text()):
        assert {int(kinds[ord(one)]) for one in letters} <= {CharacterClass.CAPITAL, CharacterClass.LETTER}
        assert {int(kinds[ord(one)]) for one in " ()*+,"} == {CharacterClass.OTHER}


def test_a_text_longer_than_the_first_table():
    strings = [" ".join(f"слово{'абвгдежз'[n % 8]}{chr(0x430 + n // 8 % 32)}{n}x" for n in range(40_000)) for _ in "12"]
    assert read(strings, Scanner()) == plain(strings)


def test_surfaces_are_numbered_by_their_first_place_in_both_readers():
    strings = ["a b", "http://x.org c b", "d ¶ a", "\U00020000 h", "e c f", "b g & i", "j"]
    expected = list(dict.fromkeys(word for text in plain(strings) for word in text))
    alone = Scanner()
    alone.scan(texts_of(strings))
    assert alone.surfaces.listed().strings() == expected
    shared = SurfacePool()
    one, other = Scanner(shared), Scanner(shared)
    first, second = one.find(texts_of(strings[:3])), other.find(texts_of(strings[3:]))
    tokens = [*one.number(first).tokens, *other.number(second).tokens]
    assert shared.listed().strings() == expected
    assert [expected[token] for token in tokens] == [word for text in plain(strings) for word in text]


def test_equal_hashes_do_not_make_equal_surfaces():
    """All slots of a table made to look alike: every hit must be told from the bytes."""
    scanner = Scanner()
    scanner.scan(texts_of(["один два три"]))
    table = scanner.surfaces.table
    upper = np.uint64(0xFFFFFFFF00000000)
    filled = table.slots[table.slots != 0]
    # The hash of one word before the record of another.
    places = {int(slot & ~upper) for slot in filled}
    for number in np.flatnonzero(table.slots):
        other = next(place for place in places if place != int(table.slots[number] & ~upper))
        table.slots[number] = table.slots[number] & upper | np.uint64(other)
    assert read(["один два три"], scanner) == [["один", "два", "три"]]


def test_surfaces_are_found_in_a_larger_table():
    scanner = Scanner()
    words = [f"слово{chr(0x430 + one)}{chr(0x430 + other)}" for one in range(32) for other in range(32)]
    scanner.scan(texts_of([" ".join(words)]))
    table = scanner.surfaces.table
    larger = table._replace(slots=np.zeros(4 * len(table.slots), dtype=np.uint64))
    fill_slots(larger, table.slots)
    assert np.array_equal(np.sort(larger.slots[larger.slots != 0]), np.sort(table.slots[table.slots != 0]))
    scanner.surfaces.table = larger
    assert read([" ".join(words)], scanner) == [words]
    assert len(scanner.surfaces) == len(words)


def test_blocks_give_what_one_block_gives(monkeypatch):
    strings = [*(f"Слово {number} и слово{number % 3}, 'ять' www.example.org" for number in range(9)), "", "конец"]
    whole = Scanner().scan(texts_of(strings))
    monkeypatch.setattr(scanner, "_BLOCK_BYTES", 100)
    assert len(list(texts_of(strings).blocks(100))) > 3
    parts = Scanner().scan(texts_of(strings))
    for field in ("tokens", "begins", "lengths"):
        assert getattr(parts, field).tolist() == getattr(whole, field).tolist()
    assert Scanner().scan(texts_of([])).begins.tolist() == []


def test_a_scanner_that_starts_over_numbers_as_a_new_one_and_gives_back_the_memory_of_a_long_text(monkeypatch):
    monkeypatch.setattr(scanner, "_MOST_KEPT", 1 << 12)
    used = Scanner(SurfacePool(0))
    read(["раз два три два"], used)
    kept = used._words
    used.start_over(4)
    assert read(["два один два"], used) == read(["два один два"], Scanner())
    assert used._words is kept
    read(["долгий " * 2000], used)
    used.start_over(4)
    assert len(used._words.starts) == 0
    assert read(["два один два"], used) == read(["два один два"], Scanner())


@example("a")
@example("я")
@example("aя\x7f\x80\u07ff\u0800€\uffff\U00010000😀")
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_characters_and_their_bytes(text):
    data, found, place = np.frombuffer(text.encode(), dtype=np.uint8), [], 0
    while place < len(data):
        point, size = sized_code_point(data, place, len(data))
        found.append(chr(point))
        assert size == len(found[-1].encode())
        place += size
    assert "".join(found) == text


# Beyond the basic plane UTF-16 would order otherwise; stretches of one letter make long common beginnings.
MIXED = st.text(st.sampled_from("аяё-ʼz𐐷\uffee"), max_size=30)
STRETCHES = st.builds(lambda letter, times: letter * times, st.sampled_from("аz"), st.integers(0, 60))
WORDS = st.lists(MIXED | STRETCHES, unique=True, max_size=80)


def in_order(words):
    listed = SurfaceList.of(words)
    return listed.some(listed.code_point_order())


def test_words_worked_by_hand():
    assert in_order(["яма", "ям", "yam", "ёж", "яма-а", "ём"]) == ["yam", "ям", "яма", "яма-а", "ёж", "ём"]


@given(WORDS, st.data())
def test_picked_words_are_a_list_of_their_own(words, data):
    listed = SurfaceList.of(words)
    wanted = data.draw(st.lists(st.integers(0, len(words) - 1), max_size=20, unique=True)) if words else []
    picked = listed.picked(np.array(wanted, dtype=np.int64))
    assert list(picked) == [words[number] for number in wanted]
    assert picked[:] == SurfaceList.of([words[number] for number in wanted])[:]
    assert picked.code_point_order().tolist() == sorted(range(len(wanted)), key=lambda one: words[wanted[one]])


@given(WORDS)
def test_few_words_are_converted_like_many(words):
    few = SurfaceList.of(words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(surface_pool, "_FEW_WORDS", 0)
        many = SurfaceList.of(words)
    assert few.starts.tolist() == many.starts.tolist()
    assert few.pool.tolist() == many.pool.tolist()
    assert few.pool.flags.writeable


@given(WORDS)
def test_the_order_is_that_of_sorted(words):
    assert in_order(words) == sorted(words)


def test_more_words_than_are_sorted_by_insertion():
    words = [f"предпринимательство{number}" for number in range(3000)] + ["а" * size for size in range(1, 200)]
    assert in_order(words[::-1]) == sorted(words)


def test_it_is_a_sequence_of_strings():
    words = ["раз", "два", "", "три"]
    listed = SurfaceList.of(words)
    assert (list(listed), listed[-1], listed[1:3], len(listed)) == (words, "три", ["два", ""], 4)
    assert ("два" in listed, "пять" in listed, listed.index("три")) == (True, False, 3)
    with pytest.raises(IndexError):
        listed[4]


@given(st.lists(st.sampled_from(["а", "б", "вв", "ггг" * 20]), max_size=40))
def test_a_pool_numbers_words_as_they_come(words):
    pool = SurfacePool()
    numbers = pool.add(SurfaceList.of(words))
    distinct = list(dict.fromkeys(words))
    assert list(pool.listed()) == distinct
    assert numbers.tolist() == [distinct.index(word) for word in words]


@pytest.mark.parametrize("expected", [0, 3, 1500, 1 << 20])
def test_a_pool_made_for_few_words_takes_many(expected):
    words = [f"слово {number}" for number in range(3000)]
    pool = SurfacePool(expected)
    numbers = [pool.add(SurfaceList.of(words[:2])), pool.add(SurfaceList.of([*words, "слово 0"]))]
    assert np.concatenate(numbers).tolist() == [0, 1, *range(3000), 0]
    assert list(pool.listed()) == words


def test_long_words_enlarge_the_memory_of_the_words_only_and_many_words_the_table():
    pool, long = SurfacePool(0), ["слово" * 200 + str(number) for number in range(100)]
    before = pool.table
    pool.add(SurfaceList.of(long))
    assert len(pool.table.pool) > len(before.pool)
    assert pool.table.slots is before.slots
    pool.table = before = pool.table._replace(pool=np.concatenate([pool.table.pool, np.zeros(1 << 20, dtype=np.uint8)]))
    short = [f"и{number}" for number in range(1000)]
    pool.add(SurfaceList.of(short))
    assert pool.table.pool is before.pool
    assert len(pool.table.slots) > len(before.slots)
    assert pool.find(SurfaceList.of([*long, *short]), np.arange(1100)).tolist() == list(range(1100))


def test_words_are_found_among_others():
    pool = SurfacePool()
    pool.add(SurfaceList.of(["и", "¶и", "не", "слово" * 30]))
    asked = SurfaceList.of(["не", "ни", "слово" * 30, "", "¶и", "и", "слово" * 29 + "слова"])
    assert pool.find(asked, np.array([0, 1, 2, 3, 4, 5, 6, 0])).tolist() == [2, -1, 3, -1, 1, 0, -1, 2]


def test_an_emptied_pool_is_used_again_unless_it_is_far_too_large():
    pool = SurfacePool(0)
    pool.add(SurfaceList.of([f"слово{number}" for number in range(3000)]))
    assert pool.emptied(3000) is pool
    assert len(pool) == 0
    assert pool.add(SurfaceList.of(["слово7", "слово1", "слово7"])).tolist() == [0, 1, 0]
    pool.add(SurfaceList.of([f"слово{number}" for number in range(100_000)]))
    fewer = pool.emptied(0)
    assert fewer is not pool
    assert len(fewer) == 0


STRINGS = ["", "слово", "a", "東京\U0001f44d"]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@pytest.mark.parametrize("part", [slice(0, 4), slice(1, 3), slice(2, 4), slice(4, 4)])
def test_texts_of_arrow(kind, part):
    texts = texts_of_arrow(pa.array(STRINGS, kind)[part])
    assert [texts[number] for number in range(len(texts))] == STRINGS[part]
    assert len(texts.data) >= texts.offsets[-1] + BLOCK + 2


def test_texts_of_strings_without_lone_surrogates():
    texts = texts_of(["a\ud800b", "в"])
    assert [texts[0], texts[1]] == ["a\ufffdb", "в"]
    assert len(texts_of([])) == 0
    assert texts_of(STRINGS).longest == 10


@pytest.mark.parametrize("array", [pa.array(["a", None]), pa.array([1, 2])])
def test_other_arrays_are_refused(array):
    with pytest.raises(ValueError, match="expected strings without nulls"):
        texts_of_arrow(array)


@pytest.mark.parametrize(("size", "runs"), [(1, [1, 1, 2]), (2, [1, 1, 2]), (4, [2, 2]), (5, [4])])
def test_blocks_by_hand(size, runs):
    assert [len(block) for block in texts_of(["ab", "cd", "", "ef"]).blocks(size)] == runs


@given(strings=st.lists(st.text(max_size=5), max_size=12), size=st.integers(1, 20), skipped=st.integers(0, 3))
def test_blocks_are_all_texts_in_order(strings, size, skipped):
    whole = texts_of(["начало"] * skipped + strings)
    blocks = list(Utf8Texts(whole.offsets[skipped:], whole.data).blocks(size))
    assert [text for block in blocks for text in map(block.__getitem__, range(len(block)))] == strings
    assert all(len(block) for block in blocks)
    assert all(block.data is whole.data for block in blocks)
