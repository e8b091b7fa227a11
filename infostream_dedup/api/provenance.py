"""``provenance`` and ``boilerplate``: who published first, and which sentences always recur."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Unpack

from infostream_dedup.api.keywords import parted
from infostream_dedup.api.sources import Listing, read_list
from infostream_dedup.documents import Reading, ReadingReport
from infostream_dedup.documents.reading import ReadingOptions, chosen_reading
from infostream_dedup.errors import UsageError
from infostream_dedup.model import Document, names_in
from infostream_dedup.model.limits import Range

if TYPE_CHECKING:
    from infostream_dedup.judging.passages.boilerplate import Boilerplate
    from infostream_dedup.judging.passages.provenance import Provenance
    from infostream_dedup.machine.progress import Progress

    _Groups = Iterable[Sequence[str] | str] | Mapping[str, Sequence[str] | str]


def boilerplate(
    source: Any,
    *,
    min_documents: int = 5,
    min_share: float = 0.005,
    min_days: int = 3,
    min_words: int = 2,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[ReadingOptions],
) -> Listing[dict[str, Any]]:
    """List the sentences that recur in many texts of one source.

    All texts are kept in memory. Write the rows to a file to pass them to other functions as ``boilerplate=``.

    Args:
        source: the documents (see ``read_documents``); those without a source count as one source, and its sentences
            are left out of every document.
        min_documents: minimum number of the source's texts that contain the sentence, at least 2.
        min_share: minimum share of the source's texts that contain it, 0 to 1.
        min_days: minimum number of UTC days on which these texts were published, at least 1; texts without a date are
            exempt.
        min_words: minimum number of words with a letter, at least 1.
        reading, options: reading options, all at once or single ones by name.
        progress: called with each step.

    Returns:
        Rows ``source, sentence, documents, share, first, last`` ordered by source (documents without one first), most
        frequent first. ``warnings`` says if ``min_days`` could not be checked because documents have no date.

    Raises:
        ConfigurationError: a value is out of range or given twice.
        BadDataError, NoInputError: see ``read_documents``.
    """
    from infostream_dedup.judging.passages.boilerplate import BoilerplateRule, find_boilerplate
    from infostream_dedup.judging.passages.sentence_table import read_collection

    _, reads = parted(boilerplate, ReadingOptions, options)
    rule = BoilerplateRule(min_documents, min_share, min_days, min_words)
    kept, report = read_list(source, chosen_reading(reading, reads))
    found = find_boilerplate(kept, read_collection(kept, progress=progress).sentences, rule)
    columns = ("source", "sentence", "documents", "share", "first", "last", "checksum")
    undated = sum(document.time is None for document in kept)
    warning = (
        f"{undated} of {len(kept)} documents have no date, so their sentences need not recur on "
        f"{min_days} days: the list may contain quotes of a single story; read it before you leave the sentences out"
    )
    warnings = [warning] if undated and found and min_days > 1 else []
    return Listing((row.as_dict() for row in found), columns, report, warnings=warnings)


_COLUMNS: Final = (
    *("group", "first", "first_source", "first_by", "id", "source", "published", "title", "url"),
    *("copied_from", "copied_share", "kept", "kept_share", "title_changed", "cut", "added", "changed"),
)
_MESSAGE_COLUMNS: Final = ("group", "position", "id", "source", "kind", "span", "text", "numbers")


class Provenances(Listing[dict[str, Any]]):
    """The rows of ``provenance``, one for each copy.

    Attributes:
        groups: name and provenance of each group, the largest first.
        total: number of groups, shown or not.
    """

    def __init__(
        self, groups: Sequence[tuple[str, Provenance]], total: int, documents: Sequence[Document], report: ReadingReport
    ) -> None:
        rows = (copy.as_dict(name, one) for name, one in groups for copy in one.copies)
        super().__init__(rows, _COLUMNS, report)
        self.groups = groups
        self.total = total
        self._documents = documents

    @cached_property
    def boilerplate(self) -> Boilerplate:
        """Sentences that recur in the texts of a source, other than sentences that only copies of one text share."""
        return _boilerplate(self._documents)


def provenance(
    source: Any,
    *,
    groups: Iterable[Sequence[str] | str] | Mapping[str, Sequence[str] | str] | None = None,
    prefix: str = "",
    most: int = 100,
    reading: Reading | None = None,
    progress: Progress | None = None,
    **options: Unpack[ReadingOptions],
) -> Provenances:
    """Trace who published a group first, and what each copy kept, cut, added and changed.

    Args:
        source: the documents (see ``read_documents``).
        groups: ids of the documents of each group, or a mapping of names to them, such as the ``members`` of ``dedup``;
            by default the groups that ``dedup`` with ``annotate`` wrote into the documents.
        prefix: the ``prefix`` given to ``dedup``, if any.
        most: maximum number of groups, the largest first.
        reading, options: reading options, all at once or single ones by name.
        progress: called with the number of groups traced.

    Returns:
        A row for each copy: ``group``, ``first`` (id), ``first_source``, ``first_by`` (``time``: it was first;
        ``date``: the earliest date, where a day without a time leaves the order open; ``order``: the first in the
        input, as times are equal or unknown), ``id``, ``source``, ``published``, ``title``, ``url``, ``copied_from``
        (id of the earlier document with which it shares most), ``copied_share`` (share of its word triples, 0 to 1),
        ``kept`` (sentences with the same words), ``kept_share`` (share of the first document's words, 0 to 1),
        ``title_changed``, ``cut``, ``added`` (sentences), ``changed`` (before, after, numbers and names that were
        removed or added, positions of the words that differ). Also ``groups``, ``total`` and ``report``.

    Raises:
        UsageError: a group names an unknown document or only one; or there are no groups.
        BadDataError, NoInputError: see ``read_documents``.

    Example:
        >>> from infostream_dedup import provenance
        >>> texts = ["Пожар тушили 12 машин.", "Пожар тушили 15 машин. Снег."]
        >>> documents = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
        >>> [(row["first"], row["id"], row["added"]) for row in provenance(documents, groups=[["0", "1"]])]
        [('0', '1', ['Снег.'])]
    """
    from infostream_dedup.judging.passages.provenance import provenance as traced

    _, reads = parted(provenance, ReadingOptions, options)
    read = _read(source, groups, prefix, most, chosen_reading(reading, reads))
    found: list[tuple[str, Provenance]] = []
    for name, group in read.largest:
        found.append((name, traced(group)))
        if progress is not None:
            progress("tracing groups", len(found), len(read.largest))
    return Provenances(found, read.total, read.documents, read.report)


def original_messages(
    source: Any,
    *,
    groups: Iterable[Sequence[str] | str] | Mapping[str, Sequence[str] | str] | None = None,
    prefix: str = "",
    most: int = 100,
    reading: Reading | None = None,
    **options: Unpack[ReadingOptions],
) -> Listing[dict[str, Any]]:
    """Compile one message from each group: the first text, and what each other text adds to it.

    Sentences that recur in the texts of a source (see ``boilerplate``) are left out, wherever the group has them.

    Args:
        source, groups, prefix, most, reading, options: see ``provenance``.

    Returns:
        A row for each fragment, in the order of the message: ``group``, ``position`` (from 1), ``id``, ``source``
        (source of the document it comes from), ``kind`` (``first``: a sentence of the first document; ``added``: a
        clause that no earlier document has; ``number``: a known clause with a new number), ``span``, ``text``,
        ``numbers`` (the new ones).

    Raises:
        UsageError, BadDataError, NoInputError: see ``provenance``.

    Example:
        >>> from infostream_dedup.api.provenance import original_messages
        >>> texts = ["Пожар тушили 12 машин весь день.", "Пожар тушили 15 машин весь день. Потом пошёл мокрый снег."]
        >>> documents = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
        >>> [(row["id"], row["kind"]) for row in original_messages(documents, groups=[["0", "1"]])]
        [('0', 'first'), ('1', 'number'), ('1', 'added')]
    """
    from infostream_dedup.judging.passages.original_message import original_message
    from infostream_dedup.judging.passages.provenance import in_order

    _, reads = parted(original_messages, ReadingOptions, options)
    read = _read(source, groups, prefix, most, chosen_reading(reading, reads))
    boilerplate = _boilerplate(read.documents)
    rows = (
        fragment.as_dict(name, position)
        for name, group in read.largest
        for position, fragment in enumerate(original_message(in_order(group), boilerplate), 1)
    )
    return Listing(rows, _MESSAGE_COLUMNS, read.report)


class _Read(NamedTuple):
    """What was read."""

    largest: list[tuple[str, list[Document]]]
    total: int
    documents: list[Document]
    report: ReadingReport


def _read(source: Any, groups: _Groups | None, prefix: str, most: int, reading: Reading) -> _Read:
    most = Range(1).check("most", most)
    documents, report = read_list(source, reading)
    members = _annotated(documents, f"{prefix}group") if groups is None else _given(documents, groups)
    largest = sorted(members.items(), key=lambda item: -len(item[1]))[:most]
    copies = {document.id for group in members.values() for document in group[1:]}
    return _Read(largest, len(members), [one for one in documents if one.id not in copies], report)


def _boilerplate(documents: Sequence[Document]) -> Boilerplate:
    from infostream_dedup.judging.passages.boilerplate import Boilerplate, find_boilerplate
    from infostream_dedup.judging.passages.sentence_table import read_collection

    return Boilerplate(find_boilerplate(documents, read_collection(documents).sentences))


def _given(documents: Sequence[Document], groups: _Groups) -> dict[str, list[Document]]:
    if not isinstance(groups, Iterable):
        raise UsageError(f"groups is {groups!r:.80}; expected the ids of each group")
    named = groups.items() if isinstance(groups, Mapping) else enumerate(groups, start=1)
    place_of = {document.id: place for place, document in enumerate(documents)}
    members: dict[str, list[Document]] = {}
    for group, ids in named:
        names = list(dict.fromkeys(names_in(ids)))
        missing = [name for name in names if name not in place_of]
        if missing:
            raise UsageError(f"no document has the id {missing[0]!r}; groups (--group) name documents of the input")
        if len(names) < 2:
            raise UsageError(f"{','.join(names)!r} is one document; a group (--group) has two or more")
        members[str(group)] = [documents[place] for place in sorted(place_of[name] for name in names)]
    return members


def _annotated(documents: Sequence[Document], column: str) -> dict[str, list[Document]]:
    if not any(column in document.extra for document in documents):
        raise UsageError(
            f"no document has a column {column}; name groups (--group), or give documents from 'dedup --annotate'"
        )
    members: dict[str, list[Document]] = {}
    for document in documents:
        members.setdefault(str(document.extra.get(column) or document.id), []).append(document)
    return {name: group for name, group in members.items() if len(group) > 1}
