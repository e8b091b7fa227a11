"""``search``: what a store's window holds like a text."""

import json
import re

import pytest

from infostream_dedup import Deduplicator, search
from infostream_dedup.documents import read_documents
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.sample import documents_path
from infostream_dedup.stream.search import Searcher
from infostream_dedup.stream.settings import StreamSettings
from tests.conftest import succeeded

DOCUMENTS = {document.id: document for document in read_documents(documents_path())}


def test_the_command_prints_rows(run, store, tmp_path):
    document = list(DOCUMENTS.values())[-1]
    (tmp_path / "text.txt").write_text(document.text, encoding="utf-8")
    done = succeeded(run("search", "--store", str(store), "--file", "text.txt", "--format", "json"))
    rows = json.loads(done.stdout)
    assert document.id in {row["id"] for row in rows}
    assert list(rows[0]) == [
        *("ordinal", "id", "title", "source", "published", "url", "language", "group", "forward", "backward"),
        *("share_forward", "share_backward", "relation", "kind", "probability", "terms", "met"),
    ]
    assert b"searched " in done.stderr
    told = run("search", "--store", str(store), "--id", document.id, "--within", "outlets", "--within-days", "3").stderr
    assert b"of them, only documents of other outlets could be hits; of them, only those within 3 days of it" in told
    assert b"workdir" not in run("search", "--help").stdout
    assert run("search", "--store", str(store), "--text", "").stdout == b""


@pytest.mark.parametrize("preset", ["judged", "faithful"])
def test_a_search_without_hits_has_the_columns_of_others(run, preset, tmp_path):
    text = "Президент открыл в городе новый мост через реку вместе с мэром."
    with Deduplicator.open(tmp_path / "s.db", StreamSettings(preset=preset)) as stream:
        stream.process([{"id": "1", "text": text}])
    found, none = (
        run("search", "--store", "s.db", "--text", asked, "--k-min", "3", "--format", "csv").stdout.splitlines()
        for asked in (text, "Снег")
    )
    assert len(found) == 2
    assert none == found[:1]
    assert list(search(tmp_path / "s.db", "Снег").to_pandas().columns) == none[0].decode().split(",")


def test_bad_calls_have_clear_errors(run, store, tmp_path):
    assert run("search", "--store", str(store)).returncode == 2
    assert run("search", "--store", "missing.db", "--text", "снег").returncode == 66
    assert run("search", "--store", str(store), "--file", "missing.txt").returncode == 66
    (tmp_path / "latin.txt").write_bytes(b"\xc8\xff")
    assert run("search", "--store", str(store), "--file", "latin.txt").returncode == 65


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "s.db"
    with Deduplicator.open(path, StreamSettings(window_days=None)) as stream:
        stream.process(list(DOCUMENTS.values()))
    return path


def test_one_language_is_never_translated(whole, run):
    text = "Мост через реку открыт для движения, сообщил мэр города"
    with Searcher.open(whole) as searcher:
        plain = searcher.search(text, k_min=1, across=False)
    done = run("search", "--store", str(whole), "--text", text, "--k-min", "1", "--same-language", "--format", "json")
    assert json.loads(done.stdout) == [hit.as_dict() for hit in plain]


@pytest.mark.parametrize("text", ["12 34", ""])
def test_a_text_without_key_terms_is_told_so(whole, run, text):
    done = run("search", "--store", str(whole), "--text", text, "--all", "--format", "json")
    assert json.loads(done.stdout) == []
    assert b"the text has too few key terms (0): at least 1 must match" in done.stderr
    assert b"see --k-min" in done.stderr


@pytest.mark.parametrize("text", ["Мост", "Мост Харькова"])
def test_a_headline_of_one_or_two_terms_finds_documents(whole, run, text):
    done = run("search", *text.split(), "--store", str(whole), "--all", "--format", "json")
    assert json.loads(done.stdout)
    assert b"too few" not in done.stderr
    assert run("search", "--store", str(whole), "--text", text, "--all", "--format", "json").stdout == done.stdout


def test_an_id_or_an_address_stands_for_its_document(tmp_path):
    texts = ["Мост через реку закрыли на ремонт до осени, сообщила мэрия.", "Театр кукол уехал на гастроли в столицу."]
    rows = [{"id": f"n-{n}", "url": f"https://a.example/{n}", "text": text} for n, text in enumerate(texts)]
    with Deduplicator.open(tmp_path / "s.db") as stream:
        stream.process(rows)
        for row in rows:
            assert [hit.id for hit in stream.search(row["id"])] == [row["id"]]
            assert [hit.id for hit in stream.search(f" {row['url']}\n")] == [row["id"]]
        assert [hit.id for hit in stream.search("Театр кукол")] == ["n-1"]
        assert list(stream.search("https://a.example/3")) == []


def test_one_name_finds_its_document_however_rare_it_is(tmp_path):
    texts = {
        "uk": "Мер Заріччя Ольга Кравець відкрила новий міст через Стир, будівництво якого тривало чотири роки.",
        "ru": "Губернатор Вятлев посетил завод в Кунгуре и обещал рабочим новые станки.",
        "en": "Mayor Harriet Quillfeather opened the new ferry terminal in Dunmore on Sunday.",
    }
    asked = {"uk": ("Кравець", "Стир", "Заріччя"), "ru": ("Вятлев", "Кунгур"), "en": ("Quillfeather", "Dunmore ferry")}
    with Deduplicator.open(tmp_path / "s.db") as stream:
        stream.process([{"id": language, "text": text} for language, text in texts.items()])
        for language, names in asked.items():
            for name in names:
                assert [hit.id for hit in stream.search(name)] == [language], name
        assert [list(stream.search(text)) for text in ("Quillfeather harbour", "Ковальчук", "the")] == [[], [], []]


@pytest.fixture(scope="module")
def russian(tmp_path_factory):
    """The Russian documents of the sample, all in the window."""
    path = tmp_path_factory.mktemp("russian") / "s.db"
    with Deduplicator.open(path, StreamSettings.of({"preset": "judged", "window_days": None})) as stream:
        stream.process([document for document in DOCUMENTS.values() if document.lang == "ru"])
    return path


def test_a_store_of_one_language_is_asked_in_others(russian):
    family = {name: document.extra["family"] for name, document in DOCUMENTS.items()}
    known = {family[name] for name, document in DOCUMENTS.items() if document.lang == "ru"}
    asked = [document for document in DOCUMENTS.values() if document.lang != "ru" and family[document.id] in known]
    assert len(asked) > 40
    with Searcher.open(russian) as searcher:
        first = [searcher.search(document.text, title=document.title, top=1) for document in asked]
        leads = [searcher.search(document.text.partition(".")[0], top=1) for document in asked]
        alone = [searcher.search(document.text, title=document.title, top=1, across=False) for document in asked]
    for found in (first, leads):
        right = [bool(hits) and family[hits[0].id] == family[asked[at].id] for at, hits in enumerate(found)]
        assert sum(right) >= 0.95 * len(asked)
        assert all(hit.kind for hits in found for hit in hits)
    assert sum(map(bool, alone)) < 0.5 * len(asked)
    assert any(hit.kind == "translation" for hits in first for hit in hits)
    met = next(hits[0].met for hits in first if hits and hits[0].kind == "translation")
    assert any(pair["word"] != pair["their_word"] for pair in met)


def test_a_stored_document_is_searched_for_and_does_not_find_itself(whole, run):
    name = "ru-001"
    with Searcher.open(whole) as searcher:
        by_text = searcher.search(DOCUMENTS[name].text, title=DOCUMENTS[name].title, across=False, top=0)
        by_id = searcher.search(id=name, across=False, top=0)
    assert [hit.id for hit in by_id] == [hit.id for hit in by_text if hit.id != name]
    assert by_id.searched.documents == by_text.searched.documents - 1
    done = run("search", "--store", str(whole), "--id", name, "--format", "json")
    assert "was not translated" in done.stderr.decode()
    wrong = run("search", "--store", str(whole), "--id", "nobody")
    assert (wrong.returncode, "has no document with the id 'nobody'" in wrong.stderr.decode()) == (65, True)
    assert run("search", "--store", str(whole), "--id", name, "--text", "снег").returncode == 2


def test_languages_and_sources_restrict_what_is_found(whole):
    asked = DOCUMENTS["ru-001"]
    with Searcher.open(whole) as searcher:
        every = searcher.search(asked.text, title=asked.title, k_min=1, top=0)
        some = searcher.search(asked.text, title=asked.title, k_min=1, top=0, languages=["uk"])
        source = next(hit.source for hit in every if hit.source)
        of_source = searcher.search(asked.text, title=asked.title, k_min=1, top=0, sources=[source])
        with pytest.raises(ConfigurationError, match="language is 'de'"):
            searcher.search("Schnee", languages=["de"])
    assert {hit.id for hit in some} == {hit.id for hit in every if hit.language == "uk"}
    assert {hit.id for hit in of_source} == {hit.id for hit in every if hit.source == source}
    assert some.searched.languages == {"uk": every.searched.languages["uk"]}


def test_the_whole_store_is_searched_when_asked(store, run):
    first = next(iter(DOCUMENTS.values()))
    with Searcher.open(store) as searcher:
        assert first.id not in {hit.id for hit in searcher.search(first.text, title=first.title, top=0)}
    with Searcher.open(store, everything=True) as searcher:
        hits = searcher.search(first.text, title=first.title, top=0)
        assert (hits[0].id, hits[0].kind, hits.searched.documents) == (first.id, "copy", len(DOCUMENTS))
        assert hits[0].published is not None
    done = run("search", "--store", str(store), "--text", first.text, "--all", "--format", "json")
    assert first.id in {row["id"] for row in json.loads(done.stdout)}
    assert f"searched {len(DOCUMENTS)} documents" in done.stderr.decode()


def test_a_period_is_searched(store, run):
    moments = sorted(document.time for document in DOCUMENTS.values() if document.time is not None)
    border = moments[len(moments) // 2]
    first = next(iter(DOCUMENTS.values()))
    asked = ("search", "--store", str(store), "--text", first.text, "--format", "json")
    until, since = run(*asked, "--until", border.isoformat()), run(*asked, "--since", border.isoformat())
    assert first.id in {row["id"] for row in json.loads(until.stdout)}
    assert first.id not in {row["id"] for row in json.loads(since.stdout) if since.stdout}
    counts = [int(re.search(rb"searched (\d+) documents", done.stderr)[1]) for done in (until, since)]
    assert sum(counts) == len(DOCUMENTS)


@pytest.mark.slow
@pytest.mark.corpus
def test_translations_find_their_family_in_a_russian_store(corpora, tmp_path):
    """Asked by the whole period, of the index of closed epochs; the news of mdnews is there to be mistaken for them."""
    sets = {name: list(read_documents(corpora / f"{name}.docs.jsonl.gz")) for name in ("mdnews", "wmt", "ntrex")}
    translated = [*sets["wmt"], *sets["ntrex"]]
    family = {document.id: document.extra.get("family") for document in translated}
    russian = [document for documents in sets.values() for document in documents if document.lang == "ru"]
    known = {family[document.id] for document in russian if document.id in family}
    with Deduplicator.open(tmp_path / "s.db") as stream:
        for begin in range(0, len(russian), 1000):
            stream.process(russian[begin : begin + 1000])
    right = asked = 0
    with Searcher.open(tmp_path / "s.db", everything=True) as searcher:
        for language in ("uk", "en"):
            one_each = {}
            for document in translated:
                news = document.extra.get("domain") in (None, "", "news")
                if document.lang == language and news and family[document.id] in known:
                    one_each.setdefault(family[document.id], document)
            for document in sorted(one_each.values(), key=lambda one: one.id)[:50]:
                hits = searcher.search(document.text, title=document.title, top=1)
                assert hits.searched.documents == len(russian) > 10_000
                right += bool(hits) and family.get(hits[0].id) == family[document.id]
                asked += 1
    assert asked == 100
    assert right >= 95
