"""A file that a call reads is never overwritten by the same call, whichever way it is named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from infostream_dedup import audit, classify, compare, dedup, evaluate, ingest, pairs, passages, suggest, sweep, train
from infostream_dedup.errors import CannotCreateError, ConfigurationError, InfostreamError

TEXT = "Президент Зеленський відкрив у Харкові новий завод разом із мером Тереховим."
ROWS = [{"id": "1", "text": TEXT}, {"id": "2", "text": TEXT}]

CALLS: dict[str, Callable[[Path, dict[str, Any]], Any]] = {
    "audit judged": lambda file, given: audit(ROWS, judged=file, **given),
    "classify models": lambda file, given: classify(ROWS, iter([file]), **given),  # type: ignore[arg-type]
    "classify one model": lambda file, given: classify(ROWS, file, **given),
    "classify pairs": lambda file, given: classify(ROWS, "m.json", pairs=file, **given),
    "classify rules": lambda file, given: classify(ROWS, "m.json", rules=file, **given),
    "compare kin": lambda file, given: compare(ROWS, methods=["md5"], labels="l.jsonl", kin=file, **given),
    "compare labels": lambda file, given: compare(ROWS, methods=["md5"], labels=file, **given),
    "dedup boilerplate": lambda file, given: dedup(ROWS, boilerplate=file, **given),
    "evaluate kin": lambda file, given: evaluate(ROWS, "l.jsonl", kin=file, **given),
    "evaluate labels": lambda file, given: evaluate(ROWS, file, **given),
    "ingest boilerplate": lambda file, given: ingest(ROWS, file.parent / "s.db", boilerplate=file, **given),
    "ingest model": lambda file, given: ingest(ROWS, file.parent / "s.db", model=file, **given),
    "ingest store": lambda file, given: ingest(ROWS, file, **given),
    "pairs boilerplate": lambda file, given: pairs(ROWS, boilerplate=file, **given),
    "pairs boilerplate k": lambda file, given: pairs(ROWS, boilerplate=file, k=6, **given),
    "passages boilerplate": lambda file, given: passages.find(ROWS, boilerplate=file, **given),
    "digests boilerplate": lambda file, given: passages.find_digests(ROWS, boilerplate=file, **given),
    "novel boilerplate": lambda file, given: passages.find_novel(ROWS, boilerplate=file, **given),
    "suggest labels": lambda file, given: suggest(ROWS, file, **given),
    "sweep boilerplate": lambda file, given: sweep(ROWS, boilerplate=file, **given),
    "train authority": lambda file, given: train(ROWS, "l.jsonl", authority=file, **given),
    "train labels": lambda file, given: train(ROWS, file, **given),
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
    list(ingest(ROWS, tmp_path / "s.db"))
    before = (tmp_path / "s.db").read_bytes()
    with pytest.raises(ConfigurationError, match=r"s\.db is one of the inputs"):
        pairs(ROWS, statistics=f"{tmp_path / 's.db'}:0", on_error="skip", quarantine=tmp_path / "s.db")
    assert (tmp_path / "s.db").read_bytes() == before


def _written(folder: Path) -> Path:
    folder.mkdir()
    file = folder / "news.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return file


@pytest.mark.parametrize("source", ["{}", "{}/news*", "{}/./news.jsonl"], ids=["folder", "pattern", "file"])
@pytest.mark.parametrize("job", ["dedup", "train"])
def test_an_output_never_replaces_a_file_of_the_input(source: str, job: str, tmp_path: Path) -> None:
    file = _written(tmp_path / "in")
    before = file.read_bytes()
    named = source.format(tmp_path / "in")
    labels = tmp_path / "labels.jsonl"
    labels.write_text('{"a": "1", "b": "2", "label": "dup"}\n', encoding="utf-8")
    with pytest.raises(CannotCreateError, match=r"news\.jsonl is one of the inputs; give the output another name"):
        dedup(named, file) if job == "dedup" else train({named}, labels, model=file)
    assert file.read_bytes() == before


def test_the_output_never_replaces_the_listed_sentences(tmp_path: Path) -> None:
    listed = tmp_path / "listed.jsonl"
    listed.write_text(json.dumps({"source": None, "sentence": "Снег."}), encoding="utf-8")
    before = listed.read_bytes()
    with pytest.raises(CannotCreateError, match=r"listed\.jsonl is one of the inputs"):
        dedup(ROWS, listed, boilerplate=listed)
    assert listed.read_bytes() == before


def test_texts_that_name_no_file_have_no_files(tmp_path: Path) -> None:
    texts = ["Снег выпал в Киеве вчера. " * 200, "Снег выпал в Киеве вчера. " * 200]
    assert dedup(texts, tmp_path / "out.jsonl").kept == 1
