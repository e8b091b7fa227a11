"""Forms of many surfaces say what the plain code says of each, with and without the digit of the shape."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infostream_dedup.text.fast_forms import forms_of_all
from infostream_dedup.text.surface_pool import SurfaceList
from infostream_dedup.text.tokens import forms

SURFACES = [
    "слово", "Слово", "¶Слово", "СЛОВО", "ещё", "Ёж", "премьер-министр", "пʼять", "пишетАгора", "ПриватБанк", "word",
    "YouTube", "Cрочно", "ț", "я", "а" * 41, "Ö", "ЇЖАК", "IT-компания", "--", "ß",
]  # fmt: skip


# The first call compiles.
@pytest.mark.parametrize("shaped", [False, True])
@settings(deadline=None)
@given(st.lists(st.sampled_from(SURFACES), max_size=30))
def test_forms_of_all_surfaces(shaped: bool, surfaces: list[str]) -> None:
    found = forms_of_all(SurfaceList.of(surfaces), shaped=shaped)
    entries = [
        (number, f"{int(shape)}{form}" if shaped else form, int(shape))
        for number, surface in enumerate(surfaces)
        for form, shape in forms(surface)
    ]
    words = [found.forms[number] for number in found.numbers.tolist()]
    assert list(zip(found.surfaces.tolist(), words, found.shapes.tolist(), strict=True)) == entries
    assert len(set(found.forms)) == len(found.forms)
