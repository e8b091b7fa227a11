"""Pictures: places worked by hand, valid XML, and no matplotlib for SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from infostream_dedup.report import needed
from infostream_dedup.report.drawing import Axis, Box, Lettering, Panel, Picture, Stroke, as_png, as_svg, even_ticks
from infostream_dedup.report.learning import write_learning_curve

SVG = "{http://www.w3.org/2000/svg}"
Y = Axis(low=0, high=2, ticks=[(0, "0"), (2, "2")], label="y & z")


def picture(**content: object) -> Picture:
    return Picture(panels=[Panel(x=Axis(low=0, high=10, ticks=[(5, "five")]), y=Y, height=100, **content)])


def test_places_by_hand():
    line = Stroke(points=[(0, 0), (5, 1), (10, 2)], colour="#010203", marker="o", label="<a>", errors=[0, 0.5, 0])
    svg = as_svg(picture(lines=[line], boxes=[Box(0, 0, 5, 1, "#040506")], words=[Lettering(x=10, y=0, text="end")]))
    root = ET.fromstring(svg)  # noqa: S314 - our own
    # The panel is from 36.7 (30 and a digit) to 626 across, and from 12 down to 112.
    assert root.find(f"{SVG}polyline").get("points") == "36.7,112 331.3,62 626,12"
    box = root.find(f"{SVG}rect")
    assert [box.get(name) for name in ("x", "y", "width", "height")] == ["36.7", "62", "294.6", "50"]
    assert [one.get("cx") for one in root.iter(f"{SVG}circle")] == ["36.7", "331.3", "626", "27"]
    assert any("V37m" in one.get("d") for one in root.iter(f"{SVG}path")), "the interval ends at 1.5, y = 37"
    assert [one.text for one in root.iter(f"{SVG}text")] == ["0", "2", "five", "y & z", "end", "<a>"]
    assert as_svg(picture(lines=[line])) == as_svg(picture(lines=[line]))


@given(st.floats(0.001, 1e6))
def test_ticks_are_few_and_even(high):
    ticks = even_ticks(high)
    assert ticks[0] == 0
    assert ticks[-1] <= high * (1 + 1e-9)
    assert 3 <= len(ticks) <= 7
    assert ticks == [ticks[1] * number for number in range(len(ticks))]


@given(st.text(max_size=20).filter(str.isprintable))
def test_words_of_others_are_escaped(text):
    root = ET.fromstring(as_svg(picture(words=[Lettering(x=1, y=1, text=text)])))  # noqa: S314 - our own
    assert [one.text or "" for one in root.iter(f"{SVG}text")][-1] == text


def test_png_only_with_the_extra(tmp_path, monkeypatch):
    assert as_png(picture(boxes=[Box(0, 0, 5, 1, "#040506")])).startswith(b"\x89PNG")
    monkeypatch.setattr(needed, "find_spec", lambda _: None)
    written = write_learning_curve([], tmp_path)
    assert sorted(path.name for path in written) == ["curve.csv", "curve.svg"]
    monkeypatch.undo()
    assert sorted(path.name for path in write_learning_curve([], tmp_path)) == ["curve.csv", "curve.png", "curve.svg"]
    assert re.search("<svg[^>]*>", (tmp_path / "curve.svg").read_text("utf-8"))
