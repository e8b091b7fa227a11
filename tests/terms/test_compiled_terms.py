"""The compiled way from texts to key terms against the plain one, which is the judge."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import Document, pairs
from infostream_dedup.language.text.language import detect
from infostream_dedup.language.text.surface_pool import texts_of
from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.sample import documents_path
from infostream_dedup.terms import compiled
from infostream_dedup.terms.statistics import TermCounts
from tests.oracles.counts import count_terms
from tests.oracles.key_terms import select_key_terms
from tests.oracles.surfaces import SurfaceCounter, SurfaceCounts, counted

EDGES = ["", "¶", "и", "http://a.org", "пишетАгора пишетАгора", "Дом дом ДОМ. Дом", "\ud800 слово", "𠀀 слово", "a'b c"]


def sample():
    lines = documents_path().read_text(encoding="utf-8").splitlines()
    return [one["text"] for one in map(json.loads, lines)] + EDGES


def plain(texts):
    counter = SurfaceCounter()
    for text in texts:
        counter.add(text, detect(text))
    return counter.finish()


def fast(texts, workers=1):
    counter = compiled.SurfaceCounter(workers)
    for text in texts:
        counter.add(text, None)
    return counter.finish()


def assert_same_matrix(one, other):
    assert (one.shape, one.dtype) == (other.shape, other.dtype)
    assert np.array_equal(one.indptr, other.indptr)
    assert np.array_equal(one.indices, other.indices)
    assert np.array_equal(one.data, other.data)


def assert_same_surfaces(one: SurfaceCounts, other: SurfaceCounts) -> None:
    assert one.surfaces == other.surfaces
    assert np.array_equal(one.languages, other.languages)
    assert_same_matrix(one.counts, other.counts)


def assert_same_terms(one: TermCounts, other: TermCounts) -> None:
    assert list(one.terms) == list(other.terms)
    assert np.array_equal(one.languages, other.languages)
    assert np.array_equal(one.lengths, other.lengths)
    assert_same_matrix(one.counts, other.counts)


def assert_same_key_terms(one, other):
    assert_same_matrix(one.keys, other.keys)
    assert_same_matrix(one.targets, other.targets)
    for ours, theirs in zip(one.statistics, other.statistics, strict=True):
        assert (ours.documents, ours.average_length) == (theirs.documents, theirs.average_length)
        assert np.array_equal(ours.df, theirs.df)


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(compiled, "_CHUNK", 3000)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_sample_has_the_same_surfaces(small_chunks, workers):
    assert_same_surfaces(plain(sample()), counted(fast(sample(), workers)))


@pytest.mark.parametrize("representation", ["stem", "morph"])
@pytest.mark.parametrize("workers", [1, 2])
def test_the_sample_has_the_same_terms(small_chunks, representation, workers):
    chosen = Settings(representation=representation)
    assert_same_terms(
        count_terms(plain(sample()), chosen), compiled.count_terms(fast(sample(), workers), chosen, workers=workers)
    )


@pytest.mark.parametrize("texts", [[], [""], ["", "12"]], ids=["nothing", "an empty text", "no words"])
def test_collections_without_terms(texts):
    chosen = Settings(representation="stem")
    assert_same_surfaces(plain(texts), counted(fast(texts)))
    counts, same = count_terms(plain(texts), chosen), compiled.count_terms(fast(texts), chosen)
    assert_same_terms(counts, same)
    assert_same_key_terms(select_key_terms(counts, chosen), compiled.select_key_terms(same, chosen))


words = st.sampled_from(
    ["Дом", "дом", "ДОМ", "¶Дом", "пишетАгора", "ООНовский", "IT-рынок", "О'Нил", "п'ять", "Ёлка", "Running", "é", "x"]
)
short_texts = st.lists(words | st.text(st.sampled_from("АаЄєҐґЁёABab'-ʼ. "), max_size=6), max_size=12).map(" ".join)


@given(st.lists(short_texts, max_size=6))
def test_any_words_have_the_same_terms(texts):
    chosen = Settings(representation="stem")
    assert_same_terms(count_terms(plain(texts), chosen), compiled.count_terms(fast(texts), chosen))


@pytest.mark.parametrize("size", [10, 24, 25, 500, 1024, 1025, 3000])
def test_rows_of_any_length_are_sorted(size):
    random = np.random.default_rng(size)
    distinct = sorted({"".join(one) for one in random.choice(np.array(list("абвгдежз")), (2 * size, 7))})[:size]
    texts = [" ".join(random.permutation(distinct * 2)), "предпоследний " * 3, " ".join(distinct[: size // 2])]
    chosen = Settings(representation="stem")
    assert_same_terms(count_terms(plain(texts), chosen), compiled.count_terms(fast(texts), chosen))


def test_a_language_given_is_taken():
    counter = compiled.SurfaceCounter(1)
    counter.add("Дом", "uk")
    counter.add("Дом", None)
    counter.add("House", "ru")
    assert [LANGUAGES[number] for number in counter.finish().languages] == ["uk", "ru", "ru"]


@st.composite
def term_counts(draw):
    documents, terms = draw(st.integers(0, 30)), draw(st.integers(1, 40))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    table = random.integers(0, draw(st.sampled_from([2, 4, 300])), (documents, terms))
    table *= random.random((documents, terms)) < draw(st.sampled_from([0.1, 0.5, 1.0]))
    matrix = sp.csr_array(table.astype(np.int32))
    lengths = table.sum(axis=1).astype(np.int64)
    names = [f"т{number:02}" for number in range(terms)]
    return TermCounts(matrix, names, random.integers(0, 3, documents).astype(np.uint8), lengths)


choices = st.builds(
    lambda weighting, n, target, low, high, k1, b: Settings(
        representation="stem", weighting=weighting, n=n, k=1, min_terms=1, target=target,
        df_min=low, df_max=high, k1=k1, b=b, background=False,
    ),
    st.sampled_from(["bm25", "tfidf"]),
    st.integers(1, 12) | st.just(255),
    st.sampled_from(["text", "signature", "top:1", "top:7", "top:2147483647"]),
    st.sampled_from([0, 1, 2, 0.1]),
    st.sampled_from([0.3, 0.5, 5, 1000]),
    st.floats(0, 5) | st.integers(0, 3),
    st.floats(0, 1),
)  # fmt: skip


@given(term_counts(), choices, st.integers(1, 2))
def test_random_counts_have_the_same_key_terms(counts, chosen, workers):
    assert_same_key_terms(select_key_terms(counts, chosen), compiled.select_key_terms(counts, chosen, workers=workers))


@pytest.mark.parametrize("representation", ["stem", "morph"])
def test_the_background_is_the_same(representation):
    chosen = Settings(representation=representation)
    counts = count_terms(plain(sample()), chosen)
    assert_same_key_terms(select_key_terms(counts, chosen), compiled.select_key_terms(counts, chosen))


def test_texts_in_memory_are_counted_like_texts_one_by_one():
    texts = sample()
    counter = compiled.SurfaceCounter(2)
    counter.add(texts[0], None)
    counter.add_texts(texts_of(texts[1:50]), [None] * 49)
    counter.add_texts(texts_of([]), [])
    for text in texts[50:]:
        counter.add(text, "ru" if text == texts[50] else None)
    found, expected = counted(counter.finish()), plain(texts)
    assert_same_matrix(found.counts, expected.counts)
    assert found.surfaces == expected.surfaces
    assert len(counter) == len(texts)


def test_consumed_tokens_give_the_same_counts_once():
    chosen = Settings(representation="stem")
    tokens = fast(sample())
    whole, alone = compiled.count_terms(tokens, chosen), compiled.count_terms(tokens, chosen, consume=True)
    assert (whole.counts != alone.counts).nnz == 0
    assert alone.counts.dtype == np.uint8
    assert tokens.chunks == []
    with pytest.raises(RuntimeError, match="were forgotten"):
        compiled.count_terms(tokens, chosen)


TEXTS = (
    "Президент посетил завод в городе и обсудил с директором модернизацию турбины реактора.",
    "Тренер футбольной команды объявил состав на матч с соперником из столицы, стадион готов принять зрителей.",
    "Суд арестовал депутата по делу о взятке, адвокат подал апелляцию и заявил о невиновности подзащитного.",
)
PAGE = (
    '<div class="article-lead newsblock" data-entity="politikum" style="color: red">'
    '<a href="/novosti/rubrika" title="Читайте также главные новости региона">подробнее</a>'
    '<p class="paragraph">{}</p>'
    '<img src=/upload/iblock.jpg alt="Фото пресс-службы администрации" width=100></div>'
)
BLOCKS = (
    '<!-- wp:image {{"sizeSlug":"large","linkDestination":"media"}} --><figure></figure><!-- /wp:image -->'
    "<script>window.dataLayer = window.dataLayer || []; function gtag() {{ dataLayer.push(arguments); }}</script>"
    "<style>.newsblock .article-lead {{ color: red; margin: auto }}</style>"
    "<!-- wp:paragraph --><p>{}</p><!-- /wp:paragraph -->"
)


@pytest.mark.parametrize("page", [PAGE, BLOCKS], ids=["attributes", "blocks"])
@pytest.mark.parametrize("preset", ["judged", "faithful"])
def test_unrelated_news_of_one_site_are_no_pair(preset, page) -> None:
    documents = [Document(id=str(number), text=page.format(text)) for number, text in enumerate(TEXTS)]
    settings = {"representation": "stem", "k_min": 1} if preset == "faithful" else {}
    assert list(pairs(documents, preset=preset, **settings)) == []


def test_a_text_is_a_copy_of_the_same_text_with_comments_scripts_and_styles() -> None:
    (found,) = pairs([Document(id="a", text=TEXTS[0]), Document(id="b", text=BLOCKS.format(TEXTS[0]))])
    assert (found.kind, found.wording_forward, found.wording_backward) == ("copy", 1.0, 1.0)


def test_a_text_is_a_copy_of_the_same_text_with_tags() -> None:
    (found,) = pairs([Document(id="a", text=f"Подробнее\n{TEXTS[0]}"), Document(id="b", text=PAGE.format(TEXTS[0]))])
    assert (found.kind, found.wording_forward, found.wording_backward) == ("copy", 1.0, 1.0)
