"""Every file that a command writes can be written, and has a name of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from infostream_dedup.errors import CannotCreateError

__all__ = ["check_outputs", "refuse_shared_files"]

_OUTPUTS: Final = ("summary", "out", "html", "out_labels")
_REPORTS: Final = ("out", "curve")
_DOCUMENTS: Final = ("documents", "sources")


def refuse_shared_files(context: click.Context) -> None:
    """Refuse an output or quarantine file that the command also reads, or writes for another purpose."""
    from infostream_dedup.documents.outputs import same_file
    from infostream_dedup.documents.own_files import check_quarantine

    files = list(_files(context))
    for name, path in files:
        exists = Path(path).exists()
        if name not in (*_OUTPUTS, "quarantine") or (exists and not Path(path).is_file()):
            continue
        # All documents exist, so a file that does not exist cannot be one of them.
        others = [(one, given) for one, given in files if one != name and (exists or one not in _DOCUMENTS)]
        if name == "quarantine":
            check_quarantine(path, [given for one, given in others if one not in _OUTPUTS])
            continue
        for other in (one for one, given in others if same_file(path, given)):
            if other == "quarantine":
                raise CannotCreateError(f"{path} is also the quarantine file; give the output another name")
            if other in _OUTPUTS:
                raise CannotCreateError(f"{path} is given for two outputs; give each its own name")
            raise CannotCreateError(f"{path} is one of the inputs; give the output another name")


def check_outputs(context: click.Context) -> None:
    """Refuse an output file or report that could not be written, before the work that it is to keep."""
    from infostream_dedup.documents.outputs import check_output
    from infostream_dedup.report.needed import check_report_folder, require_pages

    for parameter in context.command.params:
        name, kind = parameter.name or "", parameter.type
        path = _given(context, name)
        if path is None or not isinstance(kind, click.Path):
            continue
        if name in _OUTPUTS and kind.file_okay:
            check_output(path)
            if name == "html":
                require_pages()
        elif name in _REPORTS and not kind.file_okay:
            check_report_folder(path, xlsx=context.params.get("xlsx", False))


def _given(context: click.Context, name: str) -> Any:
    """Return the value of a parameter; the general ones, such as ``--summary``, are kept apart."""
    return context.params.get(name, context.meta.get(name))


def _files(context: click.Context) -> Iterator[tuple[str, str]]:
    """Names of parameters and the files that they name; the documents of folders and patterns are named one by one."""
    from infostream_dedup.documents.own_files import paths_of

    for parameter in context.command.params:
        name, kind = parameter.name or "", parameter.type
        value = _given(context, name)
        given = [] if value is None else list(value) if isinstance(value, list | tuple) else [value]
        if name in _DOCUMENTS:
            yield from ((name, path) for path in paths_of(given))
        elif isinstance(kind, click.Path) and kind.file_okay:
            yield from ((name, str(one)) for one in given)
