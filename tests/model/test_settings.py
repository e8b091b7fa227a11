"""The table of settings: defaults, presets, ranges."""

import numpy as np
import pytest

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model import PRESETS, Settings


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
