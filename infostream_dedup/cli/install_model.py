"""``dictionaries install-model``: install a translation model from a local file."""

from __future__ import annotations

from pathlib import Path

import click

from infostream_dedup.cli.options import examples, general_options
from infostream_dedup.cli.output import chosen_format, note, print_rows

__all__ = ["install_model"]


@click.command("install-model", epilog=examples("dictionaries install-model translate-en_ru.argosmodel"))
@click.argument("file", type=click.Path(path_type=Path))
@general_options("table", "jsonl", "json", "csv")
def install_model(file: Path, output_format: str | None, quiet: bool) -> None:
    """Install a translation model: FILE is an .argosmodel of Argos Translate between ru, uk and en.

    The file (a zip) is checked before anything is written, and nothing is downloaded. The model goes to the folder in
    which Argos Translate keeps its models (ARGOS_PACKAGES_DIR overrides it). Installing a version again replaces it.

    Columns: file, source and target language, version, folder, replaced (whether the version existed), tried (whether
    a test translation was run; no if the extra translate, which runs models, is not installed).
    """
    from infostream_dedup.api import dictionaries

    done = dictionaries.install_model(file)
    row = {
        "file": str(file),
        "source": done.model.source,
        "target": done.model.target,
        "version": done.model.version,
        "folder": str(done.model.folder),
        "replaced": done.replaced,
        "tried": done.tried,
    }
    print_rows([row], chosen_format(output_format, "table", "jsonl"))
    if not done.tried:
        note(
            "the model can be used once its packages are installed: pip install 'infostream-dedup[translate]'",
            quiet=quiet,
        )
