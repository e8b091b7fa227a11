"""Draws a blind sample of translations.tsv and counts its judge's verdicts in translation-sample.md.

``draw`` writes the rows to be judged to translation-sample.tsv; rows already judged keep their verdicts. A judge then
enters, for each pair of languages, ``right`` or the kind of fault. Without an argument the verdicts are counted.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from hashlib import blake2b
from pathlib import Path

from infostream_dedup.language.lexicon.folder import dictionaries_folder
from infostream_dedup.language.lexicon.tables import TableRow, read_table
from infostream_dedup.model import OUR_LANGUAGES

REPORTS = Path(__file__).resolve().parent
SHEET = REPORTS / "translation-sample.tsv"
SEED = "2026-11-21"
ROWS = 300
PAIRS = ("ru-uk", "ru-en", "uk-en")
COLUMNS = (*OUR_LANGUAGES, *PAIRS, "note")
RIGHT = "right"
GOAL = 0.97


def rank(row: TableRow) -> str:
    """Return the position of a row in the draw; it depends only on the first word, so that new rows change little."""
    return blake2b(f"{SEED} {row.cells['ru'].partition('|')[0]}".encode(), digest_size=8).hexdigest()


def draw() -> list[dict[str, str]]:
    """Draw the rows of the sample, without verdicts."""
    rows = read_table(dictionaries_folder() / "translations.tsv", (*OUR_LANGUAGES, "pos", "source"))
    chosen = sorted(rows, key=rank)[:ROWS]
    return [
        {**{language: row.cells[language] for language in OUR_LANGUAGES}, **dict.fromkeys(PAIRS, "")} for row in chosen
    ]


def judged() -> list[dict[str, str]]:
    """Read the existing sheet; empty if there is none."""
    if not SHEET.is_file():
        return []
    with SHEET.open(encoding="utf-8", newline="") as sheet:
        return list(csv.DictReader(sheet, delimiter="\t"))


def write_sheet(rows: list[dict[str, str]]) -> None:
    """Write the sheet, keeping the verdicts of unchanged rows."""
    known = {tuple(row[language] for language in OUR_LANGUAGES): row for row in judged()}
    with SHEET.open("w", encoding="utf-8", newline="") as sheet:
        writer = csv.DictWriter(sheet, COLUMNS, delimiter="\t", lineterminator="\n", restval="")
        writer.writeheader()
        writer.writerows(known.get(tuple(row[language] for language in OUR_LANGUAGES), row) for row in rows)


def page(rows: list[dict[str, str]]) -> str:
    """Make the report: counts by pair, and the faults with their kinds."""
    lines = ["| pair | judged | right | wrong | share right |", "|---|---|---|---|---|"]
    every: Counter[str] = Counter()
    for pair in PAIRS:
        verdicts = Counter(row[pair] == RIGHT for row in rows if row[pair])
        every.update({str(verdict): number for verdict, number in verdicts.items()})
        total = verdicts.total()
        share = verdicts[True] / total if total else 0.0
        lines.append(f"| {pair} | {total} | {verdicts[True]} | {verdicts[False]} | {share:.3f} |")
    total = every.total()
    share = every["True"] / total if total else 0.0
    lines.append(f"| all | {total} | {every['True']} | {every['False']} | {share:.3f} |")
    whole = sum(all(row[pair] == RIGHT for pair in PAIRS) for row in rows)
    faults = [(row, pair) for row in rows for pair in PAIRS if row[pair] not in ("", RIGHT)]
    kinds = Counter(row[pair] for row, pair in faults)
    table = "\n".join(lines)
    by_kind = "\n".join(f"| {kind} | {number} |" for kind, number in sorted(kinds.items(), key=_most_first))
    listed = "\n".join(_fault(row, pair) for row, pair in faults)
    verdict = "The goal of .97 is met." if share >= GOAL else "The goal of .97 is missed."
    return f"""# A blind sample of translations.tsv

Made by `python reports/make_translation_sample.py` from `reports/translation-sample.tsv`: {len(rows)} rows drawn by the
fixed seed {SEED!r} (`draw`), not picked, and judged by one judge, a language model, row by row. A pair of a row is
right only if every word of either language has a usual translation among the words of the other; one word without one
makes the pair wrong. The counts are of the rows as the table had them before the check and the judge; faults were
mended after, where the notes do not say that they were kept.

The judge knew the languages, not the rows, but wrote other parts of this project: a stranger might be stricter. Rows
that were added to the table after the draw are not in it.

{table}

Rows right in all three pairs: {whole} of {len(rows)}. {verdict}

## Faults by kind

| kind | pairs |
|---|---|
{by_kind}

## Faults

| pair | ru | uk | en | kind | what is wrong |
|---|---|---|---|---|---|
{listed}
"""


def _most_first(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]


def _fault(row: dict[str, str], pair: str) -> str:
    cells = (pair, *(row[language].replace("|", ", ") for language in OUR_LANGUAGES), row[pair], row["note"])
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Draw the sample or count the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", nargs="?", choices=["draw", "count"], default="count")
    if parser.parse_args().step == "draw":
        write_sheet(draw())
        return
    (REPORTS / "translation-sample.md").write_text(page(judged()), encoding="utf-8")


if __name__ == "__main__":
    main()
