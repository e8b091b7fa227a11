"""Files of CrossNews-UA and NEWS-COPY are read as they are published."""

import csv
import json

import pytest

from infostream_dedup import compare, evaluate
from infostream_dedup.errors import BadDataError, ConfigurationError, NoInputError
from infostream_dedup.lab.evaluation.labels import public_set

BRIDGE = "Президент відкрив у Харкові новий міст через річку; мер міста обіцяв мешканцям ремонт набережної та парку."
MOST = "Президент открыл в Харькове новый мост через реку; мэр города обещал жителям ремонт набережной и парка."
SNOW = "Синоптики обіцяють сніг і мороз; водіїв просять залишити автомобілі вдома, школи закриті до понеділка."
COLUMNS = ("text1", "text2", "source1", "source2", "url_lang1", "url_lang2", "language_of_pair", "aggregated_what")


def pairs_file(path, *rows):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    return str(path)


def test_pairs_of_crossnews(tmp_path):
    path = pairs_file(
        tmp_path / "crossnews-ua.csv",
        (BRIDGE, MOST, "https://a.example/1", "https://b.example/2", "uk", "ru", "ukr-ru", "similar"),
        (BRIDGE, SNOW, "https://a.example/1", "https://a.example/1", "uk", "uk", "ukr-ukr", "different"),
        (f"{BRIDGE} Це було вчора.", SNOW, "", "", "uk", "uk", "ukr-ukr", "somewhat_related"),
        (BRIDGE, "Mosty\nsą drogie.", "https://a.example/1", "https://p.example", "uk", "pl", "ukr-pl", "disagreement"),
        (MOST, BRIDGE, "https://b.example/2", "https://a.example/1", "ru", "uk", "ukr-ru", "different"),
    )
    documents, labels = public_set((path,), path)
    assert [one["id"] for one in documents] == [
        "https://a.example/1", "https://b.example/2", "https://a.example/1 2", "text 1", "text 2", "https://p.example",
    ]  # fmt: skip
    assert documents[0] == {"id": documents[0]["id"], "text": BRIDGE, "lang": "uk", "url": "https://a.example/1"}
    assert documents[5]["text"] == "Mosty\nsą drogie."
    assert "lang" not in documents[5]
    assert [(one.a, one.b, one.label, one.extra["kind"]) for one in labels] == [
        ("https://a.example/1", "https://b.example/2", "similar", "same-event"),
        ("https://a.example/1", "https://a.example/1 2", "different", "different"),
        ("text 1", "text 2", "different", "related"),
    ]
    found = evaluate(path, path, positive="similar", representation="pivot", df_min=1)
    row = found.rows[5]
    assert (row.scores.tp, row.scores.fp, row.scores.fn) == (1, 0, 0)
    with pytest.raises(ConfigurationError, match="name it as the documents too"):
        evaluate(str(tmp_path / "other.csv"), path)
    wrong = pairs_file(tmp_path / "wrong.csv", (BRIDGE, MOST, "", "", "uk", "ru", "ukr-ru", "same"))
    with pytest.raises(BadDataError, match="'same'; expected one of similar, somewhat_related"):
        evaluate(wrong, wrong)
    empty = pairs_file(tmp_path / "empty.csv", (BRIDGE, " ", "", "", "uk", "ru", "ukr-ru", "similar"))
    with pytest.raises(BadDataError, match="is empty"):
        evaluate(empty, empty)


def test_articles_and_pairs_of_news_copy(tmp_path):
    text = "The governor opened the bridge across the river yesterday and promised the town a new park and a school."
    articles = {
        "gazette-1955-03-02-1-4": {"headline": "Bridge opens", "byline": "By AP", "article": text},
        "herald-1955-03-02-2-1": {"article": text.replace("river", "rivcr")},
        "herald-1955-03-03-2-9": {"headline": "", "article": "Wheat prices fell on Monday as rain came to the plains."},
    }
    documents = tmp_path / "articles.json"
    edges = tmp_path / "edges.json"
    documents.write_text(json.dumps(articles), encoding="utf-8")
    edges.write_text(json.dumps([["herald-1955-03-02-2-1", "gazette-1955-03-02-1-4"]]), encoding="utf-8")
    read, labels = public_set(documents, edges)
    assert read[0]["text"] == f"By AP\n{text}"
    assert read[1]["title"] is None
    assert [(one.a, one.b, one.label) for one in labels] == [("gazette-1955-03-02-1-4", "herald-1955-03-02-2-1", "dup")]
    found = evaluate(documents, edges, closed=True, representation="stem", df_min=1)
    row = found.rows[5]
    assert (row.scores.tp, row.scores.fp, row.scores.fn) == (1, 0, 0)
    assert compare(documents, methods=["minhash"], labels=edges, closed=True).rows[0].figures["fn"] in (0, 1)
    for content, said in (("[]", "an object of articles"), ('{"a": 1}', "a: is missing"), ("{", "not JSON")):
        documents.write_text(content, encoding="utf-8")
        with pytest.raises(BadDataError, match=said):
            evaluate(documents, edges)
    documents.write_text(json.dumps(articles), encoding="utf-8")
    for content, said in (("{}", "a list of pairs"), ('[["a"]]', "pair 1 is not a list of two ids")):
        edges.write_text(content, encoding="utf-8")
        with pytest.raises(BadDataError, match=said):
            evaluate(documents, edges)
    with pytest.raises(NoInputError):
        evaluate(documents, tmp_path / "none.json")
    with pytest.raises(ConfigurationError, match="name it alone"):
        evaluate([str(documents), str(documents)], edges)


def test_other_labels_stay_as_given(tmp_path):
    assert public_set("a.jsonl", "labels.csv") == ("a.jsonl", "labels.csv")
    assert public_set("a.jsonl", None) == ("a.jsonl", None)
    (tmp_path / "labels.csv").write_text("a,b,label\n", encoding="utf-8")
    assert public_set("a.jsonl", tmp_path / "labels.csv") == ("a.jsonl", tmp_path / "labels.csv")
