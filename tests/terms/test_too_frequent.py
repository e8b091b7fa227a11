"""A story that fills a collection loses its key terms to ``df_max``, which is told."""

import json

import pytest

from infostream_dedup import Document, pairs, sweep
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.collection import collect
from infostream_dedup.terms.key_terms import count_lost_to_df_max

STORY = "Президент посетил завод, обсудил с директором турбины реактора и закупку урана. Номер {}."
OTHERS = (
    "Река вышла из берегов и затопила школу.", "Суд отправил депутата под арест за взятку.",
    "Тренер футбольной команды подал в отставку.", "Река снова вошла в берега, школа открыта.",
)  # fmt: skip


def documents(copies: int) -> list[Document]:
    texts = [*(STORY.format(number) for number in range(copies)), *OTHERS, "Да."]
    return [Document(id=str(number), text=text, lang="ru") for number, text in enumerate(texts)]


@pytest.mark.parametrize("representation", ["stem", "morph", "pivot"])
def test_documents_are_counted_that_df_max_leaves_too_few_key_terms(representation) -> None:
    settings = Settings(representation=representation, background=False, df_min=1)
    for copies, lost in ((7, 7), (3, 0)):
        terms = collect(documents(copies), hashes=False).key_terms(settings)
        assert count_lost_to_df_max(terms, settings) == lost, "a short text of rare words is not counted"
    assert terms.sizes.min() < 3


def test_it_is_told_once_for_each_representation(caplog) -> None:
    list(pairs(documents(7), preset="faithful", representation="stem", background=False))
    sweep(documents(7), representations=["stem", "morph"], background=False, estimate=False)
    said = [record.getMessage() for record in caplog.records]
    assert [one.partition(" are")[0] for one in said] == [
        "representation stem: 7 of 12 documents",
        "representation stem: 7 of 12 documents",
        "representation morph: 7 of 12 documents",
    ]
    assert "'dedup' with preset judged" in said[0]


def test_the_command_says_it_and_the_advice_helps(run_command, tmp_path) -> None:
    # Without dates, one sentence with another number would be a template.
    letters = str.maketrans("0123456789", "абвгдежзик")
    rows = [{"id": one.id, "text": one.text.translate(letters)} for one in documents(7)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    counts = []
    for preset in ("faithful", "judged"):
        options = ("--no-background", "--preset", preset, "--out", "b.jsonl", "--format", "jsonl")
        answer = run_command(tmp_path, "dedup", "a.jsonl", *options)
        assert answer.returncode == 0, answer.stderr
        counts.append(json.loads(answer.stdout.splitlines()[-1])["duplicate"])
        assert (b"7 of 12 documents are not compared by the terms they share" in answer.stderr) == (
            preset == "faithful"
        )
    assert counts == [1, 6], "of the others, two are alike"


def test_copies_of_a_form_with_words_of_their_own_are_told(run_command, tmp_path) -> None:
    form = "The housing office tells tenants about an overdue payment for heating, water, electricity, gas, repairs."
    own = ("granite", "violin", "harbour", "meadow", "lantern", "copper", "saddle", "orchard", "thunder", "velvet")
    rows = [{"id": f"f{one}", "text": f"{form} {word}a {word}b {word}c {word}d."} for one, word in enumerate(own)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for command in ("pairs a.jsonl", "dedup a.jsonl --out b.jsonl", "sweep a.jsonl"):
        answer = run_command(tmp_path, *command.split(), "--preset", "faithful", "--no-background")
        assert b"10 of 10 documents are not compared by the terms they share" in answer.stderr, command
