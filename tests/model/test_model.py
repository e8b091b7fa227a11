"""Documents, outlets and the table of settings."""

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model import PRESETS, Document, Settings, without_text
from infostream_dedup.model.document import outlet_of
from infostream_dedup.stream.memory import Member, best_member
from infostream_dedup.stream.settings import StreamSettings


def test_everything_but_the_text_stays() -> None:
    time = datetime(2026, 3, 1, tzinfo=UTC)
    document = Document(
        id="1", text="body", title="title", lang="uk", published="2026-03-01", time=time, source="source",
        url="https://example.org", images=["a"], links=3, extra={"mood": "good"},
    )  # fmt: skip
    assert without_text(document) == replace(document, text="")


# Which outlet a source or an address names.
SITES = (
    "a.example", "www.a.example", "A.Example", "https://a.example/", "http://www.a.example:80/rss?x=1", " a.example ",
)  # fmt: skip


@pytest.mark.parametrize("name", [*SITES, "//a.example/news", "a.example."])
def test_a_site_has_one_name(name: str) -> None:
    assert outlet_of(name) == "a.example"
    assert outlet_of(name, "https://b.example/1") == "a.example", "a source is believed before the address"


@pytest.mark.parametrize(("source", "url", "outlet"), [
    (None, "https://www.a.example/news/1", "a.example"), ("", "https://a.example/news/1", "a.example"),
    ("t.me/vesti", None, "t.me/vesti"), (None, "https://t.me/s/Vesti/12", "t.me/vesti"),
    (None, "https://telegram.me/vesti/12?single", "t.me/vesti"), (None, "https://vk.com/wall-1_2", "vk.com/wall-1"),
    ("ТАСС", None, "тасс"), (" Тасс ", None, "тасс"), ("Interfax  Ukraine", None, "interfax ukraine"),
    ("пример.рф", None, "пример.рф"), ("https://xn--e1afmkfd.xn--p1ai/", None, "пример.рф"),
    ("U.S. News", None, "u.s. news"), (None, "not an address", None), (None, "http://[::1/x", None),
    (None, None, None), (" ", None, None), (None, "https://youtube.com/watch?v=1", "youtube.com"),
    (None, "https://t.me/c/12/3", "t.me/c/12"), (None, "https://ok.ru/group/5/topic/1", "ok.ru/group/5"),
    (None, "https://youtube.com/channel/UCx/videos", "youtube.com/channel/UCx"),
    (None, "https://t.me/group/5", "t.me/group"),
])  # fmt: skip
def test_what_names_an_outlet(source: str | None, url: str | None, outlet: str | None) -> None:
    assert outlet_of(source, url) == outlet


def test_a_rank_of_sources_is_one_of_outlets() -> None:
    members = [Member(0, "first", 20, "www.blog.example"), Member(1, "second", 20, "agency.example")]
    ranked = StreamSettings(show="rank", source_ranks=("https://agency.example/", "blog.example"))
    assert best_member(members, ranked).id == "second"


# The table of settings: defaults, presets, ranges.
def test_defaults_are_those_of_the_design():
    settings = Settings()
    assert (settings.representation, settings.weighting, settings.n, settings.k) == ("morph", "bm25", 12, 6)
    assert (settings.k1, settings.b, settings.df_min, settings.df_max) == (2.0, 0.75, 2, 0.5)
    assert (settings.target, settings.short, settings.background) == ("text", "scaled", True)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_sets_its_row_and_nothing_else(preset):
    settings = Settings.of(preset=preset)
    changed = {name for name, value in settings.as_dict().items() if value != getattr(Settings(), name)}
    assert changed <= set(PRESETS[preset])
    assert all(getattr(settings, name) == value for name, value in PRESETS[preset].items())


def test_what_is_given_beats_the_preset_and_none_means_not_given():
    settings = Settings.of(preset="best", n=20, threshold=None)
    assert (settings.n, settings.threshold, settings.score) == (20, 0.40, "share")


def test_k_never_exceeds_a_smaller_n_unless_it_is_given():
    assert Settings.of(n=4).k == 4
    with pytest.raises(ConfigurationError, match="k is 9"):
        Settings.of(n=4, k=9)


def test_numbers_of_numpy_become_those_of_python():
    settings = Settings(n=np.uint8(20), k=np.int64(5), min_terms=np.int32(2), k1=np.float64(1.5), b=np.float32(0.5))
    assert settings == Settings(n=20, k=5, min_terms=2, k1=1.5, b=0.5)
    assert {type(getattr(settings, name)) for name in ("n", "k", "min_terms")} == {int}
    assert {type(getattr(settings, name)) for name in ("k1", "b")} == {float}
    for wrong in (np.int64(21), np.float64(5), np.bool_(True)):
        with pytest.raises(ConfigurationError, match=r"k is .*; expected a whole number from 1 to 20"):
            settings.but(k=wrong)


def test_values_out_of_range_are_named():
    for given, message in [
        ({"representation": "stems"}, "representation is 'stems'; expected one of stem, morph"), ({"n": 0}, "n is 0"),
        ({"n": True}, "n is True"), ({"threshold": 0}, "threshold is 0"), ({"threshold": 1.5}, "threshold is 1.5"),
        ({"b": -0.1}, "b is -0.1"), ({"target": "top"}, "expected text, signature or top:M"),
        ({"target": "top:0"}, "expected text, signature or top:M"),
        ({"target": "top:x"}, "expected text, signature or top:M"), ({"preset": "bset"}, "preset is 'bset'"),
        ({"tresh": 1}, "unknown setting 'tresh'"),
    ]:  # fmt: skip
        with pytest.raises(ConfigurationError, match=message):
            Settings.of(**given)


@pytest.mark.parametrize(("target", "size"), [("text", None), ("signature", 0), ("top:30", 30)])
def test_size_of_the_target(target, size):
    assert Settings(target=target).target_size() == size


@pytest.mark.parametrize(("least", "most"), [(0.6, 0.5), (50, 10)])
def test_bounds_of_document_frequency_that_leave_no_term_are_refused(least, most) -> None:
    with pytest.raises(ConfigurationError, match=f"df_min is {least}, above df_max {most}"):
        Settings(df_min=least, df_max=most)
    Settings(df_min=least, df_max=least)
    # A count and a share can be compared only once the documents are counted.
    Settings(df_min=50, df_max=0.5)
