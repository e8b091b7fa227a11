"""A small collection in three languages, with copies, edits, and documents that hardly have a text."""

import pytest

from infostream_dedup.lab.methods import Texts
from infostream_dedup.model import Document

RUSSIAN = (
    "Мэр города Приозёрска Анна Ковалева торжественно открыла новый мост через реку Сухону. Строительство моста "
    "заняло три года, и подрядчик закончил работы раньше срока, который стоял в договоре. На церемонии, как и на "
    "закладке первой опоры, были жители района, депутаты городского совета и журналисты местных газет. Движение по "
    "мосту откроют завтра утром. Проезд для легковых машин останется бесплатным до конца года. Следующим летом "
    "начнется ремонт набережной и дороги к вокзалу."
)
UKRAINIAN = (
    "Міський голова Приозерська Ганна Коваль урочисто відкрила новий міст через річку Сухону. Будівництво моста "
    "тривало три роки, і підрядник закінчив роботи раніше від терміну, який стояв у договорі. На церемонії, як і на "
    "закладанні першої опори, були мешканці району, депутати міської ради та журналісти місцевих газет. Рух мостом "
    "відкриють завтра вранці. Проїзд для легкових машин залишиться безкоштовним до кінця року. Наступного літа "
    "почнеться ремонт набережної та дороги до вокзалу."
)
ENGLISH = (
    "The mayor of Lakeside, Anna Smith, has solemnly opened a new bridge across the river. Building the bridge took "
    "three years, and the contractor finished the works ahead of the date that stood in the contract. At the ceremony, "
    "as at the laying of the first pillar, there were residents of the district, members of the council and reporters "
    "of local papers. Traffic will start tomorrow morning. The passage for cars stays free until the end of the year. "
    "Next summer the repair of the quay and of the road to the station will begin."
)
OTHER = (
    "Сборная страны по биатлону выиграла эстафету на чемпионате мира. Тренер команды похвалил спортсменов за точную "
    "стрельбу и за скорость на лыжне, которой им не хватало прошлой зимой. Следующая гонка пройдет в субботу на "
    "стадионе в горах, где ожидают снег и сильный ветер. Билеты давно проданы. Болельщики приедут автобусами."
)
STORIES = {"ru": RUSSIAN, "uk": UKRAINIAN, "en": ENGLISH, "other": OTHER}


@pytest.fixture
def stories() -> dict[str, str]:
    """The same news in three languages, and other news in Russian."""
    return STORIES


@pytest.fixture
def documents() -> list[Document]:
    """Stories in three languages, an edited copy and a digest; an empty document, one word, a headline."""
    return [
        Document(id="ru", text=RUSSIAN, title="Открыт мост"), Document(id="uk", text=UKRAINIAN),
        Document(id="en", text=ENGLISH), Document(id="other", text=OTHER, title="Победа"),
        Document(id="edited", text=RUSSIAN.replace("Мэр", "Глава").replace("летом", "осенью"), title="Открыт мост"),
        Document(id="digest", text=f"{OTHER}\n{RUSSIAN}\nПогода испортилась."), Document(id="empty", text=""),
        Document(id="signs", text="!!! ... —"), Document(id="word", text="Наводнение"),
        Document(id="headline", text="Наводнение отступает"),
    ]  # fmt: skip


@pytest.fixture
def texts(documents: list[Document]) -> Texts:
    return Texts(documents)
