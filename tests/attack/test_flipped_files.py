"""Files beside a store and files of the package with one bit flipped: refused, made again, or saying all they said."""

import random

import orjson
import pytest

from infostream_dedup.errors import BadDataError, InfostreamError
from infostream_dedup.judgements import Desk, judgements
from infostream_dedup.judgements.desk import add_job, end_job, job_shown, last_result, latest_jobs
from infostream_dedup.judgements.judgements import Judgement, add_judgement, add_review, import_labels, undo_judgement
from infostream_dedup.judging.evidence.pair_model import BACKGROUND_FILE, MODEL_FILE, shipped_bytes
from infostream_dedup.judging.evidence.records import background_of
from infostream_dedup.judging.passages.boilerplate import read_boilerplate
from infostream_dedup.language.lexicon.frequency import TAGS_FILE
from infostream_dedup.language.lexicon.frequency import unpacked as english_tags
from infostream_dedup.language.morphology.form_cache import SHARES_FILE, known_texts, terms_file, unpacked
from infostream_dedup.runs.spark.streaming import SlotWriter
from infostream_dedup.stream.intake import read_mark, write_mark

PEOPLE = ("oksana", "taras", "iryna")
HEADER_BITS = 800


class MadeAgainError(Exception):
    """What a reader says that leaves a damaged file aside."""


def fill_desk(path):
    """All kinds of rows, and some that were changed."""
    with Desk.open(path) as desk:
        for place in range(60):
            with desk.writing() as connection:
                said = add_judgement(
                    connection,
                    Judgement(
                        a=f"ru-{place % 25:03}", b=f"uk-{place % 20:03}",
                        label=("dup", "similar", None, "template", "different")[place % 5],
                        repeats=(None, "b", "both")[place % 3] if place % 5 == 0 else None, person=PEOPLE[place % 3],
                        key=f"key-{place}", seconds=1.5 + place, version_a=place % 2 or None,
                    ),
                )  # fmt: skip
                if place % 7 == 0:
                    undo_judgement(connection, said.number, PEOPLE[place % 3], f"undo-{place}")
                add_review(connection, "alarm", str(place % 8), ("known", "snoozed", None)[place % 3], person="oksana")
        with desk.writing() as connection:
            import_labels(connection, [{"a": f"x{n}", "b": f"y{n}", "label": None} for n in range(20)], person="file")
            for person in PEOPLE:
                judgements.next_pairs(
                    connection, judgements.asked_pairs(connection, "audit"), person=person, queue="audit", wanted=4
                )
            for _ in range(3):
                number = add_job(connection, "sweep", {"documents": 1000}, position="7", person="oksana")
                end_job(connection, number, "done", result={"rows": [{"k": k, "symmetry": 1 / k} for k in range(1, 9)]})


def all_of_a_desk(path):
    """Everything that is read back from one, by the functions that read it."""
    with Desk.open(path, create=False) as desk, desk.reading() as connection:
        return orjson.dumps(
            [
                *(list(judgements.label_rows(connection, who=who)) for who in (None, *PEOPLE)),
                judgements.judgement_page(connection, before=None, limit=1000),
                *(judgements.progress_of(connection, person) for person in PEOPLE), judgements.agreement_of(connection),
                judgements.disagreements(connection, 100), judgements.asked_pairs(connection, "audit"),
                connection.execute("SELECT * FROM reservation").fetchall(),
                [judgements.present_reviews(connection, kind) for kind in ("template", "alarm")],
                latest_jobs(connection, 10), last_result(connection, "sweep"),
                [job_shown(connection, number) for number in range(5)],
            ],
        )  # fmt: skip


def all_of_a_background(path):
    background_of.cache_clear()
    return {name: (buckets.tobytes(), shares.tobytes()) for name, (buckets, shares) in background_of(path).items()}


def write_boilerplate(path):
    from infostream_dedup.judging.passages.boilerplate import ListedSentence

    rows = [
        ListedSentence(f"site-{n}.example", f"Читайте также номер {n}", 20 + n, 0.5, 0, n).as_dict() for n in range(20)
    ]
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))


def waiting_rows(path):
    found = []
    SlotWriter(judge=found.append, waiting=path, delay_seconds=0).take(
        [{"id": "last", "text": "", "published": "2026-11-21T12:00:00Z"}]
    )
    return orjson.dumps(found)


def write_waiting(path):
    rows = [{"id": f"d{n}", "text": f"Мост номер {n} открыт.", "published": "2026-11-21T10:00:30Z"} for n in range(20)]
    SlotWriter(judge=lambda _: None, waiting=path).take(rows)


def marked(path):
    noted = []
    found = read_mark(path, noted.append)
    if noted:
        raise MadeAgainError
    return found


FILES = {
    "news.db.desk": (fill_desk, all_of_a_desk), "known_terms.uk.bin": (terms_file("uk"), known_texts),
    "known_shares.bin": (SHARES_FILE, unpacked), "english_tags.bin": (TAGS_FILE, english_tags),
    "background.npz": (BACKGROUND_FILE, all_of_a_background), "pair_model.json": (MODEL_FILE, shipped_bytes),
    "news.db.reported": (lambda path: write_mark(path, "2026-11-21T10:05 стрічка"), marked),
    "boilerplate.jsonl": (write_boilerplate, lambda path: read_boilerplate(path).digest),
    "waiting.json": (write_waiting, waiting_rows),
}  # fmt: skip


@pytest.fixture(params=FILES)
def file(request, tmp_path):
    """Path of a file, its bytes, and the function that gives all that is read from it."""
    make, read = FILES[request.param]
    path = tmp_path / request.param
    if callable(make):
        make(path)
    else:
        path.write_bytes(make.read_bytes())
    return path, path.read_bytes(), read


def outcome(path, content, read, expected):
    """What becomes of a file that holds something else: ``refused``, ``made again`` or ``harmless``."""
    for left in path.parent.glob(f"{path.name}*"):
        left.unlink()
    path.write_bytes(content)
    try:
        found = read(path)
    except InfostreamError:
        return "refused"
    except MadeAgainError:
        return "made again"
    assert found == expected, "silent"
    return "harmless"


def drawn_bits(content, count, draw):
    """Every other bit from bytes that are not 0: most of those are in unused space."""
    used = [place for place, byte in enumerate(content) if byte]
    places = [draw.choice(used) if turn % 2 else draw.randrange(len(content)) for turn in range(count)]
    return [8 * place + draw.randrange(8) for place in places]


def flipped(content, bit):
    bad = bytearray(content)
    bad[bit // 8] ^= 1 << bit % 8
    return bytes(bad)


@pytest.mark.parametrize("flips", [30, pytest.param(200, marks=pytest.mark.slow)])
def test_no_flipped_bit_of_a_file_is_silent(file, flips, record_figures, scale):
    path, good, read = file
    expected, draw = read(path), random.Random(flips)  # noqa: S311
    found = [outcome(path, flipped(good, bit), read, expected) for bit in drawn_bits(good, flips * scale, draw)]
    counts = {name: found.count(name) for name in ("refused", "made again", "harmless")}
    record_figures(flips=len(found), **{name.replace(" ", "_"): number for name, number in counts.items()}, silent=0)
    assert counts["harmless"] < len(found)


@pytest.mark.parametrize("part", range(8))
def test_no_flipped_bit_of_the_head_of_a_desk_is_silent(tmp_path, part):
    path = tmp_path / "news.db.desk"
    fill_desk(path)
    good, expected = path.read_bytes(), all_of_a_desk(path)
    found = [outcome(path, flipped(good, bit), all_of_a_desk, expected) for bit in range(part, HEADER_BITS, 8)]
    assert found.count("refused") >= 5


def test_a_changed_value_of_a_desk_is_named_with_its_row(tmp_path):
    path = tmp_path / "news.db.desk"
    fill_desk(path)
    good = path.read_bytes()
    # The queue of a judgement, which is in no index: SQLite finds nothing to complain about.
    assert good.count(b"ownkey-54") == 1
    path.write_bytes(good.replace(b"ownkey-54", b"oinkey-54"))
    with pytest.raises(BadDataError, match="of table judgement does not match its checksum") as found:
        Desk.open(path)
    assert (found.value.code, found.value.exit_code) == ("E_DESK_DAMAGED", 65)
    assert "restore the latest 'desk backup': remove news.db.desk-wal and" in str(found.value)


@pytest.mark.parametrize("flips", [15, pytest.param(200, marks=pytest.mark.slow)])
def test_a_flipped_bit_of_the_log_of_a_desk_leads_to_an_earlier_state_or_is_refused(
    tmp_path, flips, record_figures, scale
):
    """As after a kill: the log was taken into the file in part, and begun once more."""
    path, killed = tmp_path / "news.db.desk", tmp_path / "killed.desk"
    log = killed.with_name("killed.desk-wal")
    with Desk.open(path) as desk:
        for place in range(400):
            with desk.writing() as connection:
                add_judgement(
                    connection, Judgement(a=f"a{place}", b=f"b{place}", label="dup", person="taras", key=str(place))
                )
        good, good_log = path.read_bytes(), path.with_name("news.db.desk-wal").read_bytes()
    whole = [(place, f"a{place - 1}") for place in range(400, 0, -1)]
    draw, found = random.Random(flips), []  # noqa: S311
    for bit in drawn_bits(good_log, flips * scale, draw):
        for left in tmp_path.glob("killed.desk*"):
            left.unlink()
        killed.write_bytes(good)
        log.write_bytes(flipped(good_log, bit))
        try:
            with Desk.open(killed) as desk, desk.reading() as connection:
                rows = [
                    (row["number"], row["a"]) for row in judgements.judgement_page(connection, before=None, limit=1000)
                ]
        except BadDataError:
            found.append("refused")
            continue
        assert rows == whole[len(whole) - len(rows) :]
        found.append("whole" if rows == whole else "earlier")
    record_figures(flips=len(found), **{name: found.count(name) for name in ("refused", "earlier", "whole")}, silent=0)
