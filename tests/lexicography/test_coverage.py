"""What counts as covered."""

import pytest

from infostream_dedup.lab.lexicography import word_lookup as module
from infostream_dedup.lab.lexicography.word_lookup import coverage, frequent_nouns


def test_shares_are_counted_by_rung(monkeypatch: pytest.MonkeyPatch) -> None:
    nouns = {
        "ru": (("правительство", 4e-4), ("неточность", 3e-4), ("гнатишин", 2e-4), ("бзыбрюмов", 1e-4)),
        "uk": (("уряд", 1e-4),),
    }
    monkeypatch.setattr(module, "frequent_nouns", nouns.__getitem__)
    monkeypatch.setattr(module, "TOPS", (2, 4))
    monkeypatch.setattr(module, "OUR_LANGUAGES", ("ru", "uk"))
    told: list[tuple[str, int, int | None]] = []
    found = coverage(lambda *one: told.append(one))
    assert len(found) == 4
    two, four = found[:2]
    assert (two.source, two.target, two.top, two.dictionary) == ("ru", "uk", 2, pytest.approx(4 / 7))
    shares = (four.dictionary, four.cognates, four.names, four.spelt, four.none, four.identity, four.covered)
    assert shares == pytest.approx((0.4, 0.3, 0.2, 0.1, 0.0, 0.0, 0.9))
    assert four.as_dict()["covered"] == 0.9
    assert told[-1] == ("coverage", 2, 2)


def test_an_identity_the_target_lacks_does_not_count() -> None:
    # No sister word is known, and the spelling by rule is the word itself.
    assert module._classify(["гзмбров"], "ru", "uk") == ["none"]
    assert module._classify(["правительство", "мир"], "ru", "uk") == ["dictionary", "dictionary"]


def test_nouns_come_by_frequency_and_once() -> None:
    nouns = frequent_nouns("en")
    shares = [share for _, share in nouns]
    assert shares == sorted(shares, reverse=True)
    assert len({noun for noun, _ in nouns}) == len(nouns) > 10_000
    assert {"government", "president"} <= {noun for noun, _ in nouns[:1_000]}


@pytest.mark.slow
def test_goals_of_the_issue_are_met() -> None:
    covered = {(one.source, one.target): one.covered for one in coverage() if one.top == 5_000}
    assert covered["ru", "uk"] >= 0.98
    assert covered["ru", "en"] >= 0.95
    assert covered["uk", "en"] >= 0.95
