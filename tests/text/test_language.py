import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.language.text import scanner
from infostream_dedup.language.text.language import detect
from infostream_dedup.language.text.surface_pool import texts_of
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language

LEAST_ACCURACY = 0.995

TEXTS: list[tuple[str, Language]] = [
    ("Правительство приняло бюджет на следующий год, сообщила пресс-служба.", "ru"),
    ("Уряд ухвалив бюджет на наступний рік, повідомила пресслужба.", "uk"),
    ("The government adopted the budget for next year.", "en"), ("Он сказал, что это не так", "ru"),
    ("Вона сказала, що це не так", "uk"), ("МОСКВА. ВЫБОРЫ", "ru"), ("КИЇВ. ВИБОРИ", "uk"),
    ("Компания Apple представила iPhone 15 Pro Max и iPad", "ru"),
    ("Компанія Apple показала iPhone 15 Pro Max та iPad", "uk"),
    ("Речник сказав: «Мы не знаем этого», — і додав, що їх немає в області, де її чекали", "uk"),
    ("Спикер сказал: «Слава Україні», — и добавил, что выборы объявят, если будет решение", "ru"), ("та або", "uk"),
    ("но если", "ru"), ("Сложность пожара на 3-й Тверской-Ямской понижена", "ru"),
    ("Лавров прибыл в Рио-де-Жанейро", "ru"), ("Мэр __и__ совет", "ru"),
    ("[Мост закрыт](https://example.org/news/2026/bridge-closed-for-repair) до утра", "ru"),
    ("[Міст зачинено](https://example.org/news/2026/bridge-closed-for-repair) до ранку", "uk"),
    ("The verb «быть» is explained at https://example.org/verbs", "en"), ("https://example.org/news", "en"),
    ("Мост закрыт: t.me/bridge_news_channel_of_the_city/1204 @bridge_news_channel", "ru"),
    ("Міст зачинено: news.example.org/2026/bridge-closed-for-repair", "uk"),
    ("The verb «быть» is explained at example.org/verbs", "en"), ("На фестивале показали фильм про Чечню", "ru"),
    ("Министр допустил размещение комплексов ПРО", "ru"), ("Мэром города избран Билл де Блазио", "ru"),
    ("Расскажи тому самому другу", "ru"), ("Вісь часу. Ось про це й тому ж", "uk"),
    ("Генерала призначили керувати силами — Цензор.НЕТ, підписатися", "uk"),
]  # fmt: skip


def test_detect() -> None:
    for text, language in TEXTS:
        assert detect(text) == language


@pytest.mark.parametrize(
    ("text", "language"), [("", "ru"), ("12:30 — 5 %", "ru"), ("東京", "ru"), ("два", "ru"), ("ok", "en")]
)
def test_without_evidence(text: str, language: Language) -> None:
    assert detect(text) == language


def test_only_the_beginning_counts() -> None:
    assert detect(("The government adopted the budget. " * 200) + "Їжак їв її" * 5000) == "en"


@given(st.text())
def test_any_text_has_a_language_whatever_its_case(text: str) -> None:
    assert detect(text) in OUR_LANGUAGES
    assert detect(text) == detect(text.lower())


@pytest.mark.slow
@pytest.mark.corpus
def test_accuracy_on_documents(corpora: Path) -> None:
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for path in sorted(corpora.glob("*.docs.jsonl.gz")):
        with gzip.open(path, "rb") as lines:
            for line in lines:
                document = json.loads(line)
                if language := document.get("lang"):
                    total[language] += 1
                    right[language] += detect(document["text"]) == language
    assert set(total) == set(OUR_LANGUAGES)
    for language in OUR_LANGUAGES:
        assert right[language] >= LEAST_ACCURACY * total[language], (
            f"{language}: {right[language]} of {total[language]}"
        )


@pytest.mark.parametrize("mark", ["<p class='article-lead paragraph'>", f"<script>{'let a = window;' * 400}</script>"])
def test_tags_and_scripts_have_no_language(mark):
    assert detect(f"{mark}Уряд України схвалив бюджет") == "uk"
    assert detect(f"{mark}Budget approved") == "en"


LETTERS = "aZkбжЫыЭъЁёІіЇєґҐЄ\u212aİ№ééèЀѐ東𝐀\U0001f44d "


def told(strings):
    return [LANGUAGES[number] for number in scanner.detect(texts_of(strings))]


@given(st.lists(st.text(st.sampled_from(LETTERS) | st.characters(exclude_categories=["Cs"]), max_size=150), max_size=6))
@example(["мост https://example.org/bridge", "https://example.org/bridge", "Rio-де-Жанейро", "3-й и 4-й"])
@example(["\u212a" * 30, "İ" * 50 + "б" * 20, "ы" * 11, "і" * 11, "k" * 21 + "ж" * 10, "k" * 20 + "ж" * 10])
@example(
    [
        "<p class='lead text'>мост", "<script>" + "let a;" * 900 + "</script>міст", "bridge <b>",
        "<!-- bridge -->ї" + "i" * 20,
    ]
)  # fmt: skip
def test_every_text_has_the_language_that_plain_code_finds(strings):
    assert told(strings) == [detect(text) for text in strings]


@pytest.mark.slow
def test_every_character_counts_as_in_the_plain_code():
    """Twenty times each character, beside letters that leave the decision to it."""
    characters = [chr(point) for point in range(0x11000) if not 0xD800 <= point < 0xE000]
    for surroundings in ("k" * 21, "ж" * 20 + "ы" * 8 + "k" * 45, "ж" * 20 + "і" * 12 + "ы" * 5, "k" * 30 + "ж" * 10):
        strings = [surroundings + one * 11 for one in characters]
        assert told(strings) == [detect(text) for text in strings]
