"""A made-up stream in three languages with everything that a verdict may depend on."""

from datetime import UTC, datetime, timedelta

import numpy as np

from infostream_dedup.model import Document

RUSSIAN = """
    мост река министр банк школа больница врач зима рынок фермер лес армия президент суд судья полиция музей театр
    двигатель поезд аэропорт остров гора футбол тренер договор бюджет парламент выборы кандидат завод рабочий забастовка
    нефть газ труба цена рубль курс биржа акция компания директор совет депутат закон поправка налог пенсия пожар
    спасатель ветер снег дождь урожай зерно порт корабль экипаж самолёт пилот вокзал дорога авария водитель автобус
    область город деревня строительство квартира кредит ипотека ставка инфляция переговоры посол граница таможня груз
    учёный лаборатория вакцина вирус эпидемия студент университет экзамен книга выставка художник концерт певец фильм
""".split()
UKRAINIAN = """
    міст річка міністр банк школа лікарня лікар зима ринок фермер ліс армія президент суд суддя поліція музей театр
    двигун потяг летовище острів гора футбол тренер договір бюджет парламент вибори кандидат завод робітник страйк
    нафта газ труба ціна гривня курс біржа акція компанія директор рада депутат закон поправка податок пенсія пожежа
    рятувальник вітер сніг дощ урожай зерно порт корабель екіпаж літак пілот вокзал дорога аварія водій автобус
""".split()
ENGLISH = """
    bridge river minister bank school hospital doctor winter market farmer forest army president court judge police
    museum theatre engine train airport island mountain football coach contract budget parliament election candidate
    factory worker strike oil gas pipe price pound rate exchange share company director council deputy law amendment tax
""".split()
NAMES = "Иванов Петренко Коваленко Smith Johnson Шевченко Reuters Одесса Харьков Львів Kyiv Байден Brown".split()
WORDS = {"ru": RUSSIAN, "uk": UKRAINIAN, "en": ENGLISH}
SYLLABLES = "ба ве ги до зу ка ле ми но пу ра се ти фо ху ца".split()
SOURCES = ("agency", "daily", "portal", "blog", "herald", None)
BEGIN = datetime(2026, 3, 1, 6, tzinfo=UTC)


class Newsroom:
    """Writes documents; what it draws depends on the seed alone."""

    def __init__(self, seed):
        # The generator is named: the default one may change with numpy.
        self.draw = np.random.Generator(np.random.PCG64(seed)).random
        self.documents = []
        self.forms = {}

    def number(self, low, high):
        return low + int(self.draw() * (high - low + 1))

    def one_of(self, given):
        return given[self.number(0, len(given) - 1)]

    def sentence(self, words):
        picked = [self.one_of(words) for _ in range(self.number(5, 12))]
        if self.draw() < 0.4:
            picked.insert(self.number(1, len(picked)), self.one_of(NAMES))
        if self.draw() < 0.3:
            picked.insert(self.number(1, len(picked)), str(self.number(2, 9999)))
        return f"{' '.join(picked).capitalize()}."

    def story(self):
        language = self.one_of(("ru", "ru", "ru", "uk", "en"))
        own = ["".join(self.one_of(SYLLABLES) for _ in range(4)) for _ in range(self.number(0, 14))]
        words = own + [self.one_of(WORDS[language]) for _ in range(self.number(12, 30))]
        sentences = [self.sentence(words) for _ in range(self.number(2, 9))]
        return language, self.one_of(("\n", " ")).join(sentences)

    def earlier(self, within):
        return self.documents[-self.number(1, min(within, len(self.documents)))]

    def edited(self, text):
        """Some words, numbers or sentences of a text changed."""
        sentences = text.replace("\n", " ").split(". ")
        if self.draw() < 0.4 and len(sentences) > 2:
            del sentences[self.number(0, len(sentences) - 1)]
        if self.draw() < 0.4:
            sentences.insert(self.number(0, len(sentences)), self.sentence(RUSSIAN)[:-1])
        words = ". ".join(sentences).split(" ")
        for _ in range(self.number(0, 1 + len(words) // 6)):
            words[self.number(0, len(words) - 1)] = self.one_of((*RUSSIAN, *UKRAINIAN, "17", "2025"))
        return " ".join(words)

    def form_of(self, source):
        """A source's form for every day: its words stay, its figures change."""
        if source not in self.forms:
            self.forms[source] = [self.one_of(RUSSIAN) for _ in range(self.number(14, 30))]
        figures = [f"{self.number(10, 99)},{self.number(0, 9)}" for _ in range(self.number(4, 9))]
        return " ".join([*self.forms[source], *figures, "руб"])

    def text(self, source):
        """Language, text; the language is sometimes left to be detected."""
        kind = self.draw()
        if kind < 0.34 or len(self.documents) < 3:
            language, text = self.story()
        elif kind < 0.56:
            one = self.earlier(70)
            language, text = one.lang, self.edited(one.text)
        elif kind < 0.66:
            one = self.earlier(150)
            language, text = one.lang, one.text
        elif kind < 0.74:
            one, other = self.earlier(40), self.earlier(40)
            language, text = one.lang, f"{one.text}\n{other.text}"
        elif kind < 0.80:
            one = self.earlier(40)
            language, text = one.lang, one.text[: len(one.text) * self.number(3, 8) // 10]
        elif kind < 0.90:
            language, text = "ru", self.form_of(source)
        elif kind < 0.95:
            one = self.earlier(60)
            language, rest = self.story()
            text = one.text.partition("\n")[0] + "\n" + rest
        else:
            language, text = "ru", self.one_of(("", "Мост.", "Суд и суд", "12:30", "Цена газа, рынок"))
        return (language if self.draw() < 0.8 else None), text

    def time(self, day):
        """Mostly the day; sometimes none, late by days, or a year ahead."""
        chance = self.draw()
        if chance < 0.06:
            return None
        return BEGIN + timedelta(days=day + (-self.number(1, 12) if chance < 0.12 else 365 if chance < 0.125 else 0))

    def write(self, day):
        source = self.one_of(SOURCES)
        language, text = self.text(source)
        title = self.one_of(("", "", f"Новость {self.number(1, 99)}", self.sentence(RUSSIAN)))
        id_ = f"n{len(self.documents)}"
        document = Document(id=id_, text=text, title=title, lang=language, time=self.time(day), source=source)
        self.documents.append(document)


def made_up_stream(documents=400, seed=5, days=20):
    """Stories, reprints with edits, copies, digests, parts, forms of every day, the same openings, scraps."""
    newsroom = Newsroom(seed)
    for number in range(documents):
        newsroom.write(days * number / documents)
    return newsroom.documents
