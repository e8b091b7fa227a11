"""Makes readings.md, the totals of readings.tsv: ``python reports/make_readings.py``.

A reader who saw no verdict judged links from titles, sources, dates and texts. Each line of the table is one judgement:
round (the seed that drew the links), the pair, the class it was drawn for, what the reader said, whether that is right
for the class (``second``: only by the reader's second word), and the reader's note.
"""

from __future__ import annotations

import csv
from collections import Counter

from frame import REPORTS, table, write_text

ABOUT = """\
# Verdicts, read

Totals of [readings.tsv](readings.tsv), made by `python reports/make_readings.py`. Links of `ingest` over the dated
documents of mdnews (and pairs of kind `copy` of whole collections) were drawn by the seed that names the round, and
judged on 22 to 30 November 2026 from titles, sources, dates and texts, shuffled with unscored links of class `other`,
by readers who saw no verdict, kind or probability. The rules were changed after the first three rounds, before the
sixth, before and after the seventh, and after the eighth, so only the last rounds of a class describe the program as it
is. mdnews also gave the thresholds of the kinds. Round 2111 drew equal numbers of pairs from ten sets, after `retold`,
`follow-up` and `translation` had been changed; of slavictopics and `updated`, all had been read then. Rounds 2129 and
2143 did so before and after `contains` and `template` were changed; a third of the `follow-up` of 2129 are sister
advisories, and all `updated` and `differs` but one renderings of one text. In 2161, pairs of two sources were read
before `retold` took more of those of 12 hours; 2179 is the rest. What is wrong there is a next step of the story.

*Second*: right if the reader's second word counts too, or one given in doubt. Right for `retold` is the same story, a
copy or an update of it; for `similar` anything that shares an affair, a form or a passage; for others their name."""


def main() -> None:
    """Count and write the page."""
    read: Counter[tuple[str, str]] = Counter()
    first, either = read.copy(), read.copy()
    with (REPORTS / "readings.tsv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["class"] != "other":
                key = row["round"], row["class"]
                read[key] += 1
                first[key] += row["true"] == "yes"
                either[key] += row["true"] in ("yes", "second")
    rows = [
        {
            "round": key[0],
            "class": f"`{key[1]}`",
            "read": count,
            "right": first[key],
            "share": f"{first[key] / count:.2f}",
            "second": either[key],
            "share with second": f"{either[key] / count:.2f}",
        }
        for key, count in sorted(read.items())
    ]
    write_text(REPORTS / "readings.md", f"{ABOUT}\n\n{table(rows)}\n")


if __name__ == "__main__":
    main()
