"""The cover of a report: what was measured, with which command, and when."""

from __future__ import annotations

from dataclasses import dataclass

from infostream_dedup.report.wording import Wording
from infostream_dedup.runs.batch.parts import short_names
from infostream_dedup.runs.batch.sweeping import SweepResult

__all__ = ["Cover", "cover_lines"]

_NAMED: tuple[str, ...] = ("<list>", "-")
_FILES = 12
_SOURCES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """What the numbers do not say.

    Attributes:
        command: the command line, without folders; ``None`` for a call from Python.
        made: the day to print, as ISO text; without it nothing in a report depends on the day.
        language: ``uk``, ``ru`` or ``en``.
    """

    command: str | None = None
    made: str | None = None
    language: str = "en"


def cover_lines(result: SweepResult, cover: Cover, wording: Wording) -> list[tuple[str, str]]:
    """Return what was measured, as names and values, in the order of the page."""
    lines = []
    files = [] if result.report is None else [name for name in result.report.used_by_source if name not in _NAMED]
    if files:
        lines.append((wording("files"), _listed(short_names(files), _FILES, wording)))
    total = wording.count(sum(result.documents.values()))
    languages = ", ".join(
        f"{wording(f'lang_{language}')} {wording.count(number)}" for language, number in result.documents.items()
    )
    lines.append((wording("documents"), f"{total} ({languages})" if languages else total))
    about = result.about
    if about is not None and about.first is not None and about.last is not None:
        undated = about.documents - about.dated
        remark = f" ({wording('undated', number=wording.count(undated))})" if undated else ""
        lines.append((wording("period"), f"{wording.moment(about.first)} – {wording.moment(about.last)}{remark}"))
    if about is not None and about.sources:
        named = [f"{source} {wording.count(number)}" for source, number in about.sources.items()]
        lines.append((wording("sources"), f"{wording.count(len(named))}: {_listed(named, _SOURCES, wording)}"))
    if cover.command is not None:
        lines.append((wording("command"), cover.command))
    if cover.made is not None:
        lines.append((wording("made"), wording.moment(cover.made)))
    lines.append((wording("version"), f"infostream-dedup {result.configuration['version']}"))
    return lines


def _listed(names: list[str], most: int, wording: Wording) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} {wording('and_more', number=wording.count(len(names) - most))}"
