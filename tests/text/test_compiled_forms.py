"""Forms of many surfaces at once against ``tokens.forms``, which is the judge."""

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from infostream_dedup.language.text import scanner as compiled_forms
from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.language.text.tokens import Form, Shape, forms

LETTERS = "абкпряёєіїґѕАБРЯЁЄІЇҐЅazAZéÉſ中"
PIECES = ["слово", "Слово", "СЛОВО", "word", "Word", "WORD", "мiй", "iPhone", "имя" * 9, "ab" * 20, "ъ" * 31, "ы" * 32]
SURFACES = [
    "слово", "Слово", "¶Слово", "СЛОВО", "ещё", "Ёж", "премьер-министр", "пʼять", "пишетАгора", "ПриватБанк", "word",
    "YouTube", "Cрочно", "ț", "я", "а" * 41, "Ö", "ЇЖАК", "IT-компания", "--", "ß",
]  # fmt: skip


def fast(surfaces):
    found = compiled_forms.forms(SurfaceList.of(surfaces))
    words = found.forms.strings()
    assert len(set(words)) == len(words)
    held = [[] for _ in surfaces]
    for surface, number, shape in zip(found.surfaces, found.numbers, found.shapes, strict=True):
        held[surface].append(Form(words[number], Shape(shape)))
    return [tuple(one) for one in held]


def plain(surfaces):
    return [forms(surface) for surface in surfaces]


@pytest.mark.slow
def test_every_three_letters():
    words = [f"{m}{''.join(one)}" for one in product(LETTERS, LETTERS, [*LETTERS, "", "-а", "ʼа"]) for m in ("", "¶")]
    assert fast(words) == plain(words)


pieces = st.sampled_from(PIECES) | st.text(LETTERS, max_size=4) | st.sampled_from(["-", "ʼ", "а" * 30])
surfaces = st.tuples(st.sampled_from(["", "¶"]), st.lists(pieces, min_size=1, max_size=4)).map(
    lambda pair: pair[0] + "".join(pair[1])
)


@given(st.lists(surfaces, max_size=80))
@example(["а" * size for size in range(28, 44)] + ["A" + "b" * size for size in range(36, 70)])
@example(["¶" + "Я" + "я" * size for size in range(44)] + ["", "¶", "я", "¶я"])
@example([*SURFACES, *SURFACES])
def test_any_surfaces_have_the_same_forms(words):
    assert fast(words) == plain(words)
