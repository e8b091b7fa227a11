"""The whole ladder: order of the rungs, what it refuses, and that answers depend on nothing but the term."""

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from make_tables import INDEXES, indexes_of

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.lexicon.tables import PackedParts, SortedLines, as_lines, packed_parts
from infostream_dedup.language.lexicon.word_lists import blocked, concepts, false_friends
from infostream_dedup.language.morphology.cache_file import package_versions
from infostream_dedup.language.morphology.form_cache import made_with, terms_file
from infostream_dedup.language.translation import Translation, Translator, target_lexicon
from infostream_dedup.language.translation.ladder import AnswerCache, answer_cache
from infostream_dedup.language.translation.rungs import Rung
from infostream_dedup.language.translation.rungs.cognates import CognatesRung, SkeletonRung
from infostream_dedup.language.translation.rungs.dictionary import DictionaryRung, IdentityRung
from infostream_dedup.language.translation.rungs.names import NamesRung
from infostream_dedup.language.translation.target_lexicon import WordsByKey, index_file, made_buckets, mark_of_today
from infostream_dedup.model import OUR_LANGUAGES, Language

PAIRS = [(one, other) for one in OUR_LANGUAGES for other in OUR_LANGUAGES if one != other]
ALPHABETS = {"ru": "абвгдеиклнорстыья", "uk": "абвгдеіклнорстиьяʼ", "en": "abcdeghiklnorsty"}


def without_models() -> tuple[Rung, ...]:
    """The rungs that do not depend on what this machine has installed."""
    return IdentityRung(), DictionaryRung(), NamesRung(), CognatesRung(), SkeletonRung()


def translated(term: str, source: Language, target: Language) -> list[str]:
    return [answer.term for answer in Translator(source, target, rungs=without_models()).translate([term])[0]]


class Fixed(Rung):
    """A rung with answers by heart, that remembers what it was asked."""

    def __init__(self, name: str, answers: dict[str, list[str]]) -> None:
        self.name = name
        self.asked: list[str] = []
        self._answers = answers

    def translate(self, terms: Sequence[str], source: Language, target: Language) -> list[tuple[Translation, ...]]:
        del source, target
        self.asked += terms
        return [tuple(Translation(one, self.name, 0.5) for one in self._answers.get(term, ())) for term in terms]


def test_the_first_rung_that_answers_wins_with_all_its_equivalents() -> None:
    first = Fixed("first", {"дом": ["дім", "будинок"]})
    second = Fixed("second", {"дом": ["хата"], "лес": ["ліс"]})
    found = Translator("ru", "uk", rungs=[first, second]).translate(["лес", "дом", "лес", "сад"])
    assert [[one.term for one in answers] for answers in found] == [["ліс"], ["дім", "будинок"], ["ліс"], []]
    assert second.asked == ["лес", "сад"]


def test_explain_asks_every_rung() -> None:
    rungs = [Fixed("first", {"дом": ["дім"]}), Fixed("second", {"дом": ["хата"]}), Fixed("third", {})]
    found = Translator("ru", "uk", rungs=rungs).explain("дом")
    assert [(name, [one.term for one in answers]) for name, answers in found] == [
        ("first", ["дім"]), ("second", ["хата"]), ("third", []),
    ]  # fmt: skip


def test_explain_names_the_standard_rungs_in_their_order() -> None:
    names = [name for name, _ in Translator("uk", "ru").explain("уряд")]
    assert names == ["identity", "cache", "dictionary", "names", "cognates", "argos", "skeleton"]


def test_best_answers() -> None:
    for term, source, target, expected in [
        ("председатель", "ru", "uk", "голова"), ("участие", "ru", "uk", "участь"), ("мнение", "ru", "uk", "думка"),
        ("тиждень", "uk", "ru", "неделя"), ("government", "en", "ru", "правительство"),
        ("уряд", "uk", "en", "government"), ("зеленський", "uk", "en", "zelenskyy"),
        ("zelensky", "en", "uk", "зеленський"), ("ооо", "ru", "uk", "тов"), ("un", "en", "ru", "оон"),
        ("стефанчук", "ru", "en", "stefanchuk"), ("геймер", "ru", "uk", "геймер"),
        ("сейсмолог", "ru", "en", "seismologist"), ("smith", "en", "uk", "сміт"),
    ]:  # fmt: skip
        assert translated(term, source, target)[0] == expected


def test_digits_and_latin_words_stay_outside_english() -> None:
    assert translated("2022", "uk", "en") == ["2022"]
    assert translated("hdcp", "uk", "ru") == ["hdcp"]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_no_slur_goes_in_or_comes_out(source: Language, target: Language) -> None:
    slurs = sorted(blocked(source))
    assert Translator(source, target, rungs=without_models()).translate(slurs) == [()] * len(slurs)
    echo = Fixed("echo", {"слово": sorted(blocked(target)), "word": sorted(blocked(target))})
    assert Translator(source, target, rungs=[echo]).translate(["слово", "word"]) == [(), ()]


def test_a_slur_is_refused_as_a_part_too() -> None:
    assert translated("экс-москаль", "ru", "uk") == []
    assert Translator("ru", "en", rungs=[Fixed("x", {"слово": ["ex-negroes"]})]).translate(["слово"]) == [()]


def test_rules_never_join_false_friends() -> None:
    rungs = (NamesRung(), CognatesRung(), SkeletonRung())
    wrong = [friend for friend in false_friends() if friend.is_wrong]
    assert len(wrong) > 100
    to_uk = Translator("ru", "uk", rungs=rungs).translate([friend.ru for friend in wrong])
    to_ru = Translator("uk", "ru", rungs=rungs).translate([friend.uk for friend in wrong])
    for friend, uk, ru in zip(wrong, to_uk, to_ru, strict=True):
        assert friend.uk not in {one.term for one in uk}
        assert friend.ru not in {one.term for one in ru}


def test_false_friends_have_their_right_word_among_the_answers() -> None:
    with_words = [friend for friend in false_friends() if any(" " not in word for word in friend.right_uk)]
    for friend in with_words:
        assert set(translated(friend.ru, "ru", "uk")) & set(friend.right_uk), friend


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_table_words_come_back(source: Language, target: Language) -> None:
    """A word, its equivalents, and their equivalents: the word is among them."""
    words = [words[0] for concept in concepts()[::7] if " " not in (words := concept.words[source])[0]]
    forth = Translator(source, target, rungs=without_models()).translate(words)
    terms = sorted({one.term for answers in forth for one in answers})
    back = dict(zip(terms, Translator(target, source, rungs=without_models()).translate(terms), strict=True))
    lost = [
        word
        for word, answers in zip(words, forth, strict=True)
        if answers and word not in {one.term for there in answers for one in back[there.term]}
    ]
    # Where the table has a plural the term is the noun, and English words become singulars.
    assert len(lost) < 0.07 * len(words), lost


@given(st.data())
def test_answers_depend_on_the_term_alone(data: st.DataObject) -> None:
    source, target = data.draw(st.sampled_from(PAIRS))
    words = st.text(alphabet=ALPHABETS[source] + "-", min_size=1, max_size=9)
    terms = data.draw(st.lists(words, min_size=1, max_size=6))
    cut = data.draw(st.integers(0, len(terms)))
    translator = Translator(source, target, rungs=without_models())
    whole = translator.translate(terms)
    assert len(whole) == len(terms)
    assert translator.translate(terms[:cut]) + translator.translate(terms[cut:]) == whole
    assert Translator(source, target, rungs=without_models()).translate(terms[::-1]) == whole[::-1]
    for answers in whole:
        assert all(0 <= one.confidence <= 1 and one.term for one in answers)
        assert len({one.term for one in answers}) == len(answers)


@given(st.sampled_from(PAIRS), st.lists(st.text(max_size=12), max_size=4))
def test_no_text_makes_it_fail(pair: tuple[Language, Language], terms: list[str]) -> None:
    assert len(Translator(*pair, rungs=without_models()).translate(terms)) == len(terms)


def test_the_cache_spares_the_slow_rungs_and_forgets_under_another_mark(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"

    def asked(mark: str) -> list[str]:
        slow = Fixed("slow", {"дом": ["дім"], "лес": ["ліс", "бір"]})
        translator = Translator("ru", "uk", rungs=[IdentityRung(), slow], cache=AnswerCache(file, mark))
        answers = translator.translate(["дом", "лес", "сад", "2022"])
        assert [[one.term for one in found] for found in answers] == [["дім"], ["ліс", "бір"], [], ["2022"]]
        return slow.asked

    assert asked("one") == ["дом", "лес", "сад"]
    assert asked("one") == []
    assert asked("two") == ["дом", "лес", "сад"]


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_warm_cache_answers_as_the_rungs_do(source: Language, target: Language, tmp_path: Path) -> None:
    words = [words[-1] for concept in concepts()[::97] if " " not in (words := concept.words[source])[-1]]
    terms = [*words, "2022", "hdcp", "it-" + words[0], "qqqq-zzzz", *sorted(blocked(source))[:3]]
    cache = AnswerCache(tmp_path / "answers.sqlite", "mark")
    plain = Translator(source, target, rungs=without_models()).translate(terms)
    cold = Translator(source, target, rungs=without_models(), cache=cache).translate(terms)
    unasked = Fixed("dictionary", {})
    warm = Translator(source, target, rungs=[IdentityRung(), unasked], cache=cache).translate(terms[::-1])[::-1]
    assert plain == cold == warm
    assert unasked.asked == []
    known = cache.answers(terms, source, target)
    cache.remember({"one\ntwo": "x\tdictionary\t1.0"}, source, target)
    assert known == cache.answers([*terms, "one\ntwo"], source, target) != {}


def test_a_damaged_cache_costs_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "answers.sqlite"
    file.write_bytes(b"no database at all" * 100)
    slow = Fixed("slow", {"дом": ["дім"]})
    found = Translator("ru", "uk", rungs=[slow], cache=AnswerCache(file, "mark")).translate(["дом"])
    assert found[0][0].term == "дім"
    assert [record.message for record in caplog.records if "cache of translations is damaged" in record.message]
    assert AnswerCache(file, "mark").answers(["дом"], "ru", "uk")["дом"].startswith("дім")


def test_an_unusable_cache_warns_once_for_all_translators(tmp_path, caplog, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("INFOSTREAM_DEDUP_CACHE", str(tmp_path / "file" / "folder"))
    for source, target in PAIRS:
        Translator(source, target, rungs=[Fixed("slow", {"дом": ["дім"]})], cache=answer_cache()).translate(["дом"])
    assert len([record for record in caplog.records if "cannot be used" in record.message]) == 1


def test_no_flipped_bit_changes_a_remembered_translation(tmp_path: Path) -> None:
    file, draw = tmp_path / "answers.sqlite", random.Random(5)  # noqa: S311
    right = {f"слово{number}": f"слiво{number}\tdictionary\t0.5" for number in range(300)}
    AnswerCache(file, "mark").remember(right, "ru", "uk")
    good, noticed = file.read_bytes(), 0
    for _ in range(200):
        bad = bytearray(good)
        bad[draw.randrange(len(bad))] ^= 1 << draw.randrange(8)
        file.write_bytes(bad)
        found = AnswerCache(file, "mark").answers(list(right), "ru", "uk")
        assert all(right[term] == answer for term, answer in found.items())
        noticed += len(found) < len(right)
    assert noticed >= 50


AGAIN = "python tools/make_tables.py indexes makes the files anew"
with_their_versions = pytest.mark.skipif(
    made_with(terms_file("ru")) != package_versions(), reason="the files were made with other versions of packages"
)


@with_their_versions
@pytest.mark.parametrize("language", OUR_LANGUAGES)
def test_the_files_belong_to_the_dictionaries_and_rules_of_today(language: Language) -> None:
    assert PackedParts(index_file(language)).mark == mark_of_today(), AGAIN


def _check(name: str, language: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = INDEXES[name](language).buckets
    with monkeypatch.context() as patch:
        patch.setattr(target_lexicon, "_shipped", lambda _: None)
        made = INDEXES[name].__wrapped__(language).buckets  # type: ignore[attr-defined]
    assert np.array_equal(shipped.starts, made.starts), AGAIN
    assert np.array_equal(shipped.places, made.places), AGAIN


@with_their_versions
@pytest.mark.parametrize(("name", "language"), [("cognates", "uk"), ("personal names", "ru")])
def test_an_index_made_anew_is_equal(name: str, language: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    _check(name, language, monkeypatch)


@with_their_versions
@pytest.mark.slow
@pytest.mark.parametrize("language", OUR_LANGUAGES)
def test_every_index_made_anew_is_equal(language: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in indexes_of(language):
        _check(name, language, monkeypatch)


def test_an_index_gives_what_a_dictionary_of_keys_gives() -> None:
    words = SortedLines(as_lines(sorted(f"{one}{other}{more}" for one in "абв" for other in "где" for more in "жз")))
    ranks = np.arange(len(words))[::-1].astype(np.uint16)

    def keys_of(word: str) -> list[str]:
        return [word[:1], word[-1:], word]

    index = WordsByKey(words, made_buckets(range(len(words)), words, keys_of), keys_of, ranks)
    expected: dict[str, list[str]] = {}
    for word in reversed(list(words)):
        for key in keys_of(word):
            expected.setdefault(key, []).append(word)
    assert {key: list(index.of(key)) for key in (*expected, "нет", "")} == {**expected, "нет": [], "": []}
    assert list(index.of("а", lambda word: word.endswith("ж"))) == [one for one in expected["а"] if one[-1] == "ж"]


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 64, 100])
def test_lines_are_found_at_their_places(count: int) -> None:
    expected = [f"{number:03}ї" for number in range(count)]
    lines = SortedLines(as_lines(expected))
    assert list(lines) == expected
    assert len(lines) == count
    assert [lines[place] for place in range(count)] == expected
    assert [lines.place(line) for line in expected] == list(range(count))
    assert [lines.place(line) for line in ("", "0", "000", "999ї", "000ї\n001ї", "\ud800")] == [-1] * 6
    begun = {piece: any(one.startswith(piece) for one in expected) for piece in ("0", "00", "009", "03", "1", "099ї")}
    assert {piece: lines.any_begins(piece) for piece in begun} == begun
    assert list(lines.containing("7ї")) == [place for place in range(count) if place % 10 == 7]


@pytest.mark.parametrize("place", [20, 60, 80, -1])
def test_a_damaged_file_is_refused(tmp_path: Path, place: int) -> None:
    path = tmp_path / "table.bin"
    content = bytearray(packed_parts("mark", {"one": b"text", "two": b""}))
    path.write_bytes(content)
    assert (PackedParts(path).part("one"), PackedParts(path).part("two")) == (b"text", b"")
    content[place] ^= 1
    path.write_bytes(content)
    with pytest.raises(BadDataError, match="install infostream-dedup again"):
        PackedParts(path).part("two")
