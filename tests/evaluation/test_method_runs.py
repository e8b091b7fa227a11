"""Several methods on one collection: pairs, relations, costs."""

import builtins
from importlib import import_module

import numpy as np
import pytest

from infostream_dedup.errors import MissingExtraError
from infostream_dedup.lab.evaluation.method_runs import Cost, growth, relation_of, run_methods
from infostream_dedup.lab.methods import Pairs, Texts
from infostream_dedup.links import sweep_counts
from infostream_dedup.sample import documents_path

STORY = "Мэр города торжественно открыл новый мост. Движение начнется завтра утром."


def _pairs(pairs: list[tuple[int, int]], *, directed: bool) -> Pairs:
    a, b = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return Pairs(a, b, np.ones(len(pairs)), directed=directed)


def test_symmetric_pairs_are_links_both_ways() -> None:
    found = sweep_counts(relation_of(_pairs([(0, 1), (1, 2)], directed=False), 4), [1])[0]
    assert (found.links, found.symmetry, found.paths, found.transitivity) == (4, 1.0, 2, 0.0)


def test_directed_pairs_are_links_one_way() -> None:
    found = sweep_counts(relation_of(_pairs([(0, 2), (1, 2), (2, 1), (0, 1)], directed=True), 4), [1])[0]
    # Two of four links are returned; the paths 0-2-1 and 0-1-2 are closed.
    assert (found.symmetry, found.paths, found.transitivity) == (0.5, 2, 1.0)


def test_runs_in_the_order_asked_for() -> None:
    runs = run_methods(Texts.of(STORY, STORY, f"{STORY} Закрыто."), ["long-sent", "md5", "three-plus-two:n=3"])
    assert [run.name for run in runs.runs] == ["long-sent", "md5", "three-plus-two:n=3"]
    assert [run.codes.tolist() for run in runs.runs[:2]] == [[1, 2, 5], [1]]
    assert runs.runs[2].method.as_dict()["n"] == 3
    assert runs.documents == 3


def test_a_directed_method_gives_unordered_pairs_and_its_own_symmetry() -> None:
    texts = Texts.of(STORY, f"Вчера был снег, а сегодня дождь и ветер. {STORY} Билеты давно проданы.", "Снег")
    run = run_methods(texts, ["shingles:measure=containment"]).runs[0]
    assert run.codes.tolist() == [1]
    assert (run.measures.links, run.measures.symmetry) == (1, 0.0)


def test_key_terms_show_how_many_of_their_links_are_returned() -> None:
    texts = Texts.of(*(STORY for _ in range(2)), f"{STORY} Билеты давно проданы, а касса театра закрыта.", "Снег")
    both, forward, md5 = run_methods(
        texts, ["key-terms-stem:k=4", "key-terms-stem:k=4:rule=forward", "md5"]
    ).runs  # fmt: skip
    assert both.measures == forward.measures
    assert both.measures.symmetry is not None
    # Of two equal texts it cannot be otherwise that both name each other.
    assert md5.measures.symmetry is None
    assert md5.measures.links == 2


def test_a_method_does_not_profit_from_another(monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("infostream_dedup.lab.methods.method")

    made: list[int] = []
    shingles = module.shingles
    monkeypatch.setattr(
        module, "shingles", lambda words, w, **more: made.append(len(words)) or shingles(words, w, **more)
    )
    run_methods(Texts.of(*[STORY] * 30), ["shingles", "dsc"])
    # Each warms up on 20 documents and then cuts its own shingles of all 30.
    assert made == [20, 30, 20, 30]


def test_a_package_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    importing = builtins.__import__

    def without(name: str, *more: object, **others: object) -> object:
        if name == "datasketch":
            raise ImportError(name)
        return importing(name, *more, **others)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    texts = Texts.of(STORY, STORY)
    found = run_methods(texts)
    assert "minhash" not in [run.name for run in found.runs]
    assert "[compare]" in found.missing["minhash"]
    with pytest.raises(MissingExtraError, match="datasketch"):
        run_methods(texts, ["minhash"])


def test_growth_is_the_exponent_of_doubling() -> None:
    assert growth(Cost(9, 2.0), Cost(1, 1.0)) == 1
    assert growth(Cost(9, 2.0), Cost(1, 0.01)) is None


def test_growth_is_measured_only_when_asked_for() -> None:
    from infostream_dedup import read_documents

    texts = Texts(list(read_documents(documents_path())))
    assert run_methods(texts, ["tf"]).runs[0].growth is None
    run = run_methods(texts, ["key-terms-stem"], with_growth=True).runs[0]
    assert run.growth is None or run.growth > -5
