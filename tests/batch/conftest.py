"""A small stream with known relations."""

import pytest

STORY = (
    "Мэр города Приозёрска Анна Ковалева открыла новый мост через реку Сухону. Строительство моста заняло три года, "
    "подрядчик закончил работы раньше срока. На церемонии присутствовали жители района, депутаты совета и журналисты."
)
OTHER = (
    "Сборная по биатлону выиграла эстафету на чемпионате. Тренер команды похвалил спортсменов за стрельбу и "
    "скорость на лыжне. Следующая гонка пройдет в субботу на стадионе в горах."
)
THIRD = (
    "Центральный банк сохранил ключевую ставку и ухудшил прогноз инфляции. Аналитики ждали повышения, рынок "
    "облигаций ответил ростом. Курс валюты почти не изменился, сообщила биржа."
)


@pytest.fixture
def stream() -> list[dict[str, str]]:
    """A story, another one, an edited reprint, an exact copy under another title, a digest of all three, a headline."""
    return [
        {"id": "story", "title": "Открыт мост", "text": STORY, "lang": "ru"},
        {"id": "other", "title": "Победа в эстафете", "text": OTHER, "lang": "ru"},
        {"id": "reprint", "title": "Новый мост", "text": STORY.replace("Мэр", "Глава"), "lang": "ru"},
        {"id": "copy", "title": "Совсем другой заголовок", "text": f"{STORY} ", "lang": "ru"},
        {"id": "third", "title": "Ставка", "text": THIRD, "lang": "ru"},
        {"id": "digest", "title": "Итоги дня", "text": f"{STORY}\n{OTHER}\n{THIRD}", "lang": "ru"},
        {"id": "headline", "title": "", "text": "Кратко", "lang": "ru"},
    ]
