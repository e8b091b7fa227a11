"""A collection that forgets its words keeps the key terms that were counted, and only those."""

from datetime import UTC, datetime
from itertools import chain

import numpy as np
import pyarrow as pa
import pytest

from infostream_dedup import Document, Settings, dedup, key_terms, pairs, similarity_matrix, sweep
from infostream_dedup.documents import Reading, read_documents
from infostream_dedup.errors import BadDataError, ConfigurationError, UsageError
from infostream_dedup.judging.evidence.reading import evidence_texts
from infostream_dedup.judging.repeated.equality import equality_hash
from infostream_dedup.language.text.surface_pool import block_of
from infostream_dedup.model import single_documents
from infostream_dedup.runs.batch.collection import collect, in_blocks
from infostream_dedup.runs.batch.sources import rereadable
from infostream_dedup.sample import documents_path


def test_key_terms_are_the_same_without_words():
    collection = collect(read_documents(documents_path()))
    settings = Settings(representation="stem")
    alone = collect(read_documents(documents_path())).only(settings)
    for chosen in (settings, settings.but(n=7, target="signature")):
        before, after = collection.key_terms(chosen), alone.key_terms(chosen)
        assert before.keys.nnz > 1000
        for name in ("keys", "targets"):
            one, other = getattr(before, name), getattr(after, name)
            assert np.array_equal(one.indptr, other.indptr)
            assert np.array_equal(one.indices, other.indices)
            assert np.array_equal(one.data, other.data)
    small = alone.key_terms(settings).counts
    assert small.counts.data.dtype == np.uint8
    assert int(small.counts.sum()) == int(small.lengths.sum())


def test_another_representation_needs_the_words():
    whole = collect(read_documents(documents_path()))
    alone = whole.only(Settings(representation="stem"))
    with pytest.raises(RuntimeError, match="were forgotten"):
        alone.key_terms(Settings(representation="morph"))
    with pytest.raises(RuntimeError, match="were forgotten"):
        whole.key_terms(Settings(representation="stem"))


def test_a_term_that_fills_a_text_is_counted_exactly():
    text = "Мэр " * 70_000
    documents = [{"id": "1", "text": text, "lang": "ru"}, {"id": "2", "text": "Мэр города", "lang": "ru"}]
    alone = collect(read_documents(documents)).only(Settings(representation="stem"))
    counts = alone.key_terms(Settings(representation="stem")).counts
    assert counts.counts.data.max() == 70_000
    assert counts.counts.data.dtype == np.int32


def test_checksums_are_those_of_single_texts():
    texts = [
        "Суд оставил жалобу", "", " Суд\u00a0оставил\nжалобу ", "и\u0306", "й", "lone \ud800", "lone \ufffd", "東京",
    ]  # fmt: skip
    documents = [Document(id=str(number), title="Заголовок", text=text) for number, text in enumerate(texts)]
    found = collect(documents).text_hashes
    assert found == list(map(equality_hash, documents))
    assert (found[0] == found[2], found[1], found[3] == found[4], found[5] == found[6]) == (True, b"", True, True)
    assert collect(documents, hashes=False).text_hashes == []


DOCUMENTS = [
    Document(id="1", title="Мост открыт", text="Мост открыт. Мэр доволен", lang="ru", source="a.example"),
    Document(id="2", title="Суд", text="Жалоба оставлена", time=datetime(2026, 3, 1, 9, 30, tzinfo=UTC)),
    Document(id="3", text="", lang="uk"), Document(id="4", title="Заголовок", text="", url="https://a.example/4"),
    Document(id="5", text="<b>Жирный</b> текст\nв две строки", lang="de"),
]  # fmt: skip


def test_a_block_has_every_field_of_its_documents() -> None:
    block = block_of(DOCUMENTS)
    assert list(block) == DOCUMENTS
    assert [block.title(number) for number in range(len(block))] == [one.title for one in DOCUMENTS]
    assert block.characters.tolist() == [[len(one.title), len(one.text)] for one in DOCUMENTS]
    texts, heads = evidence_texts(block)
    expected, expected_heads = evidence_texts(DOCUMENTS)
    assert bytes(texts.data) == bytes(expected.data)
    assert heads.tolist() == expected_heads.tolist()


def test_a_lone_surrogate_is_kept_beside_the_columns() -> None:
    for bad in (Document(id="6", text="a\ud800"), Document(id="6", title="a\ud800", text="")):
        (block,) = in_blocks([*DOCUMENTS, bad])
        assert (list(block), bytes(block.data).decode().count("\ufffd")) == ([*DOCUMENTS, bad], 1)


@pytest.mark.parametrize(("chunk", "sizes"), [(1, [1, 1, 2, 1, 1, 1]), (30, [1, 4, 1, 1]), (1000, [5, 2])])
def test_blocks_keep_the_order(chunk: int, sizes: list[int]) -> None:
    given = block_of(DOCUMENTS[:2])
    found = list(in_blocks([given, *DOCUMENTS, given, *DOCUMENTS[:2]], chunk=chunk))
    assert found[0] is given
    assert [*chain(*found)] == [*DOCUMENTS[:2], *DOCUMENTS, *DOCUMENTS[:2], *DOCUMENTS[:2]]
    assert [len(block) for block in found if block is not given] == sizes


FIRST = '{"id": "1", "text": "Снег"}\n{"id": "2", "text": "Дождь"}\n'


@pytest.mark.parametrize("second", [
    FIRST + '{"id": "3", "text": "Град"}\n', '{"id": "1", "text": "Снег"}\n',
    '{"id": "1", "text": "Снег"}\n{"id": "3", "text": "Дождь"}\n',
    '{"id": "1", "text": "Снег идёт"}\n{"id": "2", "text": "Дождь"}\n',
], ids=["longer", "shorter", "other id", "other text"])  # fmt: skip
def test_files_written_to_while_they_are_read(second, tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text(FIRST, encoding="utf-8")
    with rereadable(str(path), Reading()) as documents:
        assert [document.id for one in documents.first() for document in single_documents(one)] == ["1", "2"]
        assert [document.id for document in documents.again()] == ["1", "2"]
        path.write_text(second, encoding="utf-8")
        with pytest.raises(BadDataError, match="the second reading returned different documents") as caught:
            list(documents.again())
        assert caught.value.code == "E_CHANGED"


class Once:
    """An object that looks as if it could be read again, such as the cursor of a database."""

    def __init__(self, records):
        self._records = iter(records)

    def __iter__(self):
        return self._records


def test_what_is_read_only_once_is_refused():
    with rereadable(Once([{"id": "1", "text": "Снег"}]), Reading(), keep=True) as documents:
        assert len(list(documents.first())) == 1
        with pytest.raises(BadDataError, match="give a list instead of an iterator"):
            list(documents.again())


RECORDS = [{"id": str(number), "text": f"Снег {number % 400}"} for number in range(600)]


@pytest.mark.parametrize(
    "once",
    [iter, lambda records: (dict(one) for one in records), lambda records: pa.Table.from_pylist(records).to_reader()],
    ids=["iterator", "generator", "reader"],
)
def test_iterators_are_kept_or_refused_before_they_are_read(once, tmp_path):
    found = dedup(once(RECORDS), annotate=True)
    assert (found.rows, found.statuses) == (dedup(RECORDS, annotate=True).rows, dedup(RECORDS).statuses)
    source = once(RECORDS)
    with pytest.raises(UsageError, match=r"the documents are read twice, and this .* can be read only once"):
        dedup(source, tmp_path / "out.jsonl")
    assert len(list(read_documents(source))) == 600


SAMPLE = str(documents_path())


@pytest.mark.parametrize("representation", ["stem", "morph", "pivot"])
@pytest.mark.parametrize("target", ["text", "signature"])
def test_joined_rows_are_the_links(representation, target):
    """K joined with V; with target signature K joined with K gives the same, except that equivalents match too."""
    options = {"representation": representation, "target": target}
    found = similarity_matrix(SAMPLE, **options)
    keys, vocabulary = key_terms(SAMPLE, **options).rows, key_terms(SAMPLE, vocabulary=True, **options).rows

    def joined(others):
        having = {}
        for row in others:
            having.setdefault(row.number, []).append(row.id)
        pairs = {}
        for row in keys:
            for other in having.get(row.number, ()):
                if other != row.id:
                    pairs[row.id, other] = pairs.get((row.id, other), 0) + 1
        return pairs

    counts = found.counts.tocoo()
    links = {(found.ids[a], found.ids[b]): int(n) for a, b, n in zip(counts.row, counts.col, counts.data, strict=True)}
    assert joined(vocabulary) == links
    if target == "signature" and representation != "pivot":
        assert joined(keys) == links
    assert found.keys.nnz == len(keys)
    assert found.targets.nnz == len(vocabulary)
    assert [found.terms[row.number] for row in keys] == [row.term for row in keys]


def test_rows_of_a_document_by_hand():
    text = "Президент Терехов открыл завод в Харькове. Завод построил Газпром."
    rows = {row.term: row for row in key_terms([{"id": "1", "title": "Новый завод", "text": text}], df_min=1)}
    assert {term: row.kind for term, row in rows.items()} == {
        "терехов": "surname", "харьков": "place", "газпром": "organisation", "завод": "noun", "президент": "noun",
    }  # fmt: skip
    factory = rows["завод"]
    assert [text[start:end] for start, end in factory.places] == ["завод", "Завод"]
    assert factory.places_in_title == [[6, 11]]
    assert (factory.documents, factory.equivalents) == (1, [])
    assert sorted(row.rank for row in rows.values()) == [1, 2, 3, 4, 5]
    assert {row.kind for row in list(key_terms([{"id": "1", "text": text}], representation="stem"))} == {"stem"}
    both = key_terms(
        [{"id": "1", "text": text}, {"id": "2", "text": "Новий завод у Харкові", "lang": "uk"}], representation="pivot"
    )
    ours = {(row.id, row.term): row for row in both}
    assert "харьков" in ours["2", "харьков"].equivalents
    assert ours["2", "харьков"].places == [[14, 21]]


def test_frequencies_are_those_of_documents():
    documents = list(read_documents(SAMPLE))
    vocabulary = {}
    for row in key_terms(documents, vocabulary=True, representation="stem"):
        vocabulary[row.language, row.term] = vocabulary.get((row.language, row.term), 0) + 1
    for row in key_terms(documents, representation="stem"):
        assert row.documents == vocabulary[row.language, row.term]


STORY = {
    "ru": "Парламент принял бюджет страны. Министр финансов объяснил депутатам рост налогов и цены на газ. Оппозиция "
    "требует отставки правительства, профсоюзы готовят забастовку учителей и врачей.",
    "uk": "Парламент ухвалив бюджет країни. Міністр фінансів пояснив депутатам зростання податків і ціни на газ. "
    "Опозиція вимагає відставки уряду, профспілки готують страйк учителів і лікарів.",
    "en": "Parliament has passed the budget of the country. The minister of finance told the deputies why taxes and "
    "the price of gas grow. The opposition demands the resignation of the government, trade unions prepare a strike "
    "of teachers and doctors.",
}
OTHER = {
    "ru": "Футбольный клуб выиграл матч чемпионата. Тренер похвалил вратаря, болельщики ждали победы весь сезон.",
    "uk": "Футбольний клуб виграв матч чемпіонату. Тренер похвалив воротаря, уболівальники чекали перемоги сезон.",
}


def items(texts, name):
    return [{"id": f"{name}-{lang}", "text": text, "lang": lang} for lang, text in texts.items()]


@pytest.fixture(scope="module")
def trilingual():
    return [*items(STORY, "story"), *items(OTHER, "other")]


@pytest.fixture(scope="module")
def swept():
    return sweep(documents_path())


def test_a_text_finds_its_twins_in_other_languages(trilingual):
    found = {(row.a, row.b): row for row in pairs(trilingual, representation="pivot", df_min=1, cross_language=True)}
    assert found["story-ru", "story-uk"].relation == "equal"
    assert found["story-ru", "story-en"].forward >= 5
    assert found["other-ru", "other-uk"].relation == "equal"
    assert not any(a.split("-")[0] != b.split("-")[0] for a, b in found)


def test_each_term_that_met_is_shown_in_both_languages_with_its_rung(trilingual):
    (row,) = (
        row
        for row in pairs(trilingual, representation="pivot", n=30, df_min=1, cross_language=True)
        if (row.a, row.b) == ("story-ru", "story-uk")
    )
    met = {one.b: one for one in row.met}
    assert met["уряд"].a == met["уряд"].pivot == "правительство"
    assert met["уряд"].rung == "dictionary"
    assert row.terms == list(dict.fromkeys(one.pivot for one in row.met))
    assert row.as_dict()["met"][0].keys() == {"a", "b", "pivot", "rung"}


@pytest.mark.parametrize("pivot", ["ru", "uk", "en"])
def test_any_language_can_be_the_pivot(trilingual, pivot):
    found = pairs(trilingual, representation="pivot", pivot=pivot, df_min=1, k=4)
    joined = {(row.a, row.b) for row in found if row.relation}
    assert {("story-ru", "story-uk"), ("story-ru", "story-en"), ("story-uk", "story-en")} <= joined


def test_an_unknown_pivot_is_refused():
    with pytest.raises(ConfigurationError, match=r"pivot is 'de'; expected one of ru, uk, en"):
        Settings(representation="pivot", pivot="de")


def test_sweep_has_all_representations_and_the_blocks_of_pivot(swept):
    found = {(row.representation, row.block) for row in swept.rows}
    assert found == {("stem", "all"), ("morph", "all"), ("pivot", "all"), ("pivot", "mono"), ("pivot", "cross")}
    assert list(swept.recommended_k) == ["stem", "morph", "pivot", "pivot:cross"]
    assert swept.recommended_k.keys() == swept.reason.keys()


def test_blocks_add_up_and_only_all_has_t(swept):
    blocks = {
        name: [row.measures for row in swept.rows if (row.representation, row.block) == ("pivot", name)]
        for name in ("all", "mono", "cross")
    }
    for whole, mono, cross in zip(*blocks.values(), strict=True):
        assert whole.k == mono.k == cross.k
        assert whole.links == mono.links + cross.links
        assert whole.reciprocal == mono.reciprocal + cross.reciprocal
        assert cross.transitivity is None
        assert cross.closed is None
    assert blocks["cross"][3].symmetry > 0
    assert blocks["all"][3].transitivity > 0


def test_untranslated_weight_is_reported(swept):
    assert list(swept.untranslated) == ["ru", "uk", "en"]
    assert all(0 <= share < 0.3 for share in swept.untranslated.values())
    assert swept.as_dict()["untranslated"] == swept.untranslated
    assert any("no equivalent in ru" in note for note in swept.notes)


def test_one_language_has_no_blocks_and_says_so(trilingual):
    result = sweep([row for row in trilingual if row["lang"] == "ru"], representations=["pivot"], df_min=1)
    assert {row.block for row in result.rows} == {"all"}
    assert result.recommended_k["pivot:cross"] is None
    assert "one language" in result.reason["pivot:cross"]


def test_shares_are_swept_by_block_too(trilingual):
    result = sweep(trilingual, representations=["pivot"], df_min=1, score="share")
    assert {row.block for row in result.rows} == {"all", "mono", "cross"}
    assert all(row.measures.transitivity is None for row in result.rows if row.block == "cross")
    assert result.recommended_k == {"pivot": None, "pivot:cross": None}


def test_examples_of_pivot_are_pairs_of_two_languages(swept):
    found = [example for example in swept.examples if example.representation == "pivot"]
    assert found
    assert all(example.language_a != example.language_b and example.met for example in found)


def test_in_the_pivot_language_alone_pivot_is_morph():
    russian = [row for row in read_documents(documents_path()) if row.lang == "ru"]
    collection = collect(russian)
    one, other = (collection.key_terms(Settings(representation=name)) for name in ("morph", "pivot"))
    assert all(one.terms_of(document) == other.terms_of(document) for document in range(len(russian)))
