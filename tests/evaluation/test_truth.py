from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.errors import BadDataError, ConfigurationError
from infostream_dedup.lab.evaluation.labels import LABELS, Kin, Truth, both_of, codes_of, labels_of, truth_of
from infostream_dedup.model import Document, Language

Listed = dict[str, str]
VERDICTS = {1: "true", -1: "false", 0: "-"}


def _truth(
    families: list[str | None],
    listed: Listed,
    *,
    kin: tuple[str, ...] = (),
    languages: list[Language] | None = None,
    **options: Any,
) -> Truth:
    """Documents a, b, c ... with these families; a listed pair is written ``ab``, kin ``fg``."""
    documents = [
        Document(id=chr(97 + place), text="", extra={"family": family}) for place, family in enumerate(families)
    ]
    labels = labels_of([{"a": pair[0], "b": pair[1], "label": label} for pair, label in listed.items()])
    pairs = [Kin(pair[0], pair[1]) for pair in kin]
    return truth_of(documents, languages or ["ru"] * len(families), labels, kin=pairs, **options)


def _verdicts(truth: Truth) -> dict[str, str]:
    a, b = np.triu_indices(truth.documents, k=1)
    verdicts = truth.judge(codes_of(a, b, truth.documents))
    names = [chr(97 + x) + chr(97 + y) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    return {name: VERDICTS[verdict] for name, verdict in zip(names, verdicts.tolist(), strict=True)}


def test_in_a_closed_world_every_unlisted_pair_is_false() -> None:
    listed = {"ab": "dup", "ac": "similar", "bc": "different"}
    families: list[str | None] = [None] * 4
    opened = {"ab": "true", "ac": "-", "bc": "false", "ad": "-", "bd": "-", "cd": "-"}
    assert _verdicts(_truth(families, listed)) == opened
    assert _verdicts(_truth(families, listed, closed=True)) == opened | dict.fromkeys(("ad", "bd", "cd"), "false")


def test_a_closed_world_knows_families_and_kin() -> None:
    truth = _truth(["f", "f", "g", None], {}, kin=("fg",), closed=True)
    assert _verdicts(truth) == {"ab": "-", "ac": "-", "bc": "-", "ad": "false", "bd": "false", "cd": "false"}


def test_templates_are_false_in_a_closed_world_whatever_their_label() -> None:
    documents = [Document(id=name, text="") for name in "abc"]
    rows = [{"a": "a", "b": "b", "label": "similar", "kind": "template"}, {"a": "a", "b": "c", "label": "template"}]
    positive = ("dup", "similar")
    opened = truth_of(documents, ["ru"] * 3, labels_of(rows), positive=positive)
    assert _verdicts(opened) == {"ab": "true", "ac": "-", "bc": "-"}
    closed = truth_of(documents, ["ru"] * 3, labels_of(rows), positive=positive, closed=True)
    assert _verdicts(closed) == dict.fromkeys(("ab", "ac", "bc"), "false")
    with pytest.raises(ConfigurationError, match="leave template out"):
        truth_of(documents, ["ru"] * 3, labels_of(rows), positive=("template",), closed=True)


def test_a_closed_world_is_counted_within_its_scope() -> None:
    languages: list[Language] = ["ru", "ru", "uk"]
    truth = _truth([None] * 3, {}, closed=True, languages=languages, language_pairs="ru")
    assert _verdicts(truth) == {"ab": "false", "ac": "-", "bc": "-"}
    assert truth.in_scope(np.array([1, 2, 5])).tolist() == [True, False, False]
    assert truth.stories.tolist() == [0, 1, -1]


def test_kin_families_are_not_counted_and_kin_of_kin_are_kin() -> None:
    truth = _truth(["f", "g", "h", "i"], {}, kin=("fg", "gh"))
    assert _verdicts(truth) == {"ab": "-", "ac": "-", "bc": "-", "ad": "false", "bd": "false", "cd": "false"}


def test_which_labels_are_true_or_false_can_be_chosen() -> None:
    listed = {"ab": "dup", "ac": "similar", "bc": "translation", "ad": "different"}
    families: list[str | None] = [None] * 4
    assert _verdicts(_truth(families, listed, positive=("dup", "similar")))["ac"] == "true"
    wide = _verdicts(_truth(families, listed, positive=("dup",), negative=("different", "similar")))
    assert [wide[pair] for pair in listed] == ["true", "false", "-", "false"]


def test_domains_restrict_listed_pairs() -> None:
    documents = [
        Document(id=id_, text="", extra={"domain": domain}) for id_, domain in [("a", "news"), ("b", "shop"), ("c", "")]
    ]
    labels = labels_of([{"a": "a", "b": "b", "label": "dup"}, {"a": "a", "b": "c", "label": "dup"}])
    truth = truth_of(documents, ["ru"] * 3, labels, domains=(",news",))
    assert [_.tolist() for _ in both_of(truth.positives, 3)] == [[0], [2]]


def test_stories_are_families() -> None:
    truth = _truth(["f", "g", "f", "g", "h"], {"ac": "dup"})
    assert truth.stories.tolist() == [0, 1, 0, 1, 2]


def test_stories_without_families_are_joined_by_true_pairs() -> None:
    truth = _truth([None] * 6, {"ab": "dup", "bc": "dup", "de": "different"})
    assert truth.stories.tolist() == [0, 0, 0, 1, 2, -1]


def test_a_true_pair_joins_the_stories_of_two_families() -> None:
    truth = _truth(["f", "g", "g", "h"], {"ab": "dup"})
    assert truth.stories.tolist() == [0, 0, 0, 1]


def test_stories_are_in_scope() -> None:
    truth = _truth(["f", "g", "h"], {}, languages=["ru", "uk", "ru"], language_pairs="ru")
    assert truth.stories.tolist() == [0, -1, 1]


def test_an_unknown_document_is_named() -> None:
    with pytest.raises(
        BadDataError, match=r"<list>:1: field 'b': is 'z', which is not among the 2 documents"
    ) as caught:
        _truth([None, None], {"az": "dup"})
    assert caught.value.code == "E_UNKNOWN_ID"


def test_kin_without_families_is_refused() -> None:
    with pytest.raises(BadDataError, match="no document has a field 'family'"):
        _truth([None, None], {"ab": "dup"}, kin=("fg",))


def _closure(kin: list[tuple[str, str]]) -> dict[str, set[str]]:
    circles = {family: {family} for family in "fghi"}
    for one, other in kin:
        joined = circles[one] | circles[other]
        for family in joined:
            circles[family] = joined
    return circles


@given(st.data())
def test_agrees_with_the_protocol_pair_by_pair(data: st.DataObject) -> None:
    size = data.draw(st.integers(2, 7))
    families = data.draw(st.lists(st.sampled_from(["f", "g", "h", "i", None]), min_size=size, max_size=size))
    names = "abcdefg"[:size]
    pairs = ["".join(pair) for pair in combinations(names, 2)]
    listed = data.draw(st.dictionaries(st.sampled_from(pairs), st.sampled_from(LABELS)))
    kin = data.draw(st.lists(st.tuples(st.sampled_from("fghi"), st.sampled_from("fghi")), max_size=3))
    kin = kin if any(families) else []
    languages = data.draw(st.lists(st.sampled_from(["ru", "uk"]), min_size=size, max_size=size))
    language_pairs = data.draw(st.sampled_from([None, "ru", "ru-uk"]))
    truth = _truth(families, listed, kin=tuple(map("".join, kin)), languages=languages, language_pairs=language_pairs)

    circles = _closure(kin)
    for pair, verdict in _verdicts(truth).items():
        a, b = (names.index(name) for name in pair)
        wanted = {None: {"ruru", "ukuk", "ruuk"}, "ru": {"ruru"}, "ru-uk": {"ruuk"}}[language_pairs]
        related = families[a] is not None and families[b] in circles[families[a]]
        label = listed.get(pair)
        if "".join(sorted((languages[a], languages[b]))) not in wanted:
            expected = "-"
        elif label == "dup":
            expected = "true"
        elif related or label in ("similar", "translation", "template"):
            expected = "-"
        else:
            expected = "false" if label or (families[a] and families[b]) else "-"
        assert verdict == expected, pair
