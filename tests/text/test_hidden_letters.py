"""Words that markup, invisible characters, line ends or a wrong encoding cut or hide are the same words."""

import html
import re
from collections.abc import Callable

import pytest

from infostream_dedup import dedup
from infostream_dedup.documents import ReadingReport, read_documents
from infostream_dedup.documents.block_reading import read_document_blocks
from infostream_dedup.documents.documents import row_of
from infostream_dedup.documents.reading import Reading
from infostream_dedup.judging.evidence.characters import CODE_POINTS, CharacterKind, alphabet
from infostream_dedup.language.text.language import detect, repaired
from infostream_dedup.language.text.normalise import APOSTROPHES, FAR_INVISIBLE, INVISIBLE, MARKS, clean, in_place
from infostream_dedup.language.text.tokens import surfaces
from infostream_dedup.model.document import single_documents

TEXTS = {
    "ru": "Паромная переправа через залив закрыта из-за шторма. Диспетчер порта объявил, что рейсы возобновят утром, "
    "пассажиров разместили в гостинице у причала, а грузовые машины отправили в объезд по новой дороге.",
    "uk": "Поромну переправу через затоку закрито через шторм. Диспетчер порту оголосив, що рейси відновлять уранці, "
    "пасажирів розмістили в готелі біля причалу, а вантажівки відправили в об'їзд новою дорогою.",
    "en": "The ferry across the bay is closed because of a storm. The harbour office said that it would sail again in "
    "the morning, passengers stayed in a hotel, and lorries were sent along the new road.",
}
INSIDE = {
    "soft hyphen": "&shy;", "its number": "&#173;", "its hexadecimal number": "&#xAD;", "escaped twice": "&amp;shy;",
    "zero width": "&#8203;", "joiner": "&zwnj;", "break opportunity": "<wbr>", "its old form": "<wbr/>",
    "end of a mark": "</span>", "link": '<a href="https://a.example/x?y=1">', "variation selector": "\ufe0f",
    "Mongolian separator": "\u180e", "Hangul filler": "\u3164", "half-width filler": "\uffa0", "tag": "\U000e0041",
    "further selector": "\U000e0101",
}  # fmt: skip


def _words(text: str) -> list[str]:
    return surfaces(clean(text))


@pytest.mark.parametrize("name", INSIDE)
@pytest.mark.parametrize("language", TEXTS)
def test_nothing_visible_stands_between_the_letters(name: str, language: str) -> None:
    cut = re.sub(r"(\w{2})(?=\w)", rf"\1{INSIDE[name]}", TEXTS[language])
    assert _words(cut) == _words(TEXTS[language])
    assert detect(cut) == language
    assert len(in_place(cut)) == len(cut)


CHANGES: dict[str, Callable[[str], str]] = {
    "first letters": lambda text: re.sub(r"\b(\w)(\w+)", r'<b class="x">\1</b>\2', text),
    "references": lambda text: "".join(f"&#{ord(one)};" if one.isalnum() else one for one in text),
    "hexadecimal references": lambda text: "".join(f"&#x{ord(one):x};" if one.isalpha() else one for one in text),
    "hyphens at line ends": lambda text: re.sub(r"\b(\w{4})([^\W\d_]{3,})", "\\1-\n\\2", text),
    "hyphens at line ends of Windows": lambda text: re.sub(r"\b(\w{4})([^\W\d_]{3,})", "\\1-\r\n\\2", text),
    "soft hyphens at line ends": lambda text: re.sub(r"\b(\w{4})([^\W\d_]{3,})", "\\1\u00ad\n\\2", text),
    "marks around words": lambda text: re.sub(r"\b(\w+)\b", r"<em>\1</em>", text),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("language", TEXTS)
def test_changes_that_nobody_sees_change_no_word(name: str, language: str) -> None:
    assert [word.lstrip("^").lower() for word in _words(CHANGES[name](TEXTS[language]))] == [
        word.lstrip("^").lower() for word in _words(TEXTS[language])
    ]


@pytest.mark.parametrize("preset", ["judged", "faithful"])
@pytest.mark.parametrize("language", TEXTS)
def test_such_copies_are_found(preset: str, language: str) -> None:
    text = TEXTS[language]
    changed = [change(text) for change in CHANGES.values()]
    changed += [re.sub(r"(\w{3})(?=\w)", rf"\1{put}", text) for put in INSIDE.values()]
    found = dedup([{"id": str(number), "text": one} for number, one in enumerate([text, *changed])], preset=preset)
    assert [row["id"] for row in found.rows] == ["0"]


PARK = (
    "У Черкасах у суботу відкрили перший парк розваг. Доріжки зробили пологими, а на майданчиках встановили гойдалки "
    "для крісел. Проєкт коштував 42 мільйони гривень, половину суми надали донори з Данії."
)


@pytest.mark.parametrize(("text", "at"), [(TEXTS["ru"].replace("закрыта", "1 200 м закрыта"), r"\d"), (PARK, r"\w")])
def test_invisible_characters_hide_neither_numbers_nor_language(text: str, at: str) -> None:
    texts = {"2024-05-01T09:00Z": text, "2024-05-01T20:00Z": re.sub(f"(?<={at})(?={at})", "\u200b", text)}
    rows = [{"id": when, "text": one, "source": when, "published": when} for when, one in texts.items()]
    assert len(dedup(rows).rows) == 1


@pytest.mark.parametrize(("text", "words"), [
    ("первый<p>второй", ["первый", "второй"]), ("первый<br>второй", ["первый", "второй"]),
    ("первый</td><td>второй", ["первый", "второй"]), ("первый&nbsp;второй", ["первый", "второй"]),
    ("первый&mdash;второй", ["первый", "второй"]), ("10<sup>6</sup>", []), ("кто-\nПетров", ["кто", "Петров"]),
    ("слово -\nдругое", ["слово", "другое"]), ("caf&eacute; об&#39;єкт", ["café", "обʼєкт"]),
    ("а &lt;b&gt; б", ["а", "b", "б"]),
])  # fmt: skip
def test_what_is_seen_stays(text: str, words: list[str]) -> None:
    assert [word.lstrip("^\x01") for word in _words(text)] == words or re.findall(r"[^\W\d_]+", clean(text)) == words


def test_control_characters_divide_no_word() -> None:
    text = TEXTS["ru"]
    (document,) = read_documents([{"id": "1", "text": re.sub(r"(\w{2})(?=\w)", "\\1\x07\x1b", text)}])
    assert document.text == text
    (document,) = read_documents([{"id": "1", "text": "первый\x0bвторой\x85третий \x07четвёртый"}])
    assert document.text == "первый второй третий  четвёртый"


def test_cleaning_twice_changes_nothing_of_nested_markup() -> None:
    nested = "&&#97;mp;shy;", "<<b>b>а", "ht&#116;p://a.example/x", "а-&shy;\nб", "&#38;#1055;", "<b<!-- x -->>"
    for text in (*nested, "а\u00ad-\nб"):
        assert clean(clean(text)) == clean(text)


def test_there_is_one_list_of_what_is_invisible_and_one_of_apostrophes() -> None:
    kinds = alphabet().kinds
    dropped = re.compile(f"[{INVISIBLE}{MARKS}]")
    for point in range(CODE_POINTS):
        assert (kinds[point] == CharacterKind.DROPPED) == (dropped.match(chr(point)) is not None), hex(point)
    assert {chr(point) for point in (kinds == CharacterKind.APOSTROPHE).nonzero()[0]} == set(APOSTROPHES)
    assert clean("а" + "".join(map(chr, range(0xE0100, 0xE0110))) + "б") == "аб"
    assert re.fullmatch(f"[{FAR_INVISIBLE}]", "\U000e0020")


@pytest.mark.parametrize(("text", "language"), [
    ("".join(chr(ord(one) - 0x61 + 0x1D41A) if "a" <= one <= "z" else one for one in TEXTS["en"].lower()), "en"),
    ("".join(chr(ord(one) + 0xFEE0) if "a" <= one <= "z" else one for one in TEXTS["en"].lower()), "en"),
    ("".join(f"&#{ord(one)};" for one in TEXTS["uk"]), "uk"), (html.escape(TEXTS["ru"]), "ru"),
], ids=["bold", "full width", "references", "escaped"])  # fmt: skip
def test_letters_in_another_style_show_the_language(text: str, language: str) -> None:
    assert detect(text) == language


def _western(content: bytes) -> str:
    return "".join(bytes((one,)).decode("cp1252", "ignore") or chr(one) for one in content)


WRONG: dict[str, Callable[[str], str]] = {
    "cp1251 as Latin-1": lambda text: text.encode("cp1251").decode("latin-1"),
    "cp1251 as cp1252": lambda text: _western(text.encode("cp1251")),
    "UTF-8 as Latin-1": lambda text: text.encode().decode("latin-1"),
    "UTF-8 as cp1252": lambda text: _western(text.encode()),
    "UTF-8 as cp1251": lambda text: text.encode().decode("cp1251", "replace"),
    "koi8 as cp1251": lambda text: text.encode("koi8-u").decode("cp1251"),
    "koi8 as Latin-1": lambda text: text.encode("koi8-u").decode("latin-1"),
    "cp1251 as koi8": lambda text: text.encode("cp1251").decode("koi8-r"),
    "UTF-8 as cp1251, twice": lambda text: (
        text.encode().decode("cp1251", "replace").encode().decode("cp1251", "replace")
    ),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("language", ["ru", "uk"])
def test_a_wrong_encoding_is_undone_for_judging_and_counted(tmp_path, name: str, language: str) -> None:
    text = TEXTS[language]
    wrong = WRONG[name](text)
    assert repaired(wrong) == text
    path, report = tmp_path / "d.csv", ReadingReport()
    path.write_text(
        "id,text\n" + "".join(f'{number},"{TEXTS["en"]}"\n' for number in range(20)) + f'x,"{wrong}"\n', "utf-8",
        newline="",
    )  # fmt: skip
    blocks = list(read_document_blocks(path, reading=Reading(), report=report))
    *_, document = [one for block in blocks for one in single_documents(block)]
    assert (document.text, report.repaired) == (text, 1)
    given = row_of(document)["text"]
    assert given == next(iter(read_documents([{"id": "x", "text": wrong}], repair=False))).text or given == wrong
    (kept,) = read_documents([{"id": "x", "text": wrong}], write_repaired=True)
    assert row_of(kept)["text"] == text


@pytest.mark.parametrize("text", [
    *TEXTS.values(), TEXTS["ru"].upper(), TEXTS["uk"].upper(),
    "Le préfet a été reçu à l'hôtel de région où la fête était déjà prête à être annulée.",
    "Přílišžluťoučký kůň úpěl ďábelské ódy", "Қазақстан Республикасының Үкіметі бүгін кеңес өткізді",
    "РСФСР, СССР и ССР", "",
])  # fmt: skip
def test_other_texts_are_left_alone(text: str) -> None:
    assert repaired(text) is None
