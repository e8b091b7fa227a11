"""Lines that many documents repeat."""

from __future__ import annotations

import random
import zlib

import numpy as np
import pytest

from infostream_dedup import Deduplicator, StreamSettings, dedup, ingest, pairs
from infostream_dedup.judging.repeated import lines
from infostream_dedup.judging.repeated.lines import LeftOut, LineLearner, blobs_of, fragments_of, known_marks, shortened
from infostream_dedup.language.text.surface_pool import texts_of
from infostream_dedup.model import NO_TIME
from infostream_dedup.stream.store.checking import checks

NEWS = (
    "Лодочная станция откроется в конце апреля.", "Школьники посадили сорок берёз возле стадиона.",
    "На проспекте Мира меняют трамвайные рельсы.", "Библиотека продлила часы работы по выходным.",
    "Водитель автобуса вернул потерянный кошелёк.", "Музей показал письма купца Рукавишникова.",
    "Пекарня выиграла конкурс ржаного хлеба.", "Синоптики обещают заморозки до пятницы.",
)  # fmt: skip
FOOTER = "Городская хроника | Правила игры | Дежурный по номеру Иванов"
DAY = 86_400_000_000


def fragments(text: str) -> list[str]:
    texts = texts_of([text])
    rows = fragments_of(texts)
    data = texts.data.tobytes()
    return [data[rows.begins[0, at] : rows.ends[0, at]].decode() for at in range(int(rows.counts[0]))]


def learned(texts: list[str], sources: list[str | None], days: list[int] | None = None) -> list[str]:
    encoded = texts_of(texts)
    rows = fragments_of(encoded)
    times = np.array([NO_TIME] * len(texts) if days is None else [DAY * day for day in days], dtype=np.int64)
    return without(encoded, (rows, LineLearner().learn(rows, sources, times)))


def without(encoded, found) -> list[str]:
    begins = encoded.offsets[:-1]
    kept = {one.number: one.text.decode() for one in shortened(encoded, begins, begins, found, LeftOut())}
    return [kept.get(number, encoded[number]) for number in range(len(encoded))]


@pytest.mark.parametrize(("text", "expected"), [
    ("Мост открыт. Снег идёт!", ["Мост открыт. ", "Снег идёт!"]),
    ("Мост | Снег\nДождь", ["Мост |", " Снег\n", "Дождь"]), ("⚡️ Срочно 👉 Канал", ["⚡️ Срочно 👉", " Канал"]),
    ("Ул. Мира и пр. Победы 3.5 км", ["Ул. Мира и пр. Победы 3.5 км"]),
    ("<p>Мост</p><b>От</b>крыт", ["<p>Мост</p>", "<b>От</b>крыт"]),
    ("«Мост открыт». Снег", ["«Мост открыт». ", "Снег"]), ("", []), (" | \n", []),
])  # fmt: skip
def test_a_text_is_cut_at_lines_bars_emoji_and_ends_of_sentences(text, expected):
    assert fragments(text) == expected


def test_a_long_text_has_its_first_three_and_last_five_fragments():
    sentences = [f"Предложение номер {number} о погоде в городе." for number in range(90)]
    assert [one.strip() for one in fragments(" ".join(sentences))] == [*sentences[:3], *sentences[-5:]]


def test_addresses_punctuation_and_case_make_no_difference():
    rows = fragments_of(
        texts_of(["[Наш чат](https://a.example/1)", "НАШ ЧАТ!", "наш   чат https://b.example/2?x=1", "наш чат 2"])
    )
    hashes = rows.hashes[:, 0].tolist()
    assert hashes[0] == hashes[1] == hashes[2] != hashes[3]


def test_a_source_is_known_from_its_fourth_post_on():
    texts = [f"{one} {FOOTER}" for one in NEWS]
    assert learned(texts, ["a"] * 8) == [*texts[:3], *NEWS[3:]]
    assert learned(texts, [None] * 8) == [*texts[:5], *NEWS[5:]]


@pytest.mark.parametrize("call", [
    "👉 Вступайте в наш чат | Реклама | Прислать фото", "\n\nЧитайте подробности на сайте. Наша группа в соцсетях",
    "\nСтежте за нами у Facebook\nПоширюйте серед друзів", "\nДетальніше — за посиланням",
    "\nRead the full story via the link in our bio. Share with friends",
    "\nUrmăriți canalul nostru de Telegram | Trimite o știre", "\n[Подписаться](https://t.me/x) ✅",
    " Ставьте лайк, делитесь записью с соседями и ищите ещё больше материалов в разделе «Город».",
    " Читайте також у нашому Телеграмі: свіжі новини міста щогодини, фото й відео очевидців.",
    " Sign up for our morning newsletter and never miss a story from your town.",
    " Copyright 2025 The Daily Example. All rights reserved. Reproduction without permission is prohibited.",
])  # fmt: skip
def test_a_call_at_the_end_is_left_out_of_the_first_post(call):
    assert learned([NEWS[0] + call], [None]) == [NEWS[0]]
    assert [one.kind for one in pairs([{"id": "1", "text": NEWS[0] + call}, {"id": "2", "text": NEWS[0]}])] == ["copy"]


@pytest.mark.parametrize("text", [
    "Подписывайтесь на наш канал!", "ФЕЙК\nМост закрыт с утра. Автобусы идут в объезд.",
    "Мэр закрыл канал связи. Об этом он написал в Telegram вечером в среду.",
    "Подписывайтесь на наш канал. Завтра дождь.",
    "Мост закрыт. Министр отметил, что в реестр попадут Telegram, Дзен, Яндекс, Пикабу и другие площадки страны.",
    "Bus drivers strike. Passengers may read the timetable at the site of the city council.",
])  # fmt: skip
def test_news_and_texts_that_are_only_a_call_stay(text):
    assert learned([text], [None]) == [text]


def test_a_line_that_says_fake_is_no_part_of_a_call():
    text = NEWS[0] + "\nФЕЙК"
    assert learned([text + "\nПодписывайтесь на наш канал"], [None]) == [text]


def test_a_story_under_many_footers_is_no_repeated_line():
    footers = [f"Канал {n} рассказывает о городе" for n in ("Азбука", "Беседка", "Ветер", "Гавань", "Дюны", "Ель")]
    sources = [name[6:9] for name in footers]
    earlier = [(f"{one} {footer}", source) for footer, source in zip(footers, sources, strict=True) for one in NEWS[:5]]
    again = [(f"{NEWS[7]} {footer}", source) for footer, source in zip(footers, sources, strict=True)]
    texts, of = map(list, zip(*earlier, *again, strict=True))
    assert learned(texts, of)[-6:] == [NEWS[7]] * 6


def test_a_text_that_is_printed_again_is_no_repeated_line():
    body = "Комиссия проверила котельную и нашла две неисправности. Отопление дадут в среду, обещал подрядчик."
    assert learned([body] * 12, ["a"] * 12) == [body] * 12


def test_a_line_of_several_sources_needs_five_of_them_and_three_days():
    line = "Фотографии предоставлены управлением областной архитектуры"
    texts, sources = [f"{one} {line}" for one in NEWS], [f"s{number}" for number in range(8)]
    assert learned(texts, sources, [1] * 8) == texts
    assert learned(texts, sources, list(range(8))) == [*texts[:5], *NEWS[5:]]


def stream(size: int, seed: int) -> tuple[list[str], list[str | None], np.ndarray]:
    draw = random.Random(seed)  # noqa: S311 - a made stream
    words = [one.strip(".") for news in NEWS for one in news.split() if len(one) > 4]
    sources = [draw.choice(("a", "b", None)) for _ in range(size)]
    texts = [
        f"{' '.join(draw.sample(words, 5))}. {FOOTER if draw.random() < 0.6 else 'Прислать ' + draw.choice(words)}"
        for _ in range(size)
    ]
    return texts, sources, np.arange(size, dtype=np.int64) * DAY // 7


@pytest.mark.parametrize("seed", range(4))
def test_batches_and_restarts_change_nothing_even_where_documents_are_taken_back(seed, monkeypatch):
    monkeypatch.setattr(lines, "REMEMBERED", 50)
    texts, sources, times = stream(230, seed)
    whole = LineLearner().learn(fragments_of(texts_of(texts)), sources, times)
    assert (whole & lines.witnesses.LEFT_OUT).any()
    draw, at, blobs = random.Random(seed), 0, []  # noqa: S311 - a made stream
    learner = LineLearner()
    while at < len(texts):
        end = min(at + draw.randint(1, 40), len(texts))
        if draw.random() < 0.5:
            learner, first = LineLearner(), max(0, at - 50)
            learner.resume(np.arange(first, at), blobs[first:at], sources[first:at], times[first:at])
        learner.skip_to(at)
        some = fragments_of(texts_of(texts[at:end]))
        marks = learner.learn(some, sources[at:end], times[at:end])
        assert marks.tolist() == whole[at:end].tolist()
        blobs += blobs_of(some, marks)
        at = end
    assert len(learner._lines.keys) <= 4096


def test_a_collection_learns_from_all_of_its_documents_first():
    texts = [f"{one} {FOOTER}" for one in NEWS]
    encoded = texts_of(texts)
    rows, none = fragments_of(encoded), np.full(len(texts), NO_TIME)
    learner = LineLearner(collects=True)
    learner.learn(rows, ["a"] * 8, none)
    assert without(encoded, (rows, known_marks(rows, ["a"] * 8, learner.known()))) == list(NEWS)


def rows_with(footer: str, **fields) -> list[dict[str, str]]:
    return [{"id": str(number), "text": f"{one} {footer}", **fields} for number, one in enumerate(NEWS)]


def test_dedup_keeps_posts_that_share_a_footer_and_reports_it(tmp_path):
    found = dedup(rows_with(FOOTER))
    assert (found.kept, found.report.shortened) == (8, 8)
    assert found.report.repeated_lines == {"Городская хроника": 8, "Дежурный по номеру Иванов": 8, "Правила игры": 8}
    assert '"Городская хроника" 8' in found.report.summary()
    shown = dedup(rows_with("[Хроника](https://t.me/a) | [Хроника](https://t.me/b) | <b>Правила игры</b>")).report
    assert shown.repeated_lines == {"Хроника": 16, "Правила игры": 8}
    assert [row["text"] for row in found.rows] == [row["text"] for row in rows_with(FOOTER)]
    assert dedup(rows_with(FOOTER), keep_repeated_lines=True, join="copy,retold").kept < 8
    assert list(pairs(rows_with(FOOTER))) == []
    assert len(list(pairs(rows_with(FOOTER), keep_repeated_lines=True)))


def test_a_store_keeps_hashes_of_lines_and_forgets_them(tmp_path):
    documents, few = rows_with(FOOTER, source="a"), StreamSettings.of({"window_documents": 2, "epoch_documents": 2})
    with Deduplicator.open(tmp_path / "s.db", few) as one:
        first = one.process(documents[:4])
        assert one.store.expire().documents
        assert [check for check in checks(one.store.connection) if check.faults] == []
    with Deduplicator.open(tmp_path / "s.db") as one:
        second = one.process(documents[4:])
        with one.store.reading() as connection:
            assert connection.execute("SELECT count(*) FROM fragments").fetchone() == (8,)
    with Deduplicator.open(None, few) as one:
        assert [*first, *second] == list(one.process(documents))
    kept = StreamSettings.of({"keep_repeated_lines": True})
    with Deduplicator.open(tmp_path / "kept.db", kept) as one:
        one.process(documents)
        with one.store.reading() as connection:
            assert connection.execute("SELECT count(*) FROM fragments").fetchone() == (0,)


def test_two_sources_that_begin_alike_on_one_day_report_the_same_news():
    footers = ("Вечер начинается с ленты города Заречье", "Утренний листок, Приморский проспект, третий этаж")
    documents = [
        {"id": f"{n}{side}", "text": f"{one} {footer}", "source": f"k{side}", "published": f"2026-05-01T1{side}:00Z"}
        for n, one in enumerate(NEWS[:3])
        for side, footer in enumerate(footers)
    ]
    with Deduplicator.open(None) as one:
        found = [(verdict.status, verdict.of, verdict.kind) for verdict in one.process(documents)]
    assert found[1::2] == [("duplicate", f"{number}0", "copy") for number in range(3)]
    other_day = [one | ({"published": "2026-05-09T11:00Z"} if one["id"].endswith("1") else {}) for one in documents]
    with Deduplicator.open(None) as one:
        assert all(verdict.status != "duplicate" for verdict in one.process(other_day))


def test_ingest_reports_what_it_left_out(tmp_path):
    documents = [{"id": str(number), "text": f"{one} {FOOTER}"} for number, one in enumerate(NEWS)]
    with ingest(documents, store=tmp_path / "s.db") as found:
        list(found)
    assert found.report.shortened == 3
    assert found.report.repeated_lines == {"Городская хроника": 3, "Дежурный по номеру Иванов": 3, "Правила игры": 3}


def test_texts_are_kept_as_given_and_compared_as_repaired(tmp_path):
    text = "Комиссия проверила котельную и нашла две неисправности. Отопление дадут в среду, обещал подрядчик."
    broken = text.encode("cp1251").decode("latin-1")
    with Deduplicator.open(tmp_path / "s.db", StreamSettings(keep_text=True)) as one:
        first, again = one.process([{"id": "1", "text": broken}, {"id": "2", "text": text}])
        assert (first.status, again.status, again.of) == ("new", "exact", "1")
        with one.store.reading() as connection:
            (packed,) = connection.execute("SELECT packed FROM body WHERE ordinal = 0").fetchone()
    assert zlib.decompress(packed).decode() == broken
