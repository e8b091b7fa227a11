"""The first minutes: CPU time of small commands, cold and warm; size of an installation; a start without a home.

    python -m venv base && base/bin/pip install .
    python -m benchmarks.start --environment base [--python /usr/bin/python3]

Writes a part of reports/speed.md. Each command runs in a process of its own. Cold: no word forms or translations on
disk. Warm: the same command again. ``--environment`` holds the base installation, whose packages are measured; as root,
``--python``, an interpreter that every user may run, starts commands as the user 65534 without a home, who may write
nothing but a folder of documents.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from infostream_dedup.sample import documents_path

REPORT = Path(__file__).resolve().parents[1] / "reports" / "speed.md"
BEGIN, END = "<!-- part: start -->\n", "<!-- end of start -->\n"
FORTY = 40
NOBODY = 65534
TOOLS = ("pip", "setuptools", "pkg_resources", "_distutils_hack")
"""What a new environment holds before anything is installed."""

COMMANDS = {
    "--help": ["--help"],
    "ingest forty.jsonl --store s.db": ["ingest", "forty.jsonl", "--store", "RUN.db"],
    "search --store s.db --text '...'": ["search", "--store", "LAST.db", "--text", "Мэр открыл трамвайную линию"],
    "dedup forty.jsonl --out kept.jsonl": ["dedup", "forty.jsonl", "--out", "kept.jsonl"],
    "passages compare a.txt b.txt": ["passages", "compare", "a.txt", "b.txt"],
}
"""Arguments by command as shown; ``RUN`` becomes a name of each run's own, ``LAST`` that of the last one."""

WHO = {
    "scipy": ("sparse matrices, groups", "own products of sparse matrices"),
    "numpy": ("every number", "-"),
    "pymorphy3_dicts_ru": ("Russian lemmas", "-"),
    "pymorphy3_dicts_uk": ("Ukrainian lemmas", "an extra, with stems in the base"),
    "dawg": ("pymorphy3[fast]: look-ups in the dictionaries of forms", "slower look-ups"),
    "Stemmer": ("stems, compiled", "stems in plain Python"),
    "infostream_dedup": ("us: code, dictionaries, terms of common words", "-"),
}  # fmt: skip
"""Who needs the larger packages, and what would have to take their place for a smaller base."""


def main() -> None:
    """Measure every command and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environment", type=Path, help="environment with the base installation")
    parser.add_argument("--python", type=Path, help="interpreter that every user may run")
    given = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        written(folder)
        every = {**COMMANDS, "demo": ["demo", "--out", "demo"]}  # the only one that needs an extra
        rows = [row_of(what, arguments, folder) for what, arguments in every.items()]
    sizes = "" if given.environment is None else size_page(given.environment)
    homeless = "" if None in (given.environment, given.python) else homeless_page(given.environment, given.python)
    before, _, rest = REPORT.read_text(encoding="utf-8").partition(BEGIN)
    part = f"{BEGIN}\n{page(rows)}{sizes}{homeless}\n{END}"
    REPORT.write_text(before + part + rest.partition(END)[2], encoding="utf-8")


def written(folder: Path) -> None:
    """Write the documents and texts that the commands read."""
    lines = documents_path().read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "forty.jsonl").write_text("".join(lines[:FORTY]), encoding="utf-8")
    for name, line in (("a.txt", lines[0]), ("b.txt", lines[1])):
        (folder / name).write_text(line, encoding="utf-8")


def row_of(what: str, arguments: list[str], folder: Path) -> list[str]:
    """Seconds of a command, cold and warm."""
    found = [f"`{what}`"]
    cache = folder / f"cache {what[:6]}"
    for turn in ("cold", "warm"):
        stores = sorted(folder.glob("*.db"), key=lambda path: path.stat().st_mtime_ns)
        last = stores[-1].stem if stores else ""
        named = [one.replace("RUN", turn).replace("LAST", last) for one in arguments]
        found.append(f"{measured(named, folder, cache):.1f}")
    print(" | ".join(found), flush=True)
    return found


def measured(arguments: list[str], folder: Path, cache: Path) -> float:
    """CPU seconds of one process."""
    own = {"INFOSTREAM_DEDUP_CACHE": str(cache), "MPLCONFIGDIR": str(cache / "mpl")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "infostream_dedup", *arguments]
    silent = subprocess.DEVNULL
    subprocess.run(command, cwd=folder, env={**os.environ, **own}, stdout=silent, stderr=silent, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def packages_of(environment: Path) -> Path:
    """The folder of an environment's packages."""
    return next((environment / "lib").glob("python*/site-packages"))


def size_page(environment: Path) -> str:
    """What the base installation takes, by package, without the tools of every new environment."""
    sizes: dict[str, list[int]] = {}
    for path in packages_of(environment).rglob("*"):
        top = path.relative_to(packages_of(environment)).parts[0].split("-")[0].split(".")[0]
        if path.is_file() and not path.is_symlink() and top not in TOOLS:
            both = sizes.setdefault(top, [0, 0])
            both[path.suffix == ".pyc"] += path.stat().st_size
    shipped, compiled = (sum(one[part] for one in sizes.values()) / 1e6 for part in (0, 1))
    lines = []
    for name, both in sorted(sizes.items(), key=lambda item: -sum(item[1])):
        if sum(both) < 2_000_000 and name not in WHO:
            continue
        who, instead = WHO.get(name, ("", ""))
        lines.append(f"| `{name}` | {both[0] / 1e6:.0f} | {both[1] / 1e6:.0f} | {who} | {instead} |")
    return f"""
### Size of the base installation

{shipped:.0f} MB of files ({shipped / 1.048576:.0f} MiB, as `du -m` counts), and {compiled:.0f} MB of bytecode that pip
makes of them, together {shipped + compiled:.0f} MB ({(shipped + compiled) / 1.048576:.0f} MiB); `pip install
--no-compile` leaves the bytecode out. Sizes of files, not of blocks on disk, in megabytes of a million bytes, by folder
of `site-packages`, without pip and setuptools; packages below 2 MB are not listed. The
goal, 330, is in the unit of `du -m` and without bytecode.

| package | files | bytecode | who needs it | what would have to take its place |
|---|---|---|---|---|
{chr(10).join(lines)}
"""


def homeless_page(environment: Path, python: Path) -> str:
    """Run commands as a user who has no home and may write nothing but the folder of documents."""
    rows = []
    plain = {"HOME": "/nonexistent", "PYTHONPATH": str(packages_of(environment))}
    nobody: dict[str, Any] = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    with TemporaryDirectory() as name:
        folder = Path(name)
        written(folder)
        folder.chmod(0o777)
        for what, arguments in COMMANDS.items():
            named = [one.replace("RUN", "s").replace("LAST", "s") for one in arguments]
            command = [str(python), "-m", "infostream_dedup", *named]
            ran = subprocess.run(command, cwd=folder, env=plain, **nobody, capture_output=True, text=True, check=False)
            said = ran.stderr.strip().splitlines()
            rows.append(f"| `{what}` | {ran.returncode} | {said[0].replace(str(folder), '.') if said else ''} |")
            print(rows[-1], flush=True)
            assert ran.returncode == 0, ran.stderr
    return f"""
### Without a home

`env -i HOME=/nonexistent` as user {NOBODY}, packages of another user, nothing writable but the folder of documents:

| command | exit code | first line on standard error |
|---|---|---|
{chr(10).join(rows)}
"""


def page(rows: list[list[str]]) -> str:
    """The first part of the report."""
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    return f"""## The first minutes

CPU seconds of single commands on the bundled sample, each a process of its own. *Cold*: no word forms, translations or
fonts on disk; *warm*: the same command again.

| command | cold | warm |
|{"---|" * len(rows[0])}
{table}

Command: `python -m benchmarks.start {" ".join(sys.argv[1:])}`. Data: the bundled sample, its first {FORTY} \
documents. Machine: {os.cpu_count()} cores, Python {sys.version_info[0]}.{sys.version_info[1]}. \
Date: {date.today().isoformat()}.
"""


if __name__ == "__main__":
    main()
