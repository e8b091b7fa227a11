"""Makes the part of cross-language.md on what the translation ladder covers, as part of ``make reports``."""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from os import environ

from frame import table_of, write_part

from infostream_dedup.lab.dictionary_check import check
from infostream_dedup.lab.word_lookup import TOPS, Coverage, coverage

PACKAGES = ("pymorphy3-dicts-ru", "pymorphy3-dicts-uk", "wordfreq", "names-translator")
GOALS = {"ru-uk": 0.98, "ru-en": 0.95, "uk-en": 0.95}


def table(measured: list[Coverage]) -> str:
    """Format all directions and tops as a Markdown table."""
    heads = "direction,top,covered,goal,dictionary,names,cognates,identity,spelt by rule,nothing".split(",")
    rows = []
    for one in measured:
        direction = f"{one.source}-{one.target}"
        goal = f"{GOALS[direction]:.2f}" if direction in GOALS and one.top == TOPS[0] else ""
        shares = (one.dictionary, one.names, one.cognates, one.identity, one.spelt, one.none)
        covered = f"**{one.covered:.4f}**"
        rows.append((direction, f"{one.top:,}", covered, goal, *(f"{share:.4f}" for share in shares)))
    return table_of(heads, rows)


def page() -> str:
    """Make the whole report."""
    checked = check()
    packages = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    doubts = len(checked.findings) - len(checked.defects)
    return f"""The same table is printed by `infostream-dedup dictionaries check`. {packages}; no imported
table, no translation model.

Share of the frequency mass of the most frequent nouns of a language that has an equivalent in another one. Nouns are
the `morph` terms (English: lemmas) of the 100,000 most frequent forms of wordfreq in lower case; the mass of a noun
is the sum over its forms. Counted are the rungs from identity to gated cognates. Not counted: the skeleton, an identity
that the target's lexicon (wordfreq, our names, names-translator) lacks, and names spelt by rule that the target
language is not known to use.

{table(coverage())}

Goals are set for the top 5,000. The tables behind it: {checked.files} files, {checked.rows:,} rows,
{len(checked.defects)} defects, {doubts} doubts (rare names that no installed source confirms).
"""


def main() -> None:
    """Write the report, ignoring the user's imported tables and remembered answers."""
    with tempfile.TemporaryDirectory() as folder:
        environ["INFOSTREAM_DEDUP_DATA"] = folder
        title, command = "What translation covers", "python reports/make_coverage.py"
        write_part("cross-language.md", "coverage", title, command, [page().strip()])


if __name__ == "__main__":
    main()
