"""Every command is a documented public function; what it cannot take, it refuses."""

import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from datetime import date, datetime
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import pytest

import infostream_dedup
from infostream_dedup import (
    Deduplicator,
    Settings,
    StreamSettings,
    api,
    audit,
    boilerplate,
    classify,
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
from infostream_dedup.api import keyword_types
from infostream_dedup.api.keywords import KEYWORDS
from infostream_dedup.api.sweep import sweep_store
from infostream_dedup.cli import cli
from infostream_dedup.documents import Reading, ReadingOptions
from infostream_dedup.errors import BadDataError, ConfigurationError, InfostreamError, UsageError
from infostream_dedup.judging.passages import PassageSettings

ROOT = Path(__file__).parents[2]

RENAMED = {
    "terms": "key_terms",
    "desk backup": "desk.backup_desk", "desk forget": "desk.forget_in_desk", "desk export": "desk.export_labels",
    "desk import": "desk.import_labels", "dictionaries import": "dictionaries.import_table",
    "dictionaries list": "dictionaries.list_tables", "dictionaries remove": "dictionaries.remove_table",
    "dictionaries install-model": "dictionaries.install_model", "passages provenance": "provenance",
    "store story": "store.message", "watch list": "watch.listed",
}  # fmt: skip
"""Commands whose function has another name: ``import`` is a word of Python, ``list`` one of its functions."""

OTHER_FACE = {*("serve", "mcp", "help", "config show", "config check", "config completion", "config man")}
"""``serve`` and ``mcp`` are other faces of the package; ``help`` and ``config`` are about commands."""

FRAME = pd.DataFrame({"text": ["Снег", "Снег"]})
MODULES = ("desk", "dictionaries", "passages", "store", "watch")


def commands(group: click.Group, path: str = "") -> list[str]:
    found = []
    for name, command in group.commands.items():
        whole = f"{path} {name}".strip()
        found += commands(command, whole) if isinstance(command, click.Group) else [whole]
    return found


def functions() -> dict[str, object]:
    """Every public function by its dotted name in ``api``."""
    found = {name: getattr(api, name) for name in api.__all__ if inspect.isfunction(getattr(api, name))}
    for name in MODULES:
        module = getattr(api, name)
        found |= {f"{name}.{one}": getattr(module, one) for one in module.__all__}
    return {name: function for name, function in found.items() if inspect.isfunction(function)}


def test_every_command_has_a_public_function():
    for command in sorted(set(commands(cli)) - OTHER_FACE):
        assert RENAMED.get(command, command.replace(" ", ".").replace("-", "_")) in functions()


def test_the_package_hands_every_function_on():
    for name in [name for name in functions() if name != "moment"]:
        room, _, function = name.rpartition(".")
        assert getattr(getattr(infostream_dedup, room) if room else infostream_dedup, function) is functions()[name]
        assert (room or function) in infostream_dedup.__all__


def test_every_function_says_what_it_takes_and_gives():
    for name in functions():
        function = functions()[name]
        text = inspect.getdoc(function) or ""
        takes = [one for one in inspect.signature(function).parameters if one != "path"]
        assert not takes or "Args:" in text
        for parameter in takes:
            assert re.search(rf"\n    (\w+, )*{parameter}(, \w+)*: ", text), parameter
        assert inspect.signature(function).return_annotation == "None" or "Returns:" in text


def test_an_unknown_keyword_fails():
    for name in functions():
        function = functions()[name]
        needed = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
        positional = [FRAME if one.name == "frame" else [] for one in needed if one.kind is one.POSITIONAL_OR_KEYWORD]
        with pytest.raises(TypeError, match="bogus"):
            function(*positional, bogus=1)


def test_an_unknown_keyword_beside_settings_fails_too(tmp_path):
    target = tmp_path / "out.jsonl"
    with pytest.raises(TypeError, match=r"dedup\(\) got an unexpected keyword argument 'bogus'; it takes .*keep"):
        api.dedup([{"id": "1", "text": "Снег"}], target, settings=Settings(), bogus=1)
    assert not target.exists()


def test_a_sweep_takes_representations():
    with pytest.raises(TypeError, match="'representation'; did you mean 'representations'"):
        api.sweep([], representation="stem")
    with pytest.raises(ConfigurationError, match=r"give representations=\['stem'\]"):
        api.sweep([], settings=Settings(representation="stem"))


@pytest.mark.parametrize(("function", "arguments", "settings", "single"), [
    (api.sweep, ([],), Settings(), {"n": 10}), (api.pairs, ([],), Settings(), {"k": 5}),
    (api.dedup, ([], "out.jsonl"), Settings(), {"k": 5}),
    (api.evaluate, ([], "labels.jsonl"), Settings(), {"rule": "either"}),
    (api.similarity_matrix, ([],), Settings(), {"n": 10}),
    (api.ingest, ([], "stream.db"), StreamSettings(), {"k_similar": 3}),
    (api.passages.find, ([],), PassageSettings(), {"tau": 0.5}),
    (api.passages.find_novel, ([],), PassageSettings(), {"tau": 0.5}),
    (api.passages.find_digests, ([],), PassageSettings(), {"tau": 0.5}),
    (api.passages.compare, ("a", "b"), PassageSettings(), {"tau": 0.5}),
])  # fmt: skip
def test_settings_given_both_ways_are_refused(function, arguments, settings, single, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigurationError, match=f"settings and {next(iter(single))} are both given"):
        function(*arguments, settings=settings, **single)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("languages", [("ru",), ("ru", "en", "uk"), ("ru", "de"), (), "ru"])
def test_other_than_two_known_languages_are_refused(languages):
    with pytest.raises(ConfigurationError, match="expected two of ru, uk, en, other"):
        api.passages.compare("Мост", "A bridge", languages=languages)


def test_reading_options_given_both_ways_are_refused():
    for name in [name for name in functions() if "reading" in inspect.signature(functions()[name]).parameters]:
        function = functions()[name]
        needed = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
        positional = [[] if one.name == "source" else "none" for one in needed if one.kind is one.POSITIONAL_OR_KEYWORD]
        with pytest.raises(ConfigurationError, match="reading and tz are both given"):
            function(*positional, reading=Reading(), tz="Europe/Kyiv")


def test_keywords_are_those_of_the_records():
    assert ReadingOptions.__optional_keys__ == {field.name for field in fields(Reading)}
    for name, known in KEYWORDS.items():
        assert getattr(keyword_types, name).__optional_keys__ == known.names(), name


def test_the_types_of_keywords_are_made_from_the_records():
    made = subprocess.run([sys.executable, "tools/make_keywords.py", "--check"], cwd=ROOT, check=False)
    assert made.returncode == 0, "run python tools/make_keywords.py"


# Options with few possible values: a function refuses any other value instead of taking it for the default.
TEXT = "Президент Зеленський відкрив у Харкові новий завод разом із мером Тереховим."
ROWS = [{"id": "1", "text": TEXT, "source": "a.ua"}, {"id": "2", "text": TEXT, "source": "b.ua"}]


@pytest.mark.parametrize(("call", "message"), [
    (lambda labels: dedup(ROWS, show="best"), "show is 'best'; expected one of first, latest, longest, complete, rank"),
    (lambda labels: dedup(ROWS, csv_dialect="uk"), "csv_dialect is 'uk'; expected one of input, standard, excel"),
    (lambda labels: dedup(ROWS, k=6, duplicate_rule="both"), "duplicate_rule is 'both'; expected one of equal, cont"),
    (lambda labels: evaluate(ROWS, labels, between="all"), "between is 'all'; expected one of nothing-better, plain"),
    (lambda labels: sweep(ROWS, ks=[0, 6]), "0 is not a number of key terms"),
    (lambda _: pairs(ROWS, k_min=0, k=6), "k_min is 0"), (lambda _: pairs(ROWS, n="12"), "n is '12'; expected a whole"),
    (lambda _: pairs(ROWS, kinds="foo"), "kinds is 'foo'; expected one of all, related, copy"),
    (lambda _: infostream_dedup.drop_near_duplicates(ROWS), "frame is of type list; expected one of pandas or polars"),
])  # fmt: skip
def test_other_values_are_refused(call: Callable[[Path], Any], message: str, tmp_path: Path) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text(json.dumps({"a": "1", "b": "2", "label": "dup"}), encoding="utf-8")
    with pytest.raises(InfostreamError, match=message):
        call(labels)


@pytest.mark.parametrize(("call", "message"), [
    (lambda _: pairs(ROWS, k=8, preset="best"), r"k counts key terms, which score share"),
    (lambda _: dedup(ROWS, k=8, score="share"), r"k counts key terms, which score share"),
    (lambda _: pairs(ROWS, k=8, threshold=0.5), "threshold needs score='share' or preset='best'"),
    (lambda _: dedup(ROWS, min_terms=2), "min_terms needs score='share' or preset='best'"),
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
    with Deduplicator.open(tmp_path / "s.db") as stream:
        assert [hit.id for hit in stream.search(TEXT, sources="b.ua", languages="uk")] == ["2"]
        for asked in ({"text": "\ud800"}, {"id": "\udfff"}, {"url": "a\ud800"}, {"text": TEXT, "title": "\ud800"}):
            with pytest.raises(ConfigurationError, match=r"has a lone surrogate '.ud...'; expected Unicode text"):
                stream.search(**asked)
        with pytest.raises(ConfigurationError, match="text is of type int; expected a text"):
            search(tmp_path / "s.db", 5)


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
        (lambda: evaluate(ROWS, LABELS), "labels is of type list; give the path of a file"),
        (lambda: compare(ROWS, labels=LABELS, methods=["md5"]), "labels is of type list; give the path of a file"),
        (lambda: compare(ROWS, labels=pd.DataFrame(LABELS), methods=["md5"]), "labels is of type DataFrame; give the"),
        (lambda: train(ROWS, LABELS), "labels is of type list; give the path of a file"),
        (lambda: audit(ROWS, judged=LABELS), "labels is of type list; give the path of a file"),
        (lambda: pairs(ROWS, boilerplate=boilerplate(ROWS)), "boilerplate is of type Listing; give the path of a file"),
        (lambda: dedup(ROWS, boilerplate=["Снег."]), "boilerplate is of type list; give the path of a file"),
        (lambda: passages.compare(None, "x"), "text_a is of type NoneType; expected a text"),
        (lambda: passages.compare("x", b"x"), "text_b is of type bytes; expected a text"),
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
    numbers: Any = {"batch_size": np.int64(1), "window_days": np.int32(7), "max_line_bytes": np.int64(9)}
    assert len(list(ingest(ROWS, path, **numbers))) == 2
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


# A file that a call reads is never overwritten by the same call, whichever way it is named.
OWN_ROWS = [{"id": "1", "text": TEXT}, {"id": "2", "text": TEXT}]

CALLS: dict[str, Callable[[Path, dict[str, Any]], Any]] = {
    "audit judged": lambda file, given: audit(OWN_ROWS, judged=file, **given),
    "classify models": lambda file, given: classify(OWN_ROWS, iter([file]), **given),  # type: ignore[arg-type]
    "classify one model": lambda file, given: classify(OWN_ROWS, file, **given),
    "classify pairs": lambda file, given: classify(OWN_ROWS, "m.json", pairs=file, **given),
    "classify rules": lambda file, given: classify(OWN_ROWS, "m.json", rules=file, **given),
    "compare kin": lambda file, given: compare(OWN_ROWS, methods=["md5"], labels="l.jsonl", kin=file, **given),
    "compare labels": lambda file, given: compare(OWN_ROWS, methods=["md5"], labels=file, **given),
    "dedup boilerplate": lambda file, given: dedup(OWN_ROWS, boilerplate=file, **given),
    "evaluate kin": lambda file, given: evaluate(OWN_ROWS, "l.jsonl", kin=file, **given),
    "evaluate labels": lambda file, given: evaluate(OWN_ROWS, file, **given),
    "ingest boilerplate": lambda file, given: ingest(OWN_ROWS, file.parent / "s.db", boilerplate=file, **given),
    "ingest model": lambda file, given: ingest(OWN_ROWS, file.parent / "s.db", model=file, **given),
    "ingest store": lambda file, given: ingest(OWN_ROWS, file, **given),
    "pairs boilerplate": lambda file, given: pairs(OWN_ROWS, boilerplate=file, **given),
    "pairs boilerplate k": lambda file, given: pairs(OWN_ROWS, boilerplate=file, k=6, **given),
    "passages boilerplate": lambda file, given: passages.find(OWN_ROWS, boilerplate=file, **given),
    "digests boilerplate": lambda file, given: passages.find_digests(OWN_ROWS, boilerplate=file, **given),
    "novel boilerplate": lambda file, given: passages.find_novel(OWN_ROWS, boilerplate=file, **given),
    "suggest labels": lambda file, given: suggest(OWN_ROWS, file, **given),
    "sweep boilerplate": lambda file, given: sweep(OWN_ROWS, boilerplate=file, **given),
    "train authority": lambda file, given: train(OWN_ROWS, "l.jsonl", authority=file, **given),
    "train labels": lambda file, given: train(OWN_ROWS, file, **given),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_quarantine_never_empties_another_file_of_the_call(call, tmp_path: Path) -> None:
    file = tmp_path / "ours"
    file.write_text("hours of work\n", encoding="utf-8")
    link = tmp_path / "link"
    link.symlink_to(file)
    with pytest.raises(InfostreamError) as refused:
        call(file, {"on_error": "skip", "quarantine": str(link)})
    assert file.read_text(encoding="utf-8") == "hours of work\n"
    # A store that is damaged, or a file that is not one, is refused for that.
    assert f"{link} is one of the inputs; give the quarantine its own file" in str(refused.value)


def test_the_quarantine_never_replaces_the_store_of_statistics(tmp_path: Path) -> None:
    list(ingest(OWN_ROWS, tmp_path / "s.db"))
    before = (tmp_path / "s.db").read_bytes()
    with pytest.raises(ConfigurationError, match=r"s\.db is one of the inputs"):
        pairs(OWN_ROWS, statistics=f"{tmp_path / 's.db'}:0", on_error="skip", quarantine=tmp_path / "s.db")
    assert (tmp_path / "s.db").read_bytes() == before


def test_texts_that_name_no_file_have_no_files(tmp_path: Path) -> None:
    texts = ["Снег выпал в Киеве вчера. " * 200, "Снег выпал в Киеве вчера. " * 200]
    assert dedup(texts, tmp_path / "out.jsonl").kept == 1
