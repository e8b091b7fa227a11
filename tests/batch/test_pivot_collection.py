"""A collection of three languages in one term space: sweeps, pairs, verdicts."""

import pytest

from infostream_dedup import pairs, sweep
from infostream_dedup.documents import read_documents
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.sample import documents_path

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


def test_rows_of_other_representations_have_no_words_for_terms(trilingual):
    assert all("met" not in row.as_dict() for row in pairs(trilingual, representation="morph", df_min=1, k_min=1))
    bare = pairs(trilingual, representation="pivot", df_min=1, terms=False)
    assert all({"met", "terms"}.isdisjoint(row.as_dict()) for row in bare)


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


def test_in_the_pivot_language_alone_pivot_is_morph(trilingual):
    russian = [row for row in read_documents(documents_path()) if row.lang == "ru"]
    collection = collect(russian)
    one, other = (collection.key_terms(Settings(representation=name)) for name in ("morph", "pivot"))
    assert all(one.terms_of(document) == other.terms_of(document) for document in range(len(russian)))
