"""Which term a form becomes: one table of words as they stand in news, and the rules one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.language.lexicon.frequency import form_frequencies, most_common_forms
from infostream_dedup.language.lexicon.tables import APOSTROPHE, key_form
from infostream_dedup.language.lexicon.word_lists import personal_names, stop_words
from infostream_dedup.language.morphology.analyzer import Morphology, nominatives, predicted_nominative, surname_instead
from infostream_dedup.language.morphology.readings import (
    is_roman_numeral,
    lemma,
    noun_term,
    readings_of,
    with_head_as_lemma,
)
from infostream_dedup.language.text.tokens import Shape
from infostream_dedup.model import Language

# "Word=term", "Word=-" for no term, "Word=term?" for a term that only the open rule takes.
INSIDE = """
ru: Украины=украина Украине=украина Украину=украина Россией=россия Москве=москва Киева=киев Киеву=киев Харькова=харьков
    Львовом=львов Одессы=одесса Польши=польша Польшу=польша Германии=германия Франции=франция Китая=китай
    Израилем=израиль
    Белоруссию=белоруссия Петербурга=петербург Сочи=сочи Крыма=крым Донбассом=донбасс Кремля=кремль Сумах=сумы
    Черновцах=черновцы Орла=орел Мира=мир Рады=рада Чадыр-Лунге=чадыр-лунга Ивано-Франковска=ивано-франковск
ru: Газпром=газпром Газпрома=газпром Газпрому=газпром Нафтогаза=нафтогаз Роснефти=роснефть Сбербанком=сбербанк
    Приватбанка=приватбанк Лукойла=лукойл Еврокомиссии=еврокомиссия Госдумы=госдума Укрзализныци=укрзализныця
    Bloomberg=- Google=google Reuters=- Qwertyuiop=qwertyuiop? Gagauzinfo=- Rlivetv=- Nordnews=- News=news?
ru: Путин=путин Путина=путин Путину=путин Путиным=путин Путине=путин Зеленского=зеленский Зеленскому=зеленский
    Зеленским=зеленский Зеленская=зеленский Зеленской=зеленский Трампа=трамп Трампом=трамп Трампу=трамп Байден=байден
    Байдена=байден Байденом=байден Байдену=байден Шольц=шольц Шольца=шольц Шольцем=шольц Шольцу=шольц Макрона=макрон
    Маска=маск Маском=маск Меркель=меркель Джонсона=джонсон Джонсону=джонсон Порошенко=порошенко Тимошенко=тимошенко
    Лаврова=лавров Лавровым=лавров Пескова=песков Эрдогана=эрдоган Нетаньяху=нетаньяху Санду=санду Плахотнюка=плахотнюк
    Кличко=кличко Залужного=залужный Обамы=обама Блинкена=блинкен Лубинца=лубинец Лубинцом=лубинец Навального=навальный
    Драги=драги Стояногло=стояногло Будянскому=будянский
ru: Курбанбердыев=курбанбердыев? Курбанбердыева=курбанбердыев? Курбанбердыевым=курбанбердыев? Говоритпрезидент=-
    Хабаровского=- Российской=- Комратского=- Он=- Однако=-
uk: Україні=україна Україною=україна Київ=київ Києва=київ Києві=київ Києву=київ Харкова=харків Харкові=харків
    Львова=львів Львові=львів Одеси=одеса Миколаєва=миколаїв Польща=польща Польщі=польща Росії=росія Москви=москва
    Ізраїлю=ізраїль Китаю=китай Криму=крим Донбасу=донбас Сумах=суми Чернівцях=чернівці Ради=рада
    Кропивницького=кропивницький
uk: Нафтогазу=нафтогаз Нафтогазом=нафтогаз Приватбанку=приватбанк Газпрому=газпром Укрзалізниці=укрзалізниця
    Укрпошти=укрпошта Bloomberg=-
uk: Зеленського=зеленський Зеленському=зеленський Зеленським=зеленський Зеленська=зеленський Зеленської=зеленський
    Порошенко=порошенко Порошенка=порошенко Порошенком=порошенко Порошенку=порошенко Шмигаля=шмигаль Шмигалем=шмигаль
    Тимошенко=тимошенко Тимошенка=тимошенко Путіна=путін Путіним=путін Трампа=трамп Трампу=трамп Байдена=байден
    Шольца=шольц Шольцем=шольц Маска=маск Маском=маск Меркель=меркель Макрона=макрон Джонсона=джонсон
    Лукашенка=лукашенко Залужного=залужний Єрмака=єрмак Буданова=буданов Іванова=іванов Іванової=іванов Кличка=кличко
    Санду=санду Ердогана=ердоган Лубинця=лубинець Навального=навальний Шевченка=шевченко
uk: Абогіна=абогін? Абогіним=абогін? Він=- Однак=-
ru: Правда=- Правды=- Интерфакса=- Daily=- The=- Apple=apple
uk: Бі-бі-сі=- Інтерфакс-Україна=- УНН=-
"""
LOWER = """
ru: правительство=правительство правительства=правительство правительством=правительство президентом=президент
    выборах=выборы война=война войны=война дети=ребенок детьми=ребенок ребёнка=ребенок люди=человек людей=человек
    человек=человек суд=суд суда=суд банка=банк деньгами=деньги счастье=счастье раненых=раненый военные=военный
    судов=суд
    премьер-министра=премьер-министр экс-президента=экс-президент пресс-секретарь=пресс-секретарь
    it-компания=it-компания
ru: стране-кандидату=страна-кандидат вице-премьера=вице-премьер дронами-камикадзе=дрон-камикадзе
    боевиков-террористов=боевик-террорист экс-вице-премьера=экс-вице-премьер контр-адмирала=контр-адмирал
    правды=правда миль=-
uk: країн-членів=країна-член фірми-переможця=фірма-переможець прес-секретаря=прес-секретар торгів=торги
ru: вакциной=вакцина ковида=ковид дроном=дрон примаров=примар беспилотника=беспилотник путин=путин воз=воз
ru: украинский=- идти=- шёл=- красивый=- быстро=- январь=- января=- понедельник=- год=- году=- лет=- часов=- тысяч=-
    млн=- сообщение=- ситуацияукраины=- я=- и=- не=- нбу=- iphone=- facebookреклама=-
uk: уряд=уряд уряду=уряд урядом=уряд президента=президент виборів=вибори виборах=вибори війни=війна діти=дитина
    дітей=дитина дітьми=дитина люди=людина людей=людина військових=військовий поранених=поранений загиблих=загиблий
    гроші=гроші посаду=посада посади=посада посад=посада зміни=зміна змін=зміна дій=дія дії=дія офіцерів=офіцер
    козаків=козак площі=площа пам'яті=памʼять пам’яті=памʼять сім'ї=сімʼя прес-служби=прес-служба банку=банк
    школярі=школяр ями=яма безпілотника=безпілотник дронів=дрон матері=мати суми=сума оману=омана ножі=ніж
uk: український=- іти=- гарний=- швидко=- січня=- вересня=- вересень=- рік=- року=- тисяч=- грн=- повідомлення=- я=- і=-
    не=- мати=- головний=-
"""
START = """
ru: Правительство=правительство Украина=украина Шольц=шольц Байден=байден Маска=маска Путин=путин Выборы=выборы
    Санду=санду Зеленский=зеленский Примария=примария Он=- Однако=- Вчера=- Курбанбердыев=-
uk: Уряд=уряд Україна=україна Шольц=шольц Зеленський=зеленський Путін=путін Він=- Однак=- Вчора=-
"""
UPPER = """
ru: США=сша ЕС=ес НАТО=нато ООН=оон ВОЗ=воз МВФ=мвф СБУ=сбу ВСУ=всу НБУ=нбу МИД=мид ФСБ=фсб ОБСЕ=обсе ЛДПР=лдпр
    NATO=nato ПУТИН=путин УКРАИНЫ=украина ВЫБОРЫ=выборы ЩЗЖ=щзж? НЕ=- ОАО=-
uk: США=сша ЄС=єс НАТО=нато ООН=оон ВООЗ=вооз МВФ=мвф НАБУ=набу ЗСУ=зсу СБУ=сбу ЗЕЛЕНСЬКИЙ=зеленський УКРАЇНИ=україна
    НЕ=- ТОВ=-
"""


def cases(table: str, shape: Shape) -> list[tuple[Language, str, Shape, str]]:
    found: list[tuple[Language, str, Shape, str]] = []
    language: Language = "ru"
    for word in table.split():
        if word in ("ru:", "uk:"):
            language = "ru" if word == "ru:" else "uk"
        else:
            spelt, _, term = word.partition("=")
            found.append((language, spelt, shape, term))
    return found


TABLE = [
    *cases(INSIDE, Shape.CAPITAL), *cases(LOWER, Shape.LOWER), *cases(START, Shape.START), *cases(UPPER, Shape.UPPER),
]  # fmt: skip


def term(language: Language, word: str, shape: Shape, *, strict: bool = False) -> str | None:
    return Morphology(language).noun_term(key_form(word), shape, strict=strict)


def test_term_of_a_word_in_the_news() -> None:
    for language, word, shape, expected in TABLE:
        wanted = None if expected == "-" else expected.rstrip("?")
        assert term(language, word, shape) == wanted
        assert term(language, word, shape, strict=True) == (None if expected.endswith("?") else wanted)


def test_form_repaired_to_no_noun_leaves_the_other_forms_alone() -> None:
    assert term("uk", "мати", Shape.LOWER) is None
    assert term("uk", "матір", Shape.LOWER) == "мати"


def test_a_known_name_is_not_a_guess() -> None:
    analysis = Morphology("uk").analyse("гладуном", Shape.CAPITAL)
    assert analysis.term == "гладун"
    assert analysis.in_dictionary


def test_answers_do_not_depend_on_the_order_of_questions() -> None:
    words = [(word, shape) for language, word, shape, _ in TABLE if language == "uk"]
    forwards = [term("uk", word, shape) for word, shape in words]
    assert forwards == [term("uk", word, shape) for word, shape in reversed(words)][::-1]


def test_many_english_forms_at_once_have_the_terms_of_each() -> None:
    english = Morphology("en")
    forms = ["the", "running", "x", "trumpʼs", "state-owned", "ʼ", "", "covid", "and"]
    assert english.english_terms(forms) == [english.noun_term(form, Shape.CAPITAL) for form in forms]
    assert english.english_terms(forms)[:4] == [None, "run", None, "trump"]


def nothing(_: str) -> float:
    return 0.0


def test_forms_of_a_name_nobody_has_seen_meet() -> None:
    for language, forms, expected in [
        ("ru", "Гжельбор Гжельбора Гжельбору Гжельбором Гжельборе", "гжельбор"),
        ("ru", "Гжельборский Гжельборского Гжельборскому Гжельборским Гжельборском Гжельборская", "гжельборский"),
        ("ru", "Гжельборов Гжельборова Гжельборову Гжельборовым Гжельборове Гжельборовой", "гжельборов"),
        ("ru", "Гжельбай Гжельбая Гжельбаю Гжельбаем Гжельбае", "гжельбай"),
        ("ru", "Гжельбория Гжельбории Гжельборию Гжельборией", "гжельбория"),
        ("uk", "Гжельбор Гжельбора Гжельбору Гжельборові Гжельбором", "гжельбор"),
        ("uk", "Гжельборський Гжельборського Гжельборському Гжельборським Гжельборська Гжельборської", "гжельборський"),
        ("uk", "Гжельбенко Гжельбенка Гжельбенку Гжельбенкові Гжельбенком", "гжельбенко"),
        ("uk", "Гжельборін Гжельборіна Гжельборіну Гжельборіним Гжельборіної", "гжельборін"),
    ]:
        assert {predicted_nominative(form.lower(), language, nothing) for form in forms.split()} == {expected}


def test_frequency_decides_where_to_cut() -> None:
    seen = {"вифлеем": 9.0, "вифлеема": 5.0, "вифлееме": 5.0}
    assert predicted_nominative("вифлеем", "ru", lambda word: seen.get(word, 0.0)) == "вифлеем"
    assert predicted_nominative("вифлеем", "ru", nothing) == "вифлей"


def test_frequency_decides_the_nominative() -> None:
    seen = {"шольц": 2.0, "шольца": 3.0}
    assert predicted_nominative("шольцем", "ru", lambda word: seen.get(word, 0.0)) == "шольц"
    # A vowel that other cases drop; a word too short to be cut.
    assert predicted_nominative("лубинцем", "ru", lambda word: float(word == "лубинец")) == "лубинец"
    assert predicted_nominative("мэй", "ru", nothing) == "мэй"


@pytest.mark.parametrize("language", ["ru", "uk"])
def test_what_is_not_looked_up_changes_nothing(language: Language) -> None:
    frequency, morphology = form_frequencies(language), Morphology(language)
    tabled = morphology._names.keys() | morphology._added.keys()
    for form in [*list(personal_names(language))[::500], *most_common_forms(language, 20_000)[::50]]:
        for case in (form, form + "а", form + "ом", form[:-1], form[:3]):
            last = case.rpartition("-")[2]
            plain = predicted_nominative(last, language, frequency)
            assert predicted_nominative(last, language, frequency, frequency.any_begins) == plain
            assert morphology._tabled_nominatives(case) == [one for one in nominatives(case, language) if one in tabled]


@pytest.mark.parametrize("language", ["ru", "uk"])
def test_readings_have_the_scores_of_the_parses(language: Language) -> None:
    source = readings_of(language)
    for form in ["б", *most_common_forms(language, 20_000)[::25]]:
        scores: dict[str, float] = {}
        for one in source._analyzer.parse(form.replace(APOSTROPHE, "'")):
            lemma = one.normal_form.replace("ё", "е").replace("'", APOSTROPHE)
            scores[f"{lemma} {one.tag.POS or ''}"] = scores.get(f"{lemma} {one.tag.POS or ''}", 0.0) + one.score
        found: dict[str, float] = {}
        for one in source.readings(form):
            key = f"{one.lemma} {one.part_of_speech}"
            found[key] = found.get(key, 0.0) + one.score
        assert found == pytest.approx({key: scores[key] for key in found})


def test_nominatives_hold_the_form_and_its_lemma() -> None:
    found = list(nominatives("зеленского", "ru"))
    assert found[0] == "зеленского"
    assert "зеленский" in found
    assert "примар" in list(nominatives("примаров", "ru"))
    assert list(nominatives("johnsons", "en")) == ["johnsons"]


@pytest.mark.parametrize(("language", "form", "shape", "found", "why", "source"), [
    ("ru", "маска", Shape.LOWER, "маска", "", "pymorphy3"), ("ru", "маска", Shape.CAPITAL, "маск", "", "surnames.tsv:"),
    ("ru", "нбу", Shape.LOWER, None, "in no dictionary", ""),
    ("ru", "нбу", Shape.UPPER, "нбу", "", "organisations.tsv:"),
    ("ru", "и", Shape.LOWER, None, "stop word", "stop_ru.txt"),
    ("ru", "идти", Shape.LOWER, None, "no noun", "pymorphy3"),
    ("ru", "января", Shape.LOWER, None, "month (excluded.tsv:", "pymorphy3"),
    ("uk", "посади", Shape.LOWER, "посада", "", "repairs.tsv:"),
    ("ru", "говоритпрезидент", Shape.CAPITAL, None, "two words run together", ""),
    ("ru", "передаетdw", Shape.CAPITAL, None, "not a word of one alphabet", ""),
    ("ru", "а" * 41, Shape.CAPITAL, None, "longer than 40 letters", ""),
    ("en", "governments", Shape.LOWER, "govern", "", "stem"),
    ("en", "the", Shape.START, None, "stop word", "stop_en.txt"),
    ("en", "a", Shape.LOWER, None, "stop word", "stop_en.txt"),
])  # fmt: skip
def test_an_analysis_says_why_and_from_where(language, form, shape, found, why, source) -> None:
    analysis = Morphology(language).analyse(form, shape)
    assert (analysis.term, bool(analysis.why)) == (found, bool(why))
    assert analysis.why.startswith(why)
    assert analysis.source.startswith(source)
    assert ("abbreviation" in analysis.kinds.labels()) == (found == "нбу")


def test_names_that_might_be_two_words_are_names() -> None:
    assert term("ru", "раджастана", Shape.CAPITAL) is not None


def test_plurals_and_possessives_become_singulars() -> None:
    for form, expected in [
        ("countries", "country"), ("elections", "election"), ("taxes", "tax"), ("houses", "house"), ("heroes", "hero"),
        ("matches", "match"), ("movies", "movie"), ("thieves", "thief"), ("drives", "drive"), ("men", "man"),
        ("women", "woman"), ("spokesmen", "spokesman"), ("children", "child"), ("people", "person"),
        ("crises", "crisis"), ("presidentʼs", "president"), ("womenʼs", "woman"),
        ("vice-presidents", "vice-president"),
    ]:  # fmt: skip
        assert lemma(form) == expected


def test_singulars_in_s_stay() -> None:
    for form in [
        "news", "series", "species", "politics", "status", "crisis", "press", "brussels", "athens", "jones",
        "specimen",
    ]:  # fmt: skip
        assert lemma(form) == form


@pytest.mark.parametrize("form", ["agreed", "running", "quickly", "went", "strong"])
def test_verbs_and_adjectives_stay_as_they_are(form: str) -> None:
    assert lemma(form) == form


def test_nouns_and_names_are_terms() -> None:
    for form, shape, term in [
        ("governments", Shape.LOWER, "government"), ("negotiations", Shape.START, "negotiation"),
        ("villagers", Shape.LOWER, "villager"), ("privatisation", Shape.LOWER, "privatisation"),
        ("zelenskyy", Shape.CAPITAL, "zelenskyy"), ("johnsonʼs", Shape.CAPITAL, "johnson"),
        ("brussels", Shape.CAPITAL, "brussels"), ("us", Shape.UPPER, "us"), ("nato", Shape.UPPER, "nato"),
        # What is a noun too, and an agency whose name is a common word.
        ("march", Shape.LOWER, "march"), ("sun", Shape.CAPITAL, "sun"),
        ("anti-aircraft", Shape.LOWER, "anti-aircraft"),
        # Nouns of our tables that are mostly other words.
        ("suspect", Shape.LOWER, "suspect"), ("stable", Shape.LOWER, "stable"),
    ]:  # fmt: skip
        assert noun_term(form, shape) == term


def test_other_words_are_none() -> None:
    for form, shape in [
        ("us", Shape.LOWER), ("the", Shape.CAPITAL), ("quickly", Shape.LOWER), ("announced", Shape.LOWER),
        ("said", Shape.LOWER), ("strong", Shape.LOWER),
        # In a title every word has a capital.
        ("strong", Shape.CAPITAL), ("become", Shape.CAPITAL),
        # The Russian год and январь are never key terms, so neither are these.
        ("year", Shape.LOWER), ("january", Shape.CAPITAL), ("уряд", Shape.LOWER),
        # Verbs and adjectives in most of their places, and no nouns of our tables.
        ("vulnerable", Shape.LOWER), ("announcing", Shape.START), ("estonian", Shape.START),
        # Numbers, months, agencies.
        ("two-year-old", Shape.LOWER), ("fifty-eight", Shape.LOWER), ("march", Shape.CAPITAL),
        ("reuters", Shape.CAPITAL), ("iii", Shape.UPPER), ("ltd", Shape.CAPITAL),
    ]:  # fmt: skip
        assert noun_term(form, shape) is None


@given(st.text(alphabet="abeiknorsty-ʼ", min_size=1, max_size=12), st.sampled_from(list(Shape)))
def test_any_form_has_a_lemma_and_a_term_is_that_lemma(form: str, shape: Shape) -> None:
    found = lemma(form)
    assert found
    assert lemma(form) == found
    term = noun_term(form, shape)
    assert term is None or (len(term) > 1 and (term == found or shape == Shape.UPPER))


@given(st.sampled_from(sorted(stop_words("en"))))
def test_no_stop_word_is_a_term_in_lower_case(word: str) -> None:
    assert noun_term(word, Shape.LOWER) is None


_RU, _UK = Morphology("ru"), Morphology("uk")


@pytest.mark.parametrize("form", ["харитонов", "агапов", "изотов", "газиев", "вартанов"])
@pytest.mark.parametrize("shape", [Shape.START, Shape.CAPITAL])
def test_a_surname_is_no_genitive_of_several_first_names(form: str, shape: Shape) -> None:
    assert _RU.noun_term(form, shape) == form
    assert _RU.noun_term(f"{form}а", shape) == form


@pytest.mark.parametrize(("form", "lemma"), [("нидерландов", "нидерланды"), ("героев", "герой"), ("москва", "москва")])
def test_other_plurals_and_places_stay(form: str, lemma: str) -> None:
    assert surname_instead(form, lemma, readings_of("ru").readings(form), "ru") is None


NOUN_TERMS: dict[str, tuple[Morphology, Shape, dict[str, str | None]]] = {
    "a surname is no case of a village unless our tables list it": (
        _RU, Shape.CAPITAL, {"мантурова": "мантуров", "конакову": "конаков", "косова": "косово"}),
    "Ukrainian adjectives and adverbs are no datives and vocatives": (
        _UK, Shape.LOWER, dict.fromkeys(("шумові", "виїмкові", "солодко", "струнко", "типові", "паперові"))),
    "Ukrainian datives and plurals without such an adjective stay": (
        _UK, Shape.LOWER, {"президентові": "президент", "батькові": "батько", "цитрусові": "цитрусові"}),
    "a Ukrainian adjective begins a sentence rather than a noun that is not listed": (
        _UK, Shape.START, {"мудрий": None, "слідчий": "слідчий"}),
    "a function word begins a sentence rather than a rare name": (_UK, Shape.START, {"досі": None}),
    "a rare name within a sentence is one": (_UK, Shape.CAPITAL, {"досі": "доха"}),
    "a listed name begins a sentence rather than a rarer noun": (_RU, Shape.START, {"шор": "шор", "марта": None}),
    "in small letters a place gives way": (
        _RU, Shape.LOWER, {"ковров": "ковер", "ангаре": "ангар", "выше": None}),
    "a name nobody has heard of gives way to a listed one": (
        _RU, Shape.CAPITAL, {"неваде": "невада", "яссах": "яссы", "ясс": "яссы"}),
    "short rare cases in capitals are abbreviations": (
        _RU, Shape.UPPER, {"ате": "ате", "амн": "амн", "мира": "мир", "вину": "вина"}),
}  # fmt: skip


@pytest.mark.parametrize("promise", NOUN_TERMS)
def test_forms_that_might_be_several_words(promise: str) -> None:
    language, shape, terms = NOUN_TERMS[promise]
    assert {form: language.noun_term(form, shape) for form in terms} == terms


_TENS = ("", "x", "xx", "xxx")
_ONES = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")


def test_all_numerals_of_two_letters_and_more_up_to_39_are_known():
    written = {tens + ones for tens in _TENS for ones in _ONES}
    assert all(is_roman_numeral(one) for one in written if len(one) > 1)


def test_other_forms_are_none():
    for form in ["i", "v", "iiii", "vv", "iix", "xi-fi", "ivan", "сі", "-", "ii-"]:
        assert not is_roman_numeral(form)


@pytest.mark.parametrize("form", ["хх", "хіі", "ііі", "ii-iii"])
def test_cyrillic_letters_of_the_same_looks_and_several_numerals_count(form):
    assert is_roman_numeral(form)


@pytest.mark.parametrize(("lemma", "expected"), [
    ("країн-член", "країна-член"), ("фірми-переможець", "фірма-переможець"),
    # віце, прес and контр are no cases of nouns; a nominative stays.
    ("віце-премʼєр", "віце-премʼєр"), ("прес-секретар", "прес-секретар"), ("контр-адмірал", "контр-адмірал"),
    ("країна-член", "країна-член"),
])  # fmt: skip
def test_the_head_of_a_compound_becomes_a_nominative(lemma, expected):
    assert with_head_as_lemma(lemma, readings_of("uk").readings, form_frequencies("uk")) == expected
