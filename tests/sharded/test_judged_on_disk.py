"""``dedup`` with preset ``judged`` in a work folder gives the rows that it gives in memory."""

import json

import numpy as np
import pytest

from infostream_dedup import dedup, pairs
from infostream_dedup.errors import UsageError
from infostream_dedup.judging.evidence import judging
from infostream_dedup.judging.evidence.pair_evidence import TripleRows
from infostream_dedup.links.compiled.term_rows import TermRows
from infostream_dedup.model import Document
from infostream_dedup.runs.sharded.key_terms import KEYS, fewer_keys, keys_row
from infostream_dedup.runs.sharded.plan import Plan
from infostream_dedup.runs.sharded.reading import EvidenceRun, RunRows, new_wording
from infostream_dedup.sample import documents_path


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Many chunks, shards and blocks even of a few documents."""
    monkeypatch.setattr(Plan, "chunk", property(lambda self: 9))
    monkeypatch.setattr(Plan, "shards", lambda self, *sizes: 3)
    monkeypatch.setattr("infostream_dedup.runs.sharded.deduplication._PAIRS_AT_ONCE", 50)
    monkeypatch.setattr("infostream_dedup.runs.sharded.reading._AT_ONCE", 1_000)


def _write(path, documents, **more):
    rows = [{"id": one.id, "text": one.text, "lang": one.lang, **more} for one in documents]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def _same(path, tmp_path, **options):
    expected = dedup(path, tmp_path / "memory.jsonl", annotate=True, **options)
    found = dedup(path, tmp_path / "disk.jsonl", annotate=True, workdir=tmp_path / "work", memory="2GB", **options)
    assert (tmp_path / "disk.jsonl").read_bytes() == (tmp_path / "memory.jsonl").read_bytes()
    assert found.as_dict() == expected.as_dict()
    return expected.statuses


def test_the_sample_with_its_dates_and_sources(tmp_path):
    statuses = _same(str(documents_path()), tmp_path)
    assert min(statuses[name] for name in ("new", "exact", "duplicate", "similar")) > 0


_FORMS = (
    "Погода на {d} мая. Днём {t} градусов тепла, ветер {w} метров в секунду, давление {p}, осадки {r} %. Восход солнца"
    " в {h}:{m}. Синоптики советуют взять зонт и тепло одеться, следите за прогнозом|"
    "The office expects {t} degrees on May {d}, winds of {w} miles per hour, a pressure of {p} and a {r} percent chance"
    " of rain after {h}:{m}. Residents are advised to carry an umbrella and to follow the announcements|"
    "Курс доллара на {d} травня становить {t},{r} гривні, повідомила пресслужба Національного банку ввечері у середу"
)


@pytest.mark.parametrize("form", _FORMS.split("|"))
@pytest.mark.parametrize("dated", [False, True])
def test_of_many_copies_of_a_form_a_few_pairs_decide(form, dated, tmp_path, monkeypatch):
    some = np.random.default_rng(7)
    path = tmp_path / "forms.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(120):
            values = dict(
                zip("dtwprhm", (int(some.integers(10, 11 + most)) for most in (20, 9, 9, 50, 89, 5, 49)), strict=True)
            )
            row = {"id": str(number), "text": form.format(**values), "lang": "en" if form[0] == "T" else None}
            if dated:
                row |= {"source": f"s{number % 3}", "published": f"2026-05-{1 + number % 28:02d}T08:00:00Z"}
            file.write(json.dumps(row) + "\n")
    judged = []
    monkeypatch.setattr(judging, "_NEAR", 40)
    monkeypatch.setattr(
        judging, "_compared", lambda a, *rest, _by=judging._compared: judged.append(len(a)) or _by(a, *rest)
    )
    _same(str(path), tmp_path)
    few = sum(judged)
    monkeypatch.setattr(judging, "_CROWD", 1 << 30)
    every = dedup(str(path), tmp_path / "every.jsonl", annotate=True)
    assert every.statuses["similar"] + every.statuses["duplicate"] > 100
    # Both engines judged, together, fewer pairs than one does without a choice.
    assert few < sum(judged) - few
    found, expected = (
        [
            [json.loads(line)[name] for name in ("status", "kind", "group")]
            for line in (tmp_path / name).read_text("utf-8").splitlines()
        ]
        for name in ("memory.jsonl", "every.jsonl")
    )
    assert found == expected


_NOUNS = (
    "завод мост река банк суд школа больница улица площадь вокзал поезд самолёт корабль порт склад рынок магазин "
    "договор закон указ бюджет налог кредит вклад акция биржа нефть газ уголь зерно пшеница молоко хлеб мясо рыба "
    "врач учитель министр депутат мэр губернатор судья адвокат инженер рабочий водитель пилот капитан тренер игрок "
    "команда матч турнир кубок медаль рекорд стадион театр музей выставка концерт фильм книга газета журнал"
).split()


def _story(number, *, seed=3):
    """One text of 60 nouns, of which each document changes three."""
    random = np.random.default_rng(seed)
    for place in range(number):
        text = list(_NOUNS[:60])
        for at in random.integers(0, len(text), 3):
            text[at] = _NOUNS[random.integers(60, len(_NOUNS))]
        yield Document(id=f"s{place}", text=" ".join(text), lang="ru")


def test_a_story_that_fills_a_collection_keeps_its_key_terms(tmp_path):
    assert _same(_write(tmp_path / "story.jsonl", list(_story(60))), tmp_path, background=False)["duplicate"] >= 56


def test_a_killed_run_goes_on(tmp_path, monkeypatch):
    path = _write(tmp_path / "story.jsonl", list(_story(30)))
    module = "infostream_dedup.runs.sharded.deduplication"
    with monkeypatch.context() as broken:
        broken.setattr(f"{module}.join_groups", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            dedup(path, tmp_path / "no.jsonl", workdir=tmp_path / "work", memory="2GB")
    made = (tmp_path / "work" / "counted.json").stat().st_mtime_ns
    _same(path, tmp_path)
    assert (tmp_path / "work" / "counted.json").stat().st_mtime_ns == made


@pytest.mark.slow
def test_mdnews(corpora, tmp_path, monkeypatch):
    monkeypatch.setattr(Plan, "chunk", property(lambda self: 1_500))
    monkeypatch.setattr("infostream_dedup.runs.sharded.deduplication._PAIRS_AT_ONCE", 20_000)
    path = str(corpora / "mdnews.docs.jsonl.gz")
    assert _same(path, tmp_path)["duplicate"] > 0
    expected = [row.as_dict() for row in pairs(path)]
    assert [row.as_dict() for row in pairs(path, workdir=tmp_path / "work", memory="2GB")] == expected


def test_what_only_memory_knows_is_refused(tmp_path):
    path = _write(tmp_path / "story.jsonl", list(_story(3)))
    for option in ("count_copies", "semantic"):
        with pytest.raises(UsageError, match="in memory"):
            dedup(path, tmp_path / "out.jsonl", workdir=tmp_path / "work", preset="judged", **{option: True})


@pytest.mark.parametrize("parts", [1, 2, 8])
def test_new_wording_is_that_of_the_whole_collection(collections, parts):
    run, rows = EvidenceRun(), []
    for document in collections["made-up"]:
        rows += run.add(document)
    raw = [row for table, row in [*rows, *run.finish()] if table == "raw"]
    assert len(raw) > 3
    every = np.arange(len(collections["made-up"]))
    whole = RunRows.of_triples(raw).triples(every)
    expected = TripleRows(whole.triples, whole.begins).repeat_earlier()
    assert 0 < expected.sum() < len(every)
    assert np.array_equal(new_wording(raw, len(every), parts), expected)


def test_fewer_keys_keeps_the_heaviest_and_of_equals_the_first():
    keys = TermRows(np.array([0, 4, 5]), np.array([7, 3, 5, 1, 2], dtype=np.uint32), 8)
    targets = TermRows(np.array([0, 2, 3]), np.array([1, 5, 2], dtype=np.uint32), 8)
    row = keys_row(0, np.zeros(2, np.uint8), keys, np.array([20, 10, 30, 20, 5]), targets)
    (found,) = KEYS.rows(fewer_keys([row], 2))
    assert (found["keys"].tolist(), found["weights"].tolist()) == ([7, 5, 2], [20, 30, 5])
    assert found["own"].tolist() == [1, 1]


def test_pairs_of_the_sample(tmp_path):
    path = str(documents_path())
    expected = [row.as_dict() for row in pairs(path, between="none", explain=True)]
    found = pairs(path, between="none", explain=True, workdir=tmp_path / "work", memory="2GB")
    assert [row.as_dict() for row in found] == expected
    assert len({row["kind"] for row in expected}) > 2
    with pytest.raises(UsageError, match="between none"):
        pairs(path, workdir=tmp_path / "work", memory="2GB")
