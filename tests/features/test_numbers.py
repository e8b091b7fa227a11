"""Numbers as Russian, Ukrainian and English news write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.features.numbers import numbers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("ни одного числа нет", ["1"]),
        ("курс доллара 41,25 грн", ["41.25"]),
        ("курс 41,2500 грн", ["41.25"]),
        ("39,250 грн", ["39.25"]),
        ("rate 39.250", ["39.25"]),
        ("12 300 человек", ["12300"]),
        ("12\u00a0300\u202f500 человек", ["12300500"]),
        ("1 200,50 грн", ["1200.5"]),
        ("1,200 people", ["1200"]),
        ("1,200,000.75 dollars", ["1200000.75"]),
        ("1,200,000 человек", ["1200000"]),
        ("5 % и 7,5%", ["5", "7.5"]),
        ("счёт 6:4, 3:6", ["6", "4", "3", "6"]),
        ("в 14:05", ["14", "5"]),
        ("05.03.2026", ["5", "3", "2026"]),
        ("05.03.26 г.", ["5", "3", "26"]),
        ("2026-03-05", ["2026", "3", "5"]),
        ("10-15 и 10–15", ["10", "15", "10", "15"]),
        ("5-й, 5-го, 5th", ["5", "5", "5"]),
        ("$3.50 and €20", ["3.5", "20"]),
        ("0,5 и 0.50 и 007", ["0.5", "0.5", "7"]),
        ("в 2024 100 человек", ["2024", "100"]),
        ("Пять шуток, п'ять жартів, п\u2019ять, п\u02bcять", ["5", "5", "5", "5"]),
        ("двух из десяти", ["2", "10"]),
        ("дві з трьох", ["2", "3"]),
        ("two of Seven", ["2", "7"]),
        ("двухэтажный, пятьсот, семья, тендер", []),
        ("G7, А320, iPhone15", []),
        ("10км, 20г", ["10", "20"]),
        ("версия 1.2.3", ["1", "2", "3"]),
        ("1.5.", ["1.5"]),
        ("стоит 100.", ["100"]),
        ("100, 200, 300", ["100", "200", "300"]),
    ],
)
def test_by_hand(text, expected):
    assert numbers(text) == expected


@given(st.integers(0, 10**9), st.integers(0, 9999))
def test_figures_come_back(whole, decimals):
    number = f"{whole}.{decimals:04}".rstrip("0").rstrip(".")
    for written in (f"{whole}.{decimals:04}", f"{whole},{decimals:04}"):
        assert numbers(f"цена {written} грн") == [number]


@given(st.text())
def test_any_text_has_numbers_or_none(text):
    for number in numbers(text):
        assert number == number.strip()
        float(number)
