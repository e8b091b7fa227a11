"""Searching a stream: beside ingest, over closed epochs, and with the kinds of ``pairs``."""

import hashlib
import math
from datetime import datetime, timedelta

import numpy as np
import pytest

from infostream_dedup import Deduplicator, Document, pairs
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence import meaning
from infostream_dedup.judging.evidence.meaning import DIMENSIONS, head_of
from infostream_dedup.language.lexicon.word_lists import false_friends
from infostream_dedup.language.translation.told_sentences import _WORDS, Beginnings, ToldSentence
from infostream_dedup.model import OUR_LANGUAGES
from infostream_dedup.stream import search
from infostream_dedup.stream.search import Searcher
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store

BATCH = 23


@pytest.fixture(scope="module")
def settings():
    """Short epochs, so that most documents are in closed ones."""
    return StreamSettings.of({"window_days": 3, "epoch_documents": 40, "first_epoch": 20})


@pytest.fixture(scope="module")
def store(documents, settings, tmp_path_factory):
    path = tmp_path_factory.mktemp("searched") / "s.db"
    with Deduplicator.open(path, settings) as stream:
        for begin in range(0, len(documents), BATCH):
            stream.process(documents[begin : begin + BATCH])
    return path


def content_of(path):
    """SHA-256 of all rows of all tables; the file itself depends on when SQLite tidied up."""
    digest = hashlib.sha256()
    with Store.open(path) as store:
        for (table,) in store.connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '_sqlite%' ORDER BY name"
        ).fetchall():
            for row in store.connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2"):  # noqa: S608
                digest.update(repr(row).encode())
    return digest.hexdigest()


def test_searches_between_batches_change_no_byte(documents, settings, store, tmp_path):
    with Deduplicator.open(tmp_path / "s.db", settings) as stream:
        for begin in range(0, len(documents), BATCH):
            later = documents[(begin + 60) % len(documents)]
            stream.search(later.text + " словонезнане словонеизвестное unheardofword", title=later.title, k_min=1)
            stream.process(documents[begin : begin + BATCH])
            assert stream.search(documents[begin].text, k_min=1, everything=True)
    assert content_of(tmp_path / "s.db") == content_of(store)


def test_a_searcher_sees_what_others_write(documents, settings, tmp_path):
    path = tmp_path / "s.db"
    with Deduplicator.open(path, settings) as stream:
        stream.process(documents[:30])
        with Searcher.open(path, everything=True) as searcher:
            for begin in range(30, 150, 30):
                asked = documents[begin + 5]
                before = searcher.search(asked.text, title=asked.title, top=0)
                assert (asked.id in {hit.id for hit in before}, before.searched.documents) == (False, begin)
                stream.process(documents[begin : begin + 30])
                after = searcher.search(asked.text, title=asked.title, top=0)
                assert (after[0].id, after.searched.documents) == (asked.id, begin + 30)
                with Searcher.open(path, everything=True) as fresh:
                    assert fresh.search(asked.text, title=asked.title, top=0) == after
                assert stream.search(asked.text, title=asked.title, top=0, everything=True) == after
            stream.store.forget(documents[0].id)
            found = searcher.search(documents[0].text, title=documents[0].title, top=0)
            assert documents[0].id not in {hit.id for hit in found}
            assert found.searched.documents == 149


def test_the_index_and_the_signatures_give_one_answer(documents, store, tmp_path):
    with Store.open(store) as whole:
        whole.backup(tmp_path / "s.db")
    with Store.open(tmp_path / "s.db") as bare:
        bare.connection.execute("DELETE FROM search_index")
    with Searcher.open(store) as searcher, Searcher.open(tmp_path / "s.db") as other:
        for document in documents[::17]:
            hits = searcher.search(document.text, title=document.title, k_min=1, top=9, everything=True)
            slow = other.search(document.text, title=document.title, k_min=1, top=9, everything=True)
            assert list(hits) == list(slow)
            assert not hits.searched.notes
            assert "are not in the index yet" in slow.searched.notes[0]


def test_a_damaged_index_is_not_believed(documents, store, tmp_path):
    with Store.open(store) as whole:
        whole.backup(tmp_path / "s.db")
    with Store.open(tmp_path / "s.db") as damaged:
        damaged.connection.execute("UPDATE search_index SET packed = zeroblob(length(packed)) WHERE first = 0")
    asked = documents[3]
    with Searcher.open(store) as searcher, Searcher.open(tmp_path / "s.db") as other:
        hits = other.search(asked.text, title=asked.title, everything=True)
        assert list(hits) == list(searcher.search(asked.text, title=asked.title, everything=True))
        assert hits[0].id == asked.id
        assert hits.searched.notes == ["the damaged index of 20 documents was not used ('store index' rebuilds it)"]


def test_kinds_and_probabilities_are_those_of_verdicts(documents, store):
    with Deduplicator.open(store) as stream:
        assert isinstance(stream.store, Store)
        seen = 0
        for document in documents:
            verdict = stream.store.known(document.id)[-1].verdict
            if verdict.of is None or verdict.kind is None or verdict.status == "exact":
                continue
            hits = stream.search(id=document.id, k_min=1, top=0, everything=True)
            hit = next(one for one in hits if one.id == verdict.of)
            assert (hit.kind, hit.probability) == (verdict.kind, verdict.probability)
            seen += 1
    assert seen > 20


def test_a_text_finds_its_copy_and_other_languages_are_not_judged(documents, store):
    with Searcher.open(store, everything=True) as searcher:
        for document in documents[::29]:
            hits = searcher.search(document.text, title=document.title)
            own = next(hit for hit in hits if hit.id == document.id)
            assert (own.kind, own.probability) == ("copy", 1.0)
            others = [hit for hit in hits if hit.language != own.language]
            assert {(hit.kind, hit.probability) for hit in others} <= {("related", None), ("translation", None)}


def test_an_answer_does_not_depend_on_earlier_questions(tmp_path):
    texts = (
        "Tremors were felt in Chisinau and Odesa. Romanian President Nicusor Dan arrived at the scene of a quake.",
        "У Румунії стався землетрус магнітудою 6,1, загинули 15 людей, повідомили рятувальники й президент в Одесі.",
    )
    with Deduplicator.open(path := tmp_path / "s.db") as stream:
        stream.process([{"id": text[:3], "text": text} for text in texts])
    asked = ["Президент приехал в Одессу", "Суд осудил экс-министра", *texts]
    with Searcher.open(path) as used:
        later = [used.search(text, k_min=1) for text in asked]
    for text, hits in zip(asked, later, strict=True):
        with Searcher.open(path) as fresh:
            assert fresh.search(text, k_min=1) == hits, text


def test_a_sentence_is_answered_by_the_text_that_begins_with_its_words(tmp_path):
    """By a word derived, by one of equal sound, by an ordinal number, and by a title that may be Russian."""
    rest = "Пароль и экран нужны на работе: о них говорится в инструкции для сотрудников банка."
    leads = {"stable": "Стабильный пароль", "change": "Пароль изменён", "third": "Третье сообщение о пароле"}
    asked = {"stable": "A stable password", "change": "Change a password", "third": "The third password"}
    with Deduplicator.open(tmp_path / "s.db", StreamSettings.of({"keep_text": True})) as stream:
        stream.process([Document(id=one, text=f"{lead}. {rest}", lang="ru") for one, lead in leads.items()])
        assert {one: stream.search(text)[0].id for one, text in asked.items()} == {one: one for one in asked}
        assert "stable" in {hit.id for hit in stream.search("Блимання екрана")}


def test_a_policy_chooses_hits_as_it_chooses_pairs(documents, store):
    copied = {tuple(sorted((one.a, one.b))) for one in pairs(documents, identical=0.5, within="outlets")}
    others: set[tuple[str, str]] = set()
    with Searcher.open(store, everything=True) as searcher:
        for document in documents:
            asked = {"id": document.id, "k_min": 3, "top": 0}
            every, some = searcher.search(**asked), searcher.search(**asked, identical=0.5, within="outlets")
            assert [hit.id for hit in some] == [one.id for one in every if one.id in {hit.id for hit in some}]
            others |= {tuple(sorted((document.id, hit.id))) for hit in some}
            near = searcher.search(**asked, within_days=1)
            own = [hit for hit in every if _apart(hit.published, document.time) <= timedelta(days=1)]
            assert [hit.id for hit in near] == [hit.id for hit in own]
        # Epochs of the store weigh words otherwise than the whole collection does, in which forms are found by threes.
        assert len(others ^ copied) < 0.12 * len(copied) > 2
        with pytest.raises(ConfigurationError, match="has no source"):
            searcher.search(documents[0].text, within="source")


def _apart(text, moment):
    return timedelta(0) if text is None or moment is None else abs(datetime.fromisoformat(text) - moment)


def test_rows_of_other_presets_have_no_probability_and_ask_no_encoder(documents, encoder, tmp_path):
    with Deduplicator.open(tmp_path / "s.db", StreamSettings(window_days=None)) as stream:
        stream.process(documents[:40])
        (hit, *_) = stream.search(documents[2].text)
        with pytest.raises(ConfigurationError, match="need preset judged"):
            stream.search(documents[2].text, identical=0.5)
        with pytest.raises(ConfigurationError, match="semantic needs preset judged"):
            stream.search(documents[2].text, semantic=True)
    assert not encoder
    assert (hit.kind, "probability" in hit.as_dict()) == ("copy", False)


def test_a_stream_in_memory_is_not_searched():
    with Deduplicator.open(None) as stream:
        stream.process([Document(id="a", text="Мост через реку открыт для движения")])
        with pytest.raises(ConfigurationError, match="give it a store"):
            stream.search("мост")


@pytest.fixture
def encoder(monkeypatch):
    """An encoder to which all texts mean the same; it counts them."""
    seen = []

    def encode(texts):
        seen.extend(texts)
        return np.full((len(texts), DIMENSIONS), 127, dtype=np.int8)

    monkeypatch.setattr(meaning, "encode", encode)
    monkeypatch.setattr(meaning, "check_encoder", lambda: None)
    monkeypatch.setattr(search, "check_encoder", lambda: None)
    return seen


def test_the_encoder_judges_hits_in_doubt_and_leaves_their_order(documents, store, encoder):
    with Searcher.open(store, everything=True) as searcher:
        changed = 0
        for document in documents[::9]:
            plain = searcher.search(document.text, title=document.title)
            assert not encoder
            asked = searcher.search(document.text, title=document.title, semantic=True)
            assert [hit.id for hit in asked] == [hit.id for hit in plain]
            assert "sentence encoder" in asked.searched.sentence()
            for before, after in zip(plain, asked, strict=True):
                if before.probability is None or not 0.02 <= before.probability <= 0.98:
                    assert after.probability == before.probability
                else:
                    # Equal meanings: a cosine of 1 adds 60 (1 - .905) = 5.7; of the rest a quarter counts.
                    logit = math.log(before.probability / (1 - before.probability)) / 4 + 5.7
                    assert after.probability == pytest.approx(1 / (1 + math.exp(-logit)), abs=1e-5)
                    changed += 1
            if encoder:
                assert head_of(document) in encoder
            encoder.clear()
    assert changed


def test_every_way_to_ask_finds_a_beginning_in_another_language_without_its_key_terms(documents, tmp_path):
    told, asked = "Вона змінила це і підтримала їх знову.", "She changed it and supported them again."

    def finds(searcher, **options):
        return "told" in {hit.id for hit in searcher.search(asked, **options)}

    with Deduplicator.open(tmp_path / "s.db", StreamSettings.of({"keep_text": True})) as stream:
        stream.process([*documents, Document(id="told", text=f"{told} Завтра приїду до Львова.", lang="uk")])
        stream.process([Document(id="other", text="Prezydent Zelensky w Berlinie podpisał ustawę.", lang="pl")])
        assert stream.search("President Zelensky went to Berlin")
        with Searcher.open(tmp_path / "s.db") as once:
            assert (finds(stream), finds(once), finds(stream, languages=["ru"])) == (True, True, False)
            stream.store.forget("told")
            assert not finds(stream)


def test_beginnings_indexed_one_by_one_are_those_indexed_at_once():
    texts = {at: ("", f"Вона змінила {at % 7} законів.") for at in range(1100)}
    told, languages = {1: ToldSentence("She changed 5 laws.", "en", "uk")}, np.ones(1100, dtype=np.uint8)
    once, slowly = Beginnings(), Beginnings()  # whole blocks, and by parts that join
    for index, counts in (once, [1100]), (slowly, [*range(1, 40), *range(990, 1101)]):
        found = [index.refreshed(one, 0, lambda some, _: {at: texts[at] for at in some}) for one in counts]
    chosen = [index.likely(told, found[-1], languages).tolist() for index in (once, slowly)]
    assert chosen == [[at for at in texts if at % 7 == 5][:60]] * 2


def test_rows_of_everyday_words_join_no_false_friends() -> None:
    rows = [[set(cell.split()) for cell in line.split("\t")] for line in _WORDS.read_text("utf-8").splitlines()]
    assert {len(row) for row in rows} == {len(OUR_LANGUAGES)}
    assert all(all(row) for row in rows)
    assert [(one.ru, one.uk) for ru, uk, _ in rows for one in false_friends() if one.ru in ru and one.uk in uk] == []
