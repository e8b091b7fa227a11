"""Languages other than ours are recognised by their letters and words, and ours are never taken for them."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from infostream_dedup import read_documents
from infostream_dedup.language.lexicon.word_lists import most_frequent_words, other_language, short_code, stop_words
from infostream_dedup.sample import documents_path

DATA = Path(__file__).parents[3] / "shared" / "data"

NEWS = {
    "de": "Der Bundestag hat am Freitag das umstrittene Gesetz über die Renten mit den Stimmen der Koalition "
    "beschlossen, "
    "die Opposition kündigte eine Klage an.",
    "fr": "Le parlement a adopté vendredi la loi sur les retraites avec les voix de la majorité, et l'opposition a "
    "annoncé qu'elle saisirait la cour.",
    "es": "El parlamento aprobó el viernes la ley de pensiones con los votos de la mayoría, y la oposición anunció que "
    "la llevará al tribunal.",
    "it": "Il parlamento ha approvato venerdì la legge sulle pensioni con i voti della maggioranza, e l'opposizione ha "
    "annunciato che non si fermerà.",
    "pl": "Sejm uchwalił w piątek ustawę o emeryturach głosami koalicji, a opozycja zapowiedziała, że się na to nie "
    "zgodzi i że jest to błąd.",
    "cs": "Sněmovna v pátek schválila zákon o důchodech, který podle opozice není správný, a proto se bude o něm "
    "jednat "
    "znovu na podzim.",
    "tr": "Meclis cuma günü emeklilik için yeni bir yasa kabul etti ve muhalefet bu yasa ile ilgili olarak mahkemeye "
    "gideceğini daha sonra söyledi.",
    "ro": "Parlamentul a adoptat vineri legea pensiilor cu voturile majorității, iar opoziția a anunțat că o va ataca "
    "la "
    "curte pentru că nu este corectă.",
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
        assert other_language(NEWS[language]) == language


def test_what_is_ours_or_unclear_is_left_alone() -> None:
    for text in [
        "", "2024", "Apple iPhone 15 Pro Max", "Kyiv: rain", "Рада прийняла закон",
        "Рада приняла закон: Angela Merkel war nicht dabei",
        "«Der Spiegel»: канцлер не поедет в Киев, пишет газета «Die Welt» со ссылкой на источники в правительстве",
        "He said that the song “Non, je ne regrette rien” was played at the station",
        "Гурт «Песняры» і гурт «Сябры» виступили у Мінську, повідомляє Беларускі дом ў Варшаві",
    ]:  # fmt: skip
        assert other_language(text) is None


def test_no_bundled_document_is_taken_for_another_language() -> None:
    assert [one.id for one in read_documents(documents_path()) if other_language(one.text)] == []


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
    assert Counter(map(other_language, texts)) == {None: len(texts)}


def test_codes_and_lists() -> None:
    assert [short_code(code) for code in ("deu", "ger", "de", "haw")] == ["de", "de", "de", "haw"]
    assert most_frequent_words("de", 3) == ("die", "der", "und")
    assert most_frequent_words("haw", 3) == ()
    assert most_frequent_words("nn", 5) == most_frequent_words("nb", 5)
    assert "nicht" in stop_words("de")
    assert stop_words("other") == frozenset()
