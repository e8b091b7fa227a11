"""``dictionaries``: what the engine knows about words, users' own tables and translation models; the sample at work."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from infostream_dedup.api.dedup import DedupSummary
from infostream_dedup.api.pairs import PairListing
from infostream_dedup.documents import read_documents
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.language.text.language import detect
from infostream_dedup.model import OUR_LANGUAGES, Document, Language, full_text, names_in

if TYPE_CHECKING:
    from infostream_dedup.lab.dictionary_check import Checked
    from infostream_dedup.lab.dictionary_imports import Imported, TableFormat
    from infostream_dedup.language.translation.model_files import Installation
    from infostream_dedup.machine.progress import Progress

__all__ = ["DictionaryCheck", "build", "check", "import_table", "install_model", "list_tables", "remove_table", "show"]


@dataclass(frozen=True, slots=True)
class DictionaryCheck:
    """What a check of the dictionaries found.

    Attributes:
        checked: number of files and rows, and the findings: defects and doubts.
        coverage: rows on how much translation covers; empty if it was not measured.
    """

    checked: Checked
    coverage: list[dict[str, Any]]

    def rows(self, *, doubts: bool = False) -> list[dict[str, Any]]:
        """Return rows with a column ``kind`` (``defect``, ``doubt`` or ``coverage``), then the columns of that kind.

        Args:
            doubts: include the doubts.
        """
        rows: list[dict[str, Any]] = []
        for finding in self.checked.findings:
            if doubts or finding.level == "defect":
                row = asdict(finding)
                rows.append({"kind": row.pop("level"), **row})
        return rows + [{"kind": "coverage", **row} for row in self.coverage]


def show(
    words: str | Sequence[str], lang: Language | None = None, *, to: Language | None = None
) -> list[dict[str, Any]]:
    """Show what the engine knows about words, or how it translates them.

    Args:
        words: one word or several, capitalised as in a text.
        lang: language of the words; by default every language that has these letters.
        to: show the translations into this language instead, rung by rung.

    Returns:
        Without ``to``, a row for every way in which the word can occur in a text: language, form, shape, term, strict,
        lemma and so on. With ``to``, a row for every answer of every rung, in the order in which the rungs are
        consulted.

    Raises:
        ConfigurationError: there is no such language.

    Example:
        >>> from infostream_dedup import dictionaries
        >>> dictionaries.show("Киеве", "ru")[0]["lemma"]
        'киев'
    """
    listed = [words] if isinstance(words, str) else words
    if to is None:
        from infostream_dedup.lab.word_lookup import show as entries_of

        return [entry.as_dict() for word in listed for entry in entries_of(word, lang)]
    from infostream_dedup.lab.word_lookup import ladder_of

    return [step.as_dict() for word in listed for step in ladder_of(word, to, lang)]


def build(
    folder: str | Path | None = None,
    languages: Iterable[Language] | str = OUR_LANGUAGES,
    *,
    most: int | None = None,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Write the morphological frequency dictionaries, the nouns and names that ``morph`` terms come from, as tables.

    ``ru.tsv``, ``uk.tsv`` and ``en.tsv`` have the columns ``term, kinds, zipf, source, forms``, the most frequent terms
    first; ``manifest.json`` holds versions and the checksums of this call. Takes a minute or two per language.

    Args:
        folder: folder to write to; by default ``frequency-dictionaries`` in the user's data folder.
        languages: languages of the tables, as a sequence or with commas between them.
        most: take only this number of the most frequent forms, and no words that are not in use.
        progress: called with the number of words.

    Returns:
        A row for each table: ``language, terms, in_use, nouns, surnames, organisations, places, other_names, file``.

    Raises:
        ConfigurationError: no language is named, or one that does not exist; the folder has an empty name; or ``most``
            is not a whole number above 0.
        CannotCreateError: the folder or a file cannot be created.
        CannotWriteError: writing failed.
    """
    from infostream_dedup.lab.word_lookup import build as build_tables
    from infostream_dedup.lab.word_lookup import built_folder

    if folder is not None and not str(folder):
        raise ConfigurationError("the folder has an empty name; leave it out for your data folder")
    taken = cast("list[Language]", list(dict.fromkeys(names_in(languages))))
    built = build_tables(built_folder() if folder is None else Path(folder), taken, most=most, progress=progress)
    return [{**asdict(one), "file": str(one.file)} for one in built]


def check(
    folder: str | Path | None = None, *, coverage: bool = True, progress: Progress | None = None
) -> DictionaryCheck:
    """Check every row of the dictionaries, and measure what they cover.

    Args:
        folder: folder to check; by default the dictionaries in use.
        coverage: measure how much translation covers; only done for the dictionaries in use.
        progress: called with each step.

    Returns:
        ``checked`` (with ``defects``) and ``coverage``.

    Raises:
        NoInputError: the folder cannot be read.
    """
    from infostream_dedup.lab.dictionary_check import check as check_rows
    from infostream_dedup.lab.word_lookup import coverage as measure

    checked = check_rows(None if folder is None else Path(folder), progress)
    measured = measure(progress) if coverage and folder is None else []
    return DictionaryCheck(checked, [one.as_dict() for one in measured])


def import_table(
    file: str | Path,
    source: Language,
    target: Language,
    table_format: TableFormat,
    *,
    parts: Iterable[str] | str = (),
    name: str | None = None,
    skip: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Import a table of word pairs for the dictionary rung of the ladder.

    The file is read completely before anything is written; a table of the same name is replaced.

    Args:
        file: the table, plain or compressed with gzip.
        source: language of the words in its left or first column.
        target: language of the other words.
        table_format: ``tsv``, ``apertium`` (.dix) or ``wiktionary`` (JSON Lines of wiktextract).
        parts: parts of speech to import: ``noun``, ``name``, ``adj``; nouns and names by default.
        name: name of the table; by default made from the file name and the languages.
        skip: leave out broken rows; otherwise the first one stops the import.
        progress: called with the number of bytes read.

    Returns:
        Name and path of the table, and counts.

    Raises:
        ConfigurationError: there is no such language, format or part of speech, or the name cannot be used.
        NoInputError: the file cannot be read.
        BadDataError: ``E_IMPORT``: a row is broken, or there is nothing to import; in both cases nothing is installed.
        CannotCreateError: the folder cannot be written.
    """
    from infostream_dedup.lab.dictionary_imports import TERMS
    from infostream_dedup.lab.dictionary_imports import import_table as bring

    taken = (names_in(parts) if parts else ()) or TERMS
    return bring(Path(file), source, target, table_format, parts=taken, name=name, skip=skip, progress=progress)


def list_tables() -> list[dict[str, Any]]:
    """List the imported tables.

    Returns:
        Rows ``name, pairs, languages, file``.
    """
    from infostream_dedup.lab.dictionary_imports import installed_tables

    return installed_tables()


def remove_table(name: str) -> Path:
    """Remove an imported table.

    Args:
        name: see ``list_tables``.

    Returns:
        Path of the removed file.

    Raises:
        NoInputError: there is no such table.
        CannotCreateError: the folder cannot be written.
    """
    from infostream_dedup.lab.dictionary_imports import remove_table as remove

    return remove(name)


def install_model(file: str | Path) -> Installation:
    """Install a translation model of Argos Translate from a local file.

    The file is checked before anything is written, and nothing is downloaded. Installing a version again replaces it.

    Args:
        file: an ``.argosmodel`` file between two of ru, uk and en.

    Returns:
        The model, whether it replaced another, and whether it was tested.

    Raises:
        NoInputError: there is no such file.
        BadDataError: it is not a usable model.
        CannotCreateError: the folder of models cannot be written.
    """
    from infostream_dedup.language.translation.model_files import install_model as install

    return install(Path(file))


# The bundled sample at work: ``warm`` fills the tables of words with it; ``judged_sample`` shows what repeats what


@dataclass(frozen=True, slots=True)
class Warmth:
    """What ``warm`` did.

    Attributes:
        cpu_seconds: CPU time of the whole run.
    """

    cpu_seconds: float

    def as_dict(self) -> dict[str, Any]:
        """Return one row: cpu_seconds."""
        return {"cpu_seconds": round(self.cpu_seconds, 1)}


def warm(*, progress: Progress | None = None) -> Warmth:
    """Run the commands on the bundled sample, so that the tables of word forms and translations are filled.

    Args:
        progress: called with each step.

    Returns:
        The CPU seconds it took.

    Example:
        >>> warm().as_dict()                                                            # doctest: +SKIP
        {'cpu_seconds': 14.2}
    """
    began = time.process_time()
    _run_all(progress)
    return Warmth(time.process_time() - began)


def _run_all(progress: Progress | None) -> None:
    from infostream_dedup.api.dedup import dedup
    from infostream_dedup.api.ingest import ingest
    from infostream_dedup.api.pairs import pairs
    from infostream_dedup.api.passages import compare, find
    from infostream_dedup.api.search import search
    from infostream_dedup.api.sweep import sweep
    from infostream_dedup.sample import documents_path

    source = str(documents_path())
    text = "Мэр открыл новый мост через реку утром. Движение начнётся в понедельник, сообщили в мэрии."
    with TemporaryDirectory() as folder:
        store, out = Path(folder) / "warm.db", Path(folder) / "kept.jsonl"
        steps: list[Callable[[], object]] = [
            lambda: sweep(source),
            lambda: sweep(source, representations=("stem",)),
            lambda: sweep(source, confirmed=True),
            lambda: dedup(source, out),
            lambda: dedup(source, out, preset="faithful"),
            lambda: dedup(source, out, preset="judged"),
            lambda: list(pairs(source, preset="judged")),
            lambda: list(ingest(source, store)),
            lambda: list(ingest(source, Path(folder) / "faithful.db", preset="faithful")),
            lambda: search(store, text),
            lambda: compare(text, text),
            lambda: find(source),
        ]
        for number, step in enumerate(steps):
            if progress is not None:
                progress("warming", number, len(steps))
            step()
        if progress is not None:
            progress("warming", len(steps), len(steps))


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """The bundled sample and what preset ``judged`` finds in it."""

    documents: list[Document]  # the news items
    languages: Counter[str]  # items in each language
    found: DedupSummary  # their statuses and groups
    pairs: PairListing  # pairs of every kind


def judged_sample(*, progress: Progress | None = None) -> JudgedSample:
    """Find what repeats what in the bundled sample, as ``dedup`` and ``pairs`` do.

    Args:
        progress: called with each step.

    Returns:
        The documents with the results.
    """
    from infostream_dedup.api.dedup import dedup
    from infostream_dedup.api.pairs import pairs
    from infostream_dedup.sample import documents_path

    path = str(documents_path())
    documents = list(read_documents(path))
    languages = Counter(one.lang or detect(full_text(one)) for one in documents)
    found = dedup(path, progress=progress)
    return JudgedSample(documents, languages, found, pairs(path, kinds="all", progress=progress))
