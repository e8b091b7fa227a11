"""What two texts differ in, by cases worked by hand; words of news that no table was made for."""

import re
from difflib import SequenceMatcher
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import Deduplicator, StreamSettings, dedup, pairs
from infostream_dedup.errors import ConfigurationError, UsageError
from infostream_dedup.judging.evidence.differing import WordDifference, alike, openings_of
from infostream_dedup.judging.evidence.kernels.differing import compare_openings, difference_scratch
from infostream_dedup.language.morphology.readings import meanings, synonyms

COURT = "Областной суд {} бывшего директора порта Марка Дятлова по делу о растрате. Приговор огласили в четверг."
MATCH = "Матч «Локомотив» — «Северянин» завершился со счётом {}. Судья показал четыре жёлтые карточки."
FLOOD = "В {} из-за прорыва трубы затопило три улицы. Жителей первых этажей эвакуировали в школу."
TAX = "Міністерство фінансів {}підвищуватиме податок на нерухомість наступного року, повідомив заступник міністра."
VOTE = "Lawmakers {} the amendments on parking fines in the second reading on Thursday afternoon."
POWER = "В посёлке Лесное {} аварию на подстанции, без света оставались две тысячи домов, бригады работали ночью."
UNABLE, NAMES, SAID = "не смогли устранить", "names exchanged", ("сообщили", "не подтвердили")
WAR = "{} attacked {} with missiles on Tuesday night, officials confirmed."
TRADE = "Parliament {} tax relief for small firms, its speaker told the press on Monday."
SHIP = "Advisory MSA-{}: the port of Odesa is open to ships of all flags from {} in the morning."
DEPOT = "The mayor's office {} the tram depot on Hill Street would be sold to a developer this autumn."
SCHOOL = "В сети пишут о закрытии роддома в Приморске с первого июня. Врачей переведут в областной центр."


def what_differs(a: str, b: str, **options: Any) -> WordDifference | None:
    pair = np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    return next((found for _, found in openings_of(a, b, **options).compared(*pair)), None)


@pytest.mark.parametrize(("a", "b", "reason", "words"), [
    (COURT.format("оправдал"), COURT.format("осудил"), "another word", (("оправдал", "осудил"),)),
    (MATCH.format("2:1"), MATCH.format("1:2"), "numbers exchanged", (("2:1", "1:2"),)),
    (MATCH.format("2:1"), MATCH.format("3:1"), "another figure", (("2:1", "3:1"),)),
    ("Тревога в порту с 02:15.", "Тревога в порту с 14:15.", "another figure", (("02:15", "14:15"),)),
    (SHIP.format("17", "9:30"), SHIP.format("19", "9.30"), "another figure", (("MSA-17", "MSA-19"),)),
    (FLOOD.format("Приморске"), FLOOD.format("Салтаре"), "another name", (("Приморске", "Салтаре"),)),
    (TAX.format(""), TAX.format("не "), "negation", (("", "не"),)),
    (POWER.format("устранили"), POWER.format(UNABLE), "negation", (("устранили", UNABLE),)),
    (VOTE.format("passed"), VOTE.format("refused to pass"), "negation", (("passed", "refused to pass"),)),
    (TRADE.format("backs"), TRADE.format("opposes"), "another word", (("backs", "opposes"),)),
    (VOTE.format("will doubt"), VOTE.format("will think"), "another word", (("doubt", "think"),)),
    (COURT, COURT.replace("бывшего", "нового"), "another word", (("бывшего", "нового"),)),
    (FLOOD, FLOOD.replace("эвакуировали", "вернули"), "another word", (("эвакуировали", "вернули"),)),
    (SCHOOL, SCHOOL.replace("закрытии", "открытии"), "another word", (("закрытии", "открытии"),)),
    (VOTE.format("are for"), VOTE.format("are against"), "another word", (("for", "against"),)),
    (SCHOOL.replace("роддома", "музея"), SCHOOL.replace("роддома", "храма"), "another word", (("музея", "храма"),)),
    (FLOOD.format("Уфе"), FLOOD.format("Туле"), "another name", (("Уфе", "Туле"),)),
    (WAR.format("The UN", "Iran"), WAR.format("The EU", "Iran"), "another name", (("UN", "EU"),)),
    (VOTE.format("spoke in favour of"), VOTE.format("spoke against"), "another word", (("favour", "against"),)),
    (POWER.format("не тушили"), POWER.format("потушили"), "negation", (("не тушили", "потушили"),)),
    (SCHOOL, "Фейк: " + SCHOOL, "denial", (("", "Фейк"),)),
    (SCHOOL, SCHOOL + " Минздрав области опроверг эту информацию.", "denial", (("", "опроверг"),)),
    ("Мост через реку закроют до осени.", "Мост через реку закроют до осени?", "question", (("", "?"),)),
    (SCHOOL, "Опровергнуто. " + SCHOOL, "denial", (("", "Опровергнуто"),)),
    (DEPOT.format("announced that"), DEPOT.format("dismissed claims that"), "denial", (("announced", "dismissed"),)),
    (TAX.format(""), f"{TAX.format('')[:-31]}: це фейк, повідомив заступник міністра.", "denial", (("", "фейк"),)),
    (SCHOOL.replace("пишут", "сообщили"), SCHOOL.replace("пишут", "не подтвердили"), "negation", (SAID,)),
    (SCHOOL, SCHOOL.replace("июня", "августа"), "another day", (("июня", "августа"),)),
    (TRADE.format("backs"), TRADE.format("backs").replace("Mon", "Fri"), "another day", (("Monday", "Friday"),)),
    ('Слесарь порта назвал дамбу "надёжной".', 'Слесарь порта назвал дамбу "надёжной"?', "question", (("", "?"),)),
    (VOTE.format("fixed"), VOTE.format("fought").replace("in the", "in"), "another word", (("fixed", "fought"),)),
    (WAR.format("Peru", "Iran"), WAR.format("Iran", "Peru"), NAMES, (("Peru", "Iran"), ("Iran", "Peru"))),
])  # fmt: skip
def test_what_turns_the_news_round(a: str, b: str, reason: str, words: tuple[tuple[str, str], ...]) -> None:
    found = what_differs(a, b)
    assert (found.reason, found.words) == (reason, words)
    back = what_differs(b, a)
    assert (back.reason, back.words) == (reason, tuple((y, x) for x, y in words))


COURT_TOLD_OTHERWISE = "Бывшего директора порта Марка Дятлова осудил областной суд. Приговор огласили в четверг."


@pytest.mark.parametrize(("a", "b"), [
    (COURT.format("оправдал"), COURT.format("оправдал")), (COURT.format("оправдал"), COURT.format("вчера оправдал")),
    (COURT.format("оправдал"), COURT.format("ОПРАВДАЛ").replace("«", '"')),
    (COURT.format("оправдал"), COURT.format("оправдла")), (COURT.format("осудил"), COURT_TOLD_OTHERWISE),
    (FLOOD.format("Киеве"), FLOOD.format("Києве")), (VOTE.format("passed"), VOTE.format("have passed")),
    ("The centre sold 5000 tickets for the colourful show.", "The center sold 5,000 tickets for the colorful show."),
    ("Скидка составит 1,50 рубля с литра бензина.", "Скидка составит 1.5 рубля с литра бензина."),
    ("Россия и Украина обменялись телами погибших.", "Украина и Россия обменялись телами погибших."),
    ("Как получить выплату на ребёнка в Приморске", "Как получить выплату на ребёнка в Приморске?"), ("Да.", "Нет."),
    (FLOOD.format("городе"), FLOOD.format("городе").replace("школу", "спортзал")),
    (COURT.format("осудил"), COURT.format("осудил").replace("Областной", "Краевой")),
    ("The mine is unprofitable, owners say.", "The mine is not profitable, owners say."),
    ("The hour is very inconvenient for all.", "The hour is not very convenient for all."),
    ("The hearing begins at 2:00 in court.", "The hearing begins at 14.00 in court."),
    ("A bug in the server allows denial of service.", "A bug in the server allows hangs."),
    (SCHOOL.replace("роддома", "церкви"), SCHOOL.replace("роддома", "храма")),
    (WAR.format("US", "Iran"), WAR.format("USA", "Iran")), (f"МВД: {SCHOOL}", f"МВС: {SCHOOL}"),
    (SCHOOL, "Что не так с роддомом? " + SCHOOL), (DEPOT.format("denied claims"), DEPOT.format("dismissed reports")),
    (DEPOT.format("denied"), DEPOT.format("said").replace("would", "would not")),
])  # fmt: skip
def test_ordinary_edits_and_other_texts_differ_in_nothing(a: str, b: str) -> None:
    assert what_differs(a, b) is what_differs("", b, most=0) is None


@pytest.mark.parametrize(("end", "kind"), [("", "differs"), ("The port stays shut until spring, owners say.", "copy")])
def test_one_word_turns_only_what_differs_in_nothing_else(end: str, kind: str) -> None:
    rest = " ".join(f"Witness {n} spoke of warehouse {n + 50}." for n in range(30))
    made = pairs([f"{VOTE.format('passed')} {rest}", f"{VOTE.format('rejected')} {rest} {end}"])
    assert [one.kind for one in made] == [kind]


@pytest.mark.parametrize(("language", "pairs"), [
    ("en", "endorsed cancelled, restored restricted, lifted raised, called cancelled, formed formulated"),
    ("ru", "скрыл раскрыл, снял принял, приехал поехал, собрал разобрал, поддержал подделал, остается покинет"),
    ("uk", "увійшов вийшов, збудував продав, відбудували покинули, помилував загинув, приїхав поїхав"),
])  # fmt: skip
def test_other_words_are_neither_forms_nor_synonyms(language: Any, pairs: str) -> None:
    for x, y in map(str.split, pairs.split(",")):
        assert not alike(x, y, language), (x, y)
        assert not synonyms(x, y, language), (x, y)


@pytest.mark.parametrize(("language", "pairs"), [
    ("ru", "делал сделал, писал написал"), ("uk", "взяв узяв, скаржиться жаліється"), ("en", "bought purchased"),
])  # fmt: skip
def test_forms_and_synonyms_tell_the_same(language: Any, pairs: str) -> None:
    for x, y in map(str.split, pairs.split(",")):
        assert alike(x, y, language) or synonyms(x, y, language), (x, y)


def test_synonyms_are_those_of_our_languages_and_of_words_of_some_length() -> None:
    assert meanings("verkaufte", "other") == meanings("x" * 100_000, "en") == frozenset()  # type: ignore[arg-type]


def test_differs_joins_nothing_and_every_interface_shows_the_words(tmp_path: Any) -> None:
    documents = [
        {"id": "a", "text": COURT.format("оправдал"), "source": "one.example", "published": "2024-05-01T10:00Z"},
        {"id": "b", "text": COURT.format("осудил"), "source": "two.example", "published": "2024-05-01T11:00Z"},
    ]
    shown = {"differs_by": "another word", "differing": [["оправдал", "осудил"]]}
    (pair,) = pairs(documents)
    assert (pair.kind, {name: pair.as_dict()[name] for name in shown}) == ("differs", shown)
    row = dedup(documents, annotate=True).rows[1]
    assert (row["status"], row["of"], row["kind"], {n: row[n] for n in shown}) == ("similar", "a", "differs", shown)
    dedup(documents, tmp_path / "out.jsonl", annotate=True, workdir=tmp_path / "work")
    assert '"differs_by":"another word"' in (tmp_path / "out.jsonl").read_text()
    with Deduplicator.open(tmp_path / "store.db") as stream:
        verdict = stream.process(documents, batch_id="1")[1]
        assert (verdict.status, verdict.of, verdict.group, verdict.kind) == ("similar", "a", "b", "differs")
        row = verdict.as_dict(("id", "kind"))
        assert {name: row[name] for name in shown} == shown
        assert stream.process(documents, batch_id="1")[1] == verdict
        (hit,) = [one for one in stream.search(documents[1]["text"]) if one.id == "a"]
        assert (hit.kind, hit.as_dict()["differing"]) == ("differs", [["оправдал", "осудил"]])
    assert len(dedup(documents, join="copy,retold,updated,contained").rows) == 2


BUDGET = "Совет утвердил бюджет города на следующий год. Расходы на ремонт дорог вырастут, сообщил глава комитета."


def collection() -> list[dict[str, Any]]:
    return [
        {"id": "1", "text": BUDGET, "source": "a", "published": "2024-05-01T10:00Z"},
        {"id": "2", "text": f"{BUDGET} Фото: пресс-служба мэрии.", "source": "b", "published": "2024-05-01T12:00Z"},
        {"id": "3", "text": BUDGET.replace("утвердил", "отклонил"), "source": "c", "published": "2024-05-01T13:00Z"},
        {"id": "4", "text": BUDGET, "source": "a", "published": "2024-05-20T10:00Z"},
    ]


@pytest.mark.parametrize("title", ["", "Новости области", "Суд оправдал директора"])
def test_a_title_hides_no_difference(title: str) -> None:
    told = {"id": "1", "text": COURT.format("оправдал"), "title": title}
    assert [one.kind for one in pairs([told, {"id": "2", "text": COURT.format("не оправдал")}])] == ["differs"]


@pytest.mark.parametrize(("options", "stay"), [
    *(({}, "13"), ({"within": "outlets"}, "134"), ({"within": "source"}, "123"), ({"within_days": 2}, "134")),
    *(({"show": "latest"}, "34"), ({"show": "longest"}, "23"), ({"show": "complete"}, "23")),
    *(({"show": "rank"}, "13"), ({"identical": 0.8}, "13")), ({"join": "copy", "drop": "retold"}, "1234"),
])  # fmt: skip
def test_policies_of_an_editor(options: dict[str, Any], stay: str) -> None:
    assert "".join(row["id"] for row in dedup(collection(), **options).rows) == stay
    if not {"show", "drop"} & options.keys():
        listed = {pair.a + pair.b for pair in pairs(collection(), **options) if pair.kind == "copy"}
        assert {"12", "24"} & listed == (set() if options == {"within": "source"} else listed & {"12", "24"})
    known = {name: value for name, value in options.items() if name in ("within", "identical", "join")}
    with Deduplicator.open(None, StreamSettings.of({"window_days": 30, **known})) as stream:
        joined = {one.id for one in stream.process(collection()) if one.status in ("exact", "duplicate")}
    assert "3" not in joined
    if options.keys() <= known.keys():
        assert joined == set("1234") - set(stay)


def test_the_most_complete_text_says_most_and_need_not_be_the_longest() -> None:
    rows = [{"id": "1", "text": f"{BUDGET} {BUDGET}"}, {"id": "2", "text": f"{BUDGET} Фото: пресс-служба мэрии."}]
    assert [dedup(rows, show=show).rows for show in ("longest", "complete")] == [rows[:1], rows[1:]]


def test_policies_are_checked() -> None:
    for options, words in (
        ({"within": "day"}, "within is 'day'; expected one of source, outlets, all"),
        ({"identical": 0.1}, "identical is 0.1"),
        ({"join": "copy", "identical": 0.5}, "give one of them"),
        ({"drop": "related"}, "join is 'related'"),
        ({"k": 6, "within": "source"}, "within needs preset judged, but k chooses preset faithful"),
        ({"representation": "stem", "join": "copy"}, "but representation chooses preset faithful; leave one out"),
        ({"preset": "faithful", "join": "copy"}, "join needs preset judged$"),
    ):
        with pytest.raises((ConfigurationError, UsageError), match=words):
            dedup(collection(), **options)


def _dated(source: str, day: int, hour: int, text: str, title: str = "") -> dict[str, Any]:
    return {"source": source, "published": f"2024-05-{day:02}T{hour:02}:00Z", "text": text, "title": title}


LOSSES = "Втрати за {} травня: близько {} осіб, танків {}, бойових машин {}, артилерійських систем {}, літаків {}."
MATCH = "Волна обыграла Искру со счётом {}:{} в матче {} тура. Голы забили {} и {}. Следующая игра пройдёт {} мая."
STARS = (
    "Horoscope for {}: {} should postpone purchases, {} will meet an old friend, and {} need rest by the sea this week."
)
SIGNS = ("Monday Aries Leo Pisces", "Tuesday Taurus Virgo Libra", "Friday Gemini Cancer Scorpio")
ALARM = "Повітряна тривога у Житомирі! Усім пройти в укриття."
CRASH = "The A38 near Exeter is closed in both directions after a crash. Drivers are asked to use other roads."
COUNCIL = "The council has approved the repair of the old bridge over the river before winter."
LIVE = "We have closed this live page and thank our readers for their questions."


@pytest.mark.parametrize(
    ("made", "kinds"),
    [
        # Forms, by their own repetition: with a copy of one of them, three alone.
        (
            [LOSSES.format(*n) for n in ((3, 840, 12, 25, 41, 1), (4, 910, 9, 17, 38, 0), (5, 1020, 15, 31, 52, 2))],
            "tt",
        ),
        (
            [MATCH.format(*n) for n in ((2, 1, 5, "Ткач", "Бондарь", 3), (3, 0, 9, "Лысенко", "Кравец", 17))]
            + [MATCH.format(1, 0, 12, "Шевчук", "Мельник", 30)],
            "tt",
        ),
        ([STARS.format(*signs.split()) for signs in (*SIGNS, SIGNS[0])], "rtc"),
        # An alert on another day is another one; of another source at once it is the same.
        ([_dated("a", 1, 10, ALARM), _dated("a", 2, 10, ALARM), _dated("b", 2, 11, ALARM)], "tc"),
        ([_dated("a", 1, 10, CRASH), _dated("b", 9, 10, CRASH), _dated("b", 9, 11, CRASH)], "tc"),
        ([_dated(x, 1, 8, f"{COUNCIL} Roads cost {n} million.") for x, n in ("a3", "b5", "c7")], "uu"),
        # Other news may be published again.
        ([_dated("a", 1, 10, COUNCIL), _dated("a", 9, 10, COUNCIL)], "c"),
        # The same words under another title: a version, or a stub that many pages have.
        (
            [
                _dated("a", 1, 8, COUNCIL, "Old bridge repair approved"),
                _dated("a", 1, 12, COUNCIL, "Old bridge: a plan"),
            ],
            "c",
        ),
        ([_dated("a", 1, 8, LIVE, "Budget debate"), _dated("a", 1, 12, LIVE, "Floods in Devon cut off villages")], "t"),
        ([_dated("a", 1, 8, LIVE, "Questions of 3 May"), _dated("a", 1, 12, LIVE, "Questions of 4 May")], "t"),
        # Sister advisories share nearly all of their words.
        ([_dated("a", 1, 8, COUNCIL, "DSA-897-1 alpha"), _dated("a", 1, 12, f"{COUNCIL} More.", "DLA-88-1 beta")], "t"),
        ([_dated("a", 1, 8, COUNCIL, "DSA-89-1 alpha"), _dated("a", 1, 12, f"{COUNCIL} More.", "DSA-89-2 al")], "f"),
        ([_dated("a", 1, 8, COUNCIL, "COVID-19: alpha"), _dated("a", 1, 12, f"{COUNCIL} More.", "TOP-10: beta")], "f"),
    ],
)
def test_forms_alerts_and_stubs_are_told_from_copies(made: list[Any], kinds: str) -> None:
    documents = [{"id": str(i), **({"text": one} if isinstance(one, str) else one)} for i, one in enumerate(made)]
    with Deduplicator.open(None, StreamSettings.of({"preset": "judged"})) as stream:
        verdicts = stream.process(documents)[1:]
    assert "".join(str(one.kind)[0] for one in verdicts) == kinds
    assert all((one.status in ("exact", "duplicate")) == (one.kind == "copy") for one in verdicts)
    kept, forms = {row["id"] for row in dedup(documents).rows}, {one.id for one in verdicts if one.kind == "template"}
    assert kept == {"0", *(one.id for one in verdicts if one.kind != "copy")}
    assert forms <= {row["id"] for row in dedup(documents, identical=0.8).rows}
    listed = {(row.a, row.b): row.kind for row in pairs(documents, kinds=("copy", "template"))}
    copies = {pair for pair, kind in listed.items() if kind == "copy"}
    assert copies == {(str(one.of), one.id) for one in verdicts if one.kind == "copy"}


TOKEN = re.compile(r"\d+(?:[.,:\-–]\d+)*(?: \d{3}(?!\d))*|[^\W\d_]+(?:['’-][^\W\d_]+)*|[?]")
LINK = re.compile(r"https?://\S+|www\.\S+|[@#]\w+|\]\([^\])\s]*\)|\{[^{}]*\}")
PIECES = (
    *("слово", "Ёлка", "don't", "О’Нил", "-", "12", "1,5", "10 000", "10 0000", "2:1", "?", ". ", " ", "№", "x_1"),
    *("https://a.b/c", "www.x", "@user", "#", "](y)", "](", "{z}", "{", "}", "http://", "\n", "—"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_tokens_are_those_of_a_pattern(pieces: list[str]) -> None:
    text = "".join(pieces)
    folded = TOKEN.findall(LINK.sub(" ", text))
    assert list(openings_of(text, most=len(text) + 1).text(0).folded) == [
        word.lower().replace("ё", "е").replace("’", "ʼ").replace("'", "ʼ") for word in folded
    ]


FILLED = st.lists(
    st.sampled_from(["тревога", "ТРЕВОГА", "в", "12", "5:30", "Киев", "Львів", "Вторник", "мая", "May", "Лев", "?"]),
    max_size=9,
)


@given(FILLED, FILLED)
def test_slots_of_a_form_are_those_of_its_words(a: list[str], b: list[str]) -> None:
    sides = [([word.lower() for word in one], [word.lower() for word in other], one) for one, other in ((a, b), (b, a))]
    names, enough = [], True
    for one, other, written in sides:
        own = [i for i, word in enumerate(one) if word not in other]
        named = [one[i] for i in own if written[i][0].isupper() and len(one[i]) >= 4 and not written[i].isupper()]
        slots = len(named) + sum(one[i][0].isdigit() or one[i] in ("вторник", "мая", "may") for i in own)
        enough = enough and slots >= max(2, 0.6 * len(own))
        names.append(named)
    alike = any(SequenceMatcher(None, x, y, False).ratio() > 0.65 for x in names[0] for y in names[1])
    found = openings_of(" ".join(a), " ".join(b)).filled_anew(np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64))
    assert found.tolist() == [enough and not alike]


WORDS = st.lists(st.sampled_from(["один", "два", "три", "5", "7", "не", "Мост"]), min_size=4, max_size=14)


@given(WORDS, WORDS)
def test_changes_are_those_of_difflib(a: list[str], b: list[str]) -> None:
    openings, changes = openings_of(" ".join(a), " ".join(b)), np.empty((2000, 4), dtype=np.int64)
    found, one, other = np.empty(1, dtype=np.int64), np.zeros(1, dtype=np.int64), np.ones(1, dtype=np.int64)
    assert compare_openings(one, other, np.zeros((1, 2)), openings.tokens, difference_scratch(), found, changes) == 1
    x, y = ([word.lower() for word in words] for words in (a, b))
    first = next((i for i, (p, q) in enumerate(zip(x, y, strict=False)) if p != q), min(len(x), len(y)))
    ends = zip(x[first:][::-1], y[first:][::-1], strict=False)
    last = next((i for i, (p, q) in enumerate(ends) if p != q), min(len(x), len(y)) - first)
    middle = x[first : len(x) - last], y[first : len(y) - last]
    codes = SequenceMatcher(None, *middle, False).get_opcodes()
    expected = [[first + place for place in code] for name, *code in codes if name != "equal"]
    apart = [i for i in range(first, len(x) - last) if len(x) == len(y) and x[i] != y[i]]
    if len(x) == len(y) and len(apart) < sum(max(j - i, end - k) for i, j, k, end in expected):
        expected = [[i, i + 1, i, i + 1] for i in apart]
    if found[0] > 0:
        assert changes[: found[0]].tolist() == expected
