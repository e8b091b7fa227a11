"""Options with few possible values: a function refuses any other value instead of taking it for the default."""

import json
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from infostream_dedup import (
    Deduplicator,
    Settings,
    audit,
    boilerplate,
    compare,
    dedup,
    evaluate,
    ingest,
    pairs,
    passages,
    provenance,
    read_documents,
    search,
    similarity_matrix,
    store,
    suggest,
    sweep,
    term_spans,
    train,
)
from infostream_dedup.api.sweep import sweep_store
from infostream_dedup.errors import BadDataError, ConfigurationError, InfostreamError, UsageError

TEXT = "Президент Зеленський відкрив у Харкові новий завод разом із мером Тереховим."
ROWS = [{"id": "1", "text": TEXT, "source": "a.ua"}, {"id": "2", "text": TEXT, "source": "b.ua"}]


@pytest.mark.parametrize(("call", "message"), [
    (lambda labels: dedup(ROWS, show="best"), "show is 'best'; expected one of first, latest, longest, complete, rank"),
    (
        lambda labels: dedup(ROWS, csv_dialect="ukrainian"),
        "csv_dialect is 'ukrainian'; expected one of input, standard, excel",
    ),
    (
        lambda labels: dedup(ROWS, k=6, duplicate_rule="both"),
        "duplicate_rule is 'both'; expected one of equal, contained",
    ),
    (
        lambda labels: evaluate(ROWS, labels=labels, between="all"),
        "between is 'all'; expected one of nothing-better, plain, none",
    ),
    (lambda labels: sweep(ROWS, ks=[0, 6]), "0 is not a number of key terms"),
    (lambda labels: pairs(ROWS, k_min=0, k=6), "k_min is 0"),
], ids=["show", "csv_dialect", "duplicate_rule", "between", "ks", "k_min"])  # fmt: skip
def test_other_values_are_refused(call: Callable[[Path], Any], message: str, tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text(json.dumps({"a": "1", "b": "2", "label": "dup"}), encoding="utf-8")
    with pytest.raises(InfostreamError, match=message):
        call(labels)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: pairs(ROWS, k=8, preset="best"), r"k counts key terms, which score share"),
    (lambda: dedup(ROWS, k=8, score="share"), r"k counts key terms, which score share"),
    (lambda: pairs(ROWS, k=8, threshold=0.5), "threshold needs score='share' or preset='best'"),
    (lambda: dedup(ROWS, min_terms=2), "min_terms needs score='share' or preset='best'"),
], ids=["preset best", "score share", "threshold", "min_terms"])  # fmt: skip
def test_settings_of_the_other_score_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()


@pytest.mark.parametrize(("call", "message"), [
    (lambda _: pairs(ROWS, k=6, pivot="uk"), r"pivot needs representation pivot"),
    (lambda _: dedup(ROWS, pivot="uk"), r"pivot needs representation pivot"),
    (lambda _: sweep(ROWS, representations=["stem"], pivot="uk"), r"pivot needs representation pivot"),
    (lambda _: sweep(ROWS, representations=["stem"], morph="strict"), r"stem does not read morph"),
    (lambda _: pairs(ROWS, representation="stem", morph="open"), r"stem does not read morph"),
    (lambda _: similarity_matrix(ROWS, weighting="tfidf", k1=1.2), "tfidf .* does not read k1"),
    (lambda _: audit(ROWS, n=2), r"audit needs at least 3 key terms; n is 2"),
    (lambda _: dedup(ROWS, prefix="x_"), r"prefix needs annotate"),
    (lambda store: ingest(ROWS, store, prefix="x_"), r"prefix needs annotate"),
    (lambda store: ingest(ROWS, store, preset="faithful", join="retold"), r"join needs preset judged"),
    (lambda store: ingest(ROWS, store, k_duplicate=5, join="copy"), r"join needs preset judged"),
    (lambda store: ingest(ROWS, store, source_ranks="a"), r"source_ranks needs show rank"),
    (lambda store: ingest(ROWS, store, loss_documents=5), r"needs loss_limit"),
    (lambda store: ingest(ROWS, store, epoch_days=1, first_epoch=5), r"first_epoch .* epochs are days long"),
    (lambda store: ingest(ROWS, store, representation="stem", morph="strict"), r"stem does not read morph"),
    (lambda store: ingest(ROWS, store, weighting="tfidf", b=0.5), "tfidf .* does not read b"),
])  # fmt: skip
def test_settings_that_nothing_reads_are_refused(call: Callable[[Path], Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        call(tmp_path / "s.db")
    assert not list(tmp_path.iterdir())


def test_settings_that_something_reads_are_taken(tmp_path: Path) -> None:
    list(pairs(ROWS, pivot="uk"))  # Translations of preset judged meet in the pivot language.
    sweep(ROWS, representations=["stem", "pivot"], pivot="uk", morph="strict", estimate=False)
    given = {"join": "copy,retold", "show": "rank", "source_ranks": "a", "loss_limit": 0.5, "loss_documents": 5}
    list(ingest(ROWS, tmp_path / "s.db", **given))
    list(ingest(ROWS, tmp_path / "s.db", loss_documents=5, join="copy,retold"))


def test_settings_of_the_chosen_score_are_taken() -> None:
    assert len(pairs(ROWS, preset="best", threshold=0.9, min_terms=2).rows) == 1
    assert len(pairs(ROWS, preset="similar", k=4).rows) == 1


def test_search_takes_the_name_of_one_source(tmp_path: Path) -> None:
    assert len(list(ingest(ROWS, store=tmp_path / "s.db"))) == 2
    assert [hit.id for hit in search(tmp_path / "s.db", text=TEXT, sources="b.ua")] == ["2"]


def test_search_takes_one_name_from_a_stream_too(tmp_path: Path) -> None:
    with Deduplicator.open(tmp_path / "s.db") as stream:
        stream.process(ROWS)
        assert [hit.id for hit in stream.search(TEXT, sources="b.ua", languages="uk")] == ["2"]


LABELS = [{"a": "1", "b": "2", "label": "similar"}, {"a": "2", "b": "3", "label": "different", "domain": "sport"}]
THREE = [{**row, "domain": "sport"} for row in (*ROWS, {"id": "3", "text": "Снег выпал в Киеве вчера вечером."})]


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in LABELS), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("call", "one", "several"),
    [
        (lambda file, names: sweep(ROWS, representations=names).as_dict()["rows"], "stem", "stem,morph"),
        (lambda file, names: [row.run.name for row in compare(ROWS, methods=names).rows], "md5", "md5, tf"),
        (lambda file, names: compare(THREE, labels=file, methods=["md5"], positive=names).configuration, "similar",
         "similar,dup"),
        (lambda file, names: compare(THREE, labels=file, methods=["md5"], domains=names).configuration, "sport",
         "sport,!sport"),
        (lambda file, names: evaluate(THREE, file, positive=names).as_dict(), "similar", "similar,dup"),
        (lambda file, names: evaluate(THREE, file, domains=names).as_dict(), "sport", "sport,!sport"),
        (lambda file, names: evaluate(THREE, file, kinds=names).as_dict(), "copy", "copy,retold"),
        (lambda file, names: train(THREE, file, positive=names).classifier.training, "similar", "similar, dup"),
        (lambda file, names: train(THREE, file, positive="similar", criteria=names).classifier.criteria, "words",
         "words,title"),
        (lambda file, names: ingest(ROWS, file.with_name("s.db"), join=names).as_rows(), "copy", "copy,retold"),
    ],
    ids=["sweep representations", "compare methods", "compare positive", "compare domains", "evaluate positive",
         "evaluate domains", "evaluate kinds", "train positive", "train criteria", "ingest join"],
)  # fmt: skip
def test_a_string_is_one_name_or_several_and_not_letters(call, one: str, several: str, labels: Path) -> None:
    assert call(labels, one) == call(labels, [one])
    labels.with_name("s.db").unlink(missing_ok=True)
    found = call(labels, several)
    labels.with_name("s.db").unlink(missing_ok=True)
    assert found == call(labels, [name.strip() for name in several.split(",")])


def test_an_unknown_name_is_reported_whole(labels: Path) -> None:
    with pytest.raises(InfostreamError, match="positive labels are 'same', 'alike'; expected"):
        audit(THREE, judged=labels, positive="same,alike")


def test_the_name_of_one_source_may_contain_a_comma(tmp_path: Path) -> None:
    list(ingest(ROWS, tmp_path / "s.db", show="rank", source_ranks="b.ua, Kyiv"))
    assert store.best(tmp_path / "s.db", by="rank", source_ranks="b.ua")[0]["best"] == "2"


def test_a_group_of_provenance_is_named_as_on_the_command_line() -> None:
    assert list(provenance(ROWS, groups=["1,2"])) == list(provenance(ROWS, groups=[("1", "2")]))
    with pytest.raises(InfostreamError, match="no document has the id '12'"):
        provenance(ROWS, groups=["12"])


@pytest.mark.parametrize("ks", [6, np.int64(6), [6], (6,), iter([6]), np.array([6]), range(6, 7)])
def test_ks_are_one_number_or_several(ks: Any) -> None:
    assert [row.measures.k for row in sweep(ROWS, representations="stem", ks=ks).rows] == [6]


@pytest.mark.parametrize("ks", ["4-8", [4.5], [None], 6.0, [[6]]])
def test_ks_are_whole_numbers(ks: Any) -> None:
    with pytest.raises(UsageError, match=r"is not a number of key terms; ks is 1 to n"):
        sweep(ROWS, representations="stem", ks=ks)


def test_a_representation_named_twice_is_swept_once() -> None:
    assert len(sweep(ROWS, representations=["stem", "stem"]).rows) == 12


def test_values_of_other_types_are_refused() -> None:
    for call, message in [
        (lambda: pairs(ROWS, settings={"k": 6}), r"settings is of type dict; give a record Settings\(...\)"),
        (lambda: ingest(ROWS, "s.db", settings=Settings()), "settings is of type Settings; give a record StreamSettin"),
        (lambda: passages.find(ROWS, settings=Settings()), "settings is of type Settings; give a record PassageSettin"),
        (lambda: sweep(ROWS, reading={"tz": "UTC"}), "reading is of type dict; give a record Reading"),
        (lambda: Deduplicator.open(None, Settings()), "settings is of type Settings; give a record StreamSettings"),
        (lambda: evaluate(ROWS, LABELS), "labels is of type list; give the path of a file that holds them"),
        (lambda: compare(ROWS, labels=LABELS, methods=["md5"]), "labels is of type list; give the path of a file"),
        (lambda: compare(ROWS, labels=pd.DataFrame(LABELS), methods=["md5"]), "labels is of type DataFrame; give the"),
        (lambda: train(ROWS, LABELS), "labels is of type list; give the path of a file that holds them"),
        (lambda: audit(ROWS, judged=LABELS), "labels is of type list; give the path of a file that holds them"),
        (lambda: pairs(ROWS, boilerplate=boilerplate(ROWS)), "boilerplate is of type Listing; give the path of a file"),
        (lambda: dedup(ROWS, boilerplate=["Снег."]), "boilerplate is of type list; give the path of a file that holds"),
        (lambda: sweep(ROWS, tz=3), "unknown time zone 3; give an IANA name"),
        (lambda: sweep(ROWS, max_line_bytes="10"), "max_line_bytes is '10'; expected a whole number of at least 1"),
    ]:
        with pytest.raises(InfostreamError, match=message):
            call()


def test_labels_of_one_kind_are_refused_by_the_name_of_their_file(labels: Path) -> None:
    with pytest.raises(BadDataError, match=rf"^{labels}: 0 of 2 judged pairs repeat each other"):
        train(THREE, labels, positive="dup")


GROUP = [["1", "2"]]


@pytest.mark.parametrize(("call", "message"), [
    (lambda file: ingest(ROWS, file.with_name("s.db"), batch_size=0), "batch_size is 0; expected a whole n"),
    (lambda file: ingest(ROWS, file.with_name("s.db"), batch_size="10"), "batch_size is '10'; expected a whole n"),
    (lambda file: ingest(ROWS, file.with_name("s.db"), mode=640), "mode is 640; expected permissions"),
    (lambda file: ingest(ROWS, file.with_name("s.db"), mode="640"), "mode is '640'; expected permissions"),
    (lambda file: list(ingest(ROWS, file.with_name("s.db"), batch_id=5)), "the batch id 5 is not a text"),
    (lambda file: compare(THREE, labels=file, methods=["md5"], resamples=0), "resamples is 0; expected a whole n"),
    (lambda file: compare(THREE, methods=["md5"], disagreements=-1), "disagreements is -1; expected a whole n"),
    (lambda file: similarity_matrix(ROWS, k_min=0), "k_min is 0; expected a whole number from 1 to 12"),
    (lambda file: similarity_matrix(ROWS, k_min="4"), "k_min is '4'; expected a whole number from 1 to 12"),
    (lambda file: provenance(ROWS, groups=GROUP, most=-1), "most is -1; expected a whole number of at least 1"),
    (lambda file: suggest(THREE, file, -1, preset="story"), "number is -1; expected a whole number of at least 0"),
    (lambda file: train(THREE, file, positive="similar").learning_curve(draws=0), "draws is 0; expected a whole n"),
])  # fmt: skip
def test_numbers_are_checked_before_the_work(call: Callable[[Path], Any], message: str, labels: Path) -> None:
    with pytest.raises(ConfigurationError, match=message):
        call(labels)
    assert not labels.with_name("s.db").exists() or message.startswith("the batch id")


def test_numbers_of_numpy_are_taken(labels: Path) -> None:
    path = labels.with_name("s.db")
    assert (
        len(list(ingest(ROWS, path, batch_size=np.int64(1), window_days=np.int32(7), max_line_bytes=np.int64(9)))) == 2
    )
    assert len(list(search(path, TEXT, k_min=np.int64(1), top=np.int64(1)))) == 1
    assert len(store.best(path, top=np.int8(1))) == 1
    assert list(pairs(ROWS, k=np.int64(3), top=np.int64(1))) == list(pairs(ROWS, k=3, top=1))
    assert len(list(pairs(ROWS, top=np.int64(1)))) == 1
    assert similarity_matrix(ROWS, k_min=np.int64(4))[1] == ["1", "2"]
    assert len(list(provenance(ROWS, groups=GROUP, most=np.int64(1)))) == 1
    table = labels.with_suffix(".csv")
    table.write_text("id,text\n1,а\n", encoding="utf-8")
    assert len(list(read_documents(table, max_line_bytes=np.int64(100)))) == 1


def test_groups_may_have_names() -> None:
    found = dedup(ROWS)
    assert {row["group"] for row in provenance(ROWS, groups=found.members)} == set(found.members)
    assert [row["group"] for row in provenance(ROWS, groups={"завод": "1,2"})] == ["завод"]
    with pytest.raises(UsageError, match="no document has the id '3'"):
        provenance(ROWS, groups={"завод": ["1", "3"]})


def test_stores_are_asked_for_whole_numbers_and_moments(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    list(ingest(ROWS, path))
    for ask in (
        lambda: search(path, TEXT, top=-1), lambda: store.groups(path, top=-1),
        lambda: store.republications(path, top=-1), lambda: store.best(path, top=-1),
    ):  # fmt: skip
        with pytest.raises(ConfigurationError, match="top is -1; expected a whole number of at least 0"):
            ask()
    moments: tuple[Any, ...] = (datetime(2024, 3, 1), date(2024, 3, 1), "2024-03-01")
    for moment in moments:
        for name in ("since", "until"):
            for ask_at in (lambda given: search(path, TEXT, **given), lambda given: sweep_store(path, **given)):
                with pytest.raises(ConfigurationError, match=rf"{name} is .*; expected a datetime with a time zone"):
                    ask_at({name: moment})


def test_the_spans_of_one_term() -> None:
    assert term_spans("Снег в Киеве", "ru", "снег") == term_spans("Снег в Киеве", "ru", ["снег"]) == [(0, 4, "снег")]
