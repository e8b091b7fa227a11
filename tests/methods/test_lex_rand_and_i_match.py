"""Lex Rand and I-Match, worked by hand."""

from infostream_dedup.lab.methods import Texts, method

STORY = "мост река берег город район улица площадь вокзал"
# Documents that put the story's words into the middle of the IDF range.
REST = ["снег гром", "туча ветер", "погода дождь", "солнце мороз"]


def test_i_match_does_not_see_words_of_one_document():
    # IDF of a word of one document is 1, above the bound.
    texts = Texts.of(STORY, f"{STORY} подробности", *REST)
    assert method("i-match").run(texts).pairs.as_list() == [(0, 1, 1.0)]


def test_i_match_wants_enough_words():
    texts = Texts.of("мост река берег", "мост река берег", *REST)
    assert not method("i-match").run(texts).pairs.as_list()
    assert method("i-match", least_words=3).run(texts).pairs.as_list() == [(0, 1, 1.0)]


def test_one_word_of_the_lexicon_more_breaks_i_match_but_not_all_random_lexicons():
    # "снег" is in two documents, so it belongs to the lexicon.
    texts = Texts.of(STORY, f"{STORY} снег", *REST)
    assert not method("i-match").run(texts).pairs.as_list()
    assert [pair[:2] for pair in method("lex-rand", k=30).run(texts).pairs.as_list()] == [(0, 1)]


def test_lex_rand_without_random_lexicons_is_i_match():
    texts = Texts.of(STORY, f"{STORY} снег", f"{STORY} подробности", *REST)
    assert method("lex-rand", k=0).run(texts).pairs.as_list() == method("i-match").run(texts).pairs.as_list()


def test_the_variant_with_lists_forgives_a_word_in_one_of_them():
    texts = Texts.of(STORY, f"{STORY} снег", *REST)
    run = method("i-match", lists=3, least_words=1).run(texts)
    assert [pair[:2] for pair in run.pairs.as_list() if pair[0] == 0] == [(0, 1)]
