"""Two texts cut into what they share and what they do not."""

from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.judging.passages import PassageSettings
from infostream_dedup.judging.passages.finding import compare

ONE = "Один кот спал на тёплой печи."
TWO = "Два пса лаяли на старую луну."
THREE = "Три совы сидели на сухой ветке."
OWN = "Собственная фраза."
TWO_OWN = f"{OWN} Ещё одна фраза."


def _passages(pieces):
    return [(piece.passage, piece.begins) for piece in pieces]


def test_pieces_of_a_passage_with_a_gap():
    found = compare(f"{ONE} {OWN} {TWO}", f"{ONE} {TWO}")
    assert [piece.text for piece in found.pieces_a] == [ONE, f" {OWN} ", TWO]
    assert _passages(found.pieces_a) == [(1, True), (0, False), (1, False)]
    # Sentences that follow each other are one piece, with what stands between them.
    assert [piece.text for piece in found.pieces_b] == [f"{ONE} {TWO}"]


def test_rows_keep_the_order_that_most_words_have():
    found = compare(f"{ONE} {TWO_OWN} {TWO} {THREE}", f"{TWO} {THREE} {TWO_OWN} {ONE}", PassageSettings(min_words=6))
    assert [passage.sentences for passage in found.passages] == [1, 2]
    left, right = zip(*found.aligned(), strict=True)
    assert [_passages(row) for row in left] == [[(1, True), (0, False)], [(2, True)]]
    assert [_passages(row) for row in right] == [[], [(2, True), (0, False), (1, True)]]


def test_texts_without_a_shared_passage_are_one_row():
    assert [(row[0][0].text, row[1][0].text) for row in compare(ONE, TWO).aligned()] == [(ONE, TWO)]
    assert compare("", "").aligned() == []


def test_thousands_of_sentences_from_one_template_have_equal_copies_only():
    rows = [f"Номер{number} вырос сегодня утром снова на рынке." for number in range(3_000)]
    found = compare(" ".join(rows), " ".join(rows[1_000:] + [f"Иной {row}" for row in rows[:500]]))
    assert [passage.sentences for passage in found.passages] == [2_000]
    assert found.text_b[found.passages[0].end_b :].startswith(" Иной Номер0 вырос")


def test_words_that_differ_are_marked_on_both_sides():
    fire = "Пожар на складе в порту тушили всю ночь и всё утро 10 тысяч человек из соседних городов и сёл."
    found = compare(fire, fire.replace("10", "20"))
    assert [piece.text for piece in found.pieces_a if piece.changed] == ["10"]
    assert [piece.text for piece in found.pieces_b if piece.changed] == ["20"]
    assert found.as_dict()["spans"][0]["changed"] == [{"a": [51, 53], "b": [51, 53]}]
    added = compare(fire, fire.replace("порту", "порту реки"))
    assert added.as_dict()["spans"][0]["changed"] == [{"a": [24, 24], "b": [24, 28]}]


def test_a_run_of_words_crosses_sentences_and_extends_a_passage():
    tail = "быстро бежит по узкой лесной тропе к старой мельнице у реки"
    one, other = (
        f"{ONE} Рыжая лиса {tail}.",
        f"{ONE} Вчера мы увидели, как серый волк и медведь {tail}, где живёт совы.",
    )
    found = compare(one, other)
    assert [(passage.sentences, passage.words) for passage in found.passages] == [(1, 6), (0, 11)]
    assert other[found.passages[1].start_b : found.passages[1].end_b] == tail
    glued = compare(f"{ONE} {TWO}", f"{ONE.rstrip('.')} {TWO[0].lower()}{TWO[1:]}")
    assert [(passage.sentences, passage.words) for passage in glued.passages] == [(0, 12)]
    assert glued.coverage_a == glued.coverage_b == 1.0
    assert not compare(one, other, PassageSettings(min_run=0)).passages[1:]


def test_forty_words_and_forty_one_are_alike():
    items = [" ".join(f"слово{number}{place}" for place in range(13)) for number in range(3)]
    shared = f"{items[1]}; {items[2]}"
    for more in ("", " ещё"):
        found = compare(f"{items[0]}{more}; {shared}.", f"другое начало; {shared}.")
        assert [passage.words for passage in found.passages] == [26]


WORDS = st.lists(st.sampled_from(["кот", "пёс", "сова", "лиса,", "волк."]), max_size=40).map(" ".join)


def test_sentences_are_read_in_the_languages_that_are_given():
    text = "The mayor was in the city and opened a bridge to the people of the region."
    settings = PassageSettings(feature="spotsigs", min_run=0)
    assert len(compare(text, text, settings).passages) == 1
    # Signatures begin with stop words, and Russian ones do not occur here.
    assert compare(text, text, settings, languages=("ru", "ru")).passages == ()


@given(WORDS, WORDS)
def test_every_long_run_is_found_and_stretches_are_the_whole_texts(text_a, text_b):
    found = compare(text_a, text_b, PassageSettings(min_run=5, min_words=5))
    assert "".join(piece.text for piece in found.pieces_a) == text_a
    assert "".join(piece.text for piece in found.pieces_b) == text_b
    one, other = ([word.strip(".,") for word in text.split()] for text in (text_a, text_b))
    runs = {tuple(one[at : at + 5]) for at in range(len(one) - 4)} & {
        tuple(other[at : at + 5]) for at in range(len(other) - 4)
    }
    assert bool(runs) <= bool(found.passages)
    for passage in found.passages:
        if not passage.sentences:
            left = text_a[passage.start_a : passage.end_a].replace(",", "").replace(".", "").split()
            right = text_b[passage.start_b : passage.end_b].replace(",", "").replace(".", "").split()
            assert set(left) & set(right)


@given(*[st.lists(st.sampled_from([ONE, TWO, THREE, OWN]), max_size=7).map(" ".join)] * 2)
def test_pieces_and_rows_are_the_whole_texts(text_a, text_b):
    found = compare(text_a, text_b)
    assert "".join(piece.text for piece in found.pieces_a) == text_a
    assert "".join(piece.text for piece in found.pieces_b) == text_b
    rows = found.aligned()
    assert [piece for row in rows for piece in row[0]] == found.pieces_a
    assert [piece for row in rows for piece in row[1]] == found.pieces_b
    numbers = list(range(1, len(found.passages) + 1))
    for pieces in (found.pieces_a, found.pieces_b):
        assert sorted(piece.passage for piece in pieces if piece.begins) == numbers
