"""Verdicts on what feeds, channels and tables hold: footers, stubs, short posts, markup, labels, halves, datelines."""

from itertools import permutations

import pytest

from infostream_dedup import Deduplicator, dedup, pairs

NEWS = {
    "ru": [
        "Паром через лиман не ходит третий день из-за шторма.", "В школе номер девять открыли зимний сад.",
        "Пчеловоды района собрали двадцать тонн мёда.", "Ночью ураган повалил старый тополь у почты.",
        "Реставраторы нашли фреску под слоем извести.",
    ],
    "uk": [
        "Пором через лиман не ходить третій день через шторм.", "У школі номер дев'ять відкрили зимовий сад.",
        "Бджолярі району зібрали двадцять тонн меду.", "Уночі буревій повалив стару тополю біля пошти.",
        "Реставратори знайшли фреску під шаром вапна.",
    ],
    "en": [
        "The ferry across the estuary has been idle for three days because of a storm.",
        "School number nine has opened a winter garden.",
        "Beekeepers of the district gathered twenty tonnes of honey.",
        "A night storm brought down the old poplar by the post office.",
        "Restorers have found a fresco under a layer of lime.",
    ],
}  # fmt: skip
FOOTERS = {
    "ru": ("Лиман сегодня: подпишись и пришли новость редакции", "Береговой вестник: читайте нас в мессенджерах"),
    "uk": ("Лиман сьогодні: підпишись і надішли новину редакції", "Береговий вісник: читайте нас у месенджерах"),
    "en": ("Estuary Today: subscribe and send us your news", "Coast Herald: follow us on Telegram and Facebook"),
}
LONG = {
    "ru": "Паром через лиман не ходит третий день из-за шторма, сообщил диспетчер Фома Рябов. На берегу ждут "
    "переправы 120 машин, водителей кормят в столовой порта. Движение обещают открыть в субботу, когда ветер стихнет.",
    "uk": "Пором через лиман не ходить третій день через шторм, повідомив диспетчер Хома Рябов. На березі чекають "
    "переправи 120 машин, водіїв годують у їдальні порту. Рух обіцяють відкрити в суботу, коли вітер ущухне.",
    "en": "The ferry across the estuary has been idle for three days because of a storm, dispatcher Foma Ryabov "
    "said. On the bank 120 cars wait for it, and drivers eat in the canteen of the port. It is to sail again on "
    "Saturday.",
}
LANGUAGES = list(NEWS)


def removed(documents, **options):
    return len(dedup(documents, **options).removed)


def verdict(one, other):
    """Status and kind of the second document, which `dedup` and a stream agree on."""
    documents = [{"id": "one", **one}, {"id": "other", **other}]
    rows = {row["id"]: row for row in dedup(documents, annotate=True).rows}
    found = rows["other"]["status"], rows["other"].get("kind")
    with Deduplicator.open(None) as stream:
        last = list(stream.process(documents))[-1]
    assert (last.status, last.kind) == found
    return found


def texts(one, other):
    return verdict({"text": one}, {"text": other})


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("place", ["{text} {line}", "{text}\n\n{line}", "{line}\n{text}"])
def test_posts_under_one_line_stay(language, place):
    line = FOOTERS[language][0]
    posts = [{"id": str(at), "text": place.format(text=one, line=line)} for at, one in enumerate(NEWS[language])]
    assert removed(posts) == 0
    dated = [{**one, "source": "ab"[at % 2], "published": f"2024-03-0{at + 1}"} for at, one in enumerate(posts)]
    assert removed(dated) == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_post_repeated_under_another_footer_is_a_copy_and_not_exact(language):
    for text in NEWS[language]:
        one, other = (f"{text}\n{footer}" for footer in FOOTERS[language])
        assert (texts(one, other), texts(one, text)) == (("duplicate", "copy"), ("duplicate", "copy"))
        assert texts(one, one.upper() + "!") == ("exact", "copy")


def test_an_exact_copy_is_named_before_one_under_another_footer():
    one, other = (f"{NEWS['ru'][0]} {footer}" for footer in FOOTERS["ru"])
    documents = [{"id": str(at), "text": text} for at, text in enumerate((one, other, one, other))]
    with Deduplicator.open(None) as stream:
        found = [(row.status, row.of) for row in stream.process(documents)]
    assert found == [("new", None), ("duplicate", "0"), ("exact", "0"), ("exact", "1")]


@pytest.mark.parametrize(
    "stub", ["Открыть на сайте.", "Повний текст за посиланням.", "Login to read the story.", "(video)"]
)
def test_items_with_a_stub_for_a_body_stay(stub):
    assert removed([{"id": str(at), "title": one, "text": stub} for at, one in enumerate(NEWS["en"])]) == 0


@pytest.mark.parametrize(("one", "other"), [
    ("Паром не ходит", "🚢 ПАРОМ НЕ ХОДИТ!!!"), ("Пором «Чайка» стоїть", '<b>Пором</b> "Чайка" сто&shy;їть'),
    ("Ferry cancelled https://www.a.example/1?utm_medium=rss", "Ferry cancelled: http://a.example/1#top"),
    (LONG["uk"], LONG["uk"].replace("диспетчер", "дис<wbr>пет\u2060чер").replace("машин", "ма\u00adшин")),
    (LONG["ru"], "".join(f"&#x{ord(one):x};" if ord(one) > 127 else one for one in LONG["ru"])),
    (LONG["ru"], LONG["ru"].encode().decode("cp1251", "replace")),
])  # fmt: skip
def test_signs_markup_and_encodings_do_not_hide_a_copy(one, other):
    assert texts(one, other)[0] in ("exact", "duplicate")


@pytest.mark.parametrize(("one", "other"), [
    ({"text": "Паром не ходит.", "title": "Шторм"}, {"text": "Шторм\n\nПаром не ходит"}),
    ({"text": "", "title": "Шторм: паром не ходит"}, {"text": "Шторм: паром не ходит", "title": ""}),
    ({"text": LONG["ru"], "lang": "ru"}, {"text": LONG["ru"] + " Видео.", "lang": "uk"}),
    ({"text": LONG["uk"], "lang": "en"}, {"text": "Оновлено. " + LONG["uk"], "lang": "uk"}),
])  # fmt: skip
def test_titles_and_labels_do_not_hide_a_copy(one, other):
    assert verdict(one, other)[0] in ("exact", "duplicate")


@pytest.mark.parametrize(("first", "second"), [*permutations(LANGUAGES, 2)])
@pytest.mark.parametrize("between", ["\n\n", " ", "\n***\n", "\n\nEN: "])
def test_a_post_in_two_languages_repeats_either_half(first, second, between):
    both = LONG[first] + between + LONG[second]
    for half in (LONG[first], LONG[second]):
        assert texts(both, half) == texts(half, both) == ("duplicate", "copy")
    assert texts(both, LONG[second] + "\n\n" + LONG[first]) == ("duplicate", "copy")


def test_halves_that_say_different_things_are_one_text():
    other = "Бібліотека на Портовій вулиці продовжила години роботи, розповіла завідувачка. Читачів чекають до вечора."
    for first in ("ru", "en"):
        assert texts(LONG[first] + "\n\n" + other, other)[0] in ("new", "similar")


@pytest.mark.parametrize(
    ("language", "dateline"),
    [
        ("ru", "ЛИМАНСК, 9 фев — РИА Берег. "), ("ru", "Лиманск. 9 февраля. /АН «Берег»/. "),
        ("ru", "(Берег-инфо) — "), ("uk", "ЛИМАНСЬК, 9 лют. – Берегінформ. "),
        ("uk", "Лиманськ, 9 лютого (Берегінформ) — "), ("en", "LIMANSK — "),
        ("en", "LIMANSK, Feb. 9 (Coast News) -- "), ("en", "Port Liman, LI, February 9, 2024 /Coast Wire/ - "),
    ],
)  # fmt: skip
def test_a_dateline_makes_no_difference(language, dateline):
    text = NEWS[language][0]
    assert texts(text, dateline + text) == texts(dateline + text, text) == ("duplicate", "copy")


@pytest.mark.parametrize(
    "text", ["Рябов — Гордееву: паром будет", "Шторм - это надолго, говорят в порту", "9 мая — День Победы"]
)
def test_a_dash_alone_makes_no_dateline(text):
    assert texts(text, text.split(" ", 2)[2])[0] not in ("exact", "duplicate")


def test_a_digest_that_moves_on_leaves_its_last_edition():
    news = NEWS["ru"] + [LONG["ru"].split(". ")[1] + "."]
    editions = [{"id": str(at), "text": " ".join(news[at : at + 3])} for at in range(4)]
    assert {row["id"] for row in dedup(editions).rows} >= {"0", "3"}


def test_results_can_be_read_twice():
    found = pairs([{"id": "1", "text": LONG["en"]}, {"id": "2", "text": LONG["en"] + " Photo."}])
    assert len(list(found)) == len(list(found)) == len(found.to_pandas()) == 1


@pytest.mark.parametrize("same", ["www.coast.example", "Coast.example", "https://coast.example/"])
def test_one_outlet_has_many_spellings(same):
    one = {"text": LONG["en"], "source": "coast.example", "published": "2024-02-09T08:00Z"}
    other = {"text": LONG["en"].replace("120", "340"), "published": "2024-02-09T11:00Z"}
    assert verdict(one, {**other, "source": same}) == verdict(one, {**other, "source": "coast.example"})
    addressed = verdict(
        {**one, "source": None, "url": "https://coast.example/1"}, {**other, "url": f"https://{one['source']}/2"}
    )
    assert addressed == verdict(one, {**other, "source": "coast.example"})


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_headline_finds_its_item(language, tmp_path):
    with Deduplicator.open(tmp_path / "store.db") as store:
        list(store.process([{"id": one, "text": NEWS[one][1] + " " + LONG[one]} for one in LANGUAGES]))
        found = {hit.id: hit.kind for hit in store.search(NEWS[language][1].rstrip("."))}
    assert found[language] == "contained"


def test_an_item_that_is_collected_again_unchanged_is_no_correction():
    item = {"id": "https://coast.example/1", "item": "1", "text": LONG["en"]}
    with Deduplicator.open(None, on_conflict="version") as stream:
        found = [next(iter(stream.process([{**item, "collected_at": f"2024-02-09T0{one}:00:00Z"}]))) for one in (1, 2)]
    assert [row.revision_of for row in found] == [None, None]
