"""A stream of preset ``judged``: what its verdicts say, and that nothing but the stream decides them."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import orjson
import pytest

from infostream_dedup.documents import read_documents
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence import judging
from infostream_dedup.judging.evidence.facts import DocumentFacts
from infostream_dedup.judging.evidence.kinds import KIND_NAMES, Kind, seen_from_later
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.machine.arrays import INT32, INT64, numbers_of, rows_from
from infostream_dedup.model import NO_TIME, Document, Settings
from infostream_dedup.model.stream_records import JUDGED_FIELDS, VERDICT_FIELDS
from infostream_dedup.sample import documents_path
from infostream_dedup.stream import evidence_judge, recent_documents
from infostream_dedup.stream.clock import DAY
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.evidence_judge import verdict_probability
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.window import compared_keys, published_times, triple_rows

JUDGED = StreamSettings(preset="judged")

BRIDGE = (
    "Президент Владимир Зеленский открыл в Харькове новый мост через реку Лопань вместе с мэром Игорем Тереховым. "
    "Строительство обошлось городу в 412 миллионов гривен и продолжалось 27 месяцев. Движение троллейбусов по мосту "
    "начнётся 14 октября, рассказал директор департамента транспорта Сергей Дульфан. Раньше жители Салтовки добирались "
    "до центра в объезд, через проспект Гагарина, и теряли до сорока минут."
)
RATES = (
    "Национальный банк Украины установил официальный курс гривны на {day} марта. Доллар стоит {dollar} гривны, евро "
    "{euro} гривны, злотый {zloty} гривны. Накануне межбанковский рынок закрылся котировками {low} и {high}. Эксперты "
    "Нацбанка ожидают, что валютный рынок останется спокойным, сообщает пресс-служба регулятора."
)


@pytest.fixture
def short_epochs(monkeypatch):
    """Epochs of evidence of forty documents, so that a small stream closes several."""
    monkeypatch.setattr(evidence_judge, "EPOCH", 40)


@pytest.fixture(scope="module")
def stream(made_up_stream):
    """The sample, with copies and edited copies, then made-up news."""
    sample = list(read_documents(documents_path()))
    copies = [Document(id=f"again-{one.id}", text=one.text, source="another", time=one.time) for one in sample[::9]]
    edited = [
        Document(id=f"edited-{one.id}", text=f"Агентство сообщает. {one.text}", source="third", time=one.time)
        for one in sample[::7]
    ]
    return [*sample, *copies, *edited, *made_up_stream()[:150]]


def decided(documents, settings=JUDGED):
    with Deduplicator.open(None, settings) as dedup:
        return dedup.process(documents)


def news(news_id, text, *, source, day=1, hour=8, title=""):
    return {
        "id": news_id, "text": text, "source": source, "title": title,
        "published": f"2026-03-{day:02}T{hour:02}:00:00Z",
    }  # fmt: skip


def rates(day):
    numbers = {"dollar": 41 + day / 100, "euro": 45 + day / 50, "zloty": 10 + day / 40, "low": 41.1, "high": 41.2 + day}
    return news(f"rates-{day}", RATES.format(day=day, **numbers), source="bank", day=day, title=f"Курс на {day} марта")


def test_what_an_editor_calls_a_copy_a_form_and_a_later_version():
    longer = f"{BRIDGE} Проезд для грузовиков пока закрыт."
    found = decided(
        [
            news("first", BRIDGE, source="one", title="Открыт мост"), rates(1),
            news("same", BRIDGE, source="two", title="Мост в Харькове"),
            news("copy", longer, source="three", hour=9, title="Мост открыли"),
            news("own", longer.replace("27 месяцев", "28 месяцев"), source="one", hour=11, title="Открыт новый мост"),
            rates(2), news("other", "Сборная выиграла матч по футболу в Одессе со счётом 3:1.", source="one", day=2),
        ]
    )  # fmt: skip
    assert [(one.id, one.status, one.of, one.kind) for one in found] == [
        ("first", "new", None, None), ("rates-1", "new", None, None), ("same", "exact", "first", "copy"),
        ("copy", "duplicate", "same", "copy"), ("own", "similar", "copy", "updated"),
        ("rates-2", "similar", "rates-1", "template"), ("other", "new", None, None),
    ]  # fmt: skip
    assert [one.group for one in found] == ["first", "rates-1", "first", "first", "own", "rates-2", "other"]
    assert (found[2].probability, found[3].relation) == (1.0, "equal")
    assert (found[4].differs_by, found[4].differing) == ("another figure", (("27", "28"),))
    assert all(0.5 <= one.probability <= 1 for one in found if one.of is not None)
    assert found[5].repeats
    assert not found[6].repeats


def test_join_says_which_kinds_make_a_duplicate():
    joined = decided([rates(1), rates(2)], JUDGED.but(join=("copy", "template")))
    assert [(one.status, one.kind, one.group) for one in joined][1] == ("duplicate", "template", "rates-1")
    with pytest.raises(ConfigurationError, match="join"):
        JUDGED.but(join=("related",))


def test_contained_and_contains_are_seen_from_the_later_document():
    other = " ".join(f"Депутат Ковальчук назвал причину номер {number} отставки министра." for number in range(30))
    parts = [news("part", BRIDGE, source="one"), news("whole", f"{other} {BRIDGE}", source="two", hour=9)]
    assert decided(parts)[1].kind == "contains"
    assert decided([{**parts[1], "published": "2026-03-01"}, parts[0]])[1].kind == "contained"


def test_short_texts_are_exact_or_insufficient():
    short = [news("a", "Да, да.", source="one"), news("b", "Да да!", source="two"), news("c", "Нет.", source="one")]
    found = [(one.status, one.kind, one.probability) for one in decided(short)]
    assert found == [("new", None, None), ("exact", "copy", 1.0), ("insufficient_text", None, None)]


@pytest.mark.parametrize(
    "changes",
    [{"k_duplicate": 5}, {"duplicate_rule": "contained"}, {"templates": False}, {"least_shared": 0.2},
     {"terms": Settings(n=10)}, {"terms": Settings(representation="stem")}, {"keep_text": True, "model": "0" * 32}],
)  # fmt: skip
def test_settings_of_key_terms_are_refused(changes):
    with pytest.raises(ConfigurationError, match=r"preset judged .* leave it out"):
        JUDGED.but(**changes)


def expected(remembered, settings):
    """Status, ``of``, kind and probability of each document, every pair of the window compared at once."""
    kept = [one.evidence for one in remembered]
    numbers = range(len(remembered))
    keys = rows_from([[*one.keys, *numbers_of(one.evidence.keys, INT32)] for one in remembered], np.int64)
    weights = rows_from([[*one.weights, *numbers_of(one.evidence.weights, INT64)] for one in remembered], np.int64)
    targets = rows_from([one.targets for one in remembered], np.int64)
    firsts = np.array([len(one.keys) for one in remembered])
    sets = [(set(one.keys.tolist()), set(one.targets.tolist())) for one in remembered]
    clocks = [one.clock for one in remembered]
    facts = DocumentFacts.of(
        [one.source for one in remembered], [one.published or None for one in remembered],
        [one.text_hash for one in remembered], [one.url for one in remembered],
    )  # fmt: skip
    openings = [int.from_bytes(one.opening_hash, "little") if one.opening_hash else -1 for one in remembered]
    facts = replace(facts, openings=np.array(openings, dtype=np.int64))
    pairs = [
        (a, b)
        for b in numbers
        for a in range(b)
        if clocks[b] - clocks[a] <= settings.window_days * DAY
        and (
            (len(sets[a][0]) >= 3 and len(sets[b][0]) >= 3 and remembered[a].language == remembered[b].language
             and max(len(sets[a][0] & sets[b][1]), len(sets[b][0] & sets[a][1])) >= 3)
            or facts.texts[a] == facts.texts[b] >= 0
            or (openings[a] == openings[b] >= 0 and remembered[a].source != remembered[b].source)
        )
    ]  # fmt: skip
    a, b = np.array(pairs, dtype=np.int64).T.copy()
    judged = judging.judge_pairs(
        a, b, keys=compared_keys(keys, weights, targets, firsts=firsts),
        records=EvidenceRecords.of_blobs([one.record for one in kept]),
        triples=triple_rows([one.triples for one in kept]), documents=facts,
    )  # fmt: skip
    assert NO_TIME in facts.times
    # Two of one form, and an earlier third.
    forms = {pair for pair, form in zip(pairs, judged.forms, strict=True) if form}
    filled = [(x, y) in forms and any({(z, y), (min(x, z), max(x, z))} <= forms for z in range(y)) for x, y in pairs]
    judged.kinds[filled] = Kind.TEMPLATE
    status = judging.statuses(judged.kinds, judged.facts, judging.joined_kinds(settings.join))
    found = [("new", None, None, None)] * len(remembered)
    for place in judging.best_pairs(a, b, status, judged.probability, judged.shares).tolist():
        if status[place] > judging.DocumentStatus.NEW:
            kind = KIND_NAMES[seen_from_later(Kind(judged.kinds[place]))]
            probability = verdict_probability(float(judged.probability[place]))
            found[b[place]] = judging.STATUS_NAMES[status[place]], remembered[a[place]].id, kind, probability
    return [
        ("insufficient_text", *one[1:])
        if one[0] == "new" and len(document.keys) < 3 and not document.text_hash
        else one
        for one, document in zip(found, remembered, strict=True)
    ]


def test_verdicts_are_those_of_all_pairs_compared_at_once(stream, short_epochs):
    with Deduplicator.open(None, JUDGED) as dedup:
        done = dedup._current_engine().decide(stream)
    # A repeat of a document that left, and was not nearly the same, begins a group of its own.
    status = ["duplicate" if (one.status, one.kind) == ("similar", "copy") else one.status for one in done.verdicts]
    assert Counter(status)["similar"] >= Counter(one.status for one in done.verdicts)["similar"] - 2
    found = [(own, one.of, one.kind, one.probability) for own, one in zip(status, done.verdicts, strict=True)]
    assert [(a, b) for a, b in zip(found, expected(done.remembered, JUDGED), strict=True) if a != b] == []
    counted = Counter(one.status for one in done.verdicts)
    assert min(counted[name] for name in ("new", "exact", "duplicate", "similar")) >= 5
    assert len({one.kind for one in done.verdicts}) >= 6


@pytest.mark.parametrize(("near", "spread"), [(1024, 256), (24, 9)])
def test_a_few_of_many_candidates_decide_as_all_do(monkeypatch, tmp_path, near, spread):
    monkeypatch.setattr(judging, "_NEAR", near)
    monkeypatch.setattr(judging, "MOST_COMPARED", 32 + near)
    monkeypatch.setattr(evidence_judge, "_SPREAD", spread)
    for cut in (7, 3):
        texts = [" ".join(BRIDGE.replace("412", str(n)).split()[n % cut :]) for n in range(150)]
        for late in (100, 149):  # the one that is nearest to the last is neither early nor read with it
            texts[late] += f" {rates(3)['text']}"
        flood = [Document(id=str(n), text=text, source=f"s{n % 5}") for n, text in enumerate(texts)]
        few = decided(flood)
        with monkeypatch.context() as small, Deduplicator.open(tmp_path / f"{cut}.db", JUDGED) as dedup:
            small.setattr(recent_documents, "_MOST_TRIPLES", 0)
            parts = [flood[begin:end] for begin, end in pairwise([0, 29, 120, 148, 149, 150])]
            assert rows(few) == rows([one for part in parts for one in dedup.process(part)])
    monkeypatch.setattr(judging, "_CROWD", 1000)
    told = [[(one.status, one.kind, one.group) for one in some] for some in (few, decided(flood))]
    assert told[0] == told[1]
    assert Counter(kind for _, kind, _ in told[0]).most_common(1)[0][1] > 64


@pytest.mark.parametrize("size", [7, 100, 1000])
def test_batches_and_restarts_change_no_byte(stream, short_epochs, tmp_path, size):
    whole = rows(decided(stream))
    path, found = tmp_path / "s.db", []
    for begin in range(0, len(stream), size):
        part = stream[begin : begin + size]
        with Deduplicator.open(path, JUDGED if begin == 0 else None) as dedup:
            half = len(part) // 2
            found += dedup.process(part[:half]) + dedup.process(part[half:])
    assert rows(found) == whole
    with Deduplicator.open(path) as dedup:
        assert rows(dedup.process(stream)) == whole


@pytest.mark.parametrize("room", [0, 20_000])
@pytest.mark.parametrize("pairs", [evidence_judge._MANY_PAIRS, 0])
def test_wording_that_no_longer_fits_into_memory_is_read_from_the_store(
    stream, short_epochs, monkeypatch, tmp_path, room, pairs
):
    whole = rows(decided(stream))
    monkeypatch.setattr(recent_documents, "_MOST_TRIPLES", room)
    monkeypatch.setattr(evidence_judge, "_MANY_PAIRS", pairs)
    asked, found, first = [], [], []
    with Deduplicator.open(tmp_path / "s.db", JUDGED) as dedup:
        monkeypatch.setattr(dedup.store, "wording", _recorded(dedup.store.wording, asked))
        for begin in range(0, len(stream), 40):
            found += dedup.process(stream[begin : begin + 40])
            recent = dedup._current_engine()._deciding._recent
            first.append(recent.first)
            assert recent.end == begin + len(stream[begin : begin + 40])
    assert rows(found) == whole
    # Documents are read again once they are no longer kept; those of the batch are.
    assert first == sorted(first)
    assert len([one for one in set(asked) if one < first[-1]]) >= 5
    assert all(before <= one for before, one in zip(range(0, len(stream), 40), first, strict=True)) == (room == 0)


def _recorded(read, asked):
    def reading(ordinals):
        asked.extend(ordinals)
        return read(ordinals)

    return reading


def rows(verdicts):
    return orjson.dumps([one.as_dict((*VERDICT_FIELDS, *JUDGED_FIELDS)) for one in verdicts])


def test_a_forgotten_document_is_never_found_again(tmp_path):
    first, again = news("first", BRIDGE, source="one"), news("again", f"{BRIDGE} Ещё.", source="two", hour=10)
    with Deduplicator.open(tmp_path / "s.db", JUDGED) as dedup:
        dedup.process([first])
        with Store.open(tmp_path / "s.db") as store:
            store.forget("first")
            tables = {table: store.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
                      for table in ("evidence", "wording", "signature")}  # fmt: skip
        assert set(tables.values()) == {0}
        assert dedup.process([again])[0].status == "new"


def test_a_window_keeps_few_bytes_for_a_document(stream):
    with Deduplicator.open(None, JUDGED) as dedup:
        dedup.process(stream[:199])
        window = dedup._current_engine()._memory.window
    evidence = window.evidence_columns
    rows = [column.rows for column in (evidence.keys, evidence.weights, evidence.records)]
    assert 100 < sum(int(one.indptr[199]) * one.values.itemsize for one in rows) / 199 <= 1100


def test_a_store_keeps_its_preset_and_says_how_to_begin_another(tmp_path):
    first = [news("first", BRIDGE, source="one")]
    with Deduplicator.open(tmp_path / "judged.db", JUDGED) as dedup:
        dedup.process(first)
    with pytest.raises(
        ConfigurationError, match=r"judged\.db .*preset judged.* ingest DOCS --store NEW --preset faithful"
    ):
        Deduplicator.open(tmp_path / "judged.db", JUDGED.but(preset="faithful"))
    with Deduplicator.open(tmp_path / "judged.db") as dedup:
        assert dedup.settings == JUDGED


def test_dates_of_1970_and_before_count_as_none():
    assert published_times([None, 0, -5, 7]).tolist() == [NO_TIME, NO_TIME, NO_TIME, 7]
