"""What rules out that a document renders another: other numbers, or another length."""

import numpy as np
import pytest
import scipy.sparse as sp

from infostream_dedup.judging.evidence.judging import agreement
from infostream_dedup.judging.evidence.pair_evidence import key_rows
from infostream_dedup.judging.evidence.reading import evidence_texts, read_evidence
from infostream_dedup.judging.evidence.records import EvidenceFrequencies, pack_evidence
from infostream_dedup.model import LANGUAGES, Document

_ADVISORY = "Пакет исправлен в выпусках {}, обновите его, иначе злоумышленник получит доступ к чужим файлам"
_RENDERED = "The package has been mended in releases {}, update it, or somebody may read the files of others"
_SAILS = "captain told children about storm anchor ship with white sails " * 3


def ruled_out(one: str, other: str, share: float = 0.5, titles: tuple[str, str] = ("", "")) -> bool:
    return bool(agreed(one, other, share, titles).contradicts[0])


def agreed(one: str, other: str, share: float = 0.5, titles: tuple[str, str] = ("", ""), hours: float = np.inf):
    made = [
        Document(id="a", text=one, lang="ru", title=titles[0]),
        Document(id="b", text=other, lang="en", title=titles[1]),
    ]
    raw = read_evidence(*evidence_texts(made))
    languages = np.array([LANGUAGES.index("ru"), LANGUAGES.index("en")], dtype=np.int8)
    records = pack_evidence(raw, languages, EvidenceFrequencies())
    keys = key_rows(sp.csr_array((2, 1), dtype=np.int64), sp.csr_array((2, 1), dtype=np.bool_))
    return agreement(np.array([0]), np.array([1]), np.array([[share, share]]), np.array([hours]), keys, records)


@pytest.mark.parametrize(("one", "other", "expected"), [
    ("316 и 417 и 518", "316 and 417 and 518", False), ("316 и 417 и 518", "619 and 713 and 814", True),
    ("316 и 417 и 518", "316 and 417 and 619", False), ("316 и 417 и 518", "316 and 619 and 713", True),
    # Two numbers may be words in the other language, but not all of them.
    ("316 и 417", "619 and 713 and 814", True), ("316 и 417", "316 and 713 and 814", False),
    # All numbers of the shorter list are in the longer one.
    ("316 и 417 и 518", "316 and 417 and 518 and 619 and 713 and 814 and 915", False),
])  # fmt: skip
def test_numbers(one, other, expected):
    assert ruled_out(_ADVISORY.format(one), _RENDERED.format(other)) is expected


def test_many_numbers_do_not_outweigh_nearly_all_key_terms():
    one, other = (" and ".join(str(number) for number in range(start, start + 9)) for start in (316, 716))
    assert ruled_out(_ADVISORY.format(one), _RENDERED.format(other), share=0.59)
    assert not ruled_out(_ADVISORY.format(one), _RENDERED.format(other), share=0.6)
    assert ruled_out(_ADVISORY.format(one), _RENDERED.format(other.removesuffix(" and 724")), share=0.6)


def test_figures_of_titles():
    for one, other, expected in [
        ("Бюллетень 3834 о сервере", "Advisory 3767 on the server", True),
        ("Бюллетень 3834 о сервере", "Advisory 3834 on the server", False),
        ("Бюллетень 3 834 о сервере", "Advisory 3,834 on the server", False),
        # One in common is enough.
        ("Бюллетень 3834 о версии 316", "Advisory 3834 on release 417", False),
        # Years may be left out, dates are written in many ways.
        ("Бюллетень 38 о сервере", "Advisory 37 on the server", True),
        ("Бюллетень 3834 о сервере", "Advisory of 2014 on the server", False),
        ("Бюллетень 3834 о сервере", "Advisory of 11/12/2014 on the server", False),
        ("Бюллетень 3834 о сервере", "Advisory on the server", False),
    ]:
        assert ruled_out(_SAILS, _SAILS, titles=(one, other)) is expected


@pytest.mark.parametrize(("changes", "expected"), [
    ({}, True), ({"other": "Kravtsova in Odesa paid 316, 417 and 619"}, False),
    ({"other": "Bondar in Lutsk paid 316, 417 and 518"}, False), ({"hours": 72.0}, True),
    ({"hours": 73.0}, False), ({"one": "Судья Кравцова в Одессе внесла 316 и 417"}, False),
    ({"one": "Суддя Кравцова в Одесі внесла 316, 417 та 518"}, True),
])  # fmt: skip
def test_one_event_in_two_languages_has_the_same_numbers_and_names(changes, expected):
    texts = {"one": "Судья Кравцова в Одессе внесла 316, 417 и 518", "other": "Kravtsova in Odesa paid 316, 417, 518"}
    assert bool(agreed(**{**texts, **changes}).one_event[0]) is expected


def test_length():
    words = _SAILS.split()
    # |ln((30 + 5) / (14 + 5))| is .61, with 15 words .56.
    assert len(words) == 30
    assert ruled_out(" ".join(words[:14]), _SAILS)
    assert not ruled_out(" ".join(words[:15]), _SAILS)
