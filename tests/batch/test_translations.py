"""Translations among the pairs of preset ``judged``: which are found, and what their rows say."""

from itertools import combinations, product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import pairs, read_documents
from infostream_dedup.api import evaluate
from infostream_dedup.documents import row_of
from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.lab.scores import TruthRules, predicted_pairs
from infostream_dedup.lab.scores import evaluate as evaluate_predictions
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.runs.batch.judging import JudgedCollection
from infostream_dedup.runs.batch.pairing import _links_of_weight, find_across
from infostream_dedup.sample import documents_path, labels_path
from infostream_dedup.terms.key_terms import KeyTerms

SAMPLE = str(documents_path())
RENDERINGS = {
    language: [" ".join(text.split()) for text in texts.split("|")]
    for language, texts in {
        "ru": """
            Мэр Одессы Ирина Бондаренко открыла в порту новый зерновой терминал. Строительство стоило 40 миллионов евро,
            деньги выделил банк из Роттердама. Терминал примет три судна одновременно, сообщил капитан порта. |
            Новый терминал для зерна появился в порту Одессы, его открыла мэр Ирина Бондаренко. Банк из Роттердама
            вложил в строительство 40 миллионов евро. По словам капитана порта, терминал принимает одновременно три
            судна. |
            В Одессе заработал терминал: мэр Ирина Бондаренко перерезала ленточку в порту. Строительство за 40 миллионов
            евро оплатил банк из Роттердама. Капитан порта сказал, что зерно смогут грузить сразу на три судна.
        """,
        "uk": """
            Мерка Одеси Ірина Бондаренко відкрила в порту новий зерновий термінал. Будівництво коштувало 40 мільйонів
            євро, гроші виділив банк із Роттердама. Термінал прийме три судна одночасно, повідомив капітан порту. |
            Новий термінал для зерна зʼявився в порту Одеси, його відкрила мер Ірина Бондаренко. Банк із Роттердама
            вклав у будівництво 40 мільйонів євро. За словами капітана порту, термінал приймає одночасно три судна. |
            В Одесі запрацював термінал: мер Ірина Бондаренко перерізала стрічку в порту. Будівництво за 40 мільйонів
            євро оплатив банк із Роттердама. Капітан порту сказав, що зерно зможуть вантажити одразу на три судна.
        """,
        "en": """
            The mayor of Odesa, Iryna Bondarenko, opened a new grain terminal in the port. Construction cost 40 million
            euros, the money came from a bank in Rotterdam. The terminal takes three ships at once, said the captain of
            the port. |
            A new terminal for grain has appeared in the port of Odesa; mayor Iryna Bondarenko opened it. A bank from
            Rotterdam put 40 million euros into construction. According to the port captain, it receives three ships. |
            A terminal started work in Odesa: mayor Iryna Bondarenko cut the ribbon in the port. A bank from Rotterdam
            paid for the construction, 40 million euros. Grain can be loaded on three ships at once, the port captain
            said.
        """,
    }.items()
}
"""One text in three renderings a language; below another story of the same town, port and mayor."""
OTHER = {
    "ru": "Капитан парусника рассказал школьникам Одессы о буре у берегов Испании и подарил музею старинный якорь. "
    "Команда останется в порту до воскресенья, выставку откроет посол, вход для детей свободный.",
    "uk": "Капітан вітрильника розповів школярам Одеси про бурю біля берегів Іспанії й подарував музею старовинний "
    "якір. Команда залишиться в порту до неділі, виставку відкриє посол, вхід для дітей вільний.",
}


@pytest.fixture(scope="module")
def sample() -> JudgedCollection:
    return judged(SAMPLE)


def judged(documents, **settings) -> JudgedCollection:
    evidence = EvidenceReader()
    collection = collect(read_documents(documents), evidence=evidence)
    return JudgedCollection.of(collection, evidence.finish(collection.languages), Settings(**settings))


def named(collection: JudgedCollection, **options) -> set[tuple[str, str]]:
    found = find_across(collection, **options)[0]
    ids = [document.id for document in collection.collection.documents]
    return {(ids[a], ids[b]) for a, b in zip(found.a.tolist(), found.b.tolist(), strict=True)}


def test_three_renderings_meet_their_translations_and_the_other_text_stays_out():
    """Renderings tell the same in another order, so not all of them are translations of each other."""
    documents = [
        {"id": f"{lang}{number}", "lang": lang, "text": text}
        for lang, texts in RENDERINGS.items()
        for number, text in enumerate(texts)
    ] + [{"id": f"{lang}-other", "lang": lang, "text": text} for lang, text in OTHER.items()]
    company = [row_of(document) for document in read_documents(SAMPLE)]
    ours = {document["id"] for document in documents}
    collection = judged(documents + company)
    found = {frozenset(pair) for pair in named(collection) if ours & set(pair)}
    languages = [("ru", "uk"), ("ru", "en"), ("uk", "en")]
    wanted = {frozenset((f"{one}{x}", f"{two}{y}")) for one, two in languages for x, y in product(range(3), repeat=2)}
    translations = {frozenset((f"{one}{x}", f"{other}{x}")) for one, other in languages for x in range(3)}
    assert translations | {frozenset(("ru-other", "uk-other"))} <= found
    assert found < wanted | {frozenset(("ru-other", "uk-other"))}
    single = {frozenset(pair) for pair in named(collection, single=True) if ours & set(pair)}
    assert len(single) == 3 + 3 + 3 + 1
    assert single <= found


def test_plain_is_preset_best_in_the_pivot_language(sample):
    """The same pairs by another way: all links in one matrix, relations by share."""
    collection = sample.collection
    language = {one.id: spoken for one, spoken in zip(collection.documents, collection.languages, strict=True)}
    every = {
        (row.a, row.b): (row.share_forward, row.share_backward)
        for row in pairs(SAMPLE, preset="best", representation="pivot", cross_language=True, terms=False)
        if row.relation == "equal" and language[row.a] != language[row.b]
    }
    found = find_across(sample, between="plain")[0]
    assert named(sample, between="plain") == set(every)
    assert [list(map(float, shares)) for shares in found.shares.round(6)] == [list(every[pair]) for pair in sorted(
        every, key=lambda pair: [list(language).index(name) for name in pair])]  # fmt: skip
    kept = named(sample)
    assert 50 < len(kept) < len(every)
    # Where less than .4 of the weight matches, nearly all of the order is kept.
    assert len(kept - set(every)) == 0


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 0.3, 0.4, 0.75]))
def test_links_of_weight_are_those_counted_one_by_one(seed, least):
    random = np.random.default_rng(seed)
    targets = random.random((9, 8)) < 0.8
    keys = targets * random.integers(0, 5, targets.shape)
    languages, wanted = random.integers(0, 3, len(keys)), []
    for a, b in combinations(range(len(keys)), 2):
        met = keys[a][targets[b]], keys[b][targets[a]]
        shares = [float(np.round(one.sum() / max(keys[at].sum(), 1), 9)) for one, at in zip(met, (a, b), strict=True)]
        if languages[a] != languages[b] and min(map(np.count_nonzero, met)) >= 3 and min(shares) >= least:
            wanted.append([a, b, *shares])
    key_terms = KeyTerms(sp.csr_array(keys), sp.csr_array(targets), SimpleNamespace(languages=languages), [])
    found = _links_of_weight(key_terms, least)
    assert np.column_stack((found.a, found.b, found.shares)).tolist() == wanted


def test_rows_of_translations(sample):
    found = pairs(SAMPLE, preset="judged", cross_language=True, explain=True, kinds="translation")
    rows = [row.as_dict() for row in found]
    assert {(row["a"], row["b"]) for row in rows} == named(sample)
    for row in rows:
        assert row["kind"] == "translation"
        assert row["probability"] is row["wording_forward"] is row["wording_backward"] is None
        assert min(row["share_forward"], row["share_backward"]) >= 0.3
        assert 3 <= row["forward"] <= row["n_a"] <= 30
        assert row["terms"] == list(dict.fromkeys(one["pivot"] for one in row["met"]))
        assert row["reasons"] == []


def test_translations_come_in_the_order_of_ids_or_after_all_probabilities(sample):
    order = {document.id: number for number, document in enumerate(sample.collection.documents)}
    listed = list(pairs(SAMPLE, preset="judged", terms=False))
    places = [(order[row.a], order[row.b]) for row in listed]
    assert places == sorted(set(places))
    assert {"translation", "copy"} <= {row.kind for row in listed}
    sorted_rows = list(pairs(SAMPLE, preset="judged", sort="strength", terms=False))
    without = [row.probability is None for row in sorted_rows]
    assert without == sorted(without)
    weakest = [min(row.share_forward, row.share_backward) for row in sorted_rows if row.kind == "translation"]
    assert weakest == sorted(weakest, reverse=True)
    judged_ones = without.count(False)
    top = list(pairs(SAMPLE, preset="judged", sort="strength", top=judged_ones + 2, terms=False))
    assert top == sorted_rows[: judged_ones + 2]
    wide = list(pairs(SAMPLE, preset="judged", cross_language=True, k_min=12, terms=False, kinds="translation"))
    assert wide == [row for row in listed if row.kind == "translation" and max(row.forward, row.backward) >= 12]


def test_equal_texts_in_two_languages_are_copies_not_translations():
    text = "NASA SpaceX Boeing Starliner Dragon Kennedy Houston Artemis Orion Falcon Gateway Lunar"
    documents = [{"id": "1", "lang": "ru", "text": text}, {"id": "2", "lang": "en", "text": text}]
    assert [(row.kind, row.probability) for row in pairs(documents, preset="judged")] == [("copy", 1.0)]


def test_pairs_of_two_files_only(tmp_path):
    lines = Path(SAMPLE).read_text(encoding="utf-8").splitlines(keepends=True)
    for name, part in (("a", lines[::2]), ("b", lines[1::2])):
        (tmp_path / f"{name}.jsonl").write_text("".join(part), encoding="utf-8")
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    first = {document.id for document in read_documents(files[0])}
    every = list(pairs(files, preset="judged", cross_language=True, terms=False))
    between = list(pairs(files, preset="judged", cross_language=True, between_files=True, terms=False))
    assert between == [row for row in every if (row.a in first) != (row.b in first)]
    assert between


def f1_of(collection: JudgedCollection, truth) -> float:
    found = find_across(collection)[0]
    predicted = predicted_pairs(found.a, found.b, truth.documents)
    return evaluate_predictions(predicted, truth, recommended=1, resamples=1).recommended.scores.f1


def test_evaluate_counts_what_pairs_lists(sample):
    truth = TruthRules(lang="ru-uk", positive=("translation",)).truth(sample.collection, labels_path())
    found = evaluate(SAMPLE, labels_path(), lang="ru-uk", positive=("translation",))
    assert len(truth.positives) > 10
    assert found.judged.scores.f1 == f1_of(sample, truth)
    assert found.judged.scores.f1 > 0.9
    plain = evaluate(SAMPLE, labels_path(), lang="ru-uk", positive=("translation",), between="plain")
    assert plain.judged.scores.linked > found.judged.scores.linked
    one_kind = evaluate(SAMPLE, labels_path(), positive=("translation", "dup"), kinds=["translation"])
    assert one_kind.judged.scores.linked == len(find_across(sample)[0].a)


LEAST_F1 = {
    ("ntrex", "ru-uk"): 0.98, ("ntrex", "en-ru"): 0.96, ("ntrex", "en-uk"): 0.96, ("wmt", "ru-uk"): 0.99,
    ("wmt", "en-ru"): 0.97, ("wmt", "en-uk"): 0.97, ("multilingual", "ru-uk"): 0.93, ("multilingual", "en-ru"): 0.75,
    ("multilingual", "en-uk"): 0.60,
}  # fmt: skip


@pytest.mark.corpus
@pytest.mark.parametrize(
    "name", [pytest.param("wmt", marks=pytest.mark.slow), "ntrex", pytest.param("multilingual", marks=pytest.mark.slow)]
)
def test_translations_of_the_real_sets(name, corpora):
    collection = judged(corpora / f"{name}.docs.jsonl.gz")
    kin = corpora / f"{name}.kin.jsonl.gz"
    for lang in ("ru-uk", "en-ru", "en-uk"):
        rules = TruthRules(
            kin=kin if kin.is_file() else None, lang=lang, domains=("", "news") if name == "wmt" else (),
            positive=("translation", "dup"),
        )  # fmt: skip
        f1 = f1_of(collection, rules.truth(collection.collection, corpora / f"{name}.labels.jsonl.gz"))
        assert f1 >= LEAST_F1[name, lang], (name, lang, f1)
