"""Word lists of our own: stop words, excluded nouns, repairs, added nouns."""

import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from infostream_dedup import read_documents
from infostream_dedup.errors import BadDataError, NoInputError
from infostream_dedup.language.lexicon import tables, word_lists
from infostream_dedup.language.lexicon.tables import dictionaries_folder, read_table, read_words
from infostream_dedup.language.lexicon.word_lists import NameKind, excluded, names
from infostream_dedup.machine import files
from infostream_dedup.machine.files import checked_bytes, sealed
from infostream_dedup.model import Language
from infostream_dedup.sample import documents_path

CACHES = (excluded, word_lists.repairs, names, word_lists.name_rows)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A dictionaries folder of its own, with empty name tables."""
    for table in word_lists.NAME_TABLES:
        (tmp_path / table).write_text("ru\tuk\ten\tkind\n", encoding="utf-8")
    monkeypatch.setattr(word_lists, "dictionaries_folder", lambda: tmp_path)
    for cached in CACHES:
        cached.cache_clear()
    yield tmp_path
    for cached in CACHES:
        cached.cache_clear()


def test_row_of_a_table_says_why_and_where(folder: Path) -> None:
    (folder / "excluded.tsv").write_text("language\tword\twhy\nuk\tЛютий\tmonth\nru\tмарт\tmonth\n", encoding="utf-8")
    assert [(word, it.why, it.place) for word, it in excluded("uk").items()] == [("лютий", "month", "excluded.tsv:2")]


def test_repair_without_a_lemma_means_no_noun(folder: Path) -> None:
    (folder / "repairs.tsv").write_text("language\tword\tlemma\twhy\nuk\tмати\t\tverb\n", encoding="utf-8")
    assert word_lists.repairs("uk")["мати"].lemma == ""


@pytest.mark.parametrize(("rows", "message"), [
    ("xx\tслово\tw", r"excluded\.tsv:2: field 'language': 'xx'; expected one of ru, uk, en"),
    ("ru\t\tw", r"excluded\.tsv:2: field 'word': empty"),
    ("ru\tслово\tw\nru\tСлово\tw", r"excluded\.tsv:3: field 'word': 'Слово' is already in excluded\.tsv:2"),
])  # fmt: skip
def test_broken_row_names_file_line_and_field(folder: Path, rows: str, message: str) -> None:
    (folder / "excluded.tsv").write_text(f"language\tword\twhy\n{rows}\n", encoding="utf-8")
    with pytest.raises(BadDataError, match=message):
        excluded("ru")


@pytest.mark.parametrize("language", ["ru", "uk"])
def test_repairs_end_where_they_lead(language: Language) -> None:
    table = word_lists.repairs(language)
    lemmas = {entry.lemma for entry in table.values()}
    assert not [lemma for lemma in sorted(lemmas) if lemma in table and table[lemma].lemma != lemma]


def test_readme_describes_every_file_and_no_other() -> None:
    folder = dictionaries_folder()
    described = [
        name.strip("` ")
        for line in (folder / "README.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
        for name in line.split("|")[1].split(",")
    ]
    assert sorted(described) == sorted(path.name for path in folder.iterdir() if path.suffix in (".tsv", ".txt"))


DATA = Path(__file__).parents[3] / "shared" / "data"
NEWS = {
    "de": "Der Bundestag hat am Freitag das umstrittene Gesetz über die Renten mit den Stimmen der Koalition "
    "beschlossen, die Opposition kündigte eine Klage an.",
    "fr": "Le parlement a adopté vendredi la loi sur les retraites avec les voix de la majorité, et l'opposition a "
    "annoncé qu'elle saisirait la cour.",
    "es": "El parlamento aprobó el viernes la ley de pensiones con los votos de la mayoría, y la oposición anunció que "
    "la llevará al tribunal.",
    "it": "Il parlamento ha approvato venerdì la legge sulle pensioni con i voti della maggioranza, e l'opposizione ha "
    "annunciato che non si fermerà.",
    "pl": "Sejm uchwalił w piątek ustawę o emeryturach głosami koalicji, a opozycja zapowiedziała, że się na to nie "
    "zgodzi i że jest to błąd.",
    "cs": "Sněmovna v pátek schválila zákon o důchodech, který podle opozice není správný, a proto se bude o něm "
    "jednat znovu na podzim.",
    "tr": "Meclis cuma günü emeklilik için yeni bir yasa kabul etti ve muhalefet bu yasa ile ilgili olarak mahkemeye "
    "gideceğini daha sonra söyledi.",
    "ro": "Parlamentul a adoptat vineri legea pensiilor cu voturile majorității, iar opoziția a anunțat că o va "
    "ataca la curte pentru că nu este corectă.",
    "be": "Дэпутаты ў пятніцу прынялі закон аб пенсіях, апазіцыя заявіла, што яна ў суд звернецца ў панядзелак.",
    "bg": "Парламентът прие в петък закона за пенсиите, а опозицията обяви, че ще го обжалва и че няма да се откаже от "
    "това, което е обещала на хората.",
    "sr": "Скупштина је у петак усвојила закон о пензијама, а опозиција је најавила да ће се жалити суду због њега.",
    "kk": "Парламент жұма күні зейнетақы туралы заңды қабылдады, ал оппозиция сотқа жүгінетінін мәлімдеді.",
    "el": "Η Βουλή ψήφισε την Παρασκευή τον νόμο για τις συντάξεις με τις ψήφους της πλειοψηφίας.",
    "ar": "أقر البرلمان يوم الجمعة قانون التقاعد بأصوات الأغلبية وأعلنت المعارضة أنها ستطعن فيه",
    "fa": "مجلس روز جمعه قانون بازنشستگی را با رای اکثریت تصویب کرد و مخالفان گفتند که از این قانون شکایت می کنند",
    "ja": "国会は金曜日に年金に関する法律を多数決で可決し、野党は裁判所に訴えると発表した。",
    "zh": "议会周五以多数票通过了养老金法案，反对派宣布将向法院提起诉讼。",
}


def test_news_of_other_languages_is_recognised() -> None:
    for language in NEWS:
        assert word_lists.other_language(NEWS[language]) == language


def test_what_is_ours_or_unclear_is_left_alone() -> None:
    for text in [
        "", "2024", "Apple iPhone 15 Pro Max", "Kyiv: rain", "Рада прийняла закон",
        "Рада приняла закон: Angela Merkel war nicht dabei",
        "«Der Spiegel»: канцлер не поедет в Киев, пишет газета «Die Welt» со ссылкой на источники в правительстве",
        "He said that the song “Non, je ne regrette rien” was played at the station",
        "Гурт «Песняры» і гурт «Сябры» виступили у Мінську, повідомляє Беларускі дом ў Варшаві",
    ]:  # fmt: skip
        assert word_lists.other_language(text) is None


def test_no_bundled_document_is_taken_for_another_language() -> None:
    assert [one.id for one in read_documents(documents_path()) if word_lists.other_language(one.text)] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["background", "mdnews", "multilingual", "ntrex", "slavictopics", "tgpairs", "uagec", "wmt"]
)
def test_no_real_document_of_ours_is_taken_for_another_language(name: str) -> None:
    file = DATA / f"{name}.docs.jsonl.gz"
    if not file.exists():
        pytest.skip(f"{file.name} lies beside the project only while developing")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    assert Counter(map(word_lists.other_language, texts)) == {None: len(texts)}


def test_codes_and_lists() -> None:
    assert [word_lists.short_code(code) for code in ("deu", "ger", "de", "haw")] == ["de", "de", "de", "haw"]
    assert word_lists.most_frequent_words("de", 3) == ("die", "der", "und")
    assert word_lists.most_frequent_words("haw", 3) == ()
    assert word_lists.most_frequent_words("nn", 5) == word_lists.most_frequent_words("nb", 5)
    assert "nicht" in word_lists.stop_words("de")
    assert word_lists.stop_words("other") == frozenset()


def written(folder: Path, text: str | bytes, name: str = "names.tsv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_rows_know_their_line_and_comments_are_skipped(tmp_path: Path) -> None:
    path = written(tmp_path, "# about\nru\tuk\n\n# Europe\nКиев\t Київ \nМинск\t\n")
    rows = read_table(path, ("ru", "uk"))
    assert [(r.line, r.cells) for r in rows] == [(5, {"ru": "Киев", "uk": "Київ"}), (6, {"ru": "Минск", "uk": ""})]


def test_windows_line_ends_and_byte_order_mark_do_no_harm(tmp_path: Path) -> None:
    path = written(tmp_path, b"\xef\xbb\xbfru\tuk\r\n\xd0\x9c\t\xd0\x9c\r\n")
    assert [row.cells for row in read_table(path, ("ru", "uk"))] == [{"ru": "М", "uk": "М"}]


@pytest.mark.parametrize(("content", "message"), [
    ("ru\ten\n", r"names\.tsv:1: header is 'ru\\ten'; expected the columns ru, uk"), ("", "header is ''"),
    ("ru\tuk\nа\tб\nв\n", r"names\.tsv:3: 1 cells; expected 2"), (b"ru\tuk\n\xff\t\n", "not UTF-8"),
])  # fmt: skip
def test_a_table_that_cannot_be_read_names_file_and_line(tmp_path: Path, content: str | bytes, message: str) -> None:
    with pytest.raises(BadDataError, match=message):
        read_table(written(tmp_path, content), ("ru", "uk"))


def test_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoInputError, match=r"stop_xx\.txt: cannot read"):
        read_words(tmp_path / "stop_xx.txt")


def test_words_end_at_a_comment(tmp_path: Path) -> None:
    assert read_words(written(tmp_path, "# list\nи\n в # in\n\n", "stop.txt")) == ["и", "в"]


TABLE = "ru\tuk\nдом\tдім\nмир\tсвіт\n"


def test_a_sealed_table_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_bytes(sealed(TABLE.encode()))
    assert [row.cells["uk"] for row in read_table(path, ("ru", "uk"))] == ["дім", "світ"]
    path.write_text(TABLE, encoding="utf-8")
    assert checked_bytes(path) == TABLE.encode()


def test_no_flipped_bit_changes_a_row(tmp_path):
    path, draw = tmp_path / "t.tsv", random.Random(1)  # noqa: S311
    good = sealed(TABLE.encode())
    refused = 0
    for _ in range(200):
        bad = bytearray(good)
        bad[draw.randrange(len(bad))] ^= 1 << draw.randrange(8)
        path.write_bytes(bad)
        try:
            rows = read_table(path, ("ru", "uk"))
        except BadDataError:
            refused += 1
        else:
            assert [row.cells["uk"] for row in rows] == ["дім", "світ"]
    assert refused >= 150


def test_a_dictionary_of_the_wheel_must_be_what_was_installed(tmp_path, monkeypatch):
    folder = tmp_path / "_dictionaries"
    folder.mkdir()
    path = folder / "t.tsv"
    path.write_text(TABLE, encoding="utf-8")
    monkeypatch.setattr(files, "_recorded", lambda: {"t.tsv": sha256(TABLE.encode()).digest()})
    assert len(read_table(path, ("ru", "uk"))) == 2
    path.write_text(TABLE.replace("дім", "дім "), encoding="utf-8")
    with pytest.raises(BadDataError, match="install infostream-dedup again"):
        read_table(path, ("ru", "uk"))


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installation of its own: the folder of the package."""
    package = tmp_path / "infostream_dedup"
    monkeypatch.setattr(tables, "__file__", str(package / "language" / "lexicon" / "folder.py"))
    dictionaries_folder.cache_clear()
    yield package
    dictionaries_folder.cache_clear()


def make(path: Path) -> Path:
    path.mkdir(parents=True)
    (path / "README.md").write_text("", encoding="utf-8")
    return path


def test_checkout_has_them_beside_the_package(package: Path) -> None:
    expected = make(package.parent / "dictionaries")
    assert dictionaries_folder() == expected


def test_wheel_has_them_inside(package: Path) -> None:
    make(package.parent / "dictionaries")
    expected = make(package / "_dictionaries")
    assert dictionaries_folder() == expected


def test_broken_installation_says_where_it_looked(package: Path) -> None:
    with pytest.raises(NoInputError, match=r"dictionaries of infostream-dedup are missing; looked in .*_dictionaries"):
        dictionaries_folder()


# Our name tables and the personal names of names-translator.
def test_one_word_variants_are_names_and_longer_ones_are_not(folder: Path) -> None:
    (folder / "organisations.tsv").write_text(
        "ru\tuk\ten\tkind\nООН|Организация Объединённых Наций\tООН\tUN|United Nations\tinternational\n",
        encoding="utf-8",
    )
    assert {key: (name.kinds, name.place) for key, name in names("ru").items()} == {
        "оон": (NameKind.ORGANISATION | NameKind.ABBREVIATION, "organisations.tsv:2")
    }
    assert list(names("en")) == ["un"]


def test_word_of_two_tables_is_both(folder: Path) -> None:
    (folder / "surnames.tsv").write_text("ru\tuk\ten\tkind\nВашингтон\tВашингтон\tWashington\tp\n", encoding="utf-8")
    (folder / "places.tsv").write_text("ru\tuk\ten\tkind\nВашингтон\tВашингтон\tWashington\tcity\n", encoding="utf-8")
    assert names("ru")["вашингтон"].kinds == NameKind.SURNAME | NameKind.PLACE


def test_keys_fold_yo_and_apostrophes(folder: Path) -> None:
    (folder / "places.tsv").write_text("ru\tuk\ten\tkind\nОрёл\tКам'янське\t\tcity\n", encoding="utf-8")
    assert (list(names("ru")), list(names("uk"))) == (["орел"], ["камʼянське"])


@pytest.mark.parametrize(("row", "message"), [
    ("Киев\tКиїв||Кий\tKyiv\tcity", r"places\.tsv:2: field 'uk': .* contains an empty variant"),
    ("\t\t\tcity", r"places\.tsv:2: .*no name in any language"),
])  # fmt: skip
def test_a_broken_row_names_file_line_and_field(folder: Path, row: str, message: str) -> None:
    (folder / "places.tsv").write_text(f"ru\tuk\ten\tkind\n{row}\n", encoding="utf-8")
    with pytest.raises(BadDataError, match=message):
        names("uk")


def test_personal_names_of_both_languages() -> None:
    assert {"порошенко", "дмитро"} <= word_lists.personal_names("uk")
    assert {"порошенко", "дмитрий"} <= word_lists.personal_names("ru")
    assert word_lists.personal_names("en") == frozenset()
