"""What each document of a group alone brings, by hand."""

from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.api.provenance import original_messages
from infostream_dedup.judging.passages.original_message import original_message
from infostream_dedup.model import Document

FIRST = "Пожар на складе в порту тушили двенадцать машин. Начальник управления Петренко уехал в Одессу."


def _message(*texts):
    documents = [Document(id=str(number), text=text, lang="ru") for number, text in enumerate(texts)]
    return [(one.document.id, one.kind, one.text, one.numbers) for one in original_message(documents)]


def test_a_new_clause_comes_after_the_sentence_it_follows():
    later = (
        "В порту на складе двенадцать машин тушили пожар, загоревшийся ночью из-за короткого замыкания. "
        "Петренко, начальник управления, уехал в Одессу."
    )
    assert _message(FIRST, later) == [
        ("0", "first", "Пожар на складе в порту тушили двенадцать машин.", ()),
        ("1", "added", "загоревшийся ночью из-за короткого замыкания.", ()),
        ("0", "first", "Начальник управления Петренко уехал в Одессу.", ()),
    ]


def test_other_languages_have_messages_without_synonyms():
    texts = "Der Bundestag stimmte am Montag zu. Das Gesetz gilt ab Mai.", "Der Bundestag stimmte am Montag ab."
    documents = [Document(id=str(number), text=text, lang="de") for number, text in enumerate(texts)]
    assert [one.document.id for one in original_message(documents)][:2] == ["0", "0"]


def test_what_another_language_says_stands_behind_the_first_text():
    documents = [
        Document(id="0", text=FIRST, lang="ru"),
        Document(id="1", text="Twelve engines fought a blaze at the harbour.", lang="en"),
    ]
    assert [one.document.id for one in original_message(documents)] == ["0", "0", "1"]


def test_what_a_source_prints_under_every_text_is_no_news():
    footer = "Подписывайтесь на наш канал и читайте новости первыми."
    news = "Пожар на складе в порту тушили двенадцать машин."
    later = f"{news} Причиной назвали старую проводку в подвале склада. {footer}"
    others = [
        {"id": f"o{day}", "text": f"{text} {footer}", "source": "s", "published": f"2026-03-0{day}"}
        for day, text in enumerate(
            ("Суд вынес приговор.", "Мост закрыли.", "Выпал снег.", "Мэр уехал.", "Дом сдали."), 1
        )
    ]
    group = [{"id": "1", "text": news, "lang": "ru"}, {"id": "2", "text": later, "lang": "ru", "source": "s"}]

    def texts(documents):
        return [row["text"] for row in original_messages(documents, groups=[["1", "2"]])]

    assert texts(group) == [news, "Причиной назвали старую проводку в подвале склада.", footer]
    assert texts([*group, *others]) == [news, "Причиной назвали старую проводку в подвале склада."]
    # Copies of one text do not make it boilerplate.
    copies = [{"id": str(number), "text": later, "source": "s", "lang": "ru"} for number in range(8)]
    found = original_messages(copies, groups=[[str(number) for number in range(8)]])
    assert [row["text"] for row in found][-1] == footer


def test_a_known_clause_is_shown_for_another_number_and_two_words_of_three_are_another_clause():
    one, other = "Пожар на складе тушили 12 машин спасателей.", "Пожар на складе тушили 15 машин спасателей."
    assert _message(one, other, other)[1:] == [("1", "number", other, ("15",))]
    table = "Средний возраст пожарной машины – 1,1/5,8.\n7,5 / 8,5"
    assert [text for *_, text, _ in _message(one, table, table)[1:]] == table.split("\n")
    gunman, news = "Раненый стрелок находится в больнице под охраной полиции.", "Стрелок умер в больнице."
    assert [text for *_, text, _ in _message(gunman, f"{news}\n{news}", "Стрелок в больнице.")] == [gunman, news]
    assert _message(news, "Стрелок Ашуров умер в больнице.")[1][1] == "added"  # a new name
    assert len(_message(news, *2 * ["Стрелок не умер в больнице."])) == 2  # a denial, told once
    vetoed = "Вечером президент отклонил закон о налогах."
    assert len(_message("Вечером президент подписал закон о налогах.", *2 * [vetoed])) == 2  # another verb, told once
    assert len(_message(vetoed, vetoed.replace("отклонил", "отверг"))) == 1  # a synonym
    footer = [Document(id="1", text=news, lang="ru"), Document(id="2", text=f"{news}\n{FIRST}", lang="ru")]
    assert len(original_message(footer, repeated=[(), [(len(news) + 1, len(news) + 1 + len(FIRST))]])) == 1


def test_what_two_bring_is_listed_once_with_its_first_source():
    news = "Мэр обещал жителям района новый дом к осени."
    found = _message(FIRST, f"{FIRST} {news}", f"{news} Синоптики ждут сильного снега на выходных.")
    assert [(source, text) for source, _, text, _ in found[2:]] == [
        ("1", news),
        ("2", "Синоптики ждут сильного снега на выходных."),
    ]


def test_what_several_add_at_one_place_stands_in_order_of_publication():
    first = "Пожар на складе в порту тушили двенадцать машин."
    one = f"{first} Мэр обещал жителям района новый дом к осени. Соседние улицы перекрыла дорожная полиция."
    other = f"{first} Синоптики ждут сильного снега на выходных."
    assert [source for source, *_ in _message(first, one, other)] == ["0", "1", "1", "2"]
    openings = ("Мэр обещал жителям района новый дом к осени.", "Синоптики ждут сильного снега на выходных.")
    assert [source for source, *_ in _message(first, *(f"{text} {first}" for text in openings))] == ["0", "1", "2"]


def test_decimals_and_clock_times_are_not_cut():
    text = "Она поставила оценку 3,5 из 10 кандидату в прокуроры. Забастовка пилотов началась в 3:01 ночи по местному."
    found = _message(FIRST, text)
    assert [fragment for source, _, fragment, _ in found if source == "1"] == text.replace(". ", ".|").split("|")


def test_copies_add_nothing_and_one_document_is_its_own_message():
    assert _message(FIRST, FIRST, FIRST) == _message(FIRST)
    assert _message("") == []


SENTENCES = st.sampled_from([*FIRST.split(". "), "12 машин", "снег, который выпал вчера ночью", "👍"])


@given(st.lists(st.lists(SENTENCES, max_size=4).map(". ".join), min_size=1, max_size=4))
def test_fragments_are_pieces_of_their_documents(texts):
    documents = [Document(id=str(number), text=text, lang="ru") for number, text in enumerate(texts)]
    message = original_message(documents)
    assert all(one.text and one.text == one.document.text[one.start : one.end] for one in message)
    first = [one for one in message if one.kind == "first"]
    assert all(one.document is documents[0] for one in first)
    assert [one.start for one in first] == sorted(one.start for one in first)
