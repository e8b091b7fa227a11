"""Where the data are: DuckDB, frames, estimators, open files and addresses; every listing as Parquet."""

import doctest
import io
import json
from importlib import import_module
from pathlib import Path

import pytest

from infostream_dedup import Document, dedup, drop_near_duplicates, pairs, read_documents
from infostream_dedup.errors import NoInputError, UsageError
from infostream_dedup.sample import documents_path

SAME = "Мост через Лопань открыл министр транспорта утром в среду."
OTHER = "Завод в Полтаве закрыли на ремонт до весны, рабочих отправили в отпуск."
ROWS = {"id": [7, 7, 9], "text": [SAME, OTHER, SAME], "x": [1.5, None, 3.0]}


def test_duckdb_says_what_the_functions_say(monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    from infostream_dedup.duckdb import register

    con = register(register(duckdb.connect()).cursor())
    con.sql(f"CREATE TABLE news AS SELECT *, 'nan'::DOUBLE AS x FROM read_json('{documents_path()}')")  # noqa: S608
    rows = con.sql("SELECT id, status, of FROM dedup_groups('news')").fetchall()
    found = dedup(documents_path(), annotate=True)
    assert sorted(rows) == sorted((row["id"], row["status"], row["of"]) for row in found.as_rows())
    con.sql("CREATE TABLE upper AS SELECT id::VARCHAR AS ID, * EXCLUDE id FROM news")
    expected = [(row["a"], row["b"], row["probability"]) for row in pairs(documents_path()).as_dicts()]
    assert con.sql("SELECT a, b, probability FROM dedup_pairs('upper')").fetchall() == expected
    con.sql("CREATE TABLE large AS SELECT i::HUGEINT << 70 AS id, 'x' AS text, 'a' AS source FROM range(200000) t(i)")
    con.sql("CREATE TABLE body AS SELECT 1 AS id, 'Снег' AS body")
    seen = []
    monkeypatch.setattr(import_module(pairs.__module__), "pairs", lambda rows: seen.extend(rows) or pairs([]))
    assert con.sql("FROM dedup_pairs('large')").fetchall() == []
    assert [(row["source"], int(row["id"]) >> 70) for row in seen] == [("a", place) for place in range(200_000)]
    monkeypatch.undo()
    with pytest.raises(duckdb.InvalidInputException, match="text is NULL or no column of the table; name it in a view"):
        con.sql("FROM dedup_groups('body')").fetchall()
    said = con.sql("SELECT same_text($1, $1 || ' Снег.'), same_text($1, $2), same_text(NULL, $1)", params=[SAME, OTHER])
    assert said.fetchall() == [(True, False, None)]
    assert con.sql("SELECT key_terms($1, NULL), key_terms(NULL, 'ru')", params=[OTHER]).fetchall()[0][0][0] == "полтава"


@pytest.mark.parametrize("module", ["duckdb", "estimators"])
def test_examples_are_true(module):
    pytest.importorskip({"estimators": "sklearn"}.get(module, module))
    assert doctest.testmod(import_module(f"infostream_dedup.{module}")).failed == 0


@pytest.mark.parametrize("library", ["pandas", "polars", "lazy", "pyarrow"])
def test_a_frame_comes_back_as_its_kind(library):
    pytest.importorskip("narwhals")
    module = pytest.importorskip({"lazy": "polars"}.get(library, library))
    given = getattr(module, {"pyarrow": "table", "lazy": "LazyFrame"}.get(library, "DataFrame"))(ROWS)
    kept = drop_near_duplicates(given)
    assert type(kept) is type(given)
    assert len((kept.collect() if library == "lazy" else kept)["x"]) == 2
    for options, told in (({"text": "body"}, "no column 'body'"), ({"annotate": True}, "annotate is for dedup")):
        with pytest.raises(UsageError, match=told):
            drop_near_duplicates(given, **options)


def test_estimators_fit_pipelines():
    pytest.importorskip("sklearn")
    np, pd, pa = map(pytest.importorskip, ("numpy", "pandas", "pyarrow"))
    from sklearn.base import clone
    from sklearn.cluster import KMeans
    from sklearn.exceptions import NotFittedError
    from sklearn.pipeline import make_pipeline

    from infostream_dedup.estimators import KeyTerms, NearDuplicates

    given = [SAME, OTHER, SAME, "", None]
    frame = pd.DataFrame({"text": given, "title": None})
    mixed = [SAME, OTHER, Document(id="1", text=SAME), "", pd.NA]
    for texts in (given, frame, frame[["text"]], pa.table(frame), np.array(given)[:, None], mixed):
        assert clone(NearDuplicates(preset="faithful", k=4)).fit_predict(texts).tolist() == [0, 1, 0, 2, 3]
    for told, wrong in {"one str": SAME, "no column text": pd.DataFrame(), "text 1 is of type int": [SAME, 5]}.items():
        with pytest.raises(UsageError, match=told):
            KeyTerms().fit(wrong)
    with pytest.raises(NotFittedError):
        KeyTerms().get_feature_names_out()
    model = KeyTerms()
    matrix = model.fit_transform([SAME, OTHER, SAME])
    assert (matrix[[0]] != matrix[[2]]).nnz == 0
    assert set(model.get_feature_names_out()) >= {"мост", "завод"}
    assert (model.transform([OTHER, "Котёнок спит на подоконнике."]).sum(axis=1) > 0).tolist() == [True, False]
    labels = make_pipeline(KeyTerms(), KMeans(2, n_init=1, random_state=0)).fit_predict([SAME, OTHER, SAME])
    assert labels[0] == labels[2] != labels[1]


def test_open_files_and_addresses_are_read_as_files_are(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    content = Path(documents_path()).read_bytes()
    expected = list(read_documents(documents_path()))
    for stream in (io.BytesIO(content), io.StringIO(content.decode())):
        assert list(read_documents(stream)) == expected
    (tmp_path / "news.csv").write_text(f"id,text\n1,{SAME}\n2,Снег\n", encoding="utf-8")
    with (tmp_path / "news.csv").open("rb") as stream:
        assert [one.text for one in read_documents(stream)] == [SAME, "Снег"]
    with fsspec.open("memory://news.jsonl", "wb") as out:
        out.write(content)
    assert dedup("memory://news.jsonl").kept == dedup(documents_path()).kept
    with pytest.raises(NoInputError, match="memory://none"):
        list(read_documents("memory://none.jsonl"))


def test_every_listing_is_written_as_parquet(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    import pyarrow as pa

    from infostream_dedup.documents.outputs import write_rows

    rows = [row.as_dict() for row in pairs(documents_path())][:20]
    with (tmp_path / "pairs.parquet").open("wb") as stream:
        assert write_rows(rows, stream, "parquet") == 20
    table = pq.read_table(tmp_path / "pairs.parquet")
    assert [json.dumps(row["terms"]) for row in table.to_pylist()] == [json.dumps(row["terms"]) for row in rows]
    assert pa.table(pairs(documents_path())).num_rows > 20


def test_a_notebook_shows_curves_and_marked_pairs():
    pytest.importorskip("altair")
    from infostream_dedup import passages, sweep

    found = sweep(documents_path(), representations=["stem"])
    chart = found.chart().to_dict()
    assert [part["layer"][0]["encoding"]["y"]["title"] for part in chart["hconcat"]] == ["S(k)", "T(k)", "links"]
    drawn = chart["hconcat"][0]["layer"][0]["data"]["values"]
    assert [row["symmetry"] for row in drawn] == [row["symmetry"] for row in found.as_rows()]
    page = passages.compare(f"Снег. {SAME} <b>", f"{SAME} Дождь.")._repr_html_()
    assert f'<mark title="1">{SAME}</mark>' in page
    assert "&lt;b&gt;" in page
