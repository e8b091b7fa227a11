"""Documents in other languages: linked with each other, and without influence on ours."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup import Deduplicator, Document, Settings, pairs, read_documents, sweep
from infostream_dedup.documents.kernels.json_lines import LEFT, READ
from infostream_dedup.documents.kernels.table_rows import doubt_encodings, show_ours
from infostream_dedup.judging.evidence.records import Changes, EvidenceFrequencies
from infostream_dedup.language.morphology.stemming import stemmed_text
from infostream_dedup.language.text.language import language_beyond_ours
from infostream_dedup.language.text.surface_pool import texts_of
from infostream_dedup.sample import documents_path

GERMAN = (
    "Der Bundestag hat am Freitag das umstrittene Rentengesetz mit den Stimmen der Koalition verabschiedet. Die "
    "Opposition kritisierte das Gesetz als zu teuer und kündigte eine Klage vor dem Bundesverfassungsgericht an."
)
POLISH = (
    "Sejm uchwalił w piątek ustawę o emeryturach głosami koalicji. Opozycja skrytykowała ustawę jako zbyt kosztowną i "
    "zapowiedziała skargę do Trybunału Konstytucyjnego, a rząd odrzucił tę krytykę."
)
FOREIGN = [
    Document(id="de-1", text=GERMAN, lang="de"),
    Document(id="de-2", text=f"{GERMAN} Die Regierung wies das zurück.", lang="de"),
    Document(id="pl-1", text=POLISH, lang="pl"),
    Document(id="pl-2", text=POLISH.replace("w piątek", "w sobotę"), lang="pl"),
    Document(id="haw", text="Ua kākau ka pelekikena i ka palapala hou no ka aupuni o ka mokupuni", lang="haw"),
]
OURS = [one for one in read_documents(documents_path()) if one.lang is not None][:120]


def mixed() -> list[Document]:
    """Ours with one of another language after each of the first ones."""
    found = list(OURS)
    for number, one in enumerate(FOREIGN):
        found.insert(2 * number + 1, one)
    return found


def test_stems_without_the_most_frequent_words() -> None:
    assert stemmed_text("Die Minister beschlossen neue Gesetze.", "de") == "minist beschloss neu gesetz"
    assert stemmed_text("Ka palapala HOU", "haw") == "ka palapala hou", "no stemmer: lower case alone"


@pytest.mark.parametrize("representation", ["stem", "morph", "pivot"])
def test_they_meet_each_other_and_change_nothing_of_ours(representation: str) -> None:
    chosen = Settings(representation=representation, k=6)
    alone = list(pairs(OURS, settings=chosen))
    both = list(pairs(mixed(), settings=chosen))
    names = {one.id for one in FOREIGN}
    assert [row for row in both if not names & {row.a, row.b}] == alone
    assert {(row.a, row.b) for row in both if names & {row.a, row.b}} == {("de-1", "de-2"), ("pl-1", "pl-2")}


def test_the_default_preset_judges_them() -> None:
    alone, both = list(pairs(OURS)), list(pairs(mixed()))
    names = {one.id for one in FOREIGN}
    assert [row for row in both if not names & {row.a, row.b}] == alone
    met = {(row.a, row.b): row.kind for row in both if names & {row.a, row.b}}
    assert met[("de-1", "de-2")] == met[("pl-1", "pl-2")] == "copy"


def test_a_stream_takes_them_from_its_first_document_on(tmp_path) -> None:
    def verdicts(documents, name):
        with Deduplicator.open(tmp_path / name) as stream:
            found = [one for start in range(0, len(documents), 25) for one in stream.process(documents[start:][:25])]
        return {one.id: one for one in found}

    alone, both = verdicts(OURS, "alone.db"), verdicts(mixed(), "both.db")
    assert {name: both[name] for name in alone} == alone
    assert [both[name].of for name in ("de-1", "de-2", "pl-1", "pl-2")] == [None, "de-1", None, "pl-1"]
    with Deduplicator.open(tmp_path / "both.db") as stream:
        again = stream.process([replace(FOREIGN[0], id="de-3")])
    assert (again[0].status, again[0].of) == ("exact", "de-1")
    with closing(sqlite3.connect(tmp_path / "both.db")) as store:
        assert store.execute("SELECT DISTINCT language FROM document WHERE id LIKE 'de-%'").fetchall() == [("other",)]


def test_sweeps_count_them_as_one_language() -> None:
    assert sweep(mixed(), representations=["stem"]).documents["other"] == len(FOREIGN)


def test_counters_of_other_languages_survive_a_store() -> None:
    ours = Changes(np.array([3, 9], np.uint32), np.array([1, 2], np.uint32), np.array([1, 1, 0, 0]))
    others = Changes(np.array([3], np.uint32), np.array([1], np.uint32), np.array([1, 1, 0, 2]))
    assert len(ours.blob()) == 3 * 8 + 2 * 8, "the form of stores made before"
    for one in (ours, others):
        back = Changes.of_blob(one.blob())
        assert (back.documents.tolist(), back.buckets.tolist(), back.counts.tolist()) == (
            one.documents.tolist(), one.buckets.tolist(), one.counts.tolist(),
        )  # fmt: skip
    assert EvidenceFrequencies.of_blob(others.blob()).filled_up()[1].tolist() == [2000.0, 2000.0, 2000.0, 2000.0]


BULGARIAN = "Народното събрание прие в петък закона за пенсиите с гласовете на коалицията, а опозицията го нарече скъп"
WORDS = [*GERMAN.split(), *POLISH.split(), *BULGARIAN.split(), *" ".join(one.text for one in OURS[:40]).split(), "<p>"]


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=120).map(" ".join) | st.text(max_size=80), min_size=1))
def test_what_compiled_code_takes_for_ours_is_ours(given_texts):
    texts = texts_of([*given_texts, OURS[0].text, GERMAN])
    found = np.empty(len(texts), dtype=np.bool_)
    show_ours(texts.data, texts.offsets[:-1], texts.offsets[1:], found)
    assert not any(language_beyond_ours(text) for text, ours in zip(given_texts, found, strict=False) if ours)
    assert found[-2:].tolist() == [True, False]


def test_texts_that_were_decoded_wrongly_are_doubted():
    good = [OURS[0].text, GERMAN, BULGARIAN, "the budget"]
    bad = [BULGARIAN.encode().decode("latin-1"), BULGARIAN.encode("koi8-u").decode("cp1251", "replace")]
    # The last one has a headline that was decoded rightly.
    texts, states = texts_of([*good, *bad, GERMAN * 4 + bad[0]]), np.full(7, READ, dtype=np.uint8)
    bodies = texts.offsets[:-1] + np.array([0] * 6 + [4 * len(GERMAN.encode())])
    doubt_encodings(texts.data, bodies, texts.offsets[1:], states)
    assert states.tolist() == [READ] * 4 + [LEFT] * 3
