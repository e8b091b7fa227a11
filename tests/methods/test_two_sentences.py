"""Long Sent and Heavy Sent, worked by hand."""

from zlib import crc32

from infostream_dedup.lab.methods import Texts, method


def _crc(text):
    return [crc32(text.encode())]


def test_the_two_longest_sentences_in_alphabetical_order():
    text = "Мост открыт. Новый мост закрыли утром. Движение началось утром. Всё."
    signatures = method("long-sent").sign(Texts.of(text))
    assert signatures.row(0).tolist() == _crc("движение началось утром новый мост закрыли утром")


def test_equally_long_sentences_come_by_the_alphabet():
    signatures = method("long-sent", sentences=1).sign(Texts.of("Мост открыт. Берег размыт."))
    assert signatures.row(0).tolist() == _crc("берег размыт")


def test_a_repeated_sentence_fills_one_place_or_two():
    texts = Texts.of("Новый мост открыт. Новый мост открыт! Снег растаял.")
    assert method("long-sent").sign(texts).row(0).tolist() == _crc("новый мост открыт снег растаял")
    twice = method("long-sent", distinct=False).sign(texts)
    assert twice.row(0).tolist() == _crc("новый мост открыт новый мост открыт")


def test_the_heaviest_sentence_need_not_be_the_longest():
    # снег and гром stand in every document and weigh less than nothing.
    others = ["Снег, гром."] * 3
    texts = Texts.of("Снег гром снег гром снег. Мост открыт.", *others)
    assert method("heavy-sent", sentences=1).sign(texts).row(0).tolist() == _crc("мост открыт")
    assert method("long-sent", sentences=1).sign(texts).row(0).tolist() == _crc("снег гром снег гром снег")


def test_an_edit_outside_of_the_two_sentences_does_not_matter():
    story = "Новый мост открыли вчера вечером. Движение началось сегодня утром."
    run = method("long-sent").run(Texts.of(f"{story} Пробок нет.", f"Приозёрск. {story}"))
    assert run.pairs.as_list() == [(0, 1, 1.0)]
